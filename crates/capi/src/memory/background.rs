//! Erases of every size, and erases that are started and not waited for.

use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;
use wordline_nvm::{BlockContent, ErasePhase, FlashMemory, Misuse, NvmError, OperationKind};

use super::abi::Work;
use super::cells::Cells;
use super::device::{MemoryDevice, Op, Power};
use super::fault::{FaultReason, ImposedFailure, MemoryFault};

/// An erase that was started and not waited for.
#[derive(Clone, Debug)]
pub(super) struct StartedWork {
    block: u32,
    blocks: u32,
    /// What the blocks held, and their cycles: a power cut may leave parts of it.
    before: Vec<(BlockContent, u64)>,
    /// Why it will be reported as failed.
    failed: Option<ImposedFailure>,
    /// When it was asked for.
    start: Time,
    /// When it ends, as known when the chip worked on it last.
    ends: Option<Time>,
}

/// Which blocks an erase that was started erases, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkSpan {
    block: u32,
    blocks: u32,
    start: Time,
    ends: Option<Time>,
    /// Whether it will be reported as failed, whatever the chip says.
    fails: bool,
}

impl WorkSpan {
    /// When it was done, if that was before `now`.
    fn done_before(&self, now: Time) -> Option<Time> {
        self.ends.filter(|end| *end < now)
    }
}

impl StartedWork {
    pub(super) const fn span(&self) -> WorkSpan {
        WorkSpan {
            block: self.block,
            blocks: self.blocks,
            start: self.start,
            ends: self.ends,
            fails: self.failed.is_some(),
        }
    }

    pub(super) fn blocks(&self) -> std::ops::Range<u32> {
        self.block..self.block.saturating_add(self.blocks)
    }

    /// Why a memory with such work cannot be saved as an image.
    pub(super) fn in_image(&self, info: &super::abi::Info) -> FaultReason {
        FaultReason::InErase {
            at: u64::from(self.block) * info.block_bytes,
            bytes: u64::from(self.blocks) * info.block_bytes,
            state: "was not waited for, and has no place in an image",
            advice: "wl_memory_wait for it before you save or load",
        }
    }

    /// Lets the blocks hold what they did before.
    pub(super) fn put_back(&self, left: &mut Cells) -> Result<(), MemoryFault> {
        for (block, (content, cycles)) in self.blocks().zip(&self.before) {
            left.flash()?.set_content(block, content)?;
            left.flash()?.set_cycles(block, *cycles)?;
        }
        Ok(())
    }
}

impl Cells {
    /// Starts an erase of blocks, and does not wait for it.
    fn start_erase(&mut self, block: u32, blocks: u32) -> Result<(), MemoryFault> {
        let mut before = Vec::new();
        for block in block..block.saturating_add(blocks) {
            let flash = self.flash()?;
            before.push((flash.content(block)?, flash.cycles(block)?));
        }
        let kept = self.kept_of_blocks(block, blocks)?;
        let start = self.clock().now();
        let flash = self.flash()?;
        let bytes = flash.geometry().block_bytes();
        flash.start_erase(u64::from(block) * bytes, u64::from(blocks) * bytes)?;
        let failed = self.undo_erase(block, blocks, kept)?;
        self.work = Some(Box::new(StartedWork {
            block,
            blocks,
            before,
            failed,
            start,
            ends: None,
        }));
        self.note_end()
    }

