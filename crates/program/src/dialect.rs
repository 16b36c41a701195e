use codemode_catalog::Form;
use std::ffi::CStr;

/// Names that programs find: what a model was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `tools.x(args)`.
    Native,
    /// The same; `ALL_TOOLS` names each tool by an identifier.
    Codex,
    /// `codemode.x(args)`.
    Cloudflare,
    /// `external_x(args)`.
    External,
}

/// Where the dialect has another name for the object `tools`.
pub(crate) const OBJECT: &CStr = c"codemode";
pub(crate) const PREFIX: &str = "external_";

impl Dialect {
    /// All; the place of each is its code between processes.
    pub const ALL: [Self; 4] = [Self::Native, Self::Codex, Self::Cloudflare, Self::External];

    /// The names of the option `dialect`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "native" => Some(Self::Native),
            "codex" => Some(Self::Codex),
            "cloudflare" => Some(Self::Cloudflare),
            "tanstack" | "mastra" => Some(Self::External),
            _ => None,
        }
    }

    /// How programs of the dialect write a call.
    pub fn form(self) -> Form {
        match self {
            Self::Native | Self::Codex => Form::default(),
            Self::Cloudflare => Form::Members(OBJECT.to_string_lossy().into_owned()),
            Self::External => Form::Functions(PREFIX.to_owned()),
        }
    }
}
