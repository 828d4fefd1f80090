//! Experiments as options of a command line: the fields of a workload are its flags.
//!
//! A workload derives [`clap::Args`], and one [`ExperimentCommand`] says what its command is called. Units, value names,
//! defaults and the command that repeats a result follow from the fields: a name such as `warm_up_ps` carries its unit,
//! and `Default` carries the value.

use std::any::TypeId;
use std::fmt::{Display, Write as _};

use clap::builder::{OsStringValueParser, TypedValueParser as _, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use super::{
    AccessSource, Experiment, HealthWorkload, ShareOrSize, SizeOrPeriod, TranslationLayer, Workload,
};
use crate::quantity::{
    ByteCount, Capacitance, DataRate, Energy, Fraction, Frequency, Money, Period, Power,
    Quantity as _, Time, Voltage,
};
use crate::timing::Timing;

/// The command of a workload.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentCommand {
    /// Words behind `wordline`.
    pub path: &'static [&'static str],
    /// What it does, in a line.
    pub about: &'static str,
    /// Text below the flags: examples, exit codes.
    pub examples: &'static str,
    /// Help of `--target`, and whether one must be named.
    pub target: &'static str,
    /// The columns of data sheets that apply unless a flag says otherwise; a workload without the flag has an empty text
    /// and runs at [`fixed`](Self::fixed).
    pub timing: &'static str,
    /// The column of a workload without a choice.
    pub fixed: Timing,
    /// Whether raw flash may be run behind a translation layer.
    pub layer: bool,
    /// Adds the flags of the workload.
    pub flags: fn(Command) -> Command,
    /// Reads them.
    pub read: fn(&ArgMatches) -> Result<Workload, clap::Error>,
    /// Their defaults.
    pub default: fn() -> Workload,
}

/// A unit that the end of a field's name states: how people write such values.
struct FieldUnit {
    suffix: &'static str,
    value_name: &'static str,
    parser: fn() -> ValueParser,
    text: fn(&Value) -> Option<String>,
}

/// The size of a page of a database; a number alone is bytes, as SQLite's own `page_size` is.
fn page_bytes(text: &str) -> Result<u64, <ByteCount as std::str::FromStr>::Err> {
    match text.parse() {
        Ok(bytes) => Ok(bytes),
        Err(_) => text.parse().map(ByteCount::bytes),
    }
}

/// Longer ends first: `_bytes_per_s` is no time.
const UNITS: [FieldUnit; 7] = [
    FieldUnit {
        suffix: "_bytes_per_s",
        value_name: "RATE",
        parser: || (|text: &str| text.parse().map(DataRate::si)).into(),
        text: |value| value.as_f64().map(DataRate::from_si).map(compact),
    },
    FieldUnit {
        suffix: "page_bytes",
        value_name: "SIZE",
        parser: || (page_bytes as fn(&str) -> _).into(),
        text: |value| value.as_u64().map(ByteCount::from_bytes).map(compact),
    },
    FieldUnit {
        suffix: "_bytes",
        value_name: "SIZE",
        parser: || (|text: &str| text.parse().map(ByteCount::bytes)).into(),
        text: |value| value.as_u64().map(ByteCount::from_bytes).map(compact),
    },
    FieldUnit {
        suffix: "_ps",
        value_name: "TIME",
        parser: || (|text: &str| text.parse().map(Time::ps)).into(),
        text: |value| value.as_u64().map(Time::from_ps).map(compact),
    },
    FieldUnit {
        suffix: "_hz",
        value_name: "FREQUENCY",
        parser: || (|text: &str| text.parse().map(Frequency::hz)).into(),
        text: |value| value.as_u64().map(Frequency::from_hz).map(compact),
    },
    FieldUnit {
        suffix: "_s",
        value_name: "TIME",
        parser: || (|text: &str| text.parse().map(Period::si)).into(),
        text: |value| value.as_f64().map(Period::from_si).map(compact),
    },
    FieldUnit {
        suffix: "_celsius",
        value_name: "CELSIUS",
        parser: || clap::value_parser!(f64).into(),
        text: plain,
    },
];

