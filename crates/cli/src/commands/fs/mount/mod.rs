//! `wordline fs mount`: a simulated memory for any program of this host.

mod rows;

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use wordline_engines::{
    FileSystem, FsError, FuseError, FuseMount, FuseOptions, check_directory, clear_left_behind,
};
use wordline_lab::{ImageContent, ImageOrigin, Volume, VolumeImage, VolumeImageError};
use wordline_nvm::Conditions;
use wordline_report::printable;

use crate::args::{Global, Mount};
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output;

/// Interval between checks that the directory is still mounted.
const LOOK: Duration = Duration::from_millis(50);

pub(super) fn run(mount: &Mount, global: &Global) -> Result<Outcome, Failure> {
    let catalog = crate::commands::catalog(global)?;
    let target = catalog
        .part_on_board(&mount.target)
        .map_err(failure::catalog)?;
    let conditions = Conditions {
        timing: mount.timing,
        age: mount.age,
        seed: mount.seed,
    };
    let volume = Volume::new(&mount.fs, &target, conditions, &mount.settings, mount.ftl);
    let mut volume = volume.map_err(failure::lab)?;
    check_place(&mount.dir, global)?;
    let mut image = match &mount.image {
        Some(file) => {
            let origin = ImageOrigin {
                part: target.part.header.id.clone(),
                seed: mount.seed,
                age: mount.age,
            };
            let (image, content, watched) = open_image(file, mount, origin, &volume)?;
            note_content(&image, content, global);
            volume = volume.on(watched);
            Some((image, content.is_formatted))
        }
        None => None,
    };
    let is_formatted = image.as_ref().is_some_and(|(_, formatted)| *formatted);
    let mounted = prepare(&volume, is_formatted).map_err(|error| {
        if let Some((image, _)) = image.take() {
            image.abandon();
        }
        failure::message(format!("{}: {error}", target.name))
    })?;
    let mut image = image.map(|(image, _)| image);
    let before = volume.reading();
    let options = FuseOptions {
        name: format!("{} on {}", volume.title(), target.name),
        cached: mount.cached,
        recording: false,
    };
    // From here on the first signal ends it in order.
    let stop = interrupt::listen();
    let keeper = image.as_ref().map(VolumeImage::keeper);
    let mut served = match FuseMount::kept(mounted, keeper, &mount.dir, &options) {
        Ok(served) => served,
        Err(error) => {
            if let Some(image) = image {
                image.abandon();
            }
            return Err(refused(error));
        }
    };
    let place = printable(&mount.dir.display().to_string());
    if !global.quiet {
        output::note(&format!(
            "{} is at {place}; unmount it or press Ctrl-C to end",
            options.name
        ));
    }
    while served.is_served() && !stop.load(Ordering::Relaxed) {
        thread::sleep(LOOK);
        if let Some(image) = image.as_mut().filter(|image| image.wants_save()) {
            let saved = served.between_calls(|| image.save(&volume.fork(), &mount.dir));
            if let Err(error) = saved {
                // Nothing is lost: the journal grows on.
                output::note(&printable(&error.to_string()));
            }
        }
    }
    served.detach().map_err(refused)?;
    thread::sleep(LOOK);
    if served.is_served() && !global.quiet {
        output::note(&format!(
            "waiting for programs that have files open at {place}"
        ));
    }
    let failure = served.failure();
    let done = served.unmount();
    let rows = rows::grid(&volume.since(&before));
    output::data(&rows.render(global.format.into(), &output::style()))?;
    // Also with --quiet: programs got a number for it.
    if let Some(failure) = failure {
        output::note(&printable(&format!("warning: calls failed: {failure}")));
    }
    if let Some(image) = image {
        finish(image, &volume, global)?;
    }
    done.map_err(refused)?;
    Ok(Outcome::Done)
}

fn refused(error: FuseError) -> Failure {
    failure::message(error.to_string())
}

fn image_failure(error: &VolumeImageError) -> Failure {
    failure::message(printable(&error.to_string()))
}

/// Checks the directory, and takes a mount away there whose program is gone.
fn check_place(dir: &Path, global: &Global) -> Result<(), Failure> {
    if let Err(FuseError::LeftBehind(_)) = check_directory(dir) {
        clear_left_behind(dir).map_err(refused)?;
        if !global.quiet {
            let place = printable(&dir.display().to_string());
            output::note(&format!(
                "the program behind an earlier mount at {place} was killed; that mount was taken away"
            ));
        }
    }
    check_directory(dir).map_err(refused)
}

/// Locks and loads an image, with the memory that takes notes in its journal.
fn open_image(
    file: &Path,
    mount: &Mount,
    origin: ImageOrigin,
    volume: &Volume<'_>,
) -> Result<(VolumeImage, ImageContent, wordline_nvm::Memory), Failure> {
    output::folder_of("--image", file)?;
    let mut memory = volume.fork();
    let opened = VolumeImage::open(
        file,
        &mount.dir,
        origin,
        volume.uses_spare_areas(),
        &mut memory,
    );
    let (image, content) = opened.map_err(|error| image_failure(&error))?;
    let watched = image.watch(memory);
    Ok((image, content, watched))
}

/// Says what was replayed, which happens where a program was killed.
fn note_content(image: &VolumeImage, content: ImageContent, global: &Global) {
    let ImageContent {
        replayed_calls: calls,
        dropped_bytes: dropped,
        ..
    } = content;
    if (calls, dropped) == (0, 0) || global.quiet {
        return;
    }
    let torn = match dropped {
        0 => String::new(),
        bytes => format!("; its last record was torn ({bytes} B), and dropped"),
    };
    output::note(&printable(&format!(
        "{}: the last mount was not ended in order: {calls} calls were replayed{torn}",
        image.journal_file().display()
    )));
}

/// Formats a memory that is new, and mounts it.
fn prepare(volume: &Volume<'_>, is_formatted: bool) -> Result<Box<dyn FileSystem + Send>, FsError> {
    if !is_formatted {
        volume.format()?;
    }
    volume.mount()
}

/// Writes the image. Where that fails the journal stays, and is named.
fn finish(image: VolumeImage, volume: &Volume<'_>, global: &Global) -> Result<(), Failure> {
    let (file, journal) = (image.file().to_owned(), image.journal_file());
    if let Err(error) = image.finish(&volume.fork()) {
        let kept = match fs::exists(&journal) {
            Ok(true) => format!(
                "; nothing is lost: {} has what was changed, and the next mount replays it",
                journal.display()
            ),
            _ => String::new(),
        };
        return Err(failure::message(printable(&format!("{error}{kept}"))));
    }
    if !global.quiet {
        output::note(&printable(&format!("wrote {}", file.display())));
    }
    Ok(())
}
