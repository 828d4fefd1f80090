//! A raw memory over access sizes: the benchmark of `mram-vs-flash-benchmark`.
//!
//! Each target, operation, pattern and size is a run of its own on a fresh device: accesses from
//! address 0 one after the other, starting over before the one that would cross the wrap address, or
//! at random below it. Every byte is
//! real: each read is compared with what was stored, and after the writes of a run the memory is
//! read back. Reads can also be run while the memory erases or programs: see [`crate::during`].

use wordline_catalog::Target;
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::results::{NoValue, WarningCode};
use wordline_core::{
    BackgroundWork, Experiment, Operation, Pattern, RawWorkload, ResultSet, Timing,
};
use wordline_nvm::{Device, NvmError, Pipeline};

use crate::control::{Control, Progress};
use crate::during::{BusyMemory, During, PAUSE_MAX, readable_bytes};
use crate::error::LabError;
use crate::list::distinct;
use crate::payload::Payload;
use crate::rows::{Run, rows};
use crate::sources;
use crate::tally::Tally;

/// The most memory of one device that a run may touch, because its bytes are held in RAM.
const FOOTPRINT_MAX: u64 = 4 << 30;

/// The largest access, because its bytes are held in RAM three times over.
const ACCESS_MAX: u64 = 1 << 30;

/// How often progress is told and the wish to stop is heard, in bytes moved.
const BREATH_BYTES: u64 = 1 << 20;

/// The same in reads from a memory that is busy, where the work costs more than the bytes.
const BREATH_READS: u64 = 1 << 10;

/// The benchmark's workload, fitted to some targets and to what the user asked for: it wraps at
/// the end of the smallest part where that comes before 8 MiB, and leaves out access sizes that fit
/// neither `wrap` nor `total`, all in bytes.
#[must_use]
pub fn default_workload(
    targets: &[Target<'_>],
    wrap: Option<u64>,
    total: Option<u64>,
) -> RawWorkload {
    let mut workload = RawWorkload::default();
    let usable = targets
        .iter()
        .map(|target| target.part.model.usable_bytes());
    let smallest = usable.min().unwrap_or(u64::MAX);
    workload.wrap_bytes = wrap.unwrap_or(smallest.min(workload.wrap_bytes));
    workload.total_bytes = total.unwrap_or(workload.total_bytes);
    let most = workload.wrap_bytes.min(workload.total_bytes);
    if workload.access_bytes.iter().any(|bytes| *bytes <= most) {
        workload.access_bytes.retain(|bytes| *bytes <= most);
    } else {
        workload.access_bytes = vec![most];
    }
    workload
}

/// Runs the workload on every target and adds what it found to the document.
pub(crate) fn run(
    targets: &[Target<'_>],
    workload: &RawWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let mut fresh = Vec::new();
    let runs = experiment.timings.iter();
    for (timing, target) in runs.flat_map(|timing| targets.iter().map(move |one| (*timing, one))) {
        let mut device = crate::connect(target, timing, experiment)?;
        let mut several_planes = false;
        for (asked, pipeline, what) in [
            (
                workload.cache_read,
                Pipeline::CacheRead,
                "pipelined page load",
            ),
            (
                workload.cache_program,
                Pipeline::CacheProgram,
                "cache program",
            ),
            (
                workload.multi_plane,
                Pipeline::MultiPlane,
                "work on several planes",
            ),
        ] {
            if !asked {
                continue;
            }
            if device.use_pipeline(pipeline) {
                several_planes |= pipeline == Pipeline::MultiPlane;
            } else {
                let name = &target.name;
                let advice = format!("{name}: this memory has no {what}; it runs as without it");
                document.warn(WarningCode::NoPipeline, advice);
            }
        }
        if several_planes {
            let name = &target.name;
            let advice = format!(
                "{name}: the sheet states currents of one plane at work; energy of several is understated"
            );
            document.warn(WarningCode::ExtrapolatedCurrent, advice);
            if workload.cache_read {
                let advice = format!("{name}: reads of several planes do not use the cache read");
                document.warn(WarningCode::NoPipeline, advice);
            }
        }
        sources::add(document, target, device.as_ref(), timing);
        fresh.push((target, timing, device));
    }
    check(&mut fresh, workload)?;
    let page = longest_page(&mut fresh);
    let mut work = Work::new(workload, experiment.seed, fresh.len(), page, control);
    for (target, timing, device) in &fresh {
        for &operation in &workload.operations {
            let prepared = work.prepare(device.as_ref(), operation);
            let prepared = prepared.map_err(|source| LabError::Device {
                target: target.name.clone(),
                source,
            })?;
            for (during, pattern, access_bytes) in variants(workload, operation) {
                let mut device = prepared.fork_device();
                let run = Run {
                    target,
                    timing: *timing,
                    operation,
                    pattern,
                    access_bytes,
                    during,
                    experiment,
                };
                if let Some(unit) = run.needs_translation(device.as_ref()) {
                    run.without_value(NoValue::NotApplicable, document);
                    let advice = format!(
                        "{}: this memory overwrites whole blocks of {}; random writes that are no \
                         multiple of it need a translation layer",
                        run.name(),
                        print(unit)
                    );
                    document.warn(WarningCode::NeedsTranslation, advice);
                    continue;
                }
                let obstacle = during.and_then(|during| during.obstacle(device.as_mut()));
                if let Some((code, advice)) = obstacle {
                    run.without_value(NoValue::NotApplicable, document);
                    document.warn(code, format!("{}: {advice}", target.name));
                    continue;
                }
                match work.drive(device.as_mut(), &run) {
                    Ok(Some(tally)) => {
                        rows(&run, prepared.as_ref(), device.as_ref(), &tally, document);
                    }
                    Ok(None) => {
                        document.complete = false;
                        return Ok(());
                    }
                    Err(failure) => {
                        run.without_value(NoValue::Failed, document);
                        let advice = format!("{}: {failure}", run.name());
                        document.warn(WarningCode::RunFailed, advice);
                    }
                }
            }
        }
    }
    Ok(())
}

/// The runs of one target and operation.
fn variants(
    workload: &RawWorkload,
    operation: Operation,
) -> impl Iterator<Item = (Option<During>, Pattern, u64)> + '_ {
    let sizes = &workload.access_bytes;
    let cases = During::cases(workload, operation).into_iter();
    let cases = cases.flat_map(|case| workload.patterns.iter().map(move |one| (case, *one)));
    cases.flat_map(move |(case, pattern)| sizes.iter().map(move |size| (case, pattern, *size)))
}

/// The place of an access, in accesses from address 0.
const fn place(seed: u64, pattern: Pattern, a_pass: u64, index: u64) -> u64 {
    match pattern {
        Pattern::Sequential => index % a_pass,
        Pattern::Random => draw(seed, a_pass, index, Purpose::Address) % a_pass,
    }
}

/// Why a run has no figures.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the device refused an access: {0}")]
    Device(#[from] NvmError),
    #[error("the bytes at address {0} are not those that were stored; please report this defect")]
    Corrupt(u64),
}

/// What the runs of one experiment share.
struct Work<'a> {
    workload: &'a RawWorkload,
    payload: Payload,
    seed: u64,
    control: &'a Control<'a>,
    done_bytes: u64,
    total_bytes: u64,
}

