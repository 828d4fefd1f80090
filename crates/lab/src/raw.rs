//! A raw memory over access sizes: the benchmark of `mram-vs-flash-benchmark`.
//!
//! Each target, operation and size is a run of its own on a fresh device: sequential accesses from
//! address 0, starting over before the access that would cross the wrap address. Every byte is
//! real: reads are compared with what was stored, and after writes the memory is read back.

use wordline_catalog::{Model, Target};
use wordline_core::quantity::ByteCount;
use wordline_core::results::Warning;
use wordline_core::{Experiment, Operation, RawWorkload, ResultSet};
use wordline_memory::ByteMemory;
use wordline_nvm::{Conditions, Mram, NvmError, Wired};

use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::payload::Payload;
use crate::rows::{Run, rows};
use crate::sources;
use crate::tally::Tally;

/// The most memory of one device that a run may touch, because its bytes are held in RAM.
const FOOTPRINT_MAX: u64 = 16 << 30;

/// How often progress is told and the wish to stop is heard, in bytes moved.
const BREATH_BYTES: u64 = 1 << 20;

/// The benchmark's workload, fitted to the smallest of some targets: it wraps at the end of the
/// part where that comes before 8 MiB, and leaves out access sizes that the part cannot hold.
#[must_use]
pub fn default_workload(targets: &[Target<'_>]) -> RawWorkload {
    let mut workload = RawWorkload::default();
    let smallest = targets.iter().map(capacity).min();
    workload.wrap_bytes =
        smallest.map_or(workload.wrap_bytes, |size| size.min(workload.wrap_bytes));
    let fitting = |bytes: &u64| *bytes <= workload.wrap_bytes;
    if workload.access_bytes.iter().any(fitting) {
        workload.access_bytes.retain(fitting);
    } else {
        workload.access_bytes = vec![workload.wrap_bytes];
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
    check(targets, workload)?;
    let conditions = Conditions {
        timing: experiment.timing,
        age: experiment.age,
        seed: experiment.seed,
    };
    let longest = workload.access_bytes.iter().copied().max().unwrap_or(0);
    let payload = Payload::new(experiment.seed, longest as usize);
    let mut fresh = Vec::new();
    for target in targets {
        let device = connect(target, conditions)?;
        sources::add(document, target, &device, experiment.timing);
        fresh.push((target, device));
    }
    let mut work = Work {
        workload,
        payload: &payload,
        control,
        done_bytes: 0,
        total_bytes: workload.total_bytes.saturating_mul(
            (targets.len() * workload.operations.len() * workload.access_bytes.len()) as u64,
        ),
    };
    for (target, device) in &fresh {
        for &operation in &workload.operations {
            let prepared = work.prepare(device, operation);
            for &access in &workload.access_bytes {
                let mut device = prepared.fork();
                let outcome = work.drive(&mut device, &target.name, operation, access);
                let tally = match outcome {
                    Ok(Some(tally)) => Ok(tally),
                    Ok(None) => {
                        document.complete = false;
                        return Ok(());
                    }
                    Err(failure) => {
                        document
                            .warnings
                            .push(warning(&target.name, operation, access, &failure));
                        Err(())
                    }
                };
                let run = Run {
                    target,
                    operation,
                    access_bytes: access,
                    experiment,
                };
                rows(&run, &prepared, &device, tally.as_ref().ok(), document);
            }
        }
    }
    Ok(())
}

fn warning(target: &str, operation: Operation, access: u64, failure: &Failure) -> Warning {
    let access = ByteCount::from_bytes(access);
    let operation = operation.name();
    Warning {
        code: "run-failed".to_owned(),
        advice: format!("{target}, {operation} of {access}: {failure}"),
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
    payload: &'a Payload,
    control: &'a Control<'a>,
    done_bytes: u64,
    total_bytes: u64,
}

impl Work<'_> {
    /// The device that the runs of one operation start from: reads find content.
    fn prepare(&self, device: &Wired<Mram>, operation: Operation) -> Wired<Mram> {
        let mut device = device.fork();
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
            while at < touched {
                let length = longest.min(touched - at);
                let data = self.payload.at(at, 0, length as usize);
                if let Err(error) = device.chip_mut().preload(at, data) {
                    unreachable!("the sizes were checked: {error}");
                }
                at += length;
            }
        }
        device
    }

    /// Runs all accesses of one size; `None` when the caller wants to stop.
    fn drive(
        &mut self,
        device: &mut Wired<Mram>,
        target: &str,
        operation: Operation,
        access: u64,
    ) -> Result<Option<Tally>, Failure> {
        let step = format!(
            "{target} {} {}",
            operation.name(),
            ByteCount::from_bytes(access)
        );
        let before = self.done_bytes;
        let accesses = self.workload.total_bytes / access;
        let a_pass = self.workload.wrap_bytes / access;
        let mut tally = Tally::default();
        let mut buffer = vec![0; access as usize];
        let mut breath = BREATH_BYTES;
        for index in 0..accesses {
            let (pass, at) = (index / a_pass, index % a_pass * access);
            match operation {
                Operation::Write => {
                    device.write(at, self.payload.at(at, pass, access as usize))?;
                }
                Operation::Read => {
                    device.read(at, &mut buffer)?;
                    if buffer != self.payload.at(at, 0, access as usize) {
                        return Err(Failure::Corrupt(at));
                    }
                }
            }
            tally.add(access, device.last_cost());
            if tally.bytes() >= breath {
                breath = tally.bytes() + BREATH_BYTES;
                if self.control.stopped() {
                    return Ok(None);
                }
                self.control.report(Progress {
                    step: &step,
                    done_bytes: before + tally.bytes(),
                    total_bytes: self.total_bytes,
                });
            }
        }
        if operation == Operation::Write {
            self.read_back(device, access, accesses, a_pass)?;
        }
        self.done_bytes = before + self.workload.total_bytes;
        Ok(if self.control.stopped() {
            None
        } else {
            Some(tally)
        })
    }

    /// Compares the memory with the last bytes that were written to each place, on a fork, so that
    /// neither the device's clock nor its account of energy moves.
    fn read_back(
        &self,
        device: &Wired<Mram>,
        access: u64,
        accesses: u64,
        a_pass: u64,
    ) -> Result<(), Failure> {
        let mut device = device.fork();
        let mut buffer = vec![0; access as usize];
        for slot in 0..a_pass.min(accesses) {
            let pass = (accesses - 1 - slot) / a_pass;
            let at = slot * access;
            device.read(at, &mut buffer)?;
            if buffer != self.payload.at(at, pass, access as usize) {
                return Err(Failure::Corrupt(at));
            }
        }
        Ok(())
    }
}

fn connect(target: &Target<'_>, conditions: Conditions) -> Result<Wired<Mram>, LabError> {
    let Model::Mram(sheet) = &target.part.model;
    Wired::connect(sheet, &target.board.board, conditions).map_err(|source| LabError::Device {
        target: target.name.clone(),
        source,
    })
}

fn capacity(target: &Target<'_>) -> u64 {
    let Model::Mram(sheet) = &target.part.model;
    sheet.capacity.nominal().bytes()
}

/// Bytes of the memory that a run touches.
fn footprint(workload: &RawWorkload) -> u64 {
    workload.wrap_bytes.min(workload.total_bytes)
}

fn check(targets: &[Target<'_>], workload: &RawWorkload) -> Result<(), LabError> {
    distinct(
        "operation",
        workload.operations.iter().map(|one| one.name().to_owned()),
    )?;
    let sizes = workload.access_bytes.iter();
    distinct(
        "size",
        sizes.map(|&size| ByteCount::from_bytes(size).to_string()),
    )?;
    let fail = |what, found, problem| {
        Err(LabError::Size {
            what,
            found: ByteCount::from_bytes(found),
            problem,
        })
    };
    let (wrap, total) = (workload.wrap_bytes, workload.total_bytes);
    let print = |bytes| ByteCount::from_bytes(bytes).to_string();
    for target in targets {
        let capacity = capacity(target);
        if wrap > capacity || wrap == 0 {
            let part = &target.part.header.id;
            let problem = format!("is outside {part}; allowed: 1 B to {}", print(capacity));
            return fail("wrap", wrap, problem);
        }
    }
    for &access in &workload.access_bytes {
        let most = wrap.min(total);
        if access == 0 || access > most {
            let problem = format!(
                "does not fit; allowed: 1 B to {}, the smaller of wrap ({}) and total ({})",
                print(most),
                print(wrap),
                print(total)
            );
            return fail("size", access, problem);
        }
    }
    if footprint(workload) > FOOTPRINT_MAX {
        let problem = format!(
            "touches more memory than a run may hold; lower wrap or total to {}",
            print(FOOTPRINT_MAX)
        );
        return fail("wrap", wrap, problem);
    }
    Ok(())
}

fn distinct(what: &'static str, names: impl Iterator<Item = String>) -> Result<(), LabError> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            let problem = format!("{name} is named twice");
            return Err(LabError::List { what, problem });
        }
        seen.push(name);
    }
    if seen.is_empty() {
        let problem = "list is empty".to_owned();
        return Err(LabError::List { what, problem });
    }
    Ok(())
}
