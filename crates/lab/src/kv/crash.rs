//! What power cuts leave of a table: a fixed workload, cut within every access, opened again, read and used.
//!
//! The promise is the strictest that a caller can hope for: each call is done or not done, and what returned lasts. The
//! memory is the kindest there is of its kind: it stores what it is sent as it arrives on its bus, in order. Where the
//! part has error correction inside, a store in flight spoils the word of it.

use std::cell::Cell;

use wordline_core::results::NoValue;
use wordline_core::{Axis, KvCrash, KvSizes, KvWork, ResultSet, RowOperation};
use wordline_crash::harness::{Again, Harness};
use wordline_crash::{ByteTearing, Content, Mode};
use wordline_engines::crash::{RecordCall, StoreSubject, StoredBytes};

use super::TableVariant;
use super::ground::TableGround;
use super::records::WorkingSet;
use super::store;
use crate::control::{Control, Progress};
use crate::power_cuts;
use crate::warning::LabWarning;

/// Accesses of the memory that opening, reading everything or a call may take.
const ACCESSES: u64 = 20_000;

/// Records that are inserted, and of these how many are updated and removed.
const INSERTED: u64 = 24;
const UPDATED: u64 = 8;
const REMOVED: u64 = 6;

/// Images of each access of a table that writes pages, one of which is the cut before it. Of so many images the recovery
/// of one is cut in turn.
const PAGE_IMAGES: u64 = 16;

/// Images between two words on how far it is.
const IMAGES_TOLD: u64 = 100;

/// Inserts, updates and, where the table can, removes and inserts again.
fn workload(records: &WorkingSet, removes: bool) -> Vec<RecordCall> {
    let inserted = INSERTED.min(records.keys());
    let mut calls: Vec<_> = (0..inserted)
        .map(|number| put(records, number, 0))
        .collect();
    calls.extend((0..UPDATED.min(inserted)).map(|number| put(records, number, 1)));
    if removes {
        let removed = REMOVED.min(inserted);
        calls.extend((0..removed).map(|number| RecordCall::Remove(key(records, number))));
        calls.extend((0..removed).map(|number| put(records, number, 2)));
    }
    calls
}

fn key(records: &WorkingSet, number: u64) -> StoredBytes {
    let mut key = Vec::new();
    records.key(number, &mut key);
    StoredBytes(key)
}

fn put(records: &WorkingSet, number: u64, pass: u64) -> RecordCall {
    let mut value = Vec::new();
    let bytes = records.sizes.value_bytes as usize;
    records.value(number, pass, bytes, &mut value);
    RecordCall::Put(key(records, number), StoredBytes(value))
}

/// Cuts a table on a target's kind of memory, and reports the verdict. Returns whether it came to its end.
pub(super) fn check(
    ground: &TableGround<'_>,
    variant: TableVariant,
    sizes: KvSizes,
    crash: &KvCrash,
    seed: u64,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> bool {
    if control.stopped() {
        return false;
    }
    let mut subject = ground
        .subject(variant)
        .at(Axis::KeyBytes, sizes.key_bytes)
        .at(Axis::ValueBytes, sizes.value_bytes);
    subject.operation = RowOperation::Crash;
    let name = format!("{}, {}, {sizes}", ground.name(), variant.name());
    let work = KvWork::Sweep;
    let records = WorkingSet { sizes, work, seed };
    let images = Cell::new(0_u64);
    let opened = || {
        images.update(|count| count + 1);
        if images.get().is_multiple_of(IMAGES_TOLD) {
            control.report(Progress {
                step: &name,
                done_bytes: images.get(),
                // Nobody knows how many differ before they were looked at.
                total_bytes: 0,
            });
        }
    };
    let software = StoreSubject {
        // A table that was opened again takes an update. The published tables lose what their overflows took with the
        // power; they were not made to go on.
        after: match variant.removes() {
            true => vec![put(&records, 1, 7)],
            false => Vec::new(),
        },
        stopped: &|| control.stopped(),
        opened: &opened,
        ..variant.table.subject(store::options(variant, sizes))
    };
    let (atom, unit) = (ground.atom(), ground.word_bytes as usize);
    let mut tearing = ByteTearing::bus(unit);
    if atom > unit {
        tearing = tearing.spoiling(atom);
    }
    let writes_pages = variant.table.writes_pages();
    let mode = match crash.images {
        None if writes_pages => Mode::Each(PAGE_IMAGES),
        None => Mode::Exhaustive,
        Some(images) => Mode::Sample(usize::try_from(images).unwrap_or(usize::MAX)),
    };
    let harness = Harness {
        mode,
        seed,
        accesses: ACCESSES,
        again: Some(Again {
            every: if writes_pages { PAGE_IMAGES } else { 1 },
            mode: Mode::Linear,
        }),
        ..Harness::new(
            Content::zeros(store::short_bytes(variant, sizes, atom), atom),
            tearing,
        )
    };
    let calls = workload(&records, variant.removes());
    let verdict = harness.check(&software, &calls);
    if control.stopped() {
        return false;
    }
    if let Some(violation) = power_cuts::uncut_failure(&verdict) {
        let rows = power_cuts::rows_without(&subject, NoValue::Failed);
        document.rows.extend(rows);
        document.warn(LabWarning::UncutTableFailure {
            name: &name,
            violation,
        });
        return true;
    }
    document.rows.extend(power_cuts::rows(&subject, &verdict));
    if verdict.failures > 0 {
        let kinds = power_cuts::violation_kinds(&harness, &software, &calls, &verdict);
        document.warn(LabWarning::TablePromiseBroken {
            name: &name,
            kinds: &kinds.join(", "),
        });
    }
    true
}
