//! The calls of a trace, made and timed one by one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use wordline_core::RowOperation;
use wordline_core::quantity::Time;
use wordline_engines::{FileSystem, FsError, FsErrorKind, Handle, Open, VolatileFiles};
use wordline_trace::files::{
    ExistingEntry, FileAction, FileOpening, FileTraceReader, SyncKind, TracedFileCall,
    WrittenContent,
};

use crate::control::{Control, Progress};
use crate::fs::calls::{CallFailure, Mounted};
use crate::fs::part::FileSystemMedium;
use crate::fs::system::FileSystemCase;
use crate::instrument::OperationTally;
use crate::instrument::tally::{OperationSample, UnitWear};
use crate::payload::Payload;

/// Bytes of a call that makes a file which was there before the recording.
const PIECE: u64 = 64 << 10;

/// Calls between two reports of progress.
const REPORT: u64 = 1024;

/// What the calls of a trace came to.
pub(crate) struct PlayedTrace {
    /// All calls together; its bytes are those that the program wrote.
    pub(super) all: OperationTally,
    /// Calls of each kind.
    pub(super) kinds: BTreeMap<RowOperation, OperationTally>,
    /// Operations of the program, where it marked them with names that rows can have.
    pub(crate) marked: BTreeMap<RowOperation, MarkedOperations>,
}

/// Operations of a program, each from the mark before it on: the calls of its thread, and what that thread computed.
pub(crate) struct MarkedOperations {
    /// In the memory's time.
    pub(crate) calls: OperationTally,
    /// Those of which instructions were counted.
    pub(super) counted: CountedOperations,
    /// The counted ones in the memory's time and the processor's, of each build; none where the processor's is unknown.
    pub(super) with_processor: Vec<OperationTally>,
}

/// Operations of which instructions were counted.
#[derive(Default)]
pub(super) struct CountedOperations {
    /// How many.
    pub(super) count: u64,
    /// Instructions of all.
    pub(super) instructions: u64,
    /// What they took in the memory's time.
    pub(super) busy: Time,
}

/// What a thread has done since its last mark.
#[derive(Default)]
struct SinceMark {
    calls: OperationSample,
    instructions: Option<u64>,
}

/// A file that is open on both file systems.
struct ReplayedFile {
    path: Arc<str>,
    file: Handle,
    reference: Handle,
}

/// Plays a trace on one file system, beside a reference in RAM.
pub(super) struct TracePlayer<'a> {
    target: &'a str,
    payload: &'a Payload,
    control: &'a Control<'a>,
    /// Calls of the trace.
    calls: u64,
    reference: VolatileFiles,
    open: HashMap<u32, ReplayedFile>,
    data: Vec<u8>,
    expected: Vec<u8>,
    /// What an instruction takes in seconds, of each build; none where that is unknown.
    instruction_s: Vec<f64>,
    since_mark: HashMap<u32, SinceMark>,
}

/// What a call was, and how many bytes it moved.
struct MadeCall {
    operation: RowOperation,
    bytes: u64,
}

impl<'a> TracePlayer<'a> {
    pub(super) fn new(
        system: &'a FileSystemCase<'a>,
        calls: u64,
        payload: &'a Payload,
        instruction_s: Vec<f64>,
        control: &'a Control<'a>,
    ) -> Self {
        Self {
            instruction_s,
            since_mark: HashMap::new(),
            target: &system.engine.target.name,
            payload,
            control,
            calls,
            reference: VolatileFiles::new(system.bytes),
            open: HashMap::new(),
            data: Vec::new(),
            expected: Vec::new(),
        }
    }

    /// Makes what was there before the first call.
    pub(super) fn prepare(
        &mut self,
        mounted: &mut Mounted,
        existing: &[ExistingEntry],
    ) -> Result<(), CallFailure> {
        for (number, ExistingEntry { path, bytes }) in (0..).zip(existing) {
            let Some(bytes) = *bytes else {
                mounted.engine.create_dir(path)?;
                self.reference.create_dir(path)?;
                continue;
            };
            let file = mounted.open(path, Open::Replace)?;
            let copy = self.reference.open(path, Open::Replace)?;
            for at in (0..bytes).step_by(PIECE as usize) {
                if self.control.stopped() {
                    return Err(CallFailure::Stopped);
                }
                self.data.resize((bytes - at).min(PIECE) as usize, 0);
                self.payload.fill(at, number, &mut self.data);
                mounted.engine.write(file, at, &self.data)?;
                self.reference.write(copy, at, &self.data)?;
            }
            mounted.finish(file)?;
            self.reference.close(copy)?;
        }
        Ok(())
    }

