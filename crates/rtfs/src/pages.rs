//! Pages with their records on any NAND behind the contract [`Flash`].

use wordline_memory::{Ecc, Flash, FlashError, FlashErrorKind, Geometry};

use crate::record::{MovedRecords, PacedRecord, RECORD_BYTES};

/// Pages with records: a page and its record are programmed at once, and read at once.
#[derive(Clone, Debug)]
pub(crate) struct RecordedPages<F> {
    pub(crate) flash: F,
    geometry: Geometry,
    /// Columns of the record's bytes within the spare area.
    columns: [u32; RECORD_BYTES],
    moved: MovedRecords,
    /// The page whose record was read to move it, and the bytes of that.
    fetched: Option<(u32, [u8; RECORD_BYTES])>,
}

/// What a page was found to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A page that belongs to its record, and whether the ECC advises to move it soon.
    Whole { record: PacedRecord, refresh: bool },
    /// Nothing, or something that is no whole page: blank, torn, or decayed.
    Broken,
}

impl<F: Flash> RecordedPages<F> {
    pub(crate) fn new(flash: F, columns: [u32; RECORD_BYTES]) -> Self {
        let geometry = flash.geometry();
        Self {
            flash,
            geometry,
            columns,
            moved: MovedRecords::new(geometry.page_bytes),
            fetched: None,
        }
    }

    /// Reads a page into `image`, main and spare area, and checks it against its record.
    pub(crate) fn read(&mut self, page: u32, image: &mut [u8]) -> Result<Found, F::Error> {
        self.fetched = None;
        let ecc = match self.flash.read(page, 0, image) {
            Ok(ecc) => ecc,
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => {
                return Ok(Found::Broken);
            }
            Err(error) => return Err(error),
        };
        let refresh = matches!(ecc, Ecc::Corrected { refresh: true, .. });
        let (main, spare) = image.split_at(self.geometry.page_bytes as usize);
        let bytes = self.columns.map(|column| spare[column as usize]);
        Ok(PacedRecord::decode_checked(&bytes, main)
            .map_or(Found::Broken, |record| Found::Whole { record, refresh }))
    }

    /// Reads the spare area of a page alone. What its record says has not been checked against the page.
    pub(crate) fn peek(
        &mut self,
        page: u32,
        spare: &mut [u8],
    ) -> Result<Option<PacedRecord>, F::Error> {
        match self.flash.read(page, self.geometry.page_bytes, spare) {
            Ok(_) => Ok(PacedRecord::decode(
                &self.columns.map(|column| spare[column as usize]),
            )),
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the record of a page that is to be moved within the flash, whose ECC is what checks it.
    pub(crate) fn fetch(&mut self, page: u32, spare: &mut [u8]) -> Result<Found, F::Error> {
        let record = self.peek(page, spare)?;
        let bytes = self.columns.map(|column| spare[column as usize]);
        self.fetched = record.map(|_| (page, bytes));
        Ok(record.map_or(Found::Broken, |record| Found::Whole {
            record,
            refresh: false,
        }))
    }

    /// Whether a page was [fetched](Self::fetch), and not read.
    pub(crate) fn is_fetched(&self, page: u32) -> bool {
        self.fetched.is_some_and(|(fetched, _)| fetched == page)
    }

    /// Moves the page that was [fetched](Self::fetch) within the flash, and gives it another record; `spare` is room for
    /// that. Says whether the flash did so.
    pub(crate) fn move_fetched(
        &mut self,
        to: u32,
        spare: &mut [u8],
        record: &PacedRecord,
    ) -> Result<bool, F::Error> {
        let Some((from, old)) = self.fetched.take() else {
            return Ok(false);
        };
        spare.fill(0xFF);
        let (mut first, mut end) = (spare.len(), 0);
        for (column, byte) in self.columns.iter().zip(self.moved.encode(&old, record)) {
            let column = *column as usize;
            spare[column] = byte;
            (first, end) = (first.min(column), end.max(column + 1));
        }
        let column = self.geometry.page_bytes + first as u32;
        self.flash.move_page(from, to, column, &spare[first..end])
    }

    /// Programs the main area that stands in `image`, with its record.
    pub(crate) fn program(
        &mut self,
        page: u32,
        image: &mut [u8],
        record: &PacedRecord,
    ) -> Result<(), F::Error> {
        let (main, spare) = image.split_at_mut(self.geometry.page_bytes as usize);
        spare.fill(0xFF);
        for (column, byte) in self.columns.iter().zip(record.encode(main)) {
            spare[*column as usize] = byte;
        }
        self.flash.program(page, 0, image)
    }
}
