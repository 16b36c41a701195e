//! What the kernel says of a process: the backstop of limits that the process keeps itself.

use std::time::Duration;

/// A look at one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) resident_bytes: u64,
    pub(crate) cpu: Duration,
}

/// `None` where there is no such process or no `/proc`.
pub(crate) fn usage(pid: i32) -> Option<Usage> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse(&text, crate::sys::page_bytes())
}

/// The name in parentheses may hold anything; fields are counted from behind it.
fn parse(stat: &str, page_bytes: u64) -> Option<Usage> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    // state is field 3; utime 14, stime 15, rss 24.
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let pages: u64 = fields.nth(8)?.parse().ok()?;
    // The unit of these fields is fixed at 100 a second on every Linux that matters here.
    let cpu = Duration::from_millis(user.saturating_add(system).saturating_mul(10));
    Some(Usage {
        resident_bytes: pages.saturating_mul(page_bytes),
        cpu,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_fields_behind_a_name_that_lies() {
        let stat = "7 (a) R 9 9) S 1 7 7 0 -1 4194560 90 0 0 0 12 34 0 0 20 0 1 0 100 3000000 250 18446744073709551615";
        assert_eq!(
            parse(stat, 65_536),
            Some(Usage {
                resident_bytes: 250 * 65_536,
                cpu: Duration::from_millis(460)
            })
        );
        assert_eq!(parse("garbage", 4096), None);
    }

    #[test]
    fn this_process_has_memory() {
        let own = usage(std::process::id().cast_signed());
        assert!(own.is_some_and(|own| own.resident_bytes > 100_000));
        assert_eq!(usage(0), None);
    }
}
