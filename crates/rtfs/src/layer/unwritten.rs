//! Logical pages that hold nothing.

use wordline_memory::Flash;

use super::{PacedLayer, Result};
use crate::tables::{NO_PAGE, get_number};

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// Logical pages that hold nothing, as mounts and groups count them.
    pub(crate) fn unwritten(&self) -> u32 {
        let numbers = 0..self.shape().map_pages;
        numbers.map(|number| self.tables.unwritten(number)).sum()
    }

    /// A logical page's page of the map.
    pub(crate) fn map_of(&self, logical: u32) -> u32 {
        self.shape().map_place(logical).0
    }

    /// Where the log ends: no later page is there again.
    pub(crate) fn log_end(&self) -> u64 {
        u64::from(self.sequence) << 16 | u64::from(self.used)
    }

    /// Finds logical pages that hold nothing and are none of `but`, and returns how many: as many as `out` takes where
    /// there are so many. It begins with the page of the map that it `hints` at, and leaves there the last one it looked at.
    pub(crate) fn find_unwritten(
        &mut self,
        hint: &mut u32,
        but: &[u32],
        out: &mut [u32],
    ) -> Result<usize, F::Error> {
        let shape = *self.shape();
        let mut found = 0;
        for step in 0..shape.map_pages {
            if found == out.len() {
                break;
            }
            let number = (*hint + u32::from(step > 0)) % shape.map_pages;
            *hint = number;
            if self.tables.unwritten(number) == 0 {
                continue;
            }
            let map_page = self.tables.map_page(number);
            self.load_map(map_page, number)?;
            for place in 0..shape.logical_pages_of(number) {
                let logical = number * shape.map_entries + place;
                let at = place as usize * shape.width;
                if found == out.len() {
                    break;
                }
                let is_free = get_number(&self.tables.main()[at..at + shape.width]) == NO_PAGE
                    && self.tables.change_of(logical).is_none()
                    && !but.contains(&logical);
                if is_free {
                    out[found] = logical;
                    found += 1;
                }
            }
        }
        Ok(found)
    }
}
