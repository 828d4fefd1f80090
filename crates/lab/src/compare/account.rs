//! From a candidate's run to its figures: RAM, life, energy, risk, hold-up and price.

use std::sync::Arc;

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Current, Quantity, Time};
use wordline_core::results::NoValue;
use wordline_core::{Arrival, Basis, CompareWorkload, Metric, WorkKind};
use wordline_nvm::power::PowerState;
use wordline_nvm::{CurrentGap, Device, Wear};

use super::exercise::{CandidateRuns, ExerciseRun, WarmDevice};
use super::files::FilesShare;
use super::judge::JudgedFigures;
use super::life::{Life, Wearing, life};
use crate::backlog::Demand;
use crate::buffer::analysis::BufferFindings;
use crate::buffer::bound::Bound;
use crate::buffer::rows::{limit, pair, safe_rate};
use crate::during::OnConflict;
use crate::instrument::reading::PeriodUsage;
use crate::translation::Stretch;

pub(super) const DAY_S: f64 = 86_400.0;

/// A metric, and what no run exceeds of it.
pub(super) type ProvenLimit = (Metric, Result<f64, NoValue>);

/// What a candidate does.
pub(super) struct Assessed {
    pub(super) figures: JudgedFigures,
    pub(super) life: Life,
    /// Peak RAM of the records that wait.
    pub(super) ram_waiting: Result<f64, NoValue>,
    /// Peak RAM with the record that is being written.
    pub(super) ram_in_flight: Result<f64, NoValue>,
    /// RAM of the file system, in bytes, where there is one.
    pub(super) file_system_ram: Option<f64>,
    /// Highest rate for the RAM that is allowed; `None` in a trial, and where no RAM was stated.
    pub(super) rate_max: Option<Result<f64, NoValue>>,
    /// Sizes of RAM with the highest rate that each carries, ascending; empty in a trial, and where the run says nothing
    /// of other rates.
    pub(super) staircase: Vec<(u64, f64)>,
    /// Bytes of a chip that data can take.
    pub(super) chip_bytes: u64,
    /// Power that all chips take in standby, and how much of the energy of a day that is while none of them works.
    pub(super) standby: Result<StandbyShare, NoValue>,
    /// Bounds of metrics and what they rest on, where there are any.
    pub(super) bounds: Option<(Vec<ProvenLimit>, Basis)>,
    pub(super) holdup_time: Result<f64, NoValue>,
    pub(super) area: Result<f64, NoValue>,
    /// Where the price of the part and its area come from.
    pub(super) bases: (Basis, Basis),
    /// What the reader should know of the figures.
    pub(super) notes: Vec<String>,
    /// What is unknown and counts for nothing in a figure.
    pub(super) left_out: Vec<LeftOut>,
    /// Whether its runs were long enough to show all that a firmware does of its own.
    pub(super) is_telling: bool,
    /// What a translation layer did, for so many bytes that were written, and what its flash had taken by then.
    pub(super) layer: Option<(Stretch, u64, u64)>,
    /// What its runs showed.
    pub(super) runs: Option<Arc<CandidateRuns>>,
    /// The device as it was connected.
    pub(super) device: Option<Box<dyn Device>>,
    /// The device behind its warm-up.
    pub(super) warm: Option<WarmDevice>,
}

/// Something that no sheet and no study states, and that counts for nothing in a figure: the figure is too small by it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeftOut {
    /// The limit that is about the figure.
    pub(super) limit: &'static str,
    /// Where it would be stated, as `SHEET: FIGURE`.
    pub(super) figure: String,
    /// What it is.
    pub(super) kind: &'static str,
    /// Its unit.
    pub(super) unit: &'static str,
    /// By how much the figure grows with one of its unit.
    pub(super) slope: f64,
}

/// What standby takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StandbyShare {
    /// Watts of all chips in standby.
    pub(super) power_w: f64,
    /// Joules of a day, of each chip in the time in which it does not work.
    pub(super) per_day_j: f64,
}

/// What the work takes if every access takes the longest that it can.
pub(super) struct LongestRun {
    pub(super) bound: Bound,
    /// The longest access, with what it may wait for where the memory erases or programs meanwhile; `None` where nothing
    /// bounds that.
    pub(super) latency: Option<Time>,
}