    /// Makes all calls, and closes what the trace left open.
    pub(super) fn play(
        &mut self,
        reader: &mut FileTraceReader<&[u8]>,
        mounted: &mut Mounted,
        medium: &FileSystemMedium,
    ) -> Result<PlayedTrace, CallFailure> {
        let begin =
            |stores, scope| medium.with(|medium| OperationTally::begin(medium, stores, scope));
        let mut all = begin(true, UnitWear::Whole);
        let (mut kinds, mut marked) = (BTreeMap::new(), BTreeMap::new());
        while let Some(call) = reader.next() {
            let call = call?;
            if reader.calls().is_multiple_of(REPORT) {
                if self.control.stopped() {
                    return Err(CallFailure::Stopped);
                }
                self.report(reader.calls());
            }
            let start = medium.now();
            let made = self.make(&call.action, mounted);
            let made = made.map_err(|failure| self.named(reader.calls(), &call, failure))?;
            let since = self.since_mark.entry(call.thread).or_default();
            since.instructions = sum(since.instructions, call.instructions);
            let Some(made) = made else {
                let since = self.since_mark.remove(&call.thread).unwrap_or_default();
                if let Some(operation) = operation_of(&call.action) {
                    let builds = self.instruction_s.len();
                    let operations = marked.entry(operation).or_insert_with(|| MarkedOperations {
                        calls: begin(true, UnitWear::Off),
                        counted: CountedOperations::default(),
                        with_processor: vec![begin(false, UnitWear::Off); builds],
                    });
                    operations.add(&since, &self.instruction_s);
                }
                continue;
            };
            let sample = medium.with(|medium| OperationSample {
                duration: medium.now().since(start),
                bytes: made.bytes,
                activity: medium.take_call(),
                ..OperationSample::default()
            });
            let since = self.since_mark.entry(call.thread).or_default();
            since.calls = since.calls.then(&sample);
            let stores = made.operation == RowOperation::Write;
            let kind = kinds
                .entry(made.operation)
                .or_insert_with(|| begin(stores, UnitWear::Off));
            kind.add(&sample);
            all.add(&OperationSample {
                bytes: if stores { made.bytes } else { 0 },
                ..sample
            });
        }
        medium.with(|medium| all.end(medium));
        for (_, left) in self.open.drain() {
            mounted.engine.close(left.file)?;
        }
        Ok(PlayedTrace { all, kinds, marked })
    }

    fn report(&self, calls: u64) {
        self.control.report(Progress {
            step: self.target,
            done_bytes: calls,
            total_bytes: self.calls,
        });
    }

    /// A failure with its call.
    fn named(&self, number: u64, call: &TracedFileCall, failure: CallFailure) -> CallFailure {
        let CallFailure::Engine(source) = failure else {
            return failure;
        };
        let file = match &call.action {
            FileAction::Read { file, .. }
            | FileAction::Write { file, .. }
            | FileAction::Truncate { file, .. }
            | FileAction::Sync { file, .. } => self.open.get(file),
            _ => None,
        };
        let of = file.map_or_else(String::new, |file| format!(" of {}", file.path));
        CallFailure::Traced {
            number,
            call: format!("{call}{of}"),
            source,
        }
    }

