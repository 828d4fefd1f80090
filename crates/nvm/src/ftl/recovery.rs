//! Empties the blocks that were open at a power cut, so that none of their pages is needed again.
//!
//! Pages are moved to blocks of their own, and what they came from is erased when such a block is closed. A copy
//! keeps its sequence number: where the power is cut meanwhile, the next mount takes what it came from, and the
//! block that was not closed is as good as free. Every source that was open goes to one block whole, so that one
//! free block is enough; the layer sets two aside for that. What it took for free may be full again, because
//! pages that were trimmed are found again, so that closed blocks are cleaned as well until it can go on.

use std::collections::VecDeque;

use wordline_memory::Flash;

use super::barrier::Barrier;
use super::flash_media::FlashMedia;
use super::media::{CellMode, Fault, Media, PageKind, Record};
use super::mount::{FoundBlock, FoundLayer, FoundState, SET_ASIDE};
use super::translation::{FtlError, RESERVE};

/// Empties what was open, and leaves blocks that are bad, blank or closed.
///
/// # Errors
/// [`FtlError::Full`] when no block is free, [`FtlError::Device`].
pub(super) fn recover<F: Flash>(
    media: &mut FlashMedia<F>,
    found: FoundLayer,
) -> Result<FoundLayer, FtlError<F::Error>> {
    let mut recovery = Recovery {
        tasks: VecDeque::new(),
        free: VecDeque::new(),
        target: None,
        emptied: Vec::new(),
        media,
        found,
    };
    recovery.plan();
    recovery.erase_emptied()?;
    recovery.work()?;
    let mut closed = recovery.closed();
    while (recovery.free.len() as u32) <= RESERVE + SET_ASIDE
        && let Some((pages, block)) = closed.pop()
    {
        recovery.tasks.extend(pages.into_iter().map(Task::Move));
        recovery.tasks.push_back(Task::Emptied(block));
        recovery.work()?;
    }
    recovery.close()?;
    let is_blank = |block: &u32| recovery.found.blocks[*block as usize].state == FoundState::Blank;
    recovery.found.blank = recovery.free.iter().copied().filter(is_blank).collect();
    recovery.found.held.clear();
    Ok(recovery.found)
}

/// What is still to be done.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// So many pages of one block are to be moved to one block.
    Room(u32),
    /// A logical page is to be moved.
    Move(u32),
    /// All pages of a block have been moved.
    Emptied(u32),
    /// The block that pages are moved to is to be closed.
    Close,
}

/// The block that pages are moved to.
#[derive(Debug)]
struct Target {
    block: u32,
    records: Vec<Record>,
}

struct Recovery<'a, F> {
    media: &'a mut FlashMedia<F>,
    found: FoundLayer,
    tasks: VecDeque<Task>,
    /// Blocks that hold nothing of use.
    free: VecDeque<u32>,
    target: Option<Target>,
    /// Blocks to erase when the target is closed.
    emptied: Vec<u32>,
}

