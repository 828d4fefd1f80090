//! One candidate in one timing class: run, and what follows for RAM, life, energy, risk and price.

use wordline_catalog::Target;
use wordline_core::quantity::{ByteCount, Current, Quantity};
use wordline_core::results::NoValue;
use wordline_core::{
    Arrival, Basis, CompareWorkload, Experiment, Operation, Pattern, Timing, TraceSource, WorkKind,
};
use wordline_nvm::power::PowerState;
use wordline_nvm::{Conditions, Device, NvmError};

use super::judge::Figures;
use crate::backlog::{BacklogError, Demand, Rate, StartUp};
use crate::buffer::analysis::{Analysis, Findings};
use crate::buffer::rows::{limit, pair, safe_rate};
use crate::buffer::stream::{self, Failure, play};
use crate::buffer::trace::Replay;
use crate::control::Control;
use crate::error::LabError;
use crate::payload::Payload;
use crate::work::{Plan, Player, Spent, Step};

/// Bytes of the range that a run exercises: a part behaves alike everywhere.
const RANGE: u64 = 2 << 20;

/// A part on a board, alone or as two chips in turn.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) target: Target<'a>,
    /// Whether two chips work in turn.
    pub(super) in_turn: bool,
}

/// What a candidate does.
pub(super) struct Assessed {
    pub(super) figures: Figures,
    /// Peak RAM with the record that is being written.
    pub(super) ram_in_flight: Result<f64, NoValue>,
    /// Highest rate for the RAM that is allowed; `None` where no RAM was stated.
    pub(super) rate_max: Option<Result<f64, NoValue>>,
    /// Proven peak RAM, where the work repeats itself.
    pub(super) ram_bound: Option<Result<f64, NoValue>>,
    pub(super) holdup_time: Result<f64, NoValue>,
    pub(super) area: Result<f64, NoValue>,
    /// Where the price of the part and its area come from.
    pub(super) bases: (Basis, Basis),
    /// What the reader should know of the figures.
    pub(super) notes: Vec<String>,
    pub(super) device: Box<dyn Device>,
}

/// Why a candidate was not assessed.
pub(super) enum Unfit {
    /// It fails by a limit that has a name, for a reason.
    Limit(&'static str, String),
    /// The caller wants to stop.
    Stopped,
    /// The study itself cannot be run.
    Study(LabError),
}

impl<'a> Candidate<'a> {
    /// `PART@BOARD`, or `2*PART@BOARD` for two chips in turn.
    pub(super) fn name(&self) -> String {
        if self.in_turn {
            format!("2*{}", self.target.name)
        } else {
            self.target.name.clone()
        }
    }

    /// Runs the work and draws the conclusions.
    pub(super) fn assess(
        &self,
        study: &CompareWorkload,
        experiment: &Experiment,
        timing: Timing,
        control: &Control<'_>,
    ) -> Result<Assessed, Unfit> {
        let unfit = |error: NvmError| Unfit::Limit("fit", error.to_string());
        let device = self.connect(experiment, timing).map_err(unfit)?;
        let plan = plan(study, device.as_ref(), experiment.seed)?;
        let rate = Rate::try_from(study.work.rate).map_err(|error| Unfit::Study(error.into()))?;
        let run = self.exercise(study, &plan, device.as_ref(), control)?;
        let bound = if plan.is_periodic() && study.work.kind != WorkKind::Replay && !self.in_turn {
            let worst = match timing {
                Timing::Sampled => self.connect(experiment, Timing::Max).map_err(unfit)?,
                Timing::Typ | Timing::Max => device.fork_device(),
            };
            let bound = stream::bound(worst.as_ref(), &plan, StartUp::default(), &[]);
            bound
                .ok()
                .map(|bound| peak(&bound, rate).map(|(waiting, _)| waiting))
        } else {
            None
        };
        let account = Account {
            candidate: self,
            study,
            run: &run,
            rate,
            record: plan.record_bytes,
        };
        Ok(account.close(bound, device))
    }

