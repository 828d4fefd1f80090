//! Inputs that a seed decides.

use wordline_core::draw::{Purpose, draw, standard_normal, unit_interval};

/// Numbers one after the other. A stream of inputs has no place and no moment, so that it counts.
#[derive(Clone, Debug)]
pub(super) struct InputDraws {
    seed: u64,
    stream: u64,
    count: u64,
}

impl InputDraws {
    pub(super) const fn new(seed: u64, stream: u64) -> Self {
        Self {
            seed,
            stream,
            count: 0,
        }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.count += 1;
        draw(self.seed, self.stream, self.count, Purpose::KernelInput)
    }

    /// A number from 0 to below `limit`, by multiplication: its bias is `limit` in 2⁶⁴.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// A number between 0 and 1.
    pub(super) fn unit(&mut self) -> f64 {
        unit_interval(self.next())
    }

    /// A standard normal number.
    pub(super) fn normal(&mut self) -> f64 {
        standard_normal(self.next())
    }

    /// Puts elements into a random order (Fisher and Yates).
    pub(super) fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            elements.swap(last, self.below(last + 1));
        }
    }
}
