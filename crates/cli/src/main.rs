//! The `wordline` command: a memory laboratory.
//!
//! The commands of experiments come from the structs of their workloads (`wordline_core::COMMANDS`), others from `args`. stdout carries data, stderr carries progress,
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
mod saved;
mod settings;
mod sink;
mod source;

use std::process::ExitCode;

fn main() -> ExitCode {
    failure::set_up_reports();
    interrupt::survive_file_limit();
    let ran = match commands::is_asked_alone() {
        true => commands::ask(),
        false => settings::matches().and_then(|matches| commands::run(&matches)),
    };
    match ran {
        Ok(outcome) => outcome.into(),
        Err(failure) if failure::is_answer(&failure) => outcome::Outcome::Done.into(),
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
