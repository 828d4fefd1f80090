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
use wordline_report::{Format, Grid, Style, TablePage, printable};

use crate::args::{App, Global};
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output::{self, Exports};

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

/// A table for people, and the same with plain numbers for programs.
#[derive(Clone, Copy)]
struct DemandTables<'a> {
    people: &'a Grid,
    programs: &'a Grid,
}

/// Prints a sentence and a table to people, and the table alone to programs; saves them in the files that `--export` names.
fn save(
    title: &str,
    sentence: &str,
    tables: DemandTables<'_>,
    exports: &Exports,
    global: &Global,
) -> Result<(), Failure> {
    exports.write_text(global, |format, style| match format {
        Format::Html => {
            let page = TablePage {
                title: title.to_owned(),
                sentence: sentence.to_owned(),
                points: Vec::new(),
                compared: Vec::new(),
                short: Some(tables.people.clone()),
                tables: Vec::new(),
                command: as_typed(),
                json: tables.programs.json(),
            };
            page.html()
        }
        _ => tables.shown(sentence, format, style),
    })
}

impl<'a> DemandTables<'a> {
    /// One whose cells both read.
    const fn alike(grid: &'a Grid) -> Self {
        Self {
            people: grid,
            programs: grid,
        }
    }

    fn shown(&self, sentence: &str, format: Format, style: &Style) -> String {
        match format {
            Format::Json | Format::Csv => self.programs.render(format, style),
            _ => format!("{sentence}\n\n{}", self.people.render(format, style)),
        }
    }
}

/// The command as it was typed, to make a page again.
fn as_typed() -> String {
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| printable(&word.to_string_lossy()));
    let words: Vec<String> = ["wordline".to_owned()].into_iter().chain(words).collect();
    words.join(" ")
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
