//! What SQLite and the file system compute beside what they ask of the memory.
//!
//! Their work is counted in what is the same in every run: statements and words of SQL, steps of SQLite's virtual machine,
//! pages, calls, and bytes that a layer moves, checks and copies. A data file has the instructions that each takes, as
//! `scripts/count-instructions` fitted them to an emulated Cortex-M7. The board's sheet says how many cycles an instruction
//! takes in a build as published and in an optimised one: its processor's time lies between the two.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use wordline_core::quantity::Quantity as _;
use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, Metric, ResultSet, SqlWorkload};
use wordline_engines::RamPart;
use wordline_nvm::OperationKind;
use wordline_sqlite::rusqlite::Connection;
use wordline_sqlite::{ConnectionWork, SqlText, StatementWork, VfsCounts};

use super::rows::MeasuredWork;
use crate::fs::engine::FileSystemSetup;
use crate::fs::processor::{BUILDS, ProcessorSpeed};
use crate::fs::system::FileSystemCase;
use crate::instrument::OperationTally;
use crate::instrument::meter::Activity;
use crate::subject::Subject;
use crate::warning::LabWarning;

/// Who computes, as the column `cause` spells it.
const CAUSES: [&str; 2] = ["cpu_engine", "cpu_file_system"];

/// Instructions a count, of a layer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerInstructions {
    /// The greatest error of workloads that were not used to fit, as a share of what was counted.
    error: f64,
    instructions: BTreeMap<String, f64>,
}

/// The data file.
#[derive(Debug, Deserialize)]
struct InstructionTable {
    sqlite: LayerInstructions,
    /// By the name of a file system; of the others it is not known what they compute.
    file_systems: BTreeMap<String, LayerInstructions>,
}

static TABLE: LazyLock<InstructionTable> = LazyLock::new(|| {
    let text = include_str!("../../data/sql-instructions.toml");
    toml::from_str(text).expect("a test reads the same file")
});

/// A unit beside the processor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OffloadUnit {
    /// Cycles of the core for each piece of work.
    setup_cycles: f64,
    /// Cycles of the core for a word of 4 B.
    word_cycles: f64,
}

/// The data file of units.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OffloadTable {
    dma: OffloadUnit,
    checks: OffloadUnit,
}

static UNITS: LazyLock<OffloadTable> = LazyLock::new(|| {
    let text = include_str!("../../data/sql-offload.toml");
    toml::from_str(text).expect("a test reads the same file")
});

/// What leaves the processor, as the column `offload` spells it: copies, checksums, or both.
const OFFLOADS: [(&str, bool, bool); 3] = [
    ("dma", true, false),
    ("checks", false, true),
    ("both", true, true),
];

/// Counts of bytes that are copied and that are checked, each with the count of the pieces in which they are.
const COPIES: [(&str, &str); 3] = [
    ("moved_byte", "file_call"),
    ("relocated_byte", "memory_write"),
    ("copied_byte", "memory_write"),
];
const CHECKS: [(&str, &str); 2] = [
    ("log_byte", "page_written"),
    ("metadata_byte", "memory_read"),
];

