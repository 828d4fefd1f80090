//! What power cuts leave of a table: a fixed workload, cut within every access, opened again, read and used.
//!
//! The promise is the strictest that a caller can hope for: each call is done or not done, and what returned lasts. The
//! memory is the kindest there is of its kind: it stores what it is told as it arrives on its bus, in order. Where the
//! part has error correction inside, a store in flight spoils the word of it.

use std::cell::Cell;
use std::collections::BTreeMap;

use wordline_core::results::NoValue;
use wordline_core::{Axis, KvCrash, KvSizes, KvWork, Metric, ResultSet, RowOperation};
use wordline_crash::harness::{Again, Case, Harness, Outcome, Recorded, Subject};
use wordline_crash::{ByteTearing, Content, Mode};
use wordline_engines::RecordStore;

use super::TableVariant;
use super::ground::TableGround;
use super::records::WorkingSet;
use super::store;
use crate::control::{Control, Progress};
use crate::warning::LabWarning;

/// Accesses of the memory that opening, reading everything or a call may take.
const ACCESSES: u64 = 20_000;

/// Records that are inserted, and of these how many are updated and removed.
const INSERTED: u64 = 24;
const UPDATED: u64 = 8;
const REMOVED: u64 = 6;

/// What a verdict tells: distinct images, those that fail, and operations of the workload.
const METRICS: [Metric; 3] = [
    Metric::CrashImages,
    Metric::CrashFailures,
    Metric::CrashBoundaries,
];

/// Bytes of a key or a value, which print in one short word.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CrashBytes(Vec<u8>);

impl std::fmt::Debug for CrashBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for byte in self.0.iter().take(4) {
            write!(f, "{byte:02x}")?;
        }
        let more = self.0.len().saturating_sub(4);
        if more > 0 {
            write!(f, "+{more}")
        } else {
            Ok(())
        }
    }
}

/// What a table holds.
type Map = BTreeMap<CrashBytes, CrashBytes>;

/// A call of the workload, on a record by its number.
#[derive(Clone, Copy, Debug)]
enum TableCall {
    Put { number: u64, pass: u64 },
    Remove { number: u64 },
}

/// A table as software under test.
struct Software<'a> {
    variant: TableVariant,
    records: WorkingSet,
    /// What is run, for whoever watches.
    name: &'a str,
    control: &'a Control<'a>,
    /// Images that were opened.
    opened: Cell<u64>,
}

/// Images between two words on how far it is.
const IMAGES_TOLD: u64 = 100;

impl Software<'_> {
    fn sizes(&self) -> KvSizes {
        self.records.sizes
    }

    fn key(&self, number: u64) -> CrashBytes {
        let mut key = Vec::new();
        self.records.key(number, &mut key);
        CrashBytes(key)
    }

    fn value(&self, number: u64, pass: u64) -> CrashBytes {
        let mut value = Vec::new();
        let bytes = self.sizes().value_bytes as usize;
        self.records.value(number, pass, bytes, &mut value);
        CrashBytes(value)
    }

    fn removes(&self) -> bool {
        self.variant.removes()
    }

    /// Inserts, updates and, where the table can, removes and inserts again.
    fn calls(&self) -> Vec<TableCall> {
        let inserted = INSERTED.min(self.records.keys());
        let put = |pass| move |number| TableCall::Put { number, pass };
        let mut calls: Vec<TableCall> = (0..inserted).map(put(0)).collect();
        calls.extend((0..UPDATED.min(inserted)).map(put(1)));
        if self.removes() {
            let removed = REMOVED.min(inserted);
            calls.extend((0..removed).map(|number| TableCall::Remove { number }));
            calls.extend((0..removed).map(put(2)));
        }
        calls
    }
}

