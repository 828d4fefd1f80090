//! Undisclosed parameters: a value with a reason, and the alternatives that the draws of a band take.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::{Basis, Provenance};

use crate::scheduler::SchedulerName;

/// What a user sets otherwise than the sheets do: names of choices with their values as text.
pub type Settings = BTreeMap<String, String>;

/// A choice of a module or system as users see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetChoice {
    /// Its name in [`Settings`].
    pub name: &'static str,
    /// What the sheets choose.
    pub value: String,
    /// What else is plausible; the draws of a band take each.
    pub alternatives: Vec<String>,
    /// Why the value was chosen, or where it comes from.
    pub reason: String,
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// Nothing has this name.
    #[error("unknown setting {name:?}; allowed: {}", allowed.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The names that exist.
        allowed: Vec<String>,
    },
    /// A value that the setting cannot have.
    #[error("setting {name}: {value:?} is not allowed; allowed: {allowed}")]
    Value {
        /// The setting.
        name: &'static str,
        /// The value.
        value: String,
        /// The values that it can have.
        allowed: String,
    },
    /// A setting of something that no sheet has.
    #[error("setting {name}: nothing here has a use for it; {name} is {of}")]
    Unused {
        /// The setting.
        name: &'static str,
        /// What it is of.
        of: &'static str,
    },
    /// Settings or sheets that do not fit each other.
    #[error("{what}: {problem}")]
    Unfit {
        /// The setting, or the path in the sheet of the module.
        what: String,
        /// What does not fit, and what would.
        problem: String,
    },
}

/// A value that a choice can have, as text in sheets and settings.
pub trait ChoiceValue: Clone {
    /// The value that a text names, if it names one.
    fn parse(text: &str) -> Option<Self>;

    /// The text that names the value.
    fn text(&self) -> String;

    /// The values that exist, for messages.
    fn allowed() -> String;

    /// What is wrong with a text that names no value, where more can be said than what is allowed.
    fn fault(_text: &str) -> Option<String> {
        None
    }
}

/// A value with its alternatives and where it comes from. In TOML:
///
/// ```toml
/// misses = { value = 48, alternatives = [32, 64], assumed = true, reason = "…" }
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawLabelled")]
#[serde(bound(deserialize = "T: ChoiceValue"))]
pub struct Labelled<T> {
    value: T,
    alternatives: Vec<T>,
    provenance: Provenance,
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a choice: a table such as { value = 48, alternatives = [32, 64], assumed = true, reason = \"…\" }"
)]
struct RawLabelled {
    value: Plain,
    #[serde(default)]
    alternatives: Vec<Plain>,
    source: Option<String>,
    basis: Option<Basis>,
    #[serde(default)]
    assumed: bool,
    reason: Option<String>,
}

impl<T: ChoiceValue> TryFrom<RawLabelled> for Labelled<T> {
    type Error = String;

    fn try_from(raw: RawLabelled) -> Result<Self, String> {
        let value = |Plain(text): Plain| {
            T::parse(&text).ok_or_else(|| {
                T::fault(&text).unwrap_or_else(|| {
                    format!("{text:?} is not allowed; allowed: {}", T::allowed())
                })
            })
        };
        Ok(Self {
            value: value(raw.value)?,
            alternatives: raw
                .alternatives
                .into_iter()
                .map(value)
                .collect::<Result<_, _>>()?,
            provenance: Provenance::from_keys(raw.source, raw.basis, raw.assumed, raw.reason)?,
        })
    }
}

impl<T: ChoiceValue> Labelled<T> {
    /// The value.
    #[must_use]
    pub const fn value(&self) -> &T {
        &self.value
    }

    /// What else is plausible.
    #[must_use]
    pub fn alternatives(&self) -> &[T] {
        &self.alternatives
    }

    /// Where the value comes from.
    #[must_use]
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// As users see it, under a name.
    pub(super) fn choice(&self, name: &'static str) -> SheetChoice {
        SheetChoice {
            name,
            value: self.value.text(),
            alternatives: self.alternatives.iter().map(T::text).collect(),
            reason: self.provenance.source.clone(),
        }
    }

    /// The value, or the one that the settings have under a name.
    pub(super) fn pick(&self, name: &'static str, settings: &Settings) -> Result<T, SettingError> {
        Ok(set(name, settings)?.unwrap_or_else(|| self.value.clone()))
    }
}

/// The value of a choice that a sheet may leave out: what the settings have, else the sheet.
pub(super) fn pick_optional<T: ChoiceValue>(
    choice: Option<&Labelled<T>>,
    name: &'static str,
    settings: &Settings,
) -> Result<Option<T>, SettingError> {
    let set = set(name, settings)?;
    Ok(set.or_else(|| choice.map(|choice| choice.value.clone())))
}

