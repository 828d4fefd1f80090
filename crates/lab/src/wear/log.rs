//! The cycling log of a test: every stretch of cycles as it is finished.

use std::io::{self, Write};

use wordline_core::quantity::Time;
use wordline_trace::cycling::{CyclingOperation, CyclingWriter};

use super::course::{Course, End, Step, Stretch};
use crate::control::Control;
use crate::error::LabError;

/// Where the operations go that are timed, if anywhere.
pub(super) struct Log {
    writer: Option<CyclingWriter<Box<dyn Write>>>,
}

impl Log {
    /// Begins the log where the caller wants one.
    pub(super) fn begin(control: &Control<'_>) -> Result<Self, LabError> {
        let create = control.cycling_log;
        let writer = create.map(|create| create().and_then(CyclingWriter::new));
        Ok(Self {
            writer: writer.transpose().map_err(unwritten)?,
        })
    }

    /// Writes what a block did beyond the first `written` stretches; of a life that goes on, the last one may still
    /// grow. Returns how many are written now.
    pub(super) fn follow(
        &mut self,
        chip: &str,
        block: u32,
        course: &Course,
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
                // The last cycle, so that the log tells how many there were.
                Some(End::GivenUp) => match course.stretches.last() {
                    Some(stretch) => (
                        CyclingOperation::Erase,
                        stretch.mean(Step::Erase).unwrap_or_default(),
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
    writer: &mut CyclingWriter<Box<dyn Write>>,
    chip: &str,
    block: u32,
    stretch: &Stretch,
) -> io::Result<()> {
    for (step, operation) in [
        (Step::Program, CyclingOperation::Program),
        (Step::Erase, CyclingOperation::Erase),
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
