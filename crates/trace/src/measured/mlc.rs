//! What Intel's Memory Latency Checker prints, read after outputs that its users published (versions 3.5 to 3.11b).
//!
//! Latencies are in ns, bandwidths in MB/sec of 10⁶ bytes, as the text itself says, and count what the memory carries. A
//! file may hold several runs, and what a shell printed around them: lines that belong to no table are passed over.

use super::text::{RunLine, RunText, leave_out, version_numbers};
use super::{
    MeasuredError, MeasuredNote, MeasuredPoint, MeasuredRun, MeasuredTest, MeasuredTool,
    MeasuredTraffic, PointOrder,
};

/// How the first line of a run goes.
const TITLE: &str = "Memory Latency Checker";

/// Versions whose outputs were seen.
const SEEN: &str = "3.5 to 3.11";

/// How a table begins.
const HEADINGS: [(&str, MlcTable); 6] = [
    ("Measuring idle latencies", MlcTable::Idle),
    (
        "Measuring Peak Injection Memory Bandwidths",
        MlcTable::Mixes,
    ),
    ("Measuring Maximum Memory Bandwidths", MlcTable::Mixes),
    ("Measuring Memory Bandwidths between nodes", MlcTable::Nodes),
    ("Measuring Loaded Latencies", MlcTable::Loaded),
    (
        "Measuring cache-to-cache transfer latency",
        MlcTable::Caches,
    ),
];

/// The last pause of a sweep unless options say otherwise.
const LAST_DELAY: u64 = 20_000;

/// A line of bandwidths by mix, in lower case.
const MIXES: [(&str, MeasuredTraffic); 5] = [
    ("all reads", MeasuredTraffic::Reads),
    ("3:1 reads-writes", MeasuredTraffic::ThreeToOne),
    ("2:1 reads-writes", MeasuredTraffic::TwoToOne),
    ("1:1 reads-writes", MeasuredTraffic::OneToOne),
    ("stream-triad like", MeasuredTraffic::Triad),
];

/// Mixes by the number behind `-W`, as the tool's own help and its release notes state them. What the bus carries counts:
/// whether a line is read before it is stored changes the ratio's means alone.
const MIX_OPTIONS: [(&str, MeasuredTraffic); 14] = [
    ("2", MeasuredTraffic::TwoToOne),
    ("3", MeasuredTraffic::ThreeToOne),
    ("4", MeasuredTraffic::ReadPercent(60.0)),
    ("5", MeasuredTraffic::OneToOne),
    ("6", MeasuredTraffic::Writes),
    ("7", MeasuredTraffic::TwoToOne),
    ("8", MeasuredTraffic::OneToOne),
    ("9", MeasuredTraffic::ThreeToOne),
    ("10", MeasuredTraffic::Triad),
    ("11", MeasuredTraffic::ThreeToOne),
    ("12", MeasuredTraffic::ReadPercent(80.0)),
    ("13", MeasuredTraffic::ReadPercent(500.0 / 6.0)),
    ("14", MeasuredTraffic::ReadPercent(600.0 / 7.0)),
    ("19", MeasuredTraffic::ReadPercent(90.0)),
];

pub(super) fn is_mark(text: &str) -> bool {
    text.contains(TITLE)
        || text.starts_with("Each iteration took")
        || HEADINGS
            .iter()
            .any(|(heading, _)| text.starts_with(heading))
}

/// A table of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MlcTable {
    Idle,
    Mixes,
    Nodes,
    Loaded,
    Caches,
}

impl MlcTable {
    const fn what(self) -> &'static str {
        match self {
            Self::Idle => "the matrix of idle latencies",
            Self::Mixes => "the list of bandwidths",
            Self::Nodes => "the matrix of bandwidths",
            Self::Loaded => "the table of loaded latencies",
            Self::Caches => "the list of cache-to-cache latencies",
        }
    }
}

/// A table that is being read.
struct GrowingMlcTable {
    table: MlcTable,
    /// Where it begins.
    line: u64,
    /// Nodes that its columns are of, and the line of their names.
    columns: Option<(u64, Vec<u32>)>,
    rows: usize,
    order: Option<PointOrder>,
    /// What the rows of a matrix of caches are of.
    words: Option<String>,
}

/// What reads the text.
struct MlcReader {
    run: MeasuredRun,
    open: Option<GrowingMlcTable>,
    traffic: MeasuredTraffic,
    /// Whether options may have chosen the pauses of a sweep.
    chooses_delays: bool,
    buffer_bytes: Option<u64>,
    order: Option<PointOrder>,
}

