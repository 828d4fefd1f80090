//! What a power cut leaves, by the crash images of `wordline_crash`.
//!
//! A cut interrupts one operation, so that only its block is in doubt: a flash image of that block alone is derived, and
//! lives on until the block is erased. Of a byte memory, the images are those of the writes that are pending.

use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;
use wordline_crash::{ByteTearing, Content, FlashTearing, ImageId, Recording, Tearing};
use wordline_memory::ByteMemory;
use wordline_nvm::{Memory, NvmError};

use super::abi::Cut;
use super::cells::Cells;
use super::cut_flash::{EraseLeaves, FlashLog, TornBlock};
use super::device::Op;
use super::fault::{FaultReason, MemoryFault};

/// What a cut leaves of the operation that it interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tear {
    Clean,
    Torn,
    Reordered,
}

/// A write that a cut can still take.
#[derive(Clone, Debug)]
struct PendingCut {
    at: u64,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// A power cut that is due.
#[derive(Clone, Debug)]
pub(super) struct Due {
    /// Changes until then, the interrupted one included.
    changes: Option<u64>,
    time: Option<Time>,
    tear: Tear,
    seed: u64,
    /// What an interrupted erase can leave.
    leaves: EraseLeaves,
    pending: Vec<PendingCut>,
    /// The longest that an operation of up to [`SHORT`] bytes takes; `None` where that is not known.
    longest: Option<Time>,
    /// Whether every operation is run as if it met the cut: what tests hold the short way against.
    #[cfg(test)]
    pub(super) is_thorough: bool,
    /// Of flash, what no sync has made to last.
    log: FlashLog,
}

/// Operations of no more bytes have a bound that is computed once a cut.
pub(super) const SHORT: u64 = 1 << 15;

impl Due {
    /// A cut as C asks for it.
    pub(super) fn of(cut: &Cut) -> Result<Self, MemoryFault> {
        let tear = match cut.tear {
            0 => Tear::Clean,
            1 => Tear::Torn,
            2 => Tear::Reordered,
            found => {
                return Err(FaultReason::Value {
                    what: "tear",
                    found,
                    allowed: "WL_MEMORY_CUT_CLEAN, _TORN or _REORDERED, 0 to 2",
                }
                .into());
            }
        };
        Ok(Self {
            changes: (cut.operations > 0).then_some(cut.operations),
            time: (cut.time_ps > 0).then_some(Time::from_ps(cut.time_ps)),
            tear,
            seed: cut.seed,
            leaves: EraseLeaves::of(cut.erase_leaves)?,
            pending: Vec::new(),
            longest: None,
            #[cfg(test)]
            is_thorough: false,
            log: FlashLog::default(),
        })
    }

    /// Sets the longest time of a short operation, which a cut by time is compared with.
    pub(super) fn expect_within(&mut self, longest: Option<Time>) {
        self.longest = longest.filter(|_| self.time.is_some());
    }

    /// Whether so many operations like one, begun now, may meet the cut, or have to be noted for it: then they need the
    /// state before them. The others only count.
    #[inline(always)]
    pub(super) fn concerns(&self, op: &Op<'_>, operations: u64, now: Time) -> bool {
        #[cfg(test)]
        if self.is_thorough {
            return true;
        }
        if self.tear == Tear::Reordered && !matches!(op, Op::Read { .. }) {
            return true;
        }
        if op.is_change() && self.changes.is_some_and(|changes| changes <= operations) {
            return true;
        }
        let Some(time) = self.time else {
            return false;
        };
        if op.bytes() == u64::MAX {
            return true;
        }
        // One of more bytes takes no longer than several that have these together.
        let pieces = op.bytes().div_ceil(SHORT).max(1);
        let longest = self
            .longest
            .and_then(|longest| longest.ps().checked_mul(pieces));
        let all = longest.and_then(|longest| longest.checked_mul(operations));
        let end = all.and_then(|all| now.checked_plus(Time::from_ps(all)));
        end.is_none_or(|end| end >= time)
    }

    /// Counts operations that the cut does not [concern](Self::concerns), where they count.
    #[inline(always)]
    pub(super) fn pass(&mut self, op: &Op<'_>, operations: u64, counts: bool) {
        if let Some(changes) = &mut self.changes
            && op.is_change()
            && counts
        {
            *changes -= operations;
        }
    }

