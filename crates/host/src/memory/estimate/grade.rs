//! How far a figure can be trusted, and why no further.
//!
//! | reason | what it compares | B from | C from | refused from |
//! |---|---|---|---|---|
//! | few batches | batches left | < 1024 | < 256 | < 64 (an error) |
//! | wide interval | interval ÷ median | 5 % | 20 % | 50 % |
//! | coarse timer | timer's step ÷ middle batch | 1 % | 10 % | 50 % |
//! | costly timer | timer's cost ÷ middle batch | 10 % | 50 % | twice the batch |
//! | interrupted | batches interrupted and removed ÷ all | 1 % | 10 % | 50 % |
//! | cold | batches removed after interruptions ÷ all; what was taken off ÷ median | 10 %; any | 50 %; 10 % | never |
//! | core contention | time without the core, or others' time on it | 2 % | 50 % | never |
//! | stolen | time that the hypervisor took | 1 % | 20 % | never |
//! | unexplained loss | time lost beyond what the batches show | never | never | half of a loss ≥ 20 % |
//! | memory contention | median above p5 at equal age, quartiles apart | never | 25 % (15 % beside others elsewhere) | median ≥ 2 × p5 |
//! | unexplained spread | the same, with nobody else at work | never | 25 % | median ≥ 2 × p5 |
//! | drift | second half against first | 3 % | 10 % | 50 % |
//! | clock change | core's frequency | 2 % | 10 % | never |
//! | clock stepped | the clock of the day | never | once | never |
//! | migrated | moves to another core | once | never | never |
//! | faults | pages read from a disk, or mapped | mapped ≥ 1 % of batches | read once | never |
//! | apart | time in which all threads ran | < 90 % | < 50 % | bounds 2 times apart |
//! | no ledger | nothing read | always | never | never |
//!
//! A: no reason. Losing the core does not refuse, because what is left was measured on it; its share shows in the grade.

use std::fmt;

use super::defences::Defences;
use super::interruption::lost_share_of;
use super::shape::TimingShape;
use crate::memory::ledger::LedgerReading;

/// How far a figure can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// No doubt found: comparable with other runs of grade A.
    A,
    /// Good within its interval; a reason for caution is named.
    B,
    /// An order of magnitude: the machine was disturbed in ways that do not come off.
    C,
    /// Not to be quoted.
    Refused,
}

impl Grade {
    /// The worst of the reasons' grades; A without reasons.
    #[must_use]
    pub fn of(reasons: &[GradeReason]) -> Self {
        reasons
            .iter()
            .map(GradeReason::grade)
            .max()
            .unwrap_or(Self::A)
    }

    /// `A`, `B`, `C` or `refused`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::Refused => "refused",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a figure has less than grade A. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GradeReason {
    /// Few batches are left.
    FewBatches {
        /// How many.
        kept: usize,
    },
    /// The interval is wide.
    WideInterval {
        /// Its width as a share of the median.
        share: f64,
    },
    /// The clock counts in long steps.
    CoarseTimer {
        /// A step as a share of the middle batch.
        share: f64,
    },
    /// Reading the clock takes long.
    CostlyTimer {
        /// Its cost as a share of the middle batch.
        share: f64,
    },
    /// Batches were interrupted, and removed.
    Interrupted {
        /// Removed ones as a share of all.
        share: f64,
    },
    /// Batches refilled caches after an interruption, and were removed or corrected.
    Cold {
        /// Removed ones as a share of all.
        share: f64,
        /// What was taken off the others, as a share of the median.
        corrected: f64,
        /// Whether no stretch between interruptions was long enough to show how far the refill goes.
        is_bound: bool,
    },
    /// Other programs had the core.
    CoreContention {
        /// Share of the time.
        share: f64,
    },
    /// Other guests of the hypervisor had the core.
    Stolen {
        /// Share of the time.
        share: f64,
    },
    /// The core was lost for longer than interruptions of batches show: batches are too long to remove them.
    UnexplainedLoss {
        /// Share of the time without the core.
        lost: f64,
        /// Share of the time that interrupted batches account for.
        found: f64,
    },
    /// Others load the memory. The figures are real, and not those of a quiet machine; p5 is the nearest to them.
    MemoryContention {
        /// The median above p5, as a share of p5.
        rise: f64,
        /// The upper quartile above the lower one, as a share of p5.
        spread: f64,
        /// Whether the ledger shows others at work elsewhere as well.
        others_at_work: bool,
    },
    /// Batches differ as they do beside others that load the memory, and nobody else is at work.
    UnexplainedSpread {
        /// The median above p5, as a share of p5.
        rise: f64,
        /// The upper quartile above the lower one, as a share of p5.
        spread: f64,
    },
    /// The figure moved while it was measured.
    Drift {
        /// The second half's median against the first half's, less 1.
        change: f64,
    },
    /// The core's frequency moved.
    ClockChange {
        /// Greatest relative change.
        change: f64,
    },
    /// The clock of the day was set.
    ClockStepped,
    /// The thread moved between cores.
    Migrated {
        /// How often.
        times: u64,
    },
    /// Pages were mapped or read.
    Faults {
        /// Pages read from a disk.
        major: u64,
        /// Pages mapped, as a share of batches.
        minor_share: f64,
    },
    /// Threads ran together for a part of the time.
    Apart {
        /// Share of the time in which all of them ran.
        overlap: f64,
        /// Upper bound of the total, divided by the lower one; 1 where the total was measured.
        bounds: f64,
    },
    /// Nothing is known of what the machine did.
    NoLedger,
}

