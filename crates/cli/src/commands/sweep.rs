//! `wordline sweep`: an experiment along axes.

use std::collections::BTreeSet;
use std::path::Path;

use wordline_core::sweep::{Sweep, SweepResult};
use wordline_lab::Shard;
use wordline_lab::store::Store;
use wordline_report::{Column, Grid, printable, render_sweep};

use super::run_saved::InputPlaces;
use crate::args::{Global, StoreFolder, SweepFile};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{self, Exports};
use crate::saved;

pub(crate) fn run(asked: &SweepFile, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&asked.export)?;
    let result = match &asked.file {
        Some(file) => {
            exports.spare(file)?;
            let sweep = saved::read_sweep(file)?;
            if asked.print_points {
                return print_points(&sweep, global);
            }
            swept(file, &sweep, asked, &exports, global)?
        }
        None => merged(asked, &exports)?,
    };
    exports.write_text(global, |format, style| render_sweep(&result, format, style))?;
    let is_unfinished = result.shard.is_none() && !result.complete;
    Ok(
        if !result.complete && (interrupt::heard() || asked.file.is_some()) {
            Outcome::Interrupted
        } else if is_unfinished || result.failures().next().is_some() {
            Outcome::CheckFailed
        } else {
            Outcome::Done
        },
    )
}

fn swept(
    file: &Path,
    sweep: &Sweep,
    asked: &SweepFile,
    exports: &Exports,
    global: &Global,
) -> Result<SweepResult, Failure> {
    let control = asked.runs.control();
    let catalog = super::catalog(global)?;
    let store = asked.runs.stored.open()?;
    let mut places = InputPlaces::of(file, &asked.runs.input)?;
    let inputs = inputs(sweep, &mut places, exports)?;
    let shard = asked.shard.unwrap_or(Shard::WHOLE);
    let result = super::watched(&inputs, &control, global, |control| {
        wordline_lab::sweep(&catalog, sweep, shard, store.as_ref(), control)
    });
    result.map_err(|failure| places.explained(failure))
}

/// The files that points read, each of which stays as it is.
pub(super) fn inputs(
    sweep: &Sweep,
    places: &mut InputPlaces,
    exports: &Exports,
) -> Result<Inputs, Failure> {
    let mut inputs = Inputs::default();
    for name in files(sweep)? {
        let path = places.of_name(&name)?;
        exports.spare(&path)?;
        // Every point opens it anew.
        inputs.place(&name, true, path);
    }
    places.all_used()?;
    Ok(inputs)
}

/// Every file that a point reads.
fn files(sweep: &Sweep) -> Result<BTreeSet<String>, Failure> {
    let places = sweep
        .points()
        .map_err(|error| failure::message(error.to_string()))?;
    let mut names = BTreeSet::new();
    for place in &places {
        // A point that cannot be read fails when its turn comes.
        if let Ok(mut experiment) = sweep.experiment_at(place) {
            let inputs = experiment.workload.inputs_mut().into_iter();
            names.extend(inputs.map(|input| input.name.clone()));
        }
    }
    Ok(names)
}

fn merged(asked: &SweepFile, exports: &Exports) -> Result<SweepResult, Failure> {
    let mut results = Vec::new();
    for path in &asked.merge {
        exports.spare(path)?;
        results.push(saved::read_sweep_result(path)?);
    }
    SweepResult::merge(results).map_err(|error| failure::message(format!("--merge: {error}")))
}

/// The points in a table.
fn print_points(sweep: &Sweep, global: &Global) -> Result<Outcome, Failure> {
    let points = sweep
        .points()
        .map_err(|error| failure::message(error.to_string()))?;
    let fields: Vec<&String> = sweep.fields().collect();
    let mut columns = vec![Column::numeric("point")];
    columns.extend(fields.iter().map(|field| Column::left(field.as_str())));
    let mut grid = Grid::new(format!("{} points", points.len()), columns);
    for place in &points {
        let at = sweep.at(place);
        let cells = fields.iter().map(|field| match at.get(*field) {
            Some(serde_json::Value::String(text)) => printable(text),
            Some(value) => printable(&value.to_string()),
            None => String::new(),
        });
        grid.push([place.point.to_string()].into_iter().chain(cells));
    }
    output::data(&grid.render(global.format.into(), &output::style()))?;
    Ok(Outcome::Done)
}

impl StoreFolder {
    /// The store, where one is named.
    pub(crate) fn open(&self) -> Result<Option<Store>, Failure> {
        let opened = self.store.as_deref().map(Store::open).transpose();
        opened.map_err(|error| failure::message(format!("--store: {error}")))
    }
}
