//! What the command does for an experiment beside running it: files that it writes, limits that fail it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use wordline_catalog::Catalog;
use wordline_core::quantity::Quantity as _;
use wordline_core::{AccessSource, DramTest, Experiment, ExperimentCommand, Workload, is_given};
use wordline_lab::Control;

use super::{compare, dram, dram_surface, host_storage, mess, part_fit, required, wear};
use crate::args::{Budget, Global, Results};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::Exports;

/// Flags of the command alone, and what they do.
pub(crate) struct Hook {
    pub(crate) flags: fn(Command) -> Command,
    run: fn(HookRequest<'_>) -> Result<Outcome, Failure>,
}

/// An experiment that the user asked for.
pub(super) struct HookRequest<'a> {
    pub(super) experiment: Experiment,
    pub(super) matches: &'a ArgMatches,
    pub(super) exports: Exports,
    /// How long the run may take.
    budget: Option<Duration>,
    pub(super) inputs: Inputs,
    pub(super) global: &'a Global,
}

/// Adds the flags that a command has besides the options of its experiment.
type AddFlags = fn(Command) -> Command;

/// Runs the experiment of a command.
type RunCommand = fn(HookRequest<'_>) -> Result<Outcome, Failure>;

/// What a command does besides; most do nothing.
pub(crate) fn of(row: &ExperimentCommand) -> Option<Hook> {
    let (flags, run): (AddFlags, RunCommand) = match row.path {
        ["compare"] => (compare::Study::augment_args, compare::run),
        ["wear"] => (wear::flags, wear::run),
        ["fs", "bench"] => (required::Required::augment_args, required::file_systems),
        ["sql", "bench"] => (required::Required::augment_args, required::databases),
        ["kv", "bench"] => (wear::Destroyed::augment_args, required::kv_bench),
        ["kv", "crash"] => (required::Required::augment_args, required::tables),
        ["dram", "bandwidth"] => (dram::Bandwidth::augment_args, dram::bandwidth),
        ["dram", "loaded"] => (dram::Loaded::augment_args, dram::loaded),
        ["dram", "surface"] => (dram_surface::Surfaces::augment_args, dram_surface::run),
        ["app", "project"] => (
            dram_surface::SurfaceFolder::augment_args,
            dram_surface::project,
        ),
        ["dram", "trace"] => (dram::Trace::augment_args, dram::trace),
        ["dram", _] => (dram::Threads::augment_args, dram::run),
        ["host", "loaded"] => (mess::MessFile::augment_args, mess::host),
        ["host", "storage"] => (host_storage::StorageFiles::augment_args, host_storage::run),
        ["part", "fit"] => (part_fit::BaseSheet::augment_args, part_fit::run),
        _ => return None,
    };
    Some(Hook { flags, run })
}

/// Runs the experiment that a command asks for.
pub(super) fn run(
    row: &ExperimentCommand,
    matches: &ArgMatches,
    global: &Global,
) -> Result<Outcome, Failure> {
    let results = Results::from_arg_matches(matches).map_err(failure::flags)?;
    let budget = Budget::from_arg_matches(matches).map_err(failure::flags)?;
    let budget = budget.budget.map(|time| Duration::from_secs_f64(time.si()));
    if let Some(budget) = budget {
        interrupt::stop_after(budget);
    }
    let request = HookRequest {
        experiment: row.experiment(matches).map_err(failure::flags)?,
        exports: Exports::of_results(&results)?,
        inputs: Inputs::default(),
        budget,
        matches,
        global,
    };
    request.exports.fits(&request.experiment)?;
    match of(row) {
        Some(hook) => (hook.run)(request),
        None => request.finish(),
    }
}

impl HookRequest<'_> {
    /// The flags of the command alone.
    pub(super) fn flags<F: clap::FromArgMatches>(&self) -> Result<F, Failure> {
        F::from_arg_matches(self.matches).map_err(failure::flags)
    }

    /// Runs it and writes what it found.
    pub(super) fn finish(self) -> Result<Outcome, Failure> {
        self.finish_with(&Control::default())
    }

    /// The same with further wishes.
    pub(super) fn finish_with(mut self, control: &Control<'_>) -> Result<Outcome, Failure> {
        let catalog = self.catalog()?;
        let document = self.document(&catalog, control)?;
        let outcome = super::outcome(&document);
        self.exports.write(&document, self.global, outcome)
    }

    /// The catalogue, after the experiment has the defaults that depend on it and files by their last names.
    pub(super) fn catalog(&mut self) -> Result<Catalog, Failure> {
        let catalog = super::catalog(self.global)?;
        let given = |field: &str| is_given(self.matches, field);
        wordline_lab::complete(&mut self.experiment, &catalog, &given).map_err(failure::lab)?;
        self.name_file()?;
        Ok(catalog)
    }

    pub(super) fn document(
        &self,
        catalog: &Catalog,
        control: &Control<'_>,
    ) -> Result<wordline_core::ResultSet, Failure> {
        let control = Control {
            budget: self.budget,
            ..*control
        };
        super::run_with(
            catalog,
            &self.experiment,
            &self.inputs,
            &control,
            self.global,
        )
    }

    /// Documents hold no paths: an experiment names the file that it reads by its last name.
    pub(super) fn name_file(&mut self) -> Result<(), Failure> {
        let ids = [
            "log.file",
            "trace.file",
            "file",
            "system",
            "trace",
            "against",
        ];
        let mut raw = ids
            .iter()
            .filter_map(|id| self.matches.try_get_raw(id).ok()??.next());
        let named = raw.next().map(PathBuf::from);
        // A trace is read for each target or timing class; a log once.
        let again = match &self.experiment.workload {
            Workload::Buffer(buffer) => matches!(buffer.source, AccessSource::Trace(_)),
            Workload::Dram(dram) => {
                matches!(dram.test, DramTest::Trace(_)) && self.experiment.targets.len() > 1
            }
            Workload::Compare(_) => true,
            _ => false,
        };
        if let Workload::Buffer(buffer) = &mut self.experiment.workload
            && let Some(file) = &mut buffer.current
        {
            let path = PathBuf::from(&*file);
            *file = self.inputs.add_measured(&path);
            self.exports.spare(&path)?;
        }
        self.name_logs()?;
        self.name_surfaces()?;
        let Some(file) = self.experiment.workload.file_mut() else {
            return Ok(());
        };
        // A study names its trace itself.
        let Some(path) = named else {
            let path = PathBuf::from(&*file);
            *file = self.inputs.add_repeated(&path);
            return self.exports.spare(&path);
        };
        *file = match again {
            true => self.inputs.add_repeated(&path),
            false => self.inputs.add(&path),
        };
        self.exports.spare(&path)
    }

    /// The same of the surfaces that a program is projected with, and of the runs that powers are found from.
    fn name_surfaces(&mut self) -> Result<(), Failure> {
        let Workload::App(app) = &mut self.experiment.workload else {
            return Ok(());
        };
        let named = self.matches.try_get_raw("surfaces").ok().flatten();
        let mut named = named.into_iter().flatten().map(PathBuf::from);
        for file in &mut app.surfaces {
            let path = named.next().unwrap_or_else(|| PathBuf::from(&*file));
            *file = self.inputs.add_measured(&path);
            self.exports.spare(&path)?;
        }
        if let Some(file) = &mut app.power_file {
            let named = self.matches.try_get_raw("power_file").ok().flatten();
            let named = named.and_then(|mut named| named.next()).map(PathBuf::from);
            let path = named.unwrap_or_else(|| PathBuf::from(&*file));
            *file = self.inputs.add_measured(&path);
            self.exports.spare(&path)?;
        }
        Ok(())
    }

    /// The same of the logs and currents that a comparison names, by flags or in its study.
    fn name_logs(&mut self) -> Result<(), Failure> {
        let Workload::Compare(compare) = &mut self.experiment.workload else {
            return Ok(());
        };
        for (id, files) in [
            ("logs", &mut compare.logs),
            ("currents", &mut compare.currents),
        ] {
            let named = self.matches.try_get_raw(id).ok().flatten();
            let mut named = named.into_iter().flatten().map(PathBuf::from);
            for file in files {
                let path = named.next().unwrap_or_else(|| PathBuf::from(&*file));
                *file = self.inputs.add_measured(&path);
                self.exports.spare(&path)?;
            }
        }
        Ok(())
    }
}
