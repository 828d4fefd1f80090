//! From bytes to a log, whatever its format.

use std::io::{BufRead, Chain, Cursor, Read};
use std::str::FromStr;

use wordline_core::Operation;
use wordline_core::quantity::Time;

use crate::blkparse::{AskEvent, BlkparseLatencies, BlkparseWorkload, LatencySpan};
use crate::csv::Csv;
use crate::current::CurrentReader;
use crate::fio::text::FioLog;
use crate::fio::{histogram, json};
use crate::format::LogHead;
use crate::iolog::{IologWorkload, Waits};
use crate::ioping::Ioping;
use crate::lines::{LineReader, MAX_LINE, too_long};
use crate::recorder::RecorderReader;
use crate::{
    AccessReader, AccessStream, AskedAccess, CountedDurations, CurrentSample, LogFormat,
    LogSummary, LoggedAccess, TraceError,
};

/// What is known of a log beside its bytes. By default nothing is, and the log has to say it all.
#[derive(Clone, Debug, Default)]
pub struct LogOptions {
    /// Its format; by default the first lines show it.
    pub format: Option<LogFormat>,
    /// The unit of fio's values, which old logs do not state; see [`Oddity::UnitAssumed`](crate::Oddity).
    pub unit: Option<LatencyUnit>,
    /// The name of the file. fio says there and nowhere else whether a log holds latencies, bandwidths or
    /// operations per second.
    pub name: Option<String>,
    /// Which of several: the job of fio's JSON (jobs of one name are added up), the file of a replay log, the
    /// device of blkparse's output, as `8,0`.
    pub job: Option<String>,
    /// What is wanted of a log that can be read in two ways, as blkparse's can.
    pub purpose: LogPurpose,
    /// What the accesses of a CSV do that has no column for it.
    pub operation: Option<Operation>,
    /// Bytes of each access of a CSV that has no column for it.
    pub bytes: Option<u64>,
    /// Units of named columns, each with the column in front: what its name says does not count then.
    pub units: Vec<(String, String)>,
}

/// What is wanted of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogPurpose {
    /// How long accesses took.
    #[default]
    Durations,
    /// What was asked for.
    Workload,
}

/// Unit of the values in fio's latency logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencyUnit {
    /// `ns`, of fio 3.0 (2017) and later.
    Nanoseconds,
    /// `us`, of fio 2 and earlier.
    Microseconds,
}

/// A text that is no [`LatencyUnit`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown unit {found:?}; there are ns (fio 3) and us (fio 2)")]
pub struct UnknownUnit {
    /// What was given.
    pub found: String,
}

impl LatencyUnit {
    /// As options and columns spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "us",
        }
    }
}

impl FromStr for LatencyUnit {
    type Err = UnknownUnit;

    fn from_str(text: &str) -> Result<Self, UnknownUnit> {
        match text {
            "ns" => Ok(Self::Nanoseconds),
            "us" => Ok(Self::Microseconds),
            _ => Err(UnknownUnit {
                found: text.to_owned(),
            }),
        }
    }
}

/// A log that has been recognised.
#[derive(Debug)]
pub enum Log<R> {
    /// Accesses in their order, still to be read.
    Accesses(Accesses<R>),
    /// Durations without their order, all of them.
    Counted(DurationCounts),
    /// What a program asked for, still to be read.
    Asked(AskedAccesses<R>),
    /// Currents over time, still to be read.
    Currents(CurrentLog<R>),
}

/// Durations of which the order is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationCounts {
    /// The counts that are not zero, reads first, each operation from the shortest duration.
    pub durations: Vec<CountedDurations>,
    /// Time in which the accesses happened, in steps of the summary's resolution; `None` where the log does
    /// not record it.
    pub elapsed: Option<Time>,
    /// What was seen of the log.
    pub summary: LogSummary,
}

/// What was read to recognise the log, and the rest.
pub(crate) type Source<R> = Chain<Cursor<Vec<u8>>, R>;

