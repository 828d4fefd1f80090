//! Values by names that a user chooses: settings of an engine, prices of parts.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

/// Values by name, in the order of the names. On the command line each is `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamedValues<V>(BTreeMap<String, V>);

impl<V> NamedValues<V> {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> Default for NamedValues<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> Deref for NamedValues<V> {
    type Target = BTreeMap<String, V>;
    fn deref(&self) -> &BTreeMap<String, V> {
        &self.0
    }
}

impl<V> DerefMut for NamedValues<V> {
    fn deref_mut(&mut self) -> &mut BTreeMap<String, V> {
        &mut self.0
    }
}

impl<V> FromIterator<(String, V)> for NamedValues<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<V, const N: usize> From<[(String, V); N]> for NamedValues<V> {
    fn from(values: [(String, V); N]) -> Self {
        Self(values.into())
    }
}

impl<V> From<BTreeMap<String, V>> for NamedValues<V> {
    fn from(values: BTreeMap<String, V>) -> Self {
        Self(values)
    }
}

impl<'a, V> IntoIterator for &'a NamedValues<V> {
    type Item = (&'a String, &'a V);
    type IntoIter = std::collections::btree_map::Iter<'a, String, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<V: schemars::JsonSchema> schemars::JsonSchema for NamedValues<V> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        BTreeMap::<String, V>::schema_name()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        BTreeMap::<String, V>::json_schema(generator)
    }
}

/// What the flag of such values is called.
#[cfg(feature = "cli")]
pub trait NamedValue:
    std::str::FromStr<Err: std::fmt::Display> + Clone + Send + Sync + 'static
{
    /// The field, which may be distinguished by the struct that it is in.
    const ID: &'static str;
    /// The flag.
    const FLAG: &'static str;
    /// Its value in help.
    const VALUE_NAME: &'static str;
    /// An example.
    const EXAMPLE: &'static str;
    /// Its help.
    const HELP: &'static str;
    /// Where help lists it.
    const HEADING: Option<&'static str>;
    /// Between several values of one flag.
    const DELIMITER: Option<char>;
}

#[cfg(feature = "cli")]
impl NamedValue for String {
    const ID: &'static str = "settings";
    const FLAG: &'static str = "set";
    const VALUE_NAME: &'static str = "NAME=VALUE";
    const EXAMPLE: &'static str = "refresh=same-bank";
    const HELP: &'static str = "Set a choice otherwise than by default: of memory modules NAME=VALUE, of file systems FS.NAME=VALUE; repeatable";
    const HEADING: Option<&'static str> = None;
    const DELIMITER: Option<char> = None;
}

/// The unit of a column of a log, as the reader of logs spells it: `us`, `kib`, `mA`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct ColumnUnit(pub String);

impl std::str::FromStr for ColumnUnit {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

#[cfg(feature = "cli")]
impl NamedValue for ColumnUnit {
    const ID: &'static str = "units";
    const FLAG: &'static str = "unit";
    const VALUE_NAME: &'static str = "COLUMN=UNIT";
    const EXAMPLE: &'static str = "lat=us";
    const HELP: &'static str = "Unit of a column of a log, whatever its name says, such as lat=us; duration=us of plain durations, one a line; repeatable";
    const HEADING: Option<&'static str> = None;
    const DELIMITER: Option<char> = None;
}

#[cfg(feature = "cli")]
impl NamedValue for crate::quantity::Money {
    const ID: &'static str = "prices.parts";
    const FLAG: &'static str = "price";
    const VALUE_NAME: &'static str = "PART=PRICE";
    const EXAMPLE: &'static str = "mt29f1g01=2.10EUR";
    const HELP: &'static str = "Price of a part, such as mt29f1g01=2.10EUR; repeatable";
    const HEADING: Option<&'static str> = Some("Prices");
    const DELIMITER: Option<char> = Some(',');
}

#[cfg(feature = "cli")]
impl<V: NamedValue> clap::Args for NamedValues<V> {
    fn augment_args(command: clap::Command) -> clap::Command {
        let pair = |text: &str| {
            let pair = text.split_once('=');
            let (name, value) =
                pair.ok_or_else(|| format!("expected {}, such as {}", V::VALUE_NAME, V::EXAMPLE))?;
            let value = value
                .trim()
                .parse::<V>()
                .map_err(|error| error.to_string())?;
            Ok::<_, String>((name.trim().to_owned(), value))
        };
        let mut arg = clap::Arg::new(V::ID)
            .long(V::FLAG)
            .value_name(V::VALUE_NAME)
            .action(clap::ArgAction::Append)
            .value_parser(pair)
            .help(V::HELP)
            .help_heading(V::HEADING);
        if let Some(delimiter) = V::DELIMITER {
            arg = arg.value_delimiter(delimiter);
        }
        command.arg(arg)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

#[cfg(feature = "cli")]
impl<V: NamedValue> clap::FromArgMatches for NamedValues<V> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let mut values = Self::new();
        let pairs = matches.get_many::<(String, V)>(V::ID).into_iter().flatten();
        for (name, value) in pairs.cloned() {
            if values.insert(name.clone(), value).is_some() {
                let message = format!("--{} {name}: it is set twice", V::FLAG);
                return Err(clap::Error::raw(
                    clap::error::ErrorKind::ValueValidation,
                    message,
                ));
            }
        }
        Ok(values)
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
