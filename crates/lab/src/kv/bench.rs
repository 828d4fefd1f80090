//! One table on one memory, with records of one size, at one load.

use wordline_core::quantity::{Fraction, Quantity as _, Time};
use wordline_core::results::{NoValue, WarningCode};
use wordline_core::{KvBench, KvBuild, KvSizes, KvTable, KvWork, Metric, ResultSet};
use wordline_host::MappedFileError;
use wordline_nvm::ProcessorCost;

use super::memory::{Part, PartError};
use super::mix::{Mix, Step};
use super::processor::Call;
use super::records::Records;
use super::store::{Store, StoreError};
use super::tally::{Tally, Timed};
use super::{Ground, Variant, floor_bytes, rows};
use crate::control::Control;
use crate::error::LabError;
use crate::subject::Subject;

/// What is done once the table is filled, in this order.
const AFTER: [&str; 4] = ["hit", "miss", "update", "delete"];

/// A table on a memory, with records of one size, at one load.
pub(super) struct Case<'a> {
    pub(super) ground: &'a Ground<'a>,
    /// How the software is built, where its processor is simulated.
    pub(super) build: Option<KvBuild>,
    /// What the processor takes, where that counts.
    pub(super) processor: Option<ProcessorCost>,
    pub(super) variant: Variant,
    pub(super) work: KvWork,
    pub(super) sizes: KvSizes,
    pub(super) load: Fraction,
    pub(super) bench: &'a KvBench,
    pub(super) seed: u64,
    pub(super) control: &'a Control<'a>,
}

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Store(#[from] StoreError<PartError>),
    #[error("a get returns another value than was put, or none; please report this defect")]
    Wrong,
    #[error("the caller stopped it")]
    Stopped,
}

impl Failure {
    /// What became of a memory of this machine, which others hold as well.
    const fn of_host(&self) -> Option<&MappedFileError> {
        use wordline_kv::{Error, fixtures::FixtureError};
        match self {
            Self::Store(
                StoreError::Own(Error::Memory(PartError::File(error)))
                | StoreError::Fixture(FixtureError::Memory(PartError::File(error))),
            ) => Some(error),
            _ => None,
        }
    }
}

/// The table, and what its operations are made from.
struct Bench<'a> {
    store: Store<Part>,
    variant: Variant,
    processor: Option<ProcessorCost>,
    word_bytes: u64,
    records: Records,
    /// How often each record was put.
    passes: Vec<u64>,
    control: &'a Control<'a>,
    key: Vec<u8>,
    value: Vec<u8>,
    out: Vec<u8>,
}

