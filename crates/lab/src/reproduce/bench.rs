//! Our side of the values: what they ask for is run once, looked up or computed.

use std::cmp::Reverse;
use std::collections::HashMap;

use wordline_catalog::Catalog;
use wordline_core::quantity::{Fraction, Quantity};
use wordline_core::results::{AxisValue, NoValue, Row};
use wordline_core::{
    AccessSource, Axis, BufferWorkload, Experiment, Metric, Operation, ResultSet, Workload,
};

use super::band::{Band, Bands};
use super::meter::Meter;
use super::modules::{Asked, Modules};
use super::{Options, tables, theory, wear};
use crate::buffer::default_stream;
use crate::control::Control;
use crate::instrument::case::{self, Case};
use crate::published::{
    Extent, Input, Kind, Measure, Published, Run, TableRun, Value, Variant, WearRun, number,
};

/// Runs what values ask for, and remembers it.
pub(super) struct ReproductionBench<'a> {
    catalog: &'a Catalog,
    meter: Meter<'a>,
    /// What is to be simulated, all at once when the first of it is asked for; an error for what cannot be.
    runs: Vec<(Run, Result<Experiment, String>)>,
    finished: HashMap<Run, Result<ResultSet, String>>,
    tables: HashMap<TableRun, Result<ResultSet, String>>,
    worn: HashMap<WearRun, Result<ResultSet, String>>,
    modules: Modules<'a>,
    /// None where nobody wants any.
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
        let mut asked = Asked::default();
        let values = documents.iter().flat_map(|document| &document.value);
        let measures = values.flat_map(|value| [Some(&value.of), value.over.as_ref()]);
        let mut inputs: HashMap<Run, Vec<Input>> = HashMap::new();
        for measure in measures.flatten() {
            asked.add(catalog, measure);
            if let Measure::Row { run, input, .. } = measure {
                inputs.entry(run.clone()).or_default().push(*input);
            }
        }
        let mut runs: Vec<_> = inputs
            .into_iter()
            .map(|(run, inputs)| {
                let experiment = experiment(catalog, &run, &inputs);
                (run, experiment)
            })
            .collect();
        // The longest first, so that no thread is left with one at the end.
        runs.sort_by_key(|(_, run)| Reverse(run.as_ref().map_or(0, bytes)));
        let simulated = runs.iter().filter_map(|(_, run)| run.as_ref().ok());
        meter.expect(simulated.map(bytes).sum());
        let bands = options.bands.then(|| Bands::new(catalog, &asked, &meter));
        Self {
            catalog,
            runs,
            finished: HashMap::new(),
            tables: HashMap::new(),
            worn: HashMap::new(),
            modules: Modules::new(catalog, asked, &meter),
            bands,
            meter,
        }
    }

    /// The band of a value that is `ours`.
    pub(super) fn band(&mut self, value: &Value, ours: f64) -> Option<Band> {
        self.bands.as_mut()?.band(value, ours, &self.meter)
    }

    /// Our side of a value; otherwise why there is none.
    pub(super) fn ours(&mut self, value: &Value) -> Result<f64, String> {
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

    fn measure(&mut self, measure: &Measure, value: &Value) -> Result<f64, String> {
        match measure {
            Measure::Row {
                run,
                metric,
                cause,
                input,
            } => {
                let result = self.run(run)?;
                let mut rows = result.of(*metric).filter(|row| {
                    row.operation == run.operation.into()
                        && row.count(Axis::AccessBytes) == Some(run.access_bytes)
                        && row.text(Axis::Cause) == cause.as_deref()
                        && is_at(row, input)
                        && is_of(row, run.extent.window, *metric)
                });
                let name = match cause {
                    Some(cause) => format!("{metric}, {cause}"),
                    None => metric.to_string(),
                };
                let row = rows.next().ok_or(format!("the run has no row {name}"))?;
                if rows.next().is_some() {
                    return Err(format!("the run has several rows {name}"));
                }
                let unbounded = row.no_value == Some(NoValue::Unbounded);
                let value = row.value.or(unbounded.then_some(f64::INFINITY));
                value.ok_or(format!("the run has no value of {name}"))
            }
            Measure::Theory {
                sequence,
                metric,
                input,
            } => theory::measure(sequence, *metric, *input),
            Measure::Module { run, metric } => self.modules.row(run, *metric, &self.meter),
            Measure::Table { run, metric } => tables::row(self.table(run)?, run, *metric),
            Measure::Curves(curves) => self.modules.curves(curves, &self.meter),
            Measure::Wear(asked) => wear::row(self.worn(&asked.run)?, asked),
            Measure::Figure {
                sheet,
                figure,
                column,
            } => {
                let (number, unit) = self.figure(sheet, figure, column)?;
                if value.over.is_none() && unit != value.unit {
                    return Err(format!("{sheet} states {figure} in {unit}"));
                }
                Ok(number)
            }
        }
    }

    /// One run gives inserts and hits.
    fn table(&mut self, run: &TableRun) -> Result<&ResultSet, String> {
        let key = TableRun {
            operation: Operation::Write,
            ..run.clone()
        };
        if !self.tables.contains_key(&key) {
            let experiment = tables::experiment(run);
            let result = (self.meter).run(0, 1, |control| {
                crate::run(self.catalog, &experiment, control)
            });
            let result = result.map_err(|error| error.to_string());
            self.tables.insert(key.clone(), result);
        }
        self.tables[&key].as_ref().map_err(Clone::clone)
    }

    fn run(&mut self, run: &Run) -> Result<&ResultSet, String> {
        if self.finished.is_empty() {
            self.simulate();
        }
        match self.finished.get(run) {
            Some(result) => result.as_ref().map_err(Clone::clone),
            None => Err("it was not simulated".to_owned()),
        }
    }

    /// Simulates everything side by side.
    fn simulate(&mut self) {
        let runs = std::mem::take(&mut self.runs);
        let catalog = self.catalog;
        let weight = |experiment: &Result<Experiment, String>| experiment.as_ref().map_or(0, bytes);
        let total = runs.iter().map(|(_, experiment)| weight(experiment)).sum();
        let results = self.meter.run(total, 1, |control| {
            let cases = runs.iter().map(|(run, experiment)| {
                let name = run.target.as_str();
                Case::new(name, weight(experiment), move |control: &Control<'_>| {
                    let experiment = experiment.as_ref().map_err(Clone::clone)?;
                    let alone = Control {
                        threads: 1,
                        ..*control
                    };
                    crate::run(catalog, experiment, &alone).map_err(|error| error.to_string())
                })
            });
            case::run(cases.collect(), control)
        });
        let stopped = || Err("it was stopped".to_owned());
        let results = match results {
            Ok(results) => results
                .into_iter()
                .map(|ended| ended.unwrap_or_else(stopped))
                .collect(),
            Err(error) => vec![Err(error.to_string()); runs.len()],
        };
        let runs = runs.into_iter().map(|(run, _)| run);
        self.finished = runs.zip(results).collect();
    }

    fn worn(&mut self, run: &WearRun) -> Result<&ResultSet, String> {
        if !self.worn.contains_key(run) {
            let result = wear::experiment(self.catalog, run).and_then(|experiment| {
                // It moves no bytes that anybody counts.
                let ran = self.meter.run(0, 1, |control| {
                    crate::run(self.catalog, &experiment, control)
                });
                ran.map_err(|error| error.to_string())
            });
            self.worn.insert(run.clone(), result);
        }
        self.worn[run].as_ref().map_err(Clone::clone)
    }

    /// A column of a figure of a sheet, with its SI unit. A sheet states an endurance without limit as
    /// such rather than as a number.
    fn figure(&self, id: &str, path: &str, column: &str) -> Result<(f64, &'static str), String> {
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
        let figure = figures.iter().find(|figure| figure.figure == path);
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

/// Whether a row stands at an input, as what came of the accesses themselves: no estimate, and no part of
/// the run.
fn is_at(row: &Row, input: &Input) -> bool {
    let rate = match row.axes.get(&Axis::RateBytesPerS) {
        Some(AxisValue::Number(rate)) => Some(*rate),
        _ => None,
    };
    rate == input.rate_bytes_per_s
        && row.count(Axis::RamBytes) == input.ram_bytes
        && row.text(Axis::Arrival) == input.arrival.map(wordline_core::Arrival::name)
        && [Axis::Estimate, Axis::AtS]
            .iter()
            .all(|axis| !row.axes.contains_key(axis))
}

/// Whether a row is of the accesses in a row that a peak was asked of, or of all.
fn is_of(row: &Row, window: Option<u64>, metric: Metric) -> bool {
    let peak = matches!(metric, Metric::RamPeak | Metric::RamPeakInFlight);
    row.count(Axis::Accesses) == window.filter(|_| peak)
}

/// The experiment of a run; otherwise why it cannot be run.
fn experiment(catalog: &Catalog, run: &Run, inputs: &[Input]) -> Result<Experiment, String> {
    let target = catalog.part_on_board(&run.target);
    let target = target.map_err(|error| error.to_string())?;
    let fill = run.extent.fill_percent;
    let fill = fill.map(|percent| Fraction::from_si(f64::from(percent) / 100.0));
    let workload = match (run.workload, run.variant) {
        (Kind::Raw, variant) => {
            let Extent {
                wrap_bytes,
                total_bytes,
                ..
            } = run.extent;
            let targets = std::slice::from_ref(&target);
            let mut workload = crate::default_workload(targets, wrap_bytes, total_bytes);
            workload.fill = fill.into_iter().collect();
            workload.warm_up_bytes = run.extent.warm_up_bytes.unwrap_or(0);
            workload.operations = vec![run.operation];
            workload.access_bytes = vec![run.access_bytes];
            workload.patterns = vec![run.pattern];
            workload.streams = run.extent.streams.into_iter().collect();
            workload.cache_read = variant == Some(Variant::CacheRead);
            Workload::Raw(workload)
        }
        (Kind::Buffer, None) => {
            let targets = std::slice::from_ref(&target);
            let Extent {
                wrap_bytes,
                total_bytes,
                ..
            } = run.extent;
            let mut stream = default_stream(targets, run.access_bytes, wrap_bytes, total_bytes);
            stream.operation = run.operation;
            stream.pattern = run.pattern;
            let mut workload = BufferWorkload::of(AccessSource::Stream(stream));
            workload.fill = fill;
            workload.window = run.extent.window;
            workload.warm_up_bytes = run.extent.warm_up_bytes.unwrap_or(0);
            for input in inputs {
                let rates = &mut workload.rates_bytes_per_s;
                rates.extend(input.rate_bytes_per_s.filter(|rate| !rates.contains(rate)));
                let rams = &mut workload.ram_bytes;
                rams.extend(input.ram_bytes.filter(|ram| !rams.contains(ram)));
            }
            Workload::Buffer(workload)
        }
        (Kind::Buffer, Some(Variant::CacheRead)) => {
            return Err("a buffer has no reads through the cache register".to_owned());
        }
    };
    Ok(Experiment {
        targets: vec![target.name],
        workload,
        timings: vec![run.timing],
        age: 0.0,
        seed: 0,
        ftl: None,
    })
}

/// Bytes that an experiment of one run moves.
fn bytes(experiment: &Experiment) -> u64 {
    match &experiment.workload {
        Workload::Raw(workload) => workload.total_bytes,
        Workload::Buffer(workload) => match &workload.source {
            AccessSource::Stream(stream) => stream.total_bytes,
            AccessSource::Log(_) | AccessSource::Trace(_) => 0,
        },
        Workload::Compare(_)
        | Workload::Dram(_)
        | Workload::Fit(_)
        | Workload::Fs(_)
        | Workload::Health(_)
        | Workload::Kv(_)
        | Workload::Wear(_) => 0,
    }
}
