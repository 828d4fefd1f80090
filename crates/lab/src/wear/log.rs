//! The cycling log of a test: every stretch of cycles as it is finished.

use std::io::{self, Write};

use wordline_core::quantity::Time;
use wordline_trace::cycling::{CyclingOperation, CyclingWriter};

use super::course::{CourseStep, End, WearCourse, WearStretch};
use crate::control::Control;
use crate::error::LabError;

/// Where the operations go that are timed, if anywhere.
pub(super) struct OperationLog {
    writer: Option<CyclingWriter<CyclingSink>>,
}

/// What a log is written to.
enum CyclingSink {
    /// What the caller opened.
    Caller(Box<dyn Write>),
    /// Memory, for a part of the log that waits for its turn.
    Held(Vec<u8>),
}

impl Write for CyclingSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Caller(writer) => writer.write(bytes),
            Self::Held(held) => held.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Caller(writer) => writer.flush(),
            Self::Held(_) => Ok(()),
        }
    }
}

impl OperationLog {
    /// Begins the log where the caller wants one.
    pub(super) fn begin(control: &Control<'_>) -> Result<Self, LabError> {
        let create = control.cycling_log;
        let writer = create.map(|create| CyclingWriter::new(CyclingSink::Caller(create()?)));
        Ok(Self {
            writer: writer.transpose().map_err(unwritten)?,
        })
    }

    /// A part of a log, held in memory; of no log where the caller wants none.
    pub(super) fn part(wanted: bool) -> Self {
        Self {
            writer: wanted.then(|| CyclingWriter::resume(CyclingSink::Held(Vec::new()))),
        }
    }

    /// The bytes of a part.
    pub(super) fn into_held(self) -> Vec<u8> {
        match self.writer.map(CyclingWriter::into_inner) {
            Some(CyclingSink::Held(held)) => held,
            Some(CyclingSink::Caller(_)) | None => Vec::new(),
        }
    }

    /// Adds a part behind what is there.
    pub(super) fn append(&mut self, part: &[u8]) -> Result<(), LabError> {
        match &mut self.writer {
            Some(writer) => writer.append(part).map_err(unwritten),
            None => Ok(()),
        }
    }

    /// Writes what a block did beyond the first `written` stretches; of a life that goes on, the last one may still
    /// grow. Returns how many are written now.
    pub(super) fn follow(
        &mut self,
        chip: &str,
        block: u32,
        course: &WearCourse,
        written: usize,
    ) -> Result<usize, LabError> {
        let Some(writer) = &mut self.writer else {
            return Ok(written);
        };
        let open = usize::from(course.end.is_none());
        let finished = course.stretches.len().saturating_sub(open).max(written);
        let mut write = || {
            let read = |writer: &mut CyclingWriter<_>, cycle, took: Option<&Time>| match took {
                Some(took) => writer.operation(
                    chip,
                    block.into(),
                    cycle,
                    CyclingOperation::Read,
                    *took,
                    false,
                ),
                None => Ok(()),
            };
            if written == 0 && finished > 0 {
                read(writer, 1, course.reads.first())?;
            }
            for stretch in &course.stretches[written..finished] {
                each(writer, chip, block, stretch)?;
            }
            let (last, took, failed) = match course.end {
                Some(End::ProgramFailed) => (CyclingOperation::Program, course.failed_after, true),
                Some(End::EraseFailed) => (CyclingOperation::Erase, course.failed_after, true),
                // The last cycle, so that the log shows how many there were.
                Some(End::GivenUp) => match course.stretches.last() {
                    Some(stretch) => (
                        CyclingOperation::Erase,
                        stretch.mean(CourseStep::Erase).unwrap_or_default(),
                        false,
                    ),
                    None => return Ok(()),
                },
                None => return Ok(()),
            };
            writer.operation(chip, block.into(), course.cycles, last, took, failed)?;
            read(writer, course.cycles, course.reads.get(1))
        };
        write().map_err(unwritten)?;
        Ok(finished)
    }

    /// Everything is written.
    pub(super) fn finish(self) -> Result<(), LabError> {
        let finished = self.writer.map_or(Ok(()), CyclingWriter::finish);
        finished.map_err(unwritten)
    }
}

fn each(
    writer: &mut CyclingWriter<CyclingSink>,
    chip: &str,
    block: u32,
    stretch: &WearStretch,
) -> io::Result<()> {
    for (step, operation) in [
        (CourseStep::Program, CyclingOperation::Program),
        (CourseStep::Erase, CyclingOperation::Erase),
    ] {
        if let Some(mean) = stretch.mean(step) {
            let cycle = stretch.first + 1;
            writer.operation(chip, block.into(), cycle, operation, mean, false)?;
        }
    }
    Ok(())
}

fn unwritten(source: io::Error) -> LabError {
    LabError::Unwritten {
        what: "cycling log",
        source,
    }
}