/// The accesses of a log, one at a time. The first error is the last item.
#[derive(Debug)]
pub struct Accesses<R>(AccessStream<MeasuredReader<R>>);

/// Reads measured accesses, in any format.
enum MeasuredReader<R> {
    FioLog(Box<FioLog<Source<R>>>),
    Csv(Box<Csv<Source<R>>>),
    Recorder(Box<RecorderReader<Source<R>>>),
    Blkparse(Box<BlkparseLatencies<Source<R>>>),
    Ioping(Box<Ioping<Source<R>>>),
}

impl<R: BufRead> AccessReader for MeasuredReader<R> {
    type Access = LoggedAccess;

    #[inline]
    fn advance(&mut self) -> Result<Option<LoggedAccess>, TraceError> {
        match self {
            Self::FioLog(log) => log.advance(),
            Self::Csv(log) => log.advance(),
            Self::Recorder(log) => log.advance(),
            Self::Blkparse(log) => log.advance(),
            Self::Ioping(log) => log.advance(),
        }
    }

    fn summary(&self) -> LogSummary {
        match self {
            Self::FioLog(log) => log.summary(),
            Self::Csv(log) => log.summary(),
            Self::Recorder(log) => log.summary(),
            Self::Blkparse(log) => log.summary(),
            Self::Ioping(log) => log.summary(),
        }
    }
}

impl<R: BufRead> Accesses<R> {
    /// What has been seen of the log so far; all of it once the last access has been read.
    #[must_use]
    pub fn summary(&self) -> LogSummary {
        self.0.summary()
    }
}

impl<R: BufRead> Iterator for Accesses<R> {
    type Item = Result<LoggedAccess, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// The samples of a log of currents, one at a time. The first error is the last item.
#[derive(Debug)]
pub struct CurrentLog<R>(AccessStream<Box<CurrentReader<Source<R>>>>);

impl<R: BufRead> CurrentLog<R> {
    /// Whether a column holds the voltage, whatever single samples of it are.
    #[must_use]
    pub fn has_voltage(&self) -> bool {
        self.0.reader().has_voltage()
    }

    /// What has been seen of the log so far; all of it once the last sample has been read.
    #[must_use]
    pub fn summary(&self) -> LogSummary {
        self.0.summary()
    }
}

impl<R: BufRead> Iterator for CurrentLog<R> {
    type Item = Result<CurrentSample, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// What a program asked for, one access at a time. The first error is the last item.
#[derive(Debug)]
pub struct AskedAccesses<R>(AccessStream<WorkloadReader<R>>);

/// Reads what a program asked for, in any format.
enum WorkloadReader<R> {
    Iolog(Box<IologWorkload<Source<R>>>),
    Blkparse(Box<BlkparseWorkload<Source<R>>>),
}

impl<R: BufRead> AccessReader for WorkloadReader<R> {
    type Access = AskedAccess;

    fn advance(&mut self) -> Result<Option<AskedAccess>, TraceError> {
        match self {
            Self::Iolog(log) => log.advance(),
            Self::Blkparse(log) => log.advance(),
        }
    }

