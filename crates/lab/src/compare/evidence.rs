//! What makes a log weak evidence of its memory, so that a verdict on it is not certain whatever its figures are.
//!
//! The durations may be those of something else, their unit a guess, their order lost; the log may be too short, or leave
//! out what the work needs, such as flushes. Each weakness names itself as what the verdict depends on, and says in a note
//! what would end it.

use wordline_core::quantity::{ByteCount, Quantity as _, Time, human};
use wordline_core::{CompareWorkload, Durations};
use wordline_trace::Oddity;

use crate::backlog::{Demand, Rate};
use crate::buffer::analysis::BufferFindings;
use crate::buffer::log::{ACCESSES_MIN, MeasuredLog};
use crate::buffer::provision::whole_records;

/// Of so many accesses one may be left out, or out of order, before a log counts as broken.
const FEW: u64 = 100;

/// A reason why a log says less than its figures.
pub(super) struct LogWeakness {
    /// What the verdict depends on.
    pub(super) name: &'static str,
    /// What there is to know of it.
    pub(super) note: String,
    /// Which failures it leaves open; a pass is left open by all.
    opens: OpenFailures,
}

/// The failures that may be passes all the same.
#[derive(Clone, Copy)]
enum OpenFailures {
    /// Every one: the figures are not those of the memory.
    All,
    /// None: what is left out makes it no better.
    None,
    /// Those by these limits alone.
    By(&'static [&'static str]),
}

impl LogWeakness {
    /// Whether it leaves a verdict open, from the limits that the log fails.
    pub(super) fn leaves_open(&self, failing: &[&str]) -> bool {
        match self.opens {
            _ if failing.is_empty() => true,
            OpenFailures::All => true,
            OpenFailures::None => false,
            OpenFailures::By(limits) => failing.iter().all(|limit| limits.contains(limit)),
        }
    }
}

/// What is weak about a log, the worst first, from the RAM to provide in bytes.
pub(super) fn weaknesses(
    log: &MeasuredLog,
    study: &CompareWorkload,
    ram: Option<f64>,
) -> Vec<LogWeakness> {
    let odd =
        |of: &dyn Fn(&Oddity) -> Option<LogWeakness>| log.summary.oddities.iter().find_map(of);
    let all = [
        page_cache(log),
        odd(&unit),
        odd(&contradiction),
        resolution(log, study, ram),
        too_few(log),
        odd(&|oddity| out_of_order(oddity, log)),
        odd(&|oddity| left_out(oddity, log)),
        coverage(log),
        flush(log, study),
        retention(study),
    ];
    all.into_iter().flatten().collect()
}

fn weakness(
    name: &'static str,
    opens: OpenFailures,
    note: impl Into<String>,
) -> Option<LogWeakness> {
    let note = note.into();
    Some(LogWeakness { name, note, opens })
}

/// Durations of a cache in RAM.
fn page_cache(log: &MeasuredLog) -> Option<LogWeakness> {
    let mut oddities = log.summary.oddities.iter();
    let says_so = oddities.any(|one| matches!(one, Oddity::Buffered { .. }));
    if !log.is_of_cache && !says_so {
        return None;
    }
    weakness(
        "page cache",
        OpenFailures::All,
        "its durations are those of a page cache, not of the memory: record with direct=1 and sync=1",
    )
}

/// A unit that nothing states.
fn unit(oddity: &Oddity) -> Option<LogWeakness> {
    let note = match oddity {
        Oddity::UnitTaken {
            column,
            unit,
            option,
            ..
        } => format!("the unit of its column {column} is a guess ({unit}), which {option} ends"),
        Oddity::UnitAssumed => {
            "the unit of its values is a guess (ns), which --log-unit ends".to_owned()
        }
        _ => return None,
    };
    weakness("unit not stated", OpenFailures::All, note)
}

/// Times that do not belong together.
fn contradiction(oddity: &Oddity) -> Option<LogWeakness> {
    let Oddity::Contradiction { count, .. } = oddity else {
        return None;
    };
    let note = format!("{count} of its durations contradict its starts and ends");
    weakness("contradicting times", OpenFailures::All, note)
}

