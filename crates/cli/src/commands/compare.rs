//! `wordline compare`: studies, which flags override, and candidates that must pass.

use std::path::Path;
use std::{fs, io};

use clap::Args;
use wordline_catalog::Catalog;
use wordline_core::{Experiment, ResultSet, WorkKind, Workload, is_given};
use wordline_lab::{Control, STUDIES, all_targets, read_study, shortlist, write_study};

use super::hooks::HookRequest;
use crate::failure::{self, Failure};
use crate::input;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output;

/// No study comes near this size.
const STUDY_BYTES_MAX: u64 = 1 << 20;

#[derive(Args)]
pub(super) struct Study {
    /// A study: a TOML file, - for standard input, or the name of one that comes along
    study: Option<String>,
    /// Candidate that must pass, at every timing; repeatable
    #[arg(long, value_delimiter = ',', value_name = "TARGET")]
    require: Vec<String>,
    /// Write the study to stdout instead of running it
    #[arg(long, conflicts_with_all = ["require", "export"])]
    print_study: bool,
}

pub(super) fn run(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let Study {
        study,
        require,
        print_study,
    } = request.flags()?;
    take_study(&mut request, study.as_deref())?;
    if print_study {
        // A study names its files as the user did: it is run beside them.
        let text = write_study(&request.experiment).unwrap_or_default();
        output::data(&text)?;
        return Ok(Outcome::Done);
    }
    let catalog = request.catalog()?;
    let (mut of_logs, require) = logs_among(require, &request.experiment.workload);
    let (mut of_files, require) = files_among(require, &request.experiment.workload, &catalog)?;
    let mut required = required(&require, &catalog)?;
    // What is required is a candidate, whether or not it was named as one.
    if !required.is_empty() || !of_files.is_empty() {
        let compare = match &request.experiment.workload {
            Workload::Compare(compare) => Some(compare),
            _ => None,
        };
        let is_all = compare.is_some_and(|compare| compare.all_parts);
        let named = match request.experiment.targets.as_slice() {
            [] if is_all => all_targets(&catalog),
            [] => shortlist(&catalog),
            some => in_full(some, &catalog)?,
        };
        let below = of_files.iter().filter_map(|name| name.split_once(':'));
        let below = below.map(|(_, target)| target.to_owned());
        let mut targets = named;
        for target in required.iter().cloned().chain(below) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        request.experiment.targets = targets;
        if let Workload::Compare(compare) = &mut request.experiment.workload {
            compare.all_parts = false;
        }
    }
    if let Some(study) = &study {
        request.exports.spare(Path::new(study))?;
    }
    required.append(&mut of_logs);
    required.append(&mut of_files);
    let document = request.document(&catalog, &Control::default())?;
    let outcome = outcome(&document, &required);
    request.exports.write(&document, request.global, outcome)
}

/// Flags override what a study says; without a study they are the study.
fn take_study(request: &mut HookRequest<'_>, study: Option<&str>) -> Result<(), Failure> {
    let given = |field: &str| is_given(request.matches, field);
    if let Some(name) = study {
        let study = read(name)?;
        let flags = std::mem::replace(&mut request.experiment, study);
        let taken = request.experiment.take_given(&flags, request.matches);
        taken.map_err(failure::message)?;
        if let Workload::Compare(compare) = &mut request.experiment.workload {
            // Beside the study's file, as the study means it.
            let folder = Path::new(name).parent().unwrap_or(Path::new("."));
            let beside = |file: &str| folder.join(file).to_string_lossy().into_owned();
            if let Some(trace) = compare.work.trace.as_mut().filter(|_| !given("trace")) {
                *trace = beside(trace);
            }
            for (id, files) in [
                ("logs", &mut compare.logs),
                ("currents", &mut compare.currents),
            ] {
                for file in files.iter_mut().filter(|_| !given(id)) {
                    *file = beside(file);
                }
            }
        }
    } else if !given("rate") {
        return Err(failure::message(
            "say at which rate data come, such as --rate 500KB/s, or name a study, such as data-logger",
        ));
    }
    // A trace says by itself that it is replayed.
    if given("trace")
        && !given("work.kind")
        && let Workload::Compare(compare) = &mut request.experiment.workload
    {
        compare.work.kind = WorkKind::Replay;
    }
    Ok(())
}

