//! fio's JSON. `--output-format=json+` lists how many accesses fell into each bin of a histogram; plain JSON has
//! percentiles only, from which no durations can be had.

use std::collections::BTreeMap;
use std::fmt;
use std::io::BufRead;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use wordline_core::Operation;
use wordline_core::quantity::Time;

use super::STEP;
use super::bins::{GROUP, bin_of, edges, middle};
use crate::lines::{LineReader, shown};
use crate::log::{DurationCounts, LogOptions};
use crate::watch::OddityWatch;
use crate::{CountedDurations, Oddity, TraceError};

/// Most bytes of a document: histograms of more than a hundred jobs.
const MOST_BYTES: u64 = 16 << 20;

#[derive(Deserialize)]
struct FioDocument {
    #[serde(rename = "fio version")]
    version: Option<String>,
    #[serde(rename = "global options", default)]
    options: BTreeMap<String, Value>,
    #[serde(default)]
    jobs: Vec<FioJob>,
    /// Of `--client`: the same under another name.
    #[serde(default)]
    client_stats: Vec<FioJob>,
}

#[derive(Deserialize)]
struct FioJob {
    #[serde(default)]
    jobname: String,
    #[serde(rename = "job options", default)]
    options: BTreeMap<String, Value>,
    read: Option<FioDirection>,
    write: Option<FioDirection>,
    trim: Option<FioDirection>,
    mixed: Option<FioDirection>,
    /// Of all directions, in milliseconds, since fio 3.
    #[serde(default)]
    job_runtime: u64,
}

#[derive(Deserialize)]
struct FioDirection {
    #[serde(default)]
    io_bytes: u64,
    #[serde(default)]
    total_ios: u64,
    /// From the start of the job to the end of its last access, in milliseconds, rounded up.
    #[serde(default)]
    runtime: u64,
    lat_ns: Option<FioLatency>,
    clat_ns: Option<FioLatency>,
    /// Of fio 2, in microseconds; `lat` had no bins.
    clat: Option<FioLatency>,
}

#[derive(Deserialize)]
struct FioLatency {
    #[serde(default)]
    min: u64,
    #[serde(default)]
    max: u64,
    #[serde(default)]
    bins: Bins,
}

/// Bins and what fell into them, by the bin's number.
#[derive(Default)]
struct Bins(Vec<(usize, u64)>);

impl<'de> Deserialize<'de> for Bins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BinVisitor;
        impl<'de> Visitor<'de> for BinVisitor {
            type Value = Bins;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bins by their value, each with a count")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bins, A::Error> {
                let mut bins = Vec::new();
                let mut numbered = false;
                while let Some(name) = map.next_key::<String>()? {
                    if name.starts_with("FIO_IO_U_PLAT_") {
                        // The first versions stated how bins are cut, and named them by their number.
                        numbered = true;
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let count = map.next_value()?;
                    let bin = if numbered {
                        name.parse().ok().filter(|bin| *bin < 29 * GROUP)
                    } else {
                        let value = name.parse().ok();
                        value.map(bin_of).filter(|bin| Some(middle(*bin)) == value)
                    };
                    let bin = bin.ok_or_else(|| {
                        de::Error::custom(format!(
                            "{} is the middle of no bin of fio's histograms",
                            shown(name)
                        ))
                    })?;
                    bins.push((bin, count));
                }
                Ok(Bins(bins))
            }
        }
        deserializer.deserialize_map(BinVisitor)
    }
}

/// Reads a document, behind the messages that fio may have printed in front of it.
pub(crate) fn read<R: BufRead>(
    mut lines: LineReader<R>,
    options: &LogOptions,
) -> Result<DurationCounts, TraceError> {
    let skipped = skip_messages(&mut lines)?;
    let mut text = lines.reader.take(MOST_BYTES);
    let mut stream = serde_json::Deserializer::from_reader(&mut text);
    let parsed = FioDocument::deserialize(&mut stream);
    let ended = parsed.as_ref().map_or(Ok(()), |_| stream.end());
    let at_limit = text.limit() == 0;
    let problem = |error: serde_json::Error| {
        let line = skipped + error.line() as u64;
        let problem = if error.is_io() {
            return TraceError::Unreadable {
                line,
                source: error.into(),
            };
        } else if at_limit {
            format!("the document is larger than {MOST_BYTES} bytes")
        } else if error.is_eof() {
            "the document is cut off".to_owned()
        } else {
            format!("no JSON as fio writes it: {error}")
        };
        TraceError::Malformed { line, problem }
    };
    let document = parsed.map_err(problem)?;
    match ended {
        Ok(()) => {}
        Err(error) if error.is_io() => return Err(problem(error)),
        Err(error) => {
            return Err(TraceError::Useless {
                line: skipped + error.line() as u64,
                problem: "something follows the document: fio prints one after the other with \
                          status-interval; give the last alone"
                    .to_owned(),
            });
        }
    }
    counted(&document, skipped + 1, options)
}

