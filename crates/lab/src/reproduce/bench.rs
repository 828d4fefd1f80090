//! Our side of the values: what they ask for is run once, looked up or computed.

use std::cmp::Reverse;

use wordline_catalog::Catalog;
use wordline_core::{AccessSource, DramTest, Experiment, ResultSet, Workload};

use super::band::{Band, Bands};
use super::meter::{Meter, POINT};
use super::{Options, curves, theory};
use crate::control::Control;
use crate::instrument::case::{self, Case};
use crate::published::{Measure, Published, SheetFigure, Value, number};

/// An experiment and its result; an error where it cannot be run.
type Finished = (Experiment, Result<ResultSet, String>);

/// Runs what values ask for, and remembers it.
pub(super) struct ReproductionBench<'a> {
    catalog: &'a Catalog,
    meter: Meter<'a>,
    finished: Vec<Finished>,
    /// None where none is asked for.
    bands: Option<Bands>,
}

impl<'a> ReproductionBench<'a> {
    pub(super) fn new(
        catalog: &'a Catalog,
        documents: &[Published],
        options: Options,
        control: &'a Control<'a>,
    ) -> Self {
        let meter = Meter::new(control);
        let values: Vec<&Value> = documents.iter().flat_map(|one| &one.value).collect();
        meter.expect(experiments(&values).into_iter().map(weight).sum());
        let bands = options.bands.then(|| Bands::new(catalog, &values, &meter));
        Self {
            catalog,
            finished: Vec::new(),
            bands,
            meter,
        }
    }

    /// Runs every experiment of a document that is not finished yet: sweeps one after the other on all threads, and the
    /// others side by side.
    pub(super) fn run(&mut self, document: &Published) {
        let mut open = experiments(&document.value.iter().collect::<Vec<_>>());
        open.retain(|one| self.result(one).is_none());
        // The longest first, so that no thread is left with one at the end.
        open.sort_by_key(|one| Reverse(weight(one)));
        let (sweeps, others): (Vec<_>, Vec<_>) = open.into_iter().partition(|one| points(one) > 1);
        for sweep in sweeps {
            let result = (self.meter).run(weight(sweep), POINT, |control| {
                crate::run(self.catalog, sweep, control)
            });
            let result = result.map_err(|error| error.to_string());
            self.finished.push((sweep.clone(), result));
        }
        let total = others.iter().copied().map(weight).sum();
        let catalog = self.catalog;
        let results = self.meter.run(total, 1, |control| {
            let cases = others.iter().map(|&experiment| {
                let name = experiment.targets.join(", ");
                Case::new(name, weight(experiment), move |control: &Control<'_>| {
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
            Err(error) => vec![Err(error.to_string()); others.len()],
        };
        self.finished
            .extend(others.into_iter().cloned().zip(results));
    }

    fn result(&self, experiment: &Experiment) -> Option<&Result<ResultSet, String>> {
        let mut finished = self.finished.iter();
        finished.find_map(|(run, result)| (run == experiment).then_some(result))
    }

    /// The band of a value that is `ours`.
    pub(super) fn band(&mut self, value: &Value, ours: f64) -> Option<Band> {
        self.bands.as_mut()?.band(value, ours, &self.meter)
    }

    /// Our side of a value; otherwise why there is none.
    pub(super) fn ours(&self, value: &Value) -> Result<f64, String> {
        let ours = self.measure(&value.of, value)?;
        let Some(over) = &value.over else {
            return Ok(ours);
        };
        let ratio = ours / self.measure(over, value)?;
        if ratio.is_finite() {
            Ok(ratio)
        } else {
            Err(format!("the ratio is {ratio}"))
        }
    }

    fn measure(&self, measure: &Measure, value: &Value) -> Result<f64, String> {
        let result = |experiment| match self.result(experiment) {
            Some(result) => result.as_ref().map_err(Clone::clone),
            None => Err("it was not run".to_owned()),
        };
        match measure {
            Measure::Row { row, experiment } => row.value(result(experiment)?, None),
            Measure::Theory { row, sequence } => theory::measure(sequence, row),
            Measure::Curves(asked) => curves::measure(asked, result(&asked.experiment)?),
            Measure::Figure(asked) => {
                let (number, unit) = self.figure(asked)?;
                if value.over.is_none() && unit != value.unit {
                    return Err(format!("{} states {} in {unit}", asked.sheet, asked.figure));
                }
                Ok(number)
            }
        }
    }

    /// A column of a figure of a sheet, with its SI unit. A sheet states an endurance without limit as
    /// such rather than as a number.
    fn figure(&self, asked: &SheetFigure) -> Result<(f64, &'static str), String> {
        let SheetFigure {
            sheet: id,
            figure: path,
            column,
        } = asked;
        let figures = match self.catalog.part(id) {
            Ok(part) if path == "capacity" => {
                return Ok((part.model.capacity_bytes() as f64, "B"));
            }
            Ok(part) => &part.figures,
            Err(_) => {
                let board = self.catalog.board(id);
                &board.map_err(|_| format!("no sheet {id}"))?.figures
            }
        };
        let figure = figures.iter().find(|figure| figure.figure == *path);
        let figure = figure.ok_or_else(|| format!("{id} states no {path}"))?;
        let prefix = format!("{column} ");
        let mut columns = figure.value.split(", ");
        let text = columns.find_map(|text| text.strip_prefix(&prefix));
        let text = text.ok_or_else(|| format!("{path} of {id} has no column {column}"))?;
        if path.ends_with("_unlimited") && text == "true" {
            return Ok((f64::INFINITY, "cycles"));
        }
        number::any(text).ok_or_else(|| format!("{path} of {id} is no quantity: {text}"))
    }
}

/// The experiments of values, each once.
fn experiments<'v>(values: &[&'v Value]) -> Vec<&'v Experiment> {
    let mut distinct: Vec<&Experiment> = Vec::new();
    for measure in values.iter().flat_map(|value| value.measures()) {
        let experiment = measure.experiment();
        distinct.extend(experiment.filter(|one| !distinct.contains(one)));
    }
    distinct
}

/// Simulations of memory modules that an experiment takes.
fn points(experiment: &Experiment) -> u64 {
    let Workload::Dram(dram) = &experiment.workload else {
        return 0;
    };
    let each = match &dram.test {
        // One more is idle.
        DramTest::Loaded(loaded) => 1 + loaded.delays_cycles.len(),
        DramTest::Bandwidth(bandwidth) => bandwidth.mixes.len() * bandwidth.patterns.len(),
        DramTest::Idle(_) | DramTest::Trace(_) => 1,
    };
    (each * experiment.targets.len()) as u64
}

/// What an experiment counts as in the progress: the bytes that it moves, or what takes as long. Others move none that
/// anybody counts.
fn weight(experiment: &Experiment) -> u64 {
    match &experiment.workload {
        Workload::Raw(workload) => workload.total_bytes,
        Workload::Buffer(workload) => match &workload.source {
            AccessSource::Stream(stream) => stream.total_bytes,
            AccessSource::Log(_) | AccessSource::Trace(_) => 0,
        },
        _ => POINT * points(experiment),
    }
}
