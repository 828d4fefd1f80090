//! `wordline fs`.

use std::collections::BTreeMap;

mod bench;
#[cfg(target_os = "linux")]
mod mount;

use crate::args::{Fs, Global};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;

pub(crate) fn run(fs: &Fs, global: &Global) -> Result<Outcome, Failure> {
    match fs {
        Fs::Bench(bench) => bench::run(bench, global),
        #[cfg(target_os = "linux")]
        Fs::Mount(mount) => mount::run(mount, global),
        #[cfg(not(target_os = "linux"))]
        Fs::Mount(_) => Err(failure::message("fs mount: it needs Linux")),
    }
}

/// The choices of `--set` by name.
fn settings(chosen: &[(String, String)]) -> Result<BTreeMap<String, String>, Failure> {
    let mut settings = BTreeMap::new();
    for (name, value) in chosen {
        if settings.insert(name.clone(), value.clone()).is_some() {
            return Err(failure::message(format!("--set {name}: it is set twice")));
        }
    }
    Ok(settings)
}
