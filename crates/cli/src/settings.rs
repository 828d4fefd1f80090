//! Defaults of the working folder: `wordline.toml`.
//!
//! Keys are long flags without their dashes. Those of every command stand at the top, those of one command in a table of
//! its name, such as `[compare]` or `[fs.bench]`. A flag of the command line comes before them. Flags that name files or
//! devices are refused, but for catalogues and prices: what is read, written or destroyed stands on the command line.

use std::ffi::OsString;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use toml::{Table, Value};

use crate::args::program;
use crate::failure::{self, Failure};
use crate::output;

/// The file, in the working folder.
pub(crate) const FILE: &str = "wordline.toml";

/// No file of defaults is larger.
const BYTES_MAX: u64 = 1 << 20;

/// Reads words. Faults of the command line end the program here, and so does help that was printed.
fn parsed(words: &[OsString]) -> Result<ArgMatches, Failure> {
    program().try_get_matches_from(words).or_else(|error| {
        if error.use_stderr() {
            error.exit();
        }
        output::check_open()?;
        error
            .print()
            .map_err(|why| crate::output::not_written(&why))?;
        std::process::exit(error.exit_code());
    })
}

/// Reads the command line, and adds the defaults of the working folder. Help and faults of the command line itself end
/// the program here, as ever.
pub(crate) fn matches() -> Result<ArgMatches, Failure> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let matches = parsed(&words)?;
    let path = path_of(&matches);
    // What prints or writes texts of its own takes no defaults.
    let is_plain = matches!(
        path.first().map(String::as_str),
        Some("completions" | "man" | "ask")
    );
    let own = innermost(&matches);
    let unused = unused(&path);
    let given = |id: &&&str| own.value_source(id) == Some(ValueSource::CommandLine);
    if let Some(id) = unused.iter().find(given) {
        return Err(failure::message(format!(
            "--{} does nothing for wordline {}: leave it out",
            long(id),
            path.join(" ")
        )));
    }
    if is_plain || own.get_flag("no_settings") || !Path::new(FILE).is_file() {
        return Ok(matches);
    }
    let bytes = crate::input::read(Path::new(FILE), BYTES_MAX)?;
    if bytes.len() as u64 > BYTES_MAX {
        let text = format!("{FILE} is larger than 1 MiB: it holds no defaults");
        return Err(failure::message(text));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| failure::message(format!("{FILE} is not a text in UTF-8")))?;
    let table: Table = toml::from_str(&text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| {
            text.as_bytes()[..span.start.min(text.len())]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count()
                + 1
        });
        failure::message(format!("{FILE}, line {line}: {}", error.message()))
    })?;
    let more = flags(&table, &path, own)?;
    if more.is_empty() {
        return Ok(matches);
    }
    // What stands behind two dashes is no flag.
    let end = words
        .iter()
        .position(|word| word == "--")
        .unwrap_or(words.len());
    let (before, behind) = words.split_at(end);
    let all = before.iter().cloned();
    let all = all
        .chain(more.iter().map(OsString::from))
        .chain(behind.iter().cloned());
    let matches = program()
        .try_get_matches_from(all)
        .map_err(|error| failure::message(format!("{FILE}: {}", first_line(&error))))?;
    if !innermost(&matches).get_flag("quiet") {
        output::note(&wordline_report::printable(&format!(
            "note: {FILE} adds {}",
            more.join(" ")
        )));
    }
    Ok(matches)
}

/// Options of every command that a command has no use for.
fn unused(path: &[String]) -> &'static [&'static str] {
    const ALL: &[&str] = &["prices", "exchange", "quantity", "catalog", "stdout_format"];
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path.as_slice() {
        ["completions" | "man"] | ["io", "show"] => ALL,
        ["report" | "diff"] | ["kv", "dump"] | ["io", "record"] | ["app", "capacity"] => &ALL[..4],
        ["app", "kernel"] | ["doctor"] | ["fs", "mount"] | ["part", "check" | "import" | "new"] => {
            &ALL[..3]
        }
        ["ask"] => &ALL[4..],
        _ => &[],
    }
}

