//! Exit codes.

use std::process::ExitCode;

/// How a command ended, as its exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// 0: everything was done.
    Done,
    /// 1: it ran, but a check failed.
    CheckFailed,
    /// 2: it could not run.
    CouldNotRun,
    /// 130: interrupted, or its time was up before anything was finished; what was finished has been printed.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Done => 0,
            Outcome::CheckFailed => 1,
            Outcome::CouldNotRun => 2,
            Outcome::Interrupted => 130,
        })
    }
}
