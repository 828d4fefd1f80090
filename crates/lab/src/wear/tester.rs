//! The wear tester: takes a block from its first cycle to its failure, and times its operations.
//!
//! It speaks to the contracts of a flash memory and a clock alone, so that the same code runs on a simulated chip and
//! on a real one. What a memory can do besides, [`Bench`] says.

use wordline_core::quantity::Time;
use wordline_memory::{Clock, Ecc, FlashError as _, FlashErrorKind};
use wordline_nvm::ageing::{Cycle, SkipAhead};
use wordline_nvm::{Accounts, Cause, Nand, Nor, Wired};

use super::course::{Course, End, MEAN_CYCLES, Stretch};

/// A flash memory on the bench.
pub(crate) trait Bench: SkipAhead {
    /// How long the memory itself was busy in the last operation, from the command to its ready signal, where that can
    /// be told apart from what the bus and the host took.
    fn busy(&self) -> Option<Time> {
        None
    }
}

impl Bench for Wired<Nand> {
    fn busy(&self) -> Option<Time> {
        Some(array_time(self))
    }
}

impl Bench for Wired<Nor> {
    /// A read leaves the array nothing to wait for: it takes what the bus does.
    fn busy(&self) -> Option<Time> {
        Some(array_time(self)).filter(|time| *time > Time::ZERO)
    }
}

/// What the array took of the last access.
fn array_time(memory: &impl Accounts) -> Time {
    let busy = [Cause::ArrayRead, Cause::Program, Cause::Erase];
    let times = busy.map(|cause| memory.last_cost().of(cause));
    times.into_iter().fold(Time::ZERO, Time::plus)
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
pub(crate) fn advance<F: Bench, C: Clock>(
    flash: &mut F,
    clock: &C,
    plan: &Plan<'_>,
    block: u32,
    course: &mut Course,
) -> Result<bool, F::Error> {
    let cycle = plan.cycle(block);
    let alike = flash.alike(&cycle, plan.reach(course.cycles));
    course.cycles += 1;
    let mut stretch = Stretch::of(course.cycles - 1);
    for page in cycle.programs(&flash.geometry()) {
        let took = timed(flash, clock, |flash| flash.program(page, 0, plan.data));
        match took {
            Ok(took) => stretch.program(took),
            Err(error) => return ended(error, course),
        }
    }
    match timed(flash, clock, |flash| flash.erase(block)) {
        Ok(took) => stretch.erase = took,
        Err(error) => return ended(error, course),
    }
    if alike > 1 {
        flash.skip(&cycle, alike - 1)?;
        course.cycles += alike - 1;
        stretch.cycles = alike;
    }
    course.stretches.push(stretch);
    if course.cycles >= plan.most {
        course.end = Some(End::GivenUp);
    }
    Ok(course.end.is_none())
}

/// How long a read of a block's first page takes, whatever it finds.
///
/// # Errors
/// When it ends otherwise than with data, or the loss of them.
pub(crate) fn read<F: Bench, C: Clock>(
    flash: &mut F,
    clock: &C,
    block: u32,
) -> Result<Time, F::Error> {
    let geometry = flash.geometry();
    let mut bytes = vec![0; geometry.page_bytes as usize];
    let page = block * geometry.pages_per_block;
    timed(flash, clock, |flash| {
        match flash.read(page, 0, &mut bytes) {
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => Ok(Ecc::Clean),
            read => read,
        }
    })
}

fn timed<F: Bench, C: Clock, T>(
    flash: &mut F,
    clock: &C,
    run: impl FnOnce(&mut F) -> Result<T, F::Error>,
) -> Result<Time, F::Error> {
    let began = clock.now_ps();
    run(flash)?;
    let whole = Time::from_ps(clock.now_ps().saturating_sub(began));
    Ok(flash.busy().unwrap_or(whole))
}

/// Notes how a block ended; an error of another kind ends the test.
fn ended<E: wordline_memory::FlashError>(error: E, course: &mut Course) -> Result<bool, E> {
    course.end = Some(match error.kind() {
        FlashErrorKind::ProgramFailed => End::ProgramFailed,
        FlashErrorKind::EraseFailed => End::EraseFailed,
        _ => return Err(error),
    });
    Ok(false)
}