/// From which value on a reason has grade B, C and refusal.
struct GradeLimits(f64, f64, f64);

const NEVER: f64 = f64::INFINITY;
const FEW_BATCHES: (usize, usize) = (1024, 256);
/// What two runs of a quiet machine differ by is 2 to 3 %: an interval above 5 % hides differences that users look for.
const WIDE_INTERVAL: GradeLimits = GradeLimits(0.05, 0.20, 0.50);
/// The interval has the step in it; beyond 10 % it says little else.
const COARSE_TIMER: GradeLimits = GradeLimits(0.01, 0.10, 0.50);
/// The cost is known within a tenth, so it leaves 1 %, 5 % and 20 % in doubt.
const COSTLY_TIMER: GradeLimits = GradeLimits(0.10, 0.50, 2.0);
/// The fence for interruptions holds up to a quarter of the batches; half of them leaves no choice.
const INTERRUPTED: GradeLimits = GradeLimits(0.01, 0.10, 0.50);
/// What is removed is slow for a known reason, but what is left of a half is a choice.
const COLD: GradeLimits = GradeLimits(0.10, 0.50, NEVER);
/// A correction rests on a shape; from a tenth on it decides the figure.
const CORRECTED: GradeLimits = GradeLimits(f64::MIN_POSITIVE, 0.10, NEVER);
/// A quiet machine has ticks and daemons below 2 %; from half on, caches and clocks belong to others.
const CORE_CONTENTION: GradeLimits = GradeLimits(0.02, 0.50, NEVER);
/// As above, but its other guests also load the memory, unseen.
const STOLEN: GradeLimits = GradeLimits(0.01, 0.20, NEVER);
/// Least loss that the batches must account for, and the share of it.
const UNEXPLAINED_LOSS: (f64, f64) = (0.20, 0.5);
/// A median of twice p5 is a figure of the rivals.
const MEMORY_CONTENTION: GradeLimits = GradeLimits(0.0, 0.0, 1.0);
/// Repeats of a quiet machine stay within 3 %.
const DRIFT: GradeLimits = GradeLimits(0.03, 0.10, 0.50);
/// The on-chip third of a latency follows the core's frequency: 10 % of it is 3 %.
const CLOCK_CHANGE: GradeLimits = GradeLimits(0.02, 0.10, NEVER);
const MINOR_FAULTS: GradeLimits = GradeLimits(0.01, NEVER, NEVER);
const APART: (f64, f64, f64) = (0.90, 0.50, 2.0);

impl GradeLimits {
    fn grade(&self, value: f64) -> Grade {
        match value {
            value if value >= self.2 => Grade::Refused,
            value if value >= self.1 => Grade::C,
            value if value >= self.0 => Grade::B,
            _ => Grade::A,
        }
    }
}