fn unit_of(id: &str) -> Option<&'static FieldUnit> {
    UNITS.iter().find(|unit| id.ends_with(unit.suffix))
}

impl ExperimentCommand {
    /// Adds the command to the program's, below the words of its path that are there already.
    #[must_use]
    pub fn add_to(&self, program: Command, finish: impl FnOnce(Command) -> Command) -> Command {
        let Some((name, groups)) = self.path.split_last() else {
            return program;
        };
        let command = finish(self.command(name));
        // Last: the structs of flags bring texts of their own.
        let command = command
            .about(self.about)
            .long_about(None)
            .after_help(self.examples);
        insert(program, groups, command)
    }

    pub(super) fn command(&self, name: &'static str) -> Command {
        let defaults = serde_json::to_value((self.default)()).unwrap_or_default();
        let command = self.targets(Command::new(name));
        let command = (self.flags)(command).mut_args(|arg| with_field(arg, &defaults));
        self.conditions(command)
    }

    fn targets(&self, command: Command) -> Command {
        if self.target.is_empty() {
            return command;
        }
        // A program is on a memory already, and goes to others.
        let flag = match self.path {
            ["app", ..] => "to",
            _ => "target",
        };
        command.arg(
            Arg::new("targets")
                .long(flag)
                .value_name("TARGET")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .required(true)
                .help(self.target),
        )
    }

    /// Timing, age, translation layer and seed.
    fn conditions(&self, mut command: Command) -> Command {
        if !self.timing.is_empty() {
            command = command
                .arg(
                    Arg::new("timings")
                        .long("timing")
                        .value_name("typ|max|sampled")
                        .value_delimiter(',')
                        .action(ArgAction::Append)
                        .default_value(self.timing)
                        .value_parser(clap::value_parser!(Timing))
                        .help(
                            "Columns of the data sheets, each run by itself: typical, maximum, or one chip drawn around \
                             typical; repeatable and comma-separated",
                        ),
                )
                .arg(
                    Arg::new("age")
                        .long("age")
                        .value_name("FRACTION")
                        .allow_negative_numbers(true)
                        .default_value("0")
                        .value_parser(clap::value_parser!(f64))
                        .help("Fraction of rated life already used, 0 to 1"),
                );
        }
        if self.layer {
            command = <TranslationLayer as clap::Args>::augment_args(command);
        }
        command.arg(
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .allow_negative_numbers(true)
                .default_value("0")
                .value_parser(clap::value_parser!(u64))
                .help(match self.path {
                    ["app", ..] => "Seed of the draws",
                    _ => {
                        "Seed of everything that is drawn: the bytes written, random addresses, when reads come during \
                         other work, and sampled figures"
                    }
                }),
        )
    }

    /// The experiment that the flags ask for.
    ///
    /// # Errors
    /// When flags contradict each other.
    pub fn experiment(&self, matches: &ArgMatches) -> Result<Experiment, clap::Error> {
        let many = |id| matches.try_get_many::<String>(id).ok().flatten();
        let workload = (self.read)(matches)?;
        let timings = match matches.try_get_many("timings") {
            Ok(Some(named)) if !is_measured(&workload) => named.copied().collect(),
            _ => vec![self.fixed],
        };
        let number = |id| matches.try_get_one::<f64>(id).ok().flatten().copied();
        Ok(Experiment {
            targets: many("targets").into_iter().flatten().cloned().collect(),
            workload,
            timings,
            age: number("age").unwrap_or_default(),
            seed: matches.get_one("seed").copied().unwrap_or_default(),
            ftl: TranslationLayer::chosen(matches),
        })
    }
}

/// Whether it is about what was measured, which no column of a data sheet changes.
fn is_measured(workload: &Workload) -> bool {
    matches!(workload, Workload::Buffer(buffer) if matches!(buffer.source, AccessSource::Log(_)))
}

/// Whether the user named a flag, by the field that it sets.
#[must_use]
pub fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.try_contains_id(id).is_ok()
        && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// Puts a command below its groups.
