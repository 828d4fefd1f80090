//! The `wordline` command: a memory laboratory.
//!
//! Each subcommand is a file under `commands/`. stdout carries data, stderr carries progress,
//! warnings and errors; the exit code says how it went ([`outcome::Outcome`]).

mod args;
mod commands;
mod doctor;
mod failure;
mod input;
mod interrupt;
mod outcome;
mod output;
mod progress;
mod sink;
mod source;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    failure::set_up_reports();
    let arguments = args::Arguments::parse();
    match commands::run(arguments) {
        Ok(outcome) => outcome.into(),
        Err(failure) => {
            output::note(&format!("{failure:?}"));
            // What an interrupt cut short has no other reason.
            if interrupt::heard() {
                outcome::Outcome::Interrupted.into()
            } else {
                outcome::Outcome::CouldNotRun.into()
            }
        }
    }
}
