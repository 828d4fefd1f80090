//! `wordline fs mount`; `fs bench` is an experiment like others.

#[cfg(all(feature = "fuse", target_os = "linux"))]
mod mount;

use crate::args::{Fs, Global};
use crate::failure::Failure;
use crate::outcome::Outcome;

#[cfg_attr(
    not(all(feature = "fuse", target_os = "linux")),
    allow(unused_variables, reason = "only a mount uses them")
)]
pub(crate) fn run(fs: &Fs, global: &Global) -> Result<Outcome, Failure> {
    match fs {
        #[cfg(all(feature = "fuse", target_os = "linux"))]
        Fs::Mount(mount) => mount::run(mount, global),
        #[cfg(not(all(feature = "fuse", target_os = "linux")))]
        Fs::Mount(_) => Err(crate::failure::message(
            "fs mount: it needs Linux, and the feature `fuse`",
        )),
    }
}
