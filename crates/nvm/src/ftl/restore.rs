//! Mounting: where every logical page is, from what a scan of the flash found.

use std::collections::BTreeMap;

use super::barrier::{Barrier, Barriers};
use super::clean::CleaningJob;
use super::config::{FtlConfig, FtlConfigError, check_pages};
use super::media::{CellMode, LayerPurpose, Media, MediaFault, PageKind, PageRecord};
use super::record::next_epoch;
use super::scan::{Copies, ScanResult, ScannedBlock, has_room, leave_out_copies, newest};
use super::space::{BlockState, NONE};
use super::translation::{FtlError, MOVED, RESERVE, Translation};

/// A sequence number that no flash lives to see.
const MAX_SEQUENCE: u64 = 1 << 62;

/// What a mount in progress must remember.
#[derive(Clone, Debug, Default)]
pub(super) struct MountState {
    scan: Vec<ScannedBlock>,
    /// Sequence number of each logical page, which its copy keeps.
    sequences: Vec<u64>,
    /// Blocks without live pages that are erased only where no other is left: an older version in them may be the
    /// one that counts after another power cut.
    held: Vec<u32>,
    /// Logical pages that may be torn, and where.
    doubtful: BTreeMap<u32, u32>,
    /// Blocks to be emptied.
    empty: Vec<u32>,
    /// Blocks to be erased before the mount returns.
    torn: Vec<u32>,
}

impl MountState {
    /// The sequence number of a logical page.
    pub(super) fn sequence_of(&self, logical: u32) -> u64 {
        self.sequences[logical as usize]
    }

    /// A block was erased, and holds no version of any page any more.
    pub(super) fn forget(&mut self, block: u32) {
        self.scan[block as usize].found = ScanResult::Erased;
    }

    pub(super) fn hold(&mut self, block: u32) {
        if !self.held.contains(&block) {
            self.held.push(block);
        }
    }
}

impl<M: Media> Translation<M> {
    /// A layer from what a scan found on its flash, one entry for each block. Blocks that were open at a power cut are
    /// emptied into blocks that are closed at once, and erased, before this returns. Another power cut meanwhile
    /// changes nothing.
    ///
    /// # Errors
    /// When the configuration cannot work on this flash or the scan does not fit it, or the flash fails.
    pub fn restore(
        media: M,
        config: FtlConfig,
        scan: Vec<ScannedBlock>,
    ) -> Result<Self, FtlError<M::Error>> {
        Self::restore_with(media, config, scan, Barriers::ALL)
    }

    pub(super) fn restore_with(
        media: M,
        config: FtlConfig,
        mut scan: Vec<ScannedBlock>,
        barriers: Barriers,
    ) -> Result<Self, FtlError<M::Error>> {
        let shape = media.shape();
        // Blocks may have gone bad since the format: what is on flash can be read all the same.
        let logical = config.logical_pages(shape, 0)?;
        check_pages(&media)?;
        let mut layer = Self::empty(media, config, logical);
        layer.barriers = barriers;
        layer.check_scan(&scan)?;
        layer.give_up_cache(&mut scan);
        let newest = layer.place_newest(&mut scan);
        let mut mount = MountState::default();
        let sequence =
            |found: &Option<(_, PageRecord)>| found.map_or(0, |(_, record)| record.sequence);
        mount.sequences = newest.iter().map(sequence).collect();
        layer.sort_blocks(&scan, &mut mount);
        mount.scan = scan;
        layer.mount = Some(mount);
        layer.hold_older_versions();
        layer.recover()?;
        layer.mount = None;
        layer.mark();
        layer.erase_ahead()?;
        if !barriers.keep(Barrier::SequenceGoesOn) {
            layer.sequence = 0;
        }
        Ok(layer)
    }

