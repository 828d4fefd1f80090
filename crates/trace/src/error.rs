//! Why a log cannot be used, and what is odd about one that can.

use std::fmt;

use wordline_core::quantity::Time;

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// It cannot be read.
    #[error("line {line}: cannot be read: {source}")]
    Unreadable {
        /// The line that was being read, from 1.
        line: u64,
        /// Why not.
        source: std::io::Error,
    },
    /// Nothing says what it is.
    #[error("line {line}: {problem}")]
    Unknown {
        /// The line that decided, from 1.
        line: u64,
        /// What was found, with the formats that are understood.
        problem: String,
    },
    /// A line, or a record of a binary log, is not what its format asks for.
    #[error("line {line}: {problem}")]
    Malformed {
        /// The line from 1, or the number of the record.
        line: u64,
        /// What is wrong with it, with the values allowed.
        problem: String,
    },
    /// It is well-formed and says nothing that can be used: averaged or windowed logs.
    #[error("line {line}: {problem}")]
    Useless {
        /// The line that shows it, from 1.
        line: u64,
        /// Why, and the way out.
        problem: String,
    },
    /// There is no access in it.
    #[error("the log has no access in it")]
    Empty,
}

/// What is odd about a log that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// The last line is cut off, and was left out.
    TruncatedEnd {
        /// The line, from 1.
        line: u64,
    },
    /// A time is earlier than the one in front of it: where durations are stated, an access ended before the one
    /// in front of it.
    BackwardsTime {
        /// The first such line, from 1.
        line: u64,
        /// How many there are.
        count: u64,
        /// The longest step back.
        most: Time,
    },
    /// Nothing in the log says whether its values are nanoseconds (fio 3) or microseconds (fio 2), and
    /// the options did not say it either: they were taken for nanoseconds.
    UnitAssumed,
    /// Nothing states the unit of a column, and one makes sense.
    UnitTaken {
        /// The line that names the columns, from 1.
        line: u64,
        /// The column, in quotes.
        column: String,
        /// The unit that was taken.
        unit: &'static str,
        /// Why.
        why: String,
        /// The option that says it, with this unit.
        option: String,
    },
    /// A duration is not the time from the start to the end that the same line states.
    Contradiction {
        /// The first such line, from 1.
        line: u64,
        /// How many there are.
        count: u64,
        /// By how much the worst of them.
        most: Time,
    },
    /// The log says that accesses went through the page cache of the system, and nothing made them wait for the
    /// memory.
    Buffered {
        /// The line that says it, from 1.
        line: u64,
    },
    /// Records were lost while they were recorded.
    Lost {
        /// The record behind the first gap.
        line: u64,
        /// How many are missing.
        count: u64,
    },
    /// What the log holds and nothing here can use was left out.
    Skipped {
        /// The first such line, from 1, or the number of the record behind it.
        line: u64,
        /// How many there are.
        count: u64,
        /// What it is, in the plural: "discards", "trims".
        what: &'static str,
    },
    /// Accesses that were begun and of which no end is stated, or the other way round.
    Unmatched {
        /// The first such line, from 1.
        line: u64,
        /// How many there are.
        count: u64,
        /// Which, in the plural: "D without their C".
        what: &'static str,
    },
    /// The capture begins when the recorder had already sent records.
    StartsLate {
        /// How many came before.
        count: u64,
    },
    /// The recorder was started again in between: times begin again.
    Restarted {
        /// The first record behind the first new start.
        line: u64,
        /// How often.
        count: u64,
    },
    /// The counter of the recorder wrapped unseen: durations before the record may be too short by wraps.
    ClockGap {
        /// The record behind the first gap.
        line: u64,
        /// Wraps that went unseen, in all.
        wraps: u64,
    },
}

impl fmt::Display for Oddity {
    /// With its place, so that the name of the log can stand in front: "line 7: …".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TruncatedEnd { line } => {
                write!(f, "line {line}: the last line is cut off, and was left out")
            }
            Self::BackwardsTime { line, count, most } => write!(
                f,
                "line {line}: the time runs backwards {count} times, by up to {most}: the log was written by \
                 several jobs or is out of order"
            ),
            Self::UnitAssumed => write!(
                f,
                "line 1: nothing says whether values are ns (fio 3) or us (fio 2); ns were assumed, and \
                 --log-unit says otherwise"
            ),
            Self::UnitTaken {
                line,
                column,
                unit,
                why,
                option,
            } => write!(
                f,
                "line {line}: column {column} states no unit and is taken as {unit}, {why}; {option} makes it \
                 certain"
            ),
            Self::Contradiction { line, count, most } => write!(
                f,
                "line {line}: in {count} accesses the duration and the time from start to end contradict each other, by \
                 up to {most}: durations are taken as their column states them, and ends as theirs does. Leave the \
                 column out that is wrong, or correct its unit (--unit COLUMN=UNIT)"
            ),
            Self::Buffered { line } => write!(
                f,
                "line {line}: its options have neither direct=1 nor sync=1, fsync=1 or fdatasync=1: the durations may \
                 be those of the page cache of the system, not of the memory. Record with --direct=1 --sync=1"
            ),
            Self::Lost { line, count } => {
                write!(
                    f,
                    "record {line}: {count} records were lost while they were recorded"
                )
            }
            Self::Skipped { line, count, what } => {
                write!(f, "line {line}: {count} {what} were left out")
            }
            Self::Unmatched { line, count, what } => write!(f, "line {line}: {count} {what}"),
            Self::StartsLate { count } => {
                write!(
                    f,
                    "record 1: the capture begins when {count} records had been sent"
                )
            }
            Self::Restarted { line, count } => {
                write!(
                    f,
                    "record {line}: the recorder was started again {count} times"
                )
            }
            Self::ClockGap { line, wraps } => write!(
                f,
                "record {line}: the counter wrapped {wraps} times unseen; durations may be too short"
            ),
        }
    }
}