/// Too few accesses to be a sample.
fn too_few(log: &MeasuredLog) -> Option<LogWeakness> {
    let accesses = log.findings.latency.count();
    if accesses >= ACCESSES_MIN {
        return None;
    }
    let seen = match accesses {
        1 => "its one access is".to_owned(),
        many => format!("its {many} accesses are"),
    };
    let note = format!("{seen} no sample of what the memory does: record {ACCESSES_MIN} or more");
    // What a single access took has happened.
    weakness(
        "too few accesses",
        OpenFailures::By(&["rate", "energy"]),
        note,
    )
}

/// A clock whose steps are so long that one more of them in each access turns a pass.
fn resolution(log: &MeasuredLog, study: &CompareWorkload, ram: Option<f64>) -> Option<LogWeakness> {
    let step = log.clock;
    if step == Time::ZERO {
        return weakness(
            "resolution",
            OpenFailures::All,
            "none of its durations is above 0, so that it tells nothing of the memory: record with a finer clock",
        );
    }
    let limits = &study.limits;
    let latency = limits.latency.zip(log.findings.latency.max());
    let longer = LongerAccesses::of(log, study);
    let limit = if latency.is_some_and(|(most, seen)| seen.si() + step.si() > most.si()) {
        "latency"
    } else if !longer.sustains(study.work.rate.si()) {
        "rate"
    } else {
        let (most, ram) = limits.ram.zip(ram)?;
        (ram + longer.ram() > most.si()).then_some("RAM")?
    };
    let note = format!(
        "its durations come in steps of {step}, and with one step more in each it no longer passes by {limit}: record with \
         a finer clock"
    );
    weakness("resolution", OpenFailures::None, note)
}

/// The accesses of a log, each of them up to a step of its clock longer.
struct LongerAccesses<'a> {
    findings: &'a BufferFindings,
    step_s: f64,
    /// How much longer any number of consecutive ones can have taken together, in seconds: as the times between them
    /// allow, where the log tells when they started.
    stretch_s: Option<f64>,
}

impl<'a> LongerAccesses<'a> {
    fn of(log: &'a MeasuredLog, study: &CompareWorkload) -> Self {
        let (findings, step_s) = (&log.findings, log.clock.si());
        let busy_s = findings.curve.duration().si();
        let stretch_s = match study.durations {
            // Where the format tells its steps, RAM has them already.
            Some(Durations::StartToStart) if log.summary.resolution.is_some() => Some(0.0),
            Some(Durations::StartToStart) => Some(2.0 * step_s),
            _ => log
                .shares
                .map(|(least, _)| (busy_s / least - busy_s).max(0.0) + 2.0 * step_s),
        };
        Self {
            findings,
            step_s,
            stretch_s,
        }
    }

    /// Whether they sustain a rate in bytes a second.
    fn sustains(&self, rate: f64) -> bool {
        let curve = &self.findings.curve;
        let all_s = curve.accesses() as f64 * self.step_s;
        let more_s = self.stretch_s.map_or(all_s, |stretch| stretch.min(all_s));
        rate * (curve.duration().si() + more_s) <= curve.bytes().si()
    }

    /// Bytes of RAM that they need beyond what was seen, at the rate of the study.
    fn ram(&self) -> f64 {
        let curve = &self.findings.curve;
        let Some(played) = self.findings.rates.first() else {
            return 0.0;
        };
        let rate = played.rate.bytes_per_second();
        let seen = played.peaks.fluid.in_flight.bytes();
        // What comes in a step is taken off the bytes of each access: the same curve on another scale.
        let meanwhile = rate * self.step_s;
        let share = 1.0 - meanwhile / self.findings.smallest as f64;
        let of_each = match Rate::from_bytes_per_second(rate / share)
            .map(|faster| curve.demand(faster))
        {
            Ok(Demand::Bounded(peaks)) => share * peaks.fluid.in_flight.bytes() + meanwhile - seen,
            _ => f64::INFINITY,
        };
        let of_stretch = self
            .stretch_s
            .map_or(f64::INFINITY, |stretch| rate * stretch);
        let more = of_each.min(of_stretch).max(0.0);
        match curve.record() {
            Some(record) => {
                let whole = |bytes| whole_records(bytes, record.si());
                whole(seen + more) - whole(seen)
            }
            None => more,
        }
    }
}

