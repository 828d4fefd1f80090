//! How far a candidate is from the log: what searches make small.

use super::bench::FitBench;
use super::signature::Signature;
use super::template::Knob;
use crate::error::BenchProblem;

/// How far candidates are from a log.
#[derive(Clone, Copy)]
pub(crate) struct Aim<'a> {
    pub(crate) bench: &'a FitBench<'a>,
    /// Every figure that may change, with the base's value.
    pub(crate) knobs: &'a [(Knob, f64)],
    /// The half that is fitted.
    pub(crate) log: &'a Signature,
    /// Its accesses.
    pub(crate) half: usize,
}

impl Aim<'_> {
    /// The knobs at a point.
    pub(crate) fn at(&self, point: &[f64]) -> Vec<(Knob, f64)> {
        let knobs = self.knobs.iter().zip(point);
        knobs.map(|((knob, _), value)| (*knob, *value)).collect()
    }

    /// What a candidate shows.
    pub(crate) fn signature(&self, point: &[f64]) -> Result<Signature, BenchProblem> {
        let durations = self.bench.run(&self.at(point), self.half)?;
        let simulated = Signature::of(&durations, self.bench.sample.bytes);
        simulated.map_err(BenchProblem::Uncountable)
    }

    /// How far a candidate is from the log; `None` for one that cannot do the work.
    pub(crate) fn distance(&self, point: &[f64]) -> Option<f64> {
        Some(
            self.log
                .distance(&self.signature(point).ok()?)
                .ok()?
                .total(),
        )
    }

    /// The same of the quick accesses alone, which wait for no cleaning.
    pub(crate) fn quiet_distance(&self, point: &[f64]) -> Option<f64> {
        Some(self.log.quiet_distance(&self.signature(point).ok()?))
    }
}
