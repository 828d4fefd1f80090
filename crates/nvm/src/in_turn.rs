//! Two equal chips that are written in turn, so that a log does not wait for erases.
//!
//! The erase blocks of both alternate: block 0 is the first one's, block 1 the second one's, block 2 the
//! first one's again. When a write begins a block, the driver first begins the erase of the next block,
//! which the other chip does by itself while this one is filled. When that block's first byte is
//! written, the driver waits for what is left of the erase, and does not erase it again. Where filling
//! a block takes longer than an erase, no access of a log contains one.
//!
//! **What a write gives up.** A write that begins a block gives up the content of the block after it, and
//! in the last block that of block 0: the memory is that of a log that goes round, whose oldest
//! block is the next one in order. A write that jumps elsewhere erases its block within the access, as
//! a single chip does; the block that had been erased for nothing keeps the wear.
//!
//! **One host, one bus.** Accesses are serial on one clock. While the host moves data of one chip it asks
//! the other for nothing; an erase needs no bus. A chip is asked how its erase ended when it is accessed
//! next, and every access to it waits until then: also a read. An erase that failed shows in the write
//! that begins its block; where that block is not written next, it is erased again when it is.
//!
//! **Two chips are powered.** Residence is the sum of both, so that its times add up to twice what has
//! passed.
//!
//! # Bounds
//! `write_bound` holds whatever came before, and so assumes of every block that no erase had been begun
//! for it. Written for the blocks that an access touches, with `W` the bound of a single chip's write,
//! which has an erase where it begins a block, `s` the start of an erase and `F` the wait for its end:
//! `F + Σ (W + s where the block begins)`. An erase that was begun for the block stands in for the one
//! in `W`, and to wait for it takes no longer. One that was begun for another block may have to be
//! waited for as well, but only one: before an erase is begun on a chip, the one before it there is
//! waited for, and the access that begins it waits for its own chip's, so that between two accesses one at
//! most runs; and what an access begins itself is of use to it or is not waited for. That is the `F` ahead of the sum.
//! A read is `F + Σ R`, by the same argument.

use wordline_core::quantity::Time;
use wordline_core::{BackgroundWork, SimClock};
use wordline_memory::{ByteMemory, OutOfRange};

use crate::background::Background;
use crate::bound::TimeSpan;
use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, Device, Notes, Pipeline, Wear};
use crate::error::NvmError;
use crate::pages::spans;
use crate::power::{PowerDraw, Residence};

/// Two equal flash memories on one board as one memory, of which the one erases the block that a log
/// needs next while the other is written.
///
/// Its erase blocks are those of both in turn. It has as many as the one with fewer good blocks twice.
/// A write that begins a block gives up the content of the next one, and in the last block that of
/// the first: a log that uses this memory uses the whole of it, in order. Addresses of blocks and pages in
/// errors are the chip's own.
///
/// The chips may have been made with different seeds. Their currents are then drawn apart, and energies
/// are those of their mean.
///
/// # Errors
/// [`NvmError::NoBackground`] for memories that do no work [in the background](Device::background), or
/// do several blocks at a time; [`NvmError::UnequalChips`] for chips of different parts; and when an
/// erase that had been begun fails.
pub fn in_turn(one: Box<dyn Device>, other: Box<dyn Device>) -> Result<Box<dyn Device>, NvmError> {
    let mut chips = [one, other];
    for chip in &mut chips {
        background(&mut **chip)?.finish()?;
    }
    let [one, other] = &chips;
    let differ = [
        (
            one.overwrite_bytes() != other.overwrite_bytes(),
            "their erase blocks",
        ),
        (one.atom() != other.atom(), "what they program at least"),
        (
            one.causes() != other.causes(),
            "what their accesses consist of",
        ),
        (
            one.power_draw().voltage != other.power_draw().voltage,
            "their supply",
        ),
        (
            one.wear().unit_bytes != other.wear().unit_bytes,
            "their units of wear",
        ),
    ];
    if let Some((_, what)) = differ.iter().find(|(differs, _)| *differs) {
        return Err(NvmError::UnequalChips(what));
    }
    let clock = SimClock::new();
    clock.advance_to(one.clock().now().later(other.clock().now()));
    let unit = one.overwrite_bytes();
    let mut pair = InTurn {
        clock,
        unit,
        blocks: one.len().min(other.len()) / unit * 2,
        draw: one.power_draw().mean(other.power_draw()),
        chips,
        cost: AccessCost::NONE,
        ahead: [None; 2],
        start: Time::ZERO,
        finish: Time::ZERO,
    };
    pair.measure()?;
    Ok(Box::new(pair))
}