impl Subject for Software<'_> {
    type Medium = ByteTearing;
    type Store = Box<dyn RecordStore>;
    type Call = TableCall;
    type State = Map;

    fn prepare(&self, memory: Recorded<ByteTearing>) -> Outcome<()> {
        store::create(self.variant, self.sizes(), memory)?;
        Ok(())
    }

    fn stopped(&self) -> bool {
        self.control.stopped()
    }

    fn open(&self, memory: Recorded<ByteTearing>) -> Outcome<Self::Store> {
        let opened = self.opened.get() + 1;
        self.opened.set(opened);
        if opened.is_multiple_of(IMAGES_TOLD) {
            self.control.report(Progress {
                step: self.name,
                done_bytes: opened,
                // Nobody knows how many differ before they were looked at.
                total_bytes: 0,
            });
        }
        Ok(store::open(self.variant, self.sizes(), memory)?)
    }

    fn apply(&self, store: &mut Self::Store, call: &TableCall) -> Outcome<()> {
        match *call {
            TableCall::Put { number, pass } => {
                store.put(&self.key(number).0, &self.value(number, pass).0)?;
            }
            TableCall::Remove { number } => {
                store.remove(&self.key(number).0)?;
            }
        }
        Ok(())
    }

    fn read(&self, store: &mut Self::Store) -> Outcome<Map> {
        let mut map = Map::new();
        store.each(&mut |key, value| {
            map.insert(CrashBytes(key.to_vec()), CrashBytes(value.to_vec()));
        })?;
        Ok(map)
    }

    fn next(&self, map: &Map, call: &TableCall) -> Map {
        let mut map = map.clone();
        match *call {
            TableCall::Put { number, pass } => {
                map.insert(self.key(number), self.value(number, pass));
            }
            TableCall::Remove { number } => {
                map.remove(&self.key(number));
            }
        }
        map
    }

    /// A table that was opened again takes a record of its own and an update.
    fn after(&self) -> Vec<TableCall> {
        // The published tables lose what their overflows took with the power; they were not made to go on.
        match self.removes() {
            true => vec![TableCall::Put { number: 1, pass: 7 }],
            false => Vec::new(),
        }
    }

    fn judge(&self, found: &Map, allowed: &[Map]) -> Result<(), String> {
        if allowed.contains(found) {
            return Ok(());
        }
        let known = |key: &CrashBytes| allowed.iter().any(|map| map.contains_key(key));
        let fits = |(key, value): (&CrashBytes, &CrashBytes)| {
            allowed.iter().any(|map| map.get(key) == Some(value))
        };
        let what = if !found.keys().all(known) {
            "a key that nobody put"
        } else if !found.iter().all(fits) {
            "a value that nobody put"
        } else {
            "a record is lost, or one that was removed is back"
        };
        Err(what.to_owned())
    }
}

/// Cuts a table on a target's kind of memory, and tells the verdict. Returns whether it came to its end.
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
    let software = Software {
        variant,
        records,
        name: &name,
        control,
        opened: Cell::new(0),
    };
    let (atom, unit) = (ground.atom(), ground.word_bytes as usize);
    let mut tearing = ByteTearing::bus(unit);
    if atom > unit {
        tearing = tearing.spoiling(atom);
    }
    let mode = match crash.images {
        None => Mode::Exhaustive,
        Some(images) => Mode::Sample(usize::try_from(images).unwrap_or(usize::MAX)),
    };
    let harness = Harness {
        mode,
        seed,
        accesses: ACCESSES,
        again: Some(Again {
            every: 1,
            mode: Mode::Linear,
        }),
        ..Harness::new(
            Content::zeros(store::short_bytes(variant, sizes, atom), atom),
            tearing,
        )
    };
    let calls = software.calls();
    let verdict = harness.check(&software, &calls);
    if control.stopped() {
        return false;
    }
    let uncut = verdict.first.as_ref();
    if let Some(first) = uncut.filter(|first| first.case == Case::default()) {
        for metric in METRICS {
            document
                .rows
                .push(subject.row(metric, Err(NoValue::Failed)));
        }
        document.warn(LabWarning::UncutTableFailure {
            name: &name,
            violation: &first.violation,
        });
        return true;
    }
    let figures = [verdict.distinct, verdict.failures, verdict.operations];
    for (metric, value) in METRICS.into_iter().zip(figures) {
        document.rows.push(subject.row(metric, Ok(value as f64)));
    }
    if verdict.failures > 0 {
        let kinds = verdict.examples.iter().map(|(kind, first)| {
            let count = verdict.kinds.get(kind).copied().unwrap_or(0);
            let report = harness.report(&software, &calls, first);
            let cuts: Vec<_> = report.cuts().collect();
            format!(
                "{kind} ({count}; first image {}: cut {})",
                first.case,
                cuts.join("; then ")
            )
        });
        let kinds: Vec<_> = kinds.collect();
        document.warn(LabWarning::TablePromiseBroken {
            name: &name,
            kinds: &kinds.join(", "),
        });
    }
    true
}
