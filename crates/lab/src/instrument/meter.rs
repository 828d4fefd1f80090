//! What was asked of a memory: operations by kind, bytes on its bus, and where the time went.

use wordline_core::quantity::Time;
use wordline_nvm::{AccessCost, OperationKind};

/// The kinds of operation, in the order of rows.
pub(crate) const KINDS: [OperationKind; 5] = [
    OperationKind::Read,
    OperationKind::Write,
    OperationKind::Persist,
    OperationKind::Program,
    OperationKind::Erase,
];

/// Operations of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OperationSum {
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    pub(crate) time: Time,
}

/// Operations of a memory in some stretch of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    kinds: [OperationSum; KINDS.len()],
    /// Bytes that crossed the bus, in whole words of it.
    pub(crate) bus_bytes: u64,
    /// Lines of RAM that were touched, each counted once an access; of loads and stores those that are not in the line
    /// of the access before.
    pub(crate) ram_lines: u64,
    /// Words of the processor that software loaded and stored itself; reads and writes do not count them.
    pub(crate) loads: u64,
    /// Where the time went.
    pub(crate) cost: AccessCost,
}

impl Activity {
    /// Time alone.
    pub(crate) fn of_cost(cost: &AccessCost) -> Self {
        Self {
            cost: *cost,
            ..Self::default()
        }
    }

    pub(crate) const fn of(&self, kind: OperationKind) -> OperationSum {
        self.kinds[place(kind)]
    }

    /// Reads and writes of bytes.
    pub(crate) const fn accesses(&self) -> u64 {
        self.of(OperationKind::Read).count + self.of(OperationKind::Write).count
    }

    /// Bytes that were programmed or written.
    pub(crate) const fn stored_bytes(&self) -> u64 {
        self.of(OperationKind::Program).bytes + self.of(OperationKind::Write).bytes
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (sum, more) in self.kinds.iter_mut().zip(&other.kinds) {
            sum.count += more.count;
            sum.bytes += more.bytes;
            sum.time = sum.time.plus(more.time);
        }
        self.bus_bytes += other.bus_bytes;
        self.ram_lines += other.ram_lines;
        self.loads += other.loads;
        self.cost.add_all(&other.cost);
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

/// How the bytes of an access reach the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BusTransfer {
    /// Over a bus that moves whole words of so many bytes, one a cycle.
    Cycles(u64),
    /// Over a bus that moves whole bursts of so many bytes.
    Bursts(u64),
    /// Through a cache, in lines of so many bytes.
    Lines(u64),
    /// Byte by byte.
    Bytes,
}

/// Who does an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessBy {
    /// A call of the driver.
    Driver,
    /// Instructions of the software itself, word by word.
    Software,
}

/// Bytes of a word of the processor.
const PROCESSOR_WORD: u64 = 4;

/// Adds up what is asked of a memory.
#[derive(Clone, Debug)]
pub(crate) struct AccessMeter {
    transfer: BusTransfer,
    /// The line of RAM that was touched last.
    last_line: u64,
    /// Since [`take_call`](Self::take_call) was last called.
    call: Activity,
    /// Before that.
    earlier: Activity,
}

impl AccessMeter {
    pub(crate) fn new(transfer: BusTransfer) -> Self {
        Self {
            transfer,
            last_line: u64::MAX,
            call: Activity::default(),
            earlier: Activity::default(),
        }
    }

    /// Bytes of a word that its bus moves in a cycle; `None` of a bus whose cycles are not words.
    pub(crate) const fn cycle_bytes(&self) -> Option<u64> {
        match self.transfer {
            BusTransfer::Cycles(word) => Some(word),
            BusTransfer::Bursts(_) | BusTransfer::Lines(_) | BusTransfer::Bytes => None,
        }
    }

    /// Everything since the meter was made.
    pub(crate) fn total(&self) -> Activity {
        let mut total = self.earlier;
        total.add_all(&self.call);
        total
    }

    /// What was asked since the last call of this function.
    pub(crate) fn take_call(&mut self) -> Activity {
        self.earlier.add_all(&self.call);
        std::mem::take(&mut self.call)
    }

