//! `wordline wear`: its cycling log, and the device that it destroys.

use std::cell::Cell;
use std::io::{LineWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use wordline_lab::Control;

use super::hooks::HookRequest;
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output::Growing;
use crate::sink::{self, NamedFile};

/// What may be lost.
#[derive(Args)]
pub(super) struct Destroyed {
    /// Names the device of a target mtd:DEVICE, or the file of a target file:PATH, again: what it holds will be lost
    #[arg(long, value_name = "PATH")]
    pub(super) destroy: Vec<String>,
}

#[derive(Args)]
struct CyclingLogFile {
    /// File for a cycling log, CSV: how long each operation took, a line where that changes
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    destroyed: Destroyed,
}

/// Its flags; `wear health` is a command below it.
pub(super) fn flags(command: Command) -> Command {
    CyclingLogFile::augment_args(command)
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
}

pub(super) fn run(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let CyclingLogFile { log, destroyed } = request.flags()?;
    if let Some(log) = &log {
        request.exports.also("--log", log)?;
    }
    let catalog = request.catalog()?;
    let growing = Cell::new(None);
    let create = || {
        let log = log.as_deref().unwrap_or(Path::new(""));
        let (begun, file) = Growing::create(log).map_err(|error| sink::named(log, &error))?;
        growing.set(Some(begun));
        // What took days to measure is to be on its way when the power goes.
        let lines = LineWriter::new(NamedFile::new(file, log.to_owned()));
        Ok(Box::new(lines) as Box<dyn Write>)
    };
    let control = Control {
        cycling_log: log.is_some().then_some(&create),
        destroy: &destroyed.destroy,
        ..Control::default()
    };
    let ran = request.document(&catalog, &control);
    // The log of a real memory cannot be taken again: it stays, whatever came of the rest.
    if let Some(growing) = growing.take()
        && (ran.is_ok() || !destroyed.destroy.is_empty())
    {
        growing.finish().map_err(|error| {
            let file = log.as_deref().unwrap_or(Path::new("")).display();
            failure::message(format!("--log {file} cannot be written: {error}"))
        })?;
    }
    let document = ran?;
    let outcome = super::outcome(&document);
    request.exports.write(&document, request.global, outcome)
}
