//! `wordline wear health`.

use wordline_core::{Experiment, HealthWorkload, Timing, Workload};

use crate::args::{Global, WearHealth};
use crate::failure::Failure;
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::Exports;

pub(crate) fn run(health: &WearHealth, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&health.export)?;
    let mut inputs = Inputs::default();
    let workload = match &health.trace {
        Some(trace) => {
            exports.spare(trace)?;
            let file = inputs.add(trace);
            HealthWorkload::Trace { file }
        }
        None => HealthWorkload::Score {
            families: health.families,
        },
    };
    let experiment = Experiment {
        targets: Vec::new(),
        workload: Workload::Health(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: health.seed,
        ftl: None,
    };
    let catalog = super::catalog(global)?;
    let document = super::run_experiment(&catalog, &experiment, &inputs, global)?;
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}
