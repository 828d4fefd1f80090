//! What a page read moves from the array into a register.

use std::sync::Arc;

use wordline_core::quantity::Time;
use wordline_memory::Ecc;

use super::ecc::EccVerdict;
use super::{Nand, Register};

impl Nand {
    /// Fetches a page into the cache register of its plane, until `end`.
    #[inline(always)]
    pub(super) fn fetch_to_cache(&mut self, page: u32, end: Time) {
        let plane = self.plane_of(page) as usize;
        match (self.intact(page), &mut self.cache[plane]) {
            // Member by member: a register that is made and then moved is read at another width than it was written,
            // for which the host's processor waits.
            (Some(bytes), Some(register)) => {
                register.bytes = bytes;
                register.verdict = EccVerdict::Good(Ecc::Clean);
                register.loaded = 0..self.spec.geometry.columns() as u32;
            }
            _ => self.cache[plane] = Some(self.fetch(page, end)),
        }
    }

    /// What a page holds, of a chip that does not age, where nothing went wrong in it.
    #[inline(always)]
    fn intact(&self, page: u32) -> Option<Arc<[u8]>> {
        if self.ageing.is_some() {
            return None;
        }
        let (block, index) = self.place(page);
        let erased = &self.spec.erased;
        match self.blocks.get(block) {
            Some(block) => block.intact(index, erased).cloned(),
            None => Some(Arc::clone(erased)),
        }
    }

    /// Fetches a page, until `end`.
    pub(super) fn fetch(&mut self, page: u32, end: Time) -> Register {
        let disturbed = self.disturbed(page, end);
        let erased = &self.spec.erased;
        let (block, index) = self.place(page);
        let code = self.read_code();
        let (bytes, verdict) = match self.blocks.get(block) {
            Some(block) => block.fetch(index, erased, code, &disturbed, self.rules),
            None => (Arc::clone(erased), EccVerdict::Good(Ecc::Clean)),
        };
        Register {
            bytes,
            verdict,
            loaded: 0..self.spec.geometry.columns() as u32,
        }
    }
}
