//! The formats: how each is called, and how its first line gives it away.

use std::fmt;
use std::str::FromStr;

use super::{DramTraceError, columns, program, words};
use crate::lines::shown;

/// A format of memory traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DramFormat {
    /// DRAMsim3: address, operation, cycle.
    Dramsim3,
    /// Ramulator's memory traces: address, R or W. No times.
    Ramulator,
    /// Ramulator 2's load-store traces: LD or ST, address. No times.
    Ramulator2,
    /// Text with named columns: time, address, operation.
    Csv,
    /// Ramulator's CPU traces, of a program: instructions without an access, address of a load, and perhaps that of a
    /// line that was written back.
    RamulatorCpu,
    /// What valgrind's lackey prints of a program with `--trace-mem=yes`: I, L, S or M, address, size.
    Lackey,
    /// What the view tool of DynamoRIO's drmemtrace prints of a trace: record, instruction, thread, and an access with its bytes.
    Drmemtrace,
}

impl DramFormat {
    /// Every format.
    pub const ALL: [Self; 7] = [
        Self::Dramsim3,
        Self::Ramulator,
        Self::Ramulator2,
        Self::Csv,
        Self::RamulatorCpu,
        Self::Lackey,
        Self::Drmemtrace,
    ];

    /// Whether it has the accesses of a program, which reach the memory through caches.
    #[must_use]
    pub const fn is_program(self) -> bool {
        matches!(self, Self::RamulatorCpu | Self::Lackey | Self::Drmemtrace)
    }

    /// As the command line spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dramsim3 => "dramsim3",
            Self::Ramulator => "ramulator",
            Self::Ramulator2 => "ramulator2",
            Self::Csv => "csv",
            Self::RamulatorCpu => "ramulator-cpu",
            Self::Lackey => "lackey",
            Self::Drmemtrace => "drmemtrace",
        }
    }

    /// A line of it, for messages.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Dramsim3 => "\"0x12345680 READ 16\"",
            Self::Ramulator => "\"0x12345680 R\"",
            Self::Ramulator2 => "\"LD 0x12345680\"",
            Self::Csv => "\"time_ns,address,operation\" in the first line",
            Self::RamulatorCpu => "\"3 20734016 20841280\"",
            Self::Lackey => "\" L 1ffefff7e0,8\"",
            Self::Drmemtrace => {
                "\"15 2: 2620922 write 8 byte(s) @ 0x7ffd7c5b5bd8 by PC 0x7f6fdd3ec100\""
            }
        }
    }
}

/// What the first line looks like.
pub(super) fn detect(line: u64, text: &[u8]) -> Result<DramFormat, DramTraceError> {
    if let Some(format) = words::looks_like(text) {
        return Ok(format);
    }
    if columns::looks_like(text) {
        return Ok(DramFormat::Csv);
    }
    if let Some(format) = program::looks_like(text) {
        return Ok(format);
    }
    let found = shown(text);
    let problem = match words::known_otherwise(text) {
        Some(what) => format!("{found} is {what}"),
        None => format!("{found} is of no known format"),
    };
    Err(DramTraceError::UnknownFormat { line, problem })
}

/// The formats with their examples, for messages.
pub(super) fn known() -> String {
    DramFormat::ALL
        .map(|format| format!("{} ({})", format.name(), format.example()))
        .join("; ")
}

impl fmt::Display for DramFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {found:?}; there are {}", DramFormat::ALL.map(DramFormat::name).join(", "))]
pub struct UnknownDramFormat {
    /// What was given.
    pub found: String,
}

impl FromStr for DramFormat {
    type Err = UnknownDramFormat;

    fn from_str(name: &str) -> Result<Self, UnknownDramFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownDramFormat {
                found: name.to_owned(),
            })
    }
}
