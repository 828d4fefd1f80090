//! What Arm's loaded-latency prints (infra-microbenchmarks), run after run, and the table that its `summarize.sh` makes.
//!
//! Bandwidths are MB/sec of 10⁶ bytes, which is written beside the sizes. A run states its settings, then the mean over all
//! threads: `Total Bandwidth` and `Average Latency`.

use super::text::{RunLine, RunText, leave_out};
use super::{
    MeasuredError, MeasuredNote, MeasuredPoint, MeasuredRun, MeasuredTest, MeasuredTool,
    MeasuredTraffic, PointOrder,
};

const BANDWIDTH: &str = "Total Bandwidth =";
const LATENCY: &str = "Average Latency =";

pub(super) fn is_mark(text: &str) -> bool {
    text.starts_with(BANDWIDTH) || text.starts_with("Joined BWTHREAD") || is_summary(text)
}

/// Whether a line holds the names of a summary.
fn is_summary(text: &str) -> bool {
    text.split_whitespace().eq(["F", "Bandwidth", "Latency"])
}

/// What the run in hand has stated so far.
#[derive(Default)]
struct LoadSettings {
    /// Where it begins.
    line: Option<u64>,
    fine: Option<u64>,
    coarse: Option<u64>,
    writes: bool,
    cachelines: Option<u64>,
    cacheline_bytes: Option<u64>,
    order: Option<PointOrder>,
    load_threads: Option<u32>,
    latency_threads: Option<u32>,
    bandwidth: Option<(u64, f64)>,
}

pub(super) fn read(text: &RunText) -> Result<MeasuredRun, MeasuredError> {
    let mut run = MeasuredRun::new(MeasuredTool::LoadedLatency);
    let mut settings = LoadSettings::default();
    let mut in_summary = false;
    for line in &text.lines {
        if is_summary(&line.text) {
            in_summary = true;
        } else if in_summary && line.text.starts_with(|first: char| first.is_ascii_digit()) {
            run.points.push(summary(line)?);
        } else if let Some(rest) = line.behind(BANDWIDTH) {
            settings.bandwidth = Some((
                line.number,
                with_unit(line, "the bandwidth", rest, "MB/sec")?,
            ));
        } else if let Some(rest) = line.behind(LATENCY) {
            let latency = with_unit(line, "the latency", rest, "ns")?;
            let settings = std::mem::take(&mut settings);
            point(line, latency, &settings, &mut run)?;
        } else {
            settings.take(line)?;
        }
    }
    if let Some(begin) = settings.line {
        return Err(MeasuredError::Cut {
            line: begin,
            what: "a run",
            lacking: "no line \"Average Latency\" follows",
        });
    }
    text.check_end(&mut run)?;
    run.note(MeasuredNote::NoVersion);
    Ok(run)
}

impl LoadSettings {
    /// Takes a line of settings; others are of the threads and say nothing new.
    fn take(&mut self, line: &RunLine) -> Result<(), MeasuredError> {
        if line.text.starts_with("Joined ") || line.text.starts_with("main program pid") {
            self.line.get_or_insert(line.number);
        }
        if let Some(rest) = line.behind("Total of") {
            self.line.get_or_insert(line.number);
            let count = rest.split_whitespace().next().unwrap_or_default();
            let count = line.whole("the number of threads", count)?;
            if rest.contains("bandwidth threads") {
                self.load_threads = Some(count);
            } else if rest.contains("latency threads") {
                self.latency_threads = Some(count);
            }
            return Ok(());
        }
        let Some((name, value)) = line.text.split_once(" = ") else {
            return Ok(());
        };
        let value = value.split_whitespace().next().unwrap_or_default();
        let name = name.split(['(', ' ']).next().unwrap_or_default();
        match name {
            "fine" => self.fine = Some(line.whole("the fine delay", value)?),
            "coarse" => self.coarse = Some(line.whole("the coarse delay", value)?),
            "bw_write" => self.writes = value != "0",
            "lat_cacheline_count" => {
                self.cachelines = Some(line.whole("the number of cache lines", value)?);
            }
            "lat_cacheline_bytes" => {
                self.cacheline_bytes = Some(line.whole("bytes of a cache line", value)?);
            }
            "lat_randomize" => {
                self.order = Some(match value {
                    "0" => PointOrder::Sequential,
                    _ => PointOrder::Random,
                });
            }
            _ => {}
        }
        Ok(())
    }
}

