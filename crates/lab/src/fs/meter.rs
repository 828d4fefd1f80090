//! What the memory did during the calls of a file system.

use std::collections::BTreeMap;

use wordline_core::quantity::Time;
use wordline_engines::Shared;
use wordline_nvm::{AccessCost, DeviceOperation, Listener, OperationKind};

/// The kinds of operation, in the order of rows.
pub(super) const KINDS: [OperationKind; 5] = [
    OperationKind::Read,
    OperationKind::Write,
    OperationKind::Persist,
    OperationKind::Program,
    OperationKind::Erase,
];

/// Operations of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) count: u64,
    pub(super) bytes: u64,
    pub(super) time: Time,
}

/// Operations of the memory in some stretch of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Heard {
    kinds: [Sum; KINDS.len()],
    pub(super) cost: AccessCost,
}

impl Heard {
    pub(super) fn of(&self, kind: OperationKind) -> Sum {
        self.kinds[place(kind)]
    }

    /// Bytes that were programmed or written.
    pub(super) fn stored_bytes(&self) -> u64 {
        self.of(OperationKind::Program).bytes + self.of(OperationKind::Write).bytes
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        for (sum, more) in self.kinds.iter_mut().zip(&other.kinds) {
            sum.count += more.count;
            sum.bytes += more.bytes;
            sum.time = sum.time.plus(more.time);
        }
        self.cost.add_all(&other.cost);
    }

    fn hear(&mut self, operation: &DeviceOperation) {
        let sum = &mut self.kinds[place(operation.kind)];
        sum.count += 1;
        sum.bytes += operation.bytes;
        sum.time = sum.time.plus(operation.cost.total());
        self.cost.add_all(&operation.cost);
    }
}

const fn place(kind: OperationKind) -> usize {
    match kind {
        OperationKind::Read => 0,
        OperationKind::Write => 1,
        OperationKind::Persist => 2,
        OperationKind::Program => 3,
        OperationKind::Erase => 4,
    }
}

/// Adds up what a memory does, call by call.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    call: Heard,
    /// Cycles of each unit that wears, since the last [`take_cycles`](Self::take_cycles).
    cycles: BTreeMap<u64, u64>,
    unit_bytes: u64,
    stored_bytes: u64,
}

impl Meter {
    /// A meter of a memory that wears in units of so many bytes.
    pub(super) fn new(unit_bytes: u64) -> Self {
        Self {
            call: Heard::default(),
            cycles: BTreeMap::new(),
            unit_bytes: unit_bytes.max(1),
            stored_bytes: 0,
        }
    }

    /// Bytes that were programmed or written since the meter was made, whatever was taken in between.
    pub(super) const fn stored_bytes(&self) -> u64 {
        self.stored_bytes
    }

    /// What was heard since it was last taken.
    pub(super) const fn call(&self) -> Heard {
        self.call
    }

    /// What was heard since the last time.
    pub(super) fn take_call(&mut self) -> Heard {
        std::mem::take(&mut self.call)
    }

    /// Cycles of the units that were worn since the last time.
    pub(super) fn take_cycles(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.cycles).into_values().collect()
    }

    fn store(&mut self, operation: &DeviceOperation) {
        if matches!(
            operation.kind,
            OperationKind::Program | OperationKind::Write
        ) {
            self.stored_bytes += operation.bytes;
        }
    }

    fn wear(&mut self, operation: &DeviceOperation) {
        let wears = matches!(operation.kind, OperationKind::Erase | OperationKind::Write);
        if wears && operation.bytes > 0 {
            let first = operation.at / self.unit_bytes;
            let last = (operation.at + operation.bytes - 1) / self.unit_bytes;
            for unit in first..=last {
                *self.cycles.entry(unit).or_default() += 1;
            }
        }
    }
}

/// Tells a meter what a memory did.
#[derive(Clone, Debug)]
pub(super) struct Ear(pub(super) Shared<Meter>);

impl Listener for Ear {
    fn hear(&mut self, operation: &DeviceOperation) {
        let mut meter = self.0.borrow();
        meter.call.hear(operation);
        meter.store(operation);
        meter.wear(operation);
    }
}

#[cfg(test)]
mod tests {
    use wordline_nvm::Cause;

    use super::*;

    #[test]
    fn operations_add_up_by_kind_and_units_by_cycle() {
        let meter = Shared::new(Meter::new(100));
        let mut ear = Ear(meter.clone());
        for (kind, at, bytes) in [
            (OperationKind::Erase, 0, 100),
            (OperationKind::Program, 0, 30),
            (OperationKind::Erase, 100, 200),
            (OperationKind::Erase, 100, 100),
            (OperationKind::Persist, 0, 0),
        ] {
            let mut cost = AccessCost::default();
            cost.add(Cause::Driver, Time::from_ps(bytes));
            ear.hear(&DeviceOperation {
                kind,
                at,
                bytes,
                start: Time::ZERO,
                cost,
                failed: false,
            });
        }
        let heard = meter.borrow().take_call();
        let erases = heard.of(OperationKind::Erase);
        assert_eq!((erases.count, erases.bytes), (3, 400));
        assert_eq!(erases.time, Time::from_ps(400));
        assert_eq!(heard.stored_bytes(), 30);
        assert_eq!(heard.cost.total(), Time::from_ps(430));
        assert_eq!(meter.borrow().take_cycles(), [1, 2, 1]);
        assert_eq!(meter.borrow().take_call(), Heard::default());
        assert_eq!(meter.borrow().stored_bytes(), 30);
    }
}