impl GradeReason {
    /// The best grade that a figure with this reason can have.
    #[must_use]
    pub fn grade(&self) -> Grade {
        match self {
            Self::FewBatches { kept } if *kept < FEW_BATCHES.1 => Grade::C,
            Self::FewBatches { kept } if *kept < FEW_BATCHES.0 => Grade::B,
            Self::FewBatches { .. } => Grade::A,
            Self::WideInterval { share } => WIDE_INTERVAL.grade(*share),
            Self::CoarseTimer { share } => COARSE_TIMER.grade(*share),
            Self::CostlyTimer { share } => COSTLY_TIMER.grade(*share),
            Self::Interrupted { share } => INTERRUPTED.grade(*share),
            Self::Cold { is_bound: true, .. } => Grade::C,
            Self::Cold {
                share, corrected, ..
            } => COLD.grade(*share).max(CORRECTED.grade(*corrected)),
            Self::CoreContention { share } => CORE_CONTENTION.grade(*share),
            Self::Stolen { share } => STOLEN.grade(*share),
            Self::UnexplainedLoss { lost, found } => {
                let unexplained = *lost >= UNEXPLAINED_LOSS.0 && *found < lost * UNEXPLAINED_LOSS.1;
                if unexplained {
                    Grade::Refused
                } else {
                    Grade::A
                }
            }
            Self::MemoryContention { rise, .. } | Self::UnexplainedSpread { rise, .. } => {
                MEMORY_CONTENTION.grade(rise.max(0.0))
            }
            Self::Drift { change } => DRIFT.grade(change.abs()),
            Self::ClockChange { change } => CLOCK_CHANGE.grade(*change),
            Self::ClockStepped => Grade::C,
            Self::Migrated { times: 0 } => Grade::A,
            Self::Faults { major: 1.., .. } => Grade::C,
            Self::Faults { minor_share, .. } => MINOR_FAULTS.grade(*minor_share),
            Self::Apart { bounds, .. } if *bounds >= APART.2 => Grade::Refused,
            Self::Apart { overlap, .. } if *overlap < APART.1 => Grade::C,
            Self::Apart { overlap, .. } if *overlap < APART.0 => Grade::B,
            Self::Apart { .. } => Grade::A,
            Self::Migrated { .. } | Self::NoLedger => Grade::B,
        }
    }

    /// The reason as one word, for files and tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::FewBatches { .. } => "few_batches",
            Self::WideInterval { .. } => "wide_interval",
            Self::CoarseTimer { .. } => "coarse_timer",
            Self::CostlyTimer { .. } => "costly_timer",
            Self::Interrupted { .. } => "interrupted",
            Self::Cold { .. } => "cold",
            Self::CoreContention { .. } => "core_contention",
            Self::Stolen { .. } => "stolen",
            Self::UnexplainedLoss { .. } => "unexplained_loss",
            Self::MemoryContention { .. } => "memory_contention",
            Self::UnexplainedSpread { .. } => "unexplained_spread",
            Self::Drift { .. } => "drift",
            Self::ClockChange { .. } => "clock_change",
            Self::ClockStepped => "clock_stepped",
            Self::Migrated { .. } => "migrated",
            Self::Faults { .. } => "faults",
            Self::Apart { .. } => "apart",
            Self::NoLedger => "no_ledger",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self {
            Self::FewBatches { .. } | Self::WideInterval { .. } => "measure longer",
            Self::CoarseTimer { .. } | Self::CostlyTimer { .. } => {
                "select the clock source tsc in /sys/devices/system/clocksource, or use longer batches"
            }
            Self::Interrupted { .. }
            | Self::Cold { .. }
            | Self::CoreContention { .. }
            | Self::Apart { .. } => "stop other programs, or measure on cores that they do not use",
            Self::Stolen { .. } => "measure on a machine without other guests",
            Self::UnexplainedLoss { .. } => "use shorter batches or windows",
            Self::MemoryContention { .. } => "stop programs that load the memory, or quote p5",
            Self::UnexplainedSpread { .. } => {
                "look for devices that load the memory and for a core whose frequency changes, or quote p5"
            }
            Self::Drift { .. } | Self::ClockChange { .. } => {
                "warm up first, and fix the core's frequency (governor performance)"
            }
            Self::ClockStepped => "stop time synchronisation during the measurement, and repeat",
            Self::Migrated { .. } => "pin the thread",
            Self::Faults { .. } => "map and touch all memory before timing, and leave some free",
            Self::NoLedger => "measure where /proc can be read",
        }
    }

    /// What the timing, the removal and the ledger say.
    pub(super) fn of_run(
        shape: &TimingShape,
        step: f64,
        cost: f64,
        ledger: &LedgerReading,
        defences: &Defences,
    ) -> Vec<Self> {
        let kept = shape.kept;
        let of_all = |count: usize| count as f64 / shape.timed as f64;
        let mut all = vec![
            Self::FewBatches { kept },
            Self::WideInterval {
                share: (shape.high - shape.low) / shape.median,
            },
            Self::CoarseTimer { share: step },
            Self::CostlyTimer { share: cost },
            Self::Interrupted {
                share: of_all(shape.hit),
            },
            Self::Cold {
                share: of_all(shape.cold),
                corrected: shape.corrected,
                is_bound: shape.is_bound,
            },
            Self::Stolen {
                share: ledger.steal_share,
            },
            Self::ClockChange {
                change: ledger.clock_change.unwrap_or(0.0),
            },
            Self::Migrated {
                times: ledger.migrations,
            },
            Self::Faults {
                major: ledger.major_faults,
                minor_share: ledger.minor_faults as f64 / shape.timed as f64,
            },
            Self::CoreContention {
                share: lost_share_of(ledger)
                    .unwrap_or(0.0)
                    .max(ledger.other_cpu_share),
            },
        ];
        if ledger.clock_stepped {
            all.push(Self::ClockStepped);
        }
        match lost_share_of(ledger) {
            Some(lost) if defences.explain_loss => all.push(Self::UnexplainedLoss {
                lost,
                found: shape.lost_share,
            }),
            Some(_) => {}
            None => all.push(Self::NoLedger),
        }
        all.retain(|reason| reason.grade() > Grade::A);
        all
    }

    /// Drift, where it is beyond what two runs differ by and beyond the timer's step.
    pub(super) fn drift(change: f64, step: f64) -> Option<Self> {
        let reason = Self::Drift { change };
        (reason.grade() > Grade::A && change.abs() > step).then_some(reason)
    }
}

