//! What a word means to the scan.

/// Begins a statement and stands nowhere inside an expression.
pub(super) fn begins_statement(word: &str) -> bool {
    matches!(
        word,
        "const" | "var" | "return" | "throw" | "try" | "switch" | "break" | "continue"
    )
}

/// Nests a statement without a bracket.
pub(super) fn nests_statement(word: &str) -> bool {
    matches!(word, "if" | "else" | "for" | "while" | "do" | "with")
}

/// Its parentheses hold a condition, not arguments.
pub(super) fn takes_condition(word: &str) -> bool {
    matches!(word, "if" | "for" | "while" | "with")
}

/// Needs something behind it: an operand, a name, a type or a body.
pub(super) fn is_prefix(word: &str) -> bool {
    is_operator(word)
        || matches!(
            word,
            "new"
                | "typeof"
                | "void"
                | "delete"
                | "await"
                | "yield"
                | "async"
                | "keyof"
                | "infer"
                | "unique"
                | "readonly"
                | "asserts"
                | "abstract"
                | "extends"
                | "implements"
                | "case"
                | "else"
                | "do"
                | "default"
                | "export"
                | "import"
                | "class"
                | "function"
                | "enum"
                | "return"
                | "throw"
                | "let"
                | "const"
                | "var"
                | "get"
                | "set"
                | "static"
                | "type"
                | "interface"
                | "declare"
                | "namespace"
                | "module"
                | "public"
                | "private"
                | "protected"
                | "override"
                | "accessor"
                | "using"
                | "from"
        )
}

/// Goes on with the expression, the type or the statement before it.
pub(super) fn continues(word: &str) -> bool {
    is_operator(word)
        || matches!(
            word,
            "extends" | "implements" | "else" | "while" | "catch" | "finally" | "from" | "if"
        )
}

fn is_operator(word: &str) -> bool {
    matches!(word, "in" | "instanceof" | "as" | "satisfies" | "of" | "is")
}

/// Certainly one name to every reader.
pub(super) fn is_plain(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
}

/// What a `/` behind a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slash {
    Division,
    Regex,
    /// Depends on what only a parser knows.
    Unsure,
}

pub(super) fn slash_after(word: &str) -> Slash {
    match word {
        "return" | "typeof" | "instanceof" | "in" | "new" | "delete" | "throw" | "case" | "do"
        | "else" | "default" | "extends" => Slash::Regex,
        "await" | "yield" | "of" | "void" | "let" | "async" | "static" | "get" | "set" | "as"
        | "satisfies" | "is" | "keyof" | "infer" | "readonly" | "if" | "for" | "while" | "with" => {
            Slash::Unsure
        }
        _ if is_plain(word) => Slash::Division,
        _ => Slash::Unsure,
    }
}
