//! What a range of a NOR flash holds, and the cycles that it has seen.

use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;

use super::Nor;
use crate::chip::cycles_since;
use crate::content::{BlockContent, PageContent};
use crate::error::NvmError;

impl Nor {
    /// What a range holds at an instant, without time and energy: the bits that have gone wrong as they are.
    ///
    /// # Errors
    /// When the range leaves the array.
    pub fn peek(&self, instant: Time, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.spec.capacity)?;
        self.array.read(at, out);
        self.turn_wrong(at, out, instant);
        Ok(())
    }

    /// What a range holds, page by page. `at` begins a page, and `bytes` are whole pages.
    ///
    /// # Errors
    /// When the range leaves the array.
    pub fn content(&self, at: u64, bytes: u64) -> Result<BlockContent, NvmError> {
        OutOfRange::check(at, bytes, self.spec.capacity)?;
        let page_bytes = self.spec.geometry.page_bytes as usize;
        let mut content = BlockContent {
            charges: self.charges(at, bytes),
            ..BlockContent::default()
        };
        for (number, at) in (at..at + bytes).step_by(page_bytes).enumerate() {
            if let Some(page) = self.page_content(at)? {
                content.pages.insert(number as u32, page);
            }
        }
        Ok(content)
    }

    /// What a page holds that begins at `at`; `None` where it is erased.
    ///
    /// # Errors
    /// When the page leaves the array.
    pub fn page_content(&self, at: u64) -> Result<Option<PageContent>, NvmError> {
        let page_bytes = self.spec.geometry.page_bytes as usize;
        OutOfRange::check(at, page_bytes as u64, self.spec.capacity)?;
        let units = self.array.programmed_granules(at, page_bytes);
        if units == 0 && self.array.is_erased(at, page_bytes) {
            return Ok(None);
        }
        let mut bytes = vec![0; page_bytes];
        self.array.read(at, &mut bytes);
        Ok(Some(PageContent {
            bytes,
            programs: 1,
            units,
            wrong: Vec::new(),
            given_up: false,
        }))
    }

    /// Lets a page that begins at `at` hold what another one held, or be erased, as [`set_content`](Self::set_content) does.
    ///
    /// # Errors
    /// When the page leaves the array, or the content does not fit it.
    pub fn set_page_content(
        &mut self,
        at: u64,
        content: Option<&PageContent>,
    ) -> Result<(), NvmError> {
        let page_bytes = u64::from(self.spec.geometry.page_bytes);
        OutOfRange::check(at, page_bytes, self.spec.capacity)?;
        let Some(content) = content else {
            self.array.erase(at, page_bytes);
            return Ok(());
        };
        content.check(&self.spec.geometry)?;
        let bytes = content.cells();
        self.array.preload(at, &bytes);
        self.array
            .set_programmed_granules(at, bytes.len(), content.units);
        Ok(())
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
        self.forget_charges(at, bytes);
        self.set_charges(at, bytes, &content.charges);
        for (page, content) in &content.pages {
            self.set_page_content(at + u64::from(*page) * page_bytes, Some(content))?;
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
        let charges = self.charges(at, bytes);
        self.array.set_erases(at, bytes, erases);
        self.forget_wear(at, bytes);
        self.set_charges(at, bytes, &charges);
        Ok(())
    }
}
