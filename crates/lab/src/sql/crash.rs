//! What power cuts leave of a database: fixed transactions, cut at operations that are drawn, opened again, read, checked
//! by SQLite itself and used.

use wordline_core::results::NoValue;
use wordline_core::{ResultSet, RowOperation};
use wordline_crash::harness::{Again, Harness, Medium, Verdict};
use wordline_crash::{ByteTearing, Content, FlashContent, FlashTearing, Mode, PairTearing};
use wordline_engines::crash::StoredBytes;
use wordline_memory::Geometry;
use wordline_nvm::Memory;
use wordline_sqlite::crash::{FilesOf, RowChange, SqlCall, SqlSubject, files_of, split_files};

use super::case::SqlSetup;
use crate::control::Control;
use crate::fs::system::FileSystemCase;
use crate::payload::Payload;
use crate::power_cuts::{self, violation_kinds};
use crate::warning::LabWarning;

/// Blocks of flash that the database has: enough for a translation layer with its spare ones.
const BLOCKS: u32 = 64;

/// Bytes that it has of a memory without blocks.
const BYTES: u64 = 256 << 10;

/// Accesses of the memory that a transaction may take, mount and recovery included.
const ACCESSES: u64 = 1 << 22;

/// One image in so many has its recovery cut as well.
const AGAIN_EVERY: u64 = 4;

/// Cuts that are drawn of such a recovery.
const AGAIN: usize = 2;

/// Transactions of several rows that are cut, besides those that make and drop a table.
const CHANGES: i64 = 12;

/// Adds the verdict of a database on a file system. Returns whether it came to its end.
pub(super) fn add(
    (system, log): (&FileSystemCase<'_>, Option<&FileSystemCase<'_>>),
    setup: &SqlSetup,
    images: u64,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> bool {
    let subject = setup.at(&system.subject(), log);
    let subject = subject.doing(RowOperation::Crash);
    let log_suits = log.is_none_or(|log| log.suits);
    let suits = setup
        .unsuitable(system.engine.kind, log.is_some())
        .is_none();
    if !system.suits || !log_suits || !suits {
        let rows = power_cuts::rows_without(&subject, NoValue::NotApplicable);
        document.rows.extend(rows);
        return true;
    }
    let engine = &system.engine;
    let title = format!("SQLite on {}, {}", engine.kind.title(), setup.name());
    let run = CutRun {
        system,
        log,
        setup,
        images,
        control,
    };
    let (verdict, kinds) = match (&system.memory, log.map(|log| (log, &log.memory))) {
        (Memory::Flash(flash), None) => run.cut(on_flash(system, flash.geometry())),
        (Memory::Bytes(device), None) => run.cut(on_bytes(system, device.len(), device.atom())),
        (Memory::Flash(flash), Some((log, memory))) => {
            let tables = on_flash(system, flash.geometry());
            match memory {
                Memory::Flash(flash) => run.cut(pair(tables, on_flash(log, flash.geometry()))),
                Memory::Bytes(device) => {
                    run.cut(pair(tables, on_bytes(log, device.len(), device.atom())))
                }
            }
        }
        (Memory::Bytes(device), Some((log, memory))) => {
            let tables = on_bytes(system, device.len(), device.atom());
            match memory {
                Memory::Flash(flash) => run.cut(pair(tables, on_flash(log, flash.geometry()))),
                Memory::Bytes(device) => {
                    run.cut(pair(tables, on_bytes(log, device.len(), device.atom())))
                }
            }
        }
    };
    if control.stopped() {
        return false;
    }
    if let Some(violation) = power_cuts::uncut_failure(&verdict) {
        let rows = power_cuts::rows_without(&subject, NoValue::Failed);
        document.rows.extend(rows);
        document.warn(LabWarning::UncutFailure {
            target: &subject.target,
            engine: &title,
            violation,
        });
        return true;
    }
    document.rows.extend(power_cuts::rows(&subject, &verdict));
    if !kinds.is_empty() {
        let why = match setup.options().survives_power_cuts() {
            true => "",
            false => "; these settings promise nothing after a power cut",
        };
        document.warn(LabWarning::PromiseBroken {
            target: &subject.target,
            engine: &title,
            kinds: &kinds.join(", "),
            why: &why,
        });
    }
    true
}

/// What a file system is cut on.
struct CutFiles<'a, T: Medium> {
    start: T::Content,
    tearing: T,
    files: FilesOf<'a, T>,
}

