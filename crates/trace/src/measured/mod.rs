//! What other tools measured of a machine's memory: Intel's MLC, multichase and multiload, Arm's loaded-latency, STREAM and
//! the curves of Mess. All become one [`MeasuredRun`].
//!
//! Each tool has a file of its own here. The content decides which one reads a text; every fault names its line. Nothing is
//! guessed: what a tool does not print is `None`, and what has no place in a run is left out with a [`MeasuredNote`].
//!
//! ```
//! use wordline_trace::measured::{MeasuredTest, MeasuredTool, read};
//!
//! let text = "Intel(R) Memory Latency Checker - v3.11b\n\
//!             Measuring idle latencies for sequential access (in ns)...\n\
//!             \t\tNuma node\nNuma node\t     0\n       0\t  82.1\n";
//! let run = read(text.as_bytes(), None)?;
//! assert_eq!(run.tool, MeasuredTool::Mlc);
//! assert_eq!(run.points[0].test, MeasuredTest::LatencyMatrix);
//! assert!((run.points[0].latency.unwrap() - 82.1e-9).abs() < 1e-15);
//! # Ok::<(), wordline_trace::measured::MeasuredError>(())
//! ```

mod curves;
mod error;
mod loaded_latency;
mod mlc;
mod multichase;
mod multiload;
mod stream_log;
mod text;

use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

pub use error::{MeasuredError, MeasuredNote};
use text::RunText;

/// A tool whose output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasuredTool {
    /// Intel's Memory Latency Checker.
    Mlc,
    /// multichase, of the project of that name.
    Multichase,
    /// multiload, of the same project.
    Multiload,
    /// loaded-latency, of Arm's infra-microbenchmarks.
    LoadedLatency,
    /// McCalpin's STREAM.
    Stream,
    /// Curves of the Mess benchmark or of its simulator.
    Mess,
}

impl MeasuredTool {
    /// Every tool, in the order in which a text is tried.
    pub const ALL: [Self; 6] = [
        Self::Mlc,
        Self::Stream,
        Self::Multiload,
        Self::LoadedLatency,
        Self::Mess,
        Self::Multichase,
    ];

    /// As the command line spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mlc => "mlc",
            Self::Multichase => "multichase",
            Self::Multiload => "multiload",
            Self::LoadedLatency => "loaded-latency",
            Self::Stream => "stream",
            Self::Mess => "mess",
        }
    }

    /// Its name in sentences.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Mlc => "Intel MLC",
            Self::Multichase => "multichase",
            Self::Multiload => "multiload",
            Self::LoadedLatency => "Arm loaded-latency",
            Self::Stream => "STREAM",
            Self::Mess => "Mess",
        }
    }

    /// A line by which a text is recognised, for messages.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Mlc => "Intel(R) Memory Latency Checker - v3.11",
            Self::Multichase => "one time in ns a line",
            Self::Multiload => "Samples , Byte/thd , ChaseThds , ChaseNS, …",
            Self::LoadedLatency => "Total Bandwidth = 60437.699393 MB/sec",
            Self::Stream => "STREAM version $Revision: 5.10 $",
            Self::Mess => "two numbers a line, or CSV with bandwidth_mean",
        }
    }

    /// Which bytes its bandwidths count.
    #[must_use]
    pub const fn counting(self) -> ByteCounting {
        match self {
            Self::Mlc | Self::Mess => ByteCounting::Bus,
            Self::Multichase | Self::Multiload | Self::LoadedLatency | Self::Stream => {
                ByteCounting::Program
            }
        }
    }
}

impl fmt::Display for MeasuredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for MeasuredTool {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|tool| tool.name() == name);
        found.ok_or_else(|| {
            format!(
                "{name:?} is no tool whose output is read; allowed: {}",
                Self::ALL.map(Self::name).join(", ")
            )
        })
    }
}

/// Which bytes a bandwidth counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteCounting {
    /// Those that the memory's bus carries: lines that a store fetches first are among them.
    Bus,
    /// Those that the program reads and stores.
    Program,
}

/// What a point is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeasuredTest {
    /// Latency without load.
    Latency,
    /// Latency without load from the processors of one node to the memory of another.
    LatencyMatrix,
    /// Bandwidth under the greatest load.
    Bandwidth,
    /// Bandwidth from the processors of one node to the memory of another.
    BandwidthMatrix,
    /// Latency and bandwidth under a load.
    Loaded,
    /// Latency of a line that another core's cache holds.
    CacheToCache,
}

