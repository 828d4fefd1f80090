//! `wordline host storage`: accesses of a file or a block device, and the RAM that a fixed input rate needs beside it.
//!
//! Each access goes into the sums of `wordline buffer` as it ends ([`AccessSums`]), so that curve and longest sequences
//! are there at the end without a log. The log that can be saved is one of fio, and gives the same rows, bit for bit:
//! durations are whole nanoseconds there and here, and ends count whole milliseconds.

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use wordline_core::quantity::{ByteCount, Quantity as _, Time, human};
use wordline_core::results::NoValue;
use wordline_core::{
    AccessSource, Axis, Basis, BufferWorkload, Durations, Experiment, HostStorageTest,
    LatencyHistogram, LogSource, Metric, Operation, Pattern, ResultSet, RowOperation,
    StorageEngine, StorageSync, Timing,
};
use wordline_host::storage::{
    AccessPace, AddressOrder, FlushCall, PlaceRequest, STORAGE_ACCESS_MAX, StorageAccess,
    StorageCalls, StorageJob, StorageOperation, StoragePlace, StorageRun, measure,
};
use wordline_trace::{LogSummary, LoggedAccess};

use crate::backlog::{Rate, StartUp};
use crate::buffer::exact_rates;
use crate::buffer::log::sums::AccessSums;
use crate::buffer::log::{LogQuestion, add_rows};
use crate::control::{Control, Progress};
use crate::error::{LabError, SettingProblem};
use crate::instrument::rows::percentile;
use crate::kv::host::of_machine;
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;

/// Share of the asked rate below which a run did not keep it.
const RATE_KEPT: f64 = 0.98;

/// Share of a time limit that accesses may take: what follows them takes time as well.
const BUDGET_SHARE: f64 = 0.9;

/// The longest time that can be asked for, in seconds.
const TIME_MAX_S: f64 = 365.0 * 86_400.0;

const PS_PER_NS: u64 = 1_000;

/// Measures the storage and adds what was found to the document.
pub(super) fn run(
    test: &HostStorageTest,
    label: &str,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let begun = Instant::now();
    let path = control.storage.ok_or_else(|| LabError::Unreadable {
        file: test.file.clone(),
        source: io::Error::other("nothing says where it is"),
    })?;
    let target = format!("{}@{label}", test.file);
    let rates = check(test)?;
    let mut job = job(test, experiment.seed);
    job.check()?;
    let never = AtomicBool::new(false);
    let stop = control.stop.unwrap_or(&never);
    let place = open(test, path, &job, control, stop, &target)?;
    job.range_bytes = place.range_bytes();
    if job.range_bytes < job.access_bytes {
        job.check()?;
    }
    if let Some(budget) = control.budget {
        let left = budget
            .mul_f64(BUDGET_SHARE)
            .saturating_sub(begun.elapsed())
            .max(Duration::from_millis(1));
        let left = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX);
        job.time_max_ns = Some(job.time_max_ns.map_or(left, |time| time.min(left)));
    }
    let sources = LiveSources::of(test, &target);
    let mut live = LiveStorage::new(test, &sources, &rates)?;
    let mut log = AccessLog::open(control)?;
    let ran = measure(&place, &job, stop, &mut |chunk| {
        let added = live
            .add(chunk)
            .and_then(|()| log.write(chunk, job.access_bytes));
        control.report(Progress {
            step: &target,
            done_bytes: live.done_bytes,
            total_bytes: job.accesses_max.map_or(0, |most| most * job.access_bytes),
        });
        match added {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                live.failure.get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    });
    // What was written stays, whatever came of the rest.
    let logged = log.end();
    let ran = ran?;
    if let Some(failure) = live.failure.take() {
        return Err(failure);
    }
    logged?;
    if control.stopped() {
        document.complete = false;
    }
    describe(test, &place, &ran, document);
    warn(test, &target, &place, (&job, &ran), control, document);
    let rows = StorageRows {
        test,
        target: &target,
        label,
        rates: &rates,
        ran: &ran,
        seed: experiment.seed,
    };
    rows.add(live, document)
}

