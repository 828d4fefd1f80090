//! The longest totals of writes in a row to the real-time layer, by closed formula.

use wordline_core::quantity::{Quantity as _, Time};
use wordline_rtfs::{PacedBound, PacedCounts};

use crate::error::NvmError;
use crate::paced_times::PacedTimes;

/// Writes in a row that are looked at, at least.
const CALLS_MIN: u64 = 64;

/// The most writes in a row that are looked at, where a layer so full that its blocks take hardly a page asks for more.
const CALLS_MAX: u64 = 4096;

/// The longest totals of writes in a row: no order of writes takes longer.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteTotals {
    /// Of 1, 2, … writes, as many as decide the RAM at every rate that is proven.
    pub times: Vec<Time>,
    /// Writes a second that no order of them gets below.
    pub rate: f64,
}

impl PacedTimes {
    /// The longest totals of calls that each write a group of so many pages, and read so many beside.
    ///
    /// A total is at most as many single bounds, and at most what the layer proves of a run. The latter grows by the
    /// same for each period of calls, in which whole blocks are filled; so from where it is the smaller of the two for a whole
    /// period, longer runs add nothing to the backlog at the proven rate.
    ///
    /// # Errors
    /// When a total exceeds what simulated time can hold.
    pub fn write_totals(
        &self,
        bound: &PacedBound,
        pages: u64,
        reads: u64,
    ) -> Result<WriteTotals, NvmError> {
        let beside = PacedCounts {
            reads,
            ..PacedCounts::default()
        };
        let single = self.time(&(self.longest_write(bound, pages) + beside))?;
        let user_pages = u64::from(bound.user_pages);
        let calls_of_block = user_pages as f64 / pages as f64;
        let block =
            self.time(&bound.block_counts(pages))?.si() + calls_of_block * self.time(&beside)?.si();
        let (of_single, of_blocks) = (1.0 / single.si(), calls_of_block / block);
        // The segments of a run take all the steps of two blocks from here on.
        let settled = 2 * bound.block_steps() / u64::from(bound.steps_per_page) + 2 * user_pages;
        let least = (settled / pages + 2 * user_pages).max(CALLS_MIN);
        let (mut times, mut period) = (Vec::<Time>::new(), 0);
        let mut is_settled = false;
        for calls in 1..=CALLS_MAX {
            let run = self.time(&(self.longest_run(bound, calls, pages) + beside * calls))?;
            let singles = single.ps().saturating_mul(calls);
            period = if run.ps() <= singles { period + 1 } else { 0 };
            let mut total = run.ps().min(singles);
            // A run is two shorter ones, wherever it is cut.
            for (one, other) in times.iter().zip(times.iter().rev()) {
                total = total.min(one.ps() + other.ps());
            }
            times.push(Time::from_ps(total));
            is_settled = period >= user_pages || of_single >= of_blocks;
            if is_settled && calls >= least {
                break;
            }
        }
        let looked_at = times
            .last()
            .map_or(0.0, |last| times.len() as f64 / last.si());
        let of_blocks = if is_settled { of_blocks } else { looked_at };
        Ok(WriteTotals {
            times,
            rate: of_single.max(of_blocks),
        })
    }
}