impl<'a> Work<'a> {
    /// `page` is the length of the longest page that is programmed during reads, in bytes.
    fn new(
        workload: &'a RawWorkload,
        seed: u64,
        devices: usize,
        page: u64,
        control: &'a Control<'a>,
    ) -> Self {
        let longest = workload.access_bytes.iter().copied().max().unwrap_or(0);
        let longest = longest.max(page);
        let operations = workload.operations.iter();
        let runs = operations.map(|operation| variants(workload, *operation).count());
        let runs = devices * runs.sum::<usize>();
        Self {
            workload,
            payload: Payload::new(seed, longest as usize),
            seed,
            control,
            done_bytes: 0,
            total_bytes: workload.total_bytes.saturating_mul(runs as u64),
        }
    }

    /// The device that the runs of one operation start from: reads find content.
    fn prepare(
        &self,
        device: &dyn Device,
        operation: Operation,
    ) -> Result<Box<dyn Device>, NvmError> {
        let mut device = device.fork_device();
        if operation == Operation::Read {
            let touched = footprint(self.workload);
            let longest = self
                .workload
                .access_bytes
                .iter()
                .copied()
                .max()
                .unwrap_or(1);
            let mut at = 0;
            while at < touched && !self.control.stopped() {
                let length = longest.min(touched - at);
                let data = self.payload.at(at, 0, length as usize);
                device.preload(at, data)?;
                at += length;
            }
        }
        Ok(device)
    }