/// The most that a run moves, in lengths of its range: more than any drive lasts.
const PASSES_MAX: u64 = 1_000_000;

/// Checks what the job itself does not, and gives the rate of an open loop.
fn check(test: &HostStorageTest) -> Result<Vec<Rate>, LabError> {
    let record = test.record_bytes;
    if record == 0 || record > STORAGE_ACCESS_MAX {
        let [found, most] = [record, STORAGE_ACCESS_MAX].map(ByteCount::from_bytes);
        return Err(SettingProblem::StorageRecord { found, most }.of("record"));
    }
    if let Some(total) = test.total_bytes.filter(|total| *total < record) {
        let [found, record] = [total, record].map(ByteCount::from_bytes);
        return Err(SettingProblem::TotalBelowRecord { found, record }.of("total"));
    }
    let range = test.size_bytes.unwrap_or(HostStorageTest::NEW_FILE_BYTES);
    let most = range.saturating_mul(PASSES_MAX);
    if let Some(found) = test.total_bytes.filter(|total| *total > most) {
        let [found, most] = [found, most].map(ByteCount::from_bytes);
        return Err(SettingProblem::ManyPassesOfRange { found, most }.of("total"));
    }
    if let Some(time) = test.time_s
        && !(time > 0.0 && time <= TIME_MAX_S)
    {
        return Err(SettingProblem::RunTime(time).of("time"));
    }
    if test.sync_every > 0 && test.read_share.si() >= 1.0 {
        return Err(SettingProblem::SyncWithoutWrites.of("sync_every"));
    }
    let rate: Vec<f64> = test.rate_bytes_per_s.into_iter().collect();
    exact_rates(&rate)
}

fn job(test: &HostStorageTest, seed: u64) -> StorageJob {
    let accesses = |bytes: u64| bytes / test.record_bytes;
    let unsaid = match test.time_s {
        Some(_) => None,
        None => Some(HostStorageTest::TOTAL_BYTES.max(test.record_bytes)),
    };
    StorageJob {
        access_bytes: test.record_bytes,
        // The place says it; until then what it has to be.
        range_bytes: test.size_bytes.unwrap_or(test.record_bytes),
        order: match test.pattern {
            Pattern::Sequential => AddressOrder::Sequential,
            Pattern::Random => AddressOrder::Random,
        },
        read_share: test.read_share.si(),
        depth: test.depth,
        pace: match test.rate_bytes_per_s {
            None => AccessPace::Closed,
            Some(rate) => AccessPace::Open {
                interval_ns: test.record_bytes as f64 / rate * 1e9,
            },
        },
        flush: (test.sync_every > 0).then_some((
            test.sync_every,
            match test.sync_call {
                StorageSync::DataSync => FlushCall::DataSync,
                StorageSync::Sync => FlushCall::Sync,
            },
        )),
        calls: test.engine.map(|engine| match engine {
            StorageEngine::IoUring => StorageCalls::Uring,
            StorageEngine::Pread => StorageCalls::Pread,
        }),
        accesses_max: test.total_bytes.or(unsaid).map(accesses),
        time_max_ns: test.time_s.map(|time| ((time * 1e9) as u64).max(1)),
        seed,
    }
}

fn open(
    test: &HostStorageTest,
    path: &Path,
    job: &StorageJob,
    control: &Control<'_>,
    stop: &AtomicBool,
    target: &str,
) -> Result<StoragePlace, LabError> {
    if let Some(other) = control
        .destroy
        .iter()
        .find(|named| Path::new(named) != path)
    {
        let (named, path) = (other.clone(), path.display().to_string());
        return Err(SettingProblem::DestroysOther { named, path }.of("--destroy"));
    }
    let request = PlaceRequest {
        writes: job.writes(),
        direct: !test.buffered,
        may_destroy: !control.destroy.is_empty(),
        access_bytes: job.access_bytes,
        range_bytes: test.size_bytes,
        new_file_bytes: HostStorageTest::NEW_FILE_BYTES.max(job.access_bytes),
        seed: job.seed,
    };
    let step = format!("{target}: writing it in full");
    let place = StoragePlace::open(path, &request, stop, &mut |done_bytes, total_bytes| {
        control.report(Progress {
            step: &step,
            done_bytes,
            total_bytes,
        });
    });
    Ok(place?)
}