pub(super) fn read(text: &RunText) -> Result<MeasuredRun, MeasuredError> {
    let mut reader = MlcReader {
        run: MeasuredRun::new(MeasuredTool::Mlc),
        open: None,
        traffic: MeasuredTraffic::Reads,
        chooses_delays: false,
        buffer_bytes: None,
        order: None,
    };
    for line in &text.lines {
        reader.take(line)?;
    }
    reader.close()?;
    let mut run = reader.run;
    text.check_end(&mut run)?;
    if run.version.is_none() {
        run.note(MeasuredNote::NoVersion);
    }
    Ok(run)
}

impl MlcReader {
    fn take(&mut self, line: &RunLine) -> Result<(), MeasuredError> {
        let text = line.text.as_str();
        if text.contains(TITLE) {
            self.close()?;
            return self.title(line);
        }
        if let Some((_, table)) = HEADINGS
            .iter()
            .find(|(heading, _)| text.starts_with(heading))
        {
            self.close()?;
            self.open(line, *table);
            return Ok(());
        }
        if let Some(rest) = line.behind("Command line parameters:") {
            self.options(line, rest);
        } else if let Some(rest) = line.behind("Using buffer size of") {
            self.buffer_bytes = mebibytes(rest);
        } else if text.contains("Unable to modify prefetchers") {
            self.run
                .note(MeasuredNote::Prefetchers { line: line.number });
            self.order = Some(PointOrder::Random);
        } else if text.starts_with("Using Read-only traffic") {
            self.traffic = MeasuredTraffic::Reads;
        } else if let Some(rest) = line.behind("Each iteration took") {
            self.iteration(line, rest)?;
        } else if self.open.is_some() {
            self.row(line)?;
        }
        Ok(())
    }

    /// Another run begins.
    fn title(&mut self, line: &RunLine) -> Result<(), MeasuredError> {
        self.traffic = MeasuredTraffic::Reads;
        self.chooses_delays = false;
        self.buffer_bytes = None;
        self.order = None;
        let version = line
            .text
            .rsplit_once("- v")
            .map(|(_, version)| version.trim());
        let Some(version) = version.filter(|version| !version.is_empty()) else {
            return Ok(());
        };
        match version_numbers(version) {
            Some((3, 5..=11)) => {}
            Some((3, _)) => self.run.note(MeasuredNote::UnseenVersion {
                line: line.number,
                version: version.to_owned(),
                seen: SEEN,
            }),
            _ => {
                return Err(MeasuredError::Version {
                    line: line.number,
                    tool: MeasuredTool::Mlc,
                    found: crate::lines::shown(version),
                    allowed: "3.5 to 3.11; other 3.x are read with a note",
                });
            }
        }
        match &self.run.version {
            None => self.run.version = Some(version.to_owned()),
            Some(known) if known == version => {}
            Some(_) => leave_out(
                &mut self.run,
                line.number,
                format!("the version of a later run, {version}: points of both stand together"),
            ),
        }
        Ok(())
    }

    /// The options of a run: which mix it has, and whether its pauses are chosen.
    fn options(&mut self, line: &RunLine, rest: &str) {
        if self.run.command.is_none() && !rest.is_empty() {
            self.run.command = Some(rest.to_owned());
        }
        for option in rest.split_whitespace() {
            if option.starts_with("-d") || option.starts_with("-g") {
                self.chooses_delays = true;
            }
            // The thread that is timed jumps at random; -U does that to the load.
            if option == "-r" {
                self.order = Some(PointOrder::Random);
            }
            if let Some(mix) = option.strip_prefix("-W") {
                let known = MIX_OPTIONS.into_iter().find(|(number, _)| *number == mix);
                self.traffic = known.map_or(MeasuredTraffic::Other, |(_, traffic)| traffic);
                if known.is_none() {
                    leave_out(
                        &mut self.run,
                        line.number,
                        format!("points of the mix of {option}, whose meaning is not public"),
                    );
                }
            }
        }
    }

    fn open(&mut self, line: &RunLine, table: MlcTable) {
        let order = if line.text.contains("random access") {
            Some(PointOrder::Random)
        } else if line.text.contains("sequential access") {
            Some(PointOrder::Sequential)
        } else {
            None
        };
        self.open = Some(GrowingMlcTable {
            table,
            line: line.number,
            columns: None,
            rows: 0,
            order: order.or(self.order),
            words: None,
        });
    }