    /// Counts an operation. `cost` is `None` where the memory is not simulated.
    pub(crate) fn count(
        &mut self,
        kind: OperationKind,
        at: u64,
        bytes: u64,
        cost: Option<&AccessCost>,
    ) {
        self.count_by(AccessBy::Driver, kind, at, bytes, cost);
    }

    /// The same of an operation that the driver or the software itself does.
    pub(crate) fn count_by(
        &mut self,
        by: AccessBy,
        kind: OperationKind,
        at: u64,
        bytes: u64,
        cost: Option<&AccessCost>,
    ) {
        let call = &mut self.call;
        let sum = &mut call.kinds[place(kind)];
        if let Some(cost) = cost {
            call.cost.add_all(cost);
            sum.time = sum.time.plus(cost.total());
        }
        let moves = matches!(kind, OperationKind::Read | OperationKind::Write);
        // An erase of no bytes is one that goes on.
        if bytes == 0 && (moves || kind == OperationKind::Erase) {
            return;
        }
        sum.bytes += bytes;
        match by {
            AccessBy::Driver => sum.count += 1,
            AccessBy::Software => call.loads += bytes.div_ceil(PROCESSOR_WORD),
        }
        if !moves {
            return;
        }
        let whole = |unit: u64| (at + bytes).div_ceil(unit) - at / unit;
        match self.transfer {
            BusTransfer::Cycles(word) | BusTransfer::Bursts(word) => {
                call.bus_bytes += whole(word) * word;
            }
            BusTransfer::Lines(line) => {
                call.bus_bytes += bytes;
                let again = by == AccessBy::Software && at / line == self.last_line;
                call.ram_lines += whole(line) - u64::from(again);
                self.last_line = (at + bytes - 1) / line;
            }
            BusTransfer::Bytes => call.bus_bytes += bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_nvm::Cause;

    use super::*;

    #[test]
    fn operations_add_up_by_kind() {
        let mut meter = AccessMeter::new(BusTransfer::Cycles(2));
        for (kind, at, bytes) in [
            (OperationKind::Erase, 0, 100),
            (OperationKind::Program, 0, 30),
            (OperationKind::Erase, 100, 200),
            (OperationKind::Erase, 100, 100),
            (OperationKind::Persist, 0, 0),
            (OperationKind::Read, 1, 2),
            (OperationKind::Read, 1, 0),
        ] {
            let mut cost = AccessCost::default();
            cost.add(Cause::Driver, Time::from_ps(bytes));
            meter.count(kind, at, bytes, Some(&cost));
        }
        let call = meter.take_call();
        let erases = call.of(OperationKind::Erase);
        assert_eq!((erases.count, erases.bytes), (3, 400));
        assert_eq!(erases.time, Time::from_ps(400));
        assert_eq!(call.stored_bytes(), 30);
        assert_eq!((call.accesses(), call.bus_bytes), (1, 4));
        assert_eq!(call.cost.total(), Time::from_ps(432));
        assert_eq!(meter.take_call(), Activity::default());
        assert_eq!(meter.total().stored_bytes(), 30);
    }

    #[test]
    fn lines_are_counted_once_an_access() {
        let mut meter = AccessMeter::new(BusTransfer::Lines(64));
        meter.count(OperationKind::Write, 60, 8, None);
        meter.count(OperationKind::Read, 0, 64, None);
        let call = meter.take_call();
        assert_eq!((call.ram_lines, call.bus_bytes), (3, 72));
    }

    #[test]
    fn loads_are_words_of_the_software_and_no_accesses() {
        let mut meter = AccessMeter::new(BusTransfer::Cycles(2));
        for at in 0..3 {
            meter.count_by(AccessBy::Software, OperationKind::Read, at, 1, None);
        }
        meter.count_by(AccessBy::Software, OperationKind::Write, 4, 8, None);
        let call = meter.take_call();
        // A byte takes a cycle of the bus, as a word of it does.
        assert_eq!((call.accesses(), call.loads, call.bus_bytes), (0, 5, 14));
    }

    #[test]
    fn loads_within_a_line_of_ram_touch_it_once() {
        let mut meter = AccessMeter::new(BusTransfer::Lines(32));
        for at in 30..34 {
            meter.count_by(AccessBy::Software, OperationKind::Read, at, 1, None);
        }
        assert_eq!(meter.take_call().ram_lines, 2);
    }
}
