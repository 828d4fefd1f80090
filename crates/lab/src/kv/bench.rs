//! One table on one memory, with records of one size, at one load.

use wordline_core::quantity::{Fraction, Quantity as _, Time};
use wordline_core::results::{NoValue, WarningCode};
use wordline_core::{KvBench, KvSizes, Metric, ResultSet};

use super::memory::Part;
use super::records::Records;
use super::store::{Store, StoreError};
use super::tally::Tally;
use super::{Ground, Variant, floor_bytes, rows};
use crate::control::Control;
use crate::subject::Subject;

/// What is done once the table is filled, in this order.
const AFTER: [&str; 4] = ["hit", "miss", "update", "delete"];

/// A table on a memory, with records of one size, at one load.
pub(super) struct Case<'a> {
    pub(super) ground: &'a Ground<'a>,
    pub(super) variant: Variant,
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
    records: Records,
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
            let start = self.store.memory().clock().now();
            self.step(operation, number)?;
            let memory = self.store.memory();
            let took = memory.clock().now().since(start);
            let heard = memory.take_heard();
            tally.add(took, &heard);
        }
        tally.end(self.store.memory());
        Ok(tally)
    }

    /// One operation on one record. What it returns is held against what was put.
    fn step(&mut self, operation: &'static str, number: u64) -> Result<(), Failure> {
        if self.control.stopped() {
            return Err(Failure::Stopped);
        }
        let value_bytes = self.records.sizes.value_bytes as usize;
        self.records.key(number, &mut self.key);
        let pass = u64::from(operation == "update");
        self.records
            .value(number, pass, value_bytes, &mut self.value);
        match operation {
            "insert" | "update" => self.store.put(&self.key, &self.value)?,
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
        let fork = self.ground.device.fork_device();
        let part = Part::new(fork, self.bench.capacity_bytes, self.ground.word_bytes);
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
                seed: self.seed,
            },
            control: self.control,
            key: Vec::new(),
            value: Vec::new(),
            out: Vec::new(),
            store,
        };
        let count = self.count(&bench, document);
        let mut at = subject.clone();
        at.operation = "insert";
        let ram = bench.store.ram_bytes() as f64;
        document.rows.push(at.row(Metric::TableRam, Ok(ram)));
        if !self.told(&mut bench, &at, 0, count, document) {
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
            } else if !self.told(&mut bench, &at, first, count, document) && self.control.stopped()
            {
                return false;
            }
        }
        true
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
                "{}, {}: no operation asked the memory for anything, so that they took none of its time and have no rate",
                self.name(),
                at.operation
            );
            document.warn(WarningCode::Advice, advice);
        }
        let floor = floor_bytes(at.operation, self.sizes, self.ground.word_bytes);
        let name = format!("{}, {}", self.name(), at.operation);
        rows::add(at, name, &tally, floor, bench.store.memory(), document);
        true
    }

    fn subject(&self) -> Subject {
        self.ground
            .subject(self.variant)
            .at("key_bytes", self.sizes.key_bytes)
            .at("value_bytes", self.sizes.value_bytes)
            .at("load", self.load.si())
    }

    /// The case in words.
    fn name(&self) -> String {
        format!(
            "{}, {}, {} at load {}, {} timing",
            self.ground.target.name,
            self.variant.name(),
            self.sizes,
            self.load,
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
