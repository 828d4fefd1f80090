//! Where text goes: data to stdout and to the files that the user named, notes to stderr.

use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use wordline_core::results::{CardPoint, DecisionCard};
use wordline_core::{Experiment, ResultSet};
use wordline_report::{Detail, FirstScreen, Format, Grid, ResultDiff, Style, printable, render};

use crate::args::{Export, Global, Results};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::saved;
use crate::sink::{Sink, special};

/// Writes data to stdout. Where its reader went away before the end, as `head` does, that is a failure as any other: a
/// script must not take half of it for all.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    check_open()?;
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|error| not_written(&error))
}

/// Refuses to write to a stdout that the caller left closed.
pub(crate) fn check_open() -> Result<(), Failure> {
    match wordline_host::stdout_was_closed() {
        true => Err(failure::message(
            "stdout is closed, and nothing can be written there; open it, or send it to /dev/null",
        )),
        false => Ok(()),
    }
}

/// Why stdout did not take everything.
pub(crate) fn not_written(error: &io::Error) -> Failure {
    failure::message(match error.kind() {
        io::ErrorKind::BrokenPipe => {
            "stdout was closed by its reader before everything was written".to_owned()
        }
        _ => format!("stdout cannot be written: {error}"),
    })
}

/// Writes a note to stderr, if it is open.
pub(crate) fn note(text: &str) {
    // A failure here cannot be reported.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// How tables look on this stdout.
pub(crate) fn style() -> Style {
    let terminal = io::stdout().is_terminal();
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let plain = set("NO_COLOR") || dumb;
    Style {
        color: terminal && !plain,
        width: terminal.then(terminal_width).flatten(),
        detail: Detail::All,
        plots: terminal && !dumb && is_unicode(|name| std::env::var(name).ok()),
    }
}

/// Prints the first screen of a command without results: an answer, its points, and as much of a table as fits.
pub(crate) fn first_screen(
    sentence: String,
    points: Vec<CardPoint>,
    table: Grid,
    of: &'static str,
    note: &str,
) -> Result<(), Failure> {
    let answer = DecisionCard {
        sentence,
        points,
        ..DecisionCard::default()
    };
    // There are no reasons beside these.
    let style = Style {
        detail: Detail::Explain,
        ..style()
    };
    data(&FirstScreen::new(answer, Some(table), of).lay_out(None, note, &style))
}

/// Whether the locale of a terminal is UTF-8: the first of its variables that says something decides.
fn is_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let mut locales = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable);
    let locale = locales.find(|locale| !locale.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

fn terminal_width() -> Option<u16> {
    terminal_size::terminal_size().map(|(width, _)| width.0.max(40))
}

/// Files to export to, each with the format of its extension, checked before anything runs.
#[derive(Debug)]
pub(crate) struct Exports {
    files: Vec<ExportFile>,
    /// Files that the command writes besides, each with its flag.
    others: Vec<(&'static str, PathBuf)>,
    /// How much of the results stdout shows.
    detail: Detail,
    /// What the results are compared with.
    baseline: Option<Box<ResultSet>>,
}

/// The share that a value may move by chance where seeds differ and the documents do not tell.
pub(crate) const TOLERANCE: f64 = 0.05;

/// One file to export to.
#[derive(Debug)]
struct ExportFile {
    /// As the user named it.
    path: PathBuf,
    /// The same with its links followed.
    place: PathBuf,
    format: Format,
}

impl Exports {
    /// Checks the names.
    pub(crate) fn new(export: &Export) -> Result<Self, Failure> {
        let mut files: Vec<ExportFile> = Vec::new();
        for path in &export.files {
            let extension = path.extension().and_then(|extension| extension.to_str());
            let Some(format) = extension.and_then(Format::from_extension) else {
                return Err(failure::message(format!(
                    "--export {}: the extension says no format; allowed: json, csv, md, html, txt",
                    path.display()
                )));
            };
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            if !folder.is_dir() {
                return Err(failure::message(format!(
                    "--export {}: there is no folder {}",
                    path.display(),
                    folder.display()
                )));
            }
            if path.is_dir() {
                return Err(failure::message(format!(
                    "--export {}: this is a folder; name a file in it",
                    path.display()
                )));
            }
            let place = real_place(path, folder);
            probe("--export", path, &place)?;
            if files.iter().any(|other| other.place == place) {
                return Err(failure::message(format!(
                    "--export {}: another --export names the same file",
                    path.display()
                )));
            }
            files.push(ExportFile {
                path: path.clone(),
                place,
                format,
            });
        }
        let others = Vec::new();
        Ok(Self {
            files,
            others,
            detail: export.detail(),
            baseline: None,
        })
    }

    /// The same, with what the results are compared with.
    pub(crate) fn of_results(results: &Results) -> Result<Self, Failure> {
        let mut exports = Self::new(&results.export)?;
        if let Some(path) = &results.baseline {
            exports.spare(path)?;
            exports.baseline = Some(Box::new(saved::read(path)?));
        }
        Ok(exports)
    }

    /// Refuses a baseline of another command.
    pub(crate) fn fits(&self, experiment: &Experiment) -> Result<(), Failure> {
        let (own, other) = match &self.baseline {
            Some(baseline) => (
                experiment.workload.name(),
                baseline.experiment.workload.name(),
            ),
            None => return Ok(()),
        };
        if own == other {
            return Ok(());
        }
        Err(failure::message(format!(
            "--baseline is a result of {other}, and this command is {own}: results of one command can be compared"
        )))
    }

    /// Checks the name of another file that the command writes: nothing else may be written there.
    pub(crate) fn also(&mut self, flag: &'static str, path: &Path) -> Result<(), Failure> {
        folder_of(flag, path)?;
        self.apart(flag, path)
    }

    /// The same of a file that the command opens by itself, without a look at its folder.
    pub(crate) fn apart(&mut self, flag: &'static str, path: &Path) -> Result<(), Failure> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let place = real_place(path, folder.unwrap_or(Path::new(".")));
        let exports = self.files.iter().map(|file| ("--export", &file.place));
        let others = self.others.iter().map(|(flag, place)| (*flag, place));
        if let Some((other, _)) = exports.chain(others).find(|(_, other)| **other == place) {
            return Err(failure::message(format!(
                "{flag} {}: {other} writes the same file",
                path.display()
            )));
        }
        self.others.push((flag, place));
        Ok(())
    }

    /// Refuses to write over what the command reads.
    pub(crate) fn spare(&self, input: &Path) -> Result<(), Failure> {
        let Ok(input_place) = input.canonicalize() else {
            return Ok(());
        };
        if let Some((flag, place)) = self.others.iter().find(|(_, place)| *place == input_place) {
            return Err(failure::message(format!(
                "{flag} {}: this is what the command reads; name another file",
                place.display()
            )));
        }
        match self.files.iter().find(|file| file.place == input_place) {
            Some(file) => Err(failure::message(format!(
                "--export {}: this is what the command reads; name another file",
                file.path.display()
            ))),
            None => Ok(()),
        }
    }

    /// Writes a document to every file and to stdout, and what changed since its baseline behind it. A failure of one
    /// keeps none of the others. What became worse than the baseline fails a command that was done.
    pub(crate) fn write(
        &self,
        document: &ResultSet,
        global: &Global,
        outcome: Outcome,
    ) -> Result<Outcome, Failure> {
        let mut failures = self.write_all(global, |format, style| render(document, format, style));
        if !global.quiet && matches!(Format::from(global.format), Format::Json | Format::Csv) {
            for warning in &document.warnings {
                note(&printable(&format!(
                    "warning: {} ({})",
                    warning.advice, warning.code
                )));
            }
        }
        let mut outcome = outcome;
        if let Some(baseline) = &self.baseline {
            let diff = ResultDiff::between(baseline, document, TOLERANCE);
            let style = Style {
                detail: self.detail,
                ..style()
            };
            let text = format!("\n{}", diff.render(Format::Table, &style, ""));
            match Format::from(global.format) {
                Format::Table | Format::Markdown => failures.extend(data(&text).err()),
                // Data stay data.
                _ => note(&text),
            }
            if diff.worse && outcome == Outcome::Done {
                outcome = Outcome::CheckFailed;
            }
        }
        last_of(failures).map(|()| outcome)
    }

    /// Writes a text of any format to every file and to stdout, likewise.
    pub(crate) fn write_text(
        &self,
        global: &Global,
        render: impl Fn(Format, &Style) -> String,
    ) -> Result<(), Failure> {
        last_of(self.write_all(global, render))
    }

    /// Writes a text to every file alone: stdout has it already.
    pub(crate) fn write_files(
        &self,
        global: &Global,
        render: impl Fn(Format, &Style) -> String,
    ) -> Result<(), Failure> {
        last_of(self.save_all(global, &render))
    }

    fn write_all(
        &self,
        global: &Global,
        render: impl Fn(Format, &Style) -> String,
    ) -> Vec<Failure> {
        let mut failures = self.save_all(global, &render);
        let style = Style {
            detail: self.detail,
            ..style()
        };
        failures.extend(data(&render(global.format.into(), &style)).err());
        failures
    }

    fn save_all(
        &self,
        global: &Global,
        render: &impl Fn(Format, &Style) -> String,
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        for ExportFile {
            path,
            place,
            format,
        } in &self.files
        {
            match save(place, &render(*format, &Style::default())) {
                Ok(()) if global.quiet => {}
                Ok(()) => note(&printable(&format!("wrote {}", path.display()))),
                Err(error) => failures.push(failure::message(format!(
                    "{} cannot be written: {error}",
                    path.display()
                ))),
            }
        }
        failures
    }
}

/// Refuses a file that cannot be there, before anything runs.
pub(crate) fn folder_of(flag: &str, file: &Path) -> Result<(), Failure> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if folder.is_dir() && !file.is_dir() {
        return probe(flag, file, &real_place(file, folder));
    }
    let problem = if file.is_dir() {
        "this is a folder; name a file in it".to_owned()
    } else {
        format!("there is no folder {}", folder.display())
    };
    Err(failure::message(format!(
        "{flag} {}: {problem}",
        file.display()
    )))
}

/// Checks the files that a command is to write, each with its flag, before anything runs. Refused are two of the same place,
/// those that the command reads, and, unless it is to write over them, files that are there.
pub(crate) fn new_files(
    outputs: &[(&str, &Path)],
    inputs: &[&Path],
    force: bool,
) -> Result<(), Failure> {
    let mut places: Vec<(&str, PathBuf)> = Vec::new();
    let inputs: Vec<PathBuf> = inputs
        .iter()
        .filter(|input| **input != Path::new("-"))
        .filter_map(|input| input.canonicalize().ok())
        .collect();
    for (flag, file) in outputs {
        folder_of(flag, file)?;
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let place = real_place(file, folder.unwrap_or(Path::new(".")));
        let refused =
            |why: &str| failure::message(printable(&format!("{flag} {}: {why}", file.display())));
        if let Some((other, _)) = places.iter().find(|(_, known)| *known == place) {
            return Err(refused(&format!("{other} writes the same file")));
        }
        if inputs.contains(&place) {
            return Err(refused("this is what the command reads; name another file"));
        }
        if place.is_file() && !force {
            return Err(refused(
                "this file exists; name another, or write over it with --force",
            ));
        }
        places.push((flag, place));
    }
    Ok(())
}

/// Refuses a file whose neighbour cannot be written, before a run of hours finds that out.
fn probe(flag: &str, file: &Path, place: &Path) -> Result<(), Failure> {
    match is_special(place) {
        Ok(true) => return Ok(()),
        Ok(false) => {}
        Err(error) => {
            let file = file.display();
            return Err(failure::message(format!("{flag} {file}: {error}")));
        }
    }
    let neighbour = neighbour_of(place);
    let begun = fs::File::create_new(&neighbour).and_then(|_| fs::remove_file(&neighbour));
    begun.map_err(|error| {
        failure::message(format!(
            "{flag} {}: it cannot be written: {error}",
            file.display()
        ))
    })
}

/// Writes a file, and says so.
pub(crate) fn write_file(file: &Path, text: &str, global: &Global) -> Result<(), Failure> {
    save_text(file, text).map_err(|error| {
        failure::message(format!("{} cannot be written: {error}", file.display()))
    })?;
    if !global.quiet {
        note(&printable(&format!("wrote {}", file.display())));
    }
    Ok(())
}

/// Writes a file, whole or not at all; through links.
pub(crate) fn save_text(file: &Path, text: &str) -> io::Result<()> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let place = real_place(file, folder.unwrap_or(Path::new(".")));
    save(&place, text)
}

