//! Times from start to start, where a log's durations leave something out.

use wordline_core::quantity::Time;
use wordline_trace::LoggedAccess;

/// Turns accesses into the time from each start to the next.
#[derive(Default)]
pub(super) struct Starts {
    /// Start of the access before, in picoseconds, and what it moved.
    last: Option<(i128, u64)>,
    last_duration: Time,
}

impl Starts {
    /// The access before and the time until this one began; `None` for the first. A start that lies
    /// before the one in front of it, as rounded times have it, is moved to it.
    pub(super) fn next(&mut self, end: Time, access: &LoggedAccess) -> Option<(Time, u64)> {
        let start = i128::from(end.ps()) - i128::from(access.duration.ps());
        self.last_duration = access.duration;
        let Some((last, bytes)) = self.last else {
            self.last = Some((start, access.bytes));
            return None;
        };
        let start = start.max(last);
        self.last = Some((start, access.bytes));
        let interval = u64::try_from(start - last).unwrap_or(u64::MAX);
        Some((Time::from_ps(interval), bytes))
    }

    /// The last access, of which only the duration is known.
    pub(super) fn end(self) -> Option<(Time, u64)> {
        self.last.map(|(_, bytes)| (self.last_duration, bytes))
    }
}
