//! The median of numbers that come and go.

use std::collections::BTreeSet;

/// The lower half of some numbers, the middle one included, and the upper half. Each number has the name of its owner, which
/// distinguishes equal ones.
#[derive(Clone, Debug, Default)]
pub(super) struct RunningMedian {
    low: BTreeSet<(OrderedBits, u32)>,
    high: BTreeSet<(OrderedBits, u32)>,
}

/// A number that is ordered as [`f64::total_cmp`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OrderedBits(i64);

impl OrderedBits {
    const fn of(value: f64) -> Self {
        Self(Self::turned(value.to_bits() as i64))
    }

    const fn value(self) -> f64 {
        f64::from_bits(Self::turned(self.0) as u64)
    }

    /// Negative numbers are larger by their bits the smaller they are.
    const fn turned(bits: i64) -> i64 {
        bits ^ (((bits >> 63) as u64) >> 1) as i64
    }
}

impl RunningMedian {
    pub(super) fn add(&mut self, value: f64, owner: u32) {
        let one = (OrderedBits::of(value), owner);
        match self.low.last() {
            Some(middle) if one > *middle => self.high.insert(one),
            _ => self.low.insert(one),
        };
        self.even_out();
    }

    pub(super) fn remove(&mut self, value: f64, owner: u32) {
        let one = (OrderedBits::of(value), owner);
        if !self.low.remove(&one) {
            self.high.remove(&one);
        }
        self.even_out();
    }

    /// The lower half has as many as the upper one, or one more.
    fn even_out(&mut self) {
        if self.low.len() > self.high.len() + 1 {
            self.high.extend(self.low.pop_last());
        } else if self.low.len() < self.high.len() {
            self.low.extend(self.high.pop_first());
        }
    }

    /// As [`median`](super::median): of an even number the lower one of the middle.
    pub(super) fn median(&self) -> Option<f64> {
        self.low.last().map(|(value, _)| value.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ageing::health::median;
    use wordline_core::draw::{Purpose, draw};

    #[test]
    fn it_is_the_median_of_what_is_there() {
        let mut running = RunningMedian::default();
        assert_eq!(running.median(), None);
        let mut there: Vec<(f64, u32)> = Vec::new();
        for step in 0..3000 {
            let random = |what| draw(3, u64::from(step), what, Purpose::Address);
            if there.is_empty() || random(0).is_multiple_of(2) {
                // Equal ones and negative ones as well.
                let value = (random(1) % 40) as f64 / 8.0 - 2.0;
                there.push((value, step));
                running.add(value, step);
            } else {
                let (value, owner) = there.swap_remove(random(1) as usize % there.len());
                running.remove(value, owner);
            }
            let expected = median(there.iter().map(|(value, _)| *value));
            let found = running.median();
            assert_eq!(found, (!there.is_empty()).then_some(expected), "{step}");
        }
    }
}
