//! The search, and what it leaves open: figures that the log does not determine, and how far the others could
//! be off.
//!
//! Two tests, both by simulation. A figure whose value in the base does as well as the fitted one was not
//! determined: it stays as it was. Of each figure that remains, the values around it are tried by factors, the
//! other figures held; the interval in which the distance grows by no more than [`AS_GOOD`] is told.
//! It is no confidence interval: figures that make up for each other could be off together by more.

use rayon::prelude::*;

use super::bench::{Bench, BenchProblem};
use super::search::search;
use super::signature::Signature;
use super::template::Knob;
use crate::control::{Control, Progress};

/// Growth of the distance that a log cannot tell from none: 1 %.
const AS_GOOD: f64 = 0.01;

/// Factors that a figure is tried at, up and down.
const FACTORS: [f64; 6] = [1.05, 1.1, 1.2, 1.4, 2.0, 4.0];

/// How far candidates are from a log.
#[derive(Clone, Copy)]
pub(crate) struct Aim<'a> {
    pub(crate) bench: &'a Bench<'a>,
    /// Every figure that may change, with the base's value.
    pub(crate) knobs: &'a [(Knob, f64)],
    /// The half that is fitted.
    pub(crate) log: &'a Signature,
    /// Its accesses.
    pub(crate) half: usize,
}

/// A search, and who watches it.
pub(crate) struct Search<'a> {
    pub(crate) aim: Aim<'a>,
    pub(crate) simulations: u32,
    pub(crate) control: &'a Control<'a>,
    pub(crate) name: &'a str,
}

/// What was found.
#[derive(Clone, Debug)]
pub(crate) struct Certain {
    /// Figures that the log determines.
    pub(crate) figures: Vec<Figure>,
    /// Figures that stay as the base has them.
    kept: Vec<(Knob, f64)>,
    /// Whether the search came to rest.
    pub(crate) settled: bool,
}

/// A figure that the log determines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) knob: Knob,
    pub(crate) value: f64,
    /// Least and greatest value that does as well, the other figures held.
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Figure {
    /// How sure it is, to stand behind what it was fitted to.
    pub(crate) fn told(&self) -> String {
        let (least, most) = (self.knob.told(self.least), self.knob.told(self.most));
        if least == most {
            String::new()
        } else {
            format!("; {least} to {most} do as well")
        }
    }
}

impl Certain {
    /// Every figure that may change.
    pub(crate) fn values(&self) -> Vec<(Knob, f64)> {
        let found = self
            .figures
            .iter()
            .map(|figure| (figure.knob, figure.value));
        found.chain(self.kept.iter().copied()).collect()
    }
}

impl Search<'_> {
    /// `None` when the caller wants to stop.
    pub(crate) fn run(&self, starts: Vec<Vec<f64>>) -> Result<Option<Certain>, BenchProblem> {
        let aim = self.aim;
        let axes: Vec<_> = aim.knobs.iter().map(|(knob, _)| knob.axis()).collect();
        let base: Vec<f64> = aim.knobs.iter().map(|(_, value)| *value).collect();
        let mut all = vec![base.clone()];
        all.extend(starts);
        // What cannot even begin says why.
        let begins = |start: &Vec<f64>| aim.bench.run(&aim.at(start), aim.half).err();
        let function = |point: &[f64]| aim.distance(point);
        let stopped = |calls| {
            self.report(calls);
            self.control.stopped()
        };
        let Some(found) = search(&axes, &all, self.simulations, &function, stopped) else {
            if self.control.stopped() {
                return Ok(None);
            }
            let problem = all.first().and_then(begins);
            return Err(problem.unwrap_or(BenchProblem::Stopped));
        };
        let (point, value, fitted) = aim.put_back(&base, found.point, found.value);
        let mut figures = Vec::new();
        let mut kept = Vec::new();
        for (index, (knob, _)) in aim.knobs.iter().enumerate() {
            if self.control.stopped() {
                return Ok(None);
            }
            if !fitted[index] {
                kept.push((*knob, point[index]));
                continue;
            }
            let (least, most) = aim.interval(&point, index, value);
            figures.push(Figure {
                knob: *knob,
                value: point[index],
                least,
                most,
            });
        }
        Ok((!self.control.stopped()).then_some(Certain {
            figures,
            kept,
            settled: found.settled,
        }))
    }

    fn report(&self, calls: u32) {
        self.control.report(Progress {
            step: self.name,
            done_bytes: calls.into(),
            total_bytes: self.simulations.into(),
        });
    }
}

impl Aim<'_> {
    fn at(&self, point: &[f64]) -> Vec<(Knob, f64)> {
        let knobs = self.knobs.iter().zip(point);
        knobs.map(|((knob, _), value)| (*knob, *value)).collect()
    }

    /// How far a candidate is from the log; `None` for one that cannot do the work.
    fn distance(&self, point: &[f64]) -> Option<f64> {
        let durations = self.bench.run(&self.at(point), self.half).ok()?;
        let simulated = Signature::of(&durations, self.bench.sample.bytes).ok()?;
        Some(self.log.distance(&simulated).ok()?.total())
    }

    /// Gives figures back the base's value where that does as well, the least helpful first. Returns the point,
    /// its distance, and which figures remain fitted.
    fn put_back(
        &self,
        base: &[f64],
        mut point: Vec<f64>,
        mut value: f64,
    ) -> (Vec<f64>, f64, Vec<bool>) {
        let mut fitted = vec![true; point.len()];
        let allowed = value + AS_GOOD;
        loop {
            let open: Vec<usize> = (0..point.len()).filter(|index| fitted[*index]).collect();
            let tried: Vec<_> = open
                .into_par_iter()
                .filter_map(|index| {
                    let mut other = point.clone();
                    other[index] = base[index];
                    let distance = if other == point {
                        value
                    } else {
                        self.distance(&other)?
                    };
                    Some((index, distance))
                })
                .collect();
            let best = tried.into_iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
            match best {
                Some((index, distance)) if distance <= allowed => {
                    point[index] = base[index];
                    value = distance;
                    fitted[index] = false;
                }
                _ => return (point, value, fitted),
            }
        }
    }

    /// Values of a figure that do as well, the others held.
    fn interval(&self, point: &[f64], index: usize, value: f64) -> (f64, f64) {
        let axis = self.knobs[index].0.axis();
        let reach = |up: bool| {
            let mut far = point[index];
            for factor in FACTORS {
                let mut other = point.to_vec();
                let next = if up {
                    point[index] * factor
                } else {
                    point[index] / factor
                };
                let next = if axis.whole { next.round() } else { next };
                other[index] = next.clamp(axis.least, axis.most);
                if other[index] == far {
                    continue;
                }
                match self.distance(&other) {
                    Some(distance) if distance <= value + AS_GOOD => far = other[index],
                    _ => break,
                }
            }
            far
        };
        rayon::join(|| reach(false), || reach(true))
    }
}
