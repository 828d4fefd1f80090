//! The work of a study, carried out on a device.

use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::{BackgroundWork, CompareWorkload, Operation, TraceSource, WorkKind};
use wordline_nvm::{Device, NvmError, TranslationReport, Wear};

use super::candidate::{Unfit, refused};
use crate::backlog::{BacklogError, Rate, StartUp};
use crate::buffer::analysis::{Analysis, BufferFindings};
use crate::buffer::open_loop::arrival;
use crate::buffer::stream::{self, OPEN_LOOP_MAX, StreamFailure, play};
use crate::buffer::trace::{Replay, TraceSummary};
use crate::control::Control;
use crate::during::{BusyMemory, During, OnConflict, readable_bytes};
use crate::error::LogProblem;
use crate::instrument::reading::{AccountsReading, PeriodUsage};
use crate::payload::Payload;
use crate::state;
use crate::translation;
use crate::work::{AccessHistory, Plan, Player, Step};

/// The most accesses of a run, in which reads may be many for each write.
const STEPS_MAX: u64 = 4 << 20;

/// Records that a run at the asked rate follows.
const PACED_MAX: u64 = 4096;

/// Records that a run of a memory follows which cleans up behind its user, and as many before them: what
/// it cleans comes in waves.
const LAYER_RECORDS: u64 = 1 << 15;

/// Times that a run goes through the longest of the periods in which a firmware does its own work: whatever comes once in
/// each of them comes in the run.
const OWN_PERIODS: u64 = 2;

/// The most records that a run follows for that.
const OWN_RECORDS_MAX: u64 = 1 << 20;

/// Records up to which a warm-up goes on until such a memory has used up its spare blocks, so that it has to clean.
const LAYER_WARM_MAX: u64 = 1 << 20;

/// Records of a run in a file.
const FILE_RECORDS: u64 = 4096;

/// The most records of the warm-up in a file.
const FILE_WARM_MAX: u64 = 1 << 14;

/// Times that a file system has erased all of its part of the memory when the warm-up ends, so that it was written twice
/// over with what formats and fills it.
const WARM_OVER: f64 = 1.0;

/// The same of the run, of a file system that erases far more than it is given.
const RUN_OVER: f64 = 8.0;

/// Records from one look at whether a run has failed a limit to the next.
const LOOKS: u64 = 64;

/// Reads of a memory that erases or programs meanwhile: they come at any moment of some two thousand pieces of that work.
const BUSY_READS: u64 = 4096;

/// What is above a limit by less may be a matter of rounding.
const ROUNDING: f64 = 1.0 + 1e-9;

/// The longest time that a warm-up is left to settle: longer than any erase.
const SETTLE_MAX: Time = Time::from_ps(3_600_000_000_000_000);

/// How fast accesses follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Each begins when the one before it has ended.
    Fast,
    /// Each waits for its data, which come at the asked rate.
    AtRate,
}

/// Where a run ends because it fails a limit whatever comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ceilings {
    /// Most bytes in flight at the asked rate.
    in_flight: f64,
    /// Longest access in seconds.
    latency_s: f64,
}

impl Ceilings {
    /// Where a run at the asked rate fails what a study allows of RAM, bytes at risk and latency.
    /// A file system takes so much of the RAM itself.
    pub(super) fn of(study: &CompareWorkload, files_ram: f64) -> Self {
        let limits = &study.limits;
        let bytes = |limit: Option<ByteCount>| limit.map_or(f64::INFINITY, Quantity::si);
        let risk = limits.bytes_at_risk.filter(|_| study.work.reads() < 1.0);
        let allowed = (bytes(limits.ram) - files_ram).min(bytes(risk));
        Self {
            // One record is gathered while others are in flight.
            in_flight: allowed - study.work.record.si(),
            latency_s: limits.latency.map_or(f64::INFINITY, Quantity::si),
        }
    }
}

