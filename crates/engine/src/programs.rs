//! Programs that were compiled before. The same text comes again in test suites, in retries, on schedules; making it
//! ready costs more than running it. What is kept is text and bytecode, which no guest can reach or change.

use crate::message::Program;
use crate::sync::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Programs kept at one time; of others the one that was not used for the longest time gives way.
const MAX_KEPT: usize = 64;
/// A longer text or more bytecode is not kept.
const MAX_BYTES: usize = 64 << 10;

/// A program ready to start.
#[derive(Clone)]
pub(crate) struct Ready {
    pub(crate) program: Arc<Program>,
    pub(crate) bytecode: Arc<[u8]>,
}

#[derive(Default)]
pub(crate) struct Programs(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// With the time of the last use.
    programs: HashMap<Box<str>, (u64, Ready)>,
    clock: u64,
}

impl Programs {
    pub(crate) fn get(&self, key: &str) -> Option<Ready> {
        let mut kept = lock(&self.0);
        kept.clock += 1;
        let now = kept.clock;
        let (used, ready) = kept.programs.get_mut(key)?;
        *used = now;
        Some(ready.clone())
    }

    pub(crate) fn put(&self, key: Box<str>, ready: Ready) {
        if key.len() + ready.program.text.len() + ready.bytecode.len() > MAX_BYTES {
            return;
        }
        let mut kept = lock(&self.0);
        let now = kept.clock;
        if kept.programs.len() >= MAX_KEPT {
            let oldest = kept.programs.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                kept.programs.remove(&key);
            }
        }
        kept.programs.insert(key, (now, ready));
    }

    pub(crate) fn clear(&self) {
        let programs = std::mem::take(&mut *lock(&self.0));
        drop(programs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(bytes: usize) -> Ready {
        Ready {
            program: Arc::new(Program {
                text: String::new(),
                first_line: 1,
                original: Box::new(|line, column| (line, column)),
                notes: Vec::new(),
            }),
            bytecode: vec![0; bytes].into(),
        }
    }

    #[test]
    fn the_one_not_used_for_the_longest_time_gives_way() {
        let programs = Programs::default();
        for number in 0..MAX_KEPT {
            programs.put(number.to_string().into(), ready(1));
            // Used in the order in which they came.
            assert!(programs.get(&number.to_string()).is_some());
        }
        assert!(programs.get("0").is_some());
        programs.put("new".into(), ready(1));
        assert!(programs.get("0").is_some());
        assert!(programs.get("1").is_none());
        assert!(programs.get("new").is_some());
        assert_eq!(lock(&programs.0).programs.len(), MAX_KEPT);
        programs.clear();
        assert!(programs.get("new").is_none());
    }

    #[test]
    fn a_large_one_is_not_kept() {
        let programs = Programs::default();
        programs.put("a".into(), ready(MAX_BYTES - 1));
        programs.put("b".into(), ready(MAX_BYTES));
        assert!(programs.get("a").is_some());
        assert!(programs.get("b").is_none());
    }
}
