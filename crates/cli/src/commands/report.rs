//! `wordline report`.

use std::path::{Path, PathBuf};

use wordline_report::{NamedDocument, Overlay};

use crate::args::{Global, Report};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output::Exports;
use crate::{input, saved};

pub(crate) fn run(report: &Report, global: &Global) -> Result<Outcome, Failure> {
    if report.documents.len() > 1 {
        return several(report, global);
    }
    let exports = Exports::of_results(&report.results)?;
    let mut outcome = Outcome::Done;
    for path in &report.documents {
        exports.spare(path)?;
        let document = saved::read(path)?;
        outcome = exports.write(&document, global, Outcome::Done)?;
    }
    Ok(outcome)
}

/// Several documents as one table and one plot.
fn several(report: &Report, global: &Global) -> Result<Outcome, Failure> {
    if report.results.baseline.is_some() {
        let text = "--baseline is compared with one result; with several, name it among them, or use `wordline diff`";
        return Err(failure::message(text));
    }
    let exports = Exports::of_results(&report.results)?;
    let names = names(&report.documents)?;
    let mut documents = Vec::new();
    for (path, name) in report.documents.iter().zip(names) {
        exports.spare(path)?;
        let document = saved::read(path)?;
        documents.push(NamedDocument { name, document });
    }
    let overlay = Overlay::of(&documents).map_err(|error| failure::message(error.to_string()))?;
    let names = report.documents.iter().map(|path| input::last_name(path));
    let command = format!("wordline report {}", names.collect::<Vec<_>>().join(" "));
    exports.write_text(global, |format, style| {
        overlay.render(format, style, &command)
    })?;
    Ok(Outcome::Done)
}

/// What the documents are called: the last part of their paths, or all of it where two share that.
fn names(paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let places: Vec<PathBuf> = paths.iter().map(|path| place(path)).collect();
    for (index, path) in paths.iter().enumerate() {
        if !places[..index].contains(&places[index]) {
            continue;
        }
        let problem = match path.as_os_str() == "-" {
            true => "standard input holds one result: name a file for the other".to_owned(),
            false => format!(
                "{} is named twice: a document lies on itself; name each once",
                path.display()
            ),
        };
        return Err(failure::message(problem));
    }
    let short = paths.iter().map(|path| match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => input::last_name(path),
    });
    let short: Vec<String> = short.collect();
    let names = paths.iter().zip(&short).map(|(path, name)| {
        let alike = short.iter().filter(|other| *other == name).count();
        match alike {
            1 => name.clone(),
            _ => path.display().to_string(),
        }
    });
    Ok(names.collect())
}
