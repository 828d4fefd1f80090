//! `wordline part fit`.

use std::path::Path;

use wordline_core::quantity::ByteCount;
use wordline_core::{Experiment, FitWorkload, LogSource, Timing, Workload};
use wordline_lab::{Control, Fitted};

use crate::args::{Global, PartFit};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{self, Exports};
use crate::progress::Bar;

/// Characters of an id that is made from the name of a log.
const ID_MAX: usize = 40;

pub(crate) fn run(fit: &PartFit, global: &Global) -> Result<Outcome, Failure> {
    let mut exports = Exports::new(&fit.export)?;
    if let Some(file) = &fit.output {
        check_output(file, fit.force)?;
        exports.also("--output", file)?;
    }
    exports.spare(&fit.log)?;
    let catalog = super::catalog(global)?;
    let mut inputs = Inputs::default();
    let experiment = experiment(fit, &mut inputs)?;
    let bar = Bar::new(global.quiet);
    let show = |progress: wordline_lab::Progress<'_>| bar.show(&progress);
    let stop = interrupt::listen();
    let open = |name: &str| inputs.open(name, &bar, &stop);
    let control = Control {
        stop: Some(&stop),
        progress: Some(&show),
        open: Some(&open),
        ..Control::default()
    };
    let fitted = wordline_lab::fit(&catalog, &experiment, &control);
    drop(bar);
    let Fitted {
        document, sheet, ..
    } = fitted.map_err(failure::lab)?;
    // Half a fit is none: an interrupted one leaves no sheet.
    match (&fit.output, &sheet) {
        (Some(file), Some(sheet)) => output::write_file(file, sheet, global)?,
        (None, Some(_)) if !global.quiet => {
            output::note("note: --output FILE.toml writes the sheet for part check and --catalog");
        }
        _ => {}
    }
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}

/// The sheet must be one that `--catalog` finds, and must not write over another.
fn check_output(file: &Path, force: bool) -> Result<(), Failure> {
    output::folder_of("--output", file)?;
    if file.extension().is_none_or(|extension| extension != "toml") {
        return Err(failure::message(format!(
            "--output {}: --catalog finds files that end in .toml alone",
            file.display()
        )));
    }
    if file.exists() && !force {
        return Err(failure::message(format!(
            "--output {}: this file exists; name another, or write over it with --force",
            file.display()
        )));
    }
    Ok(())
}

fn experiment(fit: &PartFit, inputs: &mut Inputs) -> Result<Experiment, Failure> {
    let file = inputs.add(&fit.log);
    let base = match &fit.base {
        Some(base) => base.clone(),
        None => wordline_lab::default_base(&fit.template)
            .map_err(failure::lab)?
            .to_owned(),
    };
    Ok(Experiment {
        targets: vec![base],
        workload: Workload::Fit(FitWorkload {
            template: fit.template.clone(),
            id: fit.id.clone().unwrap_or_else(|| id_of(&file)),
            pattern: fit.pattern,
            range_bytes: fit.range.map(ByteCount::bytes),
            fill: fit.fill,
            warm_up_bytes: fit.warm_up.bytes(),
            usage: fit.usage,
            simulations: fit.simulations,
            source: LogSource {
                file,
                format: fit.log_format.clone(),
                unit: fit.log_unit.clone(),
                job: fit.job.clone(),
                operation: None,
                record_bytes: fit.record.map(ByteCount::bytes),
                durations: fit.durations,
            },
        }),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: fit.seed,
        ftl: None,
    })
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