/// A flag as it is written.
fn long(id: &str) -> &str {
    id.trim_start_matches("stdout_")
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

/// The names of a command and its subcommands.
fn path_of(matches: &ArgMatches) -> Vec<String> {
    let (mut path, mut own) = (Vec::new(), matches);
    while let Some((name, below)) = own.subcommand() {
        path.push(name.to_owned());
        own = below;
    }
    path
}

fn innermost(matches: &ArgMatches) -> &ArgMatches {
    match matches.subcommand() {
        Some((_, below)) => innermost(below),
        None => matches,
    }
}

/// The flags that the file adds to a command.
fn flags(table: &Table, path: &[String], own: &ArgMatches) -> Result<Vec<String>, Failure> {
    let mut whole = program();
    whole.build();
    let mut more = Vec::new();
    let everywhere = table.iter().filter(|(_, value)| !value.is_table());
    for (key, value) in everywhere {
        if unused(path).iter().any(|id| long(id) == key) {
            continue;
        }
        add(&whole, "", key, value, own, &mut more)?;
    }
    check_tables(&whole, table, "")?;
    let (mut command, mut own_table) = (&whole, table);
    for name in path {
        let (Some(below), Some(Value::Table(table))) =
            (command.find_subcommand(name), own_table.get(name))
        else {
            return Ok(more);
        };
        (command, own_table) = (below, table);
    }
    let place = path.join(".");
    for (key, value) in own_table.iter() {
        if value.is_table() && command.find_subcommand(key).is_some() {
            continue;
        }
        add(command, &place, key, value, own, &mut more)?;
    }
    Ok(more)
}

/// Tables of other commands are checked for their names; a group of commands has settings in those of its commands alone.
fn check_tables(command: &Command, table: &Table, place: &str) -> Result<(), Failure> {
    for (key, value) in table {
        let below = command.find_subcommand(key);
        let names = || command.get_subcommands().map(Command::get_name);
        let is_group = command.has_subcommands() && !place.is_empty();
        match (value, below) {
            (Value::Table(own), Some(below)) => check_tables(below, own, &dotted(place, key))?,
            (Value::Table(_), None) if command.has_subcommands() => {
                return Err(unknown("command", key, place, names()));
            }
            (_, None) if is_group => return Err(unknown("command", key, place, names())),
            _ => {}
        }
    }
    Ok(())
}

/// Adds a flag, unless the command line has it.
fn add(
    command: &Command,
    place: &str,
    key: &str,
    value: &Value,
    own: &ArgMatches,
    more: &mut Vec<String>,
) -> Result<(), Failure> {
    let everywhere = place.is_empty();
    let all = command.get_arguments().filter(|arg| {
        arg.is_global_set() == everywhere
            && !matches!(
                arg.get_long(),
                None | Some("help" | "version" | "no-settings")
            )
    });
    let all: Vec<&clap::Arg> = all.collect();
    let names = all.iter().filter_map(|arg| arg.get_long());
    let Some(arg) = all.iter().find(|arg| arg.get_long() == Some(key)) else {
        return Err(unknown("setting", key, place, names));
    };
    // What a command writes, reads or destroys is named on the command line, where a person sees it.
    let names = arg.get_value_names().unwrap_or_default().iter();
    let mut paths = names.filter(|name| {
        ["FILE", "DIR", "PATH", "DUMP", "LOG"]
            .iter()
            .any(|path| name.contains(path))
    });
    if !everywhere && paths.next().is_some() {
        return Err(failure::message(format!(
            "{FILE}: {} names a file: state --{key} on the command line",
            dotted(place, key)
        )));
    }
    // One of them is enough.
    let other = match key {
        "explain" => Some("all"),
        "all" => Some("explain"),
        _ => None,
    };
    if other.is_some_and(|other| matches!(own.try_get_one::<bool>(other), Ok(Some(true)))) {
        return Ok(());
    }
    let is_given = matches!(own.try_contains_id(arg.get_id().as_str()), Ok(true))
        && own.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    if is_given {
        return Ok(());
    }
    let takes_value = arg.get_action().takes_values();
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    };
    let values = match value {
        Value::Boolean(on) if !takes_value => {
            more.extend(on.then(|| format!("--{key}")));
            return Ok(());
        }
        Value::Array(items) => items.iter().map(word).collect::<Option<Vec<_>>>(),
        one => word(one).map(|word| vec![word]),
    };
    match values.filter(|_| takes_value) {
        Some(values) => more.extend(values.iter().map(|value| format!("--{key}={value}"))),
        None => {
            let form = if takes_value {
                "a text, a number or a list of them"
            } else {
                "true or false"
            };
            return Err(failure::message(format!(
                "{FILE}: {} is {form}, not {value}",
                dotted(place, key)
            )));
        }
    }
    Ok(())
}

fn dotted(place: &str, key: &str) -> String {
    match place {
        "" => key.to_owned(),
        place => format!("{place}.{key}"),
    }
}

fn unknown<'a>(
    what: &str,
    key: &str,
    place: &str,
    names: impl Iterator<Item = &'a str>,
) -> Failure {
    let names: Vec<&str> = names.collect();
    let near = wordline_core::nearest(key, names.iter().copied());
    let hint = match near.as_slice() {
        [] => format!("allowed: {}", names.join(", ")),
        near => format!("did you mean {}?", near.join(" or ")),
    };
    failure::message(format!(
        "{FILE}: unknown {what} {}; {hint}",
        dotted(place, key)
    ))
}
