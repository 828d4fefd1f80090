//! The table that multiload ends each run with, alone or among what `-v` prints.
//!
//! `ChaseNS` is the best of the samples, or their geometric mean with `-a`, which the table does not say. Bandwidths are
//! MiB/s of 2²⁰ bytes that the program moves. No column states the pause of a load (`-d`).

use super::text::{RunLine, RunText};
use super::{
    MeasuredError, MeasuredNote, MeasuredPoint, MeasuredRun, MeasuredTest, MeasuredTool,
    MeasuredTraffic,
};

/// Columns that are read.
const NAMES: [&str; 8] = [
    "Samples",
    "Byte/thd",
    "ChaseThds",
    "ChaseNS",
    "LoadThds",
    "LdAvgMibs",
    "ChaseArg",
    "MemLdArg",
];

/// What stands for a part that did not run.
const NOT_USED: &str = "--------";

const MIB: f64 = 1_048_576.0;

pub(super) fn is_mark(text: &str) -> bool {
    text.starts_with("Samples") && text.contains("ChaseNS")
}

/// Where the columns of a table are.
struct LoadColumns {
    places: [usize; NAMES.len()],
    count: usize,
}

impl LoadColumns {
    fn of(line: &RunLine) -> Result<Self, MeasuredError> {
        let names: Vec<&str> = line.text.split(',').map(str::trim).collect();
        let mut places = [0; NAMES.len()];
        for (place, name) in places.iter_mut().zip(NAMES) {
            let found = names.iter().position(|each| *each == name);
            *place = found.ok_or_else(|| MeasuredError::NoColumn {
                line: line.number,
                column: name,
                found: crate::lines::shown(&line.text),
            })?;
        }
        Ok(Self {
            places,
            count: names.len(),
        })
    }
}

pub(super) fn read(text: &RunText) -> Result<MeasuredRun, MeasuredError> {
    let mut run = MeasuredRun::new(MeasuredTool::Multiload);
    let mut table: Option<LoadColumns> = None;
    let mut open = None;
    for line in &text.lines {
        if is_mark(&line.text) {
            table = Some(LoadColumns::of(line)?);
            open = Some(line.number);
        } else if let Some(columns) = &table
            && line.text.starts_with(|first: char| first.is_ascii_digit())
            && line.text.contains(',')
        {
            point(line, columns, &mut run)?;
            open = None;
        }
    }
    if let Some(line) = open {
        return Err(MeasuredError::Cut {
            line,
            what: "a table",
            lacking: "no line of results follows",
        });
    }
    text.check_end(&mut run)?;
    run.note(MeasuredNote::NoVersion);
    Ok(run)
}

fn point(
    line: &RunLine,
    columns: &LoadColumns,
    run: &mut MeasuredRun,
) -> Result<(), MeasuredError> {
    let fields: Vec<&str> = line.text.split(',').map(str::trim).collect();
    if fields.len() != columns.count {
        return Err(MeasuredError::Columns {
            line: line.number,
            what: "a line of results",
            found: fields.len(),
            expected: columns.count,
        });
    }
    let [
        samples,
        bytes,
        chases,
        latency,
        loads,
        bandwidth,
        chase,
        load,
    ] = columns.places.map(|place| fields[place]);
    let samples = line.whole("the number of samples", samples)?;
    let chases: u32 = line.whole("the number of chasing threads", chases)?;
    let loads: u32 = line.whole("the number of loading threads", loads)?;
    let latency = match chases {
        0 => None,
        _ => Some(line.positive("the latency", latency)? * 1e-9),
    };
    let bandwidth = match loads {
        0 => None,
        _ => Some(line.positive("the bandwidth", bandwidth)? * MIB),
    };
    let test = match (latency, bandwidth) {
        (Some(_), Some(_)) => MeasuredTest::Loaded,
        (Some(_), None) => MeasuredTest::Latency,
        (None, Some(_)) => MeasuredTest::Bandwidth,
        (None, None) => {
            return Err(line.number_error("the number of threads", "0", "at least one thread"));
        }
    };
    if latency.is_some() {
        run.note(MeasuredNote::BestOf {
            samples: Some(samples),
        });
    }
    let words = match load {
        NOT_USED => chase,
        load => load,
    };
    run.points.push(MeasuredPoint {
        traffic: traffic(load),
        latency,
        bandwidth,
        buffer_bytes: Some(line.whole("bytes of a thread", bytes)?),
        threads: Some(if loads > 0 { loads } else { chases }),
        words: Some(words.to_owned()),
        ..MeasuredPoint::new(line.number, test)
    });
    Ok(())
}

/// What a load consists of, as the README of the tool and its script list them.
fn traffic(load: &str) -> MeasuredTraffic {
    match load {
        NOT_USED | "stream-sum" => MeasuredTraffic::Reads,
        "memcpy-libc" | "stream-copy" => MeasuredTraffic::Copy,
        "stream-triad" => MeasuredTraffic::Triad,
        "memset-libc" | "memsetz-libc" => MeasuredTraffic::Writes,
        _ => MeasuredTraffic::Other,
    }
}
