//! Whose output a file is.

use std::fmt;

use super::text::shown;
use super::{CounterFault, likwid, pcm, perf_csv, perf_json, perfspect, toplev};

/// A tool, or a form of its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterFormat {
    /// `perf stat -x,`, with or without `-I`.
    PerfCsv,
    /// `perf stat -j`, with or without `-I`.
    PerfJson,
    /// `toplev -x,` of pmu-tools.
    Toplev,
    /// `perfspect metrics`, CSV.
    PerfSpect,
    /// `likwid-perfctr -O`, or a timeline of it.
    Likwid,
    /// `pcm -csv` or `pcm-memory -csv`.
    Pcm,
}

impl CounterFormat {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::PerfCsv,
        Self::PerfJson,
        Self::Toplev,
        Self::PerfSpect,
        Self::Likwid,
        Self::Pcm,
    ];

    /// The command that writes it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::PerfCsv => "perf stat -x",
            Self::PerfJson => "perf stat -j",
            Self::Toplev => "toplev -x",
            Self::PerfSpect => "perfspect metrics (CSV)",
            Self::Likwid => "likwid-perfctr -O",
            Self::Pcm => "pcm -csv",
        }
    }

    /// Every command whose output is read, for messages.
    pub(super) fn allowed() -> String {
        format!("read are {}", Self::ALL.map(Self::title).join(", "))
    }

    /// Whose output begins with a line; none where the line says nothing, as a comment does.
    pub(super) fn of(line: u64, text: &str) -> Result<Option<Self>, CounterFault> {
        if likwid::is_head(text) {
            return Ok(Some(Self::Likwid));
        }
        let trimmed = text.trim();
        let is_rule = trimmed.bytes().all(|byte| byte == b'-');
        if is_rule || trimmed.starts_with('#') {
            return Ok(None);
        }
        let people = |tool, suffices| {
            Err(CounterFault::ForPeople {
                line,
                tool,
                suffices,
            })
        };
        if trimmed.starts_with("Performance counter stats for") {
            return people(
                "perf stat",
                "count again with -x, or -j (wordline app events prints the command)",
            );
        }
        if trimmed.starts_with("| Metric")
            || trimmed.starts_with("CPU name:\t")
            || trimmed.starts_with("Group 1:")
        {
            return people("likwid-perfctr", "measure again with -O");
        }
        if trimmed.starts_with("|---") || trimmed.starts_with("EXEC  :") {
            return people("pcm", "measure again with -csv=FILE");
        }
        if perf_json::is_line(trimmed) {
            return Ok(Some(Self::PerfJson));
        }
        for (format, is_head) in [
            (Self::Toplev, toplev::is_head as fn(&str) -> bool),
            (Self::PerfSpect, perfspect::is_head),
            (Self::Pcm, pcm::is_head),
        ] {
            if is_head(trimmed) {
                return Ok(Some(format));
            }
        }
        if perf_csv::separator_of(line, text)?.is_some() {
            return Ok(Some(Self::PerfCsv));
        }
        Err(CounterFault::Foreign {
            line,
            found: shown(trimmed),
        })
    }
}

impl fmt::Display for CounterFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}
