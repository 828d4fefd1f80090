//! `wordline raw`.

use wordline_catalog::{Catalog, Target};
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::{Experiment, RawWorkload, Workload};
use wordline_lab::default_workload;

use crate::args::{Global, Raw};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::Exports;

pub(crate) fn run(raw: &Raw, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&raw.export)?;
    let catalog = super::catalog(global)?;
    let experiment = experiment(raw, &catalog)?;
    let document = super::run_experiment(&catalog, &experiment, &Inputs::default(), global)?;
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}

fn experiment(raw: &Raw, catalog: &Catalog) -> Result<Experiment, Failure> {
    let targets: Vec<Target<'_>> = raw
        .target
        .iter()
        .map(|name| catalog.target(name).map_err(failure::catalog))
        .collect::<Result<_, _>>()?;
    let bytes = |size: Option<ByteCount>| size.map(ByteCount::bytes);
    let default = default_workload(&targets, bytes(raw.wrap), bytes(raw.total));
    let sizes: Vec<u64> = raw.size.iter().copied().map(ByteCount::bytes).collect();
    let sizes = if sizes.is_empty() {
        default.access_bytes.clone()
    } else {
        sizes
    };
    let workload = RawWorkload {
        operations: raw.operation.clone(),
        patterns: raw.pattern.clone(),
        cache_read: raw.cache_read,
        cache_program: raw.cache_program,
        multi_plane: raw.multi_plane,
        during: raw.during.clone(),
        pause_ps: raw.pause.map(Time::ps),
        fill: raw.fill.clone(),
        warm_up_bytes: raw.warm_up.map_or(0, ByteCount::bytes),
        sync: raw.sync,
        gaps_ps: raw.gap.iter().map(|gap| gap.ps()).collect(),
        streams: raw.streams.clone(),
        access_bytes: sizes,
        ..default
    };
    Ok(Experiment {
        targets: targets.into_iter().map(|target| target.name).collect(),
        workload: Workload::Raw(workload),
        timings: raw.columns.timing.clone(),
        age: raw.drawn.age,
        seed: raw.drawn.seed,
        ftl: raw.layer.chosen(),
    })
}
