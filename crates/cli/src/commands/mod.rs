//! The commands. Experiments run alike, and a hook says what else one of them does.

mod compare;
mod dram;
mod fs;
pub(crate) mod hooks;
mod import;
mod import_batch;
mod kv_dump;
mod part;
mod part_dram;
mod part_fit;
mod part_new;
mod report;
mod reproduce;
mod required;
mod shell;
mod wear;

use clap::{ArgMatches, FromArgMatches as _};
use wordline_catalog::Catalog;
use wordline_core::{COMMANDS, Experiment, ResultSet};
use wordline_lab::Control;

use crate::args::{Arguments, Command, Global, Kv};
use crate::doctor;
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::Bar;

/// Runs the command that the user asked for.
pub(crate) fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let (mut path, mut own) = (Vec::new(), matches);
    while let Some((name, below)) = own.subcommand() {
        path.push(name);
        own = below;
    }
    if let Some(row) = COMMANDS.iter().find(|row| *row.path == path) {
        let global = Global::from_arg_matches(own).map_err(failure::flags)?;
        return hooks::run(row, own, &global);
    }
    let arguments = Arguments::from_arg_matches(matches).map_err(failure::flags)?;
    let global = &arguments.global;
    match &arguments.command {
        Command::Fs(fs) => fs::run(fs, global),
        Command::Kv(Kv::Dump(dump)) => kv_dump::run(dump, global),
        Command::Part(part) => part::run(part, global),
        Command::Reproduce(reproduce) => reproduce::run(reproduce, global),
        Command::Report(report) => report::run(report, global),
        Command::Doctor => doctor::run(global),
        Command::Completions { shell } => shell::completions(*shell),
        Command::Man { folder } => shell::man(folder),
    }
}

/// The catalogue with the user's folders.
fn catalog(global: &Global) -> Result<Catalog, Failure> {
    Catalog::load(&global.catalog).map_err(failure::catalog)
}

/// Runs an experiment with a progress bar; the first interrupt ends it in order.
fn run_with(
    catalog: &Catalog,
    experiment: &Experiment,
    inputs: &Inputs,
    control: &Control<'_>,
    global: &Global,
) -> Result<ResultSet, Failure> {
    let bar = Bar::new(global.quiet);
    let show = |progress: wordline_lab::Progress<'_>| bar.show(&progress);
    let stop = interrupt::listen();
    let open = |name: &str| inputs.open(name, &bar, &stop);
    let control = Control {
        stop: Some(&stop),
        progress: Some(&show),
        open: Some(&open),
        ..*control
    };
    wordline_lab::run(catalog, experiment, &control).map_err(failure::lab)
}

/// How a run ended.
fn outcome(document: &ResultSet) -> Outcome {
    if !document.complete {
        Outcome::Interrupted
    } else if document.failed() {
        Outcome::CheckFailed
    } else {
        Outcome::Done
    }
}