fn insert(program: Command, groups: &[&'static str], command: Command) -> Command {
    match groups {
        [] => program.subcommand(command),
        [group, rest @ ..] => program.mut_subcommand(*group, |found| insert(found, rest, command)),
    }
}

/// A flag with what its field says: unit, values, default.
fn with_field(mut arg: Arg, defaults: &Value) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    if matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::Help) {
        return arg;
    }
    arg = arg.allow_negative_numbers(true);
    if let Some(unit) = unit_of(&id) {
        arg = arg
            .value_name(unit.value_name)
            .value_parser((unit.parser)());
    }
    let parser = arg.get_value_parser().type_id();
    let quantity = [
        (TypeId::of::<ByteCount>(), "SIZE"),
        (TypeId::of::<Capacitance>(), "CAPACITANCE"),
        (TypeId::of::<DataRate>(), "RATE"),
        (TypeId::of::<Energy>(), "ENERGY"),
        (TypeId::of::<Fraction>(), "SHARE"),
        (TypeId::of::<Money>(), "PRICE"),
        (TypeId::of::<Period>(), "PERIOD"),
        (TypeId::of::<Power>(), "POWER"),
        (TypeId::of::<ShareOrSize>(), "SHARE|SIZE"),
        (TypeId::of::<SizeOrPeriod>(), "SIZE|PERIOD"),
        (TypeId::of::<Voltage>(), "VOLTAGE"),
    ];
    let quantity = quantity.iter().find(|(kind, _)| parser == *kind);
    if let Some((_, name)) = quantity {
        arg = arg.value_name(*name);
    }
    if unit_of(&id).is_none()
        && [TypeId::of::<u32>(), TypeId::of::<u64>()]
            .iter()
            .any(|kind| parser == *kind)
    {
        let name = if id.ends_with("_cycles") {
            "CYCLES"
        } else {
            "N"
        };
        arg = arg.value_name(name);
        if parser == TypeId::of::<u64>() {
            arg = arg.value_parser(whole);
        }
    }
    let values = arg.get_possible_values();
    if (1..=5).contains(&values.len()) {
        let names: Vec<_> = values.iter().map(|value| value.get_name()).collect();
        arg = arg.value_name(&*names.join("|").leak());
    }
    // What begins with a minus and a unit behind its number is a value, and answered as one.
    let signed = [
        "CAPACITANCE",
        "CELSIUS",
        "ENERGY",
        "PERIOD",
        "POWER",
        "PRICE",
        "RATE",
        "SHARE",
        "SHARE|SIZE",
        "SIZE",
        "SIZE|PERIOD",
        "TIME",
        "VOLTAGE",
    ];
    let value_name = arg.get_value_names().and_then(<[_]>::first);
    let value_name = value_name
        .map(|name| name.as_str().to_owned())
        .unwrap_or_default();
    if signed.contains(&&*value_name) {
        arg = arg.allow_hyphen_values(true);
    }
    if matches!(arg.get_action(), ArgAction::Append) && !value_name.contains('=') {
        arg = arg.value_delimiter(',');
    }
    // A quantity that documents leave out at nothing is nothing.
    let nothing = Value::from(0);
    let absent = unit_of(&id)
        .filter(|_| arg.is_required_set())
        .map(|_| &nothing);
    let texts = find(defaults, "", &id)
        .or(absent)
        .map(|value| texts(&arg, value));
    match texts {
        Some(texts) if !texts.is_empty() && !arg.is_positional() => {
            // Zero is what happens where nothing is said: no need to write it.
            let hidden = [["0"], ["0B"], ["0s"], ["0ps"], ["0B/s"]]
                .iter()
                .any(|none| texts == none);
            let text: &'static str = texts.join(",").leak();
            arg.required(false)
                .default_value(text)
                .hide_default_value(hidden)
        }
        _ => arg,
    }
}

/// A parser of the names of files: documents keep names as text.
pub(super) fn file_name() -> impl clap::builder::TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|name| name.to_string_lossy().into_owned())
}

fn whole(text: &str) -> Result<u64, String> {
    let most = u64::MAX;
    text.parse()
        .map_err(|_| format!("no whole number of 0 to {most}"))
}