/// Shows every failure but the last one, which is returned.
fn last_of(mut failures: Vec<Failure>) -> Result<(), Failure> {
    let Some(last) = failures.pop() else {
        return Ok(());
    };
    for failure in failures {
        note(&format!("{failure:?}"));
    }
    Err(last)
}

/// Where a file is or will be, links followed, so that two names of one file are seen as one.
fn real_place(path: &Path, folder: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = folder.canonicalize();
        let name = path.file_name().unwrap_or_default();
        folder.map_or_else(|_| path.to_owned(), |folder| folder.join(name))
    })
}

/// A file that is written bit by bit to a neighbour, which takes its name at the end: a failure leaves what was there
/// before. What is no ordinary file, such as a pipe, is written in place.
#[derive(Debug)]
pub(crate) struct Growing {
    place: PathBuf,
    neighbour: Option<PathBuf>,
}

impl Growing {
    /// Begins the file; what is to be written goes to the second part.
    pub(crate) fn create(path: &Path) -> io::Result<(Self, Sink)> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let place = real_place(path, folder.unwrap_or(Path::new(".")));
        if let Some(sink) = Sink::of_special(&place)? {
            let neighbour = None;
            return Ok((Self { place, neighbour }, sink));
        }
        let neighbour = neighbour_of(&place);
        let file = fs::File::create_new(&neighbour)?;
        let neighbour = Some(neighbour);
        Ok((Self { place, neighbour }, Sink::from(file)))
    }

    /// Everything is written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        match self.neighbour.take() {
            Some(neighbour) => fs::rename(neighbour, &self.place),
            None => Ok(()),
        }
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if let Some(neighbour) = &self.neighbour {
            // A failure here cannot be reported.
            let _ = fs::remove_file(neighbour);
        }
    }
}

/// Whether there is something that is no ordinary file, and can be written like one.
fn is_special(place: &Path) -> io::Result<bool> {
    Ok(special(place)?.is_some())
}

fn neighbour_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Writes a file so that a failure leaves the one that was there before: to a neighbour first, which
/// then takes its name. What is no ordinary file, such as a pipe, is written in place.
fn save(path: &Path, text: &str) -> io::Result<()> {
    if let Some(mut sink) = Sink::of_special(path)? {
        return sink.write_all(text.as_bytes());
    }
    let neighbour = neighbour_of(path);
    let written = fs::File::create_new(&neighbour).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&neighbour, path)
    });
    if written.is_err() {
        // A failure here cannot be reported.
        let _ = fs::remove_file(&neighbour);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::is_unicode;

    #[test]
    fn the_first_locale_that_says_something_decides() {
        let of = |all: &'static [(&str, &str)]| {
            is_unicode(|name| {
                let found = all.iter().find(|(one, _)| *one == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(of(&[("LANG", "en_GB.UTF-8")]));
        assert!(of(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")]));
        assert!(!of(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(!of(&[]));
    }
}
