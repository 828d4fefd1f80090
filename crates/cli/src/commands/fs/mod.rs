//! `wordline fs`.

mod bench;

use crate::args::{Fs, Global};
use crate::failure::Failure;
use crate::outcome::Outcome;

pub(crate) fn run(fs: &Fs, global: &Global) -> Result<Outcome, Failure> {
    match fs {
        Fs::Bench(bench) => bench::run(bench, global),
    }
}
