//! What the cores of a system ask for.
//!
//! In all mixes but stream triad a line is written by reading it first (read for ownership) and writing it back when it
//! leaves the cache. What is only read and what is written lie in buffers of their own. Triad reads two streams and
//! writes a third by non-temporal stores, which fetch nothing first.
//!
//! Programs ask for lines otherwise: [`MemoryProgram`](super::MemoryProgram).

use std::sync::Arc;

use wordline_core::{Mix, Pattern};

use super::demand::ProgramDemand;
use crate::request::RequestKind;

/// One step of a core's round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CoreStep {
    pub(super) kind: RequestKind,
    /// Which of the core's cursors names the line.
    pub(super) cursor: u8,
    /// Whether the core waits out its delay before it: a write-back comes by itself.
    pub(super) paced: bool,
}

const READ: CoreStep = CoreStep {
    kind: RequestKind::Read,
    cursor: 0,
    paced: true,
};

const READ_OTHER: CoreStep = CoreStep { cursor: 1, ..READ };

const WRITE_BACK: CoreStep = CoreStep {
    kind: RequestKind::Write,
    cursor: 2,
    paced: false,
};

const STORE: CoreStep = CoreStep {
    kind: RequestKind::Write,
    cursor: 2,
    paced: true,
};

/// What a core does again and again. Cursor 2 follows cursor 1 where lines are written back.
pub(super) const fn round(mix: Mix) -> &'static [CoreStep] {
    match mix {
        Mix::Reads => &[READ],
        Mix::ThreeToOne => &[READ, READ, READ_OTHER, WRITE_BACK],
        Mix::TwoToOne => &[READ, READ_OTHER, WRITE_BACK],
        Mix::OneToOne => &[READ_OTHER, WRITE_BACK],
        Mix::Triad => &[READ, READ_OTHER, STORE],
    }
}

const fn buffers(mix: Mix) -> [u64; 3] {
    match mix {
        Mix::Reads | Mix::OneToOne => [0, 0, 0],
        Mix::ThreeToOne | Mix::TwoToOne => [0, 1, 1],
        Mix::Triad => [0, 1, 2],
    }
}

/// The load on a memory, and the probes that feel it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Reads and writes of the load cores.
    pub mix: Mix,
    /// Their order.
    pub pattern: Pattern,
    /// Core cycles from one access of a load core to its next, at least; 0: as fast as its misses allow, one a cycle.
    pub delay_cycles: u64,
    /// Cores that make load.
    pub load_cores: u32,
    /// Cores, beside those, that chase pointers through random lines, one access at a time: the latency samples.
    pub probes: u32,
    /// Where buffers lie, where streams begin, and which lines are random.
    pub seed: u64,
}

/// What all cores of a run do.
#[derive(Clone, Debug)]
pub(super) struct CoreLoad {
    /// Cores that make load.
    pub(super) cores: u32,
    /// Cores, beside those, that chase pointers.
    pub(super) probes: u32,
    pub(super) seed: u64,
    pub(super) work: CoreWork,
}

/// What the cores that make load do.
#[derive(Clone, Debug)]
pub(super) enum CoreWork {
    /// The steps of a mix, again and again, with pauses between accesses.
    Rounds {
        mix: Mix,
        pattern: Pattern,
        delay_cycles: u64,
    },
    /// What a program asks for: each line after the one before it has come.
    Program(Arc<ProgramDemand>),
}

impl From<&Traffic> for CoreLoad {
    fn from(traffic: &Traffic) -> Self {
        Self {
            cores: traffic.load_cores,
            probes: traffic.probes,
            seed: traffic.seed,
            work: CoreWork::Rounds {
                mix: traffic.mix,
                pattern: traffic.pattern,
                delay_cycles: traffic.delay_cycles,
            },
        }
    }
}

impl CoreWork {
    /// The buffer of each cursor among the core's own.
    pub(super) const fn buffers(&self) -> [u64; 3] {
        match self {
            Self::Rounds { mix, .. } => buffers(*mix),
            Self::Program(_) => ProgramDemand::BUFFERS,
        }
    }

    /// Buffers of a core.
    pub(super) const fn buffer_count(&self) -> u64 {
        self.buffers()[2] + 1
    }
}

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLength {
    /// Time before the measured part, in picoseconds.
    pub warm_up_ps: u64,
    /// The measured part's least duration, in picoseconds. It ends after a whole number of microseconds.
    pub measure_ps: u64,
    /// Latency samples that the measured part has at least, where there are probes.
    pub probe_samples: u64,
    /// Stretches of the measured part, each with load cores elsewhere and in another step, each with its share of time and
    /// samples. 1: cores stay where they are. Below saturation cores pause in a rhythm that no time changes, so that only
    /// several stretches say what chance placed.
    pub episodes: u32,
    /// Time at the beginning of every stretch but the first in which no latency counts, in picoseconds: what waited when the
    /// cores moved has gone.
    pub settle_ps: u64,
}
