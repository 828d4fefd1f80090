//! A serial NAND on a board.

use wordline_core::draw::hash_name;
use wordline_core::quantity::Time;
use wordline_memory::{Ecc, Flash, Geometry, OutOfRange};

use super::{Conditions, Named, Sheet, Wired};
use crate::board::Board;
use crate::bus::serial::Action;
use crate::chip::nand::{Nand, NandSheet, Verdict};
use crate::cost::Cause;
use crate::device::{FlashDevice, FlashWork};
use crate::error::{Misuse, NvmError};

impl Sheet for NandSheet {
    type Chip = Nand;

    /// Connects a NAND to a board and waits for power-up. The driver is taken to know the bad blocks,
    /// as from a table that it keeps.
    fn connect(
        part: Named<'_, Self>,
        board: Named<'_, Board>,
        conditions: Conditions,
    ) -> Result<Wired<Nand>, NvmError> {
        let link = part.sheet.link(board.sheet)?;
        let key = conditions.seed ^ hash_name(part.id);
        let wired = Wired::join(part.id, link, board, conditions, |link, resolver| {
            Nand::new(part.sheet, link, resolver, conditions.age, key)
        });
        wired.clock.advance_to(wired.chip.busy_until());
        Ok(wired)
    }
}

/// A page of a stream: its number, the first column, and the range of the caller's bytes.
struct Piece {
    page: u32,
    column: u32,
    range: std::ops::Range<usize>,
}

impl Wired<Nand> {
    /// The chip, to damage it: [`set_faults`](Nand::set_faults), [`flip_bit`](Nand::flip_bit),
    /// [`fail_block`](Nand::fail_block).
    #[must_use]
    pub const fn chip_mut(&mut self) -> &mut Nand {
        &mut self.chip
    }

    /// Whether [`read_stream`](FlashDevice::read_stream) uses the chip's cache read, which it does
    /// not at first.
    ///
    /// # Errors
    /// When the chip has no cache read that the board drives.
    pub fn set_cache_read(&mut self, on: bool) -> Result<(), NvmError> {
        if on && !self.chip.has_cache_read() {
            return Err(Misuse::NoCacheRead.into());
        }
        self.chip.set_cache_read(on);
        Ok(())
    }

    /// Fetches a page into the chip's register and waits for it.
    fn fetch(&mut self, page: u32) -> Result<(), NvmError> {
        self.command(Action::PageRead, |chip, start, bus| {
            chip.page_read(start, bus, page)
        })?;
        self.wait(self.chip.busy_until(), Cause::ArrayRead)
    }

    /// Reads from the chip's register, unless the status says that its page is lost.
    fn collect(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let Verdict::Good(ecc) = self.chip.verdict() else {
            return Err(NvmError::Uncorrectable { page });
        };
        self.read_register(column, out)?;
        Ok(ecc)
    }

    fn read_register(&mut self, column: u32, out: &mut [u8]) -> Result<(), NvmError> {
        self.transfer(Action::Read, out.len() as u64, |chip, start, bus| {
            chip.read_register(start, bus, column, out)
        })
    }

    /// Reads pieces with one array read after the other.
    fn read_pages(&mut self, pieces: &[Piece], out: &mut [u8]) -> Result<(), NvmError> {
        for piece in pieces {
            self.fetch(piece.page)?;
            self.collect(piece.page, piece.column, &mut out[piece.range.clone()])?;
        }
        Ok(())
    }