/// Sizes of RAM that a staircase has, at most: ten octaves of it.
const STEPS_MAX: usize = 20;

/// Waiting and in-flight RAM for whole records at the one rate that was played, exactly, whatever their sizes.
pub(super) fn peak(findings: &BufferFindings) -> Result<(f64, f64), NoValue> {
    let played = findings.rates.first().ok_or(NoValue::NotApplicable)?;
    match findings.curve.demand(played.rate) {
        Demand::Bounded(_) => pair(&played.peaks, Arrival::Record).ok_or(NoValue::NotApplicable),
        Demand::Unbounded { .. } => Err(NoValue::Unbounded),
    }
}

/// The conclusions from a candidate's runs.
pub(super) struct Account<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    /// Chips that the runs had.
    pub(super) chips: u32,
    /// The device as it was connected: its currents, its endurance and its supply.
    pub(super) device: &'a dyn Device,
    pub(super) study: &'a CompareWorkload,
    /// As fast as the device allows: throughput, energy, wear, and how long RAM takes to be written.
    pub(super) fast: &'a ExerciseRun,
    /// What that run took and wore, a warm-up excluded.
    pub(super) usage: PeriodUsage,
    /// At the asked rate, where that is sustained: RAM and latency.
    pub(super) paced: Option<&'a ExerciseRun>,
    /// The longest read while the memory erases or programs, where the study asks for it, and what a read does about that.
    pub(super) busy: Option<(Time, OnConflict)>,
    /// Whether its reads were to go through the address space, and go by its driver.
    pub(super) unmapped: bool,
    pub(super) record: u64,
    /// Whether reading wears the memory.
    pub(super) reads_wear: bool,
    /// The file system that the file of the work is on.
    pub(super) files: Option<FilesShare>,
}

