//! The calls of each test, timed one by one.

use wordline_core::RowOperation::{
    self, AppendSmall, AppendSync, Create, Delete, Mount, Overwrite, OverwriteSync, RandomRead,
    RandomWrite, Rename, SeqRead, SeqWrite, Stat,
};
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;
use wordline_core::{FsTest, FsWorkload};
use wordline_engines::{FileSystem, FsError, Handle, Open, RamPart};
use wordline_trace::files::FileTraceError;

use super::part::FileSystemMedium;
use super::pieces::{Pieces, SMALL_DIR, other_path, path, shuffled};
use crate::backlog::{BacklogError, Rate, StartUp};
use crate::buffer::analysis::{Analysis, BufferFindings};
use crate::control::Control;
use crate::instrument::OperationTally;
use crate::instrument::tally::UnitWear;
use crate::payload::Payload;

/// The file that is written and read.
pub(crate) const FILE: &str = "/data";

/// Small files that are read back when nothing is timed any more, at most.
const CHECKED: u64 = 32;

/// One operation of a test: what its calls do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CallStep {
    /// As the column `operation` spells it.
    pub(crate) operation: RowOperation,
    /// Bytes of a call; none of one that moves no data of the caller's.
    pub(crate) access_bytes: Option<u64>,
    /// Whether it stores what the caller gives.
    pub(crate) stores: bool,
}

impl CallStep {
    pub(crate) const MOUNT: Self = Self::plain(Mount);

    const fn plain(operation: RowOperation) -> Self {
        Self {
            operation,
            access_bytes: None,
            stores: false,
        }
    }

    const fn reads(operation: RowOperation, bytes: u64) -> Self {
        Self {
            operation,
            access_bytes: Some(bytes),
            stores: false,
        }
    }

