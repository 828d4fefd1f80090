//! What `app record` and `app probe` have in common: a program that is run, and what is said of it.

use std::ffi::OsString;
use std::path::Path;

use wordline_apps::ProfileValue;
use wordline_report::{Column, Grid, printable};

use crate::args::Global;
use crate::failure::Failure;
use crate::output;

/// The program's name in results.
pub(super) fn named(name: Option<&String>, program: &[OsString]) -> String {
    let of_file = || {
        let program = program.first().map(Path::new);
        let file = program.and_then(Path::file_name);
        file.map_or_else(
            || "program".to_owned(),
            |file| file.to_string_lossy().into_owned(),
        )
    };
    name.cloned().unwrap_or_else(of_file)
}

/// The words of this command, as the profile says who made it. Folders of programs and files are of this machine alone, so that
/// only last names stay.
pub(super) fn made_by(verb: &str, options: &[String], program: &[OsString]) -> String {
    let last = |word: &OsString| {
        let text = word.to_string_lossy();
        match Path::new(word).file_name() {
            Some(name) if text.contains('/') && Path::new(word).is_absolute() => {
                name.to_string_lossy().into_owned()
            }
            _ => text.into_owned(),
        }
    };
    let words: Vec<String> = program.iter().map(last).collect();
    let mut all = vec![format!("wordline app {verb}")];
    all.extend_from_slice(options);
    all.push("--".to_owned());
    all.extend(words);
    all.join(" ")
}

/// Two columns of what was found.
pub(super) fn shown(lines: &[(&str, String)], global: &Global) -> Result<(), Failure> {
    let columns = vec![Column::left("figure"), Column::left("value")];
    let mut grid = Grid::new("", columns);
    for (name, value) in lines {
        grid.push([(*name).to_owned(), printable(value)]);
    }
    output::data(&grid.render(global.format.into(), &output::style()))
}

/// A share with its range, in per cent.
pub(super) fn percent(of: &ProfileValue) -> String {
    let [least, greatest] = of.bounds().map(|value| 100.0 * value);
    format!("{:.1} % ({least:.1} to {greatest:.1})", 100.0 * of.value)
}
