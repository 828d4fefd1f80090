//! What was timed, checked.

use super::TimerCost;
use super::defences::Defences;
use crate::memory::ledger::LedgerReading;

/// Batches or windows that must be left after removal: eight blocks of eight.
pub const LEAST_KEPT: usize = 64;

/// Why no figure can be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EstimateError {
    /// Too few were timed, or are left.
    #[error(
        "{kept} of {timed} batches or windows are left after removal of interrupted ones ({least} or more needed): measure longer, or with shorter ones"
    )]
    TooFew {
        /// How many were timed.
        timed: usize,
        /// How many are left.
        kept: usize,
        /// How many are needed.
        least: usize,
    },
    /// A batch of nothing.
    #[error("batch {index} holds no loads or bytes (1 or more needed)")]
    Empty {
        /// Its place, from 0.
        index: usize,
    },
    /// A batch that ends after the last time that can be told.
    #[error(
        "batch {index} starts at {at_ps} ps and lasts {duration_ps} ps, which is past the end of 64 bits (213 days)"
    )]
    TooLong {
        /// Its place, from 0.
        index: usize,
        /// Its start.
        at_ps: u64,
        /// Its duration.
        duration_ps: u64,
    },
    /// A batch that starts before the one before it: the clock went back, or threads are mixed.
    #[error(
        "batch {index} starts at {at_ps} ps, before the one before it at {before_ps} ps (order of time needed): estimate each thread alone, with a monotonic clock"
    )]
    OutOfOrder {
        /// Its place, from 0.
        index: usize,
        /// Its start.
        at_ps: u64,
        /// The start of the one before it.
        before_ps: u64,
    },
    /// A figure of the timer or the ledger that cannot be.
    #[error("{what} is {value} (0 to {most:e} allowed)")]
    Implausible {
        /// Which figure.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The greatest value allowed.
        most: f64,
    },
    /// The middle batch is no longer than the timer's cost.
    #[error(
        "the middle batch lasts {duration_ps} ps beyond the timer's cost of {cost_ps} ps (more than 0 needed): use longer batches or a finer clock"
    )]
    BelowTimer {
        /// Its duration without the timer's cost.
        duration_ps: f64,
        /// The timer's cost.
        cost_ps: f64,
    },
    /// No thread was given.
    #[error("0 threads were given (1 or more needed)")]
    NoThreads,
}

/// One batch or window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    pub at_ps: u64,
    pub end_ps: u64,
    /// Duration without the timer's cost. Below zero where the clock is coarser than the batch, because clipping there would
    /// shift the middle.
    pub net_ps: f64,
    /// Loads or bytes.
    pub units: f64,
}

impl Timed {
    /// Picoseconds a load or byte.
    pub(super) fn per_unit(&self) -> f64 {
        self.net_ps / self.units
    }
}

/// A stretch between batches in which the driver did something else than to time: it looked at what it had, or brought back
/// what an interruption had displaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriverPause {
    /// Its start, in picoseconds since the start of the run.
    pub at_ps: u64,
    /// Its end.
    pub end_ps: u64,
}

/// What a thread timed, with the timer's cost off.
pub(super) struct CheckedTimings {
    pub timed: Vec<Timed>,
    /// Pauses, in order of time.
    pub own: Vec<DriverPause>,
    /// Loads or bytes in which two thirds of what an interruption displaced come back, where that is known.
    pub refill_units: Option<f64>,
}

impl CheckedTimings {
    /// A run without pauses of which no more is known.
    pub(super) const fn of(timed: Vec<Timed>) -> Self {
        Self {
            timed,
            own: Vec::new(),
            refill_units: None,
        }
    }

    /// Picoseconds of pauses within a stretch.
    pub(super) fn own_ps(&self, from_ps: u64, to_ps: u64) -> u64 {
        let inside = |pause: &DriverPause| {
            let (start, end) = (pause.at_ps.max(from_ps), pause.end_ps.min(to_ps));
            end.saturating_sub(start)
        };
        let sum = |sum: u64, ps: u64| sum.saturating_add(ps);
        self.own.iter().map(inside).fold(0, sum)
    }
}

/// Checks what was timed, given as start, duration and units, and takes the timer's cost off.
pub(super) fn checked(
    given: impl Iterator<Item = (u64, u64, u64)>,
    timer: &TimerCost,
    defences: &Defences,
) -> Result<Vec<Timed>, EstimateError> {
    let cost_ps = if defences.take_off_cost {
        timer.cost_ps
    } else {
        0.0
    };
    let mut timed: Vec<Timed> = Vec::with_capacity(given.size_hint().0);
    for (index, (at_ps, duration_ps, units)) in given.enumerate() {
        if units == 0 {
            return Err(EstimateError::Empty { index });
        }
        let end_ps = at_ps.checked_add(duration_ps);
        let end_ps = end_ps.ok_or(EstimateError::TooLong {
            index,
            at_ps,
            duration_ps,
        })?;
        if let Some(before) = timed.last().filter(|before| before.at_ps > at_ps) {
            let before_ps = before.at_ps;
            return Err(EstimateError::OutOfOrder {
                index,
                at_ps,
                before_ps,
            });
        }
        timed.push(Timed {
            at_ps,
            end_ps,
            net_ps: duration_ps as f64 - cost_ps,
            units: units as f64,
        });
    }
    if timed.len() < LEAST_KEPT {
        return Err(too_few(timed.len(), timed.len()));
    }
    Ok(timed)
}

pub(super) fn too_few(timed: usize, kept: usize) -> EstimateError {
    EstimateError::TooFew {
        timed,
        kept,
        least: LEAST_KEPT,
    }
}

/// A second of timer cost, in picoseconds, is beyond any clock.
const MOST_TIMER_PS: f64 = 1e12;
/// Seconds of a measurement: thirty years.
const MOST_SECONDS: f64 = 1e9;
/// Shares may exceed 1 a little, because the accounts of the system count in ticks.
const MOST_SHARE: f64 = 2.0;
/// A frequency may change by a factor, not by a thousand.
const MOST_CHANGE: f64 = 1e3;

/// Checks the figures that come with what was timed.
pub(super) fn plausible(timer: &TimerCost, ledger: &LedgerReading) -> Result<(), EstimateError> {
    let shares = [
        ("the ledger's steal_share", Some(ledger.steal_share)),
        ("the ledger's cpu_pressure", ledger.cpu_pressure),
        ("the ledger's memory_pressure", ledger.memory_pressure),
        ("the ledger's io_pressure", ledger.io_pressure),
        ("the ledger's other_cpu_share", Some(ledger.other_cpu_share)),
        (
            "the ledger's elsewhere_cpu_share",
            ledger.elsewhere_cpu_share,
        ),
    ];
    let shares = shares.map(|(what, share)| (what, share, MOST_SHARE));
    let others = [
        ("the timer's cost_ps", Some(timer.cost_ps), MOST_TIMER_PS),
        (
            "the timer's quantum_ps",
            Some(timer.quantum_ps),
            MOST_TIMER_PS,
        ),
        (
            "the ledger's elapsed_s",
            Some(ledger.elapsed_s),
            MOST_SECONDS,
        ),
        (
            "the ledger's processor_s",
            Some(ledger.processor_s),
            MOST_SECONDS,
        ),
        (
            "the ledger's clock_change",
            ledger.clock_change,
            MOST_CHANGE,
        ),
    ];
    for (what, value, most) in shares.into_iter().chain(others) {
        if let Some(value) = value.filter(|value| !(0.0..=most).contains(value)) {
            return Err(EstimateError::Implausible { what, value, most });
        }
    }
    Ok(())
}