/// The point of a run that has ended.
fn point(
    line: &RunLine,
    latency: f64,
    settings: &LoadSettings,
    run: &mut MeasuredRun,
) -> Result<(), MeasuredError> {
    let Some((_, bandwidth)) = settings.bandwidth else {
        return Err(MeasuredError::Line {
            line: line.number,
            tool: MeasuredTool::LoadedLatency,
            found: crate::lines::shown(&line.text),
            expected: "a line \"Total Bandwidth = … MB/sec\" before it",
        });
    };
    let positive = |value: f64| (value > 0.0).then_some(value);
    let (latency, bandwidth) = (positive(latency * 1e-9), positive(bandwidth * 1e6));
    let test = match (latency, bandwidth) {
        (Some(_), Some(_)) => MeasuredTest::Loaded,
        (Some(_), None) => MeasuredTest::Latency,
        (None, Some(_)) => MeasuredTest::Bandwidth,
        (None, None) => {
            leave_out(
                run,
                line.number,
                "a run without a latency and without a bandwidth",
            );
            return Ok(());
        }
    };
    if settings.coarse.is_some_and(|coarse| coarse > 0) {
        leave_out(
            run,
            line.number,
            "the coarse delay (-C): only the fine one is kept",
        );
    }
    let size = settings.cachelines.zip(settings.cacheline_bytes);
    run.points.push(MeasuredPoint {
        traffic: match settings.writes {
            true => MeasuredTraffic::Writes,
            false => MeasuredTraffic::Reads,
        },
        latency,
        bandwidth,
        delay: settings.fine.filter(|_| bandwidth.is_some()),
        buffer_bytes: size.and_then(|(lines, bytes)| lines.checked_mul(bytes)),
        threads: match test {
            MeasuredTest::Latency => settings.latency_threads,
            _ => settings.load_threads,
        },
        order: settings.order.filter(|_| latency.is_some()),
        ..MeasuredPoint::new(line.number, test)
    });
    Ok(())
}

/// A line of the summary: fine delay, MB/sec and ns.
fn summary(line: &RunLine) -> Result<MeasuredPoint, MeasuredError> {
    let words: Vec<&str> = line.words().collect();
    let &[delay, bandwidth, latency] = words.as_slice() else {
        return Err(MeasuredError::Columns {
            line: line.number,
            what: "a line of the summary",
            found: words.len(),
            expected: 3,
        });
    };
    Ok(MeasuredPoint {
        delay: Some(line.whole("the fine delay", delay)?),
        bandwidth: Some(line.positive("the bandwidth", bandwidth)? * 1e6),
        latency: Some(line.positive("the latency", latency)? * 1e-9),
        ..MeasuredPoint::new(line.number, MeasuredTest::Loaded)
    })
}

/// A value with its unit; 0 where the tool had no thread of the kind, which it may print as no number.
fn with_unit(
    line: &RunLine,
    what: &'static str,
    rest: &str,
    unit: &'static str,
) -> Result<f64, MeasuredError> {
    let mut words = rest.split_whitespace();
    let word = words.next().unwrap_or_default();
    if words.next() != Some(unit) {
        return Err(line.number_error(what, rest, "a number of MB/sec, or of ns"));
    }
    match word.parse::<f64>() {
        Ok(zero) if zero == 0.0 || zero.is_nan() => Ok(0.0),
        _ => line.positive(what, word),
    }
}
