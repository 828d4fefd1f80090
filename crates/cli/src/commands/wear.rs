//! `wordline wear`.

use wordline_catalog::Catalog;
use wordline_core::quantity::Quantity as _;
use wordline_core::{Experiment, WearWorkload, Workload};

use crate::args::{Global, Wear, WearPart};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::Exports;

pub(crate) fn run(wear: &Wear, global: &Global) -> Result<Outcome, Failure> {
    if let Some(WearPart::Health(health)) = &wear.part {
        return super::wear_health::run(health, global);
    }
    let exports = Exports::new(&wear.export)?;
    let catalog = super::catalog(global)?;
    let experiment = experiment(wear, &catalog)?;
    let document = super::run_experiment(&catalog, &experiment, &Inputs::default(), global)?;
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}

fn experiment(wear: &Wear, catalog: &Catalog) -> Result<Experiment, Failure> {
    let targets = wear.target.iter();
    let targets = targets.map(|name| catalog.target(name).map(|target| target.name));
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
        timings: wear.timing.clone(),
        age: wear.drawn.age,
        seed: wear.drawn.seed,
        ftl: None,
    })
}
