//! What a user should know of a profile that came out.

use std::fmt;

use super::CounterRole;

/// Something that a user should know of counters that were read.
#[derive(Clone, Debug, PartialEq)]
pub enum CounterNote {
    /// An event shared its counter with others.
    Multiplexed {
        /// The event.
        event: String,
        /// The first line that says so.
        line: u64,
        /// The share of the time in which it was counted.
        share: f64,
        /// By how much its value may be off, as a share of it.
        widened: f64,
    },
    /// The kernel did not count an event.
    NotCounted {
        /// The event.
        event: String,
        /// The first line that says so.
        line: u64,
    },
    /// The machine cannot count an event.
    NotSupported {
        /// The event.
        event: String,
        /// The first line that says so.
        line: u64,
    },
    /// The program did not run in some intervals, or nothing was counted.
    Idle {
        /// How many.
        intervals: u64,
        /// The first line of the first.
        line: u64,
    },
    /// Only the program's own code was counted, without the kernel's.
    UserOnly {
        /// The event.
        event: String,
        /// The first line that says so.
        line: u64,
    },
    /// Some events of a sum are not there, so that the sum is not used.
    Incomplete {
        /// What the sum is for.
        role: CounterRole,
        /// What is not there.
        absent: Vec<String>,
    },
    /// Something is not known, and a range stands for it.
    Unknown {
        /// What.
        what: &'static str,
        /// The range.
        range: [f64; 2],
        /// What would tell it.
        suffices: String,
    },
    /// Lines were counted by the cores instead of the memory controllers.
    CoreSide {
        /// What is counted.
        role: CounterRole,
    },
    /// How long it took is not stated, so that one second stands for it.
    NoTime,
    /// There are too few intervals for a distribution.
    FewIntervals {
        /// How many there are.
        intervals: u64,
    },
    /// Events that are not used.
    Ignored {
        /// Their names, the first of them.
        events: Vec<String>,
        /// How many there are in all.
        count: usize,
    },
    /// Files are of runs that took different times.
    RunsDiffer {
        /// Seconds.
        shortest: f64,
        /// Seconds.
        longest: f64,
    },
    /// The cores that the program ran on are not stated.
    CoresTaken {
        /// How many are taken.
        cores: u32,
        /// Where from.
        from: &'static str,
    },
    /// Counters fit several cores.
    Alike {
        /// The one that was taken.
        taken: String,
        /// The others.
        others: Vec<String>,
    },
    /// Columns or metrics of a socket or a region stand beside those of the whole.
    WholeMachine,
}

impl fmt::Display for CounterNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Multiplexed { event, line, share, widened } => write!(
                f,
                "line {line}: {event} was counted {:.0} % of the time; its value is scaled, and its range is wider by {:.0} %. \
                 Fewer events a run leave each its counter",
                share * 100.0,
                widened * 100.0
            ),
            Self::NotCounted { event, line } => write!(
                f,
                "line {line}: {event} was not counted. No counter was free: stop other profilers and the NMI watchdog \
                 (kernel.nmi_watchdog=0)"
            ),
            Self::NotSupported { event, line } => write!(
                f,
                "line {line}: {event} is not supported here. In a virtual machine count on its host; events of memory \
                 controllers need root and -a"
            ),
            Self::Idle { intervals, line } => write!(
                f,
                "line {line}: in {intervals} intervals nothing was counted: the program did not run; they count as idle"
            ),
            Self::UserOnly { event, line } => write!(
                f,
                "line {line}: {event} counts the program's own code alone, without the kernel's (:u); as root both are counted"
            ),
            Self::Incomplete { role, absent } => write!(
                f,
                "{} need {} as well, which is not there, so that the rest of them is not used",
                role.words(),
                absent.join(" and ")
            ),
            Self::Unknown { what, range: [least, most], suffices } => {
                write!(f, "{what} is not known: from {least:.3} to {most:.3}; {suffices}")
            }
            Self::CoreSide { role } => write!(
                f,
                "{} were counted by the cores, not by the memory controllers: what devices and some prefetchers move is missing, \
                 so that they have a range",
                role.words()
            ),
            Self::NoTime => f.write_str(
                "how long it took is not stated: the profile is of one second, which changes no speed-up; state --seconds",
            ),
            Self::FewIntervals { intervals } => write!(
                f,
                "how load varies is not known from {intervals} intervals; 20 suffice (perf stat -I 100), and a program that \
                 bursts gains more than its mean shows"
            ),
            Self::Ignored { events, count } => {
                let more = count.saturating_sub(events.len());
                write!(f, "not used: {}", events.join(", "))?;
                match more {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            Self::RunsDiffer { shortest, longest } => write!(
                f,
                "the files are of runs that took {shortest:.3} to {longest:.3} s: rates are combined, which assumes that each did \
                 the same work"
            ),
            Self::CoresTaken { cores, from } => {
                write!(f, "{cores} cores are taken, {from}; state --cores if others ran it")
            }
            Self::Alike { taken, others } => {
                write!(f, "these events are those of {taken} and of {}; {taken} is taken", others.join(" and of "))
            }
            Self::WholeMachine => f.write_str(
                "memory controllers count every program of the machine: what others moved while this one ran is among the lines",
            ),
        }
    }
}
