//! What a block of a flash memory holds, as data: what images of a memory are made from, and what puts a block back as
//! it was.

use std::collections::BTreeMap;

use wordline_memory::{FlashMisuse, Geometry};

/// What the cells of a block hold, and how they were programmed since its erase. The default is erased.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockContent {
    /// The pages that hold anything, by their number within the block.
    pub pages: BTreeMap<u32, PageContent>,
    /// How old their charge is, in a chip that ages: of each unit of wear in the block. None where it is not known, as in an
    /// image.
    pub(crate) charges: Vec<BlockCharge>,
}

/// What has disturbed the bits of a unit since its erase, and how long they have been kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BlockCharge {
    /// The cycle that its wrong bits are drawn by, where that is not the one that it is in: later erases came to nothing.
    pub(crate) cycle: Option<u64>,
    /// Reads of the unit.
    pub(crate) reads: u64,
    /// Programs of it.
    pub(crate) programs: u64,
    /// When each page was programmed first: on the chip's retention clock, and in programs of the unit.
    pub(crate) stored: Vec<Option<(f64, u64)>>,
}

/// What the cells of a page hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageContent {
    /// The bytes that the page should hold, its spare area included.
    pub bytes: Vec<u8>,
    /// Programs since the erase; 0 of a page that counts as erased whatever it holds. NOR flash does not count: there
    /// it is 1.
    pub programs: u32,
    /// The [units](Geometry::once_units) that were programmed and take one program, a bit each. Always 0 in a memory
    /// that has none.
    pub units: u64,
    /// Bits that read wrong until an ECC corrects them, as column · 8 + bit.
    pub wrong: Vec<u32>,
    /// Whether the ECC gives up on the page.
    pub given_up: bool,
}

impl BlockContent {
    /// Checks that every page fits a block of a geometry.
    ///
    /// # Errors
    /// [`FlashMisuse::NoSuchPage`] or [`FlashMisuse::LeavesPage`]; pages count within the block.
    pub fn check(&self, geometry: &Geometry) -> Result<(), FlashMisuse> {
        for (&page, content) in &self.pages {
            if page >= geometry.pages_per_block {
                let pages = u64::from(geometry.pages_per_block);
                return Err(FlashMisuse::NoSuchPage { page, pages });
            }
            content.check(geometry)?;
        }
        Ok(())
    }
}

impl PageContent {
    /// A page that nothing was programmed in.
    #[must_use]
    pub fn erased(geometry: &Geometry) -> Self {
        Self {
            bytes: vec![0xFF; geometry.columns() as usize],
            programs: 0,
            units: 0,
            wrong: Vec::new(),
            given_up: false,
        }
    }

    /// What the cells hold: the bytes with the bits that are wrong.
    #[must_use]
    pub fn cells(&self) -> Vec<u8> {
        let mut cells = self.bytes.clone();
        for bit in &self.wrong {
            cells[*bit as usize / 8] ^= 1 << (bit % 8);
        }
        cells
    }

    /// Checks that it fits a page of a geometry.
    ///
    /// # Errors
    /// [`FlashMisuse::LeavesPage`].
    pub fn check(&self, geometry: &Geometry) -> Result<(), FlashMisuse> {
        let leaves = |column: u32, bytes: u64| FlashMisuse::LeavesPage {
            column,
            bytes,
            columns: geometry.columns(),
        };
        let (bytes, columns) = (self.bytes.len() as u64, geometry.columns());
        if bytes != columns {
            return Err(leaves(0, bytes));
        }
        let mut wrong = self.wrong.iter();
        match wrong.find(|bit| u64::from(**bit / 8) >= columns) {
            Some(bit) => Err(leaves(bit / 8, 1)),
            None => Ok(()),
        }
    }
}
