//! `wordline part fit`: the sheet that it writes.

use std::path::{Path, PathBuf};

use clap::Args;
use wordline_core::Workload;
use wordline_lab::{Control, Fitted};

use super::hooks::HookRequest;
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output;
use crate::progress::Bar;

/// Characters of an id that is made from the name of a log.
const ID_MAX: usize = 40;

/// Where the sheet goes.
#[derive(Args)]
pub(super) struct BaseSheet {
    /// Write the sheet; an existing file is left alone without --force
    #[arg(long, value_name = "FILE.toml")]
    output: Option<PathBuf>,
    /// Write over an existing file
    #[arg(long, requires = "output")]
    force: bool,
}

pub(super) fn run(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let BaseSheet { output, force } = request.flags()?;
    if let Some(file) = &output {
        check_output(file, force)?;
        request.exports.also("--output", file)?;
    }
    let catalog = request.catalog()?;
    if let Workload::Fit(fit) = &mut request.experiment.workload
        && fit.id.is_empty()
    {
        fit.id = id_of(&fit.source.file);
    }
    request.print_instead()?;
    let bar = Bar::new(request.global.quiet);
    let show = |progress: wordline_lab::Progress<'_>| bar.show(&progress);
    let stop = interrupt::listen();
    let open = |name: &str| request.inputs.open(name, &bar, &stop);
    let control = Control {
        stop: Some(&stop),
        progress: Some(&show),
        open: Some(&open),
        ..Control::default()
    };
    let fitted = wordline_lab::fit(&catalog, &request.experiment, &control);
    drop(bar);
    let Fitted {
        document, sheet, ..
    } = fitted.map_err(failure::lab)?;
    // Half a fit is none: an interrupted one leaves no sheet.
    match (&output, &sheet) {
        (Some(file), Some(sheet)) => output::write_file(file, sheet, request.global)?,
        (None, Some(_)) if !request.global.quiet => {
            output::note("note: --output FILE.toml writes the sheet for part check and --catalog");
        }
        _ => {}
    }
    let outcome = super::outcome(&document);
    request.exports.write(&document, request.global, outcome)
}

/// The sheet must be one that `--catalog` finds, and must not write over another.
fn check_output(file: &Path, force: bool) -> Result<(), Failure> {
    if file.extension().is_none_or(|extension| extension != "toml") {
        return Err(failure::message(format!(
            "--output {}: --catalog finds files that end in .toml alone",
            file.display()
        )));
    }
    output::new_files(&[("--output", file)], &[], force)
}

/// An id from the name of a log: "Card_lat.1.log" becomes "card-lat.1-fit".
fn id_of(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut id = String::new();
    for character in stem.chars().take(ID_MAX) {
        let lower = character.to_ascii_lowercase();
        if lower.is_ascii_lowercase() || lower.is_ascii_digit() || lower == '.' {
            id.push(lower);
        } else if !id.ends_with('-') {
            id.push('-');
        }
    }
    let id = id.trim_matches(['-', '.']);
    if id.is_empty() {
        "fit".to_owned()
    } else {
        format!("{id}-fit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_of_what_ids_may_hold() {
        for (file, id) in [
            ("Card_lat.1.log", "card-lat.1-fit"),
            ("-", "fit"),
            ("ünder/ .csv", "nder-fit"),
            (".hidden", "fit"),
            ("a", "a-fit"),
        ] {
            assert_eq!(id_of(file), id, "{file}");
        }
        assert!(id_of(&"x".repeat(500)).len() < 64);
    }
}
