//! What a part must be to be found.

use wordline_core::LifecycleStatus;
use wordline_core::quantity::{
    ByteCount, Current, Cycles, Frequency, Money, Quantity, Time, Voltage,
};

use super::{BusWires, KEY_FIGURES, KeyValue, PartProfile, si};

/// What a part must be. What is left out admits every part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartFilter {
    /// Kinds of memory, as models are called; none admits every kind.
    pub kinds: Vec<String>,
    /// Parts of makers' names, in whatever letter case; none admits every maker.
    pub makers: Vec<String>,
    /// Buses; none admits every bus.
    pub buses: Vec<BusWires>,
    /// What makers say of the supply; none admits everything.
    pub lifecycles: Vec<LifecycleStatus>,
    /// Least capacity.
    pub min_capacity: Option<ByteCount>,
    /// Largest capacity.
    pub max_capacity: Option<ByteCount>,
    /// A supply voltage that it works with.
    pub supply: Option<Voltage>,
    /// Least of the highest clock.
    pub min_clock: Option<Frequency>,
    /// Longest program of a page, or write cycle.
    pub max_program: Option<Time>,
    /// Longest erase of the smallest block.
    pub max_erase: Option<Time>,
    /// Most current in standby.
    pub max_standby: Option<Current>,
    /// Least rated cycles.
    pub min_endurance: Option<Cycles>,
    /// Highest price of one.
    pub max_price: Option<Money>,
}

/// How a part meets a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Admission {
    /// What it rests on that no source states, such as `standby (estimated)`; empty where it meets the filter for certain.
    pub open: Vec<String>,
}

impl PartFilter {
    /// What contradicts itself in it; `None` where some part could meet it.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        if let (Some(least), Some(most)) = (self.min_capacity, self.max_capacity)
            && least > most
        {
            return Some(format!(
                "a capacity of {least} at least and {most} at most: no part has both"
            ));
        }
        let empty = self.makers.iter().any(|name| name.trim().is_empty());
        empty.then(|| "the name of a maker is empty".to_owned())
    }

    /// Whether a part meets it; `None` where it does not. Figures are held against their worse columns: what a design must
    /// plan with. An estimated or assumed figure fails where all of its range does, and otherwise leaves it open, as does a
    /// column that no source states and a figure that such a part should have and its sheet lacks. One that such a memory
    /// does not have, such as the erase of an MRAM, meets every limit.
    #[must_use]
    pub fn admits(&self, profile: &PartProfile<'_>) -> Option<Admission> {
        let part = profile.part;
        let any = |all: &[String], is: &dyn Fn(&str) -> bool| {
            all.is_empty() || all.iter().any(|one| is(one))
        };
        let maker = part.header.manufacturer.to_lowercase();
        let plain = any(&self.kinds, &|kind| kind == profile.kind())
            && any(&self.makers, &|name| maker.contains(&name.to_lowercase()))
            && (self.buses.is_empty() || self.buses.contains(&profile.bus))
            && (self.lifecycles.is_empty() || self.lifecycles.contains(&profile.lifecycle()))
            && self
                .min_capacity
                .is_none_or(|least| profile.capacity >= least.bytes())
            && self
                .max_capacity
                .is_none_or(|most| profile.capacity <= most.bytes());
        if !plain {
            return None;
        }
        let mut admission = Admission::default();
        if let Some(volts) = self.supply.map(Quantity::si) {
            match profile.supply {
                // Voltages that people write have two digits.
                Some((least, most)) if volts < least - 1e-6 || volts > most + 1e-6 => return None,
                Some(_) => {}
                None => admission.open.push("supply (unknown)".to_owned()),
            }
        }
        for (name, limit) in self.limits() {
            let index = KEY_FIGURES.iter().position(|key| key.name == name)?;
            let key = &KEY_FIGURES[index];
            match &profile.values[index] {
                Some(value) => match value.meets(key.more_is_better, limit) {
                    Some(true) => {}
                    Some(false) => return None,
                    None if value.basis.is_unsourced() => {
                        admission.open.push(format!("{name} ({})", value.basis));
                    }
                    None => admission
                        .open
                        .push(format!("{name} (its worst is not stated)")),
                },
                None if key.kinds.contains(&profile.kind()) => {
                    admission.open.push(format!("{name} (unknown)"));
                }
                None => {}
            }
        }
        if let Some(most) = self.max_price.map(Quantity::si) {
            let cost = part.figures.iter().find(|figure| figure.figure == "cost");
            match cost.and_then(|figure| KeyValue::of(figure, si::<Money>)) {
                None => admission.open.push("price (unknown)".to_owned()),
                Some(value) if value.is_sourced() && value.usual() > most => return None,
                Some(value) if value.is_sourced() => {}
                Some(value) => match value.meets(false, most) {
                    Some(false) => return None,
                    Some(true) => {}
                    None => admission.open.push(format!("price ({})", value.basis)),
                },
            }
        }
        Some(admission)
    }

    /// The limits of key figures, in their SI units.
    fn limits(&self) -> Vec<(&'static str, f64)> {
        fn of<Q: Quantity>(name: &'static str, limit: Option<Q>) -> Option<(&'static str, f64)> {
            Some((name, limit?.si()))
        }
        let all = [
            of("clock", self.min_clock),
            of("program", self.max_program),
            of("erase", self.max_erase),
            of("standby", self.max_standby),
            of("endurance", self.min_endurance),
        ];
        all.into_iter().flatten().collect()
    }
}
