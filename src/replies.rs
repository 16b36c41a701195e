//! Replies of the host, as one text for many.

use codemode_engine::Reply;

/// One line for each: `<id>+<json>` or `<id>-<json string>`. Lines of another form are left out.
pub(crate) fn read(replies: &str) -> Vec<Reply> {
    replies.lines().filter_map(reply).collect()
}

fn reply(line: &str) -> Option<Reply> {
    let mark = line.find(|c: char| !c.is_ascii_digit())?;
    let (id, rest) = line.split_at_checked(mark)?;
    let id = id.parse().ok()?;
    let outcome = match rest.split_at_checked(1)? {
        ("+", json) => Ok(json.to_owned()),
        ("-", json) => Err(json.to_owned()),
        _ => return None,
    };
    Some(Reply { id, outcome })
}