impl fmt::Display for GradeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| format!("{:.1} %", share * 100.0);
        match self {
            Self::FewBatches { kept } => {
                write!(
                    f,
                    "{kept} batches are left ({} or more for grade A)",
                    FEW_BATCHES.0
                )
            }
            Self::WideInterval { share } => {
                write!(
                    f,
                    "the 95 % interval is {} of the median wide",
                    percent(share)
                )
            }
            Self::CoarseTimer { share } => {
                write!(
                    f,
                    "the clock counts in steps of {} of a batch",
                    percent(share)
                )
            }
            Self::CostlyTimer { share } => {
                write!(f, "reading the clock takes {} of a batch", percent(share))
            }
            Self::Interrupted { share } => {
                write!(
                    f,
                    "{} of the batches were interrupted, and removed",
                    percent(share)
                )
            }
            Self::Cold {
                share,
                corrected,
                is_bound,
            } => {
                write!(
                    f,
                    "{} of the batches refilled caches after an interruption, and were removed",
                    percent(share)
                )?;
                if *corrected > 0.0 {
                    write!(f, "; {} were taken off the others", percent(corrected))?;
                }
                if *is_bound {
                    f.write_str("; no stretch was long enough to show the end of it")?;
                }
                Ok(())
            }
            Self::CoreContention { share } => {
                write!(
                    f,
                    "other programs had the core for {} of the time",
                    percent(share)
                )
            }
            Self::Stolen { share } => {
                write!(
                    f,
                    "other guests had the core for {} of the time",
                    percent(share)
                )
            }
            Self::UnexplainedLoss { lost, found } => write!(
                f,
                "the core was lost for {} of the time, and interrupted batches account for {}",
                percent(lost),
                percent(found)
            ),
            Self::MemoryContention {
                rise,
                spread,
                others_at_work,
            } => write!(
                f,
                "others load the memory: the median lies {} above p5, the quartiles {} apart{}",
                percent(rise),
                percent(spread),
                if *others_at_work {
                    ", and the system shows them at work on other processors"
                } else {
                    ""
                }
            ),
            Self::Drift { change } => write!(
                f,
                "the second half differs from the first by {:+.1} %",
                change * 100.0
            ),
            Self::ClockChange { change } => {
                write!(f, "the core's frequency changed by {}", percent(change))
            }
            Self::UnexplainedSpread { rise, spread } => write!(
                f,
                "the median lies {} above p5, the quartiles {} apart, and nobody else is at work",
                percent(rise),
                percent(spread)
            ),
            Self::ClockStepped => f.write_str("the clock was set during the measurement"),
            Self::Migrated { times } => write!(f, "the thread moved {times} times to another core"),
            Self::Faults { major, minor_share } => write!(
                f,
                "{major} pages were read from a disk, and pages mapped in {} of the batches",
                percent(minor_share)
            ),
            Self::Apart { overlap, bounds } => {
                write!(
                    f,
                    "all threads ran together for {} of the time",
                    percent(overlap)
                )?;
                if *bounds > 1.0 {
                    write!(f, "; the total is known within a factor of {bounds:.2}")?;
                }
                Ok(())
            }
            Self::NoLedger => f.write_str("nothing is known of what else the machine did"),
        }
    }
}
