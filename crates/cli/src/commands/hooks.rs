//! What the command does for an experiment beside running it: files that it writes, limits that fail it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use wordline_catalog::Catalog;
use wordline_core::{Experiment, ExperimentCommand, is_given};
use wordline_lab::Control;

use super::{compare, dram, dram_surface, host_storage, mess, part_fit, required, wear};
use crate::args::{Execution, Global, Results};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::{self, Exports};

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
    /// Whether the experiment is printed instead.
    is_printed: bool,
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
    let execution = Execution::from_arg_matches(matches).map_err(failure::flags)?;
    let request = HookRequest {
        experiment: row.experiment(matches).map_err(failure::flags)?,
        exports: Exports::of_results(&results)?,
        inputs: Inputs::default(),
        budget: execution.begin(),
        is_printed: execution.print_experiment,
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
        // Flags or a study have said it, or the command has it by default.
        let given = |field: &str| field == "timing" || is_given(self.matches, field);
        wordline_lab::complete(&mut self.experiment, &catalog, &given).map_err(failure::lab)?;
        self.name_files()?;
        Ok(catalog)
    }

    /// Prints the experiment where that was asked for: then nothing is run, and the command has answered.
    pub(super) fn print_instead(&self) -> Result<(), Failure> {
        if !self.is_printed {
            return Ok(());
        }
        output::data(&self.experiment.to_json())?;
        Err(failure::answered())
    }

    /// Runs it.
    pub(super) fn document(
        &self,
        catalog: &Catalog,
        control: &Control<'_>,
    ) -> Result<wordline_core::ResultSet, Failure> {
        self.print_instead()?;
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

    /// Documents hold no paths: an experiment names the files that it reads by their last names. Flags name them, or the
    /// experiment itself where a study does.
    pub(super) fn name_files(&mut self) -> Result<(), Failure> {
        const FILE: [&str; 6] = [
            "log.file",
            "trace.file",
            "file",
            "system",
            "trace",
            "against",
        ];
        let words = |id: &str| self.matches.try_get_raw(id).ok().flatten();
        let again = self
            .experiment
            .workload
            .reads_again(self.experiment.targets.len());
        let mut taken = BTreeMap::<&str, usize>::new();
        for input in self.experiment.workload.inputs_mut() {
            let named = match input.beside {
                Some(flag) => {
                    let place = taken.entry(flag).or_default();
                    *place += 1;
                    words(flag).and_then(|mut words| words.nth(*place - 1))
                }
                None => FILE.iter().find_map(|id| words(id)?.next()),
            };
            let path = PathBuf::from(named.unwrap_or_else(|| OsStr::new(&*input.name)));
            let is_of_study = named.is_none();
            *input.name = match input.beside {
                Some(_) => self.inputs.add_measured(&path),
                None if again || is_of_study => self.inputs.add_repeated(&path),
                None => self.inputs.add(&path),
            };
            self.exports.spare(&path)?;
        }
        Ok(())
    }
}
