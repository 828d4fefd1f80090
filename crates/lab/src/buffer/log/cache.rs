//! Durations that no storage device can have: a cache in RAM took the data, and the memory was not asked.
//!
//! Three limits, each of which real memories keep with a margin.
//!
//! 1. No link of a storage device carries more than four lanes of PCIe 6.0.
//! 2. A block device that answers an operating system takes 5 us at least: the Optane P4800X has a median of 9 us for a read
//!    of 4 KiB (AnandTech's review of 2017), and its successor P5800X some 5 us, as remembered.
//! 3. Memories without an operating system, which the recorder and CSV may tell of, can be as fast as their bus. What is as
//!    quick as that has to move no more than the fastest of these buses.
//!
//! A clock with longer steps than 5 us tells nothing of such durations.

use wordline_core::ResultSet;
use wordline_core::quantity::{Time, human};
use wordline_trace::{FASTEST_LINK, LogSummary};

use crate::warning::LabWarning;

/// The median of what a block device takes, as its user in an operating system sees it.
pub(crate) const MEDIAN_MIN: Time = Time::from_ps(5_000_000);

/// Bytes a second of the fastest bus of a memory that keeps its data: MRAM with DDR4-1333 on 16 bits, as remembered.
const FASTEST_BUS: f64 = 2.667e9;

/// Whether a log is of block devices behind an operating system.
fn is_of_system(summary: &LogSummary) -> bool {
    summary.format.starts_with("fio") || summary.format.starts_with("ioping")
}

/// What half of the accesses take at most, from a clock whose steps tell whether it is as short as that.
pub(crate) fn told(median: Time, clock: Time) -> Option<Time> {
    (clock > Time::ZERO && clock < MEDIAN_MIN).then_some(median)
}

/// Warns of durations that are those of a cache, and says whether they are. The median is that of durations which the
/// clock tells, and the rate is bytes a second while accesses are under way.
pub(crate) fn check(
    file: &str,
    summary: &LogSummary,
    median: Option<Time>,
    rate: Option<f64>,
    document: &mut ResultSet,
) -> bool {
    let beyond = |most: f64| rate.filter(|rate| *rate > most);
    if let Some(rate) = beyond(FASTEST_LINK) {
        document.warn(LabWarning::FasterThanLinks {
            file: &file,
            rate: &human(rate, "B/s", 3),
            most: &human(FASTEST_LINK, "B/s", 3),
        });
        return true;
    }
    let Some(median) = median.filter(|median| *median < MEDIAN_MIN) else {
        return false;
    };
    if is_of_system(summary) {
        document.warn(LabWarning::FasterThanStorage {
            file: &file,
            median: &median,
            least: &MEDIAN_MIN,
        });
        return true;
    }
    let Some(rate) = beyond(FASTEST_BUS) else {
        return false;
    };
    document.warn(LabWarning::FasterThanBuses {
        file: &file,
        median: &median,
        rate: &human(rate, "B/s", 3),
        most: &human(FASTEST_BUS, "B/s", 3),
    });
    true
}
