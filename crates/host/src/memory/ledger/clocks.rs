//! Clocks beside each other: a step of one of them shows in their distances.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Distances of clocks from the monotonic one, with how far they can be wrong, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ClockOffsets {
    /// Of the monotonic clock itself.
    monotonic_ns: i128,
    /// Time of day: moves when it is set.
    realtime_ns: i128,
    /// The oscillator, which nobody disciplines: drifts, by at most 500 ppm.
    raw_ns: i128,
    /// With the time that the machine was suspended.
    boot_ns: i128,
    /// How long reading them took.
    width_ns: i128,
}

/// Steps below this are beneath notice: the kernel slews smaller ones.
const STEP_NS: i128 = 1_000_000;
/// Most that a clock is slewed: `MAXFREQ` of timex.h, 500 ppm; ten per cent more by ticks.
const SLEW: i128 = 500;

impl ClockOffsets {
    /// Reads them, several times when the thread was interrupted between.
    pub(super) fn now() -> Self {
        let all = (0..4).map(|_| Self::once());
        all.min_by_key(|offsets| offsets.width_ns)
            .unwrap_or_default()
    }

    fn once() -> Self {
        let first = nanoseconds(clock_gettime(ClockId::Monotonic));
        let realtime = nanoseconds(clock_gettime(ClockId::Realtime));
        #[cfg(target_os = "linux")]
        let [raw, boot] = [ClockId::MonotonicRaw, ClockId::Boottime]
            .map(|clock| nanoseconds(clock_gettime(clock)));
        #[cfg(not(target_os = "linux"))]
        let [raw, boot] = [first; 2];
        let last = nanoseconds(clock_gettime(ClockId::Monotonic));
        let middle = first + (last - first) / 2;
        Self {
            monotonic_ns: middle,
            realtime_ns: realtime - middle,
            raw_ns: raw - middle,
            boot_ns: boot - middle,
            width_ns: last - first,
        }
    }

    /// Whether one of the clocks was set, or the machine suspended.
    pub(super) fn stepped_since(&self, start: &Self) -> bool {
        let slack = STEP_NS + self.width_ns + start.width_ns;
        let elapsed = self.monotonic_ns - start.monotonic_ns;
        let drift = elapsed.max(0) * SLEW / 1_000_000;
        let moved = |now: i128, before: i128| (now - before).abs();
        moved(self.realtime_ns, start.realtime_ns) > slack
            || moved(self.boot_ns, start.boot_ns) > slack
            || moved(self.raw_ns, start.raw_ns) > slack + drift
    }
}

fn nanoseconds(time: Timespec) -> i128 {
    i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_told_from_drift_and_from_a_slow_reading() {
        let start = ClockOffsets {
            monotonic_ns: 5_000_000_000,
            realtime_ns: 77,
            raw_ns: 9,
            boot_ns: 3,
            width_ns: 200,
        };
        let later = ClockOffsets {
            monotonic_ns: start.monotonic_ns + 60_000_000_000,
            ..start
        };
        assert!(!later.stepped_since(&start));
        let shifted = |realtime: i128, raw: i128, boot: i128, width: i128| {
            let now = ClockOffsets {
                realtime_ns: start.realtime_ns + realtime,
                raw_ns: start.raw_ns + raw,
                boot_ns: start.boot_ns + boot,
                width_ns: width,
                ..later
            };
            now.stepped_since(&start)
        };
        assert!(shifted(2_000_000, 0, 0, 200));
        assert!(shifted(-2_000_000, 0, 0, 200));
        assert!(!shifted(2_000_000, 0, 0, 3_000_000));
        // 500 ppm of a minute are 30 ms.
        assert!(!shifted(0, 29_000_000, 0, 200));
        assert!(shifted(0, 40_000_000, 0, 200));
        assert!(shifted(0, 0, 3_600_000_000_000, 200));
    }

    #[test]
    fn the_clocks_of_a_machine_that_is_left_alone_do_not_step() {
        let start = ClockOffsets::now();
        assert!(!ClockOffsets::now().stepped_since(&start));
    }
}
