//! What a range of a NOR flash holds, and the cycles that it has seen.

use wordline_memory::OutOfRange;

use super::Nor;
use crate::chip::cycles_since;
use crate::content::{BlockContent, PageContent};
use crate::error::NvmError;

impl Nor {
    /// What a range holds, without time and energy.
    ///
    /// # Errors
    /// When the range leaves the array.
    pub fn peek(&self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.spec.capacity)?;
        self.array.read(at, out);
        Ok(())
    }

    /// What a range holds, page by page. `at` begins a page, and `bytes` are whole pages.
    ///
    /// # Errors
    /// When the range leaves the array.
    pub fn content(&self, at: u64, bytes: u64) -> Result<BlockContent, NvmError> {
        OutOfRange::check(at, bytes, self.spec.capacity)?;
        let page_bytes = self.spec.geometry.page_bytes as usize;
        let mut content = BlockContent::default();
        for (number, at) in (at..at + bytes).step_by(page_bytes).enumerate() {
            let units = self.array.programmed_granules(at, page_bytes);
            if units == 0 && self.array.is_erased(at, page_bytes) {
                continue;
            }
            let mut bytes = vec![0; page_bytes];
            self.array.read(at, &mut bytes);
            let page = PageContent {
                bytes,
                programs: 1,
                units,
                wrong: Vec::new(),
                given_up: false,
            };
            content.pages.insert(number as u32, page);
        }
        Ok(content)
    }

    /// Lets a range hold what another one held, without time, energy or wear. Bits that are wrong are stored wrong.
    ///
    /// # Errors
    /// When the range leaves the array, or the content does not fit it.
    pub fn set_content(
        &mut self,
        at: u64,
        bytes: u64,
        content: &BlockContent,
    ) -> Result<(), NvmError> {
        OutOfRange::check(at, bytes, self.spec.capacity)?;
        let mut geometry = self.spec.geometry;
        let page_bytes = u64::from(geometry.page_bytes);
        geometry.pages_per_block = (bytes / page_bytes) as u32;
        content.check(&geometry)?;
        self.array.erase(at, bytes);
        for (page, content) in &content.pages {
            let at = at + u64::from(*page) * page_bytes;
            let mut bytes = content.bytes.clone();
            for bit in &content.wrong {
                bytes[*bit as usize / 8] ^= 1 << (bit % 8);
            }
            self.array.preload(at, &bytes);
            self.array
                .set_programmed_granules(at, bytes.len(), content.units);
        }
        Ok(())
    }

    /// Lets the sectors of a range have seen so many erases, the chip's age included. The range consists of whole
    /// sectors.
    ///
    /// # Errors
    /// When the range leaves the array, the chip's age alone is more, or they exceed 2^62.
    pub fn set_cycles(&mut self, at: u64, bytes: u64, cycles: u64) -> Result<(), NvmError> {
        OutOfRange::check(at, bytes, self.spec.capacity)?;
        let erases = cycles_since(cycles, self.cycles_before)?;
        self.array.set_erases(at, bytes, erases);
        self.forget_wear(at, bytes);
        Ok(())
    }
}