/// What the document says of the run beside its rows.
fn describe(
    test: &HostStorageTest,
    place: &StoragePlace,
    ran: &StorageRun,
    document: &mut ResultSet,
) {
    let environment = document.environment.get_or_insert_default();
    environment.extend(of_machine());
    let facts = place.facts();
    let mut note = |key: &str, value: String| environment.insert(key.to_owned(), value);
    note("engine", ran.calls.name().to_owned());
    if ran.calls == StorageCalls::Uring {
        let how = if ran.is_registered { "yes" } else { "no" };
        note("registered_buffers", how.to_owned());
    }
    let cache = if test.buffered { "used" } else { "passed by" };
    note("page_cache", cache.to_owned());
    note(
        "range",
        ByteCount::from_bytes(place.range_bytes()).to_string(),
    );
    match (&facts.what, &facts.on, facts.is_device) {
        (Some(model), _, true) => {
            note("device", model.clone());
        }
        (Some(kind), Some(on), false) => {
            note("file_system", format!("{kind} on {on}"));
        }
        (Some(kind), None, false) => {
            note("file_system", kind.clone());
        }
        _ => {}
    }
}

fn warn(
    test: &HostStorageTest,
    target: &String,
    place: &StoragePlace,
    (job, ran): (&StorageJob, &StorageRun),
    control: &Control<'_>,
    document: &mut ResultSet,
) {
    if let Some(why) = &ran.no_uring {
        document.warn(LabWarning::NoRing { target, why });
    }
    if test.buffered {
        document.warn(LabWarning::CachedStorage { target });
    }
    if let Some(by) = &place.facts().used_by {
        document.warn(LabWarning::StorageInUse { target, by });
    }
    if place.is_removed() {
        document.warn(LabWarning::StorageRemoved { target });
    }
    let (count, time_ns) = ran.stalls;
    if count > 0 {
        let time = &human(time_ns as f64 / 1e9, "s", 3);
        document.warn(LabWarning::StorageStalls {
            target,
            count: &count,
            time,
        });
    }
    if test.depth > 1 {
        let depth = &test.depth;
        document.warn(LabWarning::Overlapping { target, depth });
    } else if is_mixed(test) {
        document.warn(LabWarning::MixedAccesses { target });
    }
    if let Some(asked) = test.rate_bytes_per_s
        && let rate = bytes_per_s(ran.accesses, test.record_bytes, ran.elapsed_ns)
        && rate < RATE_KEPT * asked
    {
        let [rate, asked] = [rate, asked].map(|rate| human(rate, "B/s", 3));
        document.warn(LabWarning::RateMissed {
            target,
            rate: &rate,
            asked: &asked,
        });
    }
    if control.budget.is_some()
        && let Some(asked) = job.accesses_max.filter(|asked| ran.accesses < *asked)
    {
        document.warn(LabWarning::RunCut {
            target,
            done: &ran.accesses,
            asked: &asked,
        });
    }
    if cfg!(debug_assertions) {
        document.warn(LabWarning::Unoptimised { name: target });
    }
}

fn bytes_per_s(accesses: u64, bytes: u64, elapsed_ns: u64) -> f64 {
    accesses as f64 * bytes as f64 / (elapsed_ns.max(1) as f64 / 1e9)
}

/// What is known of the accesses, as of a log of each kind.
struct LiveSources {
    read: LogSource,
    write: LogSource,
}