    /// Carries out the work on a fork of the device.
    fn exercise(
        &self,
        study: &CompareWorkload,
        plan: &Plan,
        device: &dyn Device,
        control: &Control<'_>,
    ) -> Result<Run, Unfit> {
        let study_fault = |error: BacklogError| Unfit::Study(error.into());
        let payload = Payload::new(plan.seed, stream::RECORD_MAX as usize);
        let mut device = device.fork_device();
        if plan.reads > 0.0 {
            let filled = stream::preload(device.as_mut(), plan, &payload);
            filled.map_err(|error| Unfit::Limit("fit", error.to_string()))?;
        }
        let mut steps = plan.steps(self.passes() * plan.places());
        // Chips in turn have erased ahead once the log has come as far as both of them.
        let unit = device.overwrite_bytes();
        let warm = if self.in_turn {
            2 * unit / plan.record_bytes
        } else {
            0
        };
        let mut player = Player::new(device.as_mut(), &payload);
        for step in steps.by_ref().take(warm as usize) {
            let warmed = player.carry_out(&step);
            warmed.map_err(|error| refused(&error, unit))?;
        }
        let before = player.accounts();
        let mut analysis = Analysis::new(StartUp::default(), &[]).map_err(study_fault)?;
        let mut breathe = |_| control.stopped();
        let ended = match (&study.work.trace, study.work.kind) {
            (Some(trace), WorkKind::Replay) => {
                let source = TraceSource {
                    file: trace.clone(),
                    format: None,
                    job: None,
                    operation: Operation::Write,
                };
                let capacity = player.capacity();
                let mut replay = Replay::open(&source, capacity, control).map_err(Unfit::Study)?;
                let steps = replay.by_ref().map(|(step, _)| step);
                let counts = |step: &Step| step.operation == Operation::Write;
                let ended = play(&mut player, steps, &mut analysis, counts, &mut breathe);
                replay.finish(trace).map_err(Unfit::Study)?;
                ended
            }
            _ => play(&mut player, steps, &mut analysis, |_| true, &mut breathe),
        };
        match ended {
            Ok(true) if analysis.accesses() > 0 => {}
            Ok(true) => {
                return Err(Unfit::Study(LabError::Log {
                    file: study.work.trace.clone().unwrap_or_default(),
                    problem: "there is no write in it".to_owned(),
                }));
            }
            Ok(false) => return Err(Unfit::Stopped),
            Err(Failure::Device(error)) => return Err(refused(&error, unit)),
            Err(Failure::Backlog(error)) => return Err(study_fault(error)),
        }
        let spent = player.accounts().since(&before);
        drop(player);
        Ok(Run {
            findings: analysis.finish().map_err(study_fault)?,
            spent,
            device,
        })
    }

    /// How often a run goes over its range. Chips in turn erase ahead in the order of their blocks, and a
    /// range that starts over before the memory ends would have them erase what is not needed next.
    const fn passes(&self) -> u64 {
        if self.in_turn { 1 } else { 2 }
    }

    fn connect(
        &self,
        experiment: &Experiment,
        timing: Timing,
    ) -> Result<Box<dyn Device>, NvmError> {
        let connect = || {
            self.target.connect(Conditions {
                timing,
                age: experiment.age,
                seed: experiment.seed,
            })
        };
        if self.in_turn {
            wordline_nvm::in_turn(connect()?, connect()?)
        } else {
            connect()
        }
    }
}

/// An access that the device refused: what a driver alone cannot do on a memory that erases blocks of `unit`
/// bytes needs a translation layer.
fn refused(error: &NvmError, unit: u64) -> Unfit {
    let mut why = format!("the device refused an access: {error}");
    if unit == 1 {
        return Unfit::Limit("fit", why);
    }
    why += "; gather records into pages, or put a translation layer in between";
    Unfit::Limit("translation", why)
}

/// The work, carried out.
struct Run {
    findings: Findings,
    /// What it took, moved and wore.
    spent: Spent,
    /// The device after the run.
    device: Box<dyn Device>,
}

/// The accesses of a study on a device.
fn plan(study: &CompareWorkload, device: &dyn Device, seed: u64) -> Result<Plan, Unfit> {
    let work = &study.work;
    let record = work.record.bytes();
    let capacity = device.len();
    if record > capacity {
        let why = format!(
            "a record of {} does not fit {}",
            work.record,
            ByteCount::from_bytes(capacity)
        );
        return Err(Unfit::Limit("capacity", why));
    }
    let unit = device.overwrite_bytes();
    let scattered = work.kind == WorkKind::Overwrite;
    if scattered && !record.is_multiple_of(unit) {
        let why = format!(
            "it overwrites whole blocks of {}; smaller writes anywhere need a translation layer",
            ByteCount::from_bytes(unit)
        );
        return Err(Unfit::Limit("translation", why));
    }
    let keep = work.keep().bytes(work.rate).min(capacity as f64) as u64;
    let range = RANGE.max(8 * unit).max(8 * record);
    let range = if scattered { range.min(keep) } else { range };
    Ok(Plan {
        record_bytes: record,
        wrap_bytes: range.clamp(record, capacity),
        pattern: if scattered {
            Pattern::Random
        } else {
            Pattern::Sequential
        },
        reads: work.reads(),
        seed,
    })
}

/// Waiting and in-flight RAM for whole records at a rate.
fn peak(findings: &Findings, rate: Rate) -> Result<(f64, f64), NoValue> {
    match findings.curve.demand(rate) {
        Demand::Bounded(peaks) => {
            // Records of several sizes, as a trace has, need less than the largest beyond the fluid fill.
            let largest = findings.curve.largest_record().si();
            let fluid = pair(&peaks, Arrival::Fluid);
            let upper = fluid.map(|(waiting, in_flight)| (waiting + largest, in_flight + largest));
            pair(&peaks, Arrival::Record)
                .or(upper)
                .ok_or(NoValue::NotApplicable)
        }
        Demand::Unbounded { .. } => Err(NoValue::Unbounded),
    }
}

/// The conclusions from a run.
struct Account<'a> {
    candidate: &'a Candidate<'a>,
    study: &'a CompareWorkload,
    run: &'a Run,
    rate: Rate,
    record: u64,
}