/// The logs among the names of `--require`, as verdicts call them, and the other names.
fn logs_among(require: Vec<String>, workload: &Workload) -> (Vec<String>, Vec<String>) {
    let is_log = |name: &str| matches!(workload, Workload::Compare(compare) if compare.logs.iter().any(|log| log == name));
    let file = |name: &str| name.strip_prefix("log:").unwrap_or(name).to_owned();
    let (logs, others): (Vec<_>, Vec<_>) =
        require.into_iter().partition(|name| is_log(&file(name)));
    let targets = logs.iter().map(|name| format!("log:{}", file(name)));
    (targets.collect(), others)
}

/// The candidates under a file system of `--on` among the names of `--require`, as verdicts call them, and the other names.
fn files_among(
    require: Vec<String>,
    workload: &Workload,
    catalog: &Catalog,
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let (mut of_files, mut others) = (Vec::new(), Vec::new());
    for name in require {
        let under = name.split_once(':').filter(|(fs, _)| {
            matches!(workload, Workload::Compare(compare) if compare.file_systems.iter().any(|one| one.name() == *fs))
        });
        match under {
            Some((fs, target)) => {
                let full = in_full(&[target.to_owned()], catalog)?;
                of_files.extend(full.iter().map(|target| format!("{fs}:{target}")));
            }
            None => others.push(name),
        }
    }
    Ok((of_files, others))
}

/// The targets of `--require` with their boards, each once.
fn required(require: &[String], catalog: &Catalog) -> Result<Vec<String>, Failure> {
    let mut required = in_full(require, catalog)?;
    required.sort();
    required.dedup();
    Ok(required)
}

/// Names of candidates with their boards.
fn in_full(names: &[String], catalog: &Catalog) -> Result<Vec<String>, Failure> {
    let targets = names.iter().map(|name| catalog.target(name));
    let names = targets.map(|target| Ok(target.map_err(failure::catalog)?.name()));
    names.collect()
}

/// How a comparison ended.
pub(super) fn outcome(document: &ResultSet, required: &[String]) -> Outcome {
    if !document.complete && interrupt::heard() {
        return Outcome::Interrupted;
    }
    let cut_short = !document.complete;
    let verdicts = &document.verdicts;
    let missed = |target: &String| {
        let mut of_target = verdicts
            .iter()
            .filter(|one| one.target == *target)
            .peekable();
        // One that was not reached has not passed.
        of_target.peek().is_none() || of_target.any(|one| !one.pass)
    };
    // Where the time was up, a candidate that was not reached might pass.
    let none = !cut_short && !verdicts.iter().any(|one| one.pass);
    if required.iter().any(missed) || none {
        Outcome::CheckFailed
    } else {
        Outcome::Done
    }
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

#[cfg(test)]
mod tests {
    use wordline_core::quantity::{ByteCount, DataRate, Quantity as _};
    use wordline_core::results::{Certainty, Verdict};
    use wordline_core::{CompareWorkload, Metric, Timing, Work};

    use super::*;

    /// What passes with its figures as stated counts, whether or not that is certain; what would pass elsewhere does not.
    #[test]
    fn the_exit_code_goes_by_the_figures_as_stated() {
        let work = Work::log(DataRate::from_si(5e3), ByteCount::from_bytes(4096));
        let workload = Workload::Compare(Box::new(CompareWorkload::of(work)));
        let experiment = Experiment {
            targets: vec!["p@b".to_owned()],
            workload,
            timings: vec![Timing::Typ],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        for (pass, certainty, done) in [
            (true, Certainty::Certain, true),
            (true, Certainty::Depends, true),
            (false, Certainty::Depends, false),
            (false, Certainty::Certain, false),
        ] {
            let mut document = ResultSet::new(experiment.clone());
            document.verdicts = vec![Verdict {
                target: "p@b".to_owned(),
                timing: Timing::Typ,
                pass,
                limit: "ram".to_owned(),
                metric: Metric::RamProvision,
                value: None,
                allowed: 8192.0,
                margin: None,
                certainty,
                deciding_figure: None,
                flips_at: None,
                deciding: None,
                bound: None,
                unproven: Vec::new(),
                note: None,
            }];
            let found = matches!(outcome(&document, &[]), Outcome::Done);
            assert_eq!(found, done, "{pass} {certainty:?}");
        }
    }
}