/// What is to be carried out.
pub(super) struct Exercise<'a> {
    pub(super) study: &'a CompareWorkload,
    pub(super) plan: &'a Plan,
    /// Of the bytes that the buffer holds.
    pub(super) rate: Rate,
    pub(super) in_turn: bool,
    /// Bytes of the memory that a file system has, where the work is in its file.
    pub(super) volume_bytes: Option<u64>,
    /// Where runs of records end early; `None` where all that they show is wanted.
    pub(super) ceilings: Option<Ceilings>,
    /// Whether limits alone are asked, so that what no limit is about is left out.
    pub(super) limits_alone: bool,
    pub(super) control: &'a Control<'a>,
}

/// A device behind the warm-up, from which runs at any pace go on.
pub(super) struct WarmDevice {
    device: Box<dyn Device>,
    past: AccessHistory,
    progress: WarmUp,
}

/// How far a warm-up went, and what comes behind it.
#[derive(Clone, Copy)]
struct WarmUp {
    /// Accesses of the warm-up, and the records among them.
    steps: u64,
    records: u64,
    /// Records with those of the run behind it.
    wanted: u64,
    /// Records of a run that shows all that the firmware does of its own.
    telling: u64,
    /// When the last block of the warm-up was begun.
    block_began: Time,
}

impl WarmDevice {
    fn fresh(player: &Player<'_>, records: u64, wanted: u64) -> Self {
        let (device, past) = player.fork();
        Self {
            device,
            past,
            progress: WarmUp {
                steps: 0,
                records,
                wanted,
                telling: 0,
                block_began: Time::ZERO,
            },
        }
    }
}

impl WarmDevice {
    /// The same with times, currents and endurance of another device of the part; `None` where the model has no way to
    /// take them, and has to be warmed up anew. What a warm-up leaves does not depend on how long its accesses took.
    pub(super) fn with_figures_of(&self, other: &dyn Device) -> Option<Self> {
        let mut warm = self.fork();
        warm.device.take_figures(other).then_some(warm)
    }

    /// Another one in the same state.
    pub(super) fn fork(&self) -> Self {
        Self {
            device: self.device.fork_device(),
            past: self.past.clone(),
            progress: self.progress,
        }
    }
}

/// The work, carried out.
pub(super) struct ExerciseRun {
    pub(super) findings: BufferFindings,
    /// The accounts behind the warm-up and at the end.
    pub(super) accounts: [AccountsReading; 2],
    /// What the device had worn by the end, a warm-up included.
    pub(super) wear: Wear,
    /// Cycles that the run brought the unit that it wore most, of the part of the memory that a file system has.
    pub(super) cycles_most: u64,
    /// Bytes that a power cut could take of what was written.
    pub(super) volatile_bytes: u64,
    /// Bytes that its flash had taken by the end, with what lay there before.
    pub(super) taken: u64,
    /// What was seen of a trace.
    pub(super) told: Option<TraceSummary>,
    /// Whether it was long enough to show all that the memory's firmware does of its own.
    pub(super) is_telling: bool,
}

impl ExerciseRun {
    /// What it took and wore, a warm-up excluded, by the currents of a device.
    pub(super) fn usage(&self, device: &dyn Device) -> PeriodUsage {
        let [before, after] = self.accounts.clone();
        after.drawing(device).since(&before)
    }
}

/// What the runs of a candidate showed. Currents, endurance and prices change nothing about it.
pub(super) struct CandidateRuns {
    /// As fast as it can; `None` where a run at the asked rate is enough.
    pub(super) fast: Option<ExerciseRun>,
    /// At the asked rate, where that is sustained.
    pub(super) paced: Option<ExerciseRun>,
    /// The longest read while the memory erases or programs, and what a read does about that.
    pub(super) busy: Option<(Time, OnConflict)>,
}