/// The value of a flag in a document.
fn find<'a>(document: &'a Value, parent: &str, id: &str) -> Option<&'a Value> {
    locate(document, parent, id, &mut Vec::new())
}

/// The value of a flag: of the field of its name, which may be that of a struct or a choice as well (`log.file`); and the
/// names of the fields on the way to it.
fn locate<'a>(
    document: &'a Value,
    parent: &str,
    id: &str,
    path: &mut Vec<String>,
) -> Option<&'a Value> {
    let fields = document.as_object()?;
    let own = fields.iter().find(|(name, _)| {
        let below = |group: &str| {
            id.strip_prefix(group)
                .and_then(|rest| rest.strip_prefix('.'))
        };
        let mut tags = ["kind", "of"]
            .iter()
            .filter_map(|tag| fields.get(*tag)?.as_str());
        *name == id || below(parent) == Some(name) || tags.any(|tag| below(tag) == Some(name))
    });
    if let Some((name, value)) = own {
        path.push(name.clone());
        return Some(value);
    }
    fields.iter().find_map(|(name, value)| {
        path.push(name.clone());
        let found = locate(value, name, id, path);
        if found.is_none() {
            path.pop();
        }
        found
    })
}

/// Sets a field of a document; what has names keeps those that are not set.
fn put(document: &mut Value, path: &[String], value: &Value) {
    let Some((name, rest)) = path.split_first() else {
        match (document, value) {
            (Value::Object(old), Value::Object(new)) => old.extend(new.clone()),
            (old, new) => *old = new.clone(),
        }
        return;
    };
    if !document.is_object() {
        *document = Value::Object(serde_json::Map::new());
    }
    if let Some(fields) = document.as_object_mut() {
        put(
            fields.entry(name.clone()).or_insert(Value::Null),
            rest,
            value,
        );
    }
}

/// The values of a flag as people write them; none of what says nothing.
fn texts(arg: &Arg, value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(|one| texts(arg, one)).collect(),
        Value::Object(named) => {
            let pair = |(name, value): (&String, &Value)| {
                let value = value.as_str().unwrap_or_default();
                format!("{name}={value}")
            };
            named.iter().map(pair).collect()
        }
        value => text(arg, value).into_iter().collect(),
    }
}

fn text(arg: &Arg, value: &Value) -> Option<String> {
    if let Some(unit) = unit_of(arg.get_id().as_str()) {
        return (unit.text)(value);
    }
    let words = arg.get_value_parser().type_id() == TypeId::of::<String>();
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) if words => Some(text.clone()),
        Value::String(text) => Some(compact(text)),
        value => plain(value),
    }
}

/// Reads the number of a node or a processor, and answers one that cannot be with those that can, however large it is.
pub(super) fn small_number(text: &str) -> Result<u32, String> {
    let found = text.trim().parse();
    found.map_err(|_| format!("allowed: 0 to {}", u32::MAX))
}

/// A number without a unit.
fn plain(value: &Value) -> Option<String> {
    let whole = value.as_u64().map(|number| number.to_string());
    whole.or_else(|| value.as_f64().map(|number| number.to_string()))
}

/// A value without the space between number and unit.
fn compact(value: impl Display) -> String {
    value.to_string().replace(' ', "")
}

impl Experiment {
    /// Takes over what the user named on the command line, from the experiment that the flags alone ask for.
    ///
    /// # Errors
    /// When the flags do not go with what is there; nothing is taken over then.
    pub fn take_given(&mut self, flags: &Self, matches: &ArgMatches) -> Result<(), String> {
        let given = |id: &str| is_given(matches, id);
        let mut workload = serde_json::to_value(&self.workload).unwrap_or_default();
        let from = serde_json::to_value(&flags.workload).unwrap_or_default();
        for id in matches.ids().map(clap::Id::as_str).filter(|id| given(id)) {
            let mut path = Vec::new();
            if let Some(value) = locate(&from, "", id, &mut path) {
                put(&mut workload, &path, value);
            }
        }
        self.workload = serde_json::from_value(workload)
            .map_err(|error| format!("these flags do not go with the study: {error}"))?;
        if given("targets") {
            self.targets.clone_from(&flags.targets);
        }
        if given("timings") {
            self.timings.clone_from(&flags.timings);
        }
        if given("age") {
            self.age = flags.age;
        }
        if given("seed") {
            self.seed = flags.seed;
        }
        self.ftl = flags.ftl.or(self.ftl);
        Ok(())
    }