    /// Whether it is to come at once.
    pub(super) const fn is_at_once(&self) -> bool {
        self.changes.is_none() && self.time.is_none()
    }

    /// Takes the place of an earlier cut, with the writes that one could have taken.
    pub(super) fn take_over(&mut self, earlier: &mut Self) {
        if (self.tear, earlier.tear) == (Tear::Reordered, Tear::Reordered) {
            self.pending = std::mem::take(&mut earlier.pending);
            self.log = std::mem::take(&mut earlier.log);
        }
    }

    /// Lets a cut by number that falls to the start of an erase come in the middle of that erase.
    pub(super) fn meet_erase(&mut self, start: Time, end: Time) {
        if let Some(changes) = &mut self.changes {
            *changes = changes.saturating_sub(1);
            if *changes == 0 {
                self.changes = None;
                let middle = start.plus(Time::from_ps(end.since(start).ps() / 2));
                self.time = Some(self.time.map_or(middle, |time| time.min(middle)));
            }
        }
    }

    /// When the power goes, if that is not after `end`.
    pub(super) fn in_pause(&self, end: Time) -> Option<Time> {
        self.time.filter(|time| *time <= end)
    }

    /// When the power goes within an operation, if it does. The operation counts if it changes the memory and took time,
    /// or was `done` in no time.
    pub(super) fn within(
        &mut self,
        op: &Op<'_>,
        start: Time,
        end: Time,
        done: bool,
    ) -> Option<Time> {
        let by_time = self.time.filter(|time| *time < end || *time <= start);
        let by_time = by_time.map(|time| time.later(start));
        let mut by_number = None;
        if let Some(changes) = &mut self.changes
            && op.is_change()
            && (end > start || done && op.has_bytes())
        {
            *changes -= 1;
            let half = Time::from_ps(end.since(start).ps() / 2);
            by_number = (*changes == 0).then(|| start.plus(half));
        }
        [by_time, by_number].into_iter().flatten().min()
    }

    /// Notes a change. `before` is what was there before it, `after` what is there now.
    pub(super) fn note(
        &mut self,
        op: &Op<'_>,
        before: &Cells,
        after: &mut Cells,
    ) -> Result<(), MemoryFault> {
        if self.tear == Tear::Reordered && matches!(after.memory, Memory::Flash(_)) {
            return self.log.note(op, before, after);
        }
        if let Op::Write { at, data } = op {
            if self.tear != Tear::Reordered {
                self.pending.clear();
            }
            let mut old = vec![0; data.len()];
            before.peek_bytes(*at, &mut old)?;
            let mut new = data.to_vec();
            if !after.faults.is_empty() {
                // A fault may have let it come to nothing.
                after.peek_bytes(*at, &mut new)?;
            }
            self.pending.push(PendingCut { at: *at, old, new });
        }
        Ok(())
    }

    /// Notes an operation that failed.
    pub(super) fn note_failed(
        &mut self,
        op: &Op<'_>,
        after: &mut Cells,
    ) -> Result<(), MemoryFault> {
        if self.tear == Tear::Reordered && matches!(after.memory, Memory::Flash(_)) {
            let geometry = after.flash()?.geometry();
            self.log.note_failed(op, geometry)?;
        }
        Ok(())
    }

    /// Notes that what was done to a block of flash lasts.
    pub(super) fn settle_block(
        &mut self,
        block: u32,
        cells: &mut Cells,
    ) -> Result<(), MemoryFault> {
        let geometry = cells.flash()?.geometry();
        self.log.forget(geometry, block..block.saturating_add(1))
    }

    /// Notes that all that was written lasts: a sync has returned.
    pub(super) fn settle(&mut self) {
        self.pending.clear();
        self.log = FlashLog::default();
    }

    /// Lets `left`, which is as before the operation, hold what a cut within it leaves. `done` is as after it.
    pub(super) fn tear(
        &self,
        left: &mut Cells,
        done: &mut Cells,
        op: &Op<'_>,
        tearing: FlashTearing,
    ) -> Result<(), MemoryFault> {
        match (op, self.tear) {
            (_, Tear::Clean) => Ok(()),
            (Op::Write { .. }, _) => self.tear_writes(left),
            (_, Tear::Torn) if op.is_change() => self.torn(tearing).tear(left, done, op),
            (_, Tear::Torn) => Ok(()),
            (_, Tear::Reordered) if op.is_change() => {
                self.log.reorder(left, &self.torn(tearing), true)
            }
            _ => self.take_pending(left, tearing),
        }
    }