/// Passes over the lines in front of the first that begins with a brace, and says how many those are.
fn skip_messages<R: BufRead>(lines: &mut LineReader<R>) -> Result<u64, TraceError> {
    loop {
        let buffer = lines.reader.fill_buf();
        match buffer {
            Ok([b'{', ..]) => return Ok(lines.number),
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => {
                return Err(TraceError::Unreadable {
                    line: lines.number + 1,
                    source: error,
                });
            }
            Ok([b' ' | b'\t', ..]) => lines.reader.consume(1),
            _ => {
                if lines.next()?.is_none() {
                    return Err(TraceError::Empty);
                }
            }
        }
    }
}

fn counted(
    document: &FioDocument,
    line: u64,
    options: &LogOptions,
) -> Result<DurationCounts, TraceError> {
    let useless = |problem| Err(TraceError::Useless { line, problem });
    let jobs = if document.jobs.is_empty() {
        &document.client_stats
    } else {
        &document.jobs
    };
    let Some(first) = jobs.first() else {
        return useless("no jobs: this is no result of fio".to_owned());
    };
    let mut names: Vec<String> = jobs.iter().map(|job| shown(&job.jobname)).collect();
    names.dedup();
    let one_of = || {
        names
            .iter()
            .take(10)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ")
    };
    let chosen = match &options.job {
        Some(name) => name,
        None if jobs.iter().all(|job| job.jobname == first.jobname) => &first.jobname,
        None => {
            return useless(format!("{} jobs: name one of {}", jobs.len(), one_of()));
        }
    };
    let jobs: Vec<&FioJob> = jobs.iter().filter(|job| job.jobname == *chosen).collect();
    if jobs.is_empty() {
        let name = shown(chosen);
        return useless(format!("no job {name}: there are {}", one_of()));
    }

    let mut watch = OddityWatch::default();
    let mut counts = BTreeMap::new();
    let mut which = "";
    let mut elapsed_ms = 0;
    let mut buffered = false;
    for job in &jobs {
        buffered |= is_buffered(&job.options, &document.options);
        let varied = |options: &BTreeMap<String, Value>| {
            let ranges = ["bsrange", "blocksize_range", "bssplit", "bs_unaligned"];
            ranges.iter().any(|range| options.contains_key(*range))
        };
        let varied = varied(&job.options) || varied(&document.options);
        let directions = [(Operation::Read, &job.read), (Operation::Write, &job.write)];
        for (operation, direction) in directions {
            if let Some(direction) = direction {
                let bytes = direction.bytes_each().filter(|_| !varied);
                let Some(name) = direction.add(operation, bytes, &mut counts) else {
                    continue;
                };
                which = name;
                // Jobs of one name run side by side.
                let ran = match direction.runtime {
                    0 => job.job_runtime,
                    of_direction => of_direction,
                };
                elapsed_ms = elapsed_ms.max(ran);
            }
        }
        if job.trim.as_ref().is_some_and(FioDirection::has_bins) {
            watch.skipped("histograms of trims", line);
        }
    }
    if counts.is_empty() {
        let mixed = jobs
            .iter()
            .filter_map(|job| job.mixed.as_ref())
            .any(FioDirection::has_bins);
        return useless(if mixed {
            "reads and writes are counted together; run fio without unified_rw_reporting".to_owned()
        } else {
            "percentiles, but no histogram to take durations from; run fio with --output-format=json+, and do \
             not disable clat_percentiles"
                .to_owned()
        });
    }
    let durations: Option<Vec<CountedDurations>> = counts
        .into_iter()
        .map(|((write, bytes, least, most), count)| {
            Some(CountedDurations {
                operation: if write {
                    Operation::Write
                } else {
                    Operation::Read
                },
                bytes,
                least: Time::from_ps(least),
                most: Time::from_ps(most),
                count: count?,
            })
        })
        .collect();
    let Some(durations) = durations else {
        return useless("the counts overflow".to_owned());
    };
    let version = document.version.as_deref().unwrap_or("fio");
    let format = format!("{} json+, {which}, job {}", shown(version), shown(chosen));
    let elapsed = elapsed_ms.checked_mul(STEP.ps()).map(Time::from_ps);
    let mut summary = watch.summary(format.replace('"', ""), Some(STEP));
    if buffered {
        summary.oddities.push(Oddity::Buffered { line });
    }
    Ok(DurationCounts {
        durations,
        elapsed: elapsed.filter(|elapsed| *elapsed > Time::ZERO),
        summary,
    })
}

