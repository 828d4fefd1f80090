//! The formats: how each is called, and how its first bytes give it away.

use std::fmt;
use std::str::FromStr;

use crate::fio::{histogram, json, layout};
use crate::lines::{is_silent, without_end};
use crate::{TraceError, blkparse, csv, current, iolog, ioping, recorder};

/// A format of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// The bytes of the recorder for firmware.
    Recorder,
    /// fio's replay logs: `write_iolog`.
    Iolog,
    /// The default output of blkparse.
    Blkparse,
    /// fio's latency logs: `write_lat_log`.
    FioLog,
    /// fio's JSON with histograms: `--output-format=json+`.
    FioJson,
    /// fio's histograms over time: `write_hist_log`.
    FioHistogram,
    /// What ioping prints.
    Ioping,
    /// Currents over time: CSV of Nordic's Power Profiler Kit II or of a Joulescope.
    Current,
    /// Text with named columns.
    Csv,
    /// One duration a line.
    Column,
}

/// What the table says of a format.
struct FormatRow {
    format: LogFormat,
    /// As the command line spells it.
    name: &'static str,
    /// For messages.
    about: &'static str,
    /// Whether the first bytes are those of this format. The rows are asked in their order.
    looks_like: fn(&LogHead<'_>) -> bool,
}

/// All formats, those with a signature first.
const TABLE: &[FormatRow] = &[
    FormatRow {
        format: LogFormat::Recorder,
        name: "recorder",
        about: "the bytes of firmware/wordline_recorder.h",
        looks_like: |probe| recorder::looks_like(probe.bytes),
    },
    FormatRow {
        format: LogFormat::Iolog,
        name: "iolog",
        about: "what fio's --write_iolog wrote",
        looks_like: |probe| probe.first(iolog::looks_like),
    },
    FormatRow {
        format: LogFormat::FioJson,
        name: "fio-json",
        about: "fio's output with --output-format=json+",
        looks_like: |probe| json::looks_like(probe.bytes),
    },
    FormatRow {
        format: LogFormat::FioHistogram,
        name: "fio-hist",
        about: "fio's NAME_clat_hist.N.log",
        looks_like: |probe| probe.first(histogram::looks_like),
    },
    FormatRow {
        format: LogFormat::FioLog,
        name: "fio-log",
        about: "fio's NAME_lat.N.log, NAME_clat.N.log, NAME_slat.N.log",
        looks_like: |probe| probe.first(layout::looks_like),
    },
    FormatRow {
        format: LogFormat::Ioping,
        name: "ioping",
        about: "what ioping prints",
        looks_like: |probe| probe.first(ioping::looks_like),
    },
    FormatRow {
        format: LogFormat::Current,
        name: "current",
        about: "currents over time, as a PPK2 or a Joulescope exports them",
        looks_like: |probe| current::looks_like(probe.bytes),
    },
    // In front of CSV, which takes every line with a column that it knows.
    FormatRow {
        format: LogFormat::Blkparse,
        name: "blkparse",
        about: "the default output of blkparse",
        looks_like: |probe| probe.first(blkparse::looks_like),
    },
    FormatRow {
        format: LogFormat::Csv,
        name: "csv",
        about: "text with named columns, such as \"operation,bytes,duration_us\"",
        looks_like: |probe| probe.first(csv::looks_like),
    },
    FormatRow {
        format: LogFormat::Column,
        name: "column",
        about: "one duration a line",
        looks_like: |probe| probe.first(csv::looks_like_duration),
    },
];

impl LogFormat {
    /// Every format.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.format)
    }

    /// As the command line spells it: `fio-log`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What it is, in words.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.row().about
    }

    /// Whether its logs can hold several jobs (files, devices) and name them.
    #[must_use]
    pub const fn has_jobs(self) -> bool {
        matches!(self, Self::FioJson | Self::Iolog | Self::Blkparse)
    }

    fn row(self) -> &'static FormatRow {
        let row = TABLE.iter().find(|row| row.format == self);
        row.unwrap_or(&TABLE[0])
    }

    /// Whether its values may have a unit that only the user knows.
    #[must_use]
    pub const fn takes_unit(self) -> bool {
        matches!(self, Self::FioLog | Self::Csv | Self::Column)
    }

    /// Whether its columns have names, of which a unit can be said.
    #[must_use]
    pub const fn has_columns(self) -> bool {
        matches!(self, Self::Csv | Self::Column | Self::Current)
    }

    /// What the first bytes of a log look like.
    pub(crate) fn detect(probe: &LogHead<'_>) -> Result<Self, TraceError> {
        let unknown = |line, problem| Err(TraceError::Unknown { line, problem });
        if probe.bytes.is_empty() {
            return Err(TraceError::Empty);
        }
        if let Some((_, what)) = FOREIGN
            .iter()
            .find(|(magic, _)| probe.bytes.starts_with(magic))
        {
            return unknown(1, (*what).to_owned());
        }
        if let Some(row) = TABLE.iter().find(|row| (row.looks_like)(probe)) {
            return Ok(row.format);
        }
        let Some(line) = probe.told().next() else {
            if probe.is_whole {
                return Err(TraceError::Empty);
            }
            let length = probe.bytes.len();
            return unknown(
                1,
                format!("no line that says anything within {length} bytes"),
            );
        };
        let known: Vec<String> = TABLE
            .iter()
            .map(|row| format!("{} ({})", row.name, row.about))
            .collect();
        let shown = crate::lines::shown(line.text);
        unknown(
            line.number,
            format!(
                "{shown} is of no known format; these are read: {}",
                known.join("; ")
            ),
        )
    }
}