    /// Refuses a scan that does not fit the flash, and goes on above its sequence numbers. A page that this mount
    /// cannot read may be found by the next one, so that its number is not given again either.
    fn check_scan(&mut self, scan: &[ScannedBlock]) -> Result<(), FtlError<M::Error>> {
        let wrong = |what, found, allowed| {
            Err(FtlError::Config(FtlConfigError {
                what,
                found,
                allowed,
            }))
        };
        let shape = self.space.shape;
        if shape.summary_pages == 0 {
            let allowed = "1 or more where the layer is to be mounted".to_owned();
            return wrong("summary_pages", 0, allowed);
        }
        if scan.len() as u64 != u64::from(shape.blocks) {
            let found = scan.len() as u64;
            return wrong(
                "number of blocks in the scan",
                found,
                shape.blocks.to_string(),
            );
        }
        let records = scan.iter().flat_map(|block| block.found.records());
        let sequences = records.flatten().map(|record| record.sequence);
        let last = sequences.max().unwrap_or(0);
        if last > MAX_SEQUENCE {
            let allowed = format!("up to {MAX_SEQUENCE}");
            return wrong("greatest sequence number in the scan", last, allowed);
        }
        self.sequence = next_epoch(last);
        Ok(())
    }

    /// Treats what is left of a cache as torn where there is none any more.
    fn give_up_cache(&self, scan: &mut [ScannedBlock]) {
        for block in scan {
            if let ScanResult::Closed(records) = &mut block.found
                && block.mode == CellMode::Slc
                && self.config.slc.is_none()
            {
                block.found = ScanResult::Torn(std::mem::take(records));
            }
        }
    }

    /// Puts every logical page where its newest version is. Where no block is left to move pages to, copies that an
    /// interrupted mount made are left out.
    fn place_newest(&mut self, scan: &mut [ScannedBlock]) -> Vec<Option<(u32, PageRecord)>> {
        let (shape, logical, barriers) = (self.space.shape, self.logical, self.barriers);
        if barriers.keep(Barrier::SourceGone) {
            leave_out_copies(scan, Copies::Needed);
        }
        let mut found = newest(scan, shape, logical, barriers);
        if !has_room(scan, &found, shape) {
            leave_out_copies(scan, Copies::Forgotten);
            found = newest(scan, shape, logical, barriers);
        }
        for (page, record) in found.iter().flatten() {
            self.space.put(record.logical, Some(*page), record.sequence);
            if record.kind == PageKind::Lost {
                self.lost.insert(record.logical);
            }
        }
        found
    }

    fn sort_blocks(&mut self, scan: &[ScannedBlock], mount: &mut MountState) {
        for (number, block) in (0..).zip(scan) {
            self.space.take(number);
            self.space.set_erases(number, block.erases);
            let records = block.found.records().iter().flatten();
            let of = self.space.block_mut(number);
            of.written = records.map(|record| record.sequence).max().unwrap_or(0);
            of.state = BlockState::Closed;
            let live = of.live;
            let torn = matches!(block.found, ScanResult::Torn(_));
            if torn && self.barriers.keep(Barrier::EraseTorn) {
                mount.torn.push(number);
            }
            let moved = torn && self.barriers.keep(Barrier::MoveTorn);
            match &block.found {
                ScanResult::Bad => self.space.condemn(number),
                _ if live == 0 => self.space.release(number),
                _ if moved => mount.empty.push(number),
                _ => {
                    self.space.set_mode(number, block.mode);
                    self.keep(number, mount);
                }
            }
        }
        self.bad_at_start = self.space.bad;
        self.cached
            .make_contiguous()
            .sort_by_key(|block| self.space.block(*block).written);
    }

    /// Puts a closed block with live pages where it belongs.
    fn keep(&mut self, number: u32, mount: &mut MountState) {
        let live = self.space.block(number).live;
        match (&self.logs, self.space.block(number).mode) {
            (None, CellMode::Native) => self.space.closed.add(number, live),
            (None, CellMode::Slc) => self.cached.push_back(number),
            (Some(_), _) => {
                let other = self.adopt(number);
                mount.empty.extend(other);
            }
        }
    }

