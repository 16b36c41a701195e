//! Text as words that compare equal when they mean the same.

/// Words that say nothing about a tool.
const EMPTY: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "given",
    "has", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "need", "of", "on", "or",
    "our", "please", "some", "that", "the", "their", "this", "to", "tool", "tools", "use", "using",
    "want", "was", "we", "what", "when", "which", "will", "with", "you", "your",
];

/// Words of a text: split where letters, digits and case change, in lower case, without endings.
/// Scripts that do not separate words give single characters and pairs.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut previous = Kind::Other;
    let mut wide: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kind = Kind::of(c);
        // `HTMLParser` is `HTML` and `Parser`
        let starts_word = kind == Kind::Upper
            && (previous == Kind::Lower
                || chars.peek().is_some_and(|n| Kind::of(*n) == Kind::Lower));
        let changes = (kind == Kind::Digit) != (previous == Kind::Digit);
        if kind == Kind::Other || kind == Kind::Wide || starts_word || changes {
            finish(&mut word, &mut out);
        }
        match kind {
            Kind::Other => {}
            Kind::Wide => {
                out.push(c.to_string());
                if let Some(before) = wide {
                    out.push([before, c].iter().collect());
                }
            }
            _ => word.extend(c.to_lowercase()),
        }
        wide = (kind == Kind::Wide).then_some(c);
        previous = kind;
    }
    finish(&mut word, &mut out);
    out
}

fn finish(word: &mut String, out: &mut Vec<String>) {
    if !word.is_empty() && !EMPTY.contains(&word.as_str()) && word.len() <= 64 {
        out.push(stem(word));
    }
    word.clear();
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Wide,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '0'..='9' => Self::Digit,
            '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{e00}'..='\u{e7f}' => Self::Wide,
            c if c.is_uppercase() => Self::Upper,
            c if c.is_alphanumeric() => Self::Lower,
            _ => Self::Other,
        }
    }
}

/// English endings off: enough that `issues`, `created` and `searching` find their stems.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let mut stem = word;
    if let Some(base) = stem.strip_suffix("ies").filter(|b| b.len() > 2) {
        return format!("{base}y");
    }
    for (ending, left) in [("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")] {
        if let Some(base) = stem.strip_suffix(ending) {
            return format!("{base}{left}");
        }
    }
    if !["ss", "us", "is"].iter().any(|end| stem.ends_with(end)) {
        stem = stem.strip_suffix('s').unwrap_or(stem);
    }
    for ending in ["ing", "ed"] {
        if let Some(base) = stem.strip_suffix(ending)
            && base.len() > 2
            && base.contains(['a', 'e', 'i', 'o', 'u'])
        {
            stem = base;
            // `listed` is `list`, `planned` is `plan`
            let bytes = stem.as_bytes();
            if let [.., a, b] = bytes
                && a == b
                && !matches!(b, b'l' | b's' | b'z')
            {
                stem = stem.get(..stem.len() - 1).unwrap_or(stem);
            }
            break;
        }
    }
    // `create`, `created` and `creating` end alike
    stem.strip_suffix('e')
        .filter(|b| b.len() > 2)
        .unwrap_or(stem)
        .to_owned()
}
