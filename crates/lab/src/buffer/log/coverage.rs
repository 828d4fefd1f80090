//! How much of its time a log accounts for.

use wordline_core::quantity::Time;
use wordline_trace::LoggedAccess;

/// How long the accesses took together, and the time in which they did.
#[derive(Default)]
pub(super) struct Coverage {
    pub(super) busy_ps: u128,
    first_start_ps: Option<i128>,
    last_end_ps: Option<i128>,
    /// Whether an access tells no end.
    unknown: bool,
}

impl Coverage {
    pub(super) fn add(&mut self, access: &LoggedAccess) {
        self.busy_ps += u128::from(access.duration.ps());
        let Some(end) = access.end else {
            self.unknown = true;
            return;
        };
        let end = i128::from(end.ps());
        let start = end - i128::from(access.duration.ps());
        self.first_start_ps = Some(self.first_start_ps.map_or(start, |first| first.min(start)));
        self.last_end_ps = Some(self.last_end_ps.map_or(end, |last| last.max(end)));
    }

    /// The time that passed, in picoseconds; `None` where the log does not tell.
    pub(super) fn elapsed_ps(&self) -> Option<u128> {
        if self.unknown {
            return None;
        }
        let (first, last) = (self.first_start_ps?, self.last_end_ps?);
        u128::try_from(last - first).ok()
    }

    /// Least and highest share of the time that the accesses can have taken, given the steps in which the
    /// log tells times.
    pub(super) fn shares(&self, resolution: Option<Time>) -> Option<(f64, f64)> {
        let elapsed = self.elapsed_ps()? as f64;
        let step = resolution.map_or(0.0, |step| step.ps() as f64);
        let busy = self.busy_ps as f64;
        let least = busy / (elapsed + step).max(1.0);
        let most = if elapsed > step {
            busy / (elapsed - step)
        } else {
            f64::INFINITY
        };
        Some((least, most))
    }
}
