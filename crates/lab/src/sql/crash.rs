//! What power cuts leave of a database: fixed transactions, cut at operations that are drawn, opened again, read, checked
//! by SQLite itself and used.

use wordline_core::results::NoValue;
use wordline_core::{ResultSet, RowOperation};
use wordline_crash::harness::{Again, Harness, Verdict};
use wordline_crash::{ByteTearing, Content, FlashContent, FlashTearing, Mode};
use wordline_engines::crash::{CutMemory, StoredBytes};
use wordline_memory::Geometry;
use wordline_nvm::Memory;
use wordline_sqlite::crash::{RowChange, SqlCall, SqlSubject};

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
    system: &FileSystemCase<'_>,
    setup: &SqlSetup,
    images: u64,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> bool {
    let subject = setup.at(&system.subject()).doing(RowOperation::Crash);
    if !system.suits || !setup.suits(system.engine.kind) {
        let rows = power_cuts::rows_without(&subject, NoValue::NotApplicable);
        document.rows.extend(rows);
        return true;
    }
    let engine = &system.engine;
    let title = format!("SQLite on {}, {}", engine.kind.title(), setup.name());
    let (verdict, kinds) = match &system.memory {
        Memory::Flash(flash) => {
            let whole = flash.geometry();
            let geometry = Geometry {
                blocks: whole.blocks.min(BLOCKS),
                ..whole
            };
            let model = engine.target.part.model.flash();
            let tearing = model.map_or(FlashTearing::raw(), FlashTearing::of);
            let software = SqlSubject::new(
                engine.kind,
                engine.options().clone(),
                |memory, formats| Ok(engine.on_flash(memory, formats)?.0),
                setup.options(),
            );
            let start = FlashContent::erased(geometry);
            cut(software, start, tearing, (system, setup), images, control)
        }
        Memory::Bytes(device) => {
            let content = Content::zeros(device.len().min(BYTES), device.atom());
            let software = SqlSubject::new(
                engine.kind,
                engine.options().clone(),
                |memory, _| engine.on_bytes(memory),
                setup.options(),
            );
            let tearing = ByteTearing::contract();
            cut(software, content, tearing, (system, setup), images, control)
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

/// Cuts the transactions, `images` times; with each kind of failure its first image.
fn cut<'a, T: CutMemory>(
    software: SqlSubject<'a, T>,
    start: T::Content,
    tearing: T,
    (system, setup): (&'a FileSystemCase<'_>, &SqlSetup),
    images: u64,
    control: &'a Control<'_>,
) -> (Verdict, Vec<String>) {
    let seed = system.experiment.seed;
    let stopped = || control.stopped();
    let payload = Payload::new(seed);
    let software = SqlSubject {
        settings: setup.settings(system),
        before: vec![SqlCall::CreateTable("readings"), change(&payload, 0)],
        after: vec![change(&payload, CHANGES + 1)],
        stopped: &stopped,
        ..software
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
