//! One file a subcommand.

mod import;
mod part;
mod raw;
mod report;
mod reproduce;

use wordline_catalog::Catalog;

use crate::args::{Arguments, Command, Global};
use crate::doctor;
use crate::failure::{self, Failure};
use crate::outcome::Outcome;

/// Runs the command that the user asked for.
pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Failure> {
    let global = &arguments.global;
    match &arguments.command {
        Command::Raw(raw) => raw::run(raw, global),
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