    /// Makes a block the data block of the logical block that it holds, where it is fit to be. The block that is to
    /// be emptied instead: this one, or the data block before.
    fn adopt(&mut self, number: u32) -> Option<u32> {
        let capacity = self.space.capacity(CellMode::Native);
        let live = |index| self.space.live_in(self.space.page(number, index));
        let mut pages = (0..capacity).filter_map(|index| Some((index, live(index)?)));
        let first = pages.clone().next()?.1 / capacity;
        if !pages.all(|(index, logical)| logical == first * capacity + index) {
            return Some(number);
        }
        let live = |block: u32| self.space.block(block).live;
        let logs = self.logs.as_mut()?;
        let data = &mut logs.data[first as usize];
        match *data {
            NONE => {
                *data = number;
                None
            }
            other if live(other) < live(number) => {
                *data = number;
                Some(other)
            }
            _ => Some(number),
        }
    }

    /// Keeps blocks from being erased that hold another version of a page that may be torn.
    fn hold_older_versions(&mut self) {
        let Some(mut mount) = self.mount.take() else {
            return;
        };
        for number in &mount.empty {
            let block = &mount.scan[*number as usize];
            let valid = block.found.valid();
            for (index, record) in valid.filter(|(index, _)| is_risky(&self.media, block, *index)) {
                let page = self.space.page(*number, index);
                if self.space.live_in(page) == Some(record.logical) {
                    mount.doubtful.insert(record.logical, page);
                }
            }
        }
        let keep = self.barriers.keep(Barrier::HoldOlder);
        let free: Vec<u32> = self.space.free().filter(|_| keep).collect();
        for number in free {
            if self.holds_older(&mount, number) {
                self.space.take(number);
                self.space.hold(number);
                mount.held.push(number);
            }
        }
        self.mount = Some(mount);
    }

    /// Whether a block holds another version of a page that may be torn and was not moved yet.
    fn holds_older(&self, mount: &MountState, number: u32) -> bool {
        let mut records = mount.scan[number as usize].found.valid();
        records.any(|(_, record)| {
            let doubtful = mount.doubtful.get(&record.logical);
            doubtful.is_some() && self.space.place(record.logical) == doubtful.copied()
        })
    }

    /// A block that was held, where no free one is left: one whose pages are all needed no more, if there is any.
    pub(super) fn held(&mut self) -> Option<u32> {
        let mut mount = self.mount.take()?;
        let done = |number: &u32| !self.holds_older(&mount, *number);
        let found = mount.held.iter().position(done);
        let block = match found {
            Some(found) => Some(mount.held.remove(found)),
            None => mount.held.pop(),
        };
        self.mount = Some(mount);
        self.space.release(block?);
        block
    }

    /// Where a page cannot be read that a power cut may have torn, the version before it counts. Whether it was so.
    pub(super) fn falls_back(&mut self, logical: u32, from: u32) -> bool {
        let keep = self.barriers.keep(Barrier::OlderVersion);
        let Some(mount) = self.mount.as_mut().filter(|_| keep) else {
            return false;
        };
        let per_block = self.space.shape.pages_per_block;
        let (number, index) = (from / per_block, from % per_block);
        let block = &mount.scan[number as usize];
        let torn = block.found.records().get(index as usize);
        let torn = torn.copied().flatten();
        let Some(torn) = torn.filter(|_| is_risky(&self.media, block, index)) else {
            return false;
        };
        let mut before: Option<(u32, PageRecord)> = None;
        for (number, block) in (0..).zip(&mount.scan) {
            for (index, record) in block.found.valid() {
                let older = record.logical == logical && record.sequence < torn.sequence;
                if older && before.is_none_or(|(_, best)| record.sequence > best.sequence) {
                    before = Some((number * per_block + index, record));
                }
            }
        }
        mount.sequences[logical as usize] = before.map_or(0, |(_, record)| record.sequence);
        let place = before.map(|(page, _)| page);
        self.space.put(logical, place, self.sequence);
        if let Some((page, record)) = before {
            if record.kind == PageKind::Lost {
                self.lost.insert(logical);
            }
            self.empty_again(page / per_block);
        }
        true
    }

    /// A block that was not to be kept has a live page again.
    fn empty_again(&mut self, block: u32) {
        if let Some(mount) = &mut self.mount
            && (mount.held.contains(&block) || mount.torn.contains(&block))
        {
            mount.held.retain(|held| *held != block);
            mount.empty.push(block);
        }
    }
}

