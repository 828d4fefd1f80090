//! The command that repeats an experiment asks for the same experiment, whatever its options say.

use std::sync::LazyLock;

use clap::builder::ValueRange;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Command};
use proptest::prelude::*;

use super::{COMMANDS, Experiment, ExperimentCommand};

/// What an option may say; each takes those that its parser accepts.
const TEXTS: [&str; 27] = [
    "7",
    "12,7",
    "0",
    "0.25",
    "-3.5",
    "3KiB",
    "3KiB,1MB",
    "1234567B",
    "7us",
    "1.5ns,7us",
    "90days",
    "1.5y",
    "7KB/s",
    "0.3B/s,1.5MB/s",
    "7MHz",
    "7%",
    "33.3%,0%",
    "7uF",
    "7.5J",
    "1.25EUR",
    "3.3V",
    "2.5W",
    "littlefs.cache=512",
    "it's=a b",
    "part=1.25EUR",
    "a b",
    "littlefs,fat",
];

/// A command as it reads words, and what its options are given.
struct CommandTrial {
    row: &'static ExperimentCommand,
    command: Command,
    values: Vec<Vec<Vec<String>>>,
}

/// Building a command takes longer than reading words.
static TRIALS: LazyLock<Vec<CommandTrial>> = LazyLock::new(|| {
    let of = |row: &'static ExperimentCommand| {
        let mut command = row.command("experiment").no_binary_name(true);
        command = command.disable_help_flag(true);
        command.build();
        let mut trial = CommandTrial {
            row,
            command,
            values: Vec::new(),
        };
        let args = trial.command.get_arguments();
        trial.values = args.map(|arg| trial.values_of(arg)).collect();
        trial
    };
    COMMANDS.iter().map(of).collect()
});

/// An option with a value, as words of a command line.
fn words(arg: &Arg, text: &str) -> Vec<String> {
    let flag = arg.get_long().map(|flag| format!("--{flag}"));
    let takes_value = arg.get_num_args() != Some(ValueRange::EMPTY)
        && !matches!(arg.get_action(), ArgAction::SetTrue);
    let value = takes_value.then(|| text.to_owned());
    match (flag, value) {
        (Some(flag), Some(value)) => vec![format!("{flag}={value}")],
        (flag, value) => flag.into_iter().chain(value).collect(),
    }
}

impl CommandTrial {
    fn experiment(&self, words: &[String]) -> Result<Experiment, clap::Error> {
        self.row
            .experiment(&self.command.clone().try_get_matches_from(words)?)
    }

    /// The values that one option is given: those of its list, or texts that its parser takes.
    fn values_of(&self, arg: &Arg) -> Vec<Vec<String>> {
        let named = arg.get_possible_values();
        let named: Vec<_> = named.iter().map(|value| value.get_name()).collect();
        let mut texts = match named.as_slice() {
            [] => TEXTS.to_vec(),
            names => names.to_vec(),
        };
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            texts.truncate(1);
        }
        let both = named.join(",");
        if named.len() > 1 {
            texts.push(&both);
        }
        let mut all: Vec<_> = texts.iter().map(|text| words(arg, text)).collect();
        all.retain(|words| {
            use clap::error::ErrorKind::{InvalidValue, UnknownArgument, ValueValidation};
            let refused = self.experiment(words).err().map(|error| error.kind());
            !matches!(
                refused,
                Some(InvalidValue | ValueValidation | UnknownArgument)
            )
        });
        all
    }

    /// Adds what the words need besides, and reads them; `None` of what cannot stand together.
    fn completed(&self, words: &[String]) -> Option<Experiment> {
        let mut words = words.to_vec();
        for _ in 0..3 {
            let error = match self.experiment(&words) {
                Ok(found) => return Some(found),
                Err(error) => error,
            };
            let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
                return None;
            };
            let options = self.command.get_arguments().zip(&self.values);
            let missing = options.filter(|(arg, _)| missing.contains(&arg.to_string()));
            words.extend(
                missing
                    .filter_map(|(_, values)| values.last())
                    .flatten()
                    .cloned(),
            );
        }
        None
    }

    /// Repeats an experiment by its command, and from its document.
    fn repeat(&self, asked: &Experiment) {
        let json = serde_json::to_string(asked).expect("plain data");
        let document: Experiment = serde_json::from_str(&json).expect("it was written");
        assert_eq!(document, *asked, "{json}");
        let line = document.command_line();
        let words = split(&line);
        let path = words.iter().skip(1).zip(self.row.path);
        assert!(
            path.clone().all(|(word, name)| word == name) && path.len() == self.row.path.len(),
            "{line}"
        );
        match self.experiment(&words[1 + self.row.path.len()..]) {
            Ok(again) => assert_eq!(again, *asked, "{line}"),
            Err(error) => panic!("{line}: {error}"),
        }
    }
}

/// The words of a command as a POSIX shell takes them.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => quoted = !quoted,
            '\\' if !quoted => word.extend(letters.next()),
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    words
}

#[test]
fn every_option_of_every_command_is_repeated() {
    for trial in &*TRIALS {
        let options = trial.command.get_arguments().zip(&trial.values);
        for (arg, values) in options {
            let others = trial.values.iter().filter_map(|values| values.first());
            let beside = others.zip(values.iter().cycle());
            let beside = beside.map(|(other, value)| [value.as_slice(), other].concat());
            let asked = values.iter().cloned().chain(beside);
            let asked = asked.filter_map(|words| trial.completed(&words));
            let repeated = asked.map(|asked| trial.repeat(&asked)).count();
            assert!(repeated > 0, "{:?}: {arg} was not tried", trial.row.path);
        }
    }
}

proptest! {
    #[test]
    fn several_options_together_are_repeated(
        trial in any::<prop::sample::Index>(),
        options in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 0..6),
    ) {
        let trial = trial.get(TRIALS.as_slice());
        let mut words = Vec::new();
        for [option, value] in options {
            let value: &Vec<String> = value.get(option.get(&trial.values).as_slice());
            if let Some(asked) = trial.completed(&[words.as_slice(), value].concat()) {
                words.extend(value.clone());
                trial.repeat(&asked);
            }
        }
    }
}
