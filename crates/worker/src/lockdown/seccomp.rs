//! The system calls that are left; every other one ends the process.

use super::Missing;
use super::filters::{Entry, OWN_PID, Test};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;
use std::fmt::Display;

/// What a call does that is not on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Ends the process with SIGSYS.
    Kill,
    /// Fails with EPERM: for tests that want to see more than the first one.
    Deny,
}

/// A list, ready for the kernel.
#[derive(Clone)]
pub struct Filter(BpfProgram);

fn missing(error: impl Display) -> Missing {
    Missing {
        protection: "seccomp",
        reason: error.to_string(),
    }
}

impl Filter {
    /// Compiles a list for the architecture of this build. Nothing is in force yet.
    pub fn compile(entries: &[Entry], action: Action) -> Result<Self, Missing> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
        for entry in entries {
            // Without a rule every call with this number is allowed.
            let known = rules.entry(entry.number).or_default();
            if !entry.when.is_empty() {
                known.push(rule(entry).map_err(missing)?);
            }
        }
        let otherwise = match action {
            Action::Kill => SeccompAction::KillProcess,
            Action::Deny => SeccompAction::Errno(libc::EPERM as u32),
        };
        let arch = std::env::consts::ARCH.try_into().map_err(missing)?;
        let filter = SeccompFilter::new(rules, otherwise, SeccompAction::Allow, arch);
        let program = filter.map_err(missing)?.try_into().map_err(missing)?;
        Ok(Self(program))
    }

    /// The same for the process with this id: compiling takes longer than a fork, so it is done once for all of them.
    #[must_use]
    pub fn for_pid(&self, pid: i32) -> Self {
        let mut program = self.0.clone();
        for instruction in &mut program {
            if instruction.k == OWN_PID {
                instruction.k = pid.cast_unsigned();
            }
        }
        Self(program)
    }

    /// In force from here on, for good.
    pub fn install(&self) -> Result<(), Missing> {
        seccompiler::apply_filter(&self.0).map_err(missing)
    }
}

fn rule(entry: &Entry) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = entry.when.iter().map(|test| {
        let (argument, operator, value) = match *test {
            Test::Is(argument, value) => (argument, SeccompCmpOp::Eq, value),
            Test::Bits(argument, mask, value) => {
                (argument, SeccompCmpOp::MaskedEq(u64::from(mask)), value)
            }
        };
        SeccompCondition::new(
            argument,
            SeccompCmpArgLen::Dword,
            operator,
            u64::from(value),
        )
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}