/// What is often met instead of a log, and what to do about it.
pub(crate) const FOREIGN: &[(&[u8], &str)] = &[
    (&[0x1F, 0x8B], "compressed with gzip: pipe it through zcat"),
    (
        &[0x28, 0xB5, 0x2F, 0xFD],
        "compressed with zstd: pipe it through zstdcat",
    ),
    (
        &[0xFD, b'7', b'z', b'X', b'Z'],
        "compressed with xz: pipe it through xzcat",
    ),
    (
        b"PK\x03\x04",
        "a ZIP archive or a spreadsheet: save the table as CSV",
    ),
    (&[0xFF, 0xFE], "UTF-16 text: save it as UTF-8"),
    (&[0xFE, 0xFF], "UTF-16 text: save it as UTF-8"),
    (
        &[0x78, 0x9C],
        "compressed by fio's log_store_compressed: write it out with fio --inflate-log=FILE",
    ),
];

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {found:?}; there are {}", names())]
pub struct UnknownLogFormat {
    /// What was given.
    pub found: String,
}

fn names() -> String {
    LogFormat::all()
        .map(LogFormat::name)
        .collect::<Vec<_>>()
        .join(", ")
}

impl FromStr for LogFormat {
    type Err = UnknownLogFormat;

    fn from_str(name: &str) -> Result<Self, UnknownLogFormat> {
        Self::all()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownLogFormat {
                found: name.to_owned(),
            })
    }
}

/// The first bytes of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogHead<'a> {
    /// The bytes, without a byte order mark.
    pub(crate) bytes: &'a [u8],
    /// Whether that is all there is.
    pub(crate) is_whole: bool,
}

/// A line of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbedLine<'a> {
    /// From 1.
    pub(crate) number: u64,
    /// Without the line end.
    pub(crate) text: &'a [u8],
}

impl<'a> LogHead<'a> {
    /// The lines that have content and are there as a whole; where that is none, the last one as well.
    pub(crate) fn told(&self) -> impl Iterator<Item = ProbedLine<'a>> + Clone + use<'a> {
        let ended = self
            .bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let is_told = |bytes: &'a [u8]| {
            let lines = bytes
                .split_inclusive(|byte| *byte == b'\n')
                .map(without_end);
            (1..)
                .zip(lines)
                .filter(|(_, line)| !is_silent(line))
                .map(|(number, text)| ProbedLine { number, text })
        };
        let only_last = self.is_whole && is_told(&self.bytes[..ended]).next().is_none();
        is_told(if only_last {
            self.bytes
        } else {
            &self.bytes[..ended]
        })
    }

    fn first(&self, test: fn(&[u8]) -> bool) -> bool {
        self.told().next().is_some_and(|line| test(line.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(bytes: &[u8]) -> Result<LogFormat, TraceError> {
        LogFormat::detect(&LogHead {
            bytes,
            is_whole: true,
        })
    }

    #[test]
    fn every_format_is_known_by_its_first_lines() {
        let histogram = format!("1000, 0, 4096{}\n", ", 0".repeat(29));
        for (text, format) in [
            ("0, 32418, 1, 4096, 16187392, 0\n", LogFormat::FioLog),
            ("# a comment\n\n0, 32418, 1, 4096", LogFormat::FioLog),
            ("{\n  \"fio version\" : \"fio-3.33\"\n", LogFormat::FioJson),
            (
                "fio: a warning\n{\n  \"fio version\" : \"fio-3.33\"\n",
                LogFormat::FioJson,
            ),
            (&histogram, LogFormat::FioHistogram),
            ("operation,bytes,duration_us\n", LogFormat::Csv),
            ("\"op\";\"size_kib\";\"latency (ns)\"\n", LogFormat::Csv),
            (
                "4 KiB <<< . (ext4 /dev/sda1 20 GiB): request=1 time=212.6 us\n",
                LogFormat::Ioping,
            ),
            (
                "Timestamp(ms),Current(uA),D0-D7\n0.00,3.1,00000000\n",
                LogFormat::Current,
            ),
            (
                "#time,current,voltage,power,charge,energy\n0.5,1e-3,3.3,0,0,0\n",
                LogFormat::Current,
            ),
            ("0.000212\n0.000198\n", LogFormat::Column),
            ("212.6 us\n198 us\n", LogFormat::Column),
        ] {
            assert_eq!(detected(text.as_bytes()).ok(), Some(format), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_log_is_refused_with_the_formats_that_are() {
        let error = detected(b"\x7FELF\x02\x01\n")
            .expect_err("no log")
            .to_string();
        for format in LogFormat::all() {
            assert!(error.contains(format.name()), "{error}");
        }
        let error = detected(&[0x1F, 0x8B, 8]).expect_err("no log").to_string();
        assert_eq!(error, "line 1: compressed with gzip: pipe it through zcat");
        assert!(matches!(detected(b""), Err(TraceError::Empty)));
        assert!(matches!(detected(b"# nothing\n\n"), Err(TraceError::Empty)));
    }

    #[test]
    fn names_come_back() {
        for format in LogFormat::all() {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "fio".parse::<LogFormat>().expect_err("no such format");
        assert_eq!(
            error.to_string(),
            "unknown format \"fio\"; there are recorder, iolog, fio-json, fio-hist, fio-log, ioping, current, blkparse, csv, \
             column"
        );
    }
}
