//! Choices of file systems, as users name them: `littlefs.cache=256`.

use std::collections::BTreeMap;
use std::fmt;

use wordline_core::FsKind;
use wordline_core::quantity::ByteCount;

use crate::error::LabError;

/// The choices of a file system.
const fn names(kind: FsKind) -> &'static [&'static str] {
    match kind {
        FsKind::Littlefs => &[
            "block",
            "read",
            "prog",
            "cache",
            "lookahead",
            "cycles",
            "inline",
            "metadata",
        ],
        FsKind::Fat => &["cluster", "tables"],
    }
}

/// What a user chose for one file system, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings(BTreeMap<&'static str, i64>);

impl Settings {
    /// The choices for one file system out of all.
    ///
    /// # Errors
    /// For a name that no file system has, and a value that is no number or size.
    pub(super) fn of(kind: FsKind, all: &BTreeMap<String, String>) -> Result<Self, LabError> {
        let mut chosen = BTreeMap::new();
        for (name, value) in all {
            let (owner, name) = find(name)?;
            let number = number(value).ok_or_else(|| LabError::List {
                what: "set",
                problem: format!(
                    "{}.{name}={value} is no number and no size, such as 256 or 1KiB",
                    owner.name()
                ),
            })?;
            if owner == kind {
                chosen.insert(name, number);
            }
        }
        Ok(Self(chosen))
    }

    /// Refuses choices of file systems other than these, which run.
    ///
    /// # Errors
    /// For a choice of another one, and a name that no file system has.
    pub(super) fn check(kinds: &[FsKind], all: &BTreeMap<String, String>) -> Result<(), LabError> {
        for spelt in all.keys() {
            let (owner, _) = find(spelt)?;
            if !kinds.contains(&owner) {
                let problem = format!(
                    "{spelt} is a choice of {}, which does not run",
                    owner.name()
                );
                return Err(LabError::List {
                    what: "set",
                    problem,
                });
            }
        }
        Ok(())
    }

    /// Whether nothing was chosen.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Chooses where nobody did.
    pub(super) fn or_else(&mut self, name: &'static str, value: i64) {
        self.0.entry(name).or_insert(value);
    }

    /// A choice, where it was made.
    pub(super) fn get(&self, name: &str) -> Option<i64> {
        self.0.get(name).copied()
    }
}

/// Behind what they are the choices of.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.0 {
            write!(f, ", {name} {value}")?;
        }
        Ok(())
    }
}

fn find(text: &str) -> Result<(FsKind, &'static str), LabError> {
    let all = FsKind::ALL.into_iter();
    let all: Vec<(FsKind, &'static str)> = all
        .flat_map(|kind| names(kind).iter().map(move |name| (kind, *name)))
        .collect();
    let spelt = |(kind, name): &(FsKind, &str)| format!("{}.{name}", kind.name());
    let found = all.iter().find(|one| spelt(one) == text).copied();
    found.ok_or_else(|| LabError::List {
        what: "set",
        problem: format!(
            "{text} is no choice of a file system; allowed: {}",
            all.iter().map(spelt).collect::<Vec<_>>().join(", ")
        ),
    })
}

/// A whole number, or a size in bytes.
fn number(text: &str) -> Option<i64> {
    let size = || text.parse::<ByteCount>().ok();
    text.parse()
        .ok()
        .or_else(|| i64::try_from(size()?.bytes()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: FsKind, name: &str, value: &str) -> Result<Settings, String> {
        let all = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        Settings::of(kind, &all).map_err(|error| error.to_string())
    }

    #[test]
    fn a_choice_of_what_does_not_run_is_refused() {
        let all = BTreeMap::from([("fat.tables".to_owned(), "1".to_owned())]);
        assert!(Settings::check(&FsKind::ALL, &all).is_ok());
        let error = Settings::check(&[FsKind::Littlefs], &all).expect_err("it does not run");
        let error = error.to_string();
        assert!(
            error.contains("fat.tables") && error.contains("does not run"),
            "{error}"
        );
    }

    #[test]
    fn choices_go_to_their_file_system_and_others_are_refused_by_name() {
        let littlefs = of(FsKind::Littlefs, "littlefs.cache", "1KiB").expect("a choice");
        assert_eq!(littlefs.get("cache"), Some(1024));
        assert_eq!(littlefs.get("read"), None);
        assert_eq!(littlefs.to_string(), ", cache 1024");
        let fat = of(FsKind::Fat, "littlefs.cache", "64").expect("another's choice");
        assert_eq!(fat, Settings::default());
        assert_eq!(
            of(FsKind::Littlefs, "littlefs.cycles", "-1").map(|chosen| chosen.get("cycles")),
            Ok(Some(-1))
        );
        let unknown = of(FsKind::Fat, "fat.color", "1").expect_err("no such choice");
        assert!(
            unknown.contains("fat.color") && unknown.contains("fat.tables"),
            "{unknown}"
        );
        let odd = of(FsKind::Fat, "littlefs.cache", "many").expect_err("no number");
        assert!(odd.contains("littlefs.cache=many"), "{odd}");
    }
}
