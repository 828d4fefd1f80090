//! A look at what the cells hold, and a hand in it, in no simulated time.

use wordline_nvm::{Memory, NvmError, PageContent};

use super::cells::{Cells, no_bytes, place};
use super::fault::MemoryFault;

impl Cells {
    /// What a page should hold, spare area included, whatever has gone wrong in it since.
    pub(super) fn intended(&mut self, page: u32) -> Result<Vec<u8>, MemoryFault> {
        let flash = self.flash()?;
        let content = flash.page_content(page)?;
        let erased = || PageContent::erased(&flash.geometry());
        Ok(content.unwrap_or_else(erased).bytes)
    }

    /// What the cells of a page hold: without an ECC, and of a block that a power cut left in doubt one reading.
    pub(super) fn peek_page(
        &mut self,
        page: u32,
        column: u32,
        out: &mut [u8],
    ) -> Result<(), MemoryFault> {
        let flash = self.flash()?;
        flash.peek(page, column, out)?;
        let (block, within) = place(flash.geometry(), page);
        if let Some(image) = self.torn.get(&block) {
            let bytes = image.content().page_bytes(within);
            out.copy_from_slice(&bytes[column as usize..column as usize + out.len()]);
        }
        Ok(())
    }

    /// The same of bytes that can be overwritten.
    pub(super) fn peek_bytes(&self, at: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        match &self.memory {
            Memory::Bytes(device) => Ok(device.peek(at, out)?),
            Memory::Flash(_) => Err(no_bytes()),
        }
    }

    /// What a range of main areas holds. It was checked.
    pub(super) fn peek(&mut self, mut at: u64, mut out: &mut [u8]) -> Result<(), MemoryFault> {
        if matches!(self.memory, Memory::Bytes(_)) {
            return self.peek_bytes(at, out);
        }
        let page_bytes = u64::from(self.flash()?.geometry().page_bytes);
        while !out.is_empty() {
            let length = out.len().min((page_bytes - at % page_bytes) as usize);
            let (part, behind) = out.split_at_mut(length);
            self.peek_page((at / page_bytes) as u32, (at % page_bytes) as u32, part)?;
            (at, out) = (at + length as u64, behind);
        }
        Ok(())
    }

    /// Lets the cells of a page hold bytes, whatever they held. A page that holds anything but 0xFF then counts as
    /// programmed.
    pub(super) fn poke_page(
        &mut self,
        page: u32,
        column: u32,
        data: &[u8],
    ) -> Result<(), MemoryFault> {
        let flash = self.flash()?;
        let geometry = flash.geometry();
        geometry
            .check_read(page, column, data.len() as u64)
            .map_err(NvmError::from)?;
        if data.is_empty() {
            return Ok(());
        }
        // What has leaked from the other cells stays so, and what is poked is new.
        flash.renew_charge(page)?;
        let content = flash.page_content(page)?;
        let mut held = content.unwrap_or_else(|| PageContent::erased(&geometry));
        let end = column + data.len() as u32;
        held.bytes[column as usize..end as usize].copy_from_slice(data);
        held.wrong.retain(|bit| !(column..end).contains(&(bit / 8)));
        held.given_up = false;
        let is_erased = |page: &[u8]| page.iter().all(|byte| *byte == 0xFF);
        let is_free = is_erased(&held.bytes) && held.wrong.is_empty();
        if !is_free {
            held.programs = held.programs.max(1);
            if !is_erased(data) {
                let units = geometry.once_units(column, data.len() as u32);
                let bits = units.into_iter().flatten();
                held.units |= bits.fold(0, |all, unit| all | 1 << unit.min(63));
            }
        }
        flash.set_page_content(page, (!is_free).then_some(&held))?;
        let block = geometry.block_of(page);
        // One reading of what a power cut left in doubt is what the block holds now.
        self.torn.remove(&block);
        Ok(())
    }

    /// The same of a range of main areas, or of bytes that can be overwritten. It was checked.
    pub(super) fn poke(&mut self, mut at: u64, mut data: &[u8]) -> Result<(), MemoryFault> {
        if let Memory::Bytes(device) = &mut self.memory {
            return Ok(device.preload(at, data)?);
        }
        let page_bytes = u64::from(self.flash()?.geometry().page_bytes);
        while !data.is_empty() {
            let length = data.len().min((page_bytes - at % page_bytes) as usize);
            let (part, behind) = data.split_at(length);
            self.poke_page((at / page_bytes) as u32, (at % page_bytes) as u32, part)?;
            (at, data) = (at + length as u64, behind);
        }
        Ok(())
    }
}