    /// The command that makes the same result again, every setting spelled out.
    #[must_use]
    pub fn command_line(&self) -> String {
        let Some(row) = self.workload.command() else {
            return String::new();
        };
        let document = serde_json::to_value(&self.workload).unwrap_or_default();
        let defaults = serde_json::to_value((row.default)()).unwrap_or_default();
        let mut line = format!("wordline {}", row.path.join(" "));
        let command = row.command("");
        // What begins with a hyphen is no flag where it stands behind all of them.
        let mut behind = String::new();
        for arg in command.get_arguments().filter(|arg| arg.is_positional()) {
            let value = find(&document, "", arg.get_id().as_str());
            for text in value.iter().flat_map(|one| texts(arg, one)) {
                let _ = match is_like_flag(&text) {
                    true => write!(behind, " -- {}", quoted(&text)),
                    false => write!(line, " {}", quoted(&text)),
                };
            }
        }
        for arg in command.get_arguments() {
            let Some(flag) = arg.get_long() else { continue };
            let id = arg.get_id().as_str();
            let texts = match id {
                "targets" => vec![self.targets.join(",")],
                "timings" if is_measured(&self.workload) => Vec::new(),
                "age" if is_measured(&self.workload) && self.age == 0.0 => Vec::new(),
                "seed"
                    if matches!(
                        self.workload,
                        Workload::Health(HealthWorkload::Trace { .. })
                    ) =>
                {
                    Vec::new()
                }
                "timings" => vec![
                    self.timings
                        .iter()
                        .map(|one| one.name())
                        .collect::<Vec<_>>()
                        .join(","),
                ],
                "age" => vec![self.age.to_string()],
                "seed" => vec![self.seed.to_string()],
                "mapping" => self.ftl.iter().map(|ftl| ftl.mapping.to_string()).collect(),
                "spare" => self.ftl.iter().map(|ftl| compact(ftl.spare)).collect(),
                _ => field_texts(arg, &document, &defaults),
            };
            let switch = matches!(arg.get_action(), ArgAction::SetTrue);
            for text in texts.iter().filter(|text| !text.is_empty()) {
                let _ = match switch {
                    true => write!(line, " --{flag}"),
                    false if is_like_flag(text) => write!(line, " --{flag}={}", quoted(text)),
                    false => write!(line, " --{flag} {}", quoted(text)),
                };
            }
        }
        line + &behind
    }
}

/// What stands behind a flag of a workload, once for each time that it is named.
fn field_texts(arg: &Arg, document: &Value, defaults: &Value) -> Vec<String> {
    let id = arg.get_id().as_str();
    let Some(value) = find(document, "", id) else {
        let chosen = document.get("of").and_then(Value::as_str) == Some(id);
        return chosen.then(|| id.to_owned()).into_iter().collect();
    };
    if let Value::Bool(on) = value {
        return on.then(|| id.to_owned()).into_iter().collect();
    }
    let zero = value.as_f64() == Some(0.0);
    if zero && find(defaults, "", id) == Some(value) {
        return Vec::new();
    }
    let texts = texts(arg, value);
    match value {
        Value::Array(_) => vec![texts.join(",")],
        Value::Object(_) if arg.get_value_delimiter().is_some() => vec![texts.join(",")],
        _ => texts,
    }
}

/// Whether a value begins as a flag does; `-` alone is a name.
fn is_like_flag(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-')
}

/// A word as a POSIX shell takes it literally.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@.,:/_+-=%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_target_is_quoted() {
        assert_eq!(quoted("p@b"), "p@b");
        assert_eq!(quoted("x$(id);y"), "'x$(id);y'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