impl LiveSources {
    fn of(test: &HostStorageTest, target: &str) -> Self {
        let source = |operation| LogSource {
            file: target.to_owned(),
            operation: Some(operation),
            durations: durations(test),
            ..LogSource::default()
        };
        Self {
            read: source(Operation::Read),
            write: source(Operation::Write),
        }
    }
}

/// Whether reads and writes take turns.
fn is_mixed(test: &HostStorageTest) -> bool {
    let reads = test.read_share.si();
    reads > 0.0 && reads < 1.0
}

/// What counts as the duration of an access: at a rate the host pauses between accesses of its own will.
fn durations(test: &HostStorageTest) -> Durations {
    match test.rate_bytes_per_s {
        None => Durations::Latency,
        Some(_) => Durations::Paced,
    }
}

/// What was learnt so far.
struct LiveStorage<'a> {
    record_bytes: u64,
    is_paced: bool,
    /// Of reads and of writes; none where accesses overlap, or are of both kinds.
    sums: Option<[AccessSums<'a>; 2]>,
    kinds: [LiveKind; 2],
    flushes: LatencyHistogram,
    done_bytes: u64,
    lines: u64,
    failure: Option<LabError>,
}

/// The accesses of one kind.
struct LiveKind {
    /// From the start.
    latency: LatencyHistogram,
    /// From the intended start, of a loop at a rate.
    from_intended: LatencyHistogram,
    lateness: LatencyHistogram,
}

impl LiveKind {
    fn new() -> Self {
        Self {
            latency: LatencyHistogram::new(),
            from_intended: LatencyHistogram::new(),
            lateness: LatencyHistogram::new(),
        }
    }
}

const KINDS: [Operation; 2] = [Operation::Read, Operation::Write];

impl<'a> LiveStorage<'a> {
    fn new(
        test: &HostStorageTest,
        sources: &'a LiveSources,
        rates: &[Rate],
    ) -> Result<Self, LabError> {
        let asked = LogQuestion {
            start: StartUp::default(),
            rates,
            current: None,
            is_gathered: false,
        };
        let sums = match test.depth == 1 && !is_mixed(test) {
            true => Some([
                AccessSums::new(&sources.read, &asked)?,
                AccessSums::new(&sources.write, &asked)?,
            ]),
            false => None,
        };
        Ok(Self {
            record_bytes: test.record_bytes,
            is_paced: test.rate_bytes_per_s.is_some(),
            sums,
            kinds: [LiveKind::new(), LiveKind::new()],
            flushes: LatencyHistogram::new(),
            done_bytes: 0,
            lines: 0,
            failure: None,
        })
    }

    /// Adds accesses in the order of their ends.
    fn add(&mut self, chunk: &[StorageAccess]) -> Result<(), LabError> {
        for access in chunk {
            let time = |from_ns: u64, to_ns: u64| nanoseconds(to_ns.saturating_sub(from_ns));
            let duration = time(access.start_ns, access.end_ns);
            let operation = match access.operation {
                StorageOperation::Read => Operation::Read,
                StorageOperation::Write => Operation::Write,
                StorageOperation::Sync => {
                    self.flushes.record(duration);
                    continue;
                }
            };
            self.done_bytes += self.record_bytes;
            self.lines += 1;
            let kind = &mut self.kinds[operation as usize];
            match &mut self.sums {
                None => kind.latency.record(duration),
                Some(sums) => {
                    let logged = LoggedAccess {
                        operation,
                        duration,
                        bytes: self.record_bytes,
                        offset: Some(access.offset),
                        end: Some(milliseconds(access.end_ns)),
                        line: self.lines,
                    };
                    for sums in sums {
                        if sums.counts(&logged)? {
                            sums.add(&logged)?;
                        }
                    }
                }
            }
            if self.is_paced {
                kind.from_intended
                    .record(time(access.intended_ns, access.end_ns));
                kind.lateness
                    .record(time(access.intended_ns, access.start_ns));
            }
        }
        Ok(())
    }
}

fn nanoseconds(ns: u64) -> Time {
    Time::from_ps(ns.saturating_mul(PS_PER_NS))
}