    /// Reads pieces so that each array read but the first runs while the piece before is moved.
    fn read_pipelined(&mut self, pieces: &[Piece], out: &mut [u8]) -> Result<(), NvmError> {
        let Some(first) = pieces.first() else {
            return Ok(());
        };
        self.fetch(first.page)?;
        for (index, piece) in pieces.iter().enumerate() {
            match pieces.get(index + 1) {
                Some(next) => self.command(Action::PageReadCache, |chip, start, bus| {
                    chip.page_read_cache(start, bus, next.page)
                })?,
                None => self.command(Action::PageReadLast, Nand::page_read_last)?,
            }
            self.wait(self.chip.busy_until(), Cause::ArrayRead)?;
            let out = &mut out[piece.range.clone()];
            if let Err(error) = self.collect(piece.page, piece.column, out) {
                // The array goes on behind the failed page; the next command waits for it.
                self.wait(self.chip.array_until(), Cause::ArrayRead)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Splits a range of the main areas at pages.
    fn pieces(&self, at: u64, bytes: usize) -> Vec<Piece> {
        let page_bytes = u64::from(self.chip.geometry().page_bytes);
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < bytes {
            let address = at + done as u64;
            let column = address % page_bytes;
            let length = ((page_bytes - column) as usize).min(bytes - done);
            pieces.push(Piece {
                page: (address / page_bytes) as u32,
                column: column as u32,
                range: done..done + length,
            });
            done += length;
        }
        pieces
    }

    fn check_good(&self, block: u32) -> Result<(), NvmError> {
        if self.chip.is_marked(block) {
            Err(NvmError::BadBlock { block })
        } else {
            Ok(())
        }
    }

    fn enable(&mut self) -> Result<(), NvmError> {
        self.command(Action::WriteEnable, Nand::write_enable)
    }

    /// Begins an access, and in it a program, unless there are no bytes.
    fn issue_program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let geometry = self.chip.geometry();
        geometry.check_program(page, column, data.len() as u64)?;
        self.check_good(geometry.block_of(page))?;
        if !data.is_empty() {
            self.chip.check_program(page, column, data)?;
        }
        self.begin();
        if data.is_empty() {
            return Ok(());
        }
        self.enable()?;
        self.load(column, data)?;
        self.command(Action::Execute, |chip, start, bus| {
            chip.execute(start, bus, page)
        })
    }

    fn await_program(&mut self, page: u32) -> Result<(), NvmError> {
        self.wait(self.chip.busy_until(), Cause::Program)?;
        if self.chip.failed() {
            return Err(NvmError::ProgramFailed { page });
        }
        Ok(())
    }

    /// Begins an access, and in it an erase.
    fn issue_erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.chip.geometry().check_block(block)?;
        self.check_good(block)?;
        self.begin();
        self.enable()?;
        self.command(Action::Erase, |chip, start, bus| {
            chip.erase(start, bus, block)
        })
    }

    fn await_erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.wait(self.chip.busy_until(), Cause::Erase)?;
        if self.chip.failed() {
            return Err(NvmError::EraseFailed { block });
        }
        Ok(())
    }

    fn load(&mut self, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.transfer(Action::Write, data.len() as u64, |chip, start, bus| {
            chip.load(start, bus, column, data)
        })
    }
}

impl Flash for Wired<Nand> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.chip.geometry()
    }

    /// Page read, wait, read from the register. The verdict is that of the whole page, which is what
    /// the chip's status tells.
    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let geometry = self.chip.geometry();
        geometry.check_read(page, column, out.len() as u64)?;
        self.begin();
        if out.is_empty() {
            return Ok(Ecc::Clean);
        }
        self.fetch(page)?;
        self.collect(page, column, out)
    }

    /// Write enable, load, execute, wait. Refused programs put nothing on the bus.
    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.issue_program(page, column, data)?;
        if data.is_empty() {
            return Ok(());
        }
        self.await_program(page)
    }

    /// Write enable, erase, wait.
    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.issue_erase(block)?;
        self.await_erase(block)
    }

    /// Reads the mark, which lies in the first spare byte of the block's page 0, whatever the ECC
    /// says of the page.
    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        let geometry = self.chip.geometry();
        geometry.check_block(block)?;
        self.begin();
        self.fetch(block * geometry.pages_per_block)?;
        let mut mark = [0];
        self.read_register(self.chip.mark_column(), &mut mark)?;
        Ok(mark != [0xff])
    }

    /// Programs the mark, out of order and beyond the number of programs if need be: the block's
    /// content is given up.
    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.chip.geometry().check_block(block)?;
        self.begin();
        if self.chip.is_marked(block) {
            return Ok(());
        }
        self.enable()?;
        self.load(self.chip.mark_column(), &[0])?;
        self.command(Action::Execute, |chip, start, bus| {
            chip.execute_mark(start, bus, block)
        })?;
        self.wait(self.chip.busy_until(), Cause::Program)
    }
}

impl FlashDevice for Wired<Nand> {
    /// Page by page, or pipelined where that is [set](Wired::set_cache_read) and the range covers
    /// more than one page.
    fn read_stream(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let capacity = self.chip.geometry().capacity_bytes();
        OutOfRange::check(at, out.len() as u64, capacity)?;
        self.begin();
        let pieces = self.pieces(at, out.len());
        if self.chip.uses_cache_read() && pieces.len() > 1 {
            self.read_pipelined(&pieces, out)
        } else {
            self.read_pages(&pieces, out)
        }
    }

    fn preload_page(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.chip.preload(page, column, data)
    }

    fn use_cache_read(&mut self) -> bool {
        self.set_cache_read(true).is_ok()
    }

    fn begin_work(&mut self, work: FlashWork, data: &[u8]) -> Result<(), NvmError> {
        match work {
            FlashWork::Program { page } => self.issue_program(page, 0, data),
            FlashWork::Erase { block } => self.issue_erase(block),
        }
    }

    fn await_work(&mut self, work: FlashWork) -> Result<(), NvmError> {
        self.begin();
        match work {
            FlashWork::Program { page } => self.await_program(page),
            FlashWork::Erase { block } => self.await_erase(block),
        }
    }

    fn busy_until(&self) -> Time {
        self.chip.busy_until()
    }

    fn fork_flash(&self) -> Self {
        self.fork()
    }
}

#[cfg(test)]
#[path = "nand_tests.rs"]
mod tests;
