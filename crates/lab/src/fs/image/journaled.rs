//! Memories that note each change in a journal before they make it.

use std::sync::{Arc, Mutex, PoisonError};

use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, Ecc, EraseMode, Flash, Geometry};
use wordline_nvm::bus::Action;
use wordline_nvm::{
    BlockContent, Device, ErasePhase, FlashControl, FlashMemory, InFront, NvmError, PageContent,
    StartedErase, WriteTotals,
};

use super::change::MemoryChange;
use super::journal::Journal;

/// Takes note of a change. A journal whose writer panicked is as a kill leaves it, which a replay expects.
fn note(journal: &Mutex<Journal>, change: MemoryChange<'_>) {
    let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
    journal.note(change);
}

/// A flash memory with a journal. A fork of it has none.
pub(super) struct JournaledFlash {
    flash: Box<dyn FlashMemory>,
    journal: Arc<Mutex<Journal>>,
}

impl JournaledFlash {
    pub(super) fn new(flash: Box<dyn FlashMemory>, journal: Arc<Mutex<Journal>>) -> Self {
        Self { flash, journal }
    }
}

impl InFront for JournaledFlash {
    type Behind = dyn FlashMemory;

    fn behind(&self) -> &(dyn FlashMemory + 'static) {
        self.flash.as_ref()
    }
}

impl Flash for JournaledFlash {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.flash.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        note(&self.journal, MemoryChange::Program { page, column, data });
        self.flash.program(page, column, data)
    }

    fn can_move(&self, from: u32, to: u32) -> bool {
        self.flash.can_move(from, to)
    }

    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, NvmError> {
        let change = MemoryChange::Move {
            from,
            to,
            column,
            data,
        };
        note(&self.journal, change);
        self.flash.move_page(from, to, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        note(&self.journal, MemoryChange::Erase { block });
        self.flash.erase(block)
    }

    fn erase_mode(&self) -> EraseMode {
        self.flash.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        note(&self.journal, MemoryChange::BeginErase { block });
        self.flash.begin_erase(block)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        note(&self.journal, MemoryChange::AdvanceErase { parts, of });
        self.flash.advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        note(&self.journal, MemoryChange::MarkBad { block });
        self.flash.mark_bad(block)
    }
}

/// File systems erase blocks and wait for them: what a driver does beside that is refused.
impl FlashControl for JournaledFlash {
    fn start_erase(&mut self, _at: u64, _bytes: u64) -> Result<(), NvmError> {
        Err(NvmError::Unsupported(Action::Erase))
    }

    fn started_erase(&self) -> Option<StartedErase> {
        None
    }

    fn erase_phase(&self) -> Option<ErasePhase> {
        None
    }

    fn finish_erase(&mut self) -> Result<(), NvmError> {
        Ok(())
    }

    fn drop_erase(&mut self) {}

    fn peek(&self, page: u32, column: u32, out: &mut [u8]) -> Result<(), NvmError> {
        self.flash.peek(page, column, out)
    }
}

impl FlashMemory for JournaledFlash {
    fn load(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.flash.load(page, column, data)
    }

    fn read_through(&mut self, at: u64, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.flash.read_through(at, out)
    }

    fn cycles(&self, block: u32) -> Result<u64, NvmError> {
        self.flash.cycles(block)
    }

    fn set_cycles(&mut self, block: u32, cycles: u64) -> Result<(), NvmError> {
        self.flash.set_cycles(block, cycles)
    }

    fn content(&self, block: u32) -> Result<BlockContent, NvmError> {
        self.flash.content(block)
    }

    fn set_content(&mut self, block: u32, content: &BlockContent) -> Result<(), NvmError> {
        self.flash.set_content(block, content)
    }

    fn page_content(&self, page: u32) -> Result<Option<PageContent>, NvmError> {
        self.flash.page_content(page)
    }

    fn set_page_content(
        &mut self,
        page: u32,
        content: Option<&PageContent>,
    ) -> Result<(), NvmError> {
        self.flash.set_page_content(page, content)
    }

    fn fork_memory(&self) -> Box<dyn FlashMemory> {
        self.flash.fork_memory()
    }
}

/// A byte-addressable memory with a journal. A fork of it has none.
pub(super) struct JournaledDevice {
    device: Box<dyn Device>,
    journal: Arc<Mutex<Journal>>,
}

impl JournaledDevice {
    pub(super) fn new(device: Box<dyn Device>, journal: Arc<Mutex<Journal>>) -> Self {
        Self { device, journal }
    }
}

impl InFront for JournaledDevice {
    type Behind = dyn Device;

    fn behind(&self) -> &(dyn Device + 'static) {
        self.device.as_ref()
    }
}

impl ByteMemory for JournaledDevice {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.device.len()
    }

    fn atom(&self) -> usize {
        self.device.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.device.read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        note(&self.journal, MemoryChange::Write { at, data });
        self.device.write(at, data)
    }

    fn is_mapped(&self) -> bool {
        self.device.is_mapped()
    }

    fn load(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.device.load(at, out)
    }

    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        note(&self.journal, MemoryChange::Store { at, data });
        self.device.store(at, data)
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        note(&self.journal, MemoryChange::Persist);
        self.device.persist()
    }
}

// Words and reliable writes, which file systems do not ask for, come as plain writes, and are noted as such.
impl Device for JournaledDevice {
    fn overwrite_bytes(&self) -> u64 {
        self.device.overwrite_bytes()
    }

    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.device.write_bound(at, bytes)
    }

    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.device.read_bound(at, bytes)
    }

    fn persist_bound(&self) -> Result<Time, NvmError> {
        self.device.persist_bound()
    }

    fn write_totals(&self, bytes: u64) -> Result<Option<WriteTotals>, NvmError> {
        self.device.write_totals(bytes)
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.device.preload(at, data)
    }

    fn volatile_bytes(&self) -> u64 {
        self.device.volatile_bytes()
    }

    fn keeps_content(&self) -> bool {
        self.device.keeps_content()
    }

    fn cycles_at(&self, at: u64) -> Option<u64> {
        self.device.cycles_at(at)
    }

    fn set_cycles_at(&mut self, at: u64, cycles: u64) -> Result<(), NvmError> {
        self.device.set_cycles_at(at, cycles)
    }

    fn fork_device(&self) -> Box<dyn Device> {
        self.device.fork_device()
    }
}
