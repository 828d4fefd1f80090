//! What is counted, whatever a core or a tool calls it.

use serde::Deserialize;

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident = $name:literal, $counted:literal;)*) => {
        /// What a counter or a metric is read for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum CounterRole {
            $($(#[$doc])* $role,)*
        }

        impl CounterRole {
            /// As sheets spell it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$role => $name,)*
                }
            }

            /// Whether a counter counts it; the others are metrics that tools compute.
            #[must_use]
            pub const fn is_counted(self) -> bool {
                match self {
                    $(Self::$role => $counted,)*
                }
            }
        }
    };
}

roles! {
    /// Time from start to end, in nanoseconds.
    ElapsedTime = "elapsed-time", true;
    /// Time that processors spent on it, in nanoseconds.
    ProcessorTime = "processor-time", true;
    /// Instructions.
    Instructions = "instructions", true;
    /// Cycles in which cores were not halted.
    Cycles = "cycles", true;
    /// Cycles of the time-stamp counter.
    TimeStamps = "time-stamps", true;
    /// Those in which the core was not halted.
    TimeStampsAwake = "time-stamps-awake", true;
    /// Lines that memory delivered.
    LinesRead = "lines-read", true;
    /// Lines that memory took.
    LinesWritten = "lines-written", true;
    /// Both together.
    LinesMoved = "lines-moved", true;
    /// Lines that memory delivered because an instruction asked for them.
    DemandLines = "demand-lines", true;
    /// Cycles in which cores waited for memory.
    StallCycles = "stall-cycles", true;
    /// Cycles in which they may have.
    StallCyclesMost = "stall-cycles-most", true;
    /// Time of reads, summed, in core cycles.
    LatencyCycles = "latency-cycles", true;
    /// Time of reads, summed, in nanoseconds.
    LatencyTime = "latency-time", true;
    /// Reads whose time is summed.
    LatencyReads = "latency-reads", true;
    /// Share of the cycles in which cores waited for memory.
    StallShare = "stall-share", false;
    /// Share of the cycles in which they may have.
    StallShareMost = "stall-share-most", false;
    /// Mean time of a read in nanoseconds.
    Latency = "latency", false;
    /// Share of the time in which processors did not stand still.
    AwakeShare = "awake-share", false;
    /// Cycles for an instruction.
    CyclesEach = "cycles-each", false;
}

impl CounterRole {
    /// In sentences.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::ElapsedTime => "elapsed time",
            Self::ProcessorTime => "processor time",
            Self::Instructions => "instructions",
            Self::Cycles => "cycles",
            Self::TimeStamps => "cycles of the time-stamp counter",
            Self::TimeStampsAwake => "cycles awake",
            Self::LinesRead => "lines read",
            Self::LinesWritten => "lines written",
            Self::LinesMoved => "lines read and written together",
            Self::DemandLines => "lines read on demand",
            Self::StallCycles | Self::StallShare => "waiting for memory",
            Self::StallCyclesMost | Self::StallShareMost => "the most that waiting can be",
            Self::LatencyCycles | Self::LatencyTime | Self::LatencyReads | Self::Latency => {
                "latency of reads"
            }
            Self::AwakeShare => "share of the time awake",
            Self::CyclesEach => "cycles for an instruction",
        }
    }
}
