//! Names of storage engines on the command line.

use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::{Arg, Command};
use wordline_core::EngineName;
use wordline_engines::{Engine, FILE_SYSTEMS, STORES, names};

/// The file systems, as a default and as a choice. What is emulated runs where it is asked for.
pub(super) static ALL_FILE_SYSTEMS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let [_, choice] = lists(FILE_SYSTEMS);
    let usual: Vec<_> = FILE_SYSTEMS
        .iter()
        .filter(|engine| !engine.is_emulated())
        .copied()
        .collect();
    [names(&usual).join(","), choice]
});

/// The tables, as a default and as a choice. What writes whole pages is slow, and runs where it is asked for.
static ALL_TABLES: LazyLock<[String; 2]> = LazyLock::new(|| {
    let [_, choice] = lists(STORES);
    let usual: Vec<_> = STORES
        .iter()
        .filter(|store| !store.writes_pages())
        .copied()
        .collect();
    [names(&usual).join(","), choice]
});

fn lists<E: Engine + ?Sized>(engines: &[&E]) -> [String; 2] {
    [",", "|"].map(|between| names(engines).join(between))
}

/// Names of the file systems, which completions offer.
pub(super) fn file_system() -> ValueParser {
    one_of(FILE_SYSTEMS, None)
}

/// Names of the tables, and one whose error says what to do instead.
fn table() -> ValueParser {
    one_of(STORES, Some(PossibleValue::new("rocksdb").hide(true)))
}

fn one_of<E: Engine + ?Sized>(engines: &[&E], hidden: Option<PossibleValue>) -> ValueParser {
    let values = engines.iter();
    let values = values.map(|engine| PossibleValue::new(engine.name()).help(engine.title()));
    PossibleValuesParser::new(values.chain(hidden))
        .try_map(|name: String| name.parse::<EngineName>())
        .into()
}

/// The command of an experiment on engines, with the names that exist: the structs of experiments know none.
pub(super) fn with_names(command: Command, path: &[&str]) -> Command {
    let (list, all, parser): (_, &'static [String; 2], _) = match path {
        ["fs", "bench"] | ["io", "replay"] | ["sql", ..] => {
            ("file_systems", &*ALL_FILE_SYSTEMS, file_system())
        }
        ["kv", ..] => ("tables", &*ALL_TABLES, table()),
        _ => return command,
    };
    let [default, choice] = all;
    let named = |arg: Arg| arg.value_name(choice.as_str()).value_parser(parser.clone());
    let command = command.mut_arg(list, |arg| named(arg).default_value(default.as_str()));
    let requires = command.get_arguments().any(|arg| arg.get_id() == "require");
    match requires {
        true => command.mut_arg("require", named),
        false => command,
    }
}
