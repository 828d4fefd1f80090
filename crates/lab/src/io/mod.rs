//! File traces: the calls that a program made, on each file system on each memory, in simulated time.
//!
//! A trace is read once, and checked call by call ([`wordline_trace::files`]); every case then decodes it from RAM. What was
//! there before the recording is made first, without being timed. The calls follow each other in the order of the trace,
//! each when the one before has returned: which thread made them changes nothing. A file system in RAM
//! ([`VolatileFiles`](wordline_engines::VolatileFiles)) makes the same calls, and whatever is read is compared with it.

mod kept;
mod replay;
mod rows;

use std::io::BufRead;

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::ByteCount;
use wordline_core::{Experiment, IoWorkload, ResultSet, RowOperation};
use wordline_trace::files::{FileAction, FileTraceError, FileTraceReader};

use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::fs::calls::{CallFailure, CallStep, Measured, Mounted};
use crate::fs::check;
use crate::fs::engine::{LayerRam, Ready, file_system};
use crate::fs::part::FileSystemMedium;
use crate::fs::processor::speed;
use crate::fs::system::{FileSystemCase, FileSystemChoices};
use crate::instrument::case::{DocumentCase, run_into};
use crate::list::distinct;
use crate::payload::Payload;
use crate::warning::LabWarning;
use kept::KeptBytes;
use replay::{PlayedTrace, TracePlayer};

/// The most bytes of a trace: they are held in RAM.
const TRACE_BYTES_MAX: usize = 1 << 30;

/// The longest that the instructions of a trace may take the processor: half of what simulated time can be, whose
/// picoseconds have 64 bits. The other half is the memory's.
const PROCESSOR_S_MAX: f64 = (u64::MAX / 2) as f64 * 1e-12;

/// A trace in RAM, which was read to its end once.
pub(crate) struct LoadedTrace {
    bytes: Vec<u8>,
    /// Calls and marks.
    calls: u64,
    marks: u64,
    /// Of all calls together; `None` where none were counted.
    instructions: Option<u64>,
}

impl LoadedTrace {
    /// Reads a trace, and checks every call as it comes: what is no trace is not read to its end.
    fn read(file: &str, control: &Control<'_>) -> Result<Self, LabError> {
        let trace = Self::of(control.open(file)?).map_err(|error| match error {
            FileTraceError::Unreadable { source, .. } => LabError::Unreadable {
                file: file.to_owned(),
                source,
            },
            source => LabError::FileTrace {
                file: file.to_owned(),
                source,
            },
        })?;
        match trace.calls > trace.marks {
            true => Ok(trace),
            false => Err(LabError::NoFileCalls(file.to_owned())),
        }
    }

    /// Checks every call of a trace.
    pub(crate) fn of(from: impl BufRead) -> Result<Self, FileTraceError> {
        let mut kept = KeptBytes::new(from, TRACE_BYTES_MAX);
        let mut reader = FileTraceReader::open(&mut kept)?;
        let mut marks = 0;
        for call in reader.by_ref() {
            marks += u64::from(matches!(call?.action, FileAction::Mark { .. }));
        }
        let (calls, instructions) = (reader.calls(), reader.instructions());
        Ok(Self {
            bytes: kept.into_bytes(),
            calls,
            marks,
            instructions,
        })
    }

    /// The calls from the first on.
    fn open(&self) -> Result<FileTraceReader<&[u8]>, FileTraceError> {
        FileTraceReader::open(&*self.bytes)
    }
}

/// Plays a trace on every file system on every target and adds what it found to the document.
pub(crate) fn run(
    targets: &[PartOnBoard<'_>],
    workload: &IoWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let systems = workload.file_systems.iter();
    distinct("on", systems.map(ToString::to_string))?;
    let systems = workload.file_systems.iter().map(file_system);
    let systems: Vec<_> = systems.collect::<Result<_, _>>()?;
    check::choices(
        &systems,
        targets,
        &workload.settings,
        experiment.ftl.as_ref(),
    )?;
    if workload.capacity_bytes == Some(0) {
        return Err(SettingProblem::NoCapacity.of("capacity"));
    }
    let choices = FileSystemChoices {
        file_systems: &workload.file_systems,
        settings: &workload.settings,
        asked_bytes: workload.capacity_bytes,
        bytes: &|model| {
            let all = model.capacity_bytes();
            workload.capacity_bytes.map_or(all, |asked| asked.min(all))
        },
    };
    let trace = LoadedTrace::read(&workload.file, control)?;
    let systems = FileSystemCase::all(targets, &choices, experiment, document)?;
    let (trace, payload) = (&trace, &Payload::new(experiment.seed));
    let cases = systems.iter().map(|system| {
        let system = system.fork();
        let name = system.engine.target.name.clone();
        let work = move |control: &Control<'_>, document: &mut ResultSet| {
            let ran = play(&system, trace, payload, control, document);
            document.complete = !matches!(ran, Err(CallFailure::Stopped));
            if let (Err(failure), true) = (ran, document.complete) {
                failed(&system, &failure, document);
            }
            Ok(())
        };
        DocumentCase::document(name, trace.calls.max(1), experiment, work)
    });
    run_into(document, cases.collect(), control)
}

