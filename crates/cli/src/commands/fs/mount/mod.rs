//! `wordline fs mount`: a simulated memory for any program of this host.

mod image;
mod rows;

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use wordline_engines::{FsError, FuseMount, FuseOptions};
use wordline_lab::Volume;
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
    let image = match &mount.image {
        Some(file) => {
            let mut memory = volume.fork();
            let image = image::load(file, &mut memory, &target, &volume)?;
            volume = volume.on(memory);
            Some(image)
        }
        None => None,
    };
    let told = |error: FsError| failure::message(format!("{}: {error}", target.name));
    if !image.as_ref().is_some_and(image::Image::held) {
        volume.format().map_err(told)?;
    }
    let mounted = volume.mount().map_err(told)?;
    let before = volume.reading();
    let options = FuseOptions {
        name: format!("{} on {}", volume.title(), target.name),
        cached: mount.cached,
        recording: false,
    };
    // From here on the first signal ends it in order.
    let stop = interrupt::listen();
    let refused = |error: wordline_engines::FuseError| failure::message(error.to_string());
    let mut served = FuseMount::new(mounted, &mount.dir, &options).map_err(refused)?;
    let place = printable(&mount.dir.display().to_string());
    if !global.quiet {
        output::note(&format!(
            "{} is at {place}; unmount it or press Ctrl-C to end",
            options.name
        ));
    }
    while served.is_served() && !stop.load(Ordering::Relaxed) {
        thread::sleep(LOOK);
    }
    served.detach().map_err(refused)?;
    thread::sleep(LOOK);
    if served.is_served() && !global.quiet {
        output::note(&format!(
            "waiting for programs that have files open at {place}"
        ));
    }
    let done = served.unmount();
    let rows = rows::grid(&volume.since(&before));
    output::data(&rows.render(global.format.into(), &output::style()))?;
    if let Some(image) = &image {
        image::save(image, &volume.fork(), global)?;
    }
    done.map_err(refused)?;
    Ok(Outcome::Done)
}