impl Exercise<'_> {
    /// A device behind its warm-up, from that of another with other figures where its model allows that.
    pub(super) fn warm(
        &self,
        device: &dyn Device,
        other: Option<&WarmDevice>,
    ) -> Result<WarmDevice, Unfit> {
        match other.and_then(|warm| warm.with_figures_of(device)) {
            Some(warm) => Ok(warm),
            None => self.warm_up(self.prepare(device)?),
        }
    }

    /// A fork of a device that holds what the work finds there. What is read was written before. A memory that cleans
    /// up behind its user holds the data to keep long before the end of its life; and a card in use is a full one,
    /// whatever the data to keep, because discards are rare in practice.
    pub(super) fn prepare(&self, device: &dyn Device) -> Result<Box<dyn Device>, Unfit> {
        let mut device = device.fork_device();
        let tidies = device.translation().is_some();
        let told = self.study.work.fill.map(Quantity::si).filter(|_| tidies);
        let share = told.unwrap_or(if tidies && device.holds_words() {
            1.0
        } else {
            0.0
        });
        let unfit = |error: NvmError| Unfit::Limit("fit", error.to_string());
        let bytes = state::share_bytes(device.as_ref(), share);
        device.preload_zeros(0, bytes).map_err(unfit)?;
        if self.plan.reads > 0.0 || self.volume_bytes.is_some() || (tidies && told.is_none()) {
            let payload = self.payload(device.as_ref());
            let bytes = self.kept();
            state::fill(device.as_mut(), bytes, &payload, 0, self.control).map_err(unfit)?;
        }
        Ok(device)
    }

    /// Bytes of the range that the work is in.
    fn kept(&self) -> u64 {
        self.plan.places() * self.plan.record_bytes
    }

    fn payload(&self, device: &dyn Device) -> Payload {
        // A trace has accesses of any size.
        let size = match self.study.work.kind {
            WorkKind::Replay => 1,
            _ => self.plan.record_bytes,
        };
        Payload::suited(self.plan.seed, device, std::iter::once(size))
    }

    /// Warms a [prepared](Self::prepare) device up: the runs at any pace begin alike.
    fn warm_up(&self, mut device: Box<dyn Device>) -> Result<WarmDevice, Unfit> {
        let payload = self.payload(device.as_ref());
        let unit = translation::overwrite_bytes(device.as_ref());
        let telling = self.telling(device.as_ref(), self.plan.record_bytes);
        let mut player = Player::new(device.as_mut(), &payload);
        if self.study.work.kind == WorkKind::Replay {
            return Ok(WarmDevice::fresh(&player, 0, 0));
        }
        self.settle(&mut player, unit, telling)
            .map_err(|stop| unfit(stop, unit))
    }

    /// Records of so many bytes after which a firmware has done whatever it does from time to time, several times; none
    /// where nothing is written.
    fn telling(&self, device: &dyn Device, record: u64) -> u64 {
        let period = device.own_period(record);
        let period = period.filter(|_| self.study.work.reads() < 1.0);
        period.map_or(0, |period| period.saturating_mul(OWN_PERIODS))
    }

    /// Carries out the work on a [warm](Self::warm_up) device.
    pub(super) fn run(&self, warm: WarmDevice, pace: Pace) -> Result<ExerciseRun, Unfit> {
        let fault = |error: BacklogError| Unfit::Study(error.into());
        let WarmDevice {
            mut device,
            past,
            progress,
        } = warm;
        let payload = self.payload(device.as_ref());
        let unit = translation::overwrite_bytes(device.as_ref());
        let cycles = self.cycles(device.as_ref());
        let mut player = Player::resume(device.as_mut(), &payload, past);
        let analysis = Analysis::new(StartUp::default(), &[self.rate]).map_err(fault)?;
        let mut analysis = analysis.without_courses();
        // How long RAM takes to be written is what the hold-up is made of.
        if self.limits_alone && self.study.limits.holdup.is_none() {
            analysis = analysis.for_limits();
        }
        let ended = match &self.study.work.trace {
            Some(trace) if self.study.work.kind == WorkKind::Replay => {
                self.replay(trace, &mut player, &mut analysis)
            }
            _ => self.records(&mut player, &mut analysis, unit, pace, &progress),
        };
        let (accounts, told) = ended.map_err(|stop| unfit(stop, unit))?;
        drop(player);
        if analysis.accesses() == 0 {
            let file = self.study.work.trace.as_deref().unwrap_or_default();
            return Err(Unfit::Study(LogProblem::NoneOf("write").of(file)));
        }
        let accesses = analysis.accesses();
        let findings = analysis.finish().map_err(fault)?;
        let telling = match told {
            // Of a trace, as many as accesses of its mean size.
            Some(_) => self.telling(device.as_ref(), findings.curve.bytes().bytes() / accesses),
            None => progress.telling,
        };
        Ok(ExerciseRun {
            findings,
            accounts,
            wear: device.wear(),
            cycles_most: (cycles.iter().zip(self.cycles(device.as_ref())))
                .map(|(before, now)| now - before)
                .max()
                .unwrap_or(0),
            volatile_bytes: device.volatile_bytes(),
            is_telling: accesses >= telling,
            taken: device.translation().map_or(0, |now| {
                self.held_before(device.as_ref()) + programmed(&now)
            }),
            told,
        })
    }

    /// The longest of many reads anywhere in the data while a [warm](Self::warm_up) device erases or programs, and what a
    /// read does about that; `None` for a memory that does neither by itself.
    pub(super) fn busy_reads(
        &self,
        warm: &WarmDevice,
        work: BackgroundWork,
    ) -> Result<Option<(Time, OnConflict)>, Unfit> {
        let mut device = warm.device.fork_device();
        let payload = self.payload(device.as_ref());
        let Some(memory) = device.background() else {
            return Ok(None);
        };
        let on_conflict = match memory.check_suspend(work) {
            Ok(()) => OnConflict::Suspend,
            Err(_) => OnConflict::Wait,
        };
        let record = self.plan.record_bytes;
        let places = self.kept().min(readable_bytes(memory)) / record;
        if places == 0 {
            let why = "no block is left to be erased while it is read";
            return Err(Unfit::Limit("capacity", why.to_owned()));
        }
        let seed = self.plan.seed;
        let during = During { work, on_conflict };
        let range = places * record;
        let busy = BusyMemory::new(memory, during, range, None, &payload, seed);
        let unfit = |error: NvmError| Unfit::Limit("fit", error.to_string());
        let mut busy = busy.map_err(unfit)?;
        let mut buffer = vec![0; record as usize];
        let mut longest = Time::ZERO;
        for index in 0..BUSY_READS {
            if index.is_multiple_of(stream::BREATH) && self.control.stopped() {
                return Err(Unfit::Stopped);
            }
            let place = draw(seed, 0, index, Purpose::Address) % places;
            let cost = busy.read(index, place * record, &mut buffer);
            longest = longest.max(cost.map_err(unfit)?.total());
        }
        Ok(Some((longest, on_conflict)))
    }

    /// Bytes that lie on a device with a layer before the work.
    fn held_before(&self, device: &dyn Device) -> u64 {
        match self.study.work.fill {
            Some(told) => state::share_bytes(device, told.si()),
            None if device.holds_words() => device.len(),
            None => self.kept(),
        }
    }

    /// Whether the buffer holds an access: what is stored, or what is read where nothing is.
    fn counts(&self, step: &Step) -> bool {
        step.operation == Operation::Write || self.plan.reads >= 1.0
    }

    fn replay(
        &self,
        trace: &str,
        player: &mut Player<'_>,
        analysis: &mut Analysis,
    ) -> Result<([AccountsReading; 2], Option<TraceSummary>), Stop> {
        let source = TraceSource {
            file: trace.to_owned(),
            format: None,
            job: None,
            operation: Operation::Write,
        };
        let study = |error| Stop::Unfit(Unfit::Study(error));
        let capacity = player.capacity();
        let mut replay = Replay::open(&source, capacity, self.control).map_err(study)?;
        let before = player.accounts();
        let steps = replay.by_ref().map(|(step, _)| step);
        let mut breathe = |_| self.control.stopped();
        let ended = play(
            player,
            steps,
            analysis,
            |step| self.counts(step),
            &mut breathe,
        );
        let told = replay.finish(trace).map_err(study)?;
        if !ended? {
            return Err(Stop::Unfit(Unfit::Stopped));
        }
        if told.cut > 0 {
            let why = format!(
                "{} accesses of the trace are larger than the memory",
                told.cut
            );
            return Err(Stop::Unfit(Unfit::Limit("capacity", why)));
        }
        Ok(([before, player.accounts()], Some(told)))
    }

    /// Carries out the warm-up of records: until chips in turn erase ahead, or until a memory that cleans up behind its
    /// user has to clean.
    fn settle(&self, player: &mut Player<'_>, unit: u64, telling: u64) -> Result<WarmDevice, Stop> {
        let places = self.plan.places();
        let tidies = player.translation().is_some();
        // Chips in turn erase ahead in the order of their blocks, and a range that starts over before the
        // memory ends would have them erase what is not needed next. They have erased ahead once the
        // log has come as far as both of them.
        let (run, mut warm) = if self.volume_bytes.is_some() {
            (FILE_RECORDS, FILE_WARM_MAX)
        } else if self.in_turn {
            let warm = (2 * unit / self.plan.record_bytes).min(places - 1);
            (places - warm, warm)
        } else if tidies {
            let records = LAYER_RECORDS.min(2 * places);
            (records.max(telling.min(OWN_RECORDS_MAX)), records)
        } else {
            (2 * places, 0)
        };
        let more = warm;
        let a_block = unit / self.plan.record_bytes;
        let mut block_began = player.now();
        let (mut steps, mut counted) = (0, 0);
        let before = player.accounts();
        for (index, step) in (0..STEPS_MAX).zip(self.plan.steps(STEPS_MAX)) {
            if counted == warm {
                break;
            }
            if counted > 0 && counted % LOOKS == 0 && self.erased(player, &before, WARM_OVER) {
                warm = counted;
                break;
            }
            if index % stream::BREATH == 0 && self.control.stopped() {
                return Err(Stop::Unfit(Unfit::Stopped));
            }
            if counted + a_block == warm {
                block_began = player.now();
            }
            player.carry_out(&step).map_err(StreamFailure::from)?;
            steps = index + 1;
            counted += u64::from(self.counts(&step));
            // Nothing has to be cleaned for reads.
            if counted == warm && tidies && self.plan.reads < 1.0 && !settled(player) {
                warm += more.min(LAYER_WARM_MAX.saturating_sub(warm));
            }
        }
        let mut device = WarmDevice::fresh(player, warm, warm + run);
        device.progress = WarmUp {
            steps,
            block_began,
            telling,
            ..device.progress
        };
        Ok(device)
    }

    /// Records of a plan behind a warm-up: whole passes of what the buffer holds, with whatever else comes between.
    fn records(
        &self,
        player: &mut Player<'_>,
        analysis: &mut Analysis,
        unit: u64,
        pace: Pace,
        warm: &WarmUp,
    ) -> Result<([AccountsReading; 2], Option<TraceSummary>), Stop> {
        let records = warm.records;
        let tidies = player.translation().is_some();
        let wanted = match pace {
            Pace::AtRate if !tidies => warm.wanted.min(PACED_MAX + records),
            Pace::Fast | Pace::AtRate => warm.wanted,
        };
        // A warm-up is run through, and the input begins behind it: not before a block of it would have been
        // filled at the asked rate, which is how long the other chip has had to erase by then.
        if records > 0 && pace == Pace::AtRate {
            let a_block = unit / self.plan.record_bytes;
            let fill = arrival(a_block, self.plan.record_bytes, 0, self.rate);
            let fill = fill.map_or(SETTLE_MAX, |fill| {
                Time::from_ps(fill.ps().min(SETTLE_MAX.ps()))
            });
            player.idle_until(warm.block_began.plus(fill));
        }
        let began = player.now();
        let before = player.accounts();
        let mut counted = records;
        let mut delay = Time::ZERO;
        // Those that count come in order.
        let steps = self.plan.steps_behind(warm.steps, records);
        for (index, step) in (warm.steps..STEPS_MAX).zip(steps) {
            if index % stream::BREATH == 0 && self.control.stopped() {
                return Err(Stop::Unfit(Unfit::Stopped));
            }
            let counts = self.counts(&step);
            if counts && pace == Pace::AtRate {
                match arrival(counted - records, self.plan.record_bytes, 0, self.rate) {
                    Some(at) if at <= OPEN_LOOP_MAX => player.idle_until(began.plus(at)),
                    _ => break,
                }
            }
            let duration = player.carry_out(&step).map_err(StreamFailure::from)?;
            let together = delay.checked_plus(duration).ok_or(BacklogError::TooMuch);
            let together = together.map_err(StreamFailure::from)?;
            if !counts {
                delay = together;
                continue;
            }
            delay = Time::ZERO;
            counted += 1;
            analysis
                .push(together, step.bytes)
                .map_err(StreamFailure::from)?;
            if counted == wanted {
                break;
            }
            if !counted.is_multiple_of(LOOKS) {
                continue;
            }
            let bytes = (wanted - records) * self.plan.record_bytes;
            if self.erased(player, &before, RUN_OVER) {
                break;
            }
            if let Some(limit) = self.exceeded(analysis, pace, bytes) {
                let why = "the rest of the run changes nothing about that".to_owned();
                return Err(Stop::Unfit(Unfit::Limit(limit, why)));
            }
        }
        Ok(([before, player.accounts()], None))
    }

    /// Cycles of each unit of the part of the memory that a file system has.
    fn cycles(&self, device: &dyn Device) -> Vec<u64> {
        let unit = device.wear().unit_bytes.max(1);
        let units = (0..self.volume_bytes.unwrap_or(0)).step_by(unit as usize);
        units.map_while(|at| device.cycles_at(at)).collect()
    }

    /// Whether a file system has erased its part of the memory so many times over since a reading.
    fn erased(&self, player: &Player<'_>, since: &AccountsReading, times: f64) -> bool {
        self.volume_bytes.is_some_and(|volume| {
            let now = player.accounts();
            let unit = now.wear.as_ref().map_or(0, |wear| wear.unit_bytes);
            now.since(since).cycles * unit as f64 >= times * volume as f64
        })
    }

    /// The limit that a run of so many bytes fails, whatever comes in the rest of it.
    fn exceeded(&self, analysis: &Analysis, pace: Pace, bytes: u64) -> Option<&'static str> {
        let ceilings = self.ceilings.as_ref()?;
        let beyond = |found: f64, most: f64| found > most * ROUNDING;
        if pace == Pace::Fast {
            let most = bytes as f64 / self.rate.bytes_per_second();
            return beyond(analysis.elapsed().si(), most).then_some("rate");
        }
        let in_flight = analysis.most_in_flight().unwrap_or(0.0);
        let longest = analysis.longest_access().map_or(0.0, Quantity::si);
        match () {
            () if beyond(in_flight, ceilings.in_flight) => Some("ram"),
            () if beyond(longest, ceilings.latency_s) => Some("latency"),
            () => None,
        }
    }
}