/// The rows of a trace that did not come to its end: what was done has none, because it is no whole.
fn failed(system: &FileSystemCase<'_>, failure: &CallFailure, document: &mut ResultSet) {
    system.failed(&system.whole(), RowOperation::All, failure, document);
}

/// Plays a trace on a file system.
fn play(
    system: &FileSystemCase<'_>,
    trace: &LoadedTrace,
    payload: &Payload,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), CallFailure> {
    let played = SystemReplay::run(system, trace, payload, control, document)?;
    let subject = system.whole();
    system.rows(&subject, &CallStep::MOUNT, &played.mount, document);
    system.ram(&subject, &played.mounted, &played.layer_ram, document);
    rows::add(&subject, &system.name(&subject), &played.trace, document);
    played.end(system, document)
}

/// A trace that was played on a file system.
pub(crate) struct SystemReplay {
    pub(crate) trace: PlayedTrace,
    mount: Measured,
    mounted: Mounted,
    layer_ram: LayerRam,
    medium: FileSystemMedium,
    /// Bytes that the memory stored before the first call.
    prepared_bytes: u64,
}

impl SystemReplay {
    /// Formats a file system, makes what was there, mounts it anew and makes the calls.
    pub(crate) fn run(
        system: &FileSystemCase<'_>,
        trace: &LoadedTrace,
        payload: &Payload,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<Self, CallFailure> {
        let engine = &system.engine;
        let medium = FileSystemMedium::new(system.memory.fork(), system.bytes);
        engine.format(&medium)?;
        let mut reader = trace.open()?;
        if trace.instructions.is_some() {
            document.warn(LabWarning::InstructionsRecorded {
                name: &system.name(&system.whole()),
            });
        }
        let speed = trace.instructions.and_then(|_| speed(system, document));
        let instruction_s = speed.map_or_else(Vec::new, |speed| speed.instruction_s.to_vec());
        let instructions = trace.instructions.unwrap_or(0);
        let is_too_long = |each_s: &f64| instructions as f64 * each_s > PROCESSOR_S_MAX;
        if instruction_s.iter().any(is_too_long) {
            return Err(CallFailure::Processor(instructions));
        }
        let mut replay = TracePlayer::new(system, trace.calls, payload, instruction_s, control);
        let existing = &reader.preamble().existing;
        if !existing.is_empty() {
            let Ready { mut mounted, .. } = engine.mount(&medium)?;
            replay.prepare(&mut mounted, existing)?;
            mounted.engine.unmount()?;
        }
        let prepared_bytes = medium.with(|medium| medium.total().stored_bytes());
        // What is mounted anew has nothing in its buffers.
        let medium = FileSystemMedium::new(medium.fork(), system.bytes);
        let (ready, mount) = system.mount(&medium)?;
        let Ready {
            mut mounted,
            layer_ram,
        } = ready;
        let trace = replay.play(&mut reader, &mut mounted, &medium)?;
        Ok(Self {
            trace,
            mount,
            mounted,
            layer_ram,
            medium,
            prepared_bytes,
        })
    }

    /// Unmounts, and says so where the memory was too fresh to be cleaned up.
    pub(crate) fn end(
        mut self,
        system: &FileSystemCase<'_>,
        document: &mut ResultSet,
    ) -> Result<(), CallFailure> {
        self.mounted.engine.unmount()?;
        let stored = self.medium.with(|medium| medium.total().stored_bytes());
        if system.engine.cleans() && self.prepared_bytes + stored < system.bytes {
            document.warn(LabWarning::FreshReplay {
                name: &system.name(&system.whole()),
                bytes: &ByteCount::from_bytes(system.bytes),
            });
        }
        Ok(())
    }
}
