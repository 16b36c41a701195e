//! No file system and no TCP at all: every right that the kernel knows is handled, and none is given.

use super::Missing;
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetError, RulesetStatus, Scope,
};

const FILES: &str = "landlock-files";

/// What is in force beyond the file system: TCP from ABI 4 on, signals and abstract sockets from ABI 6 on.
pub(super) fn restrict() -> Result<Vec<&'static str>, Missing> {
    let missing = |reason: String| Missing {
        protection: FILES,
        reason,
    };
    let status = ruleset().map_err(|error| missing(error.to_string()))?;
    let LandlockStatus::Available { effective_abi, .. } = status.landlock else {
        return Err(missing(
            "the kernel has no Landlock, or it is turned off (needs Linux 5.13 and `landlock` among the LSMs)".into(),
        ));
    };
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(missing("the kernel did not enforce the rule set".into()));
    }
    let mut more = Vec::new();
    if effective_abi >= ABI::V4 {
        more.push("landlock-tcp");
    }
    if effective_abi >= ABI::V6 {
        more.push("landlock-scope");
    }
    Ok(more)
}

fn ruleset() -> Result<landlock::RestrictionStatus, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V6))?
        .handle_access(AccessNet::from_all(ABI::V6))?
        .scope(Scope::from_all(ABI::V6))?
        .create()?
        .restrict_self()
}
