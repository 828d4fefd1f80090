//! `wordline dram surface`: the file of a surface, and the folder of those that were simulated before.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use wordline_lab::{Control, SurfaceShelf};

use super::dram::{Threads, each, named};
use super::hooks::HookRequest;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output;

#[derive(Args)]
pub(super) struct Surfaces {
    #[command(flatten)]
    threads: Threads,
    /// Save the surface as JSON; of several targets one file each, with the target in its name
    #[arg(long, value_name = "FILE")]
    surface: Option<PathBuf>,
    /// Folder of surfaces that were simulated before: what is there is not simulated again, and new ones are kept
    #[arg(long, value_name = "DIR")]
    surfaces: Option<PathBuf>,
}

pub(super) fn run(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let Surfaces {
        threads,
        surface,
        surfaces,
    } = request.flags()?;
    let targets = request.experiment.targets.clone();
    for file in surface.iter().flat_map(|file| each(file, &targets)) {
        request.exports.also("--surface", &file)?;
    }
    let catalog = request.catalog()?;
    let take = |target: &str, json: &str| match &surface {
        Some(file) => {
            let file = named(file, target, targets.len() > 1);
            output::save_text(&file, &format!("{json}\n"))
        }
        None => Ok(()),
    };
    let folder = surfaces.as_deref();
    let read = |key: &str| read_kept(&kept_in(folder, key));
    let write = |key: &str, json: &str| {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)?;
        }
        output::save_text(&kept_in(folder, key), json)
    };
    let shelf = SurfaceShelf {
        read: &read,
        write: &write,
    };
    let control = Control {
        surface: surface.is_some().then_some(&take),
        surfaces: folder.is_some().then_some(&shelf),
        ..threads.control()
    };
    let document = request.document(&catalog, &control)?;
    let outcome = super::outcome(&document);
    request.exports.write(&document, request.global, outcome)
}

/// The file of a key.
fn kept_in(folder: Option<&Path>, key: &str) -> PathBuf {
    folder.unwrap_or(Path::new(".")).join(format!("{key}.json"))
}

fn read_kept(file: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
