//! A test from block to block: which one goes on next, what is reported, and what is written down.

use wordline_core::draw::{Purpose, draw};
use wordline_memory::{Clock, Flash, FlashError as _, FlashErrorKind};

use super::course::WearCourse;
use super::log::OperationLog;
use super::rows::Lives;
use super::tester::{Bench, Plan, advance, read};
use crate::control::{Control, Progress};
use crate::error::LabError;

/// Cycles of a block between two words on how far it is.
const CYCLES_TOLD: u64 = 1000;

/// What a test of a chip's blocks came to.
pub(super) struct Tested<E> {
    /// The lives, those that were not finished included.
    pub(super) lives: Lives,
    /// Whether the caller stopped it.
    pub(super) stopped: bool,
    /// What ended it otherwise than the failure of its blocks.
    pub(super) failure: Option<E>,
    /// Real blocks that failed and could not be marked bad, with the reasons.
    pub(super) unmarked: Vec<(u32, E)>,
}

impl<E> Default for Tested<E> {
    fn default() -> Self {
        Self {
            lives: Vec::new(),
            stopped: false,
            failure: None,
            unmarked: Vec::new(),
        }
    }
}

impl<E> Tested<E> {
    /// A test that came to nothing.
    pub(super) fn failed(failure: E) -> Self {
        Self {
            failure: Some(failure),
            ..Self::default()
        }
    }
}

/// The test of all chips.
pub(super) struct Session<'a> {
    control: &'a Control<'a>,
    log: OperationLog,
    /// The chip under test, as the log names it.
    pub(super) chip: String,
    /// Blocks that came to their end, and all that are to be tested.
    done: u64,
    total: u64,
}

impl<'a> Session<'a> {
    pub(super) fn new(control: &'a Control<'a>, log: OperationLog, total: u64) -> Self {
        Self {
            control,
            log,
            chip: String::new(),
            done: 0,
            total,
        }
    }

    /// The test is over.
    pub(super) fn finish(self) -> Result<(), LabError> {
        self.log.finish()
    }

    /// What a [part](Log::part) of the log holds.
    pub(super) fn into_held(self) -> Vec<u8> {
        self.log.into_held()
    }

    fn tell(&self, step: &str) {
        self.control.report(Progress {
            step,
            done_bytes: self.done,
            total_bytes: self.total,
        });
    }

    /// Cycles erased blocks until each has failed. `next` chooses, at a turn, among those that live, by their number.
    pub(super) fn cycle<F: Bench + ?Sized, C: Clock>(
        &mut self,
        flash: &mut F,
        clock: &C,
        plan: &Plan<'_>,
        blocks: &[u32],
        next: &mut dyn FnMut(u64, usize) -> usize,
    ) -> Result<Tested<F::Error>, LabError> {
        let mut tested = Tested::default();
        for &block in blocks {
            let mut course = WearCourse::default();
            match read(flash, clock, block) {
                Ok(took) => course.reads.push(took),
                Err(failure) => return Ok(Tested::failed(failure)),
            }
            tested.lives.push((block, course));
        }
        let mut written = vec![0; blocks.len()];
        let mut alive: Vec<usize> = (0..blocks.len()).collect();
        for turn in 0.. {
            tested.stopped = self.control.stopped();
            if alive.is_empty() || tested.stopped || tested.failure.is_some() {
                break;
            }
            let place = next(turn, alive.len());
            let index = alive[place];
            let (block, course) = &mut tested.lives[index];
            let before = course.cycles;
            let ended = match advance(flash, clock, plan, *block, course) {
                Ok(true) => false,
                Ok(false) => match read(flash, clock, *block) {
                    Ok(took) => {
                        course.reads.push(took);
                        true
                    }
                    Err(failure) => {
                        tested.failure = Some(failure);
                        true
                    }
                },
                Err(failure) => {
                    tested.failure = Some(failure);
                    false
                }
            };
            written[index] = self
                .log
                .follow(&self.chip, *block, course, written[index])?;
            if plan.measured && course.endurance().is_some() {
                // At once, so that it is not used again even if the power goes. NOR flash keeps no marks.
                match flash.mark_bad(*block) {
                    Err(error) if error.kind() != FlashErrorKind::Misuse => {
                        tested.unmarked.push((*block, error));
                    }
                    _ => {}
                }
            }
            if ended {
                alive.remove(place);
                self.done += 1;
                self.tell(&self.chip);
            } else if plan.measured && before / CYCLES_TOLD != course.cycles / CYCLES_TOLD {
                self.tell(&format!(
                    "{}, block {block}, cycle {}",
                    self.chip, course.cycles
                ));
            }
        }
        Ok(tested)
    }
}

/// Each block until it fails.
pub(super) const fn in_turn(_: u64, _: usize) -> usize {
    0
}

/// A block that is drawn from those that have not failed.
pub(super) fn random(seed: u64) -> impl FnMut(u64, usize) -> usize {
    move |turn, alive| {
        let lot = draw(seed, 0, turn, Purpose::Address);
        (lot % alive as u64) as usize
    }
}

/// The first good blocks of a memory, as many as there are up to `most`.
pub(super) fn first_good<F: Flash + ?Sized>(
    flash: &mut F,
    most: u32,
) -> Result<Vec<u32>, F::Error> {
    let mut blocks = Vec::new();
    for block in 0..flash.geometry().blocks {
        if blocks.len() as u64 == u64::from(most) {
            break;
        }
        if !flash.is_bad(block)? {
            blocks.push(block);
        }
    }
    Ok(blocks)
}