/// An end as fio's logs state it, in whole milliseconds.
fn milliseconds(ns: u64) -> Time {
    nanoseconds(ns - ns % 1_000_000)
}

/// What the log would say of itself.
fn summary() -> LogSummary {
    LogSummary {
        format: "fio latency log, 6 columns".to_owned(),
        resolution: Some(Time::from_ps(1_000_000_000)),
        ..LogSummary::default()
    }
}

/// The rows of a run.
struct StorageRows<'a> {
    test: &'a HostStorageTest,
    target: &'a String,
    label: &'a str,
    rates: &'a [Rate],
    ran: &'a StorageRun,
    seed: u64,
}

impl StorageRows<'_> {
    fn add(&self, live: LiveStorage<'_>, document: &mut ResultSet) -> Result<(), LabError> {
        let [reads, writes] = &live.kinds;
        let mut sums = live.sums.map(|sums| sums.map(Some));
        for (index, (operation, kind)) in KINDS.into_iter().zip([reads, writes]).enumerate() {
            let sums = sums.as_mut().and_then(|sums| sums[index].take());
            self.kind(operation, kind, sums, document)?;
        }
        if live.flushes.count() > 0 {
            let subject = self.subject(RowOperation::Sync);
            let count = live.flushes.count();
            subject.add(Metric::AccessCount, Ok(count as f64), document);
            subject.latencies(&live.flushes, subject.distribution(), document);
        }
        let subject = self.subject(RowOperation::All);
        let seconds = self.ran.elapsed_ns.max(1) as f64 / 1e9;
        let ops = self.ran.accesses as f64 / seconds;
        subject.add(Metric::OpsRate, Ok(ops), document);
        let each = self.ran.processor_ns as f64 / 1e9 / self.ran.accesses.max(1) as f64;
        subject.add(Metric::ProcessorPerOp, Ok(each), document);
        Ok(())
    }

    /// The rows of reads, or of writes, where there are any.
    fn kind(
        &self,
        operation: Operation,
        kind: &LiveKind,
        sums: Option<AccessSums<'_>>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let subject = self.subject(operation.into());
        let latency = match sums {
            None => &kind.latency,
            Some(sums) if sums.accesses() == 0 => return Ok(()),
            Some(sums) => {
                self.curve(&subject, sums, document)?;
                &kind.latency
            }
        };
        if latency.count() > 0 {
            let count = latency.count();
            subject.add(Metric::AccessCount, Ok(count as f64), document);
            let rate = bytes_per_s(count, self.test.record_bytes, self.ran.elapsed_ns);
            subject.add(Metric::ThroughputMean, Ok(rate), document);
            subject.latencies(latency, subject.distribution(), document);
        }
        if kind.lateness.count() > 0 {
            let intended = subject.at(Axis::LatencyFrom, "intended");
            intended.latencies(&kind.from_intended, intended.distribution(), document);
            for (name, metric) in [
                ("mean", Metric::LatencyMean),
                ("p50", Metric::LatencyP50),
                ("p99", Metric::LatencyP99),
                ("max", Metric::LatencyMax),
            ] {
                let value = percentile(&kind.lateness, metric).ok_or(NoValue::NotApplicable);
                let at = subject.at(Axis::Statistic, name);
                at.add(Metric::StartLateness, value, document);
            }
        }
        Ok(())
    }

    /// The rows that `wordline buffer` gives of the saved log.
    fn curve(
        &self,
        subject: &Subject,
        sums: AccessSums<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        // Its warnings speak to somebody who records a log.
        let mut remarks = ResultSet::new(document.experiment.clone());
        let latency = sums.latency().clone();
        let log = match sums.finish(summary(), &mut remarks) {
            Ok(log) => log,
            Err(LabError::Log { file, problem }) => {
                let problem = &format!("{file}: {problem}");
                document.warn(LabWarning::NoCurve { problem });
                let count = latency.count();
                subject.add(Metric::AccessCount, Ok(count as f64), document);
                subject.latencies(&latency, subject.distribution(), document);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if log.is_of_cache && !self.test.buffered {
            let median = percentile(&latency, Metric::LatencyP50).unwrap_or_default();
            document.warn(LabWarning::QuickStorage {
                target: self.target,
                median: &human(median, "s", 3),
                least: &crate::buffer::log::cache::MEDIAN_MIN,
            });
        }
        let question = BufferWorkload {
            rates_bytes_per_s: self.test.rate_bytes_per_s.into_iter().collect(),
            ..BufferWorkload::of(AccessSource::Log(LogSource::default()))
        };
        debug_assert_eq!(question.rates_bytes_per_s.len(), self.rates.len());
        add_rows(
            subject,
            durations(self.test),
            &log,
            &question,
            self.seed,
            document,
        );
        Ok(())
    }

    fn subject(&self, operation: RowOperation) -> Subject {
        let test = self.test;
        let mut subject = Subject {
            target: self.target.clone(),
            part: test.file.clone(),
            board: self.label.to_owned(),
            workload: "host",
            operation,
            axes: Axes::new(),
            timing: Timing::Typ,
            age: 0.0,
            basis: Basis::Measured,
        }
        .at(Axis::Test, "storage")
        .at(Axis::AccessBytes, test.record_bytes)
        .at(Axis::Pattern, test.pattern.name())
        .at(Axis::Depth, u64::from(test.depth));
        if is_mixed(test) {
            let reads = test.read_share.si();
            let percent = |share: f64| (share * 1e4).round() / 1e2;
            let mix = format!("{}:{}", percent(reads), percent(1.0 - reads));
            subject = subject.at(Axis::Mix, mix.as_str());
        }
        if test.sync_every > 0 {
            let how = format!("{} every {}", test.sync_call.name(), test.sync_every);
            subject = subject.at(Axis::Sync, how.as_str());
        }
        subject
    }
}

/// The log of the accesses, in the form of fio 3: time in ms, latency in ns, direction, bytes, offset, priority.
struct AccessLog {
    out: Option<BufWriter<Box<dyn Write>>>,
    line: Vec<u8>,
}

impl AccessLog {
    fn open(control: &Control<'_>) -> Result<Self, LabError> {
        const BUFFER: usize = 1 << 20;
        let out = control.access_log.map(|create| create()).transpose();
        Ok(Self {
            out: out
                .map_err(unwritten)?
                .map(|out| BufWriter::with_capacity(BUFFER, out)),
            line: Vec::with_capacity(128),
        })
    }

    /// Writes accesses. Flushes have no line of their own in a log of fio: the write before lasts until they end.
    fn write(&mut self, chunk: &[StorageAccess], bytes: u64) -> Result<(), LabError> {
        let Some(out) = &mut self.out else {
            return Ok(());
        };
        for access in chunk {
            let direction = match access.operation {
                StorageOperation::Read => 0,
                StorageOperation::Write => 1,
                StorageOperation::Sync => continue,
            };
            self.line.clear();
            let latency_ns = access.end_ns.saturating_sub(access.start_ns);
            for (index, value) in [
                access.end_ns / 1_000_000,
                latency_ns,
                direction,
                bytes,
                access.offset,
                0,
            ]
            .into_iter()
            .enumerate()
            {
                if index > 0 {
                    self.line.extend_from_slice(b", ");
                }
                push_decimal(&mut self.line, value);
            }
            self.line.push(b'\n');
            out.write_all(&self.line).map_err(unwritten)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), LabError> {
        self.out
            .as_mut()
            .map_or(Ok(()), BufWriter::flush)
            .map_err(unwritten)
    }
}

fn unwritten(source: io::Error) -> LabError {
    LabError::Unwritten {
        what: "log of the accesses",
        source,
    }
}

/// The digits of a number; the formatting of the standard library takes several times as long.
fn push_decimal(line: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[first..]);
}
