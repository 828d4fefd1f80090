//! Logical pages that are found and read.

use core::ops::Range;

use wordline_memory::{Ecc, Flash, FlashError, FlashErrorKind};

use super::{PacedLayer, Result};
use crate::error::PacedError;
use crate::pages::Found;
use crate::record::PageUse;
use crate::tables::{LOST_PAGE, NO_PAGE, get_number};

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// Reads a logical page, and says whether it was ever written: if not, `out` is filled with zeros.
    ///
    /// # Errors
    /// [`PacedError::OutOfRange`], [`PacedError::Lost`], or the flash fails.
    pub fn read(&mut self, logical: u32, out: &mut [u8]) -> Result<bool, F::Error> {
        self.check_length(logical, out.len())?;
        self.read_part(logical, 0, out)
    }

    /// Reads a part of a logical page, from a byte of it on, as [`read`](Self::read) does the whole.
    ///
    /// # Errors
    /// As there.
    pub fn read_part(
        &mut self,
        logical: u32,
        first: usize,
        out: &mut [u8],
    ) -> Result<bool, F::Error> {
        let part = self.check_part(logical, first, out.len())?;
        let written = self.load(logical)?.is_some();
        out.copy_from_slice(&self.loaded()[part]);
        Ok(written)
    }

    /// Puts a logical page into the image, and returns its note; `None` where it was never written, and the image is
    /// filled with zeros.
    pub(crate) fn load(&mut self, logical: u32) -> Result<Option<u16>, F::Error> {
        self.check(logical)?;
        let Some(page) = self.find(logical)? else {
            self.tables.main().fill(0);
            return Ok(None);
        };
        let found = match self.tables.held(page) {
            Some(record) => Found::Whole {
                record,
                refresh: false,
            },
            None => self.pages.read(page, self.tables.image())?,
        };
        match found {
            Found::Whole { record, refresh }
                if record.page_use == PageUse::Data && record.logical == logical =>
            {
                self.tables.set_held(page, record);
                if refresh {
                    self.advised = Some(self.shape().geometry.block_of(page));
                }
                Ok(Some(record.part))
            }
            _ => Err(PacedError::Lost { logical }),
        }
    }

    /// The main area that [`load`](Self::load) put into the image.
    pub(crate) fn loaded(&self) -> &[u8] {
        self.tables.held_main()
    }

    pub(super) fn check_length(&self, logical: u32, bytes: usize) -> Result<(), F::Error> {
        if bytes == self.page_bytes() as usize {
            return Ok(());
        }
        Err(PacedError::OutOfRange { logical })
    }

    pub(super) fn check_part(
        &self,
        logical: u32,
        first: usize,
        bytes: usize,
    ) -> Result<Range<usize>, F::Error> {
        match first.checked_add(bytes) {
            Some(end) if end <= self.page_bytes() as usize => Ok(first..end),
            _ => Err(PacedError::OutOfRange { logical }),
        }
    }

    /// The page that holds a logical page.
    pub(super) fn find(&mut self, logical: u32) -> Result<Option<u32>, F::Error> {
        let page = match self.tables.change_of(logical) {
            Some((_, change)) if change.discarded => NO_PAGE,
            Some((_, change)) => change.page,
            None => self.find_stored(logical)?,
        };
        if page == LOST_PAGE {
            return Err(PacedError::Lost { logical });
        }
        Ok((page != NO_PAGE).then_some(page))
    }

    /// The page that the stored map names for a logical page; [`LOST_PAGE`] where it is not known any more.
    pub(super) fn find_stored(&mut self, logical: u32) -> Result<u32, F::Error> {
        let (number, place) = self.shape().map_place(logical);
        let map_page = self.tables.map_page(number);
        if map_page == NO_PAGE {
            return Ok(NO_PAGE);
        }
        let width = self.shape().width;
        let mut entry = [0; 4];
        let column = place * width as u32;
        match self.pages.flash.read(map_page, column, &mut entry[..width]) {
            Ok(ecc) => {
                if matches!(ecc, Ecc::Corrected { refresh: true, .. }) {
                    self.advised = Some(self.shape().geometry.block_of(map_page));
                }
                Ok(get_number(&entry[..width]))
            }
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => Ok(LOST_PAGE),
            Err(error) => Err(PacedError::Flash(error)),
        }
    }
}