    /// What tears blocks of flash.
    const fn torn(&self, tearing: FlashTearing) -> TornBlock {
        TornBlock {
            tearing,
            seed: self.seed,
            leaves: self.leaves,
        }
    }

    /// Leaves an erase that was started and not waited for as a cut at `instant` does.
    pub(super) fn take_work(
        &self,
        left: &mut Cells,
        tearing: FlashTearing,
    ) -> Result<(), MemoryFault> {
        let Some(work) = left.work.take() else {
            return Ok(());
        };
        let under_way = left.flash()?.erase_phase();
        left.flash()?.drop_erase();
        if matches!(under_way, None | Some(wordline_nvm::ErasePhase::Ended)) {
            return Ok(());
        }
        match self.tear {
            // The power goes just before: the erase, which is under way, is the only thing that it can have begun.
            Tear::Clean => work.put_back(left),
            Tear::Torn | Tear::Reordered => self.torn(tearing).tear_work(left, &work),
        }
    }

    /// Lets `left` hold what a cut between two operations leaves, or one within an operation that changes nothing.
    pub(super) fn take_pending(
        &self,
        left: &mut Cells,
        tearing: FlashTearing,
    ) -> Result<(), MemoryFault> {
        if self.tear != Tear::Reordered {
            return Ok(());
        }
        if !self.pending.is_empty() {
            return self.tear_writes(left);
        }
        self.log.reorder(left, &self.torn(tearing), false)
    }

    fn tear_writes(&self, left: &mut Cells) -> Result<(), MemoryFault> {
        let reordered = self.tear == Tear::Reordered;
        let tearing = ByteTearing {
            buffered: reordered,
            ordered: !reordered,
            ..ByteTearing::contract()
        };
        let device = left.bytes()?;
        let mut before = Content::zeros(device.len(), device.atom());
        for pending in self.pending.iter().rev() {
            before
                .write(pending.at, &pending.old)
                .map_err(NvmError::from)?;
        }
        let mut recorder = first(&Recording::new(before, tearing), self.seed)?.record(tearing);
        for pending in &self.pending {
            recorder
                .write(pending.at, &pending.new)
                .map_err(NvmError::from)?;
        }
        let recording = recorder.finish().1;
        let last = recording.operations().len().saturating_sub(1);
        let image = drawn(&recording, last, self.seed)?;
        for pending in &self.pending {
            let mut bytes = vec![0; pending.new.len()];
            image
                .content()
                .read(pending.at, &mut bytes)
                .map_err(NvmError::from)?;
            device.preload(pending.at, &bytes)?;
        }
        Ok(())
    }
}

/// The image of a recording's start.
pub(super) fn first<T: Tearing>(
    recording: &Recording<T>,
    seed: u64,
) -> Result<T::Image, MemoryFault> {
    let id = ImageId {
        operation: 0,
        variant: 0,
        seed,
    };
    Ok(recording.image(id).ok_or(FaultReason::Internal)?)
}

/// One of the images of a cut within an operation, each with equal chance.
pub(super) fn drawn<T: Tearing>(
    recording: &Recording<T>,
    operation: usize,
    seed: u64,
) -> Result<T::Image, MemoryFault> {
    let id = |variant| ImageId {
        operation,
        variant,
        seed,
    };
    let exists = |variant: u64| recording.image(id(variant)).is_some();
    // Variants are numbered from 0 without gaps: their number lies between what exists and what does not.
    let mut missing = 1;
    while exists(missing) {
        missing *= 2;
    }
    let mut known = missing / 2;
    while missing - known > 1 {
        let middle = known + (missing - known) / 2;
        if exists(middle) {
            known = middle;
        } else {
            missing = middle;
        }
    }
    let variant = draw(seed, operation as u64, 0, Purpose::Tear) % (known + 1);
    Ok(recording.image(id(variant)).ok_or(FaultReason::Internal)?)
}