/// Whether a job ran through the page cache, and nothing made its accesses wait for the memory. What tells no options
/// tells nothing of it.
fn is_buffered(job: &BTreeMap<String, Value>, global: &BTreeMap<String, Value>) -> bool {
    let is_on = |name: &str| {
        let value = job.get(name).or_else(|| global.get(name));
        // An option alone, such as --direct, is 1.
        value.is_some_and(|value| !matches!(value.as_str(), Some("0" | "none")) && *value != 0)
    };
    let waits = [
        "direct",
        "sync",
        "fsync",
        "fdatasync",
        "sync_file_range",
        "write_barrier",
    ];
    // Its kind is stated by every job that was run.
    let is_told = ["rw", "readwrite"]
        .iter()
        .any(|name| job.contains_key(*name) || global.contains_key(*name));
    let buffered = job.get("buffered").or_else(|| global.get("buffered"));
    let is_direct = buffered.and_then(Value::as_str) == Some("0");
    is_told && !is_direct && !waits.into_iter().any(is_on)
}

/// Counts by write, bytes of one access, shortest and longest duration in picoseconds; none that overflow.
type Counts = BTreeMap<(bool, Option<u64>, u64, u64), Option<u64>>;

impl FioDirection {
    /// The latency that covers most, its unit in picoseconds, and its name.
    fn latency(&self) -> Option<(&FioLatency, u64, &'static str)> {
        let all = [
            (&self.lat_ns, 1_000, "total latency"),
            (&self.clat_ns, 1_000, "completion latency"),
            (&self.clat, 1_000_000, "completion latency"),
        ];
        all.into_iter().find_map(|(latency, unit_ps, name)| {
            let latency = latency.as_ref()?;
            let counted = latency.bins.0.iter().any(|(_, count)| *count > 0);
            counted.then_some((latency, unit_ps, name))
        })
    }

    fn has_bins(&self) -> bool {
        self.latency().is_some()
    }

    fn bytes_each(&self) -> Option<u64> {
        let bytes = self.io_bytes.checked_div(self.total_ios)?;
        (bytes > 0 && bytes.checked_mul(self.total_ios) == Some(self.io_bytes)).then_some(bytes)
    }

    fn add(
        &self,
        operation: Operation,
        bytes: Option<u64>,
        counts: &mut Counts,
    ) -> Option<&'static str> {
        let (latency, unit_ps, name) = self.latency()?;
        for &(bin, count) in &latency.bins.0 {
            if count == 0 {
                continue;
            }
            let (mut least, mut most) = edges(bin);
            let is_last = bin + 1 == 29 * GROUP || unit_ps > 1_000 && bin + 1 == 19 * GROUP;
            // The log states the extremes exactly, where it is consistent.
            if (least..=most).contains(&latency.min) {
                least = latency.min;
            }
            if (least..=most).contains(&latency.max) || is_last && latency.max > most {
                most = latency.max;
            } else if is_last {
                most = u64::MAX;
            }
            let ps = |value: u64| value.saturating_mul(unit_ps);
            let key = (operation == Operation::Write, bytes, ps(least), ps(most));
            let sum = counts.entry(key).or_insert(Some(0));
            *sum = sum.and_then(|sum: u64| sum.checked_add(count));
        }
        Some(name)
    }
}