    /// Ends the table in hand: one without rows is cut off.
    fn close(&mut self) -> Result<(), MeasuredError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        if open.rows == 0 {
            return Err(MeasuredError::Cut {
                line: open.line,
                what: open.table.what(),
                lacking: "no row follows",
            });
        }
        match (open.table, &open.columns) {
            (MlcTable::Idle | MlcTable::Nodes, Some((line, columns)))
                if open.rows < columns.len() =>
            {
                self.run.note(MeasuredNote::ShortMatrix {
                    line: *line,
                    rows: open.rows,
                    columns: columns.len(),
                });
            }
            (MlcTable::Mixes, _) if open.rows < MIXES.len() => {
                self.run.note(MeasuredNote::ShortList {
                    line: open.line,
                    found: open.rows,
                    usual: MIXES.len(),
                });
            }
            (MlcTable::Loaded, _) if !self.chooses_delays => {
                let last = self.run.points.last();
                let last = last.and_then(|point| Some((point.line, point.delay?)));
                if let Some((line, delay)) = last.filter(|(_, delay)| *delay < LAST_DELAY) {
                    self.run.note(MeasuredNote::ShortSweep {
                        line,
                        last: delay,
                        usual: LAST_DELAY,
                    });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `… 186.5 base frequency clocks (  89.0  ns)`.
    fn iteration(&mut self, line: &RunLine, rest: &str) -> Result<(), MeasuredError> {
        let inner = rest
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'));
        let words: Vec<&str> =
            inner.map_or_else(Vec::new, |(inner, _)| inner.split_whitespace().collect());
        let &[latency, "ns"] = words.as_slice() else {
            return Err(line.number_error(
                "the latency",
                rest,
                "clocks, and in brackets a number of ns",
            ));
        };
        self.run.points.push(MeasuredPoint {
            latency: Some(line.positive("the latency", latency)? * 1e-9),
            buffer_bytes: self.buffer_bytes,
            threads: Some(1),
            order: self.order,
            ..MeasuredPoint::new(line.number, MeasuredTest::Latency)
        });
        Ok(())
    }

    /// A line inside a table.
    fn row(&mut self, line: &RunLine) -> Result<(), MeasuredError> {
        match self.open.as_ref().map(|open| open.table) {
            Some(MlcTable::Mixes) => self.mix(line),
            Some(MlcTable::Loaded) => self.load(line),
            Some(MlcTable::Idle | MlcTable::Nodes) => self.matrix(line),
            Some(MlcTable::Caches) => self.caches(line),
            None => Ok(()),
        }
    }

    fn push(&mut self, point: MeasuredPoint) {
        if let Some(open) = &mut self.open {
            open.rows += 1;
        }
        if point.traffic != MeasuredTraffic::Other {
            self.run.points.push(point);
        }
    }

    /// `3:1 Reads-Writes :  150658.6`.
    fn mix(&mut self, line: &RunLine) -> Result<(), MeasuredError> {
        let Some((name, value)) = line.text.rsplit_once(':') else {
            return Ok(());
        };
        let name = name.trim().to_ascii_lowercase();
        let Some((_, traffic)) = MIXES.into_iter().find(|(mix, _)| *mix == name) else {
            return Ok(());
        };
        let bandwidth = line.positive("the bandwidth", value.trim())? * 1e6;
        let point = MeasuredPoint {
            traffic,
            bandwidth: Some(bandwidth),
            buffer_bytes: self.buffer_bytes,
            ..MeasuredPoint::new(line.number, MeasuredTest::Bandwidth)
        };
        self.push(point);
        Ok(())
    }

    /// ` 00100  227.05   215075.0`.
    fn load(&mut self, line: &RunLine) -> Result<(), MeasuredError> {
        if line.text.starts_with("Delay") {
            let is_usual = line.text.contains("(ns)") && line.text.contains("MB/sec");
            return match is_usual {
                true => Ok(()),
                false => Err(line.number_error("the units", &line.text, "(ns) and MB/sec")),
            };
        }
        if !line.text.starts_with(|first: char| first.is_ascii_digit()) {
            return Ok(());
        }
        let words: Vec<&str> = line.words().collect();
        let &[delay, latency, bandwidth] = words.as_slice() else {
            return Err(MeasuredError::Columns {
                line: line.number,
                what: "a point of the sweep",
                found: words.len(),
                expected: 3,
            });
        };
        let point = MeasuredPoint {
            traffic: self.traffic,
            delay: Some(line.whole("the delay", delay)?),
            latency: Some(line.positive("the latency", latency)? * 1e-9),
            bandwidth: Some(line.positive("the bandwidth", bandwidth)? * 1e6),
            buffer_bytes: self.buffer_bytes,
            order: self.open.as_ref().and_then(|open| open.order),
            ..MeasuredPoint::new(line.number, MeasuredTest::Loaded)
        };
        self.push(point);
        Ok(())
    }

    /// The nodes behind `Numa node`, or a node with a value for each of them.
    fn matrix(&mut self, line: &RunLine) -> Result<(), MeasuredError> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if let Some(rest) = line.behind("Numa node") {
            let nodes: Result<Vec<u32>, _> = rest
                .split_whitespace()
                .map(|word| line.whole("the number of a node", word))
                .collect();
            let nodes = nodes?;
            if !nodes.is_empty() {
                open.columns = Some((line.number, nodes));
            }
            return Ok(());
        }
        let mut words = line.words();
        let Some(from) = words.next().and_then(|word| word.parse::<u32>().ok()) else {
            return Ok(());
        };
        let Some((_, columns)) = open.columns.clone() else {
            return Ok(());
        };
        let cells: Vec<&str> = words.collect();
        let is_whole = cells.len() == columns.len() && open.rows < columns.len();
        if !is_whole {
            return Err(MeasuredError::Columns {
                line: line.number,
                what: "a row of the matrix",
                found: cells.len() + 1,
                expected: columns.len() + 1,
            });
        }
        let is_latency = open.table == MlcTable::Idle;
        open.rows += 1;
        let order = open.order;
        let traffic = match is_latency {
            true => MeasuredTraffic::Reads,
            false => self.traffic,
        };
        for (to, cell) in columns.into_iter().zip(cells) {
            let (latency, bandwidth, test) = match is_latency {
                true => (
                    Some(line.positive("the latency", cell)? * 1e-9),
                    None,
                    MeasuredTest::LatencyMatrix,
                ),
                false => (
                    None,
                    Some(line.positive("the bandwidth", cell)? * 1e6),
                    MeasuredTest::BandwidthMatrix,
                ),
            };
            if traffic == MeasuredTraffic::Other {
                continue;
            }
            self.run.points.push(MeasuredPoint {
                traffic,
                latency,
                bandwidth,
                nodes: Some((from, to)),
                buffer_bytes: self.buffer_bytes,
                order: order.filter(|_| is_latency),
                ..MeasuredPoint::new(line.number, test)
            });
        }
        Ok(())
    }

    /// `Local Socket L2->L2 HIT  latency  49.5`, or a matrix of the nodes of writers and readers.
    fn caches(&mut self, line: &RunLine) -> Result<(), MeasuredError> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let text = line.text.as_str();
        if text.starts_with("Local Socket") || text.starts_with("Remote Socket") {
            let words: Vec<&str> = line.words().collect();
            let last = words.last().copied().unwrap_or_default();
            open.rows += 1;
            if last.parse::<f64>().is_err() {
                open.words = Some(words.join(" "));
                open.columns = None;
                return Ok(());
            }
            let name = words[..words.len() - 1].join(" ");
            let latency = line.positive("the latency", last)? * 1e-9;
            self.run.points.push(MeasuredPoint {
                latency: Some(latency),
                words: Some(name),
                ..MeasuredPoint::new(line.number, MeasuredTest::CacheToCache)
            });
            return Ok(());
        }
        if let Some(rest) = line.behind("Writer Numa Node") {
            let nodes: Result<Vec<u32>, _> = rest
                .split_whitespace()
                .map(|word| line.whole("the number of a node", word))
                .collect();
            open.columns = Some((line.number, nodes?));
            return Ok(());
        }
        let mut words = line.words();
        let from = words.next().and_then(|word| word.parse::<u32>().ok());
        let (Some(from), Some((_, columns)), Some(name)) =
            (from, open.columns.clone(), open.words.clone())
        else {
            return Ok(());
        };
        let cells: Vec<&str> = words.collect();
        if cells.len() != columns.len() {
            return Err(MeasuredError::Columns {
                line: line.number,
                what: "a row of the matrix",
                found: cells.len() + 1,
                expected: columns.len() + 1,
            });
        }
        for (to, cell) in columns.into_iter().zip(cells) {
            // A node has no other socket than itself.
            if cell == "-" {
                continue;
            }
            self.run.points.push(MeasuredPoint {
                latency: Some(line.positive("the latency", cell)? * 1e-9),
                nodes: Some((from, to)),
                words: Some(name.clone()),
                ..MeasuredPoint::new(line.number, MeasuredTest::CacheToCache)
            });
        }
        Ok(())
    }
}

/// `2000.000MiB` or `100.000MiB/thread …` as bytes. Versions before 3.9 print MB and do not say which.
fn mebibytes(text: &str) -> Option<u64> {
    let (number, _) = text.split_once("MiB")?;
    let bytes = number.trim().parse::<f64>().ok()? * 1_048_576.0;
    (1.0..1e18).contains(&bytes).then_some(bytes.round() as u64)
}
