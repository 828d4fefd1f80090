//! `wordline host storage`: the file or device that is measured, what may be lost, and the log of the accesses.

use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use wordline_lab::Control;

use super::hooks::HookRequest;
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output::Growing;
use crate::sink::{self, NamedFile};

/// Flags of the command alone.
#[derive(Args)]
pub(super) struct StorageFiles {
    /// File for a latency log in the form of fio: each access, in nanoseconds
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Names the file or the device again: what it holds will be lost
    #[arg(long, value_name = "PATH")]
    destroy: Vec<String>,
}

pub(super) fn run(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let StorageFiles { log, destroy } = request.flags()?;
    let named = request.matches.try_get_raw("file").ok().flatten();
    let storage = named.and_then(|mut words| words.next()).map(PathBuf::from);
    if let Some(log) = &log {
        // One that is there is refused by the check that spares whatever a command measures.
        if storage.as_ref() == Some(log) {
            let message = "is what is measured; name another file";
            return Err(failure::message(format!(
                "--log {}: this {message}",
                log.display()
            )));
        }
        request.exports.also("--log", log)?;
    }
    let catalog = request.catalog()?;
    let growing = Cell::new(None);
    let create = || {
        let log = log.as_deref().unwrap_or(Path::new(""));
        let (begun, file) = Growing::create(log).map_err(|error| sink::named(log, &error))?;
        growing.set(Some(begun));
        Ok(Box::new(NamedFile::new(file, log.to_owned())) as Box<dyn Write>)
    };
    let control = Control {
        storage: storage.as_deref(),
        access_log: log.is_some().then_some(&create),
        destroy: &destroy,
        ..Control::default()
    };
    let ran = request.document(&catalog, &control);
    // What was measured stays, whatever came of the rest.
    if let Some(growing) = growing.take() {
        growing.finish().map_err(|error| {
            let file = log.as_deref().unwrap_or(Path::new("")).display();
            failure::message(format!("--log {file} cannot be written: {error}"))
        })?;
    }
    let document = ran?;
    let outcome = super::outcome(&document);
    request.exports.write(&document, request.global, outcome)
}
