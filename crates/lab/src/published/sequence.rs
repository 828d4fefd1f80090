//! Accesses that a document states, or that were made to its words: what the theory is asked about.

use serde::{Deserialize, Serialize};
use wordline_core::quantity::{ByteCount, Time};

/// Accesses in their order, each beginning when the one before it has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sequence {
    /// What it is, as the file names it.
    pub name: String,
    /// Bytes that wait when the first access begins.
    pub backlog_bytes: u64,
    /// The accesses.
    pub accesses: Vec<SequenceStretch>,
}

/// Accesses of one size and duration in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SequenceStretch {
    /// How many.
    pub times: u32,
    /// Bytes of each.
    pub size_bytes: u64,
    /// Duration of each in picoseconds.
    pub duration_ps: u64,
}

impl Sequence {
    /// Duration and size of every access.
    pub fn each(&self) -> impl Iterator<Item = (Time, ByteCount)> + '_ {
        self.accesses.iter().flat_map(|stretch| {
            let access = (
                Time::from_ps(stretch.duration_ps),
                ByteCount::from_bytes(stretch.size_bytes),
            );
            std::iter::repeat_n(access, stretch.times as usize)
        })
    }
}

/// A sequence as the file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenSequence {
    name: String,
    backlog: Option<ByteCount>,
    accesses: Vec<WrittenStretch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStretch {
    size: ByteCount,
    duration: Time,
    #[serde(default = "once")]
    times: u32,
}

const fn once() -> u32 {
    1
}

/// The sequences of a document, checked.
pub(super) fn read(written: Vec<WrittenSequence>) -> Result<Vec<Sequence>, String> {
    let mut sequences: Vec<Sequence> = Vec::new();
    for one in written {
        let name = one.name;
        let accesses = one.accesses.into_iter().map(|stretch| SequenceStretch {
            times: stretch.times,
            size_bytes: stretch.size.bytes(),
            duration_ps: stretch.duration.ps(),
        });
        let accesses: Vec<SequenceStretch> = accesses.collect();
        let empty = |stretch: &SequenceStretch| {
            stretch.times == 0 || stretch.size_bytes == 0 || stretch.duration_ps == 0
        };
        if accesses.is_empty() || accesses.iter().any(empty) {
            return Err(format!(
                "sequence {name}: no access, or one without size or duration"
            ));
        }
        if sequences.iter().any(|other| other.name == name) {
            return Err(format!("sequence {name} stands twice"));
        }
        sequences.push(Sequence {
            name,
            backlog_bytes: one.backlog.map_or(0, ByteCount::bytes),
            accesses,
        });
    }
    Ok(sequences)
}
