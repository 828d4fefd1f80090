//! Pages that lost more bits than their ECC corrects.

use wordline_memory::Flash;

use super::{PacedLayer, Result};
use crate::pages::Found;
use crate::record::{PacedRecord, PageUse};
use crate::tables::LOST_PAGE;

/// What a page of the head is that is not whole.
pub(super) enum NotWhole {
    /// The head was programmed no further: the page is torn or blank.
    End,
    /// It decayed, and its record can be read yet.
    Decayed(PacedRecord),
    /// It decayed, and nothing is known of it.
    Unknown,
}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// What a page of the head is that is not whole. A power cut tears the last page that was programmed: one behind which
    /// another is whole has decayed.
    pub(super) fn not_whole(&mut self, place: u32) -> Result<NotWhole, F::Error> {
        let mut ends = true;
        for later in place + 1..self.shape().data_pages {
            let page = self.shape().data_page(self.head, later);
            let found = self.pages.read(page, self.tables.image())?;
            if matches!(found, Found::Whole { record, .. } if record.sequence == self.sequence) {
                ends = false;
                break;
            }
        }
        if ends {
            return Ok(NotWhole::End);
        }
        let page = self.shape().data_page(self.head, place);
        let main = self.shape().geometry.page_bytes as usize;
        let spare = &mut self.tables.image()[main..];
        let record = self.pages.peek(page, spare)?;
        let fits = |record: &PacedRecord| {
            record.sequence == self.sequence
                && (record.page_use == PageUse::Header || self.is_known(record))
        };
        Ok(record
            .filter(fits)
            .map_or(NotWhole::Unknown, NotWhole::Decayed))
    }

    /// Whether a page is that of a logical page without a change, as far as the stored map says.
    pub(super) fn is_named(&mut self, page: u32, logical: u32) -> Result<bool, F::Error> {
        let named = self.find_stored(logical)?;
        Ok(named == page || named == LOST_PAGE)
    }
}