    /// Waits for the end of the erase that was started.
    fn finish_erase(&mut self) -> Result<(), MemoryFault> {
        let Some(work) = &self.work else {
            return Ok(());
        };
        let failed = work.failed.clone();
        let done = self.flash()?.finish_erase();
        if matches!(done, Ok(()) | Err(NvmError::EraseFailed { .. })) {
            self.work = None;
        }
        done?;
        failed.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// Reads while what was started is suspended.
    fn read_suspending(&mut self, at: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        let flash = self.flash()?;
        let page_bytes = u64::from(flash.geometry().page_bytes);
        let found = flash.read_suspending(at, out);
        self.note_end()?;
        found?;
        if self.is_plain() {
            return Ok(());
        }
        let (mut at, mut out) = (at, out);
        while !out.is_empty() {
            let length = out.len().min((page_bytes - at % page_bytes) as usize);
            let (part, behind) = out.split_at_mut(length);
            let (page, column) = ((at / page_bytes) as u32, (at % page_bytes) as u32);
            self.overlay(page, column, part, Ok(wordline_memory::Ecc::Clean))?;
            (at, out) = (at + length as u64, behind);
        }
        Ok(())
    }

    /// Notes when what was started ends, once the chip works on it.
    fn note_end(&mut self) -> Result<(), MemoryFault> {
        let phase = self.phase()?;
        if let Some(work) = &mut self.work {
            match phase {
                Some(ErasePhase::Running { until }) => work.ends = Some(until),
                Some(ErasePhase::Suspended) => work.ends = None,
                // As it was known while it ran.
                Some(ErasePhase::Ended) | None => {}
            }
        }
        Ok(())
    }

    fn phase(&mut self) -> Result<Option<ErasePhase>, MemoryFault> {
        match &self.work {
            None => Ok(None),
            Some(_) => Ok(self.flash()?.erase_phase()),
        }
    }
}

/// Sizes of erase, ascending, of a memory in these blocks: it has no part of a block that an erase could be of.
pub(super) fn sizes_in_blocks(flash: &dyn FlashMemory) -> Vec<u64> {
    let block = flash.geometry().block_bytes();
    let mut sizes = flash.erase_sizes();
    sizes.retain(|size| size.is_multiple_of(block));
    sizes
}

impl MemoryDevice {
    /// Sizes of erase, ascending.
    pub(super) fn erase_sizes(&mut self) -> Result<Vec<u64>, MemoryFault> {
        Ok(sizes_in_blocks(self.cells.flash()?))
    }

    /// Erases a range by erases of `unit` bytes each, or by the largest that fit where that is 0.
    pub(super) fn erase_range(
        &mut self,
        at: u64,
        bytes: u64,
        unit: u64,
    ) -> Result<(), MemoryFault> {
        let sizes = self.erase_sizes()?;
        self.check(at, bytes)?;
        self.check_power()?;
        let sizes = match unit {
            0 => sizes,
            unit if sizes.contains(&unit) => vec![unit],
            unit => return Err(no_erase(at, unit, &sizes)),
        };
        let smallest = sizes.first().copied().unwrap_or(1);
        if !at.is_multiple_of(smallest) || !bytes.is_multiple_of(smallest) {
            return Err(no_erase(at, bytes, &sizes));
        }
        let end = at + bytes;
        let mut next = at;
        while next < end {
            let fits = |size: &&u64| next.is_multiple_of(**size) && end - next >= **size;
            let size = sizes.iter().rev().find(fits).copied();
            let size = size.ok_or_else(|| no_erase(at, bytes, &sizes))?;
            self.erase_unit(next, size)?;
            next += size;
        }
        Ok(())
    }

    /// Erases by one erase of the chip.
    fn erase_unit(&mut self, at: u64, bytes: u64) -> Result<(), MemoryFault> {
        let (block, blocks) = self.blocks_of(at, bytes)?;
        let op = Op::Erase { block, blocks };
        self.perform(op, |cells| cells.erase(block, blocks))
    }

    /// First block and number of blocks of a range that is one erase of the chip.
    fn blocks_of(&mut self, at: u64, bytes: u64) -> Result<(u32, u32), MemoryFault> {
        let sizes = self.erase_sizes()?;
        OutOfRange::check(at, bytes, self.info.bytes).map_err(NvmError::from)?;
        let block = self.info.block_bytes;
        if !sizes.contains(&bytes) || !at.is_multiple_of(bytes) {
            return Err(no_erase(at, bytes, &sizes));
        }
        Ok(((at / block) as u32, (bytes / block) as u32))
    }

