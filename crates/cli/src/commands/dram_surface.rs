//! `wordline dram surface`: the file of a surface, and the folder of those that were simulated before.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use wordline_lab::{Control, SurfaceShelf};

use super::dram::Threads;
use super::hooks::HookRequest;
use super::mess::{each, named};
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
    #[command(flatten)]
    kept: SurfaceFolder,
}

/// Where surfaces are kept.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SurfaceFolder {
    /// Folder of surfaces that were simulated before: what is there is not simulated again, and new ones are kept
    #[arg(id = "surface_folder", long = "surfaces", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl SurfaceFolder {
    /// Runs what takes surfaces from the folder, and keeps new ones there.
    pub(super) fn lend<T>(&self, run: impl FnOnce(Option<&SurfaceShelf<'_>>) -> T) -> T {
        let Some(folder) = &self.folder else {
            return run(None);
        };
        let kept_in = |key: &str| folder.join(format!("{key}.json"));
        let read = |key: &str| read_kept(&kept_in(key));
        let write = |key: &str, json: &str| {
            std::fs::create_dir_all(folder)?;
            output::save_text(&kept_in(key), json)
        };
        run(Some(&SurfaceShelf {
            read: &read,
            write: &write,
        }))
    }
}

/// `wordline app project`.
pub(super) fn project(request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let kept: SurfaceFolder = request.flags()?;
    kept.lend(|surfaces| {
        request.finish_with(&Control {
            surfaces,
            ..Control::default()
        })
    })
}

pub(super) fn run(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let Surfaces {
        threads,
        surface,
        kept,
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
    let document = kept.lend(|surfaces| {
        let control = Control {
            surface: surface.is_some().then_some(&take),
            surfaces,
            ..threads.control()
        };
        request.document(&catalog, &control)
    })?;
    let outcome = super::outcome(&document);
    request.exports.write(&document, request.global, outcome)
}

fn read_kept(file: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
