//! Which workload a document is about, as its rows say, and what people see of it.

use wordline_core::ResultSet;

use crate::answer::answer;
use crate::grid::Grid;
use crate::pivot::Pivot;
use crate::{buffer, compare, dram, fit, fs, headline, health, kv, notes, wear};

/// The workloads that are shown in their own way; all others are raw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A line for each thing that was run.
    Raw,
    /// RAM for a fixed input rate.
    Buffer,
    /// Candidates side by side.
    Compare,
    /// Memory modules.
    Dram,
    /// A part fitted to a log.
    Fit,
    /// File systems on memories.
    Fs,
    /// Remaining life of blocks of flash.
    Health,
    /// Hash tables on memories.
    Kv,
    /// Endurance, and latency over life.
    Wear,
}

impl Kind {
    /// The rows say it, for a document may hold rows of several workloads: then each is a line.
    /// Without rows the experiment does.
    pub(crate) fn of(document: &ResultSet) -> Self {
        match workload(document) {
            Some("buffer") => Self::Buffer,
            Some("compare") => Self::Compare,
            Some("dram") => Self::Dram,
            Some("fit") => Self::Fit,
            Some("fs") => Self::Fs,
            Some("health") => Self::Health,
            Some("kv") => Self::Kv,
            Some("wear") => Self::Wear,
            _ => Self::Raw,
        }
    }
}

/// The workload that all rows share, or that the experiment names where there are none.
pub(crate) fn workload(document: &ResultSet) -> Option<&str> {
    let Some(first) = document.rows.first() else {
        return Some(document.experiment.workload.name());
    };
    let mut rows = document.rows.iter();
    let shared = rows.all(|row| row.workload == first.workload);
    shared.then_some(first.workload.as_str())
}

/// What people see of a document in every format, top to bottom.
pub(crate) struct View {
    /// Tables that come before the sentences.
    pub(crate) lead: Vec<Grid>,
    pub(crate) sentences: Vec<String>,
    pub(crate) tables: Vec<Grid>,
}

impl View {
    /// For a page of some columns; `None` where lines may be as long as they are.
    pub(crate) fn of(document: &ResultSet, width: Option<u16>) -> Self {
        let (lead, mut tables) = match Kind::of(document) {
            Kind::Raw => {
                let lines = headline::grid(document, &Pivot::of(document));
                (Vec::new(), vec![lines])
            }
            Kind::Buffer => (Vec::new(), buffer::tables(document)),
            Kind::Dram => (Vec::new(), dram::tables(document)),
            Kind::Fit => (Vec::new(), fit::tables(document)),
            Kind::Fs => (Vec::new(), fs::tables(document)),
            Kind::Health => (Vec::new(), health::tables(document)),
            Kind::Kv => (Vec::new(), kv::tables(document)),
            Kind::Wear => (Vec::new(), wear::tables(document)),
            Kind::Compare => {
                let (verdicts, figures) = compare::tables(document, width);
                let survival = compare::survival(document);
                (
                    vec![verdicts],
                    [figures].into_iter().chain(survival).collect(),
                )
            }
        };
        if lead.is_empty() {
            tables.extend(notes::verdicts(document));
        }
        Self {
            lead,
            sentences: answer(document),
            tables,
        }
    }
}