    /// Runs all accesses of one size; `None` when the caller wants to stop.
    fn drive(&mut self, device: &mut dyn Device, run: &Run<'_>) -> Result<Option<Tally>, Failure> {
        if let Some(during) = run.during {
            return self.drive_during(device, run, during);
        }
        let (operation, access) = (run.operation, run.access_bytes);
        let name = run.name();
        let before = self.done_bytes;
        let accesses = self.workload.total_bytes / access;
        let a_pass = self.workload.wrap_bytes / access;
        let whole_passes = accesses / a_pass * a_pass;
        let clock = device.clock().clone();
        let mut tally = Tally::new(clock.now());
        let mut buffer = vec![0; access as usize];
        // How often each place was written, which tells the bytes that belong there.
        let places = if operation == Operation::Write {
            a_pass
        } else {
            0
        };
        let mut written = vec![0u32; places as usize];
        let mut breath = 0;
        for index in 0..accesses {
            if tally.bytes() >= breath {
                breath = tally.bytes() + BREATH_BYTES;
                if self.breathe(&name, before + tally.bytes()) {
                    return Ok(None);
                }
            }
            let slot = place(self.seed, run.pattern, a_pass, index);
            let at = slot * access;
            let start = clock.now();
            match operation {
                Operation::Write => {
                    let pass = u64::from(written[slot as usize]);
                    device.write(at, self.payload.at(at, pass, access as usize))?;
                    written[slot as usize] += 1;
                    forget_erased(&mut written, slot, access, device.overwrite_bytes());
                }
                Operation::Read => device.read(at, &mut buffer)?,
            }
            tally.add(access, start, clock.now(), device.last_cost());
            if operation == Operation::Read && buffer != self.payload.at(at, 0, access as usize) {
                return Err(Failure::Corrupt(at));
            }
            let whole = match run.pattern {
                Pattern::Sequential => index + 1 == whole_passes,
                // Random writes wear evenly in the long run alone: the whole run counts.
                Pattern::Random => index + 1 == accesses && accesses >= a_pass,
            };
            if whole {
                tally.mark_whole_passes(device.wear());
            }
        }
        if operation == Operation::Write {
            self.read_back(device, access, &written)?;
        }
        self.done_bytes = before + self.workload.total_bytes;
        Ok(Some(tally))
    }

    /// Reads of one size while the memory is busy; `None` when the caller wants to stop.
    fn drive_during(
        &mut self,
        device: &mut dyn Device,
        run: &Run<'_>,
        during: During,
    ) -> Result<Option<Tally>, Failure> {
        let Some(memory) = device.background() else {
            unreachable!("it was checked that the memory works in the background");
        };
        let (access, name) = (run.access_bytes, run.name());
        let (wrap, before) = (self.workload.wrap_bytes, self.done_bytes);
        let mut tally = Tally::new(memory.clock().now());
        let mut busy = BusyMemory::new(memory, during, self.workload, &self.payload, self.seed)?;
        let mut buffer = vec![0; access as usize];
        for index in 0..self.workload.total_bytes / access {
            if index.is_multiple_of(BREATH_READS) && self.breathe(&name, before + tally.bytes()) {
                return Ok(None);
            }
            let at = place(self.seed, run.pattern, wrap / access, index) * access;
            let (arrival, cost) = busy.read(index, at, &mut buffer)?;
            tally.add(access, arrival, arrival.plus(cost.total()), &cost);
            if buffer != self.payload.at(at, 0, access as usize) {
                return Err(Failure::Corrupt(at));
            }
        }
        tally.mark_background(busy.pieces());
        self.done_bytes = before + self.workload.total_bytes;
        Ok(Some(tally))
    }

    /// Tells how far the experiment is, and returns whether the caller wants to stop.
    fn breathe(&self, step: &str, done_bytes: u64) -> bool {
        if self.control.stopped() {
            return true;
        }
        self.control.report(Progress {
            step,
            done_bytes,
            total_bytes: self.total_bytes,
        });
        false
    }

    /// Compares the memory with the last bytes that were written to each place, on a fork, so that
    /// neither the device's clock nor its account of energy moves. A caller who wants to stop gets
    /// the run without the rest of the comparison.
    fn read_back(&self, device: &dyn Device, access: u64, written: &[u32]) -> Result<(), Failure> {
        let mut device = device.fork_device();
        let mut buffer = vec![0; access as usize];
        for (slot, &times) in written.iter().enumerate() {
            if self.control.stopped() {
                break;
            }
            let Some(pass) = times.checked_sub(1) else {
                continue;
            };
            let at = slot as u64 * access;
            device.read(at, &mut buffer)?;
            if buffer != self.payload.at(at, u64::from(pass), access as usize) {
                return Err(Failure::Corrupt(at));
            }
        }
        Ok(())
    }
}