    const fn writes(operation: RowOperation, bytes: u64) -> Self {
        Self {
            operation,
            access_bytes: Some(bytes),
            stores: true,
        }
    }
}

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallFailure {
    #[error("{0}")]
    Engine(#[from] FsError),
    /// What a database on the file system said.
    #[error("{0}")]
    Database(String),
    #[error("{0} holds other bytes than those that were written; please report this defect")]
    Corrupt(String),
    #[error(transparent)]
    Backlog(#[from] BacklogError),
    #[error("call {number} of the trace ({call}): {source}")]
    Traced {
        number: u64,
        call: String,
        source: FsError,
    },
    #[error(transparent)]
    Trace(#[from] FileTraceError),
    #[error("its {0} instructions take the processor more than 106 days")]
    Processor(u64),
    #[error("the caller stopped it")]
    Stopped,
}

/// A mounted file system, and the RAM that it needed so far.
pub(crate) struct Mounted {
    pub(crate) engine: Box<dyn FileSystem + Send>,
    ram: Vec<RamPart>,
}

impl Mounted {
    pub(crate) fn new(engine: Box<dyn FileSystem + Send>) -> Self {
        let ram = engine.ram_parts();
        Self { engine, ram }
    }

    /// The most RAM that each part needed.
    pub(crate) fn ram(&self) -> &[RamPart] {
        &self.ram
    }

    pub(crate) fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        let file = self.engine.open(path, how)?;
        for (most, now) in self.ram.iter_mut().zip(self.engine.ram_parts()) {
            most.bytes = most.bytes.max(now.bytes);
        }
        Ok(file)
    }

    /// Ends a file: everything that was written to it lasts from here on.
    pub(crate) fn finish(&mut self, file: Handle) -> Result<(), FsError> {
        self.engine.sync(file)?;
        self.engine.close(file)
    }
}

/// What the calls of one operation came to.
pub(crate) struct Measured {
    pub(crate) tally: OperationTally,
    /// The RAM that their durations ask for, of an operation that stores.
    pub(crate) findings: Option<BufferFindings>,
}

/// What the calls of one mounted file system need.
pub(crate) struct FileCalls<'a> {
    pub(crate) mounted: Mounted,
    pub(crate) medium: &'a FileSystemMedium,
    pub(crate) workload: &'a FsWorkload,
    pub(crate) payload: &'a Payload,
    pub(crate) seed: u64,
    pub(crate) rates: &'a [Rate],
    pub(crate) control: &'a Control<'a>,
    /// What was measured, in order; of a test that fails, what ended before.
    pub(crate) done: Vec<(CallStep, Measured)>,
}

impl FileCalls<'_> {
    /// Runs a test.
    pub(crate) fn run(&mut self, test: FsTest) -> Result<(), CallFailure> {
        match test {
            FsTest::Sequential => self.sequential(),
            FsTest::Overwrite => self.overwrite(),
            FsTest::OverwriteSync => self.overwrite_sync(),
            FsTest::Random => self.random(),
            FsTest::Append => self.append(),
            FsTest::SmallFiles => self.small_files(),
        }
    }

    /// Times `calls` calls, each of which says how many bytes it moved.
    fn measure(
        &mut self,
        step: CallStep,
        calls: u64,
        mut call: impl FnMut(&mut Mounted, u64) -> Result<u64, CallFailure>,
    ) -> Result<(), CallFailure> {
        let medium = self.medium;
        let start = StartUp {
            time: Time::ZERO,
            ..StartUp::default()
        };
        let rates = step.stores.then_some(self.rates);
        let mut buffer = rates.map(|rates| Analysis::new(start, rates)).transpose()?;
        let mut tally =
            medium.with(|medium| OperationTally::begin(medium, step.stores, UnitWear::Whole));
        for number in 0..calls {
            if self.control.stopped() {
                return Err(CallFailure::Stopped);
            }
            let start = medium.now();
            let bytes = call(&mut self.mounted, number)?;
            let duration = medium.with(|medium| tally.call(medium, start, bytes));
            if let Some(buffer) = buffer.as_mut().filter(|_| bytes > 0) {
                buffer.push(duration, bytes)?;
            }
        }
        medium.with(|medium| tally.end(medium));
        let findings = buffer.map(Analysis::finish).transpose()?;
        self.done.push((step, Measured { tally, findings }));
        Ok(())
    }

    /// The file in pieces of one call each: where the piece begins, and its bytes as they are the `pass`th time.
    fn pieces(&self) -> Pieces {
        Pieces {
            payload: self.payload.clone(),
            file_bytes: self.workload.file_bytes,
            access_bytes: self.workload.access_bytes,
        }
    }

    fn sequential(&mut self) -> Result<(), CallFailure> {
        let pieces = self.pieces();
        self.write_in_order(SeqWrite, &pieces, Open::Replace, 1)?;
        let count = pieces.count();
        let mut file = Handle(0);
        let step = CallStep::reads(SeqRead, pieces.access_bytes);
        self.measure(step, count, |fs, number| {
            if number == 0 {
                file = fs.open(FILE, Open::Read)?;
            }
            let bytes = pieces.check(fs, file, number, 1)?;
            if number + 1 == count {
                fs.engine.close(file)?;
            }
            Ok(bytes)
        })
    }

    /// The first call opens the file, and the last one syncs and closes it.
    fn write_in_order(
        &mut self,
        operation: RowOperation,
        pieces: &Pieces,
        how: Open,
        pass: u64,
    ) -> Result<(), CallFailure> {
        let count = pieces.count();
        let mut file = Handle(0);
        let step = CallStep::writes(operation, pieces.access_bytes);
        self.measure(step, count, |fs, number| {
            if number == 0 {
                file = fs.open(FILE, how)?;
            }
            let bytes = pieces.write(fs, file, number, pass)?;
            if number + 1 == count {
                fs.finish(file)?;
            }
            Ok(bytes)
        })
    }

    /// Makes the file when nothing is timed.
    fn prepare(&mut self, pieces: &Pieces) -> Result<(), CallFailure> {
        let file = self.mounted.open(FILE, Open::Replace)?;
        for number in 0..pieces.count() {
            pieces.write(&mut self.mounted, file, number, 1)?;
        }
        Ok(self.mounted.finish(file)?)
    }

    fn overwrite(&mut self) -> Result<(), CallFailure> {
        let pieces = self.pieces();
        self.prepare(&pieces)?;
        self.write_in_order(Overwrite, &pieces, Open::Write, 2)?;
        let file = self.mounted.open(FILE, Open::Read)?;
        for number in 0..pieces.count() {
            pieces.check(&mut self.mounted, file, number, 2)?;
        }
        Ok(self.mounted.engine.close(file)?)
    }

    /// Makes the file, and writes over its pieces in random order, one as often as there are pieces. Says which write was
    /// the last of each piece. The first call opens the file, and the last one syncs and closes it.
    fn write_at_random(
        &mut self,
        operation: RowOperation,
        pieces: &Pieces,
        syncs_each: bool,
    ) -> Result<Vec<u64>, CallFailure> {
        self.prepare(pieces)?;
        let (count, seed) = (pieces.count(), self.seed);
        let mut passes = vec![1; count as usize];
        let mut file = Handle(0);
        let step = CallStep::writes(operation, pieces.access_bytes);
        self.measure(step, count, |fs, number| {
            if number == 0 {
                file = fs.open(FILE, Open::Write)?;
            }
            let piece = draw(seed, count, number, Purpose::Address) % count;
            passes[piece as usize] = number + 2;
            let bytes = pieces.write(fs, file, piece, number + 2)?;
            if number + 1 == count {
                fs.finish(file)?;
            } else if syncs_each {
                fs.engine.sync(file)?;
            }
            Ok(bytes)
        })?;
        Ok(passes)
    }

    /// A table that is updated in place: every piece lasts before the next one comes.
    fn overwrite_sync(&mut self) -> Result<(), CallFailure> {
        let pieces = self.pieces();
        let passes = self.write_at_random(OverwriteSync, &pieces, true)?;
        let file = self.mounted.open(FILE, Open::Read)?;
        for (number, &pass) in (0..).zip(&passes) {
            pieces.check(&mut self.mounted, file, number, pass)?;
        }
        Ok(self.mounted.engine.close(file)?)
    }

    fn random(&mut self) -> Result<(), CallFailure> {
        let pieces = self.pieces();
        let passes = self.write_at_random(RandomWrite, &pieces, false)?;
        let (count, seed) = (pieces.count(), self.seed);
        let mut file = Handle(0);
        let step = CallStep::reads(RandomRead, pieces.access_bytes);
        self.measure(step, count, |fs, number| {
            if number == 0 {
                file = fs.open(FILE, Open::Read)?;
            }
            let piece = draw(seed, count, number, Purpose::Mix) % count;
            let bytes = pieces.check(fs, file, piece, passes[piece as usize])?;
            if number + 1 == count {
                fs.engine.close(file)?;
            }
            Ok(bytes)
        })
    }

    /// A log: every record lasts before the next one comes.
    fn append(&mut self) -> Result<(), CallFailure> {
        let pieces = Pieces {
            access_bytes: self.workload.record_bytes,
            ..self.pieces()
        };
        let count = pieces.count();
        let mut file = Handle(0);
        let step = CallStep::writes(AppendSync, pieces.access_bytes);
        self.measure(step, count, |fs, number| {
            if number == 0 {
                file = fs.open(FILE, Open::Replace)?;
            }
            let bytes = pieces.write(fs, file, number, 1)?;
            fs.engine.sync(file)?;
            Ok(bytes)
        })?;
        for number in 0..count {
            pieces.check(&mut self.mounted, file, number, 1)?;
        }
        Ok(self.mounted.engine.close(file)?)
    }

    /// Each call opens a file, writes, syncs and closes it.
    fn small_files(&mut self) -> Result<(), CallFailure> {
        let (files, bytes) = (self.workload.files, self.workload.small_bytes);
        let small = Pieces {
            payload: self.payload.clone(),
            file_bytes: u64::MAX,
            access_bytes: bytes,
        };
        let order = shuffled(files, self.seed);
        self.mounted.engine.create_dir(SMALL_DIR)?;
        let step = CallStep::writes(Create, bytes);
        self.measure(step, files, |fs, number| {
            let file = fs.open(&path(number), Open::Replace)?;
            let stored = small.write_at(fs, file, 0, (number, 1))?;
            fs.finish(file)?;
            Ok(stored)
        })?;
        self.stat(&order, bytes)?;
        let step = CallStep::writes(AppendSmall, bytes);
        self.measure(step, files, |fs, number| {
            let number = order[number as usize];
            let file = fs.open(&path(number), Open::Write)?;
            let stored = small.write_at(fs, file, bytes, (number, 2))?;
            fs.finish(file)?;
            Ok(stored)
        })?;
        for number in (0..files).step_by(files.div_ceil(CHECKED).max(1) as usize) {
            let name = path(number);
            let file = self.mounted.open(&name, Open::Read)?;
            small.check_at(&mut self.mounted, file, 0, (number, 1), &name)?;
            small.check_at(&mut self.mounted, file, bytes, (number, 2), &name)?;
            self.mounted.engine.close(file)?;
        }
        self.measure(CallStep::plain(Rename), files, |fs, number| {
            let number = order[number as usize];
            fs.engine.rename(&path(number), &other_path(number))?;
            Ok(0)
        })?;
        self.measure(CallStep::plain(Delete), files, |fs, number| {
            fs.engine.remove(&other_path(order[number as usize]))?;
            Ok(0)
        })
    }

    fn stat(&mut self, order: &[u64], bytes: u64) -> Result<(), CallFailure> {
        let files = order.len() as u64;
        self.measure(CallStep::plain(Stat), files, |fs, number| {
            let name = path(order[number as usize]);
            let found = fs.engine.entry(&name)?;
            if found.bytes == bytes && !found.is_dir {
                Ok(0)
            } else {
                Err(CallFailure::Corrupt(name))
            }
        })
    }
}