    /// Makes a call on both file systems; `None` where it is none.
    fn make(
        &mut self,
        action: &FileAction,
        mounted: &mut Mounted,
    ) -> Result<Option<MadeCall>, CallFailure> {
        let fs = &mut *mounted.engine;
        let (operation, bytes) = match action {
            FileAction::Open { file, how, path } => {
                let is_there = self.reference.entry(path).is_ok();
                let how = opening(*how);
                let opened = ReplayedFile {
                    path: Arc::clone(path),
                    file: mounted.open(path, how)?,
                    reference: self.reference.open(path, how)?,
                };
                self.open.insert(*file, opened);
                let operation = match is_there {
                    true => RowOperation::Open,
                    false => RowOperation::Create,
                };
                (operation, 0)
            }
            FileAction::Close { file } => {
                let closed = self.open.remove(file).ok_or(FsErrorKind::Invalid);
                let closed = closed.map_err(FsError::from)?;
                fs.close(closed.file)?;
                self.reference.close(closed.reference)?;
                (RowOperation::Close, 0)
            }
            FileAction::Read {
                file, at, bytes, ..
            } => (RowOperation::Read, self.read(*file, *at, *bytes, fs)?),
            FileAction::Write {
                file,
                at,
                bytes,
                content,
            } => {
                self.data.clear();
                self.data.resize(*bytes as usize, 0);
                if let WrittenContent::Drawn { seed } = content {
                    self.payload.fill(0, (*seed).into(), &mut self.data);
                }
                let open = open_of(&self.open, *file)?;
                fs.write(open.file, *at, &self.data)?;
                self.reference.write(open.reference, *at, &self.data)?;
                (RowOperation::Write, *bytes)
            }
            FileAction::Truncate { file, bytes } => {
                let open = open_of(&self.open, *file)?;
                // First the one that has a limit: some file systems extend a file beyond their memory.
                self.reference.truncate(open.reference, *bytes)?;
                fs.truncate(open.file, *bytes)?;
                (RowOperation::Truncate, 0)
            }
            FileAction::Sync { file, kind } => {
                let open = open_of(&self.open, *file)?;
                match kind {
                    SyncKind::All => fs.sync(open.file)?,
                    SyncKind::Data => fs.sync_data(open.file)?,
                }
                (RowOperation::Sync, 0)
            }
            FileAction::Rename { from, to } => {
                rename(fs, from, to)?;
                self.reference.rename(from, to)?;
                (RowOperation::Rename, 0)
            }
            FileAction::Remove { path } => {
                fs.remove(path)?;
                self.reference.remove(path)?;
                (RowOperation::Delete, 0)
            }
            FileAction::CreateDir { path } => {
                fs.create_dir(path)?;
                self.reference.create_dir(path)?;
                (RowOperation::MakeDirectory, 0)
            }
            FileAction::Entry { path, found } => {
                // FAT finds a name in other letters, for which a program may look to learn just that.
                match fs.entry(path) {
                    Err(error) if *found || error.kind != FsErrorKind::NotFound => {
                        return Err(error.into());
                    }
                    _ => {}
                }
                (RowOperation::Stat, 0)
            }
            FileAction::List { path } => {
                if fs.list(path)?.len() != self.reference.list(path)?.len() {
                    return Err(CallFailure::Corrupt(path.to_string()));
                }
                (RowOperation::List, 0)
            }
            FileAction::SyncDir { path } => {
                fs.sync_dir(path)?;
                (RowOperation::Sync, 0)
            }
            FileAction::Mark { .. } => return Ok(None),
        };
        Ok(Some(MadeCall { operation, bytes }))
    }

    /// Reads, and compares what is found with the reference. Returns the bytes that were found.
    fn read(
        &mut self,
        file: u32,
        at: u64,
        bytes: u64,
        fs: &mut dyn FileSystem,
    ) -> Result<u64, CallFailure> {
        let open = open_of(&self.open, file)?;
        for out in [&mut self.data, &mut self.expected] {
            out.clear();
            out.resize(bytes as usize, 0);
        }
        let found = fs.read(open.file, at, &mut self.data)?;
        let expected = self
            .reference
            .read(open.reference, at, &mut self.expected)?;
        match found == expected && self.data[..found] == self.expected[..found] {
            true => Ok(found as u64),
            false => Err(CallFailure::Corrupt(open.path.to_string())),
        }
    }
}

impl MarkedOperations {
    fn add(&mut self, since: &SinceMark, instruction_s: &[f64]) {
        self.calls.add(&since.calls);
        let Some(instructions) = since.instructions else {
            return;
        };
        self.counted.count += 1;
        self.counted.instructions += instructions;
        self.counted.busy = self.counted.busy.plus(since.calls.duration);
        for (tally, each_s) in self.with_processor.iter_mut().zip(instruction_s) {
            let computed = Time::from_ps((instructions as f64 * each_s * 1e12).round() as u64);
            tally.add(&OperationSample {
                duration: since.calls.duration.plus(computed),
                ..since.calls
            });
        }
    }
}

/// Counts together, of which some may be unknown. All counts of a trace have a sum, as its reader says.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}

/// The operation that a mark ends, where rows can have its name.
fn operation_of(action: &FileAction) -> Option<RowOperation> {
    match action {
        FileAction::Mark { operation } => operation.parse().ok(),
        _ => None,
    }
}

/// A file that is open.
fn open_of(open: &HashMap<u32, ReplayedFile>, file: u32) -> Result<&ReplayedFile, FsError> {
    open.get(&file).ok_or_else(|| FsErrorKind::Invalid.into())
}

const fn opening(how: FileOpening) -> Open {
    match how {
        FileOpening::Read => Open::Read,
        FileOpening::Write => Open::Write,
        FileOpening::Create => Open::Create,
        FileOpening::Replace => Open::Replace,
    }
}

/// Renames; where the file system replaces nothing, what has the name is removed first, as a program would have to.
fn rename(fs: &mut dyn FileSystem, from: &str, to: &str) -> Result<(), FsError> {
    match fs.rename(from, to) {
        Err(error) if error.kind == FsErrorKind::Exists => {
            fs.remove(to)?;
            fs.rename(from, to)
        }
        done => done,
    }
}