impl Account<'_> {
    fn close(&self, ram_bound: Option<Result<f64, NoValue>>, device: Box<dyn Device>) -> Assessed {
        let (limits, work) = (&self.study.limits, &self.study.work);
        let findings = &self.run.findings;
        let mut notes = Vec::new();
        let parts = self.parts();
        let peak = peak(findings, self.rate);
        let ram_in_flight = peak.map(|(_, in_flight)| in_flight);
        // What was only read is lost by nobody.
        let bytes_at_risk = if work.reads() >= 1.0 {
            Ok(0.0)
        } else {
            ram_in_flight
        };
        let holdup_time = bytes_at_risk.map(|bytes| self.time_to_write(bytes));
        let latency = findings.latency.max().map(Quantity::si);
        let figures = Figures {
            throughput: limit(&findings.curve).unwrap_or(f64::INFINITY),
            ram_peak: peak.map(|(waiting, _)| waiting),
            latency_max: latency.ok_or(NoValue::NotApplicable),
            lifetime: self.lifetime(parts),
            energy_per_day: self.energy_per_day(parts, &mut notes),
            bytes_at_risk,
            holdup: self.holdup(holdup_time, &mut notes),
            cost: self.cost(parts, ram_in_flight, &mut notes),
            parts,
        };
        let area = self.candidate.target.part.area.as_ref();
        Assessed {
            figures,
            ram_in_flight,
            rate_max: limits
                .ram
                .map(|ram| safe_rate(&findings.curve, ram.bytes(), Arrival::Record)),
            ram_bound,
            holdup_time,
            area: area
                .map(|area| area.nominal().si() * parts)
                .ok_or(NoValue::NotApplicable),
            notes,
            bases: self.bases(),
            device,
        }
    }

    /// Where the price of the part and its area come from. A price that the study states is its own.
    fn bases(&self) -> (Basis, Basis) {
        let part = self.candidate.target.part;
        let stated = self.study.prices.parts.contains_key(&part.header.id);
        let cost = part.cost.as_ref().filter(|_| !stated);
        (
            cost.map_or(Basis::Assumed, |cost| cost.provenance().basis),
            part.area
                .as_ref()
                .map_or(Basis::Assumed, |area| area.provenance().basis),
        )
    }

    /// Chips that together hold the data to keep: at least the one or two that the candidate is.
    fn parts(&self) -> f64 {
        let work = &self.study.work;
        let needed = work.keep().bytes(work.rate) / work.utilization();
        (needed / self.chip()).ceil().max(self.chips())
    }

    /// Chips that the run had.
    fn chips(&self) -> f64 {
        if self.candidate.in_turn { 2.0 } else { 1.0 }
    }

    /// Bytes that every sample of the part has: the one that was run may have fewer bad blocks than the next.
    fn chip(&self) -> f64 {
        self.candidate.target.part.model.usable_bytes() as f64
    }

    /// Time in seconds until the units that the work wears reach their rated cycles. A log wears the whole
    /// memory alike; what is overwritten in place wears the data to keep alone.
    fn lifetime(&self, parts: f64) -> Result<f64, NoValue> {
        let wear = self.run.device.wear();
        if wear.endurance == wordline_nvm::Wear::UNLIMITED || wear.units == 0 {
            return Err(NoValue::Unbounded);
        }
        let work = &self.study.work;
        let whole = parts * self.chip();
        let worn = match work.kind {
            WorkKind::Overwrite => work.keep().bytes(work.rate).min(whole),
            _ => whole,
        };
        // Bytes of units that went through a cycle, for each byte that was moved.
        let cycled = self.run.spent.cycles * wear.unit_bytes as f64 / self.run.spent.bytes;
        let a_second = work.rate.si() * work.duty() * cycled;
        Ok(wear.left() as f64 * worn / a_second)
    }

    /// Memory and host over a day: the work, and standby in the rest of the time, of each chip.
    fn energy_per_day(&self, parts: f64, notes: &mut Vec<String>) -> Result<f64, NoValue> {
        const DAY_S: f64 = 86_400.0;
        let work = &self.study.work;
        let bytes = work.rate.si() * work.duty() * DAY_S;
        let draw = self.run.device.power_draw();
        let standby = draw.current[PowerState::Standby as usize];
        let spent = &self.run.spent;
        let (Some(energy), Some(standby)) = (spent.energy_j, standby) else {
            return Err(NoValue::NotApplicable);
        };
        let standby_w = standby.si() * draw.voltage.si();
        // Of the chips that the run had; the others, and these in the rest of the day, stand by.
        let busy = (bytes * spent.elapsed_s / spent.bytes).min(DAY_S);
        let memory =
            bytes * energy / spent.bytes + standby_w * (DAY_S * parts - busy * self.chips());
        let host = spent.host_j.map(|host| bytes * host / spent.bytes);
        if host.is_none() {
            notes.push("energy without the host, of which the board states nothing".to_owned());
        }
        Ok(memory + host.unwrap_or(0.0))
    }

    /// Longest time in seconds that writing so many bytes of whole records can take.
    fn time_to_write(&self, bytes: f64) -> f64 {
        let records = (bytes / self.record as f64).ceil().max(0.0) as u64;
        if records == 0 {
            return 0.0;
        }
        // The next longer sequence that was looked at; beyond all of them, the longest one over and over.
        let longest = &self.run.findings.longest;
        match longest.iter().find(|one| one.accesses >= records) {
            Some(one) => one.most.si(),
            None => longest.last().map_or(f64::INFINITY, |one| {
                one.most.si() * (records as f64 / one.accesses as f64).ceil()
            }),
        }
    }

    /// Capacitance that carries memory and host over the hold-up time, C = I·t / ΔV, while the supply falls
    /// from the rail's voltage to the lowest that the memory works at.
    fn holdup(&self, time: Result<f64, NoValue>, notes: &mut Vec<String>) -> Result<f64, NoValue> {
        let time = time?;
        if time == 0.0 {
            return Ok(0.0);
        }
        let draw = self.run.device.power_draw();
        let busy = [PowerState::Write, PowerState::Erase].map(|state| draw.current[state as usize]);
        // A memory without an erase states no current for one.
        let memory = busy
            .into_iter()
            .flatten()
            .map(Current::si)
            .fold(0.0, f64::max);
        let notes_of = self.run.device.notes();
        let supply = notes_of.supply.ok_or(NoValue::NotApplicable)?;
        let lowest = supply.lowest.ok_or(NoValue::NotApplicable)?;
        let fall = supply.rail.si() - lowest.si();
        if busy[0].is_none() || fall <= 0.0 {
            return Err(NoValue::NotApplicable);
        }
        let host = notes_of.host.map_or(0.0, |host| host.run.si());
        if notes_of.host.is_none() {
            notes.push("hold-up without the host, of which the board states nothing".to_owned());
        }
        Ok((memory + host) * time / fall)
    }

    /// Memory, RAM and level shifters.
    fn cost(
        &self,
        parts: f64,
        ram: Result<f64, NoValue>,
        notes: &mut Vec<String>,
    ) -> Result<f64, NoValue> {
        let prices = &self.study.prices;
        let part = self.candidate.target.part;
        let sheet = part.cost.as_ref().map(|cost| cost.nominal());
        let one = prices.parts.get(&part.header.id).copied().or(sheet);
        let mut total = one.ok_or(NoValue::NotApplicable)?.si() * parts;
        match prices.ram_per_kib {
            Some(price) => total += price.si() * ram? / 1024.0,
            None => notes.push("cost without the RAM, of which no price is stated".to_owned()),
        }
        let supply = self.run.device.notes().supply;
        let shifted = supply.and_then(|supply| supply.needs_level_shifter());
        match (shifted, prices.level_shifter) {
            (Some(true), Some(price)) => total += price.si() * parts,
            (Some(true), None) => {
                notes.push(
                    "cost without the level shifter that it needs, of which no price is stated"
                        .to_owned(),
                );
            }
            _ => {}
        }
        Ok(total)
    }
}
