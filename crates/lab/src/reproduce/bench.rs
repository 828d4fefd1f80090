//! Our side of the values: what they ask for is run once, looked up or computed.

use wordline_catalog::Catalog;
use wordline_core::{Experiment, ResultSet};

use super::band::{Bands, ReproducedBand};
use super::runs::{FinishedRuns, points};
use super::{Options, curves, theory};
use crate::control::Control;
use crate::meter::{Meter, POINT};
use crate::published::{Measure, Published, SheetFigure, Value, number};

/// Runs what values ask for, and remembers it.
pub(super) struct ReproductionBench<'a> {
    catalog: &'a Catalog,
    runs: FinishedRuns<'a>,
    /// None where none is asked for.
    bands: Option<Bands<'a>>,
}

impl<'a> ReproductionBench<'a> {
    pub(super) fn new(
        catalog: &'a Catalog,
        documents: &[Published],
        options: Options,
        control: &'a Control<'a>,
    ) -> Self {
        let mut runs = FinishedRuns::new(catalog, Meter::new(control));
        let values: Vec<&Value> = documents.iter().flat_map(|one| &one.value).collect();
        runs.expect(&experiments(&values), POINT);
        let bands = options
            .bands
            .then(|| Bands::new(catalog, &values, &mut runs));
        if let Some(bands) = &bands {
            runs.expect(&bands.experiments(&values), Bands::POINT);
        }
        Self {
            catalog,
            runs,
            bands,
        }
    }

    /// Runs every experiment of a document and of its bands that is not finished yet: sweeps one after the other on all
    /// threads, and the others side by side.
    pub(super) fn run(&mut self, document: &Published) {
        let values: Vec<&Value> = document.value.iter().collect();
        let (sweeps, others): (Vec<_>, Vec<_>) = experiments(&values)
            .into_iter()
            .partition(|one| points(one) > 1);
        self.runs.run_in_turn(&sweeps, POINT);
        self.runs.run_side_by_side(&others, POINT);
        if let Some(bands) = &self.bands {
            self.runs
                .run_side_by_side(&bands.experiments(&values), Bands::POINT);
        }
    }

    /// The band of a value that is `ours`.
    pub(super) fn band(&self, value: &Value, ours: f64) -> Option<ReproducedBand> {
        self.bands.as_ref()?.band(value, ours, &self.runs)
    }

    /// Our side of a value; otherwise why there is none.
    pub(super) fn ours(&self, value: &Value) -> Result<f64, String> {
        value.computed(|measure| self.measure(measure, value))
    }

    fn measure(&self, measure: &Measure, value: &Value) -> Result<f64, String> {
        match measure {
            Measure::Row { row, experiment } => {
                let result = self.runs.result(experiment)?;
                row.value(result, only(&experiment.targets, result))
            }
            Measure::Theory { row, sequence } => theory::measure(sequence, row),
            Measure::Curves(asked) => {
                let result = self.runs.result(&asked.experiment)?;
                curves::measure(asked, result, result)
            }
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

/// What values ask to be run.
fn experiments(values: &[&Value]) -> Vec<Experiment> {
    let measures = values.iter().flat_map(|value| value.measures());
    measures.filter_map(Measure::experiment).cloned().collect()
}

/// The target of an experiment on one, where its document has rows of others beside, as that of a program has of its baseline.
fn only<'a>(targets: &'a [String], result: &ResultSet) -> Option<&'a str> {
    let [target] = targets else { return None };
    let has_rows = result.rows.iter().any(|row| row.target == *target);
    has_rows.then_some(&**target)
}