/// An access that begins an erase block erases what an earlier pass left in the rest of the block.
fn forget_erased(written: &mut [u32], slot: u64, access: u64, block: u64) {
    if block == 1 {
        return;
    }
    let (start, end) = (slot * access, (slot + 1) * access);
    let last_begun = (end - 1) / block * block;
    if last_begun < start {
        return;
    }
    let erased_to = (last_begun + block - 1) / access;
    for later in written
        .iter_mut()
        .take(erased_to as usize + 1)
        .skip(slot as usize + 1)
    {
        *later = 0;
    }
}

/// Bytes of the memory that a run touches.
fn footprint(workload: &RawWorkload) -> u64 {
    if workload.patterns.contains(&Pattern::Random) {
        workload.wrap_bytes
    } else {
        workload.wrap_bytes.min(workload.total_bytes)
    }
}

/// Bytes of the longest page that can be programmed in the background.
fn longest_page(devices: &mut [(&Target<'_>, Timing, Box<dyn Device>)]) -> u64 {
    let memories = devices.iter_mut();
    let pages = memories.filter_map(|(_, _, device)| {
        let memory = device.background()?;
        Some(memory.unit_bytes(BackgroundWork::Program))
    });
    pages.max().unwrap_or(0)
}

fn check(
    devices: &mut [(&Target<'_>, Timing, Box<dyn Device>)],
    workload: &RawWorkload,
) -> Result<(), LabError> {
    let operations = workload.operations.iter();
    distinct("operation", operations.map(|one| one.name().to_owned()))?;
    let patterns = workload.patterns.iter();
    distinct("pattern", patterns.map(|one| one.name().to_owned()))?;
    let sizes = workload.access_bytes.iter();
    distinct("size", sizes.map(|&size| print(size)))?;
    if !workload.during.is_empty() {
        let during = workload.during.iter();
        distinct("during", during.map(|one| one.name().to_owned()))?;
        if !workload.operations.contains(&Operation::Read) {
            let problem = "is about reads, and read is none of the operations".to_owned();
            return Err(LabError::List {
                what: "during",
                problem,
            });
        }
    }
    check_pause(workload)?;
    if workload.multi_plane && !workload.during.is_empty() {
        let problem =
            "does not go with multi_plane: work in the background is one block's or page's";
        return Err(LabError::List {
            what: "during",
            problem: problem.to_owned(),
        });
    }
    let (wrap, total) = (workload.wrap_bytes, workload.total_bytes);
    for (target, _, device) in devices {
        let capacity = device.len();
        if wrap > capacity || wrap == 0 {
            let part = &target.part.header.id;
            let problem = format!("is outside {part}; allowed: 1 B to {}", print(capacity));
            return Err(wrong_size("wrap", wrap, problem));
        }
        let most = device.background().map(|memory| readable_bytes(memory));
        if let Some(most) = most.filter(|most| wrap > *most && !workload.during.is_empty()) {
            let part = &target.part.header.id;
            let problem = format!(
                "leaves no block of {part} that could be erased or programmed meanwhile; allowed: 1 B \
                 to {}",
                print(most)
            );
            return Err(wrong_size("wrap", wrap, problem));
        }
    }
    if total == 0 {
        let problem = "moves nothing; allowed: at least one access".to_owned();
        return Err(wrong_size("total", total, problem));
    }
    for &access in &workload.access_bytes {
        let most = wrap.min(total).min(ACCESS_MAX);
        if access == 0 || access > most {
            let problem = format!(
                "does not fit; allowed: 1 B to {}, the smallest of wrap ({}), total ({}) and {}",
                print(most),
                print(wrap),
                print(total),
                print(ACCESS_MAX)
            );
            return Err(wrong_size("size", access, problem));
        }
    }
    if footprint(workload) > FOOTPRINT_MAX {
        let most = print(FOOTPRINT_MAX);
        let problem = format!("touches more than a run may hold; lower wrap or total to {most}");
        return Err(wrong_size("wrap", wrap, problem));
    }
    Ok(())
}

fn check_pause(workload: &RawWorkload) -> Result<(), LabError> {
    let Some(pause) = workload.pause_ps.map(Time::from_ps) else {
        return Ok(());
    };
    let problem = if workload.during.is_empty() {
        "is that of reads during other work, and during names none".to_owned()
    } else if pause > PAUSE_MAX {
        format!("of {pause} is too long; allowed: 0 s to {PAUSE_MAX}")
    } else {
        return Ok(());
    };
    Err(LabError::List {
        what: "pause",
        problem,
    })
}

fn wrong_size(what: &'static str, found: u64, problem: String) -> LabError {
    LabError::Size {
        what,
        found: ByteCount::from_bytes(found),
        problem,
    }
}

fn print(bytes: u64) -> String {
    ByteCount::from_bytes(bytes).to_string()
}
