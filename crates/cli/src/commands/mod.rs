//! One file a subcommand.

mod buffer;
mod compare;
mod dram;
mod fs;
mod import;
mod kv;
mod part;
mod part_dram;
mod part_fit;
mod raw;
mod report;
mod reproduce;
mod wear;
mod wear_health;

use wordline_catalog::Catalog;
use wordline_core::{Experiment, ResultSet};
use wordline_lab::Control;

use crate::args::{Arguments, Command, Global};
use crate::doctor;
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::Bar;

/// Runs the command that the user asked for.
pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Failure> {
    let global = &arguments.global;
    match &arguments.command {
        Command::Compare(compare) => compare::run(compare, global),
        Command::Buffer(buffer) => buffer::run(buffer, global),
        Command::Raw(raw) => raw::run(raw, global),
        Command::Wear(wear) => wear::run(wear, global),
        Command::Fs(fs) => fs::run(fs, global),
        Command::Kv(kv) => kv::run(kv, global),
        Command::Dram(dram) => dram::run(dram, global),
        Command::Part(part) => part::run(part, global),
        Command::Reproduce(reproduce) => reproduce::run(reproduce, global),
        Command::Report(report) => report::run(report, global),
        Command::Doctor => doctor::run(global),
    }
}

/// The catalogue with the user's folders.
fn catalog(global: &Global) -> Result<Catalog, Failure> {
    Catalog::load(&global.catalog).map_err(failure::catalog)
}

/// Runs an experiment with a progress bar; the first interrupt ends it in order.
fn run_experiment(
    catalog: &Catalog,
    experiment: &Experiment,
    inputs: &Inputs,
    global: &Global,
) -> Result<ResultSet, Failure> {
    run_with(catalog, experiment, inputs, &Control::default(), global)
}

/// The same with further wishes.
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
