//! Choices of file systems, as users name them: `littlefs.cache=256`.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};

use wordline_core::quantity::ByteCount;
use wordline_engines::{FILE_SYSTEMS, FileSystemEngine, FsOptions, OptionFile};

use crate::error::{LabError, SettingProblem};

/// What a user chose for one file system, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings(FsOptions);

impl Settings {
    /// The choices for one file system out of all.
    ///
    /// # Errors
    /// For a name that no file system has, a value that is no number or size, and a file that cannot be read.
    pub(super) fn of(
        engine: &dyn FileSystemEngine,
        all: &BTreeMap<String, String>,
    ) -> Result<Self, LabError> {
        let mut chosen = FsOptions::new();
        for (spelt, value) in all {
            let (owner, name) = find(spelt)?;
            if owner.file_options().contains(&name) {
                if owner.name() == engine.name() {
                    chosen.files.insert(name, read(spelt, value)?);
                }
                continue;
            }
            let number = number(value).ok_or_else(|| {
                SettingProblem::NoNumber(format!("{}.{name}={value}", owner.name())).of("set")
            })?;
            if owner.name() == engine.name() {
                chosen.insert(name, number);
            }
        }
        Ok(Self(chosen))
    }

    /// Refuses choices of file systems other than these, which run.
    ///
    /// # Errors
    /// For a choice of another one, and a name that no file system has.
    pub(super) fn check(
        engines: &[&dyn FileSystemEngine],
        all: &BTreeMap<String, String>,
    ) -> Result<(), LabError> {
        for spelt in all.keys() {
            let (owner, _) = find(spelt)?;
            if engines.iter().all(|engine| engine.name() != owner.name()) {
                return Err(SettingProblem::ChoiceOfOther {
                    name: spelt.clone(),
                    engine: owner.name(),
                }
                .of("set"));
            }
        }
        Ok(())
    }

    /// Whether nothing was chosen.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty() && self.0.files.is_empty()
    }

    /// Chooses what was left open.
    pub(super) fn or_else(&mut self, name: &'static str, value: i64) {
        self.0.entry(name).or_insert(value);
    }

    /// As the file system takes them.
    pub(super) const fn options(&self) -> &FsOptions {
        &self.0
    }

    /// A choice, where it was made.
    pub(super) fn get(&self, name: &str) -> Option<i64> {
        self.0.get(name).copied()
    }
}

/// Behind what they are the choices of.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &*self.0 {
            write!(f, ", {name} {value}")?;
        }
        for (name, file) in &self.0.files {
            write!(f, ", {name} {}", file.name)?;
        }
        Ok(())
    }
}

fn find(text: &str) -> Result<(&'static dyn FileSystemEngine, &'static str), LabError> {
    let options = |engine: &&'static dyn FileSystemEngine| {
        let engine = *engine;
        engine.options().iter().map(move |name| (engine, *name))
    };
    let all: Vec<_> = FILE_SYSTEMS.iter().flat_map(options).collect();
    let spelt =
        |(engine, name): &(&dyn FileSystemEngine, &str)| format!("{}.{name}", engine.name());
    let found = all.iter().find(|one| spelt(one) == text).copied();
    // Of a file system that is named, its own choices.
    let prefix = text.split_once('.').map_or("", |(name, _)| name);
    let is_named = |name: &str| FILE_SYSTEMS.iter().any(|engine| engine.name() == name);
    let fits = |engine: &dyn FileSystemEngine| engine.name() == prefix || !is_named(prefix);
    let allowed = all.iter().filter(|(engine, _)| fits(*engine)).map(spelt);
    found.ok_or_else(|| {
        SettingProblem::UnknownChoice {
            name: text.to_owned(),
            allowed: allowed.collect::<Vec<_>>().join(", "),
        }
        .of("set")
    })
}

/// Reads the file that a choice names. Only a regular file is opened: a FIFO would wait for its writer.
fn read(choice: &str, file: &str) -> Result<OptionFile, LabError> {
    let unreadable = |source| LabError::Unreadable {
        file: file.to_owned(),
        source,
    };
    let (choice, name) = (choice.to_owned(), file.to_owned());
    if !std::fs::metadata(file).map_err(unreadable)?.is_file() {
        return Err(SettingProblem::NoRegularFile { choice, file: name }.of("set"));
    }
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|file| file.take(OptionFile::BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > OptionFile::BYTES_MAX {
        return Err(SettingProblem::LongFile { choice, file: name }.of("set"));
    }
    let text = String::from_utf8(bytes).map_err(|error| unreadable(io::Error::other(error)))?;
    Ok(OptionFile {
        name,
        text: text.into(),
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
    use wordline_engines::named;

    use super::*;

    fn engine(name: &str) -> &'static dyn FileSystemEngine {
        named(FILE_SYSTEMS, name).expect("it is in the list")
    }

    fn of(name_of_engine: &str, name: &str, value: &str) -> Result<Settings, String> {
        let all = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        Settings::of(engine(name_of_engine), &all).map_err(|error| error.to_string())
    }

    #[test]
    fn a_choice_of_what_does_not_run_is_refused() {
        let all = BTreeMap::from([("fat.tables".to_owned(), "1".to_owned())]);
        assert!(Settings::check(FILE_SYSTEMS, &all).is_ok());
        let error = Settings::check(&[engine("littlefs")], &all).expect_err("it does not run");
        let error = error.to_string();
        assert!(
            error.contains("fat.tables") && error.contains("does not run"),
            "{error}"
        );
    }

    #[test]
    fn choices_go_to_their_file_system_and_others_are_refused_by_name() {
        let littlefs = of("littlefs", "littlefs.cache", "1KiB").expect("a choice");
        assert_eq!(littlefs.get("cache"), Some(1024));
        assert_eq!(littlefs.get("read"), None);
        assert_eq!(littlefs.to_string(), ", cache 1024");
        let fat = of("fat", "littlefs.cache", "64").expect("another's choice");
        assert_eq!(fat, Settings::default());
        assert_eq!(
            of("littlefs", "littlefs.cycles", "-1").map(|chosen| chosen.get("cycles")),
            Ok(Some(-1))
        );
        let unknown = of("fat", "fat.color", "1").expect_err("no such choice");
        assert!(
            unknown.contains("fat.color") && unknown.contains("fat.tables"),
            "{unknown}"
        );
        let odd = of("fat", "littlefs.cache", "many").expect_err("no number");
        assert!(odd.contains("littlefs.cache=many"), "{odd}");
    }
}