impl<M: Media> Translation<M> {
    /// Empties and erases what a power cut may have harmed.
    fn recover(&mut self) -> Result<(), FtlError<M::Error>> {
        while let Some(block) = self.mount.as_mut().and_then(|mount| mount.empty.pop()) {
            self.empty_in_mount(block)?;
        }
        self.make_room()?;
        if !self.barriers.keep(Barrier::CloseBeforeErase) {
            self.erase_sources()?;
        }
        loop {
            while let Some(block) = self.failing.first().copied() {
                if !self.empty_in_mount(block)? {
                    break;
                }
            }
            if self.logs.is_some() || self.open[MOVED].block == NONE {
                break;
            }
            // What was moved counts from here on.
            self.close(MOVED)?;
        }
        self.erase_sources()
    }

    /// Frees what was emptied, and erases what was torn.
    fn erase_sources(&mut self) -> Result<(), FtlError<M::Error>> {
        let Some(mount) = &mut self.mount else {
            return Ok(());
        };
        let held = std::mem::take(&mut mount.held);
        let torn = std::mem::take(&mut mount.torn);
        for block in held {
            self.space.release(block);
        }
        for block in torn {
            if self.space.block(block).state == BlockState::Free {
                self.erase_torn(block)?;
            }
        }
        Ok(())
    }

    /// Sees to it that the layer can clean by itself: trimmed pages that are found again can have taken free blocks.
    fn make_room(&mut self) -> Result<(), FtlError<M::Error>> {
        let few = |layer: &Self| {
            let held = layer.mount.as_ref().map_or(0, |mount| mount.held.len());
            layer.logs.is_none() && layer.space.free_blocks() + (held as u32) < RESERVE
        };
        while few(self)
            && let Some(victim) = self.victim()
        {
            if !self.empty_in_mount(victim.block)? {
                break;
            }
        }
        Ok(())
    }

    /// Moves every live page out of a block. Where no block is left to move them to, they stay, and the block is
    /// emptied when there is one; whether it is empty.
    fn empty_in_mount(&mut self, block: u32) -> Result<bool, FtlError<M::Error>> {
        self.job = Some(CleaningJob::new(LayerPurpose::Recovery, block));
        while let Some(job) = self.job {
            match self.run(job) {
                Ok(_) => {}
                Err(FtlError::Full { .. }) => {
                    self.job = None;
                    self.set_merging(None);
                    self.leave(block);
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// A block stays as it is: to be cleaned some day where pages may be anywhere, and to be retired otherwise.
    fn leave(&mut self, block: u32) {
        let live = self.space.block(block).live;
        match (self.space.block(block).state, &self.logs) {
            (BlockState::Failing, _) => {}
            (_, None) => self.space.closed.add(block, live),
            (_, Some(_)) => {
                self.space.block_mut(block).state = BlockState::Failing;
                self.failing.push(block);
            }
        }
    }

    /// Erases a block, so that no later mount finds a torn page in it that reads well by then.
    fn erase_torn(&mut self, block: u32) -> Result<(), FtlError<M::Error>> {
        self.space.take(block);
        self.media.purpose(LayerPurpose::Recovery);
        match self.media.erase(block, CellMode::Native) {
            Ok(()) => {
                self.work.erased += 1;
                self.space.erased(block, self.media.erase_ps());
                self.space.release(block);
                Ok(())
            }
            Err(MediaFault::Device(error)) => Err(FtlError::Device(error)),
            Err(_) => self.retire(block),
        }
    }
}

/// Whether an interrupted program can have harmed a page: it is the last one of an open block, or its cells were
/// to take another page then.
fn is_risky<M: Media>(media: &M, block: &ScannedBlock, index: u32) -> bool {
    let ScanResult::Torn(records) = &block.found else {
        return false;
    };
    let last = records.iter().rposition(Option::is_some).unwrap_or(0) as u32;
    let safe_after = match block.mode {
        CellMode::Native => media.safe_after(index),
        CellMode::Slc => None,
    };
    safe_after.map_or(index, |later| later.max(index)) >= last
}
