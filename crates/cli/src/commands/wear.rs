//! `wordline wear`.

use std::cell::Cell;
use std::io::{LineWriter, Write};
use std::path::Path;

use wordline_catalog::Catalog;
use wordline_core::quantity::Quantity as _;
use wordline_core::{Experiment, WearWorkload, Workload};
use wordline_lab::Control;

use crate::args::{Global, Wear, WearPart};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::{Exports, Growing};
use crate::sink::{self, Named};

pub(crate) fn run(wear: &Wear, global: &Global) -> Result<Outcome, Failure> {
    if let Some(WearPart::Health(health)) = &wear.part {
        return super::wear_health::run(health, global);
    }
    let mut exports = Exports::new(&wear.export)?;
    if let Some(log) = &wear.log {
        exports.also("--log", log)?;
    }
    let catalog = super::catalog(global)?;
    let experiment = experiment(wear, &catalog)?;
    let growing = Cell::new(None);
    let create = || {
        let log = wear.log.as_deref().unwrap_or(Path::new(""));
        let (begun, file) = Growing::create(log).map_err(|error| sink::named(log, &error))?;
        growing.set(Some(begun));
        // What took days to measure is to be on its way when the power goes.
        let lines = LineWriter::new(Named::new(file, log.to_owned()));
        Ok(Box::new(lines) as Box<dyn Write>)
    };
    let control = Control {
        cycling_log: wear.log.is_some().then_some(&create),
        destroy: &wear.destroy,
        ..Control::default()
    };
    let ran = super::run_with(&catalog, &experiment, &Inputs::default(), &control, global);
    // The log of a real memory cannot be taken again: it stays, whatever came of the rest.
    if let Some(growing) = growing.take()
        && (ran.is_ok() || !wear.destroy.is_empty())
    {
        growing.finish().map_err(|error| {
            let file = wear.log.as_deref().unwrap_or(Path::new("")).display();
            failure::message(format!("--log {file} cannot be written: {error}"))
        })?;
    }
    let document = ran?;
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}

fn experiment(wear: &Wear, catalog: &Catalog) -> Result<Experiment, Failure> {
    let targets = wear.target.iter();
    let targets = targets.map(|name| match name.starts_with("mtd:") {
        // Looked up by whoever opens it.
        true => Ok(name.clone()),
        false => catalog.target(name).map(|target| target.name),
    });
    let targets = targets
        .collect::<Result<_, _>>()
        .map_err(failure::catalog)?;
    let workload = WearWorkload {
        blocks: wear.blocks,
        samples: wear.samples,
        usages: wear.usage.clone(),
        order: wear.order,
        temperatures_celsius: wear.temperature.clone(),
        dwells_s: wear.dwell.iter().map(|dwell| dwell.si()).collect(),
        most_cycles: wear.max_cycles,
    };
    Ok(Experiment {
        targets,
        workload: Workload::Wear(workload),
        timings: wear.columns.timing.clone(),
        age: wear.drawn.age,
        seed: wear.drawn.seed,
        ftl: None,
    })
}
