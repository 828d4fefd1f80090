//! Programs on other memories: a profile, the surfaces of its baseline and of each target, and the projection between them.

pub mod capacity;
mod cosimulate;
mod given;
pub mod kernel;
mod memory;
mod power;
mod rows;

use std::collections::BTreeSet;

use wordline_apps::project::PhaseInputs;
use wordline_apps::{BandRequest, CurvePlace, PlainEstimates, Profile, Projection, project};
use wordline_catalog::Catalog;
use wordline_core::quantity::{Power, Quantity as _};
use wordline_core::{AppWorkload, Experiment, ResultSet, Timing};

use crate::control::Control;
use crate::error::{LabError, SettingProblem, in_range};
use crate::list::distinct;
use crate::prices;
use crate::warning::LabWarning;
use cosimulate::Cosimulation;
use memory::{AskedPlaces, ProgramMemory};
use power::KnownPower;

/// The most draws of a band.
const DRAWS_MAX: u32 = 100_000;

/// A program on one target.
struct ProgramRun<'m, 'a> {
    memory: &'m ProgramMemory<'a>,
    projection: Projection,
    plain: PlainEstimates,
    /// Its windows simulated whole, where that was asked for.
    cosimulation: Option<Cosimulation>,
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
    let power_runs = power::runs(workload, control)?;
    let names = targets(catalog, &profile, &experiment.targets)?;
    check_prices(catalog, workload, &names, document)?;
    // In full, so that the document repeats without the file.
    document.experiment.targets = names[1..].to_vec();
    if let wordline_core::Workload::App(app) = &mut document.experiment.workload {
        app.profile = Some(text);
        app.power_runs.clone_from(&power_runs);
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
    let power = power::known(workload, &power_runs, &profile, baseline)?;
    if let KnownPower::Undetermined(why) = &power {
        document.warn(LabWarning::EnergyUndetermined { why });
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
            cosimulation: None,
        });
    }
    let mut before = None;
    if workload.cosimulate && document.complete {
        before = cosimulated(&profile, baseline, &mut runs, experiment.seed, control)?;
        document.complete = before.is_some();
        for run in &runs {
            misled(&profile, before.as_ref(), run, document);
        }
    }
    let cautions = runs.first().map(|run| &*run.projection.cautions);
    for caution in cautions.unwrap_or_default() {
        document.warn(LabWarning::ProfileCaution { what: caution });
    }
    rows::add(
        &profile,
        workload,
        (baseline, before.as_ref()),
        &runs,
        &power,
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
    if let Some(problem) = prices::problem(workload.prices.parts.values()) {
        return Err(problem.of("price"));
    }
    let powers = [
        ("platform-power", workload.platform_power),
        ("active-power", workload.active_power),
        ("stalled-power", workload.stalled_power),
    ];
    for (flag, power) in powers {
        if let Some(found) = power.filter(|power| !(0.0..=POWER_MAX_W).contains(&power.si())) {
            let [least, most] = [0.0, POWER_MAX_W].map(Power::from_si);
            return Err(SettingProblem::out_of_range(found, least, most).of(flag));
        }
    }
    in_range("draws", workload.draws, 20, DRAWS_MAX)
}

/// No server takes more, in watts.
const POWER_MAX_W: f64 = 1e6;

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

/// A price of no module is a slip of the pen; one that is not used, and one that is missing among others, is said.
fn check_prices(
    catalog: &Catalog,
    workload: &AppWorkload,
    names: &[String],
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let prices = &workload.prices.parts;
    if prices.is_empty() {
        return Ok(());
    }
    let mut modules = BTreeSet::new();
    for name in names {
        let target = catalog.module_in_system(name)?;
        modules.insert(target.module.header.id.as_str());
    }
    let listed = |ids: Vec<&str>| ids.join(", ");
    let is_module = |id: &&String| catalog.modules().any(|one| one.header.id == **id);
    if let Some(found) = prices.keys().find(|id| !is_module(id)) {
        let known = listed(modules.into_iter().collect());
        let found = found.clone();
        return Err(SettingProblem::PriceOfNoModule { found, known }.of("price"));
    }
    let unused = prices.keys().map(String::as_str);
    let unused: Vec<&str> = unused.filter(|id| !modules.contains(id)).collect();
    if !unused.is_empty() {
        let modules = &listed(unused);
        document.warn(LabWarning::PriceUnused { modules });
    }
    modules.retain(|id| !prices.contains_key(*id));
    if !modules.is_empty() {
        let modules = &listed(modules.into_iter().collect());
        document.warn(LabWarning::PriceMissing { modules });
    }
    Ok(())
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

/// Simulates the program's windows on the baseline, which is returned, and on every target; `None` where the caller stopped it.
fn cosimulated(
    profile: &Profile,
    baseline: &ProgramMemory<'_>,
    runs: &mut [ProgramRun<'_, '_>],
    seed: u64,
    control: &Control<'_>,
) -> Result<Option<Cosimulation>, LabError> {
    let of = |memory: &ProgramMemory<'_>, projected: (&Projection, usize)| {
        Cosimulation::of(profile, baseline, memory, projected, seed, control)
    };
    let before = match runs.first() {
        Some(first) => of(baseline, (&first.projection, 0))?,
        None => None,
    };
    if before.is_none() {
        return Ok(None);
    }
    for run in runs {
        run.cosimulation = of(run.memory, (&run.projection, 1))?;
        if run.cosimulation.is_none() {
            return Ok(None);
        }
    }
    Ok(before)
}

/// Warns where the speed-up of the simulated windows lies outside of the band.
fn misled(
    profile: &Profile,
    before: Option<&Cosimulation>,
    run: &ProgramRun<'_, '_>,
    document: &mut ResultSet,
) {
    let (Some(before), Some(after), Some(band)) = (before, &run.cosimulation, run.projection.band)
    else {
        return;
    };
    let simulated = before.total_s() / after.total_s();
    if band.holds(simulated) {
        return;
    }
    let off = |number: usize| {
        let both = [before.ratios[number] - 1.0, after.ratios[number] - 1.0];
        both.into_iter().max_by(|a, b| a.abs().total_cmp(&b.abs()))
    };
    let phases = profile.phases.iter().enumerate();
    let phases = phases.filter_map(|(number, phase)| Some((phase, off(number)?)));
    let worst = phases.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    if let Some((phase, off)) = worst {
        document.warn(LabWarning::SurfaceMisled {
            target: &run.memory.name(),
            phase: &phase.name,
            percent: &format_args!("{:+.1}", 100.0 * off),
            simulated: &format_args!("{simulated:.2}"),
            low: &format_args!("{:.2}", band.low),
            high: &format_args!("{:.2}", band.high),
        });
    }
}
