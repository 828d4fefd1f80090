//! Durations that no storage device can have: a cache in RAM took the data, and the memory was not asked.
//!
//! Two limits, each of which real storage keeps with a margin. A block device that answers an operating system takes 5 us at
//! least: the Optane P4800X has a median of 9 us for a read of 4 KiB (AnandTech's review of 2017), and its successor
//! P5800X some 5 us, as remembered. And no link of a storage device carries more than four lanes of PCIe 6.0. Memories without an operating
//! system, which the recorder and CSV may tell of, can be as fast as their bus: of these only the second is asked.

use wordline_core::ResultSet;
use wordline_core::quantity::{Time, human};
use wordline_trace::{FASTEST_LINK, LogSummary};

use crate::warning::LabWarning;

/// The median of what a block device takes, as its user in an operating system sees it.
const MEDIAN_MIN: Time = Time::from_ps(5_000_000);

/// Whether a log is of block devices behind an operating system.
fn is_of_system(summary: &LogSummary) -> bool {
    summary.format.starts_with("fio") || summary.format.starts_with("ioping")
}

/// Warns of durations that are those of a cache, and says whether they are. The rate is bytes a second while accesses are
/// under way.
pub(crate) fn check(
    file: &str,
    summary: &LogSummary,
    median: Time,
    rate: Option<f64>,
    document: &mut ResultSet,
) -> bool {
    if let Some(rate) = rate.filter(|rate| *rate > FASTEST_LINK) {
        document.warn(LabWarning::FasterThanLinks {
            file: &file,
            rate: &human(rate, "B/s", 3),
            most: &human(FASTEST_LINK, "B/s", 3),
        });
        true
    } else if is_of_system(summary) && median < MEDIAN_MIN {
        document.warn(LabWarning::FasterThanStorage {
            file: &file,
            median: &median,
            least: &MEDIAN_MIN,
        });
        true
    } else {
        false
    }
}