impl Bench<'_> {
    /// Times `count` operations on records from `first` on.
    fn measure(
        &mut self,
        operation: &'static str,
        first: u64,
        count: u64,
    ) -> Result<Tally, Failure> {
        let mut tally = Tally::begin(self.store.memory());
        for number in first..first + count {
            let one = self.timed(operation, number)?;
            tally.add(&one);
        }
        tally.end(self.store.memory());
        Ok(tally)
    }

    /// Puts `count` records and times `most` of them, spread over all.
    fn fill(&mut self, count: u64, most: u64) -> Result<Tally, Failure> {
        let mut tally = Tally::begin(self.store.memory());
        for number in 0..count {
            let timed_before = |number: u64| number * most / count;
            if most >= count || timed_before(number + 1) > timed_before(number) {
                self.catch_up()?;
                let one = self.timed("insert", number)?;
                tally.add(&one);
            } else {
                self.untimed("insert", number)?;
            }
        }
        self.catch_up()?;
        tally.end(self.store.memory());
        Ok(tally)
    }

    /// Makes last what was done without being timed.
    fn catch_up(&mut self) -> Result<(), Failure> {
        let caught_up = self.store.memory().catch_up();
        Ok(caught_up
            .map_err(wordline_kv::Error::Memory)
            .map_err(StoreError::from)?)
    }

    /// Times operations of a mix: all of them, and each kind by itself.
    fn mixed(&mut self, mut mix: Mix, count: u64) -> Result<Vec<(&'static str, Tally)>, Failure> {
        let kinds = ["all", "read", "update", "insert", "read-modify-write"];
        let begin = |store: &mut Store<Part>| Tally::begin(store.memory());
        let mut tallies: Vec<_> = kinds.map(|kind| (kind, begin(&mut self.store))).into();
        for number in 0..count {
            let records = self.passes.len() as u64;
            let (kind, one) = match mix.step(number, records) {
                Step::Read(record) => (1, self.timed("hit", record)?),
                Step::Update(record) => (2, self.timed("update", record)?),
                Step::Insert => {
                    mix.grow();
                    (3, self.timed("insert", records)?)
                }
                Step::ReadModifyWrite(record) => {
                    let read = self.timed("hit", record)?;
                    (4, read.then(&self.timed("update", record)?))
                }
            };
            for place in [0, kind] {
                tallies[place].1.add(&one);
            }
        }
        // Where the memory's time went is known of all of them together.
        tallies[0].1.end(self.store.memory());
        tallies.retain(|(_, tally)| tally.latency.count() > 0);
        Ok(tallies)
    }

    /// Times one operation on one record. What is not the table's own work is done before and after.
    fn timed(&mut self, operation: &'static str, number: u64) -> Result<Timed, Failure> {
        self.prepare(operation, number)?;
        self.store.memory().take_heard();
        let start = self.store.memory().now();
        let done = self.act(operation);
        let end = self.store.memory().now();
        let heard = self.store.memory().take_heard();
        self.judge(operation, number, done?)?;
        let sizes = self.records.sizes_of(number);
        let processor = self.processor.as_ref().map(|cost| {
            let call = Call {
                operation,
                key_bytes: sizes.key_bytes,
                value_bytes: sizes.value_bytes,
            };
            call.spent(self.variant, &heard, cost)
        });
        let mut took = end.since(start);
        for &time in processor.iter().flatten() {
            self.store.memory().stand_by(time);
            took = took.plus(time);
        }
        Ok(Timed {
            took,
            heard,
            processor,
            floor_bytes: floor_bytes(operation, sizes, self.word_bytes),
        })
    }

    /// One operation on one record that nobody times, so that nobody waits for a disk either.
    fn untimed(&mut self, operation: &'static str, number: u64) -> Result<(), Failure> {
        self.prepare(operation, number)?;
        self.store.memory().put_off();
        let done = self.act(operation)?;
        self.judge(operation, number, done)
    }

    /// How often a record is put once an operation is done.
    fn pass(&self, operation: &'static str, number: u64) -> u64 {
        let put_before = self.passes.get(number as usize).copied();
        put_before.unwrap_or(0) + u64::from(operation == "update")
    }

    /// Makes key and value.
    fn prepare(&mut self, operation: &'static str, number: u64) -> Result<(), Failure> {
        if self.control.stopped() {
            return Err(Failure::Stopped);
        }
        let value_bytes = self.records.sizes_of(number).value_bytes as usize;
        let pass = self.pass(operation, number);
        self.records.key(number, &mut self.key);
        self.records
            .value(number, pass, value_bytes, &mut self.value);
        self.out.resize(value_bytes, 0);
        Ok(())
    }

    /// One operation with the key and the value; the bytes that it found, where it found the key.
    fn act(&mut self, operation: &'static str) -> Result<Option<usize>, StoreError<PartError>> {
        match operation {
            "insert" | "update" => {
                self.store.put(&self.key, &self.value)?;
                Ok(None)
            }
            "delete" => Ok(self.store.remove(&self.key)?.then_some(0)),
            _ => self.store.get(&self.key, &mut self.out),
        }
    }

    /// Holds what an operation found against what was put.
    fn judge(
        &mut self,
        operation: &'static str,
        number: u64,
        found: Option<usize>,
    ) -> Result<(), Failure> {
        let is_right = match operation {
            "insert" | "update" => {
                let pass = self.pass(operation, number);
                match self.passes.get_mut(number as usize) {
                    Some(last) => *last = pass,
                    None => self.passes.push(pass),
                }
                true
            }
            "delete" => found.is_some(),
            "miss" => found.is_none(),
            _ => found == Some(self.value.len()) && self.out == self.value,
        };
        is_right.then_some(()).ok_or(Failure::Wrong)
    }
}