/// The same, and what the choice is where neither has it.
pub(super) fn pick_or<T: ChoiceValue>(
    choice: Option<&Labelled<T>>,
    name: &'static str,
    settings: &Settings,
    without: T,
) -> Result<T, SettingError> {
    Ok(pick_optional(choice, name, settings)?.unwrap_or(without))
}

/// The value that the settings have under a name, if they have one.
pub(super) fn set<T: ChoiceValue>(
    name: &'static str,
    settings: &Settings,
) -> Result<Option<T>, SettingError> {
    let Some(text) = settings.get(name) else {
        return Ok(None);
    };
    let value = T::parse(text.trim()).ok_or_else(|| match T::fault(text) {
        Some(problem) => SettingError::Unfit {
            what: format!("setting {name}"),
            problem,
        },
        None => SettingError::Value {
            name,
            value: text.clone(),
            allowed: T::allowed(),
        },
    })?;
    Ok(Some(value))
}

/// Text or a whole number of a sheet, as text.
struct Plain(String);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Plain;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number or a text")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Plain, E> {
                Ok(Plain(number.to_string()))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Plain, E> {
                Ok(Plain(number.to_string()))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Plain, E> {
                Ok(Plain(text.to_owned()))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// A whole number between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedCount<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> BoundedCount<LEAST, MOST> {
    /// The least of them.
    pub const LEAST: Self = Self(LEAST);

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The least one.
impl<const LEAST: u32, const MOST: u32> Default for BoundedCount<LEAST, MOST> {
    fn default() -> Self {
        Self(LEAST)
    }
}

impl<const LEAST: u32, const MOST: u32> ChoiceValue for BoundedCount<LEAST, MOST> {
    fn parse(text: &str) -> Option<Self> {
        let number = text.parse().ok()?;
        (LEAST..=MOST).contains(&number).then_some(Self(number))
    }

    fn text(&self) -> String {
        self.0.to_string()
    }

    fn allowed() -> String {
        format!("a whole number from {LEAST} to {MOST}")
    }
}

/// A share of at most one half, in steps of 0.1 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossShare(u32);

impl LossShare {
    /// Parts in a thousand.
    #[must_use]
    pub const fn permille(self) -> u32 {
        self.0
    }
}

impl ChoiceValue for LossShare {
    fn parse(text: &str) -> Option<Self> {
        let number = text.strip_suffix('%')?.trim_end();
        let (whole, tenths) = number.split_once('.').unwrap_or((number, "0"));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(tenths) || tenths.len() != 1 {
            return None;
        }
        let whole: u32 = whole.parse().ok().filter(|percent| *percent <= 50)?;
        let permille = whole * 10 + tenths.parse::<u32>().ok()?;
        (permille <= 500).then_some(Self(permille))
    }

    fn text(&self) -> String {
        match (self.0 / 10, self.0 % 10) {
            (whole, 0) => format!("{whole} %"),
            (whole, tenths) => format!("{whole}.{tenths} %"),
        }
    }

    fn allowed() -> String {
        "a share from 0 % to 50 % with at most one decimal, such as \"8 %\" or \"8.3 %\"".to_owned()
    }
}

/// The longest delay of a choice.
const DELAY_MAX: Time = Time::from_ps(1_000_000);

impl ChoiceValue for Time {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|time| *time <= DELAY_MAX)
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn allowed() -> String {
        format!("a time up to {DELAY_MAX}, such as \"2 ns\"")
    }
}

/// The largest size of a choice.
const SIZE_MAX: ByteCount = ByteCount::from_bytes(1 << 30);

impl ChoiceValue for ByteCount {
    fn parse(text: &str) -> Option<Self> {
        let whole = |size: &Self| *size <= SIZE_MAX && size.bytes().is_multiple_of(64);
        text.parse().ok().filter(whole)
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn allowed() -> String {
        format!("a multiple of 64 B up to {SIZE_MAX}, such as \"2 MiB\"")
    }
}

/// A size of a page of virtual memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(ByteCount);

impl PageSize {
    /// The size.
    #[must_use]
    pub const fn get(self) -> ByteCount {
        self.0
    }
}

impl ChoiceValue for PageSize {
    fn parse(text: &str) -> Option<Self> {
        let size: ByteCount = ChoiceValue::parse(text)?;
        (size.bytes().is_power_of_two() && size.bytes() >= 4096).then_some(Self(size))
    }

    fn text(&self) -> String {
        self.0.to_string()
    }

    fn allowed() -> String {
        format!("a power of two from 4 KiB to {SIZE_MAX}, such as \"2 MiB\"")
    }
}

/// A name of something in another sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ChoiceValue for Name {
    fn parse(text: &str) -> Option<Self> {
        (!text.trim().is_empty()).then(|| Self(text.to_owned()))
    }

    fn text(&self) -> String {
        self.0.clone()
    }

    fn allowed() -> String {
        "a name".to_owned()
    }
}

/// Values that are words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$item_doc:meta])* $item:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$item_doc])* $item,)+
        }

        impl ChoiceValue for $name {
            fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$item),)+
                    _ => None,
                }
            }

            fn text(&self) -> String {
                match self { $(Self::$item => $word,)+ }.to_owned()
            }

            fn allowed() -> String {
                [$($word),+].join(", ")
            }
        }
    };
}

