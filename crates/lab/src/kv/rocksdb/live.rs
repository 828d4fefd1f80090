//! RocksDB as it is run, recorded and played.

use std::collections::BTreeMap;

use wordline_catalog::{PartOnBoard, Target};
use wordline_core::RowOperation::{self, Delete, Hit, Insert, Miss, Update};
use wordline_core::quantity::{Fraction, Quantity as _};
use wordline_core::{Axis, EngineName, Experiment, KvBench, KvBuild, KvSizes, KvWork, ResultSet};
use wordline_engines::{FileRecorder, RecordedFiles, Shared, VolatileFiles};
use wordline_rocksdb::{RocksError, RocksOptions, RocksStore};
use wordline_trace::files::FileTraceForm;

use super::ROCKSDB;
use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::fs::calls::CallFailure;
use crate::fs::system::{FileSystemCase, FileSystemChoices};
use crate::instrument::case::{DocumentCase, run_into};
use crate::io::{LoadedTrace, SystemReplay};
use crate::kv::records::WorkingSet;
use crate::kv::{floor_bytes, points, rows};
use crate::payload::Payload;
use crate::subject::Subject;
use crate::warning::LabWarning;

/// The file system whose bytes lie in a memory as they are, so that RocksDB is compared with tables that need none.
const FILES: &str = "flat";

/// What a reader should know of its figures, before what is said of every table whose work is not counted.
const IN_WORDS: &str = "RocksDB (one run of it; its threads make each run another)";

/// Bytes of its files besides its log, rounded up: options, manifest, and the log of what it does.
const OTHER_FILES: u64 = 64 << 10;

/// Bytes of its log for a record besides key and value: header of 7, of a batch 12, kind and two lengths of up to 2.
const LOG_RECORD: u64 = 7 + 12 + 1 + 4;

/// What is done, in this order. Puts, updates and removals go to the log.
const PHASES: [RowOperation; 5] = [Insert, Hit, Miss, Update, Delete];

/// One run of RocksDB.
#[derive(Clone, Copy)]
struct RocksRun {
    records: WorkingSet,
    load: Fraction,
    /// The most operations of a kind.
    most: u64,
}

/// Runs RocksDB at each size and load, and plays what it called on every target.
pub(in crate::kv) fn bench(
    targets: &[Target<'_>],
    bench: &KvBench,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    if bench.works.iter().any(|work| *work != KvWork::Sweep) {
        return Err(SettingProblem::SweepAlone(ROCKSDB).of("workload"));
    }
    let parts = targets.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    let file_systems: Vec<EngineName> = FILES.parse().into_iter().collect();
    let choices = FileSystemChoices {
        file_systems: &file_systems,
        settings: &BTreeMap::new(),
        asked_bytes: None,
        bytes: &|model| model.capacity_bytes().min(bench.capacity_bytes),
    };
    let payload = &Payload::new(experiment.seed);
    let mut cases = Vec::new();
    for &timing in &experiment.timings {
        for &part in &parts {
            for file_system in &file_systems {
                let system =
                    FileSystemCase::new(part, file_system, timing, &choices, experiment, document)?;
                document.warn(LabWarning::UncountedWork {
                    name: &IN_WORDS,
                    board: &part.board.header.id,
                });
                for (work, sizes, load) in points(bench) {
                    let run = RocksRun {
                        records: WorkingSet {
                            sizes,
                            work,
                            seed: experiment.seed,
                        },
                        load,
                        most: bench.operations.unwrap_or(u64::MAX),
                    };
                    let system = system.fork();
                    let name = system.engine.target.name.clone();
                    let case = move |control: &Control<'_>, document: &mut ResultSet| {
                        let ran = run.play(&system, payload, control, document);
                        document.complete = !matches!(ran, Err(CallFailure::Stopped));
                        if let (Err(failure), true) = (ran, document.complete) {
                            let subject = run.subject(&system);
                            system.failed(&subject, RowOperation::All, &failure, document);
                        }
                        Ok(())
                    };
                    cases.push(DocumentCase::document(name, 1, experiment, case));
                }
            }
        }
    }
    run_into(document, cases, control)
}

fn part<'a>(target: &'a Target<'a>) -> Result<&'a PartOnBoard<'a>, LabError> {
    match target {
        Target::Part(part) => Ok(part),
        other => Err(SettingProblem::PartsAlone {
            table: ROCKSDB,
            target: other.name(),
        }
        .of("table")),
    }
}

