//! `wordline kv`.

mod bench;
mod crash;
mod dump;

use crate::args::{Global, Kv};
use crate::failure::Failure;
use crate::outcome::Outcome;

pub(crate) fn run(kv: &Kv, global: &Global) -> Result<Outcome, Failure> {
    match kv {
        Kv::Bench(bench) => bench::run(bench, global),
        Kv::Crash(crash) => crash::run(crash, global),
        Kv::Dump(dump) => dump::run(dump, global),
    }
}
