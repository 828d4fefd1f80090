//! What the cores of a system ask for.

use crate::request::Kind;

/// How reads and writes of the load cores are mixed. In all but [`Triad`](Self::Triad) a line is written by reading it
/// first (read for ownership) and writing it back when it leaves the cache. What is only read and what is written lie
/// in buffers of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mix {
    /// Reads alone.
    Reads,
    /// Three reads for one write: two lines are read only, one is read and written back.
    ThreeToOne,
    /// Two reads for one write: one line is read only, one is read and written back.
    TwoToOne,
    /// One read for one write: every line is read and written back.
    OneToOne,
    /// Two streams are read and a third one is written by non-temporal stores, which fetch nothing first.
    Triad,
}

/// One step of a core's round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) kind: Kind,
    /// Which of the core's cursors names the line.
    pub(super) cursor: u8,
    /// Whether the core waits out its delay before it: a write-back comes by itself.
    pub(super) paced: bool,
}

const READ: Step = Step {
    kind: Kind::Read,
    cursor: 0,
    paced: true,
};

const READ_OTHER: Step = Step { cursor: 1, ..READ };

const WRITE_BACK: Step = Step {
    kind: Kind::Write,
    cursor: 2,
    paced: false,
};

const STORE: Step = Step {
    kind: Kind::Write,
    cursor: 2,
    paced: true,
};

impl Mix {
    /// Every mix.
    pub const ALL: [Self; 5] = [
        Self::Reads,
        Self::ThreeToOne,
        Self::TwoToOne,
        Self::OneToOne,
        Self::Triad,
    ];

    /// As result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "1:0",
            Self::ThreeToOne => "3:1",
            Self::TwoToOne => "2:1",
            Self::OneToOne => "1:1",
            Self::Triad => "triad",
        }
    }

    /// The mix of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mix| mix.name() == name)
    }

    /// Bytes read for how many bytes written, in lowest terms.
    #[must_use]
    pub const fn ratio(self) -> (u32, u32) {
        match self {
            Self::Reads => (1, 0),
            Self::ThreeToOne => (3, 1),
            Self::TwoToOne | Self::Triad => (2, 1),
            Self::OneToOne => (1, 1),
        }
    }

    /// What a core does again and again. Cursor 2 follows cursor 1 where lines are written back.
    pub(super) const fn round(self) -> &'static [Step] {
        match self {
            Self::Reads => &[READ],
            Self::ThreeToOne => &[READ, READ, READ_OTHER, WRITE_BACK],
            Self::TwoToOne => &[READ, READ_OTHER, WRITE_BACK],
            Self::OneToOne => &[READ_OTHER, WRITE_BACK],
            Self::Triad => &[READ, READ_OTHER, STORE],
        }
    }

    /// The buffer of each cursor among the core's own.
    pub(super) const fn buffers(self) -> [u64; 3] {
        match self {
            Self::Reads | Self::OneToOne => [0, 0, 0],
            Self::ThreeToOne | Self::TwoToOne => [0, 1, 1],
            Self::Triad => [0, 1, 2],
        }
    }

    /// Buffers of a core.
    pub(super) const fn buffer_count(self) -> u64 {
        self.buffers()[2] + 1
    }
}

/// In which order the load cores go through their buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessPattern {
    /// Line after line.
    Sequential,
    /// Any line.
    Random,
}

/// The load on a memory, and the probes that feel it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Reads and writes of the load cores.
    pub mix: Mix,
    /// Their order.
    pub pattern: AccessPattern,
    /// Core cycles from one access of a load core to its next, at least; 0: as fast as its misses allow, one a cycle.
    pub delay_cycles: u64,
    /// Cores that make load.
    pub load_cores: u32,
    /// Cores, beside those, that chase pointers through random lines, one access at a time: the latency samples.
    pub probes: u32,
    /// Where buffers lie, where streams begin, and which lines are random.
    pub seed: u64,
}

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Time before the measured part, in picoseconds.
    pub warm_up_ps: u64,
    /// The measured part's least duration, in picoseconds. It ends after a whole number of microseconds.
    pub measure_ps: u64,
    /// Latency samples that the measured part has at least, where there are probes.
    pub probe_samples: u64,
}