/// A layer with what it did.
type LayerWork = (&'static LayerInstructions, Counts<12>);

/// Counts by the names of the data file.
type Counts<const N: usize> = [(&'static str, u64); N];

impl LayerInstructions {
    fn of<const N: usize>(&self, counts: Counts<N>) -> f64 {
        let parts = counts.iter().map(|(name, count)| {
            let each = self.instructions.get(*name).copied();
            each.unwrap_or(0.0) * *count as f64
        });
        parts.sum()
    }

    /// Instructions that leave the processor where copies of at least `least` bytes in the mean do, and checksums, with the
    /// cycles of the units that do the work instead.
    fn without<const N: usize>(
        &self,
        counts: &Counts<N>,
        least: Option<u64>,
        checks: bool,
    ) -> (f64, f64) {
        let count = |name: &str| {
            let found = counts.iter().find(|(count, _)| *count == name);
            found.map_or(0, |(_, count)| *count) as f64
        };
        let copies = COPIES.iter().map(|part| (part, &UNITS.dma, least));
        let checks = CHECKS
            .iter()
            .map(|part| (part, &UNITS.checks, checks.then_some(0)));
        let mut sum = (0.0, 0.0);
        for (&(bytes, pieces), unit, least) in copies.chain(checks) {
            let each = self.instructions.get(bytes).copied().unwrap_or(0.0);
            let (bytes, pieces) = (count(bytes), count(pieces).max(1.0));
            let is_long = least.is_some_and(|least| bytes / pieces >= least as f64);
            if is_long && each * bytes > 0.0 {
                sum.0 += each * bytes;
                sum.1 += pieces * unit.setup_cycles + bytes / 4.0 * unit.word_cycles;
            }
        }
        sum
    }
}

/// What SQLite computed for transactions of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EngineWork {
    text: SqlText,
    statements: StatementWork,
    /// Until the end, what the connection had done before the first.
    pages: ConnectionWork,
    /// Of the database's file system, and of that of its log, where that is another one.
    shapes: (FileSystemShape, Option<FileSystemShape>),
}

/// What the work of a file system depends on besides what it is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FileSystemShape {
    /// Records that a name is looked for in; 0 where there are none.
    records: u64,
    /// Bytes of a block.
    block_bytes: u64,
    /// Bytes that are programmed at once.
    granule_bytes: u64,
}

impl FileSystemShape {
    /// The shape of a mounted file system with its RAM. What neither options nor memory say is what littlefs has on a
    /// memory of bytes.
    pub(super) fn of(setup: &FileSystemSetup<'_>, ram: &[RamPart]) -> Self {
        // flat has a word of RAM for each.
        let index = ram.iter().find(|part| part.name == "record-index");
        let option = |name| setup.options().get(name).copied();
        let option = |name| option(name).and_then(|bytes| u64::try_from(bytes).ok());
        let flash = setup.target.part.model.flash();
        let geometry = flash.and_then(|flash| flash.geometry());
        let unit = geometry.map(|flash| match (flash.programs_per_page, flash.once_bytes) {
            (Some(_), _) => flash.page_bytes,
            (None, Some(unit)) => unit,
            (None, None) => flash.program_bytes,
        });
        let block = geometry.map(|flash| flash.block_bytes());
        Self {
            records: index.map_or(0, |index| index.bytes / 4),
            block_bytes: option("block").or(block).unwrap_or(512),
            granule_bytes: option("prog")
                .or(unit.map(|bytes| u64::from(bytes.max(16))))
                .unwrap_or(16),
        }
    }
}

impl EngineWork {
    pub(super) fn begin(
        connection: &Connection,
        shapes: (FileSystemShape, Option<FileSystemShape>),
    ) -> Self {
        Self {
            pages: ConnectionWork::of(connection),
            shapes,
            ..Self::default()
        }
    }

    /// Adds a transaction.
    pub(super) fn add(&mut self, sql: &str, statements: StatementWork) {
        let text = SqlText::of(sql);
        self.text.bytes += text.bytes;
        self.text.words += text.words;
        self.text.queries += text.queries;
        self.text.searches += text.searches;
        self.statements.add(statements);
    }

    pub(super) fn end(&mut self, connection: &Connection) {
        self.pages = ConnectionWork::of(connection).since(self.pages);
    }

    fn engine_counts(&self, asked: &VfsCounts) -> Counts<12> {
        let stored = asked.stored();
        [
            ("statement", self.statements.runs),
            ("query", self.text.queries),
            ("search", self.text.searches),
            ("word", self.text.words),
            ("sql_byte", self.text.bytes),
            ("vm_step", self.statements.vm_steps),
            ("page_found", self.pages.cache_hits),
            ("page_read", self.pages.cache_misses),
            ("page_written", self.pages.cache_writes),
            (
                "file_call",
                file_calls(asked) + stored.opens + stored.deletes + asked.lookups + stored.syncs,
            ),
            ("log_byte", asked.wal.written_bytes),
            (
                "moved_byte",
                stored.read_bytes + stored.written_bytes - asked.wal.written_bytes,
            ),
        ]
    }

    /// The file systems with their counts; `None` where the instructions of one are not known.
    fn file_systems(
        &self,
        (files, logs): (&str, Option<&str>),
        work: &MeasuredWork,
    ) -> Option<Vec<LayerWork>> {
        let of = |name: &str, counts| Some((TABLE.file_systems.get(name)?, counts));
        let (Some(logs), Some(shape), Some([of_tables, of_log])) =
            (logs, self.shapes.1, &work.memories)
        else {
            let counts = self.shapes.0.counts(&work.counts, &work.tally.sum);
            return Some(vec![of(files, counts)?]);
        };
        let [tables, log] = work.counts.split();
        let tables = of(files, self.shapes.0.counts(&tables, &of_tables.sum))?;
        Some(vec![tables, of(logs, shape.counts(&log, &of_log.sum))?])
    }
}

impl FileSystemShape {
    fn counts(&self, asked: &VfsCounts, memory: &Activity) -> Counts<12> {
        let stored = asked.stored();
        let of = |kind| memory.of(kind);
        let (read, programmed, written) = (
            of(OperationKind::Read),
            of(OperationKind::Program),
            of(OperationKind::Write),
        );
        // The rules of scripts/count-instructions, which say why.
        let beyond = memory.stored_bytes().saturating_sub(stored.written_bytes);
        let relocated = beyond.min(stored.syncs * self.block_bytes / 2);
        let of_data = memory.stored_bytes() + beyond + stored.read_bytes;
        let metadata = read.bytes.saturating_sub(of_data) * 64 / self.granule_bytes.max(64);
        let names = asked.lookups + 2 * stored.opens + stored.deletes;
        [
            ("name_call", names),
            ("record", asked.absent * self.records),
            ("open", stored.opens),
            ("delete", stored.deletes),
            ("file_call", file_calls(asked)),
            ("sync", stored.syncs),
            ("moved_byte", stored.read_bytes + stored.written_bytes),
            ("memory_read", read.count),
            ("memory_write", programmed.count + written.count),
            ("metadata_byte", metadata),
            ("relocated_byte", relocated),
            ("copied_byte", beyond - relocated),
        ]
    }
}

/// Calls on open files but syncs.
fn file_calls(asked: &VfsCounts) -> u64 {
    let stored = asked.stored();
    stored.reads + stored.writes + stored.truncates
}

/// What it means for the figures that they are predicted.
pub(super) fn warn(system: &FileSystemCase<'_>, document: &mut ResultSet) {
    let name = system.engine.kind.name();
    let percent = |layer: &LayerInstructions| format!("{:.0} %", layer.error * 100.0);
    match TABLE.file_systems.get(name) {
        Some(layer) => document.warn(LabWarning::InstructionsPredicted {
            name: &name,
            engine: &percent(&TABLE.sqlite),
            file_system: &percent(layer),
        }),
        None => document.warn(LabWarning::InstructionsUnknown { name: &name }),
    }
}

/// Adds what a transaction computes in the mean, the processor's share in its time, and rows for a joule and a euro.
pub(super) fn add(
    subject: &Subject,
    file_systems: (&str, Option<&str>),
    work: &MeasuredWork,
    (workload, rows): (&SqlWorkload, Option<u64>),
    speed: Option<&ProcessorSpeed>,
    document: &mut ResultSet,
) {
    let count = work.tally.count().max(1) as f64;
    let memory_s = work.tally.busy.si() / count;
    let engine = (&TABLE.sqlite, work.engine.engine_counts(&work.counts));
    let layers = [
        Some(vec![engine]),
        work.engine.file_systems(file_systems, work),
    ];
    let mean = |layers: &Vec<LayerWork>| {
        let all = layers.iter().map(|(layer, counts)| layer.of(*counts));
        all.sum::<f64>() / count
    };
    let each = layers.each_ref().map(|layers| layers.as_ref().map(mean));
    let subject = Subject {
        basis: Basis::Estimated,
        ..subject.clone()
    };
    for (cause, instructions) in CAUSES.into_iter().zip(each) {
        let value = instructions.ok_or(NoValue::NotApplicable);
        subject
            .at(Axis::Cause, cause)
            .add(Metric::Instructions, value, document);
    }
    let Some(speed) = speed else { return };
    let offloads = OFFLOADS.into_iter().filter(|(_, dma, checks)| {
        (!dma || workload.dma_bytes.is_some()) && (!checks || workload.check_unit)
    });
    for (build, instruction_s) in BUILDS.into_iter().zip(speed.instruction_s) {
        let at = subject.at(Axis::Build, build.name());
        for (cause, instructions) in CAUSES.into_iter().zip(each) {
            let value = instructions.map(|instructions| instructions * instruction_s);
            at.at(Axis::Cause, cause).add(
                Metric::ProcessorTime,
                value.ok_or(NoValue::NotApplicable),
                document,
            );
        }
        let known: f64 = each.iter().flatten().sum::<f64>() * instruction_s;
        at.add(Metric::OpsRate, Ok(1.0 / (known + memory_s)), document);
        if let [Some(_), Some(_)] = each {
            let share = known / (known + memory_s);
            at.add(Metric::ProcessorShare, Ok(share), document);
        }
        for (metric, value) in of_board(&work.tally, rows, (known, memory_s), speed) {
            at.add(metric, value, document);
        }
        for (offload, dma, checks) in offloads.clone() {
            let least = workload.dma_bytes.filter(|_| dma);
            let all = layers.iter().flatten().flatten();
            let saved = all.map(|(layer, counts)| layer.without(counts, least, checks));
            let (instructions, cycles) = saved.fold((0.0, 0.0), |sum: (f64, f64), one| {
                (sum.0 + one.0, sum.1 + one.1)
            });
            let left = known - instructions / count * instruction_s;
            let unit = cycles / count * speed.cycle_s;
            let at = at.at(Axis::Offload, offload);
            for (cause, value) in [("cpu", left), ("unit", unit)] {
                at.at(Axis::Cause, cause)
                    .add(Metric::ProcessorTime, Ok(value), document);
            }
        }
    }
}

/// Rows for a joule of the processor, and rows a second for a euro of the board. `processor_s` and `memory_s` are of a
/// transaction.
fn of_board(
    tally: &OperationTally,
    rows: Option<u64>,
    (processor_s, memory_s): (f64, f64),
    speed: &ProcessorSpeed,
) -> Vec<(Metric, Result<f64, NoValue>)> {
    let Some(rows) = rows.map(|rows| rows as f64) else {
        return Vec::new();
    };
    let count = tally.count().max(1) as f64;
    let joules = tally.ended.as_ref().and_then(|ended| {
        let run_w = ended.host.map(|host| host.supply.si() * host.run.si())?;
        Some(ended.host_j? / count + run_w * processor_s)
    });
    let per_joule = joules.map(|joules| rows / joules);
    let per_euro = speed
        .board_eur
        .map(|euros| rows / (processor_s + memory_s) / euros);
    let known = |value: Option<f64>| value.ok_or(NoValue::NotApplicable);
    vec![
        (Metric::RowsPerJoule, known(per_joule)),
        (Metric::RowsPerEuro, known(per_euro)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_has_the_counts_that_are_counted() {
        let work = EngineWork::default();
        let (asked, memory) = (VfsCounts::default(), Activity::default());
        let engine = work.engine_counts(&asked).map(|(name, _)| name);
        let files = FileSystemShape::default()
            .counts(&asked, &memory)
            .map(|(name, _)| name);
        for name in TABLE.sqlite.instructions.keys() {
            assert!(engine.contains(&&**name), "{name}");
        }
        assert!(TABLE.file_systems.contains_key("littlefs"));
        for layer in TABLE.file_systems.values() {
            for name in layer.instructions.keys() {
                assert!(files.contains(&&**name), "{name}");
            }
        }
    }

    #[test]
    fn instructions_grow_with_what_is_copied() {
        let littlefs = &TABLE.file_systems["littlefs"];
        let of = |bytes| littlefs.of([("copied_byte", bytes)]);
        assert!(of(1) > 100.0, "byte by byte through two caches");
        assert_eq!(of(1000), 1000.0 * of(1));
    }
}
