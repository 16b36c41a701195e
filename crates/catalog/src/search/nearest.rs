//! The name that was meant.

use crate::names::ToolName;

/// Longest name that is compared, in characters.
const MAX_CHARS: usize = 100;

/// Up to three names that could have been meant, closest first.
pub(crate) fn nearest<'a>(names: &'a [ToolName], wanted: &str) -> Vec<&'a str> {
    let candidates = names.iter().map(|name| name.name.as_str());
    closest(candidates, wanted, 3)
}

/// The candidates that a slip could have turned into `wanted`, closest first: other case or
/// separators, a few wrong letters, a missing or additional namespace.
pub(crate) fn closest<'a>(
    candidates: impl Iterator<Item = &'a str>,
    wanted: &str,
    limit: usize,
) -> Vec<&'a str> {
    let folded = fold(wanted);
    let length = folded.chars().count();
    if length == 0 {
        return Vec::new();
    }
    // one letter of two is no slip
    let most = (length / 3).min(6);
    let mut scored: Vec<(usize, usize, &str)> = candidates
        .enumerate()
        .filter_map(|(at, name)| Some((rank(&fold(name), &folded, most)?, at, name)))
        .collect();
    scored.sort_unstable();
    scored
        .into_iter()
        .take(limit)
        .map(|(_, _, name)| name)
        .collect()
}

fn rank(name: &str, wanted: &str, most: usize) -> Option<usize> {
    if name == wanted {
        return Some(0);
    }
    if let Some(steps) = distance(name, wanted, most) {
        return Some(steps * 2);
    }
    let (short, long) = if name.len() < wanted.len() {
        (name, wanted)
    } else {
        (wanted, name)
    };
    let parts = short.chars().count() >= 3;
    if parts && (long.ends_with(short) || long.starts_with(short)) {
        return Some(15);
    }
    (parts && long.contains(short)).then_some(17)
}

/// Letters and digits in lower case.
fn fold(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters
        .flat_map(char::to_lowercase)
        .take(MAX_CHARS)
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours between two words, if at most `most`.
pub(crate) fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        let mut left = i + 1;
        for (j, y) in b.iter().enumerate() {
            let diagonal = last.get(j).copied().unwrap_or(usize::MAX);
            let above = last.get(j + 1).copied().unwrap_or(usize::MAX);
            let mut cell = (diagonal + usize::from(x != y))
                .min(above + 1)
                .min(left + 1);
            let swapped = j > 0 && previous == Some(y) && b.get(j - 1) == Some(x);
            if let (true, Some(base)) = (swapped, before.get(j.wrapping_sub(1))) {
                cell = cell.min(base + 1);
            }
            row.push(cell);
            left = cell;
        }
        if row.iter().all(|cell| *cell > most) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
        previous = Some(x);
    }
    last.last().copied().filter(|steps| *steps <= most)
}
