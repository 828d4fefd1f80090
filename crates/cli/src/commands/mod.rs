//! The commands. Experiments run alike, and a hook says what else one of them does.

mod app;
mod ask;
mod compare;
mod diff;
pub(crate) mod dram;
pub(crate) mod dram_surface;
mod explore;
mod fs;
pub(crate) mod hooks;
mod host_storage;
mod import;
mod import_batch;
mod io;
mod kv_dump;
mod mess;
mod part;
mod part_compare;
mod part_dram;
mod part_find;
mod part_fit;
mod part_list;
mod part_new;
mod report;
mod reproduce;
mod required;
mod run_saved;
mod shell;
mod sweep;
mod wear;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::{ArgMatches, FromArgMatches as _};
use wordline_catalog::{Catalog, PriceList};
use wordline_core::{COMMANDS, Experiment, ResultSet};
use wordline_lab::{Control, LabError};
use wordline_report::printable;

use crate::args::{Arguments, Command, Global, Kv};
use crate::doctor;
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output;
use crate::progress::Bar;

/// Whether a person sits before a bare `wordline`.
pub(crate) fn is_asked_alone() -> bool {
    std::env::args_os().len() == 1
        && std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
}

/// Asks what the command is, as `wordline ask` does.
pub(crate) fn ask() -> Result<Outcome, Failure> {
    ask::run(None)
}

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
        Command::Ask => ask::run(Some(global)),
        Command::Fs(fs) => fs::run(fs, global),
        Command::Io(io) => self::io::run(io, global),
        Command::Kv(Kv::Dump(dump)) => kv_dump::run(dump, global),
        Command::App(app) => app::run(app, global),
        Command::Part(part) => part::run(part, global),
        Command::Reproduce(reproduce) => reproduce::run(reproduce, global),
        Command::Report(report) => report::run(report, global),
        Command::Run(asked) => run_saved::run(asked, global),
        Command::Explore(asked) => explore::run(asked, global),
        Command::Sweep(asked) => sweep::run(asked, global),
        Command::Diff(asked) => diff::run(asked, global),
        Command::Doctor { all } => doctor::run(*all, global),
        Command::Completions { shell } => shell::completions(*shell),
        Command::Man { folder } => shell::man(folder),
    }
}

/// No honest list of prices is larger.
const PRICES_BYTES_MAX: u64 = 64 << 20;

/// The catalogue with the user's folders and prices.
fn catalog(global: &Global) -> Result<Catalog, Failure> {
    let mut catalog = Catalog::load(&global.catalog).map_err(failure::catalog)?;
    let mut prices = PriceList::default();
    for rate in &global.exchange {
        let set = prices.set_exchange(rate);
        set.map_err(|error| failure::message(format!("--exchange: {error}")))?;
    }
    for file in price_files(global)? {
        let text = crate::input::read(&file, PRICES_BYTES_MAX)?;
        let name = file.display().to_string();
        if text.len() as u64 > PRICES_BYTES_MAX {
            return Err(failure::message(format!(
                "{name} is larger than 64 MiB: it is no list of prices"
            )));
        }
        prices
            .add(&name, &text)
            .map_err(|error| failure::catalog(error.into()))?;
    }
    if !prices.is_empty() {
        let remarks = catalog
            .set_prices(&prices, global.quantity)
            .map_err(failure::catalog)?;
        if !global.quiet {
            for remark in remarks {
                output::note(&printable(&format!("note: {remark}")));
            }
        }
    }
    Ok(catalog)
}

/// The lists of prices that the user named, and those in the folders of parts.
fn price_files(global: &Global) -> Result<Vec<PathBuf>, Failure> {
    let beside = global.catalog.iter().map(|folder| folder.join("prices"));
    let beside = beside.filter(|folder| folder.is_dir());
    let mut files = Vec::new();
    for path in beside.chain(global.prices.iter().cloned()) {
        if !path.is_dir() {
            files.push(path);
            continue;
        }
        let unreadable = |error: std::io::Error| {
            failure::message(format!("{} cannot be read: {error}", path.display()))
        };
        let entries = std::fs::read_dir(&path).map_err(unreadable)?;
        let mut found = Vec::new();
        for entry in entries {
            let file = entry.map_err(unreadable)?.path();
            let is_list = file
                .extension()
                .is_some_and(|of| of.eq_ignore_ascii_case("csv"));
            found.extend(is_list.then_some(file));
        }
        if found.is_empty() {
            let message = format!("{}: no file here ends in .csv", path.display());
            return Err(failure::message(message));
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// Runs an experiment with a progress bar; the first interrupt ends it in order.
fn run_with(
    catalog: &Catalog,
    experiment: &Experiment,
    inputs: &Inputs,
    control: &Control<'_>,
    global: &Global,
) -> Result<ResultSet, Failure> {
    watched(inputs, control, global, |control| {
        wordline_lab::run(catalog, experiment, control)
    })
}

/// Runs something long with a progress bar; the first interrupt ends it in order.
fn watched<T>(
    inputs: &Inputs,
    control: &Control<'_>,
    global: &Global,
    run: impl FnOnce(&Control<'_>) -> Result<T, LabError>,
) -> Result<T, Failure> {
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
    run(&control).map_err(failure::lab)
}

/// How a run ended.
fn outcome(document: &ResultSet) -> Outcome {
    // A run whose time was up answers from what is finished; where nothing is, it answered nothing.
    if !document.complete && (interrupt::heard() || document.rows.is_empty()) {
        Outcome::Interrupted
    } else if document.failed() {
        Outcome::CheckFailed
    } else {
        Outcome::Done
    }
}