/// Whether the first bytes of a text look like fio's JSON: its first member, or an object to begin with.
pub(crate) fn looks_like(text: &[u8]) -> bool {
    let member = b"\"fio version\"";
    text.trim_ascii_start().starts_with(b"{")
        || text.windows(member.len()).any(|window| window == member)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(text: &str, options: &LogOptions) -> Result<DurationCounts, TraceError> {
        read(LineReader::new(text.as_bytes()), options)
    }

    fn counted(text: &str) -> Result<DurationCounts, TraceError> {
        read_with(text, &LogOptions::default())
    }

    fn refused(text: &str) -> String {
        counted(text).expect_err("refused").to_string()
    }

    fn job(name: &str, bins: &str) -> String {
        format!(
            r#"{{"jobname": "{name}", "job options": {{"bs": "4k"}}, "read": {{"io_bytes": 0,
            "total_ios": 0, "clat_ns": {{"min": 0, "max": 0}}}}, "write": {{"io_bytes": 20480, "total_ios": 5,
            "clat_ns": {{"min": 100, "max": 131, "bins": {{{bins}}}}}}}}}"#
        )
    }

    fn document(jobs: &[String]) -> String {
        format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{}]}}"#,
            jobs.join(",")
        )
    }

    fn told(counted: &DurationCounts) -> Vec<(u64, u64, u64)> {
        let durations = counted.durations.iter();
        let told = durations.map(|each| (each.least.ps(), each.most.ps(), each.count));
        told.collect()
    }

    #[test]
    fn bins_become_durations_between_the_extremes() {
        let text = document(&[job("w", r#""100": 2, "129": 1, "131": 2"#)]);
        let counted = counted(&text).expect("sound");
        assert_eq!(
            told(&counted),
            [
                (100_000, 100_000, 2),
                (128_000, 129_000, 1),
                (130_000, 131_000, 2)
            ]
        );
        assert!(
            counted
                .durations
                .iter()
                .all(|each| each.bytes == Some(4096))
        );
        assert!(
            counted
                .durations
                .iter()
                .all(|each| each.operation == Operation::Write)
        );
        assert_eq!(
            counted.summary.format,
            "fio-3.33 json+, completion latency, job w"
        );
    }

    #[test]
    fn the_time_that_passed_is_that_of_the_direction_or_of_the_job() {
        let elapsed = |job: &str| {
            let text = format!(r#"{{"jobs": [{job}]}}"#);
            counted(&text).expect("sound").elapsed.map(Time::ps)
        };
        let of = |front: &str, runtime: &str| {
            format!(r#"{{{front} "write": {{{runtime} "clat_ns": {{"bins": {{"5": 1}}}}}}}}"#)
        };
        assert_eq!(
            elapsed(&of(r#""job_runtime": 7,"#, r#""runtime": 8,"#)),
            Some(8_000_000_000)
        );
        assert_eq!(
            elapsed(&of(r#""job_runtime": 7,"#, r#""runtime": 0,"#)),
            Some(7_000_000_000)
        );
        assert_eq!(elapsed(&of("", "")), None);
        let two = [
            of("", r#""runtime": 8,"#),
            of("", r#""runtime": 9,"#),
            of("", ""),
        ];
        assert_eq!(elapsed(&two.join(",")), Some(9_000_000_000));
        assert_eq!(
            elapsed(&of("", r#""runtime": 18446744073709551615,"#)),
            None
        );
    }

    #[test]
    fn jobs_of_one_name_are_added_up_and_others_have_to_be_named() {
        let same = document(&[job("w", r#""100": 2"#), job("w", r#""100": 3"#)]);
        assert_eq!(
            told(&counted(&same).expect("sound")),
            [(100_000, 100_000, 5)]
        );
        let two = document(&[job("a", r#""100": 2"#), job("b", r#""100": 3"#)]);
        assert_eq!(refused(&two), r#"line 1: 2 jobs: name one of "a", "b""#);
        let choose = |name: &str| LogOptions {
            job: Some(name.to_owned()),
            ..LogOptions::default()
        };
        let b = read_with(&two, &choose("b")).expect("sound");
        assert_eq!(told(&b), [(100_000, 100_000, 3)]);
        let error = read_with(&two, &choose("c"))
            .expect_err("refused")
            .to_string();
        assert_eq!(error, r#"line 1: no job "c": there are "a", "b""#);
    }

    #[test]
    fn total_latency_is_preferred_and_microseconds_are_understood() {
        let text = r#"{"jobs": [{"jobname": "x", "read": {
            "lat_ns": {"min": 7, "max": 7, "bins": {"7": 1}}, "clat_ns": {"bins": {"5": 1}}}}]}"#;
        assert_eq!(told(&counted(text).expect("sound")), [(7_000, 7_000, 1)]);
        let old = r#"{"fio version": "fio-2.20", "jobs": [{"jobname": "x", "read": {
            "clat": {"min": 7, "max": 129, "bins": {"7": 1, "129": 1}}}}]}"#;
        assert_eq!(
            told(&counted(old).expect("sound")),
            [(7_000_000, 7_000_000, 1), (128_000_000, 129_000_000, 1)]
        );
        let numbered = r#"{"jobs": [{"jobname": "x", "read": {"clat": {"min": 7, "max": 999, "bins": {
            "FIO_IO_U_PLAT_BITS": 6, "FIO_IO_U_PLAT_NR": 1216, "7": 1, "129": 1}}}}]}"#;
        assert_eq!(
            told(&counted(numbered).expect("sound")),
            [(7_000_000, 7_000_000, 1), (130_000_000, 131_000_000, 1)]
        );
    }

    #[test]
    fn the_last_bin_reaches_to_the_longest_stated() {
        let last = middle(29 * GROUP - 1);
        let text = format!(
            r#"{{"jobs": [{{"read": {{"clat_ns": {{"min": 1, "max": 30000000000, "bins": {{"{last}": 1}}}}}}}}]}}"#
        );
        let counted = counted(&text).expect("sound");
        assert_eq!(counted.durations[0].most.ps(), 30_000_000_000_000);
    }

    #[test]
    fn messages_in_front_of_the_document_are_passed_over() {
        let text = format!(
            "fio: a warning\nnote: {{ }}\n  {}",
            document(&[job("w", r#""101": 1"#)])
        );
        assert_eq!(
            told(&counted(&text).expect("sound")),
            [(101_000, 101_000, 1)]
        );
    }

    #[test]
    fn accesses_of_the_page_cache_are_told() {
        let buffered = |options: &str| {
            let text = document(&[job("w", r#""100": 5"#)]).replace(r#"{"bs": "4k"}"#, options);
            let oddities = counted(&text).expect("sound").summary.oddities;
            oddities.contains(&Oddity::Buffered { line: 1 })
        };
        assert!(buffered(r#"{"rw": "randwrite"}"#));
        assert!(buffered(r#"{"rw": "randwrite", "direct": "0"}"#));
        for option in ["direct", "sync", "fsync", "fdatasync"] {
            assert!(!buffered(&format!(r#"{{"rw": "write", "{option}": "1"}}"#)));
        }
        assert!(!buffered(r#"{"rw": "write", "buffered": "0"}"#));
        assert!(!buffered("{}"), "nothing is told");
    }

    #[test]
    fn what_says_nothing_is_refused_with_the_way_out() {
        assert!(refused(&document(&[job("w", "")])).contains("--output-format=json+"));
        let mixed = r#"{"jobs": [{"mixed": {"clat_ns": {"bins": {"5": 1}}}}]}"#;
        assert!(refused(mixed).contains("unified_rw_reporting"));
        assert!(refused("{}").contains("no result of fio"));
        let twice = document(&[job("w", r#""100": 2"#)]).repeat(2);
        assert!(refused(&twice).contains("status-interval"));
        assert!(matches!(counted(""), Err(TraceError::Empty)));
    }

    #[test]
    fn what_is_no_document_is_refused_with_its_line() {
        let text = document(&[job("w", r#""100": 2"#)]);
        let cut = refused(&text[..text.len() - 5]);
        assert_eq!(cut, "line 3: the document is cut off");
        let text = document(&[job("w", r#""130": 2"#)]);
        assert!(
            refused(&text)
                .starts_with("line 3: no JSON as fio writes it: \"130\" is the middle of no bin")
        );
        assert!(refused("warning\n{\n  x\n}").starts_with("line 3: no JSON as fio writes it"));
        assert!(refused(&format!("{{\"jobs\": {}", "[".repeat(100_000))).starts_with("line 1: "));
    }
}
