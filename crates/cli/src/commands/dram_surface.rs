//! `wordline dram surface`: the file of a surface, and the folder of those that were simulated before.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use wordline_lab::{Control, SurfaceShelf};
use wordline_report::printable;

use super::dram::Threads;
use super::hooks::HookRequest;
use super::mess::{each, named};
use crate::args::Global;
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
    /// Runs what takes surfaces from the folder, and keeps new ones there. Then a note says how many were taken and kept.
    pub(super) fn lend<T>(
        &self,
        global: &Global,
        run: impl FnOnce(Option<&SurfaceShelf<'_>>) -> T,
    ) -> T {
        let Some(folder) = &self.folder else {
            return run(None);
        };
        let kept_in = |key: &str| folder.join(format!("{key}.json"));
        let (taken, kept) = (Cell::new(0), Cell::new(0));
        let read = |key: &str| {
            let text = read_kept(&kept_in(key))?;
            taken.set(taken.get() + usize::from(text.is_some()));
            Ok(text)
        };
        let write = |key: &str, json: &str| {
            std::fs::create_dir_all(folder)?;
            output::save_text(&kept_in(key), json)?;
            kept.set(kept.get() + 1);
            Ok(())
        };
        let done = run(Some(&SurfaceShelf {
            read: &read,
            write: &write,
        }));
        if !global.quiet {
            let folder = printable(&folder.display().to_string());
            output::note(&used(&folder, taken.get(), kept.get()));
        }
        done
    }
}

/// What a run took from a folder of surfaces and left there.
fn used(folder: &str, taken: usize, kept: usize) -> String {
    let count = |count: usize| match count {
        1 => "1 surface was".to_owned(),
        count => format!("{count} surfaces were"),
    };
    match (taken, kept) {
        (0, 0) => format!(
            "note: no surface was taken from {folder} or kept there: those of the catalogue's modules come along and need none"
        ),
        (taken, 0) => format!("note: {} taken from {folder}", count(taken)),
        (0, kept) => format!("note: {} simulated and kept in {folder}", count(kept)),
        // One that cannot be used is taken, and simulated again.
        (taken, kept) => format!(
            "note: {} read from {folder}, and {} simulated and kept there",
            count(taken),
            count(kept)
        ),
    }
}

/// `wordline app project`.
pub(super) fn project(request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let kept: SurfaceFolder = request.flags()?;
    let global = request.global;
    kept.lend(global, |surfaces| {
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
    let document = kept.lend(request.global, |surfaces| {
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
