//! Programs on other memories: a profile, the surfaces of its baseline and of each target, and the projection between them.

pub mod capacity;
mod given;
pub mod kernel;
mod memory;
mod rows;

use wordline_apps::project::PhaseInputs;
use wordline_apps::{
    BandRequest, CurvePlace, PlainEstimates, Profile, Projection, ServerPower, project,
};
use wordline_catalog::Catalog;
use wordline_core::{AppWorkload, Experiment, ResultSet, Timing};

use crate::control::Control;
use crate::error::{LabError, SettingProblem, in_range};
use crate::list::distinct;
use crate::warning::LabWarning;
use memory::{AskedPlaces, ProgramMemory};

/// The most draws of a band.
const DRAWS_MAX: u32 = 100_000;

/// A program on one target.
struct ProgramRun<'m, 'a> {
    memory: &'m ProgramMemory<'a>,
    projection: Projection,
    plain: PlainEstimates,
}

/// Projects the program onto every target and adds what it found to the document.
pub(crate) fn run(
    catalog: &Catalog,
    workload: &AppWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check(workload, experiment)?;
    let (profile, text) = given::profile(workload, control)?;
    let names = targets(catalog, &profile, &experiment.targets)?;
    // In full, so that the document repeats without the file.
    document.experiment.targets = names[1..].to_vec();
    if let wordline_core::Workload::App(app) = &mut document.experiment.workload {
        app.profile = Some(text);
    }
    let asked = asked(&profile);
    let memories = ProgramMemory::all(
        catalog,
        &names,
        &workload.surfaces,
        asked,
        control,
        document,
    )?;
    let Some(memories) = memories else {
        document.complete = false;
        return Ok(());
    };
    let (baseline, targets) = (&memories[0], &memories[1..]);
    let most = baseline.cores();
    if profile.cores > most.saturating_mul(2) {
        let problem = SettingProblem::ProgramCores {
            found: profile.cores,
            target: baseline.name().to_owned(),
            most,
        };
        return Err(problem.of("cores"));
    }
    let band = BandRequest {
        draws: workload.draws,
        seed: experiment.seed,
    };
    let mut runs = Vec::new();
    for memory in targets {
        if control.stopped() {
            document.complete = false;
            break;
        }
        let projected = project(
            &profile,
            baseline.projected(),
            memory.projected(),
            Some(band),
        );
        let projection = projected.map_err(|source| LabError::Program {
            program: profile.name.clone(),
            source,
        })?;
        runs.push(ProgramRun {
            memory,
            projection,
            plain: PlainEstimates::of(&profile, baseline.projected(), memory.projected()),
        });
    }
    let cautions = runs.first().map(|run| &*run.projection.cautions);
    for caution in cautions.unwrap_or_default() {
        document.warn(LabWarning::ProfileCaution { what: caution });
    }
    rows::add(
        &profile,
        workload,
        baseline,
        &runs,
        power(workload)?,
        document,
    );
    Ok(())
}

fn check(workload: &AppWorkload, experiment: &Experiment) -> Result<(), LabError> {
    if experiment.timings != [Timing::Max] {
        return Err(SettingProblem::TimingOfModules.of("timing"));
    }
    if experiment.age != 0.0 {
        return Err(SettingProblem::AgeOfModules.of("age"));
    }
    in_range("draws", workload.draws, 20, DRAWS_MAX)
}

/// The baseline, then the targets without it, each by its full name.
fn targets(
    catalog: &Catalog,
    profile: &Profile,
    asked: &[String],
) -> Result<Vec<String>, LabError> {
    if asked.is_empty() {
        return Err(LabError::NoModule);
    }
    let full = |name: &String| Ok::<_, LabError>(catalog.module_in_system(name)?.name);
    let baseline = full(&profile.baseline)?;
    let mut names: Vec<String> = asked.iter().map(full).collect::<Result<_, _>>()?;
    distinct("to", names.iter().cloned())?;
    names.insert(0, baseline);
    Ok(names)
}

/// The places of a surface that the phases may lie at.
fn asked(profile: &Profile) -> AskedPlaces {
    let ends = profile.phases.iter().map(PhaseInputs::ends);
    let all = ends.reduce(|[a, b], [c, d]| {
        let low = |x: f64, y: f64| x.min(y);
        let high = |x: f64, y: f64| x.max(y);
        [a.with(&c, low), b.with(&d, high)]
    });
    let [least, greatest] = all.unwrap_or([CurvePlace::PLAIN; 2]);
    AskedPlaces {
        write_share: [least.write_share, greatest.write_share],
        locality: [least.locality, greatest.locality],
        imbalance: [least.imbalance, greatest.imbalance],
    }
}

/// The powers of the server, where all of them are stated.
fn power(workload: &AppWorkload) -> Result<Option<ServerPower>, LabError> {
    use wordline_core::quantity::Quantity as _;
    let stated = [
        workload.platform_power,
        workload.active_power,
        workload.stalled_power,
    ];
    let [platform, active, stalled] = stated.map(|power| power.map(|power| power.si()));
    match (platform, active, stalled) {
        (None, None, None) => Ok(None),
        (Some(platform_w), Some(active_core_w), Some(stalled_core_w)) => Ok(Some(ServerPower {
            platform_w,
            active_core_w,
            stalled_core_w,
        })),
        _ => Err(SettingProblem::PowersTogether.of("platform-power")),
    }
}
