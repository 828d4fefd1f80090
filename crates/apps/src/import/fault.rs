//! Why counters are refused, and what would suffice.

use super::CounterFormat;
use super::text::COUNTER_LINE_MAX;
use crate::profile::ProfileError;

/// Why a file of counters is refused, or several contradict each other. Each says where, and what would suffice.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CounterFault {
    /// The file could not be read.
    #[error("line {line}: {problem}")]
    Unreadable {
        /// From 1.
        line: u64,
        /// What the system says.
        problem: String,
    },
    /// A line is longer than any tool writes.
    #[error("line {line} is longer than {COUNTER_LINE_MAX} bytes, which no line of counters is")]
    LongLine {
        /// From 1.
        line: u64,
    },
    /// A line is no text.
    #[error("line {line} is no text in UTF-8: a file of counters is text")]
    NoText {
        /// From 1.
        line: u64,
    },
    /// There is nothing in the file.
    #[error("the file holds no counters; {}", CounterFormat::allowed())]
    Empty,
    /// No tool writes such a file.
    #[error(
        "line {line}: {found} is of no tool whose counters are read; {}",
        CounterFormat::allowed()
    )]
    Foreign {
        /// From 1.
        line: u64,
        /// What stands there.
        found: String,
    },
    /// It is meant for people.
    #[error("line {line}: this is what {tool} prints for people; {suffices}")]
    ForPeople {
        /// From 1.
        line: u64,
        /// The tool.
        tool: &'static str,
        /// How to get what can be read.
        suffices: &'static str,
    },
    /// A line is not what the tool writes.
    #[error("line {line}: {found} is no line of {format}; {expected}")]
    Malformed {
        /// Whose output it was taken for.
        format: CounterFormat,
        /// From 1.
        line: u64,
        /// What stands there.
        found: String,
        /// What the tool writes.
        expected: &'static str,
    },
    /// Numbers have decimal commas, and commas separate fields.
    #[error(
        "line {line}: {found} has decimal commas between commas that separate fields, so that neither can be told from the \
         other; count again with LC_ALL=C, or with another separator (perf stat -x ';')"
    )]
    Locale {
        /// From 1.
        line: u64,
        /// What stands there.
        found: String,
    },
    /// The tool's version writes something else.
    #[error("line {line}: {found} is {format} of a form that is not read; {suffices}")]
    Version {
        /// Whose output it is.
        format: CounterFormat,
        /// From 1.
        line: u64,
        /// What stands there.
        found: String,
        /// What would suffice.
        suffices: &'static str,
    },
    /// The file ends in the middle.
    #[error(
        "line {line}: the file ends here, in the middle of {what}; copy it again, or let the tool end in order"
    )]
    Truncated {
        /// From 1.
        line: u64,
        /// Of what.
        what: &'static str,
    },
    /// Intervals overlap or go back.
    #[error(
        "line {line}: an interval ends at {at} s, and the one before it at {before} s; intervals follow each other, so give \
         each run a file of its own"
    )]
    Interval {
        /// From 1.
        line: u64,
        /// Seconds.
        at: f64,
        /// Seconds.
        before: f64,
    },
    /// An event was counted twice.
    #[error("line {line}: {event:?} was counted already, in line {first}; name each event once")]
    Duplicate {
        /// From 1.
        line: u64,
        /// Line of the first count.
        first: u64,
        /// The event.
        event: String,
    },
    /// A number is none.
    #[error("line {line}: {what} is {found}; allowed is {allowed}")]
    Number {
        /// From 1.
        line: u64,
        /// What the number is of.
        what: String,
        /// What stands there.
        found: String,
        /// What may stand there.
        allowed: &'static str,
    },
    /// An event has a unit that it cannot have.
    #[error(
        "line {line}: {event:?} in {unit:?} cannot be read; allowed are counts, Bytes, KiB, MiB, GiB, ns, usec, msec and sec"
    )]
    Unit {
        /// From 1.
        line: u64,
        /// The event.
        event: String,
        /// Its unit.
        unit: String,
    },
    /// Counters are of another core than the one that was named.
    #[error(
        "line {line}: {event:?} is of {found}, not of {expected}; name the core that was counted with --cpu, or count what \
         wordline app events --cpu {expected} prints"
    )]
    OtherCore {
        /// From 1.
        line: u64,
        /// The event, or the tool's word for the processor.
        event: String,
        /// Whose it is.
        found: String,
        /// Whose it should be.
        expected: String,
    },
    /// Counters are of two kinds of cores.
    #[error(
        "line {line}: {event:?} is of {found}, and {other:?} in line {first} is of {expected}; give the files of one machine"
    )]
    MixedCores {
        /// From 1.
        line: u64,
        /// The event.
        event: String,
        /// Whose it is.
        found: String,
        /// Line of the other event.
        first: u64,
        /// The other event.
        other: String,
        /// Whose the other is.
        expected: String,
    },
    /// A file is larger than one of a tool can be.
    #[error("line {line}: more than {most} {what}")]
    TooMany {
        /// From 1.
        line: u64,
        /// Of what.
        what: &'static str,
        /// How many are read.
        most: usize,
    },
    /// Something was not counted without which there is no profile.
    #[error("{what} cannot be found in these counters{}; {suffices}", reasons(.why))]
    Missing {
        /// What.
        what: &'static str,
        /// Why, each with its line.
        why: Vec<String>,
        /// What would suffice.
        suffices: String,
    },
    /// More bytes than the memory's bus carries.
    #[error(
        "these counters say {rate:.1} GB/s, and the bus of {baseline} carries {bus:.1} GB/s; {suffices}"
    )]
    BeyondBus {
        /// In GB/s.
        rate: f64,
        /// In GB/s.
        bus: f64,
        /// The memory.
        baseline: String,
        /// What would suffice.
        suffices: String,
    },
    /// More lines under way than cores can have.
    #[error(
        "{rate:.1} GB/s of reads of {latency:.0} ns mean {needed:.0} lines under way, and {cores} cores have {allowed:.0} at most \
         ({misses} each, Little's law); {suffices}"
    )]
    BeyondMisses {
        /// Of reads, in GB/s.
        rate: f64,
        /// In nanoseconds.
        latency: f64,
        /// Lines under way.
        needed: f64,
        /// Cores that ran.
        cores: u32,
        /// Lines that they can have under way.
        allowed: f64,
        /// Lines that a core can.
        misses: f64,
        /// What would suffice.
        suffices: &'static str,
    },
    /// Counts that cannot be of one run.
    #[error("{what}: these counters contradict each other; {suffices}")]
    Contradiction {
        /// Which, with their numbers.
        what: String,
        /// What would suffice.
        suffices: &'static str,
    },
    /// What came out is no profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

fn reasons(why: &[String]) -> String {
    match why {
        [] => String::new(),
        why => format!(" ({})", why.join("; ")),
    }
}

impl CounterFault {
    /// The line that it is about, from 1.
    #[must_use]
    pub const fn line(&self) -> Option<u64> {
        match self {
            Self::Unreadable { line, .. }
            | Self::LongLine { line }
            | Self::NoText { line }
            | Self::Foreign { line, .. }
            | Self::ForPeople { line, .. }
            | Self::Malformed { line, .. }
            | Self::Locale { line, .. }
            | Self::Version { line, .. }
            | Self::Truncated { line, .. }
            | Self::Interval { line, .. }
            | Self::Duplicate { line, .. }
            | Self::Number { line, .. }
            | Self::Unit { line, .. }
            | Self::OtherCore { line, .. }
            | Self::MixedCores { line, .. }
            | Self::TooMany { line, .. } => Some(*line),
            Self::Empty
            | Self::Missing { .. }
            | Self::BeyondBus { .. }
            | Self::BeyondMisses { .. }
            | Self::Contradiction { .. }
            | Self::Profile(_) => None,
        }
    }
}