/// Accesses in another order than that of their time.
fn out_of_order(oddity: &Oddity, log: &MeasuredLog) -> Option<LogWeakness> {
    let Oddity::BackwardsTime { count, most, .. } = oddity else {
        return None;
    };
    let step = log.summary.resolution.unwrap_or(Time::ZERO);
    if *most <= step && count.saturating_mul(FEW) <= log.findings.latency.count() {
        return None;
    }
    let note = format!(
        "its accesses are out of order {count} times, and RAM rests on how many long ones follow each other"
    );
    weakness("order of accesses", OpenFailures::By(&["ram"]), note)
}

/// Accesses that are missing, or durations that are too short.
fn left_out(oddity: &Oddity, log: &MeasuredLog) -> Option<LogWeakness> {
    let accesses = log.findings.latency.count();
    let (name, note) = match oddity {
        Oddity::Lost { count, .. } => (
            "lost records",
            format!("{count} of its records were lost while they were recorded"),
        ),
        Oddity::Unmatched { count, what, .. } if count.saturating_mul(FEW) > accesses => {
            ("unmatched records", format!("it has {count} {what}"))
        }
        Oddity::ClockGap { wraps, .. } => (
            "wraps of the counter",
            format!("its counter wrapped {wraps} times unseen, so that durations may be too short"),
        ),
        _ => return None,
    };
    weakness(name, OpenFailures::None, note)
}

/// Nothing shows whether time between accesses is left out.
fn coverage(log: &MeasuredLog) -> Option<LogWeakness> {
    if log.shares.is_some() {
        return None;
    }
    weakness(
        "unknown coverage",
        OpenFailures::None,
        "nothing shows whether it leaves out time between accesses: record when each access starts",
    )
}

/// Flushes that the work needs and the log does not show.
fn flush(log: &MeasuredLog, study: &CompareWorkload) -> Option<LogWeakness> {
    if study.log_flushed || study.work.reads() >= 1.0 {
        return None;
    }
    let every = study.limits.flush_bytes(&study.work)?;
    let curve = &log.findings.curve;
    let moved = curve.bytes().si();
    // What one access moves is safe at its end at the earliest.
    let allowed = every.max(curve.largest_record().si());
    // A recording may end before the last flush.
    if (log.summary.flushes + 1) as f64 * allowed >= moved && log.summary.flushes > 0 {
        return None;
    }
    let wanted = human(every, "B", 3);
    let note = match log.summary.flushes {
        0 => format!(
            "the work flushes every {wanted}, and the log records no flush: --log-flushed says that each of its accesses \
             waited until its data were safe"
        ),
        some => format!(
            "the work flushes every {wanted}, and the log every {}",
            human((moved / some as f64).round(), "B", 3)
        ),
    };
    weakness("flush not recorded", OpenFailures::None, note)
}

/// How long data must keep, which no log of accesses shows.
fn retention(study: &CompareWorkload) -> Option<LogWeakness> {
    let retain = study.work.retain?;
    let celsius = study.work.celsius();
    let note =
        format!("a log does not tell whether data keep for {retain} at {celsius} degrees Celsius");
    weakness("retention", OpenFailures::None, note)
}

/// Data to keep that the log never wrote: how much the memory holds is unknown.
pub(super) fn capacity(log: &MeasuredLog, study: &CompareWorkload) -> Option<LogWeakness> {
    let keep = study.work.keep?.bytes(study.work.rate);
    let moved = log.findings.curve.bytes();
    if keep <= moved.si() {
        return None;
    }
    let keep = ByteCount::from_bytes(keep as u64);
    let note = format!(
        "a log does not tell how much the memory holds: {keep} are to be kept, and the log moved {moved}"
    );
    weakness("capacity", OpenFailures::None, note)
}