impl Case<'_> {
    /// Runs everything. Returns whether it came to its end, with figures or without.
    pub(super) fn run(&self, document: &mut ResultSet) -> Result<bool, LabError> {
        let subject = self.subject();
        if let Err(why) = self.suits() {
            let at = Subject {
                operation: "all",
                ..subject
            };
            rows::without_value(&at, NoValue::NotApplicable, document);
            let advice = format!("{}: {why}", self.name());
            document.warn(WarningCode::Advice, advice);
            return Ok(true);
        }
        let part = self.ground.part(self.bench.capacity_bytes)?;
        let store = match Store::format(self.variant, self.sizes, part) {
            Ok(store) => store,
            Err(error) => {
                self.failed(&subject, "insert", &error.into(), document)?;
                return Ok(true);
            }
        };
        let mut bench = Bench {
            records: Records {
                sizes: self.sizes,
                work: self.work,
                seed: self.seed,
            },
            passes: Vec::new(),
            variant: self.variant,
            processor: self.processor,
            word_bytes: self.ground.word_bytes,
            control: self.control,
            key: Vec::new(),
            value: Vec::new(),
            out: Vec::new(),
            store,
        };
        match self.work {
            KvWork::Sweep => self.sweep(&mut bench, &subject, document),
            _ => self.mix(&mut bench, &subject, document),
        }
    }

    /// Why the table cannot do the work.
    fn suits(&self) -> Result<(), &'static str> {
        match self.work {
            KvWork::YcsbE => Err("it scans, and a hash table has no order to scan in"),
            work if work.has_own_sizes() && !matches!(self.variant.table, KvTable::Own) => {
                Err("its records have many sizes, and this table has one for all")
            }
            _ => Ok(()),
        }
    }

    /// Each kind of operation by itself.
    fn sweep(
        &self,
        bench: &mut Bench<'_>,
        subject: &Subject,
        document: &mut ResultSet,
    ) -> Result<bool, LabError> {
        let count = self.count(bench, document);
        let at = |operation| Subject {
            operation,
            ..subject.clone()
        };
        let ram = bench.store.ram_bytes() as f64;
        document
            .rows
            .push(at("insert").row(Metric::TableRam, Ok(ram)));
        let filled = bench.fill(count, self.ground.most_inserts(self.bench));
        if !self.told(bench, &at("insert"), filled, document)? {
            return Ok(!self.control.stopped());
        }
        let most = self.ground.most(self.bench);
        for operation in AFTER {
            let at = at(operation);
            let (first, count) = match operation {
                "miss" => (count, (bench.records.keys() - count).min(count)),
                _ => (0, count),
            };
            let count = count.min(most);
            if count == 0 || operation == "delete" && !self.variant.removes() {
                rows::without_value(&at, NoValue::NotApplicable, document);
                continue;
            }
            let measured = bench.measure(operation, first, count);
            if !self.told(bench, &at, measured, document)? && self.control.stopped() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Operations of several kinds by turns, on a table that is filled when nothing is timed.
    fn mix(
        &self,
        bench: &mut Bench<'_>,
        subject: &Subject,
        document: &mut ResultSet,
    ) -> Result<bool, LabError> {
        let ran = self.prefill(bench, document).and_then(|()| {
            let records = bench.passes.len() as u64;
            let count = self.ground.mixed(self.bench);
            match Mix::new(self.work, records, self.seed) {
                Some(mix) => bench.mixed(mix, count),
                None => Ok(Vec::new()),
            }
        });
        match ran {
            Ok(tallies) => {
                for (operation, tally) in &tallies {
                    let at = Subject {
                        operation,
                        ..subject.clone()
                    };
                    let name = format!("{}, {operation}", self.name());
                    rows::add(&at, name, tally, bench.store.memory(), document);
                }
                Ok(true)
            }
            Err(Failure::Stopped) => Ok(false),
            Err(failure) => {
                self.failed(subject, "all", &failure, document)?;
                Ok(true)
            }
        }
    }

    /// Fills the table to the load, and times nothing.
    fn prefill(&self, bench: &mut Bench<'_>, document: &mut ResultSet) -> Result<(), Failure> {
        if self.work.has_own_sizes() {
            let places = bench.store.places() as f64;
            let left = (places * (1.0 - self.load.si())).ceil() as u64;
            for number in 0.. {
                if bench.store.free_places().is_none_or(|free| free <= left) {
                    break;
                }
                bench.untimed("insert", number)?;
            }
        } else {
            let count = self.count(bench, document);
            (0..count).try_for_each(|number| bench.untimed("insert", number))?;
        }
        bench.catch_up()
    }

    /// Records at the load, at least one.
    fn count(&self, bench: &Bench<'_>, document: &mut ResultSet) -> u64 {
        let wanted = (bench.store.places() as f64 * self.load.si())
            .floor()
            .max(1.0) as u64;
        let count = wanted.min(bench.records.keys());
        if count < wanted {
            let advice = format!(
                "{}: keys of {} B name {count} records, so that the table holds these and not {wanted}",
                self.name(),
                self.sizes.key_bytes
            );
            document.warn(WarningCode::FewSamples, advice);
        }
        count
    }

    /// Tells of operations that were timed. Returns whether all came to their end.
    fn told(
        &self,
        bench: &mut Bench<'_>,
        at: &Subject,
        measured: Result<Tally, Failure>,
        document: &mut ResultSet,
    ) -> Result<bool, LabError> {
        let tally = match measured {
            Ok(tally) => tally,
            Err(Failure::Stopped) => return Ok(false),
            Err(failure) => {
                self.failed(at, at.operation, &failure, document)?;
                return Ok(false);
            }
        };
        if tally.elapsed == Time::ZERO {
            let advice = format!(
                "{}, {}: no operation asked the memory for anything, and the processor is not counted, so that they took no time and have no rate",
                self.name(),
                at.operation
            );
            document.warn(WarningCode::Advice, advice);
        }
        let name = format!("{}, {}", self.name(), at.operation);
        rows::add(at, name, &tally, bench.store.memory(), document);
        Ok(true)
    }

    fn subject(&self) -> Subject {
        let subject = self
            .ground
            .subject(self.variant)
            .at("work", self.work.name())
            .at("load", self.load.si());
        let subject = match self.build {
            Some(build) => subject.at("build", build.name()),
            None => subject,
        };
        if self.work.has_own_sizes() {
            return subject;
        }
        subject
            .at("key_bytes", self.sizes.key_bytes)
            .at("value_bytes", self.sizes.value_bytes)
    }

    /// The case in words.
    fn name(&self) -> String {
        let sizes = match self.work.has_own_sizes() {
            true => String::new(),
            false => format!(" of {}", self.sizes),
        };
        let of_simulation = match self.build {
            Some(build) => format!(", build {}, {} timing", build.name(), self.ground.timing),
            None => String::new(),
        };
        format!(
            "{}, {}, {}{sizes} at load {}{of_simulation}",
            self.ground.name(),
            self.variant.name(),
            self.work.name(),
            self.load,
        )
    }

    /// The rows of what could not be run, with the reason as a warning. A memory of this machine that is lost ends
    /// the run.
    fn failed(
        &self,
        subject: &Subject,
        operation: &'static str,
        failure: &Failure,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        if let Some(error) = failure.of_host() {
            return Err(LabError::Kv {
                target: self.ground.name(),
                problem: error.to_string(),
            });
        }
        let at = Subject {
            operation,
            ..subject.clone()
        };
        rows::without_value(&at, NoValue::Failed, document);
        let mut advice = format!("{}, {operation}: {failure}", self.name());
        if let Failure::Store(StoreError::NoRoom) = failure {
            advice += "; give a lower --load or a larger --capacity";
        }
        document.warn(WarningCode::RunFailed, advice);
        Ok(())
    }
}
