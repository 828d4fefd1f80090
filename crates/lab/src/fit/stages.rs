//! The order of the search: what quick accesses wait for, then the figures of cleaning, then all together.
//!
//! Most accesses meet no cleaning, and what they take depends on a few figures alone. Found first and held, these
//! leave a landscape in which the figures of cleaning can be distinguished. At the end all figures may move a little.

use super::aim::Aim;
use super::certainty::{Certain, weigh};
use super::search::{Reach, SearchResult, search};
use crate::control::{Control, Progress};
use crate::error::BenchProblem;

/// One part in so many of the simulations is for the quick accesses, and another for the end.
const PARTS: u32 = 6;

/// A search, and who watches it.
pub(crate) struct Search<'a> {
    pub(crate) aim: Aim<'a>,
    /// Paths of the figures that quick accesses depend on.
    pub(crate) quick: &'a [&'a str],
    pub(crate) seed: u64,
    pub(crate) simulations: u32,
    pub(crate) control: &'a Control<'a>,
    pub(crate) name: &'a str,
}

/// A part of the search.
struct Stage<'s> {
    /// Which figures move.
    places: Vec<usize>,
    /// Whether the quick accesses count alone.
    quiet: bool,
    reach: Reach,
    /// The most simulations.
    limit: u32,
    starts: &'s [Vec<f64>],
}

impl Search<'_> {
    /// `None` when the caller wants to stop.
    pub(crate) fn run(&self, starts: Vec<Vec<f64>>) -> Result<Option<Certain>, BenchProblem> {
        let mut used = 0;
        let mut all: Vec<Vec<f64>> = vec![self.aim.knobs.iter().map(|(_, value)| *value).collect()];
        all.extend(starts);
        let knobs = 0..all[0].len();
        let is_quick = |place: &usize| self.quick.contains(&self.aim.knobs[*place].0.path);
        let (quick, slow): (Vec<_>, Vec<_>) = knobs.clone().partition(is_quick);
        let part = (self.simulations / PARTS).max(1);
        if !quick.is_empty() && !slow.is_empty() {
            let stage = Stage {
                places: quick.clone(),
                quiet: true,
                reach: Reach::Far(self.seed),
                limit: part,
                starts: &all,
            };
            // Where nothing can be had so, the starts stay as they are.
            if let Some(found) = self.stage(&stage, &mut used) {
                for one in &mut all {
                    quick
                        .iter()
                        .for_each(|place| one[*place] = found.point[*place]);
                }
            }
        }
        let stage = Stage {
            places: if slow.is_empty() { quick } else { slow },
            quiet: false,
            reach: Reach::Far(self.seed),
            limit: self.simulations.saturating_sub(used + part).max(1),
            starts: &all,
        };
        let Some(found) = self.stage(&stage, &mut used) else {
            return self.nothing(&all[0]);
        };
        let stage = Stage {
            places: knobs.collect(),
            quiet: false,
            reach: Reach::Near,
            limit: self.simulations.saturating_sub(used).max(1),
            starts: &[found.point],
        };
        let Some(found) = self.stage(&stage, &mut used) else {
            return self.nothing(&all[0]);
        };
        let stopped = || self.control.stopped();
        Ok(weigh(
            &self.aim,
            found.point,
            found.value,
            found.settled,
            &stopped,
        ))
    }

    /// The search was stopped, or no candidate could do the work: then the first says why.
    fn nothing(&self, first: &[f64]) -> Result<Option<Certain>, BenchProblem> {
        if self.control.stopped() {
            return Ok(None);
        }
        Err(self
            .aim
            .signature(first)
            .err()
            .unwrap_or(BenchProblem::Stopped))
    }

    /// Moves some of the figures, the others held as the first start has them.
    fn stage(&self, stage: &Stage<'_>, used: &mut u32) -> Option<SearchResult> {
        let places = &stage.places;
        let held = stage.starts.first()?;
        let within = |values: &[f64]| {
            let mut point = held.clone();
            places
                .iter()
                .zip(values)
                .for_each(|(place, value)| point[*place] = *value);
            point
        };
        let axes: Vec<_> = places
            .iter()
            .map(|place| self.aim.knobs[*place].0.axis())
            .collect();
        let mut starts: Vec<Vec<f64>> = Vec::new();
        for point in stage.starts {
            let start = places.iter().map(|place| point[*place]).collect();
            if !starts.contains(&start) {
                starts.push(start);
            }
        }
        let (aim, quiet) = (self.aim, stage.quiet);
        let function = |values: &[f64]| {
            let point = within(values);
            if quiet {
                aim.quiet_distance(&point)
            } else {
                aim.distance(&point)
            }
        };
        let before = *used;
        let stopped = |calls| self.breathe(before + calls);
        let found = search(&axes, &starts, stage.reach, stage.limit, &function, stopped)?;
        *used += found.calls;
        Some(SearchResult {
            point: within(&found.point),
            ..found
        })
    }

    /// Reports how far the search is. Returns whether to stop.
    fn breathe(&self, calls: u32) -> bool {
        self.control.report(Progress {
            step: self.name,
            done_bytes: calls.into(),
            total_bytes: self.simulations.into(),
        });
        self.control.stopped()
    }
}
