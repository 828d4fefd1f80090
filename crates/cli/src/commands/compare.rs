//! `wordline compare`.

use std::path::Path;
use std::{fs, io};

use wordline_catalog::Catalog;
use wordline_core::quantity::ByteCount;
use wordline_core::{
    CompareWorkload, Experiment, Limits, Prices, ResultSet, Timing, Work, WorkKind, Workload,
};
use wordline_lab::{STUDIES, all_targets, read_study, write_study};

use crate::args::{Compare, Global};
use crate::failure::{self, Failure};
use crate::input::{self, Inputs};
use crate::outcome::Outcome;
use crate::output::{self, Exports};

/// No study comes near this size.
const STUDY_BYTES_MAX: u64 = 1 << 20;

/// A record, unless the user says otherwise.
const RECORD: ByteCount = ByteCount::from_bytes(4096);

pub(crate) fn run(compare: &Compare, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&compare.export)?;
    let mut inputs = Inputs::default();
    let experiment = experiment(compare, &mut inputs)?;
    if compare.print_study {
        let text = write_study(&experiment).unwrap_or_default();
        output::data(&text)?;
        return Ok(Outcome::Done);
    }
    let catalog = super::catalog(global)?;
    let required = required(compare, &catalog)?;
    let mut experiment = experiment;
    // What is required is a candidate, whether or not it was named as one.
    if !required.is_empty() {
        let named = match experiment.targets.as_slice() {
            [] => all_targets(&catalog),
            some => in_full(some, &catalog)?,
        };
        let more = required.iter().filter(|target| !named.contains(target));
        experiment.targets = named.iter().chain(more).cloned().collect();
    }
    if let Some(trace) = inputs.path() {
        exports.spare(trace)?;
    }
    if let Some(study) = &compare.study {
        exports.spare(Path::new(study))?;
    }
    let document = super::run_experiment(&catalog, &experiment, &inputs, global)?;
    exports.write(&document, global)?;
    Ok(outcome(&document, &required))
}

/// The targets of `--require` with their boards, each once.
fn required(compare: &Compare, catalog: &Catalog) -> Result<Vec<String>, Failure> {
    let mut required = in_full(&compare.require, catalog)?;
    required.sort();
    required.dedup();
    Ok(required)
}

/// Names of candidates with their boards.
fn in_full(names: &[String], catalog: &Catalog) -> Result<Vec<String>, Failure> {
    let full = |name: &String| {
        let (turn, target) = match name.strip_prefix("2*") {
            Some(target) => ("2*", target),
            None => ("", name.as_str()),
        };
        let target = catalog.target(target).map_err(failure::catalog)?;
        Ok(format!("{turn}{}", target.name))
    };
    names.iter().map(full).collect()
}

fn outcome(document: &ResultSet, required: &[String]) -> Outcome {
    if !document.complete {
        return Outcome::Interrupted;
    }
    let verdicts = &document.verdicts;
    let missed = |target: &String| {
        let mut of_target = verdicts.iter().filter(|one| one.target == *target);
        of_target.any(|one| !one.pass)
    };
    if required.iter().any(missed) || !verdicts.iter().any(|one| one.pass) {
        Outcome::CheckFailed
    } else {
        Outcome::Done
    }
}

/// The study with what the flags say.
fn experiment(compare: &Compare, inputs: &mut Inputs) -> Result<Experiment, Failure> {
    let mut experiment = match &compare.study {
        Some(study) => read(study)?,
        None => of_flags(compare)?,
    };
    let Workload::Compare(workload) = &mut experiment.workload else {
        unreachable!("a study is a comparison");
    };
    override_work(&mut workload.work, compare);
    override_limits(&mut workload.limits, compare);
    override_prices(&mut workload.prices, compare);
    if compare.title.is_some() {
        workload.title.clone_from(&compare.title);
    }
    workload.in_turn |= compare.in_turn;
    if let Some(trace) = &mut workload.work.trace {
        *trace = match (&compare.trace, &compare.study) {
            (Some(named), _) => inputs.add_repeated(Path::new(named)),
            // Beside the study's file, as the study means it.
            (None, Some(study)) => {
                let folder = Path::new(study).parent().unwrap_or(Path::new("."));
                inputs.add_repeated(&folder.join(trace.as_str()))
            }
            (None, None) => inputs.add_repeated(Path::new(trace.as_str())),
        };
    }
    if !compare.target.is_empty() {
        experiment.targets.clone_from(&compare.target);
    }
    if !compare.timing.is_empty() {
        experiment.timings.clone_from(&compare.timing);
    }
    experiment.ftl = compare.layer.chosen().or(experiment.ftl);
    experiment.age = compare.age.unwrap_or(experiment.age);
    experiment.seed = compare.seed.unwrap_or(experiment.seed);
    Ok(experiment)
}

