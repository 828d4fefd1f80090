//! Memories of this machine: a mapped file, and its own DRAM. What is timed on them is measured.

use std::collections::BTreeMap;
use std::path::Path;

use wordline_core::ResultSet;
use wordline_core::results::WarningCode;
use wordline_host::{ScratchFile, ScratchFileError, WallClock, machine};

use super::ground::RAM;
use crate::control::Control;
use crate::error::LabError;

/// How targets of files begin.
const SCHEME: &str = "file:";

/// The board that stands for this machine.
const BOARD: &str = "host";

/// A memory of this machine.
pub(super) enum Home {
    /// A file, by its path.
    File(String),
    /// DRAM.
    Ram,
}

/// A memory of this machine that tables may write over.
pub(super) enum Opened {
    File(ScratchFile),
    Ram,
}

impl Home {
    /// What a target names, where that is of this machine.
    pub(super) fn of(target: &str) -> Option<Self> {
        match (target.strip_prefix(SCHEME), target.split_once('@')) {
            (Some(path), _) => Some(Self::File(path.to_owned())),
            (None, Some((RAM, BOARD))) => Some(Self::Ram),
            _ => None,
        }
    }

    /// As targets spell it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => format!("{SCHEME}{path}"),
            Self::Ram => format!("{RAM}@{BOARD}"),
        }
    }

    /// Opens it and tells what it is. A file has `capacity` bytes, or is given them.
    pub(super) fn open(
        &self,
        capacity: u64,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<Opened, LabError> {
        let opened = match self {
            Self::Ram => Opened::Ram,
            Self::File(path) => Opened::File(self.open_file(path, capacity, control)?),
        };
        let environment = document.environment.get_or_insert_default();
        environment.extend(of_machine());
        if let Opened::File(file) = &opened
            && let Some(named) = file.file_system()
        {
            environment.insert(format!("file_system {}", self.name()), named);
        }
        self.warn(document);
        Ok(opened)
    }

    fn open_file(
        &self,
        path: &str,
        capacity: u64,
        control: &Control<'_>,
    ) -> Result<ScratchFile, LabError> {
        let may_destroy = control.destroy.iter().any(|named| named == path);
        ScratchFile::open(Path::new(path), capacity, may_destroy).map_err(|error| {
            let way_out = match error {
                ScratchFileError::HoldsData => format!(
                    ", which would be lost: name a file that is not there, or say with --destroy {path} that this is meant"
                ),
                ScratchFileError::Length { .. } => {
                    ": name a file that is not there or is empty, or give its length as --capacity".to_owned()
                }
                _ => String::new(),
            };
            LabError::Kv {
                target: self.name(),
                problem: format!("{error}{way_out}"),
            }
        })
    }

    fn warn(&self, document: &mut ResultSet) {
        let name = self.name();
        let what = match self {
            Self::File(_) => {
                "each access asks the system for the file's length first, and a persist waits for msync and its disk, which \
                 writes whole pages; bytes moved are those that the table reads and writes"
            }
            Self::Ram => {
                "caches hold what they can, and nothing waits for the memory to keep anything"
            }
        };
        document.warn(
            WarningCode::Caution,
            format!(
                "{name}: measured with the clock of this machine, whatever else it did meanwhile; {what}"
            ),
        );
        if cfg!(debug_assertions) {
            let advice = format!(
                "{name}: this build of wordline is not optimised, and its tables are slow: build with --release"
            );
            document.warn(WarningCode::Caution, advice);
        }
    }
}

/// Refuses to let a file go that nobody runs on.
pub(super) fn check_destroy<'a>(
    homes: impl Iterator<Item = &'a Home> + Clone,
    control: &Control<'_>,
) -> Result<(), LabError> {
    let is_run = |named: &String| {
        homes
            .clone()
            .any(|home| matches!(home, Home::File(path) if path == named))
    };
    match control.destroy.iter().find(|named| !is_run(named)) {
        None => Ok(()),
        Some(named) => Err(LabError::List {
            what: "--destroy",
            problem: format!("names {named}, and no target is file:{named}"),
        }),
    }
}

/// What every measurement on this machine hangs on.
fn of_machine() -> BTreeMap<String, String> {
    let mut told = BTreeMap::from([
        ("system".to_owned(), machine::system()),
        (
            "clock_reading_ns".to_owned(),
            (WallClock::start().reading_ps() / 1000).to_string(),
        ),
    ]);
    if let Some(processor) = machine::processor() {
        told.insert("processor".to_owned(), processor);
    }
    told
}