/// What the load consists of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeasuredTraffic {
    /// Reads alone.
    Reads,
    /// Three reads for each write, on the bus.
    ThreeToOne,
    /// Two reads for each write, on the bus.
    TwoToOne,
    /// As many reads as writes, on the bus.
    OneToOne,
    /// `c = a`.
    Copy,
    /// `b = s·c`.
    Scale,
    /// `c = a + b`.
    Add,
    /// `a = b + s·c`.
    Triad,
    /// Stores alone.
    Writes,
    /// This percentage of the bytes is read, 0 to 100.
    ReadPercent(f64),
    /// Something that the tool can do and nothing here has a name for.
    Other,
}

/// Order of addresses, as a tool states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointOrder {
    /// One line after the other.
    Sequential,
    /// At random.
    Random,
}

/// One measured point. What the tool does not state is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPoint {
    /// Line of the text that states it, from 1.
    pub line: u64,
    /// What it is of.
    pub test: MeasuredTest,
    /// What the load consists of; of tests without load [`MeasuredTraffic::Reads`].
    pub traffic: MeasuredTraffic,
    /// Seconds a load.
    pub latency: Option<f64>,
    /// Bytes a second.
    pub bandwidth: Option<f64>,
    /// Pause of the load in the tool's own unit: more is less load.
    pub delay: Option<u64>,
    /// The node whose processors accessed, and the node of the memory.
    pub nodes: Option<(u32, u32)>,
    /// Size of the buffer in bytes: of the whole for latency, of each thread for bandwidth.
    pub buffer_bytes: Option<u64>,
    /// Threads that made the load; of latency without load those that chased pointers.
    pub threads: Option<u32>,
    /// Order of the addresses that latencies are of.
    pub order: Option<PointOrder>,
    /// The tool's own words, where the other fields do not say it all.
    pub words: Option<String>,
}

impl MeasuredPoint {
    /// A point of which only the line and the test are known.
    fn new(line: u64, test: MeasuredTest) -> Self {
        Self {
            line,
            test,
            traffic: MeasuredTraffic::Reads,
            latency: None,
            bandwidth: None,
            delay: None,
            nodes: None,
            buffer_bytes: None,
            threads: None,
            order: None,
            words: None,
        }
    }
}

/// What a tool measured, in the order of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRun {
    /// The tool.
    pub tool: MeasuredTool,
    /// Its version, where the text states it.
    pub version: Option<String>,
    /// The options that it ran with, where the text states them.
    pub command: Option<String>,
    /// At least one.
    pub points: Vec<MeasuredPoint>,
    /// What a user should know of them.
    pub notes: Vec<MeasuredNote>,
}

impl MeasuredRun {
    fn new(tool: MeasuredTool) -> Self {
        Self {
            tool,
            version: None,
            command: None,
            points: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a note once.
    fn note(&mut self, note: MeasuredNote) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Reads what a tool printed. Without `tool` the content decides whose it is.
///
/// # Errors
/// Where no tool prints such a text, where it is cut off, or where a line is not what the tool prints.
pub fn read<R: BufRead>(
    reader: R,
    tool: Option<MeasuredTool>,
) -> Result<MeasuredRun, MeasuredError> {
    let text = RunText::read(reader)?;
    let tool = match tool {
        Some(tool) => tool,
        None => detect(&text)?,
    };
    let run = match tool {
        MeasuredTool::Mlc => mlc::read(&text),
        MeasuredTool::Multichase => multichase::read(&text),
        MeasuredTool::Multiload => multiload::read(&text),
        MeasuredTool::LoadedLatency => loaded_latency::read(&text),
        MeasuredTool::Stream => stream_log::read(&text),
        MeasuredTool::Mess => curves::read(&text),
    }?;
    if run.points.is_empty() {
        return Err(MeasuredError::NoPoint { tool });
    }
    Ok(run)
}

/// Whose output a text is.
fn detect(text: &RunText) -> Result<MeasuredTool, MeasuredError> {
    let looks_like = |tool: MeasuredTool| match tool {
        MeasuredTool::Mlc => text.any(mlc::is_mark),
        MeasuredTool::Stream => text.any(stream_log::is_mark),
        MeasuredTool::Multiload => text.any(multiload::is_mark),
        MeasuredTool::LoadedLatency => text.any(loaded_latency::is_mark),
        MeasuredTool::Mess => curves::looks_like(text),
        MeasuredTool::Multichase => multichase::looks_like(text),
    };
    let found = MeasuredTool::ALL.into_iter().find(|tool| looks_like(*tool));
    found.ok_or_else(|| match text.first() {
        Some(line) => MeasuredError::Foreign {
            line: line.number,
            found: crate::lines::shown(&line.text),
        },
        None => MeasuredError::Empty,
    })
}

#[cfg(test)]
mod tests;