impl RocksRun {
    /// Records at the load of those that its log has room for, each put, updated and removed once.
    fn count(&self, bytes: u64) -> u64 {
        let KvSizes {
            key_bytes,
            value_bytes,
        } = self.records.sizes;
        let each = 3 * (LOG_RECORD + key_bytes) + 2 * value_bytes;
        let places = bytes.saturating_sub(OTHER_FILES) / each;
        let count = (places as f64 * self.load.si()).floor().max(1.0) as u64;
        count.min(self.records.keys())
    }

    fn subject(&self, system: &FileSystemCase<'_>) -> Subject {
        let mut subject = system.subject();
        subject.workload = "kv";
        subject
            .at(Axis::Table, ROCKSDB)
            .at(Axis::Work, self.records.work.name())
            .at(Axis::Load, self.load.si())
            .at(Axis::Build, KvBuild::None.name())
            .at(Axis::KeyBytes, self.records.sizes.key_bytes)
            .at(Axis::ValueBytes, self.records.sizes.value_bytes)
    }

    /// Runs RocksDB, and plays what it called on a file system.
    fn play(
        &self,
        system: &FileSystemCase<'_>,
        payload: &Payload,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<(), CallFailure> {
        let failed = |error: &dyn std::fmt::Display| CallFailure::Database(error.to_string());
        let trace = self
            .record(system.bytes, control)
            .map_err(|error| match error {
                Some(error) => failed(&error),
                None => CallFailure::Stopped,
            })?;
        let trace = LoadedTrace::of(&*trace).map_err(|error| failed(&error))?;
        let mut played = SystemReplay::run(system, &trace, payload, control, document)?;
        let subject = self.subject(system);
        let name = format!(
            "{}, RocksDB, {} of {} at load {}",
            system.name(&system.whole()),
            self.records.work.name(),
            self.records.sizes,
            self.load
        );
        for operation in PHASES {
            let Some(marked) = played.trace.marked.get_mut(&operation) else {
                continue;
            };
            let tally = &mut marked.calls;
            tally.stores = matches!(operation, Insert | Update);
            // Of a memory that takes any byte, as those of the tables are.
            tally.floor_bytes = floor_bytes(operation, self.records.sizes, 1) * tally.count();
            let name = format!("{name}, {operation}");
            rows::add_scattered(&subject.doing(operation), &name, tally, document);
        }
        played.end(system, document)
    }

    /// The trace of a run, or why there is none: `None` where the caller stopped it.
    fn record(&self, bytes: u64, control: &Control<'_>) -> Result<Vec<u8>, Option<RocksError>> {
        let mut files = VolatileFiles::new(bytes);
        let unwritten = |error: std::io::Error| Some(RocksError::new(error));
        let recorder = FileRecorder::new(&mut files, Vec::new(), FileTraceForm::Binary, ROCKSDB);
        let recorder = Shared::new(recorder.map_err(unwritten)?);
        let files = RecordedFiles::new(files, recorder.clone());
        let options = RocksOptions {
            sync: true,
            ..RocksOptions::default()
        };
        let observer = Some(Box::new(recorder.clone()) as _);
        let mut store = RocksStore::open(Box::new(files), &options, observer)?;
        // The calls so far opened the database; they do not belong to the workload.
        store.ended("ready");
        let count = self.count(bytes);
        for operation in PHASES {
            let from = if operation == Miss { count } else { 0 };
            let all = count.min(self.records.keys() - from);
            let timed = match operation {
                Insert => all,
                _ => all.min(self.most),
            };
            for number in 0..timed {
                if control.stopped() {
                    return Err(None);
                }
                self.act(operation, from + number * all / timed, &mut store)?;
                store.ended(operation.name());
            }
        }
        drop(store.close()?);
        match recorder.into_inner() {
            Ok(recorder) => recorder.finish().map_err(unwritten),
            Err(_) => unreachable!("the database is closed"),
        }
    }

    /// One operation, whose result is held against what was put.
    fn act(
        &self,
        operation: RowOperation,
        number: u64,
        store: &mut RocksStore,
    ) -> Result<(), RocksError> {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        self.records.key(number, &mut key);
        let pass = u64::from(operation == Update);
        let bytes = self.records.sizes.value_bytes as usize;
        self.records.value(number, pass, bytes, &mut value);
        match operation {
            Insert | Update => store.put(&key, &value),
            Delete => store.remove(&key),
            _ => {
                let expected = (operation == Hit).then_some(true);
                match store.get(&key, |found| found == value)? == expected {
                    true => Ok(()),
                    false => Err(RocksError::new(
                        "a get returns another value than was put, or none",
                    )),
                }
            }
        }
    }
}
