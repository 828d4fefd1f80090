//! The account of wear.

/// Wear of the units that were written since a device was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wear {
    /// Rated cycles of a unit; [`UNLIMITED`](Self::UNLIMITED) where any number is promised.
    pub endurance: u64,
    /// Cycles that every unit had seen before: the chip's age.
    pub before: u64,
    /// Cycles of the most-written unit since then.
    pub most: u64,
    /// Mean cycles since then over the units that were written; 0 when none was.
    pub mean: f64,
    /// Units that were written since then.
    pub units: u64,
    /// Bytes of one unit.
    pub unit_bytes: u64,
}

impl Wear {
    /// The endurance of a memory that its maker rates for any number of writes.
    pub const UNLIMITED: u64 = u64::MAX;

    /// The account of units that are rated for `endurance` cycles and brought `before`, from the cycles
    /// of each since then.
    pub(crate) fn of_units(
        endurance: u64,
        before: u64,
        unit_bytes: u64,
        cycles: impl Iterator<Item = u64>,
    ) -> Self {
        let (mut most, mut sum, mut units) = (0, 0u128, 0u64);
        for count in cycles {
            most = most.max(count);
            sum += u128::from(count);
            units += u64::from(count > 0);
        }
        Self {
            endurance,
            before,
            most,
            mean: sum as f64 / units.max(1) as f64,
            units,
            unit_bytes,
        }
    }

    /// The account of two chips together, which have units of the same size.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let units = self.units + other.units;
        let cycles = self.mean * self.units as f64 + other.mean * other.units as f64;
        Self {
            endurance: self.endurance.min(other.endurance),
            before: self.before.max(other.before),
            most: self.most.max(other.most),
            mean: cycles / units.max(1) as f64,
            units,
            unit_bytes: self.unit_bytes,
        }
    }

    /// Cycles that a chip brings which has used the fraction `age` of its endurance, 0 to 1; none
    /// where the endurance is unlimited.
    pub(crate) fn cycles_at_age(endurance: u64, age: f64) -> u64 {
        match endurance {
            Self::UNLIMITED => 0,
            rated => (rated as f64 * age.clamp(0.0, 1.0)).round() as u64,
        }
    }

    /// Rated cycles that a unit had left when the device was made.
    #[must_use]
    pub const fn left(&self) -> u64 {
        self.endurance.saturating_sub(self.before)
    }
}