/// A study by its name or from a file.
fn read(study: &str) -> Result<Experiment, Failure> {
    let known = STUDIES.iter().find(|(name, _)| *name == study);
    if let Some((name, text)) = known {
        return read_study(name, text).map_err(|error| failure::sheet(&error));
    }
    let path = Path::new(study);
    if study != "-"
        && fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    {
        let names: Vec<_> = STUDIES.iter().map(|(name, _)| *name).collect();
        return Err(failure::message(format!(
            "{study}: there is no such file, and no study of that name comes along; those are {}",
            names.join(", ")
        )));
    }
    let bytes = input::read(path, STUDY_BYTES_MAX)?;
    if bytes.len() as u64 > STUDY_BYTES_MAX {
        return Err(failure::message(format!(
            "{study} is larger than 1 MiB, which no study is"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|fault| {
        let at = fault.utf8_error().valid_up_to();
        failure::message(format!("{study} is not a text file: byte {at} is no UTF-8"))
    })?;
    read_study(study, &text).map_err(|error| failure::sheet(&error))
}

fn of_flags(compare: &Compare) -> Result<Experiment, Failure> {
    let Some(rate) = compare.rate else {
        return Err(failure::message(
            "say at which rate data come, such as --rate 500KB/s, or name a study, such as data-logger",
        ));
    };
    Ok(Experiment {
        targets: Vec::new(),
        workload: Workload::Compare(Box::new(CompareWorkload {
            title: None,
            work: Work::log(rate, RECORD),
            limits: Limits::default(),
            prices: Prices::default(),
            in_turn: false,
        })),
        timings: vec![Timing::Typ, Timing::Max],
        age: 0.0,
        seed: 0,
        ftl: None,
    })
}

fn override_work(work: &mut Work, compare: &Compare) {
    // A trace says by itself that it is replayed.
    let replay = compare.trace.as_ref().map(|_| WorkKind::Replay);
    work.kind = compare.work.or(replay).unwrap_or(work.kind);
    work.rate = compare.rate.unwrap_or(work.rate);
    work.record = compare.record.unwrap_or(work.record);
    work.duty = compare.duty.or(work.duty);
    work.keep = compare.keep.or(work.keep);
    work.utilization = compare.utilization.or(work.utilization);
    work.fill = compare.fill.or(work.fill);
    work.reads = compare.reads.or(work.reads);
    work.temperature_celsius = compare.temperature.or(work.temperature_celsius);
    work.retain = compare.retain.or(work.retain);
    if compare.trace.is_some() {
        work.trace.clone_from(&compare.trace);
    }
}

fn override_limits(limits: &mut Limits, compare: &Compare) {
    *limits = Limits {
        ram: compare.max_ram.or(limits.ram),
        latency: compare.max_latency.or(limits.latency),
        life: compare.min_life.or(limits.life),
        life_by: compare.life_by.or(limits.life_by),
        page_loss: compare.max_page_loss.or(limits.page_loss),
        energy_per_day: compare.max_energy_per_day.or(limits.energy_per_day),
        bytes_at_risk: compare.max_bytes_at_risk.or(limits.bytes_at_risk),
        holdup: compare.max_holdup.or(limits.holdup),
        cost: compare.max_cost.or(limits.cost),
        parts: compare.max_parts.or(limits.parts),
    };
}

fn override_prices(prices: &mut Prices, compare: &Compare) {
    prices.ram_per_kib = compare.ram_price.or(prices.ram_per_kib);
    prices.level_shifter = compare.shifter_price.or(prices.level_shifter);
    prices.parts.extend(compare.price.iter().cloned());
}
