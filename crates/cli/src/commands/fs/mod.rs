//! `wordline fs mount`; `fs bench` is an experiment like others.

#[cfg(target_os = "linux")]
mod mount;

use crate::args::{Fs, Global};
use crate::failure::Failure;
use crate::outcome::Outcome;

pub(crate) fn run(fs: &Fs, global: &Global) -> Result<Outcome, Failure> {
    match fs {
        #[cfg(target_os = "linux")]
        Fs::Mount(mount) => mount::run(mount, global),
        #[cfg(not(target_os = "linux"))]
        Fs::Mount(_) => Err(crate::failure::message("fs mount: it needs Linux")),
    }
}