/// Why a run did not come to its end, of a memory that overwrites `unit` bytes at once.
fn unfit(stop: Stop, unit: u64) -> Unfit {
    match stop {
        Stop::Unfit(unfit) => unfit,
        Stop::Failure(StreamFailure::Access(error)) => refused(&error, unit),
        Stop::Failure(StreamFailure::Device(error)) => refused(&error.into(), unit),
        Stop::Failure(StreamFailure::Backlog(error)) => Unfit::Study(error.into()),
        Stop::Failure(StreamFailure::Stopped) => Unfit::Stopped,
    }
}

/// Bytes of the pages that a layer programmed.
fn programmed(layer: &TranslationReport) -> u64 {
    let work = &layer.work;
    let moved = work.cleaned + work.merged + work.folded + work.leveled;
    (work.written + moved) * layer.page_bytes
}

/// Whether a layer has written more than its spare blocks hold, so that it had to clean some.
fn settled(player: &Player<'_>) -> bool {
    let report = player.translation();
    report
        .is_none_or(|now| programmed(&now) >= now.physical_bytes.saturating_sub(player.capacity()))
}

/// Why a run did not come to its end.
enum Stop {
    Unfit(Unfit),
    Failure(StreamFailure),
}

impl From<StreamFailure> for Stop {
    fn from(failure: StreamFailure) -> Self {
        Self::Failure(failure)
    }
}
