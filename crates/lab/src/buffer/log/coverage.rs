//! How much of its time a log accounts for.

use wordline_core::quantity::Time;
use wordline_trace::LoggedAccess;

/// A log that lasts fewer steps of its own clock says nothing about its coverage.
const STEPS_MIN: f64 = 10.0;

/// How long the accesses took together, and the time in which they did.
#[derive(Default)]
pub(crate) struct Coverage {
    pub(super) busy_ps: u128,
    first_start_ps: Option<i128>,
    last_end_ps: Option<i128>,
    /// Whether an access has no end.
    unknown: bool,
    /// Accesses of another operation, which do not count, and how long they took together.
    others: (u64, u128),
}

impl Coverage {
    pub(crate) fn add(&mut self, access: &LoggedAccess) {
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

    /// An access of another operation.
    pub(super) fn add_other(&mut self, access: &LoggedAccess) {
        self.others.0 += 1;
        self.others.1 += u128::from(access.duration.ps());
    }

    /// How many accesses were of another operation, and which share of the time they took; `None` where there are none or
    /// the time is not known.
    pub(super) fn others(&self) -> Option<(u64, f64)> {
        let (count, busy_ps) = self.others;
        let elapsed = self.elapsed_ps().filter(|elapsed| *elapsed > 0)?;
        (count > 0).then(|| (count, busy_ps as f64 / elapsed as f64))
    }

    /// The time that passed, in picoseconds; `None` where the log does not show it.
    pub(super) fn elapsed_ps(&self) -> Option<u128> {
        if self.unknown {
            return None;
        }
        let (first, last) = (self.first_start_ps?, self.last_end_ps?);
        u128::try_from(last - first).ok()
    }

    /// Least and highest share of the time that the accesses can have taken, given the steps in which the
    /// log records times; `None` where the log is so short, or its times so coarse, that they lie far apart.
    pub(crate) fn shares(&self, resolution: Option<Time>) -> Option<(f64, f64)> {
        shares((self.busy_ps, self.busy_ps), self.elapsed_ps()?, resolution)
    }
}

/// Least and highest share of the time that accesses of so many picoseconds, least and most, can have taken.
pub(super) fn shares(
    (least, most): (u128, u128),
    elapsed_ps: u128,
    resolution: Option<Time>,
) -> Option<(f64, f64)> {
    let elapsed = elapsed_ps as f64;
    let step = resolution.map_or(0.0, |step| step.ps() as f64);
    if elapsed <= STEPS_MIN * step || elapsed <= 0.0 {
        return None;
    }
    Some((
        least as f64 / (elapsed + step),
        most as f64 / (elapsed - step),
    ))
}
