//! What the checks of a sheet find: contradictions that its types cannot rule out.

use wordline_core::Figure;
use wordline_core::quantity::{ByteCount, Cycles, Quantity, Time};

use crate::chip::cells::PAGE_BYTES;

/// The smallest unit that wear is counted for. Each unit has a counter of eight bytes in host memory,
/// so that counting single bytes would take eight times the memory of the bytes themselves.
const UNIT_BYTES_MIN: u64 = 8;

/// The largest capacity that a model holds in host memory.
const CAPACITY_MAX: u64 = 1 << 40;

/// The longest time that a sheet can state, so that simulated time does not end within an access: what SFDP can
/// state of the erase of a whole chip, 32 x 64 s at 32 times the typical time.
const TIME_MAX: Time = Time::from_ps(65_536_000_000_000_000);

/// The most clocks that one step of a host can take.
const CLOCKS_MAX: u64 = 1_000_000_000;

/// One thing that is wrong with a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Dotted path of the key at fault, array elements by index: `opcode.2.clock`.
    pub path: String,
    /// What is wrong, with the values allowed.
    pub message: String,
}

/// Collects problems.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) list: Vec<Problem>,
}

impl Problems {
    pub(crate) fn add(&mut self, path: &str, message: impl Into<String>) {
        self.list.push(Problem {
            path: path.to_owned(),
            message: message.into(),
        });
    }

    /// The columns of a figure must not contradict each other, and a time must be one that an access
    /// can take.
    pub(crate) fn ordered<T: Quantity>(&mut self, path: &str, figure: &Figure<T>) {
        let columns = [
            ("min", figure.min()),
            ("typ", figure.typ()),
            ("max", figure.max()),
        ];
        let stated: Vec<_> = columns
            .iter()
            .filter_map(|(name, value)| value.map(|value| (name, value)))
            .collect();
        let is_time = T::DIMENSION.name == Time::DIMENSION.name;
        if is_time && stated.iter().any(|(_, value)| value.si() > TIME_MAX.si()) {
            self.add(path, format!("no access takes longer than {TIME_MAX}"));
        }
        for pair in stated.windows(2) {
            let [(low_name, low), (high_name, high)] = pair else {
                continue;
            };
            if low.si() > high.si() {
                self.add(
                    path,
                    format!("{low_name} {low} is above {high_name} {high}"),
                );
            }
        }
    }

    /// A figure that must be ordered and above zero in every column.
    pub(crate) fn positive<T: Quantity>(&mut self, path: &str, figure: &Figure<T>) {
        self.ordered(path, figure);
        let columns = [figure.min(), figure.typ(), figure.max()];
        if columns.into_iter().flatten().any(|value| value.si() <= 0.0) {
            self.add(path, "the figure must be above zero");
        }
    }

    /// Clocks of a host: few enough that sums of them stay far below what a count can hold.
    pub(crate) fn clocks(&mut self, path: &str, figure: &Figure<Cycles>) {
        self.ordered(path, figure);
        if figure.most().count() > CLOCKS_MAX {
            self.add(path, format!("allowed: up to {CLOCKS_MAX} cycles"));
        }
    }

    /// A limit: above zero, with the column `max`.
    pub(crate) fn limit<T: Quantity>(&mut self, path: &str, figure: &Figure<T>) {
        self.positive(path, figure);
        if figure.max().is_none() {
            self.add(path, "a limit needs the column max");
        }
    }

    /// Capacity and units of a byte-addressed chip.
    pub(crate) fn geometry(
        &mut self,
        capacity: &Figure<ByteCount>,
        wear_unit: &Figure<ByteCount>,
        ecc_unit: &Figure<ByteCount>,
    ) {
        self.capacity(capacity);
        self.unit("wear_unit", wear_unit, UNIT_BYTES_MIN, capacity);
        self.unit("ecc_unit", ecc_unit, 1, capacity);
    }

    pub(crate) fn capacity(&mut self, capacity: &Figure<ByteCount>) {
        self.positive("capacity", capacity);
        let capacity = capacity.nominal();
        if capacity.bytes() > CAPACITY_MAX {
            let most = ByteCount::from_bytes(CAPACITY_MAX);
            self.add("capacity", format!("{capacity} exceeds {most}"));
        }
    }

    /// A unit of `least` bytes or more that a capacity is made of.
    pub(crate) fn unit(
        &mut self,
        path: &str,
        unit: &Figure<ByteCount>,
        least: u64,
        capacity: &Figure<ByteCount>,
    ) {
        let (bytes, capacity) = (unit.nominal().bytes(), capacity.nominal());
        if !bytes.is_power_of_two() || !(least..=PAGE_BYTES as u64).contains(&bytes) {
            self.add(
                path,
                format!("allowed: a power of two from {least} B to {PAGE_BYTES} B"),
            );
        } else if !capacity.bytes().is_multiple_of(bytes) {
            self.add(
                path,
                format!("the capacity {capacity} is no multiple of it"),
            );
        }
    }

    pub(crate) fn not_empty<T>(&mut self, path: &str, list: &[T], message: &str) {
        if list.is_empty() {
            self.add(path, message);
        }
    }
}
