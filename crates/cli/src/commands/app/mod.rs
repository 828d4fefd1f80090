//! `wordline app`: what programs ask of memory.

mod capacity;
mod events;
mod import;
mod kernel;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod record;

use std::path::Path;

use wordline_apps::Profile;
use wordline_apps::import::NamedCounters;
use wordline_catalog::{Catalog, Counters};
use wordline_report::{Format, Grid};

use crate::args::{App, Global};
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output;

pub(crate) fn run(app: &App, global: &Global) -> Result<Outcome, Failure> {
    match app {
        App::Import(files) => import::run(files, global),
        App::Events(events) => events::run(events, global),
        App::Kernel(flags) => kernel::run(flags, global),
        App::Capacity(flags) => capacity::run(flags, global),
        #[cfg(target_os = "linux")]
        App::Record(record) => record::run(record, global),
        #[cfg(target_os = "linux")]
        App::Probe(probe) => probe::run(probe, global),
        #[cfg(not(target_os = "linux"))]
        App::Record(_) | App::Probe(_) => Err(crate::failure::message(
            "app record and app probe need Linux",
        )),
    }
}

/// Writes a profile into a file, which may be there.
fn write(profile: &Profile, file: &Path, global: &Global) -> Result<(), Failure> {
    output::write_file(file, &(profile.to_json() + "\n"), global)
}

/// Prints a sentence and a table to people, and the table alone to programs.
fn show(sentence: &str, grid: &Grid, global: &Global) -> Result<(), Failure> {
    let format = Format::from(global.format);
    let table = grid.render(format, &output::style());
    output::data(&match format {
        Format::Json | Format::Csv => table,
        _ => format!("{sentence}\n\n{table}"),
    })
}

/// The counters of every core.
fn all_counters(catalog: &Catalog) -> Vec<NamedCounters<'_>> {
    catalog.counters().map(named).collect()
}

fn named(counters: &Counters) -> NamedCounters<'_> {
    NamedCounters {
        id: &counters.header.id,
        sheet: &counters.sheet,
    }
}
