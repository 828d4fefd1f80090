//! `wordline app import` and `app events`: profiles of programs from counters.

mod events;
mod import;

use wordline_apps::import::NamedCounters;
use wordline_catalog::{Catalog, Counters};

use crate::args::{App, Global};
use crate::failure::Failure;
use crate::outcome::Outcome;

pub(crate) fn run(app: &App, global: &Global) -> Result<Outcome, Failure> {
    match app {
        App::Import(files) => import::run(files, global),
        App::Events(events) => events::run(events, global),
    }
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