impl<F: Flash> Recovery<'_, F> {
    /// Does what is to be done.
    fn work(&mut self) -> Result<(), FtlError<F::Error>> {
        while let Some(task) = self.tasks.pop_front() {
            match task {
                Task::Room(pages) => self.make_room(pages)?,
                Task::Move(logical) => self.move_page(logical)?,
                Task::Emptied(block) => self.emptied(block)?,
                Task::Close => self.close()?,
            }
        }
        Ok(())
    }

    /// Closed blocks that have dead pages, with the logical pages that live there; the emptiest last.
    fn closed(&self) -> Vec<(Vec<u32>, u32)> {
        let shape = self.media.shape();
        let mut pages = vec![Vec::new(); self.found.blocks.len()];
        for (place, logical) in self.found.newest.iter().zip(0..) {
            if let Some((page, _)) = place {
                pages[(page / shape.pages_per_block) as usize].push(logical);
            }
        }
        let mut closed: Vec<_> = pages.into_iter().zip(0..).collect();
        closed.retain(|(pages, number)| {
            let block = &self.found.blocks[*number as usize];
            let room = self.media.pages_in(block.mode) - shape.summary_pages;
            block.state == FoundState::Closed && (1..room).contains(&(pages.len() as u32))
        });
        closed.sort_by_key(|(pages, number)| std::cmp::Reverse((pages.len(), *number)));
        closed
    }

    /// Sources in their order: those that are emptied soonest first.
    fn plan(&mut self) {
        let per_block = self.media.shape().pages_per_block;
        let mut pages = vec![Vec::new(); self.found.blocks.len()];
        for (place, logical) in self.found.newest.iter().zip(0..) {
            if let Some((page, _)) = place {
                pages[(page / per_block) as usize].push((*page, logical));
            }
        }
        let mut sources = Vec::new();
        for (number, (block, pages)) in (0..).zip(self.found.blocks.iter_mut().zip(pages)) {
            match block.state {
                FoundState::Bad => {}
                FoundState::Blank => self.free.push_back(number),
                FoundState::Closed if pages.is_empty() => self.free.push_back(number),
                FoundState::Closed => {}
                FoundState::Open if pages.is_empty() => {
                    self.emptied.push(number);
                }
                FoundState::Open => sources.push((number, pages)),
            }
        }
        if !self.media.barriers.keep(Barrier::MoveOpen) {
            self.emptied.clear();
            for block in &mut self.found.blocks {
                if block.state == FoundState::Open {
                    block.state = FoundState::Closed;
                }
            }
            return;
        }
        sources.sort_by_key(|(number, pages): &(u32, Vec<(u32, u32)>)| (pages.len(), *number));
        for (block, mut pages) in sources {
            pages.sort_unstable();
            self.tasks.push_back(Task::Room(pages.len() as u32));
            let logical = pages.into_iter().map(|(_, logical)| logical);
            self.tasks.extend(logical.map(Task::Move));
            self.tasks.push_back(Task::Emptied(block));
        }
        self.tasks.push_back(Task::Close);
    }

    /// Closes the block that pages are moved to where it has no room for so many more.
    fn make_room(&mut self, pages: u32) -> Result<(), FtlError<F::Error>> {
        let shape = self.media.shape();
        let room = shape.pages_per_block - shape.summary_pages;
        match &self.target {
            Some(target) if target.records.len() as u32 + pages > room => self.close(),
            _ => Ok(()),
        }
    }

    /// Moves a logical page. Its copy keeps the sequence number, by which the next mount knows whether the page
    /// that it came from is still there.
    fn move_page(&mut self, logical: u32) -> Result<(), FtlError<F::Error>> {
        let Some((from, mut record)) = self.found.newest[logical as usize] else {
            return Ok(());
        };
        let per_block = self.media.shape().pages_per_block;
        let target = self.target()?;
        let to = target.block * per_block + target.records.len() as u32;
        let held = self.found.held.get(&from);
        record.kind = PageKind::Recovered;
        let moved = match held {
            Some(main) => self.media.program(to, record, main),
            None => self.media.copy(from, to, record),
        };
        let moved = match moved {
            Err(Fault::Uncorrectable) => {
                record.kind = PageKind::Lost;
                self.media.fill(to, record)
            }
            moved => moved,
        };
        match moved {
            Ok(()) => {
                self.target()?.records.push(record);
                Ok(())
            }
            Err(Fault::Device(error)) => Err(FtlError::Device(error)),
            Err(_) => {
                self.tasks.push_front(Task::Move(logical));
                self.abandon()
            }
        }
    }

    /// The block that pages are moved to, with room for one more.
    fn target(&mut self) -> Result<&mut Target, FtlError<F::Error>> {
        let shape = self.media.shape();
        let room = shape.pages_per_block - shape.summary_pages;
        if self
            .target
            .as_ref()
            .is_some_and(|target| target.records.len() as u32 >= room)
        {
            self.close()?;
        }
        while self.target.is_none() {
            let bad = self.found.blocks.iter();
            let bad = bad.filter(|block| block.state == FoundState::Bad).count() as u32;
            let block = self.free.pop_front().ok_or(FtlError::Full { bad })?;
            if self.erase(block)? {
                self.target = Some(Target {
                    block,
                    records: Vec::new(),
                });
            }
        }
        self.target.as_mut().ok_or(FtlError::Full { bad: 0 })
    }

    /// Erases a block, which is retired where that fails. Whether it can be used.
    fn erase(&mut self, block: u32) -> Result<bool, FtlError<F::Error>> {
        let first = block * self.found.pages_per_block;
        let pages = first..first + self.found.pages_per_block;
        self.found.held.retain(|page, _| !pages.contains(page));
        match self.media.erase(block, CellMode::Native) {
            Ok(()) => {
                self.found.blocks[block as usize] = FoundBlock {
                    state: FoundState::Blank,
                    mode: CellMode::Native,
                    programmed: 0,
                    written: 0,
                };
                Ok(true)
            }
            Err(Fault::Device(error)) => Err(FtlError::Device(error)),
            Err(_) => self.retire(block).map(|()| false),
        }
    }

    fn retire(&mut self, block: u32) -> Result<(), FtlError<F::Error>> {
        self.found.blocks[block as usize].state = FoundState::Bad;
        match self.media.retire(block) {
            Err(Fault::Device(error)) => Err(FtlError::Device(error)),
            _ => Ok(()),
        }
    }

    /// Retires the block that pages are moved to, in which a program failed. They are moved again: all fit in
    /// the next one, before which nothing is erased that they came from.
    fn abandon(&mut self) -> Result<(), FtlError<F::Error>> {
        let Some(target) = self.target.take() else {
            return Ok(());
        };
        for record in target.records.into_iter().rev() {
            self.tasks.push_front(Task::Move(record.logical));
        }
        self.retire(target.block)
    }

    fn emptied(&mut self, block: u32) -> Result<(), FtlError<F::Error>> {
        self.emptied.push(block);
        if self.media.barriers.keep(Barrier::CloseBeforeErase) {
            return Ok(());
        }
        self.erase_emptied()
    }

    fn erase_emptied(&mut self) -> Result<(), FtlError<F::Error>> {
        for block in std::mem::take(&mut self.emptied) {
            if !self.media.barriers.keep(Barrier::EraseOpen) {
                self.found.blocks[block as usize].state = FoundState::Blank;
                self.free.push_back(block);
            } else if self.erase(block)? {
                self.free.push_back(block);
            }
        }
        Ok(())
    }

    /// Closes the block that pages were moved to, and erases what was emptied.
    fn close(&mut self) -> Result<(), FtlError<F::Error>> {
        let shape = self.media.shape();
        let room = (shape.pages_per_block - shape.summary_pages) as usize;
        if let Some(target) = &self.target {
            let mut records = target.records.clone();
            let filler = Record {
                kind: PageKind::Filler,
                logical: 0,
                sequence: 0,
            };
            records.resize(room, filler);
            self.media.go_on_from(self.found.sequence);
            self.found.sequence += 1;
            match self.media.summarize(target.block, &records) {
                Ok(()) => self.count(),
                Err(Fault::Device(error)) => return Err(FtlError::Device(error)),
                Err(_) => {
                    self.tasks.push_front(Task::Close);
                    return self.abandon();
                }
            }
        }
        self.erase_emptied()
    }

    /// From now on the copies count.
    fn count(&mut self) {
        let Some(target) = self.target.take() else {
            return;
        };
        let shape = self.media.shape();
        let first = target.block * shape.pages_per_block;
        let block = &mut self.found.blocks[target.block as usize];
        block.state = FoundState::Closed;
        block.programmed = shape.pages_per_block;
        for (page, record) in (first..).zip(target.records) {
            block.written = block.written.max(record.sequence);
            self.found.newest[record.logical as usize] = Some((page, record));
        }
    }
}