impl Account<'_> {
    pub(super) fn close(&self, longest: Option<LongestRun>) -> Assessed {
        let (limits, work) = (&self.study.limits, &self.study.work);
        let fast = &self.fast.findings;
        let asked = &self.paced.unwrap_or(self.fast).findings;
        let mut notes = Vec::new();
        if self.usage.layer.is_some() {
            notes.push(match self.paced {
                Some(_) => {
                    "RAM and latency are of records at the asked rate: it cleans while it waits"
                        .to_owned()
                }
                None => "RAM and latency are of records as fast as it takes them".to_owned(),
            });
        }
        if self.unmapped {
            notes.push("its board does not map it: reads go by the driver".to_owned());
        }
        let parts = self.parts();
        let peak = if limit(&fast.curve).is_ok_and(|limit| limit < work.stored_rate().si()) {
            Err(NoValue::Unbounded)
        } else {
            peak(asked)
        };
        let ram_in_flight = peak.map(|(_, in_flight)| in_flight);
        let gathered = asked.curve.largest_record().si();
        let buffer = ram_in_flight.map(|bytes| bytes + gathered);
        let ram_provision = buffer.map(|bytes| bytes + self.files_ram());
        let volatile = match buffer {
            Ok(_) if work.reads() < 1.0 => self.volatile(&mut notes),
            _ => 0.0,
        };
        let bytes_at_risk = self.at_risk(buffer, volatile);
        if let Some(files) = self.files {
            notes.push(format!(
                "of the RAM {:.1} KiB are the file system's",
                files.chip.ram_bytes as f64 / 1024.0
            ));
        }
        let bounds = longest.map(|longest| {
            let basis = longest.bound.basis;
            (self.bounds(&longest, volatile), basis)
        });
        let holdup_time = bytes_at_risk.map(|bytes| self.time_to_write(bytes));
        let latency = asked.latency.max();
        let latency = match self.busy {
            Some((longest, on_conflict)) => {
                notes.push(match on_conflict {
                    OnConflict::Suspend => "a read suspends what the memory does".to_owned(),
                    OnConflict::Wait => {
                        "a read waits for the end of what the memory does: it cannot be suspended"
                            .to_owned()
                    }
                });
                latency.max(Some(longest))
            }
            None => latency,
        };
        let latency = latency.map(Quantity::si);
        if limits.flush_bytes(work).is_some() && self.device.persist_bound().is_err() {
            notes.push(
                "it has no command for a flush; a flush waits until it programs by itself, for the time that is assumed \
                 (--max-loss)"
                    .to_owned(),
            );
        }
        let mut left_out = Vec::new();
        let life = life(self.target, self.study, self.wearing(parts));
        notes.extend(life.notes.iter().cloned());
        let figures = JudgedFigures {
            throughput: limit(&fast.curve).unwrap_or(f64::INFINITY) / work.stored_share(),
            ram_provision,
            latency_max: latency.ok_or(NoValue::NotApplicable),
            lifetime: life.decides,
            energy_per_day: self.energy_per_day(parts, &mut notes, &mut left_out),
            bytes_at_risk,
            holdup: self.holdup(holdup_time, &mut notes, &mut left_out),
            cost: self.cost(parts, ram_provision, &mut notes, &mut left_out),
            parts: Ok(parts),
            unknown: "the sheets lack a figure for it, so that nothing can be promised",
            proven: bounds
                .as_ref()
                .filter(|(_, basis)| *basis == Basis::Proven)
                .map_or_else(Vec::new, |(bounds, _)| bounds.clone()),
        };
        let area = self.target.part.area.as_ref();
        Assessed {
            figures,
            life,
            ram_waiting: peak.map(|(waiting, _)| waiting),
            ram_in_flight,
            file_system_ram: self.files.map(|_| self.files_ram()),
            rate_max: None,
            staircase: Vec::new(),
            chip_bytes: self.chip() as u64,
            standby: self.standby(parts),
            bounds,
            holdup_time,
            area: area
                .map(|area| area.nominal().si() * parts)
                .ok_or(NoValue::NotApplicable),
            notes,
            left_out,
            is_telling: self.fast.is_telling && self.paced.is_none_or(|paced| paced.is_telling),
            bases: self.bases(),
            layer: self
                .usage
                .layer
                .map(|stretch| (stretch, self.written(), self.fast.taken)),
            runs: None,
            device: None,
            warm: None,
        }
    }

    /// The highest rate for the RAM that is allowed; `None` where none was stated. Of chips in turn a run without pauses says
    /// too little: their erases hide in the pauses.
    pub(super) fn rate_max(&self) -> Option<Result<f64, NoValue>> {
        let curve = &self.fast.findings.curve;
        let ram = self.study.limits.ram.filter(|_| self.chips == 1)?;
        // One record is gathered while another is written.
        let gathered = 2 * curve.largest_record().bytes();
        let buffer = ram.bytes().checked_sub(self.files_ram() as u64 + gathered);
        let Some(waiting) = buffer.or(self.files.is_none().then_some(0)) else {
            return Some(Ok(0.0));
        };
        let stored = safe_rate(curve, waiting, Arrival::Record);
        Some(stored.map(|rate| rate / self.study.work.stored_share()))
    }

    /// The RAM that whole records need at other rates: for each of some sizes, two an octave and the one that is allowed,
    /// the highest rate that it carries. Records of several sizes have none, nor have chips in turn, whose erases hide in
    /// the pauses of the rate at which they ran.
    pub(super) fn staircase(&self) -> Vec<(u64, f64)> {
        let curve = &self.paced.unwrap_or(self.fast).findings.curve;
        let Some(record) = curve.record().filter(|_| self.chips == 1) else {
            return Vec::new();
        };
        let record = record.bytes();
        let mut sizes: Vec<u64> = (0..STEPS_MAX)
            .map(|step| (2 + step as u64 % 2) << (step / 2))
            .map(|records| records.saturating_mul(record))
            .collect();
        let of_files = self.files_ram() as u64;
        let allowed = self.study.limits.ram.map(ByteCount::bytes);
        let allowed = allowed.and_then(|ram| ram.checked_sub(of_files));
        sizes.extend(allowed.filter(|ram| *ram >= 2 * record));
        sizes.sort_unstable();
        sizes.dedup();
        let highest = limit(curve).unwrap_or(f64::INFINITY);
        let mut steps = Vec::new();
        for ram in sizes {
            // One record is gathered while another is written.
            let Ok(rate) = safe_rate(curve, ram - 2 * record, Arrival::Record) else {
                break;
            };
            steps.push((ram + of_files, rate / self.study.work.stored_share()));
            if rate >= highest {
                break;
            }
        }
        steps
    }

    /// What a power cut takes, where so much of the work is in RAM and in the memory's own cache. What was only read is
    /// not lost.
    fn at_risk(&self, ram: Result<f64, NoValue>, volatile: f64) -> Result<f64, NoValue> {
        match self.study.work.reads() {
            all if all >= 1.0 => Ok(0.0),
            _ => ram.map(|bytes| bytes + volatile),
        }
    }

    /// The metrics where every access takes the longest that it can.
    fn bounds(&self, longest: &LongestRun, volatile: f64) -> Vec<(Metric, Result<f64, NoValue>)> {
        let findings = &longest.bound.findings;
        let peak = self::peak(findings);
        let gathered = findings.curve.largest_record().si();
        let buffer = peak.map(|(_, in_flight)| in_flight + gathered);
        let provision = buffer.map(|bytes| bytes + self.files_ram());
        let rate = limit(&findings.curve).unwrap_or(f64::INFINITY);
        let rate = rate / self.study.work.stored_share();
        let mut bounds = vec![
            (Metric::RamProvision, provision),
            (Metric::RamPeak, peak.map(|(waiting, _)| waiting)),
            (Metric::ThroughputMean, Ok(rate)),
            (Metric::BytesAtRisk, self.at_risk(buffer, volatile)),
        ];
        let latency = longest.latency.map(Quantity::si);
        bounds.extend(latency.map(|latency| (Metric::LatencyMax, Ok(latency))));
        bounds
    }

    /// Where the price of the part and its area come from. A price that the study states is its own.
    fn bases(&self) -> (Basis, Basis) {
        let part = self.target.part;
        let stated = self.study.prices.parts.contains_key(&part.header.id);
        let cost = part.cost.as_ref().filter(|_| !stated);
        (
            cost.map_or(Basis::Assumed, |cost| cost.provenance().basis),
            part.area
                .as_ref()
                .map_or(Basis::Assumed, |area| area.provenance().basis),
        )
    }

    /// Chips that together hold the data to keep: a multiple of those that work together.
    fn parts(&self) -> f64 {
        let work = &self.study.work;
        let needed = work.keep().bytes(work.rate) / work.utilization();
        let chips = self.chips();
        (needed / self.chip() / chips).ceil().max(1.0) * chips
    }

    /// Bytes of RAM that the file system takes.
    fn files_ram(&self) -> f64 {
        self.files.map_or(0.0, |files| files.chip.ram_bytes as f64)
    }

    fn chips(&self) -> f64 {
        f64::from(self.chips)
    }

    /// Bytes that every sample of the part has: the one that was run may have fewer bad blocks than the next.
    fn chip(&self) -> f64 {
        let shown = self.device.len();
        let model = &self.target.part.model;
        // A layer keeps its spare blocks to itself.
        let usable = match (self.files, self.usage.layer) {
            (Some(files), _) => files.chip.data_bytes,
            (None, Some(_)) => shown,
            (None, None) => model.usable_bytes(),
        };
        usable as f64
    }

    /// Bytes in the memory's own cache, which a power cut takes as it takes the buffer.
    fn volatile(&self, notes: &mut Vec<String>) -> f64 {
        let bytes = self.fast.volatile_bytes * u64::from(self.chips);
        if bytes > 0 {
            let size = ByteCount::from_bytes(bytes);
            notes.push(format!(
                "of the bytes at risk {size} are in its own cache (--max-loss)"
            ));
        }
        bytes as f64
    }

    /// Bytes that the buffer held in the run.
    fn stored(&self) -> f64 {
        self.fast.findings.curve.bytes().si()
    }

    /// Bytes that were written in the run.
    fn written(&self) -> u64 {
        match self.study.work.reads() {
            all if all >= 1.0 => 0,
            _ => self.fast.findings.curve.bytes().bytes(),
        }
    }

    /// Bytes that the buffer holds of a second, pauses included.
    fn stored_a_second(&self) -> f64 {
        self.study.work.stored_rate().si() * self.study.work.duty()
    }

    /// How the work wears the units that it wears most. A log wears the whole memory alike. What is
    /// overwritten in place, or worn by reading, wears the data to keep alone. A trace wears where it
    /// writes, over and over: nothing is levelled.
    fn wearing(&self, parts: f64) -> Result<Wearing, NoValue> {
        // What it is rated for and brought, and what the run wore of it.
        let Wear {
            endurance, before, ..
        } = self.device.wear();
        let wear = Wear {
            endurance,
            before,
            ..self.fast.wear
        };
        let layered = self.usage.layer.is_some();
        if wear.endurance == Wear::UNLIMITED || (wear.units == 0 && !layered) {
            return Err(NoValue::Unbounded);
        }
        let work = &self.study.work;
        let unit = wear.unit_bytes as f64;
        let (cycle_s, units) = if let Some(stretch) = &self.usage.layer {
            // Of one chip; several share the bytes.
            let cycled = stretch.cycled(self.written()).ok_or(NoValue::Unbounded)?;
            let once = self.stored() / self.stored_a_second();
            (parts / cycled * once, self.chip() / unit)
        } else if work.kind == WorkKind::Replay {
            let once = self.stored() / self.stored_a_second();
            (once / wear.most as f64, wear.units as f64)
        } else {
            // Bytes of units that went through a cycle, for each byte that was stored.
            let cycled = self.cycled(unit)?;
            let worn = self.worn(parts, unit);
            let units = worn / unit / parts;
            (worn / (self.stored_a_second() * cycled), units)
        };
        Ok(Wearing {
            before: wear.before as f64,
            left: wear.left() as f64,
            cycle_s,
            units,
            parts,
            bad_blocks_max: self.usage.layer.map(|stretch| stretch.bad_blocks_max()),
        })
    }

    /// Bytes of the units that wear alike which go through a cycle for each byte that is stored.
    fn cycled(&self, unit: f64) -> Result<f64, NoValue> {
        let cycles = match self.files {
            Some(files) if !files.levels => self.fast.cycles_most as f64,
            _ => self.usage.cycles,
        };
        match cycles > 0.0 {
            true => Ok(cycles * unit / self.stored()),
            false => Err(NoValue::Unbounded),
        }
    }

    /// Bytes that a work without a layer wears alike: under a file system that writes to other blocks each time all of the
    /// chips, else the block that wears most.
    fn worn(&self, parts: f64, unit: f64) -> f64 {
        let work = &self.study.work;
        if let Some(files) = self.files {
            let chip = self.target.part.model.usable_bytes() as f64;
            return if files.levels { parts * chip } else { unit };
        }
        let whole = parts * self.chip();
        if work.kind == WorkKind::Overwrite || (work.reads() > 0.0 && self.reads_wear) {
            let record = self.record as f64;
            let kept = work.keep().bytes(work.rate).min(whole);
            ((kept / record).floor().max(1.0) * record / unit).ceil() * unit
        } else {
            whole
        }
    }

    /// Memory and host over a day: the work, and standby in the rest of the time, of each chip.
    fn energy_per_day(
        &self,
        parts: f64,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<f64, NoValue> {
        let runs = self.runs_a_day();
        let usage = &self.usage;
        let energy = usage.energy_j.ok_or(NoValue::NotApplicable)?;
        let memory = runs * energy + self.standby(parts)?.per_day_j;
        if usage.host_j.is_none() {
            notes.push("energy without the host, of which the board states nothing".to_owned());
            left_out.push(LeftOut {
                limit: "energy",
                figure: self.of_board("host.run_current"),
                kind: "host power",
                unit: Metric::PowerMean.unit(),
                slope: self.busy_s(),
            });
        }
        Ok(memory + runs * usage.host_j.unwrap_or(0.0))
    }

    /// How often the run comes in a day.
    fn runs_a_day(&self) -> f64 {
        self.stored_a_second() * DAY_S / self.stored()
    }

    /// Seconds of a day in which the chips that the run had work.
    fn busy_s(&self) -> f64 {
        (self.runs_a_day() * self.usage.elapsed.si()).min(DAY_S)
    }

    /// What so many chips take in standby: those that the run had in the rest of the day, the others all day.
    fn standby(&self, parts: f64) -> Result<StandbyShare, NoValue> {
        let draw = self.device.power_draw();
        let standby = draw.current[PowerState::Standby as usize];
        let chip_w = standby.ok_or(NoValue::NotApplicable)?.si() * draw.voltage.si();
        Ok(StandbyShare {
            power_w: chip_w * parts,
            per_day_j: chip_w * (DAY_S * parts - self.busy_s() * self.chips()),
        })
    }

    /// Longest time in seconds that writing so many bytes can take, in records as small as they come.
    fn time_to_write(&self, bytes: f64) -> f64 {
        let findings = &self.fast.findings;
        let records = (bytes / findings.smallest.max(1) as f64).ceil().max(0.0) as u64;
        if records == 0 {
            return 0.0;
        }
        // The next longer sequence that was looked at; beyond all of them, the longest one over and over.
        let longest = &findings.longest;
        match longest.iter().find(|one| one.accesses >= records) {
            Some(one) => one.most.si(),
            None => longest.last().map_or(f64::INFINITY, |one| {
                one.most.si() * (records as f64 / one.accesses as f64).ceil()
            }),
        }
    }

    /// Capacitance that carries the memory over the hold-up time, C = I·t / ΔV, while its supply falls from
    /// the rail's voltage to the lowest that it works at. The host counts where it has the same supply.
    fn holdup(
        &self,
        time: Result<f64, NoValue>,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<f64, NoValue> {
        let time = time?;
        if time == 0.0 {
            return Ok(0.0);
        }
        let draw = self.device.power_draw();
        let current = |state| draw.current[state as usize].map(Current::si);
        let write = current(PowerState::Write).ok_or(NoValue::NotApplicable)?;
        let accounts = self.device.notes();
        // A memory without an erase has no current for one; of chips in turn one erases meanwhile.
        let erase = PowerState::Erase.name();
        let is_unknown =
            |gap: &CurrentGap| matches!(gap, CurrentGap::Unknown { action } if *action == erase);
        if accounts.currents.iter().any(is_unknown) {
            return Err(NoValue::NotApplicable);
        }
        let erase = current(PowerState::Erase).unwrap_or(0.0);
        let memory = if self.chips > 1 {
            write + erase
        } else {
            write.max(erase)
        };
        let supply = accounts.supply.ok_or(NoValue::NotApplicable)?;
        let lowest = supply.lowest.ok_or(NoValue::NotApplicable)?;
        let fall = supply.rail.si() - lowest.si();
        if fall <= 0.0 {
            return Err(NoValue::NotApplicable);
        }
        let host = match (accounts.host, supply.needs_second_rail()) {
            (Some(host), Some(false)) => host.run.si(),
            (_, Some(true)) => {
                notes.push("hold-up of the memory's own rail; the host is on another".to_owned());
                0.0
            }
            (_, _) => {
                notes
                    .push("hold-up without the host, of which the board states nothing".to_owned());
                left_out.push(LeftOut {
                    limit: "holdup",
                    figure: self.of_board("host.run_current"),
                    kind: "host current",
                    unit: "A",
                    slope: time / fall,
                });
                0.0
            }
        };
        Ok((memory + host) * time / fall)
    }

    /// Memory, RAM and level shifters.
    fn cost(
        &self,
        parts: f64,
        ram: Result<f64, NoValue>,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<f64, NoValue> {
        let mut unpriced = |price, slope| {
            left_out.push(LeftOut {
                limit: "cost",
                figure: format!("prices: {price}"),
                kind: "price",
                unit: Metric::Cost.unit(),
                slope,
            });
        };
        let prices = &self.study.prices;
        let part = self.target.part;
        let sheet = part.cost.as_ref().map(|cost| cost.nominal());
        let one = prices.parts.get(&part.header.id).copied().or(sheet);
        let mut total = one.ok_or(NoValue::NotApplicable)?.si() * parts;
        match prices.ram_per_kib {
            Some(price) => total += price.si() * ram? / 1024.0,
            None => {
                notes.push("cost without the RAM, of which no price is stated".to_owned());
                unpriced("ram_per_kib", ram.unwrap_or(f64::INFINITY) / 1024.0);
            }
        }
        let supply = self.device.notes().supply;
        let shifted = supply.and_then(|supply| supply.needs_level_shifter());
        match (shifted, prices.level_shifter) {
            (Some(true), Some(price)) => total += price.si() * parts,
            (Some(true), None) => {
                notes.push(
                    "cost without the level shifter that it needs, of which no price is stated"
                        .to_owned(),
                );
                unpriced("level_shifter", parts);
            }
            _ => {}
        }
        Ok(total)
    }

    /// A figure of the board as messages name it.
    fn of_board(&self, figure: &str) -> String {
        format!("{}: {figure}", self.target.board.header.id)
    }
}
