//! `wordline completions` and `wordline man`: what shells and `man` read, from the same table as `--help`.

use std::path::Path;

use clap_complete::Shell;

use crate::args::program;
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

const NAME: &str = "wordline";

pub(crate) fn completions(shell: Shell) -> Result<Outcome, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program(), NAME, &mut text);
    output::data(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Done)
}

/// Writes a page for each command into a folder that exists.
pub(crate) fn man(folder: &Path) -> Result<Outcome, Failure> {
    let pages = clap_mangen::generate_to(program(), folder);
    pages.map_err(|error| {
        failure::message(format!("{} cannot be written: {error}", folder.display()))
    })?;
    Ok(Outcome::Done)
}
