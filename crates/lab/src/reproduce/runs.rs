//! Experiments, each run once, whichever values and bands ask for it.

use std::cmp::Reverse;

use wordline_catalog::Catalog;
use wordline_core::{AccessSource, DramTest, Experiment, ResultSet, Workload};

use crate::control::Control;
use crate::dram::surface;
use crate::dram::sweep::POINTS_MAX;
use crate::instrument::case::{self, Case};
use crate::meter::Meter;

/// What was run, with its results: an error where an experiment cannot be run.
pub(super) struct FinishedRuns<'a> {
    catalog: &'a Catalog,
    meter: Meter<'a>,
    finished: Vec<(Experiment, Result<ResultSet, String>)>,
}

impl<'a> FinishedRuns<'a> {
    pub(super) const fn new(catalog: &'a Catalog, meter: Meter<'a>) -> Self {
        Self {
            catalog,
            meter,
            finished: Vec::new(),
        }
    }

    /// Says that these will be run, as far as they are not finished. A simulation of memory modules counts `point` in the
    /// progress.
    pub(super) fn expect(&self, experiments: &[Experiment], point: u64) {
        let open = self.open(experiments, point).into_iter();
        self.meter.expect(open.map(|one| weight(one, point)).sum());
    }

    /// Runs those that are not finished yet: one after the other, each on all threads.
    pub(super) fn run_in_turn(&mut self, experiments: &[Experiment], point: u64) {
        for one in self.open(experiments, point) {
            let result = self.meter.run(weight(one, point), point, |control| {
                crate::run(self.catalog, one, control)
            });
            let result = result.map_err(|error| error.to_string());
            self.finished.push((one.clone(), result));
        }
    }

    /// Runs those that are not finished yet: side by side, each on one thread.
    pub(super) fn run_side_by_side(&mut self, experiments: &[Experiment], point: u64) {
        let open = self.open(experiments, point);
        let total = open.iter().map(|one| weight(one, point)).sum();
        let catalog = self.catalog;
        let results = self.meter.run(total, 1, |control| {
            let cases = open.iter().map(|&experiment| {
                let name = experiment.targets.join(", ");
                let weight = weight(experiment, point);
                Case::new(name, weight, move |control: &Control<'_>| {
                    crate::run(catalog, experiment, control).map_err(|error| error.to_string())
                })
            });
            case::run(cases.collect(), control)
        });
        let stopped = || Err("it was stopped".to_owned());
        let results: Vec<_> = match results {
            Ok(results) => results
                .into_iter()
                .map(|ended| ended.unwrap_or_else(stopped))
                .collect(),
            Err(error) => vec![Err(error.to_string()); open.len()],
        };
        self.finished.extend(open.into_iter().cloned().zip(results));
    }

    /// Those that are not finished, each once, the longest first, so that no thread is left with one at the end.
    fn open<'e>(&self, experiments: &'e [Experiment], point: u64) -> Vec<&'e Experiment> {
        let mut open = distinct(experiments.iter());
        open.retain(|one| self.find(one).is_none());
        open.sort_by_key(|one| Reverse(weight(one, point)));
        open
    }

    fn find(&self, experiment: &Experiment) -> Option<&Result<ResultSet, String>> {
        let mut finished = self.finished.iter();
        finished.find_map(|(run, result)| (run == experiment).then_some(result))
    }

    /// The result of an experiment that was run.
    pub(super) fn result(&self, experiment: &Experiment) -> Result<&ResultSet, String> {
        match self.find(experiment) {
            Some(result) => result.as_ref().map_err(Clone::clone),
            None => Err("it was not run".to_owned()),
        }
    }
}

/// Experiments without those that are there already.
fn distinct<'e>(experiments: impl Iterator<Item = &'e Experiment>) -> Vec<&'e Experiment> {
    let mut distinct: Vec<&Experiment> = Vec::new();
    for one in experiments {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

/// Simulations of memory modules that an experiment takes.
pub(super) fn points(experiment: &Experiment) -> u64 {
    let Workload::Dram(dram) = &experiment.workload else {
        return 0;
    };
    let each = match &dram.test {
        // One more is idle.
        DramTest::Loaded(loaded) => match loaded.delays_cycles.len() {
            0 => 1 + POINTS_MAX,
            delays => 1 + delays,
        },
        DramTest::Bandwidth(bandwidth) => bandwidth.mixes.len() * bandwidth.patterns.len(),
        DramTest::Surface(test) => surface::POINTS_MAX * surface::combinations(test),
        DramTest::Idle(_) | DramTest::Trace(_) => 1,
    };
    (each * experiment.targets.len()) as u64
}

/// What an experiment counts as in the progress: the bytes that it moves, or what takes as long. Others move none that
/// anybody counts.
fn weight(experiment: &Experiment, point: u64) -> u64 {
    match &experiment.workload {
        Workload::Raw(workload) => workload.total_bytes,
        Workload::Buffer(workload) => match &workload.source {
            AccessSource::Stream(stream) => stream.total_bytes,
            AccessSource::Log(_) | AccessSource::Trace(_) => 0,
        },
        _ => point * points(experiment),
    }
}