fn on_flash<'a>(system: &'a FileSystemCase<'_>, whole: Geometry) -> CutFiles<'a, FlashTearing> {
    let engine = &system.engine;
    let geometry = Geometry {
        blocks: whole.blocks.min(BLOCKS),
        ..whole
    };
    let model = engine.target.part.model.flash();
    let contract = |memory, formats| Ok(engine.on_flash(memory, formats)?.0);
    CutFiles {
        start: FlashContent::erased(geometry),
        tearing: model.map_or(FlashTearing::raw(), FlashTearing::of),
        files: files_of(engine.kind, engine.options().clone(), contract),
    }
}

fn on_bytes<'a>(
    system: &'a FileSystemCase<'_>,
    bytes: u64,
    atom: usize,
) -> CutFiles<'a, ByteTearing> {
    let engine = &system.engine;
    let contract = |memory, _| engine.on_bytes(memory);
    CutFiles {
        start: Content::zeros(bytes.min(BYTES), atom),
        tearing: ByteTearing::contract(),
        files: files_of(engine.kind, engine.options().clone(), contract),
    }
}

/// Tables on one memory, logs and journals on the other: a cut stops both.
fn pair<'a, A: Medium, B: Medium>(
    tables: CutFiles<'a, A>,
    logs: CutFiles<'a, B>,
) -> CutFiles<'a, PairTearing<A, B>> {
    CutFiles {
        start: (tables.start, logs.start),
        tearing: PairTearing {
            first: tables.tearing,
            second: logs.tearing,
        },
        files: split_files(tables.files, logs.files),
    }
}

/// Fixed transactions that are cut.
struct CutRun<'a, 'c> {
    system: &'a FileSystemCase<'a>,
    log: Option<&'a FileSystemCase<'a>>,
    setup: &'a SqlSetup,
    images: u64,
    control: &'a Control<'c>,
}

impl CutRun<'_, '_> {
    /// Cuts them, so many times; with each kind of failure its first image.
    fn cut<T: Medium>(&self, files: CutFiles<'_, T>) -> (Verdict, Vec<String>) {
        let (system, log, setup) = (self.system, self.log, self.setup);
        let (images, control) = (self.images, self.control);
        let (start, tearing) = (files.start, files.tearing);
        let seed = system.experiment.seed;
        let stopped = || control.stopped();
        let payload = Payload::new(seed);
        let software = SqlSubject {
            settings: setup.settings(system, log),
            before: vec![SqlCall::CreateTable("readings"), change(&payload, 0)],
            after: vec![change(&payload, CHANGES + 1)],
            stopped: &stopped,
            ..SqlSubject::new(files.files, setup.options())
        };
        let mut calls: Vec<_> = (1..=CHANGES)
            .map(|number| change(&payload, number))
            .collect();
        calls.insert(3, SqlCall::CreateTable("alarms"));
        calls.insert(8, SqlCall::Checkpoint);
        calls.push(SqlCall::DropTable("alarms"));
        let harness = Harness {
            mode: Mode::Sample(usize::try_from(images).unwrap_or(usize::MAX)),
            seed,
            again: Some(Again {
                every: AGAIN_EVERY,
                mode: Mode::Sample(AGAIN),
            }),
            accesses: ACCESSES,
            ..Harness::new(start, tearing)
        };
        let verdict = harness.check(&software, &calls);
        let kinds = violation_kinds(&harness, &software, &calls, &verdict);
        (verdict, kinds)
    }
}

/// A transaction that inserts three rows, replaces one and removes one, the longest as long as two pages are.
fn change(payload: &Payload, number: i64) -> SqlCall {
    let value = |row: u64, bytes: usize| {
        let mut value = vec![0; bytes];
        payload.fill(row, number as u64, &mut value);
        StoredBytes(value)
    };
    let first = 3 * number;
    let long = if number % 4 == 2 { 1200 } else { 90 };
    SqlCall::Change(vec![
        RowChange::Put("readings", first, value(0, 20)),
        RowChange::Put("readings", first + 1, value(1, 60)),
        RowChange::Put("readings", first + 2, value(2, long)),
        RowChange::Put("readings", first / 2, value(3, 30)),
        RowChange::Remove("readings", (first - 4).max(0)),
    ])
}