    /// Starts an erase, and does not wait for it.
    pub(super) fn start_erase(&mut self, at: u64, bytes: u64) -> Result<(), MemoryFault> {
        let (block, blocks) = self.blocks_of(at, bytes)?;
        self.check_power()?;
        let op = Op::StartErase { block, blocks };
        self.perform(op, |cells| cells.start_erase(block, blocks))?;
        if let Some(ErasePhase::Running { until }) = self.cells.phase()? {
            let now = self.now();
            if let Power::Due(due) = &mut self.power {
                due.meet_erase(now, until);
            }
        }
        Ok(())
    }

    /// Waits for the end of the erase that was started.
    pub(super) fn wait(&mut self) -> Result<(), MemoryFault> {
        self.cells.flash()?;
        let work = self.cells.work.as_ref().map(|work| work.span());
        let begun = self.now();
        let done = self.perform(Op::Wait, Cells::finish_erase);
        // A cut within it has reported it.
        let is_over = self.cells.work.is_none() && !matches!(self.power, Power::Off);
        if let (Some(work), true) = (work, is_over) {
            let end = work.done_before(begun).unwrap_or(self.now());
            self.tell_erase(&work, end, done.is_err());
        }
        done
    }

    /// Reports an erase that was started, now that it is known how it ended, and counts it where it failed.
    fn tell_erase(&mut self, work: &WorkSpan, end: Time, failed: bool) {
        if failed {
            self.count_failed_erase();
        }
        let block = self.info.block_bytes;
        let at = u64::from(work.block) * block;
        let bytes = u64::from(work.blocks) * block;
        let span = (work.start, end);
        self.hear(OperationKind::Erase, (at, bytes), span, failed);
    }

    /// The same of one that a power cut at `instant` left without anybody to wait for it.
    pub(super) fn tell_cut_erase(&mut self, work: &WorkSpan, instant: Time) {
        match work.done_before(instant) {
            Some(end) => self.tell_erase(work, end, work.fails),
            None => self.tell_erase(work, instant, true),
        }
    }

    pub(super) fn suspend(&mut self) -> Result<(), MemoryFault> {
        self.cells.flash()?;
        self.check_suspends()?;
        self.check_power()?;
        if self.cells.work.is_none() {
            return Err(FaultReason::NothingStarted.into());
        }
        self.perform(Op::Wait, |cells| {
            cells.flash()?.suspend_erase()?;
            cells.note_end()
        })
    }

    pub(super) fn resume(&mut self) -> Result<(), MemoryFault> {
        self.cells.flash()?;
        self.check_suspends()?;
        self.check_power()?;
        if self.cells.work.is_none() {
            return Err(FaultReason::NothingStarted.into());
        }
        self.perform(Op::Wait, |cells| {
            cells.flash()?.resume_erase()?;
            cells.note_end()
        })
    }

    fn check_suspends(&mut self) -> Result<(), MemoryFault> {
        let suspends = self.cells.flash()?.check_suspend();
        Ok(suspends.map_err(FaultReason::NoSuspend)?)
    }

    /// Reads at once: what was started is suspended for it, and resumed.
    pub(super) fn read_suspending(&mut self, at: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        self.cells.flash()?;
        if self.cells.work.is_none() {
            return self.read(at, out);
        }
        self.check_suspends()?;
        let bytes = out.len() as u64;
        self.perform(Op::ReadSuspending { at, bytes }, |cells| {
            cells.read_suspending(at, out)
        })
    }

    /// How far what was started has come.
    pub(super) fn work(&mut self) -> Result<Work, MemoryFault> {
        self.cells.flash()?;
        let mut told = Work {
            size: size_of::<Work>() as u64,
            ..Work::default()
        };
        let block = self.info.block_bytes;
        if let Some(work) = &self.cells.work {
            told.at = u64::from(work.block) * block;
            told.bytes = u64::from(work.blocks) * block;
        }
        match self.cells.phase()? {
            None => {}
            Some(ErasePhase::Running { until }) => (told.phase, told.ends_ps) = (1, until.ps()),
            Some(ErasePhase::Suspended) => told.phase = 2,
            Some(ErasePhase::Ended) => told.phase = 3,
        }
        Ok(told)
    }