words! {
    /// Whether the two pseudo-channels of a sub-channel have something of their own.
    Sharing {
        /// One for each.
        Own = "own",
        /// One for both.
        Shared = "shared",
    }
}

words! {
    /// Whether something is done.
    Switch {
        /// It is.
        On = "on",
        /// It is not.
        Off = "off",
    }
}

words! {
    /// How the beats of the two pseudo-channels share the host's bus.
    BeatReturn {
        /// Beat by beat: both bursts at once, each at half the host's rate.
        Interleaved = "interleaved",
        /// One burst after the other, each at the host's rate.
        Sequential = "sequential",
    }
}

words! {
    /// When the ranks of the two pseudo-channels are refreshed.
    PairRefresh {
        /// Each at a time of its own.
        Staggered = "staggered",
        /// Both ranks of a pair together.
        Aligned = "aligned",
    }
}

words! {
    /// How refreshes are spread over a system.
    RefreshStagger {
        /// Evenly over the interval: sub-channels and ranks take turns.
        Even = "even",
        /// Every rank of every sub-channel at once.
        Aligned = "aligned",
    }
}

words! {
    /// How ranks are refreshed.
    RefreshMode {
        /// A whole rank at a time.
        AllBank = "all-bank",
        /// One bank of every group at a time, in fine-granularity mode.
        SameBank = "same-bank",
        /// Not at all.
        Off = "off",
    }
}

words! {
    /// Which banks the next REFsb refreshes.
    SameBankChoice {
        /// Those of the lowest index in the round.
        RoundRobin = "round-robin",
        /// Those that no queued request wants, if there are any.
        IdleFirst = "idle-first",
    }
}

words! {
    /// How often refreshes fall due.
    RefreshRate {
        /// Every tREFI: up to 85 °C.
        Normal = "normal",
        /// Twice as often: above 85 °C.
        Double = "double",
    }
}

impl ChoiceValue for SchedulerName {
    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == text)
    }

    fn text(&self) -> String {
        self.name().to_owned()
    }

    fn allowed() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

/// When rows are closed that no request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPolicyChoice {
    /// When another row of the bank is wanted.
    Open,
    /// With the last queued access to the row.
    Closed,
    /// After some time without an access.
    Timeout(Time),
}

impl ChoiceValue for RowPolicyChoice {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "open" => Some(Self::Open),
            "closed" => Some(Self::Closed),
            _ => {
                let time: Time = ChoiceValue::parse(text.strip_prefix("timeout")?.trim())?;
                (time > Time::ZERO).then_some(Self::Timeout(time))
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Open => "open".to_owned(),
            Self::Closed => "closed".to_owned(),
            Self::Timeout(time) => format!("timeout {time}"),
        }
    }

    fn allowed() -> String {
        format!(
            "open, closed, or timeout with a time up to {DELAY_MAX}, such as \"timeout 100 ns\""
        )
    }
}

/// When a rank without requests is powered down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerDown {
    /// Never.
    Never,
    /// After some time without a command.
    After(Time),
}

impl ChoiceValue for PowerDown {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "never" => Some(Self::Never),
            _ => ChoiceValue::parse(text).map(Self::After),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Never => "never".to_owned(),
            Self::After(time) => time.to_string(),
        }
    }

    fn allowed() -> String {
        format!("never, or {}", Time::allowed())
    }
}

#[cfg(test)]
mod tests {
    use super::{ChoiceValue, LossShare};

    #[test]
    fn shares_are_read_to_a_tenth_of_a_per_cent() {
        for (text, permille) in [("0 %", 0), ("8 %", 80), ("8.3 %", 83), ("50%", 500)] {
            let share = LossShare::parse(text).expect(text);
            assert_eq!(share.permille(), permille);
            assert_eq!(LossShare::parse(&share.text()), Some(share));
        }
        for text in [
            "",
            "%",
            "8",
            "8.33 %",
            "-1 %",
            "50.1 %",
            "99999999999 %",
            ". %",
            "1. %",
            "+1 %",
        ] {
            assert_eq!(LossShare::parse(text), None, "{text}");
        }
    }
}