/// A memory's work in the background.
fn background(chip: &mut dyn Device) -> Result<&mut dyn Background, NvmError> {
    chip.background().ok_or(NvmError::NoBackground)
}

/// Two chips in turn. Their clocks are never ahead of the host's: each follows before a step.
struct InTurn {
    chips: [Box<dyn Device>; 2],
    clock: SimClock,
    /// Bytes of an erase block.
    unit: u64,
    /// Blocks of both.
    blocks: u64,
    draw: PowerDraw,
    cost: AccessCost,
    /// Of each chip the block whose erase was begun and not waited for.
    ahead: [Option<u64>; 2],
    /// The longest that it takes to begin an erase.
    start: Time,
    /// The longest wait for one.
    finish: Time,
}

/// The part of an access that lies in one block.
struct BlockAccess {
    block: u64,
    chip: usize,
    /// The chip's address.
    at: u64,
    /// The caller's bytes.
    range: std::ops::Range<usize>,
    /// Whether it holds the first byte of the block.
    begins: bool,
}

impl InTurn {
    /// Asks the chips for their bounds.
    fn measure(&mut self) -> Result<(), NvmError> {
        (self.start, self.finish) = (Time::ZERO, Time::ZERO);
        for chip in &mut self.chips {
            let chip = background(&mut **chip)?;
            let bounds = chip.bounds(BackgroundWork::Erase)?;
            self.start = self.start.later(bounds.begin);
            self.finish = self.finish.later(bounds.finish);
        }
        Ok(())
    }

    /// Splits an access at blocks.
    fn pieces(
        &self,
        at: u64,
        bytes: usize,
    ) -> Result<impl Iterator<Item = BlockAccess> + use<>, NvmError> {
        OutOfRange::check(at, bytes as u64, self.len())?;
        let unit = self.unit;
        let blocks = spans(at, bytes, unit as usize);
        Ok(blocks.map(move |(block, inside, range)| {
            let block = block as u64;
            BlockAccess {
                block,
                chip: chip_of(block),
                at: block / 2 * unit + inside.start as u64,
                range,
                begins: inside.start == 0,
            }
        }))
    }

    /// Does one thing with a chip, at the host's time, and adds what it cost to the access: nothing,
    /// where it was refused before it began.
    fn step(
        &mut self,
        chip: usize,
        run: impl FnOnce(&mut dyn Device) -> Result<(), NvmError>,
    ) -> Result<(), NvmError> {
        let device = &mut *self.chips[chip];
        let before = self.clock.now();
        device.clock().advance_to(before);
        let result = run(device);
        let now = device.clock().now();
        if now > before {
            self.cost.add_all(device.last_cost());
            self.clock.advance_to(now);
        }
        result
    }

    /// Waits for the erase that was begun on a chip, if any. That it failed is an error where the block
    /// is what is being `begun`.
    fn settle(&mut self, chip: usize, begun: Option<u64>) -> Result<(), NvmError> {
        let Some(block) = self.ahead[chip].take() else {
            return Ok(());
        };
        match self.step(chip, |device| background(device)?.finish()) {
            Err(NvmError::EraseFailed { .. }) if begun != Some(block) => Ok(()),
            ended => ended,
        }
    }

    /// Begins the erase of the block behind one that is begun, unless it is erased, or that runs.
    fn erase_behind(&mut self, block: u64) -> Result<(), NvmError> {
        let next = (block + 1) % self.blocks;
        let (chip, at) = (chip_of(next), next / 2 * self.unit);
        if self.ahead[chip] == Some(next) || background(&mut *self.chips[chip])?.is_erased(at) {
            return Ok(());
        }
        // What runs there turned out to be of no use.
        self.settle(chip, None)?;
        self.step(chip, |device| background(device)?.start_erase(at))?;
        self.ahead[chip] = Some(next);
        Ok(())
    }

