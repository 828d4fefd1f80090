//! One table on one memory, with records of one size, at one load.

use wordline_core::quantity::{Fraction, Quantity as _, Time};
use wordline_core::results::{NoValue, WarningCode};
use wordline_core::{KvBench, KvBuild, KvSizes, KvTable, KvWork, Metric, ResultSet};
use wordline_nvm::ProcessorCost;

use super::memory::Part;
use super::mix::{Mix, Step};
use super::processor::Call;
use super::records::Records;
use super::store::{Store, StoreError};
use super::tally::{Tally, Timed};
use super::{Ground, Variant, floor_bytes, rows};
use crate::control::Control;
use crate::subject::Subject;

/// What is done once the table is filled, in this order.
const AFTER: [&str; 4] = ["hit", "miss", "update", "delete"];

/// A table on a memory, with records of one size, at one load.
pub(super) struct Case<'a> {
    pub(super) ground: &'a Ground<'a>,
    pub(super) build: KvBuild,
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
    Store(#[from] StoreError),
    #[error("a get returns another value than was put, or none; please report this defect")]
    Wrong,
    #[error("the caller stopped it")]
    Stopped,
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

    /// Times one operation on one record.
    fn timed(&mut self, operation: &'static str, number: u64) -> Result<Timed, Failure> {
        let start = self.store.memory().clock().now();
        self.step(operation, number)?;
        let heard = self.store.memory().take_heard();
        let sizes = self.records.sizes_of(number);
        let processor = self.processor.as_ref().map(|cost| {
            let call = Call {
                operation,
                key_bytes: sizes.key_bytes,
                value_bytes: sizes.value_bytes,
            };
            call.spent(self.variant, &heard, cost)
        });
        // The memory stands by while the processor works.
        let clock = self.store.memory().clock();
        for &time in processor.iter().flatten() {
            clock.advance(time);
        }
        Ok(Timed {
            took: clock.now().since(start),
            heard,
            processor,
            floor_bytes: floor_bytes(operation, sizes, self.word_bytes),
        })
    }

    /// One operation on one record. What it returns is held against what was put.
    fn step(&mut self, operation: &'static str, number: u64) -> Result<(), Failure> {
        if self.control.stopped() {
            return Err(Failure::Stopped);
        }
        let value_bytes = self.records.sizes_of(number).value_bytes as usize;
        let put_before = self.passes.get(number as usize).copied();
        let pass = put_before.unwrap_or(0) + u64::from(operation == "update");
        self.records.key(number, &mut self.key);
        self.records
            .value(number, pass, value_bytes, &mut self.value);
        match operation {
            "insert" | "update" => {
                self.store.put(&self.key, &self.value)?;
                match self.passes.get_mut(number as usize) {
                    Some(last) => *last = pass,
                    None => self.passes.push(pass),
                }
            }
            "delete" => {
                if !self.store.remove(&self.key)? {
                    return Err(Failure::Wrong);
                }
            }
            is_there => {
                self.out.resize(value_bytes, 0);
                let found = self.store.get(&self.key, &mut self.out)?;
                let is_right = match found {
                    Some(bytes) => bytes == value_bytes && self.out == self.value,
                    None => true,
                };
                if !is_right || found.is_some() != (is_there == "hit") {
                    return Err(Failure::Wrong);
                }
            }
        }
        Ok(())
    }
}

impl Case<'_> {
    /// Runs everything. Returns whether it came to its end, with figures or without.
    pub(super) fn run(&self, document: &mut ResultSet) -> bool {
        let subject = self.subject();
        if let Err(why) = self.suits() {
            let at = Subject {
                operation: "all",
                ..subject
            };
            rows::without_value(&at, NoValue::NotApplicable, document);
            let advice = format!("{}: {why}", self.name());
            document.warn(WarningCode::Advice, advice);
            return true;
        }
        let part = self.ground.part(self.bench.capacity_bytes);
        let store = match Store::format(self.variant, self.sizes, part) {
            Ok(store) => store,
            Err(error) => {
                self.failed(&subject, "insert", &error.into(), document);
                return true;
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
    fn sweep(&self, bench: &mut Bench<'_>, subject: &Subject, document: &mut ResultSet) -> bool {
        let count = self.count(bench, document);
        let mut at = subject.clone();
        at.operation = "insert";
        let ram = bench.store.ram_bytes() as f64;
        document.rows.push(at.row(Metric::TableRam, Ok(ram)));
        if !self.told(bench, &at, 0, count, document) {
            return !self.control.stopped();
        }
        let most = self.bench.operations.unwrap_or(u64::MAX);
        for operation in AFTER {
            let at = Subject {
                operation,
                ..subject.clone()
            };
            let (first, count) = match operation {
                "miss" => (count, (bench.records.keys() - count).min(count)),
                _ => (0, count),
            };
            let count = count.min(most);
            if count == 0 || operation == "delete" && !self.variant.removes() {
                rows::without_value(&at, NoValue::NotApplicable, document);
            } else if !self.told(bench, &at, first, count, document) && self.control.stopped() {
                return false;
            }
        }
        true
    }

    /// Operations of several kinds by turns, on a table that is filled when nothing is timed.
    fn mix(&self, bench: &mut Bench<'_>, subject: &Subject, document: &mut ResultSet) -> bool {
        let ran = self.fill(bench, document).and_then(|()| {
            let records = bench.passes.len() as u64;
            let count = self.bench.operations.unwrap_or(KvBench::MIXED);
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
                true
            }
            Err(Failure::Stopped) => false,
            Err(failure) => {
                self.failed(subject, "all", &failure, document);
                true
            }
        }
    }

    /// Fills the table to the load.
    fn fill(&self, bench: &mut Bench<'_>, document: &mut ResultSet) -> Result<(), Failure> {
        if !self.work.has_own_sizes() {
            let count = self.count(bench, document);
            return (0..count).try_for_each(|number| bench.step("insert", number));
        }
        let places = bench.store.places() as f64;
        let left = (places * (1.0 - self.load.si())).ceil() as u64;
        for number in 0.. {
            if bench.store.free_places().is_none_or(|free| free <= left) {
                break;
            }
            bench.step("insert", number)?;
        }
        Ok(())
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

    /// Times operations and tells of them. Returns whether all came to their end.
    fn told(
        &self,
        bench: &mut Bench<'_>,
        at: &Subject,
        first: u64,
        count: u64,
        document: &mut ResultSet,
    ) -> bool {
        let tally = match bench.measure(at.operation, first, count) {
            Ok(tally) => tally,
            Err(Failure::Stopped) => return false,
            Err(failure) => {
                self.failed(at, at.operation, &failure, document);
                return false;
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
        true
    }

    fn subject(&self) -> Subject {
        let subject = self
            .ground
            .subject(self.variant)
            .at("work", self.work.name())
            .at("load", self.load.si())
            .at("build", self.build.name());
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
        format!(
            "{}, {}, {}{sizes} at load {}, build {}, {} timing",
            self.ground.name(),
            self.variant.name(),
            self.work.name(),
            self.load,
            self.build.name(),
            self.ground.timing
        )
    }

    /// The rows of what could not be run, with the reason as a warning.
    fn failed(
        &self,
        subject: &Subject,
        operation: &'static str,
        failure: &Failure,
        document: &mut ResultSet,
    ) {
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
    }
}