    fn summary(&self) -> LogSummary {
        match self {
            Self::Iolog(log) => log.summary(),
            Self::Blkparse(log) => log.summary(),
        }
    }
}

impl<R: BufRead> AskedAccesses<R> {
    /// What has been seen of the trace so far; all of it once the last access has been read.
    #[must_use]
    pub fn summary(&self) -> LogSummary {
        self.0.summary()
    }
}

impl<R: BufRead> Iterator for AskedAccesses<R> {
    type Item = Result<AskedAccess, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// Recognises a log by its first 64 KiB and opens it. Logs of accesses are not read any further yet, histograms
/// as a whole. A buffer of 64 KiB or more makes the reading fast.
///
/// # Errors
/// Where the format is unknown, a line is not what its format asks for, the log says nothing that can be used, or a job
/// is asked for that its format does not name; each names its line. Accesses bring errors of their later lines with them.
pub fn open<R: BufRead>(mut reader: R, options: &LogOptions) -> Result<Log<R>, TraceError> {
    let mut bytes = Vec::new();
    let unreadable = |source| TraceError::Unreadable { line: 1, source };
    let wanted = MAX_LINE as u64;
    let limited = reader.by_ref().take(wanted).read_to_end(&mut bytes);
    let length = limited.map_err(unreadable)?;
    let is_whole = (length as u64) < wanted;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let probe = LogHead {
        bytes: &bytes,
        is_whole,
    };
    let format = match options.format {
        Some(format) => format,
        None => LogFormat::detect(&probe)?,
    };
    let is_text = !matches!(format, LogFormat::FioJson | LogFormat::Recorder);
    if let Some(job) = options.job.as_deref().filter(|_| !format.has_jobs()) {
        return Err(TraceError::Useless {
            line: 1,
            problem: format!(
                "job {job}: a log of the format {format} holds one job and does not name it; leave --job out"
            ),
        });
    }
    if let Some((column, _)) = options.units.first().filter(|_| !format.has_columns()) {
        return Err(TraceError::Useless {
            line: 1,
            problem: format!(
                "--unit {column}: a log of the format {format} has no named columns; leave --unit out"
            ),
        });
    }
    if let Some(unit) = options.unit.filter(|_| !format.takes_unit()) {
        return Err(TraceError::Useless {
            line: 1,
            problem: format!(
                "--log-unit {}: a log of the format {format} states its units; leave --log-unit out",
                unit.name()
            ),
        });
    }
    if !is_whole && is_text && probe.told().next().is_none() {
        return Err(too_long(1));
    }
    let source = Cursor::new(bytes.clone()).chain(reader);
    Ok(match format {
        LogFormat::FioLog => {
            let log = FioLog::new(LineReader::new(source), &probe, options)?;
            measured(MeasuredReader::FioLog(Box::new(log)))
        }
        LogFormat::Csv => {
            let log = Csv::new(LineReader::new(source), &probe, options)?;
            measured(MeasuredReader::Csv(Box::new(log)))
        }
        LogFormat::Column => {
            let log = Csv::of_durations(LineReader::new(source), &probe, options)?;
            measured(MeasuredReader::Csv(Box::new(log)))
        }
        LogFormat::Ioping => {
            let log = Ioping::new(LineReader::new(source));
            measured(MeasuredReader::Ioping(Box::new(log)))
        }
        LogFormat::Current => {
            let log = CurrentReader::new(LineReader::new(source), options)?;
            Log::Currents(CurrentLog(AccessStream::new(Box::new(log))))
        }
        LogFormat::Recorder => measured(MeasuredReader::Recorder(Box::new(RecorderReader::new(
            source,
        )))),
        LogFormat::Blkparse => {
            let device = options.job.as_deref().map(str::parse).transpose();
            let device = device.map_err(|problem| TraceError::Unknown { line: 1, problem })?;
            match options.purpose {
                LogPurpose::Durations => {
                    let log = BlkparseLatencies::new(source, LatencySpan::default(), device);
                    measured(MeasuredReader::Blkparse(Box::new(log)))
                }
                LogPurpose::Workload => {
                    let log = BlkparseWorkload::new(source, AskEvent::default(), device);
                    replayed(WorkloadReader::Blkparse(Box::new(log)))
                }
            }
        }
        LogFormat::Iolog => {
            let log = IologWorkload::new(source, options.job.clone(), Waits::default());
            replayed(WorkloadReader::Iolog(Box::new(log)))
        }
        LogFormat::FioJson => Log::Counted(json::read(LineReader::new(source), options)?),
        LogFormat::FioHistogram => Log::Counted(histogram::read(LineReader::new(source))?),
    })
}

fn measured<R: BufRead>(reader: MeasuredReader<R>) -> Log<R> {
    Log::Accesses(Accesses(AccessStream::new(reader)))
}

fn replayed<R: BufRead>(reader: WorkloadReader<R>) -> Log<R> {
    Log::Asked(AskedAccesses(AccessStream::new(reader)))
}

pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