    /// The bound of an access whose piece in one block takes what `of` says.
    fn bound(
        &self,
        at: u64,
        bytes: u64,
        of: impl Fn(&dyn Device, &BlockAccess) -> Result<TimeSpan, NvmError>,
    ) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.len())?;
        let mut span = match bytes {
            0 => TimeSpan::ZERO,
            _ => self.finish.into(),
        };
        for piece in self.pieces(at, bytes as usize)? {
            span += of(&*self.chips[piece.chip], &piece)?;
        }
        span.time()
    }
}

/// The chip of a block.
const fn chip_of(block: u64) -> usize {
    (block % 2) as usize
}

impl ByteMemory for InTurn {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.blocks * self.unit
    }

    fn atom(&self) -> usize {
        self.chips[0].atom()
    }

    /// Waits for what the chip erases, and reads.
    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let pieces = self.pieces(at, out.len())?;
        self.cost = AccessCost::NONE;
        for BlockAccess {
            chip, at, range, ..
        } in pieces
        {
            self.settle(chip, None)?;
            self.step(chip, |device| device.read(at, &mut out[range]))?;
        }
        Ok(())
    }

    /// For each block that it begins: starts the erase of the next one, waits for this one's, or
    /// erases it where none had been begun; then programs.
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let pieces = self.pieces(at, data.len())?;
        self.cost = AccessCost::NONE;
        for piece in pieces {
            if piece.begins {
                self.erase_behind(piece.block)?;
            }
            self.settle(piece.chip, piece.begins.then_some(piece.block))?;
            let data = &data[piece.range];
            self.step(piece.chip, |device| device.write(piece.at, data))?;
        }
        Ok(())
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.cost = AccessCost::NONE;
        (0..2).try_for_each(|chip| self.step(chip, |device| device.persist()))
    }
}

impl Accounts for InTurn {
    fn clock(&self) -> &SimClock {
        &self.clock
    }

    fn causes(&self) -> &'static [Cause] {
        self.chips[0].causes()
    }

    fn last_cost(&self) -> &AccessCost {
        &self.cost
    }

    /// Of both chips.
    fn residence(&self) -> Residence {
        let [one, other] = self.chips.each_ref().map(|chip| {
            chip.clock().advance_to(self.clock.now());
            chip.residence()
        });
        one.plus(&other)
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.draw
    }

    fn wear(&self) -> Wear {
        let [one, other] = &self.chips;
        one.wear().plus(&other.wear())
    }

    /// Those of the first chip; the second is another of the same part.
    fn notes(&self) -> &Notes {
        self.chips[0].notes()
    }
}

impl Device for InTurn {
    fn overwrite_bytes(&self) -> u64 {
        self.unit
    }

    /// Both chips, or neither. Several planes are not used: their blocks are erased together, by no
    /// chip in the background.
    fn use_pipeline(&mut self, pipeline: Pipeline) -> bool {
        let mut tried = self.chips.each_ref().map(|chip| chip.fork_device());
        pipeline != Pipeline::MultiPlane
            && tried.iter_mut().all(|chip| chip.use_pipeline(pipeline))
            && self
                .chips
                .iter_mut()
                .all(|chip| chip.use_pipeline(pipeline))
            && self.measure().is_ok()
    }

    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.bound(at, bytes, |chip, piece| {
            let write = chip.write_bound(piece.at, piece.range.len() as u64)?;
            let start = if piece.begins { self.start } else { Time::ZERO };
            Ok(TimeSpan::from(write) + start.into())
        })
    }

    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.bound(at, bytes, |chip, piece| {
            let read = chip.read_bound(piece.at, piece.range.len() as u64)?;
            Ok(read.into())
        })
    }

    fn persist_bound(&self) -> Result<Time, NvmError> {
        let [one, other] = &self.chips;
        (TimeSpan::from(one.persist_bound()?) + other.persist_bound()?.into()).time()
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        for piece in self.pieces(at, data.len())? {
            self.chips[piece.chip].preload(piece.at, &data[piece.range])?;
        }
        Ok(())
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(Self {
            chips: self.chips.each_ref().map(|chip| chip.fork_device()),
            clock: self.clock.fork(),
            ..*self
        })
    }
}

#[cfg(test)]
#[path = "in_turn_tests.rs"]
mod tests;
