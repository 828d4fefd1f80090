//! The wear tester: takes a block from its first cycle to its failure, and times its operations.
//!
//! It speaks to the contracts of a flash memory and a clock alone, so that the same code runs on a simulated chip and
//! on a real one. What a memory can do besides, [`Bench`] says.

use wordline_core::quantity::Time;
use wordline_memory::{Clock, Flash, FlashError, FlashErrorKind};
use wordline_nvm::ageing::{Cycle, SkipAhead};
use wordline_nvm::{CycledFlash, NvmError};

use super::course::{CourseStep, End, MEAN_CYCLES, WearCourse, WearStretch};

/// A flash memory on the bench.
pub(crate) trait Bench: Flash {
    /// How long the memory itself was busy in the last operation, from the command to its ready signal, where that can
    /// be separated from what the bus and the host took.
    fn busy(&self) -> Option<Time> {
        None
    }

    /// Itself, where it can go through many cycles at once.
    fn skips(&mut self) -> Option<&mut dyn SkipAhead<Error = Self::Error>> {
        None
    }
}

impl Bench for dyn CycledFlash {
    /// A read of NOR leaves the array nothing to wait for: it takes what the bus does.
    fn busy(&self) -> Option<Time> {
        Some(self.last_cost().array_time()).filter(|time| *time > Time::ZERO)
    }

    fn skips(&mut self) -> Option<&mut dyn SkipAhead<Error = NvmError>> {
        Some(self)
    }
}

/// How blocks are cycled.
pub(crate) struct Plan<'a> {
    /// Pages that are programmed before each erase.
    pub(crate) pages: u32,
    /// What each is programmed with.
    pub(crate) data: &'a [u8],
    /// Cycles after which a block is given up.
    pub(crate) most: u64,
    /// Whether durations are drawn: then one does not stand for many.
    pub(crate) drawn: bool,
    /// Whether the memory is a real one, every cycle of which is measured.
    pub(crate) measured: bool,
}

impl Plan<'_> {
    fn cycle(&self, block: u32) -> Cycle<'_> {
        Cycle {
            block,
            pages: self.pages,
            data: self.data,
        }
    }

    /// The most cycles that one measured cycle may stand for.
    fn reach(&self, done: u64) -> u64 {
        let left = self.most.saturating_sub(done);
        let reach = match done {
            // The mean is over these alone.
            ..MEAN_CYCLES => left.min(MEAN_CYCLES - done),
            _ => left,
        };
        let drawn = if self.drawn {
            (done / 8).max(1)
        } else {
            u64::MAX
        };
        reach.min(drawn)
    }
}

/// Takes an erased block a stretch further: measures one cycle, and skips those that go alike. Returns whether it goes
/// on.
///
/// # Errors
/// When an operation ends otherwise than well or with a failure of the block.
pub(crate) fn advance<F: Bench + ?Sized, C: Clock>(
    flash: &mut F,
    clock: &C,
    plan: &Plan<'_>,
    block: u32,
    course: &mut WearCourse,
) -> Result<bool, F::Error> {
    let cycle = plan.cycle(block);
    let reach = plan.reach(course.cycles);
    let skips = flash.skips();
    let alike = skips.map_or(1, |flash| flash.alike(&cycle, reach));
    course.cycles += 1;
    let mut stretch = WearStretch::of(course.cycles - 1);
    for page in cycle.programs(&flash.geometry()) {
        let (ran, took) = timed(flash, clock, |flash| flash.program(page, 0, plan.data));
        if let Err(error) = ran {
            return ended(error, took, plan, course);
        }
        stretch.add(CourseStep::Program, took);
    }
    let (ran, took) = timed(flash, clock, |flash| flash.erase(block));
    if let Err(error) = ran {
        return ended(error, took, plan, course);
    }
    stretch.add(CourseStep::Erase, took);
    if alike > 1
        && let Some(flash) = flash.skips()
    {
        flash.skip(&cycle, alike - 1)?;
        course.cycles += alike - 1;
        stretch.cycles = alike;
    }
    course.add(stretch, plan.measured);
    if course.cycles >= plan.most {
        course.end = Some(End::GivenUp);
    }
    Ok(course.end.is_none())
}

/// Whether a block holds something: a page that does not read as erased, or not at all.
///
/// # Errors
/// When a read ends otherwise than with data, or the loss of them.
pub(crate) fn holds_data<F: Flash>(flash: &mut F, block: u32) -> Result<bool, F::Error> {
    let geometry = flash.geometry();
    let mut bytes = vec![0; geometry.page_bytes as usize];
    let first = block * geometry.pages_per_block;
    for page in first..first + geometry.pages_per_block {
        match flash.read(page, 0, &mut bytes) {
            Ok(_) if bytes.iter().all(|byte| *byte == 0xFF) => {}
            Ok(_) => return Ok(true),
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => return Ok(true),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// How long a read of a block's first page takes, whatever it finds.
///
/// # Errors
/// When it ends otherwise than with data, or the loss of them.
pub(crate) fn read<F: Bench + ?Sized, C: Clock>(
    flash: &mut F,
    clock: &C,
    block: u32,
) -> Result<Time, F::Error> {
    let geometry = flash.geometry();
    let mut bytes = vec![0; geometry.page_bytes as usize];
    let page = block * geometry.pages_per_block;
    let (ran, took) = timed(flash, clock, |flash| flash.read(page, 0, &mut bytes));
    match ran {
        Err(error) if error.kind() != FlashErrorKind::Uncorrectable => Err(error),
        _ => Ok(took),
    }
}

/// Runs an operation; how long it took, whatever came of it.
fn timed<F: Bench + ?Sized, C: Clock, T>(
    flash: &mut F,
    clock: &C,
    run: impl FnOnce(&mut F) -> Result<T, F::Error>,
) -> (Result<T, F::Error>, Time) {
    let began = clock.now_ps();
    let ran = run(flash);
    let whole = Time::from_ps(clock.now_ps().saturating_sub(began));
    (ran, flash.busy().unwrap_or(whole))
}

/// Cycles within which a real block does not fail by wear: a chip that is protected from writes, or whose bus is at
/// fault, reports the same as one that is worn out.
const EARLY: u64 = 100;

/// Notes how a block ended; an error of another kind ends the test.
fn ended<E: FlashError>(
    error: E,
    took: Time,
    plan: &Plan<'_>,
    course: &mut WearCourse,
) -> Result<bool, E> {
    if plan.measured && course.cycles <= EARLY {
        return Err(error);
    }
    course.end = Some(match error.kind() {
        FlashErrorKind::ProgramFailed => End::ProgramFailed,
        FlashErrorKind::EraseFailed => End::EraseFailed,
        _ => return Err(error),
    });
    course.failed_after = took;
    Ok(false)
}