    /// What a chip that is busy with an erase takes.
    #[cold]
    #[inline(never)]
    pub(super) fn check_work(&mut self, op: &Op<'_>) -> Result<(), MemoryFault> {
        let Some(phase) = self.cells.phase()? else {
            return Ok(());
        };
        let running = matches!(phase, ErasePhase::Running { .. });
        self.check_apart(op, phase)?;
        let takes = match *op {
            Op::Wait | Op::ReadSuspending { .. } | Op::Sync => true,
            Op::Read { at, bytes } => !running || self.cells.flash()?.reads_beside(at, bytes),
            Op::Program { .. } | Op::Move { .. } | Op::Mark { .. } | Op::Write { .. } => !running,
            Op::Erase { .. } | Op::StartErase { .. } => false,
        };
        if takes {
            return Ok(());
        }
        let work = self.work()?;
        let (state, advice) = match phase {
            ErasePhase::Running { .. } => ("runs", self.advice_while_busy(op)?),
            ErasePhase::Suspended => (
                "is suspended",
                "no other erase is taken before wl_memory_wait, which resumes it",
            ),
            ErasePhase::Ended => (
                "has ended and was not waited for",
                "wl_memory_wait, which takes no time now, tells how it ended",
            ),
        };
        Err(FaultReason::InErase {
            at: work.at,
            bytes: work.bytes,
            state,
            advice,
        }
        .into())
    }

    /// What an erase has not finished takes no operation while it is suspended, nor one that would suspend it.
    fn check_apart(&self, op: &Op<'_>, phase: ErasePhase) -> Result<(), MemoryFault> {
        let stops = match *op {
            Op::ReadSuspending { .. } => !matches!(phase, ErasePhase::Ended),
            // Beside spare areas each page is an operation, which the memory refuses at once.
            Op::Read { .. } if self.info.spare_bytes > 0 => false,
            Op::Read { .. } | Op::Program { .. } | Op::Move { .. } => {
                matches!(phase, ErasePhase::Suspended)
            }
            _ => false,
        };
        let (Some(work), true) = (&self.cells.work, stops) else {
            return Ok(());
        };
        let block = self.info.block_bytes;
        let (begin, end) = (
            u64::from(work.block) * block,
            u64::from(work.block.saturating_add(work.blocks)) * block,
        );
        let (at, bytes) = match *op {
            Op::Read { at, bytes } | Op::ReadSuspending { at, bytes } => (at, bytes),
            Op::Program { data: &[], .. } => return Ok(()),
            // Spare areas lie behind the main area of their page.
            Op::Program { page, .. } | Op::Move { to: page, .. } => {
                (u64::from(page) * self.info.page_bytes, self.info.page_bytes)
            }
            _ => return Ok(()),
        };
        if at < end && begin < at.saturating_add(bytes) {
            let at = at.max(begin);
            let work = "erase";
            return Err(NvmError::from(Misuse::InSuspended { at, work }).into());
        }
        Ok(())
    }

    /// What a caller may do whose operation a running erase keeps from being done.
    fn advice_while_busy(&mut self, op: &Op<'_>) -> Result<&'static str, MemoryFault> {
        let flash = self.cells.flash()?;
        let suspends = flash.check_suspend().is_ok();
        let has_banks = flash.banks() > 1;
        let programs = flash.programs_during_erase();
        Ok(match *op {
            Op::Read { .. } if suspends && has_banks => {
                "wl_memory_wait for it, read with wl_memory_read_suspending, or read in another bank"
            }
            Op::Read { .. } if suspends => {
                "wl_memory_wait for it, or read with wl_memory_read_suspending"
            }
            Op::Read { .. } if has_banks => "wl_memory_wait for it, or read in another bank",
            Op::Program { .. } | Op::Move { .. } | Op::Mark { .. } if suspends && programs => {
                "wl_memory_wait for it, or wl_memory_suspend it before"
            }
            _ => "wl_memory_wait for it",
        })
    }
}

fn no_erase(at: u64, bytes: u64, sizes: &[u64]) -> MemoryFault {
    let sizes: Vec<_> = sizes.iter().map(u64::to_string).collect();
    FaultReason::NoErase {
        at,
        bytes,
        sizes: sizes.join(", ").into(),
    }
    .into()
}
