//! Curves of latency under load as files of the Mess benchmark: of simulated modules and of this machine.

use std::path::{Path, PathBuf};

use clap::Args;
use wordline_lab::Control;

use super::hooks::HookRequest;
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// The flag that names the file.
#[derive(Args)]
pub(super) struct MessFile {
    /// Save the curve in a form of the Mess benchmark: .csv as its plotter writes it, .txt as its simulator reads it; of
    /// several targets one file each, with the target in its name
    #[arg(long, value_name = "FILE")]
    mess: Option<PathBuf>,
}

/// `wordline host loaded`.
pub(super) fn host(request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let file: MessFile = request.flags()?;
    file.run(request, &Control::default())
}

impl MessFile {
    /// Runs the experiment and writes its curves, where a file is named.
    pub(super) fn run(
        &self,
        mut request: HookRequest<'_>,
        control: &Control<'_>,
    ) -> Result<Outcome, Failure> {
        let Some(mess) = &self.mess else {
            return request.finish_with(control);
        };
        let curves = match mess.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => wordline_report::mess_curves,
            Some("txt") => wordline_report::mess_pairs,
            _ => {
                return Err(failure::message(format!(
                    "--mess {}: the extension says another form; allowed: csv, txt",
                    mess.display()
                )));
            }
        };
        let targets = &request.experiment.targets;
        // This machine is no target of the catalogue, and one.
        let files = match targets.is_empty() {
            true => vec![mess.clone()],
            false => each(mess, targets),
        };
        for file in files {
            request.exports.also("--mess", &file)?;
            request.exports.also("--mess", &part_of(&file))?;
        }
        let catalog = request.catalog()?;
        let document = request.document(&catalog, control)?;
        let curves = curves(&document);
        let several = curves.len() > 1;
        for (target, text) in &curves {
            let file = named(mess, target, several);
            // A curve that an interrupt cut short replaces no whole one.
            let file = match document.complete {
                true => file,
                false => part_of(&file),
            };
            output::write_file(&file, text, request.global)?;
        }
        let outcome = super::outcome(&document);
        request.exports.write(&document, request.global, outcome)
    }
}

/// What a file is called while only a part of it is there.
fn part_of(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    file.with_file_name(name)
}

/// The files of all targets.
pub(super) fn each(file: &Path, targets: &[String]) -> Vec<PathBuf> {
    let several = targets.len() > 1;
    let targets = targets.iter();
    targets
        .map(|target| named(file, target.trim(), several))
        .collect()
}

/// The file of a target: the one that the user named, with the target before the extension where there are several.
pub(super) fn named(file: &Path, target: &str, several: bool) -> PathBuf {
    if !several {
        return file.to_owned();
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file
        .extension()
        .map(|extension| format!(".{}", extension.to_string_lossy()));
    file.with_file_name(format!("{stem}-{target}{}", extension.unwrap_or_default()))
}
