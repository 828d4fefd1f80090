//! NOR flash as pages with a spare area, which the layer needs for its records.

use wordline_memory::{Ecc, EraseMode, Flash, FlashMisuse, Geometry};

use crate::error::PacedUnsuitable;
use crate::record::RECORD_BYTES;

/// Bytes of a page that the layer takes on NOR flash, unless the caller chooses others.
///
/// A block of 64 KiB has 63 of them with their records. Larger ones leave so few pages in a block that the whole numbers of
/// pages and steps cost more; smaller ones make the map, and so the header of each block, longer.
pub const NOR_PAGE_BYTES: u32 = 1024;

/// Bytes of the spare area, where a program may have as few.
const SPARE_BYTES: u32 = RECORD_BYTES as u32 + 1;

/// A NOR flash, which has no spare area, as a flash of larger pages that have one.
///
/// The main areas stand at the front of each block, in whole pages of the chip, and the spare areas behind them. A program of
/// a page is one of each page of the chip, and at last one of its spare area: what was programmed at once is there when its
/// record is. To the contract's power cuts a page that was programmed in part is a torn one.
///
/// ```
/// use wordline_memory::{Flash as _, RamFlash};
/// use wordline_rtfs::{NorPages, PacedConfig, PacedLayer};
///
/// let nor = RamFlash::<64, 64, 16>::nor().expect("sizes that fit");
/// let flash = NorPages::new(nor, 128)?;
/// assert_eq!(flash.geometry().pages_per_block, 28);
/// let config = PacedConfig { logical_pages: 64, bad_blocks: 0, log_entries: 32 };
/// let mut layer = PacedLayer::format(flash, NorPages::COLUMNS, config, [0; 1024])?;
/// layer.write(7, &[0x5A; 128])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NorPages<F> {
    flash: F,
    /// Of the chip.
    chip: Geometry,
    geometry: Geometry,
}

impl NorPages<()> {
    /// The bytes of the spare area that take the record of a page.
    pub const COLUMNS: [u32; RECORD_BYTES] = {
        let mut columns = [0; RECORD_BYTES];
        let mut column = 0;
        while column < RECORD_BYTES {
            columns[column] = column as u32;
            column += 1;
        }
        columns
    };
}

impl<F> NorPages<F> {
    /// The flash.
    pub const fn flash(&self) -> &F {
        &self.flash
    }

    /// The flash, to watch it.
    pub const fn flash_mut(&mut self) -> &mut F {
        &mut self.flash
    }

    /// The flash, as after a power cut.
    pub fn into_flash(self) -> F {
        self.flash
    }
}

impl<F: Flash> NorPages<F> {
    /// A flash in pages of so many bytes.
    ///
    /// # Errors
    /// [`PacedUnsuitable`] where the flash has a spare area, takes few programs a page or takes them in order, and so
    /// is no NOR, or its pages do not divide those asked for.
    pub fn new(flash: F, page_bytes: u32) -> Result<Self, PacedUnsuitable> {
        let chip = flash.geometry();
        let unsuitable = |what, found: u32, least: u64, most: u64| PacedUnsuitable {
            what,
            found: found.into(),
            least,
            most,
        };
        if chip.spare_bytes > 0 {
            let what = "bytes of the spare area of a NOR flash";
            return Err(unsuitable(what, chip.spare_bytes, 0, 0));
        }
        let unit = chip.once_bytes.unwrap_or(1).max(chip.program_bytes);
        let spare_bytes = SPARE_BYTES.next_multiple_of(unit);
        let fits = page_bytes > 0
            && page_bytes.is_multiple_of(chip.page_bytes)
            && chip.page_bytes.is_multiple_of(spare_bytes);
        if !fits {
            let what = "bytes of a page, which pages of the chip fill and records divide,";
            let most = chip.block_bytes() / u64::from(spare_bytes);
            return Err(unsuitable(what, page_bytes, chip.page_bytes.into(), most));
        }
        if let Some(programs) = chip.programs_per_page {
            // Where it takes few, a torn program harms the records beside it.
            let what = "programs that a page of a NOR flash takes between two erases";
            return Err(unsuitable(what, programs, u32::MAX.into(), u64::MAX));
        }
        if chip.in_order {
            let what = "pages of the chip that must be programmed in order";
            return Err(unsuitable(what, chip.pages_per_block, 0, 1));
        }
        let pages = chip.block_bytes() / u64::from(page_bytes + spare_bytes);
        let geometry = Geometry {
            page_bytes,
            spare_bytes,
            pages_per_block: pages as u32,
            ..chip
        };
        if !geometry.is_valid() {
            let what = "bytes of a page";
            let most = chip.block_bytes().saturating_sub(spare_bytes.into());
            return Err(unsuitable(what, page_bytes, chip.page_bytes.into(), most));
        }
        Ok(Self {
            flash,
            chip,
            geometry,
        })
    }

    /// Splits a range of a page at the pages of the chip: page and column there, and the bytes of the range.
    fn parts(
        &self,
        page: u32,
        column: u32,
        bytes: usize,
    ) -> impl Iterator<Item = (u32, u32, core::ops::Range<usize>)> + use<F> {
        let Geometry {
            page_bytes,
            spare_bytes,
            pages_per_block,
            ..
        } = self.geometry;
        let (of_chip, block) = (self.chip.page_bytes, page / pages_per_block);
        let (first, within) = (block * self.chip.pages_per_block, page % pages_per_block);
        let mut done = 0;
        core::iter::from_fn(move || {
            if done >= bytes {
                return None;
            }
            let column = column + done as u32;
            let (at, left) = if column < page_bytes {
                (within * page_bytes + column, page_bytes - column)
            } else {
                let column = column - page_bytes;
                let spares = pages_per_block * page_bytes;
                (spares + within * spare_bytes + column, spare_bytes - column)
            };
            let length = left.min(of_chip - at % of_chip).min((bytes - done) as u32);
            let range = done..done + length as usize;
            done = range.end;
            Some((first + at / of_chip, at % of_chip, range))
        })
    }
}

impl<F: Flash> Flash for NorPages<F>
where
    F::Error: From<FlashMisuse>,
{
    type Error = F::Error;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, F::Error> {
        self.geometry.check_read(page, column, out.len() as u64)?;
        let mut worst = Ecc::Clean;
        for (page, column, range) in self.parts(page, column, out.len()) {
            worst = worst.worse(self.flash.read(page, column, &mut out[range])?);
        }
        Ok(worst)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), F::Error> {
        self.geometry
            .check_program(page, column, data.len() as u64)?;
        for (page, column, range) in self.parts(page, column, data.len()) {
            self.flash.program(page, column, &data[range])?;
        }
        Ok(())
    }

    fn erase(&mut self, block: u32) -> Result<(), F::Error> {
        self.flash.erase(block)
    }

    fn erase_mode(&self) -> EraseMode {
        self.flash.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), F::Error> {
        self.flash.begin_erase(block)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, F::Error> {
        self.flash.advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, F::Error> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), F::Error> {
        self.flash.mark_bad(block)
    }
}

#[cfg(test)]
mod tests {
    use wordline_memory::{FlashErrorKind, RamFlash};

    use super::*;

    type Nor = RamFlash<64, 64, 4>;

    fn pages() -> NorPages<Nor> {
        let nor = Nor::nor().expect("sizes that fit");
        NorPages::new(nor, 128).expect("pages that fit")
    }

    #[test]
    fn pages_and_their_records_share_a_block_and_nothing_else() {
        let mut flash = pages();
        let geometry = flash.geometry();
        assert_eq!((geometry.pages_per_block, geometry.spare_bytes), (28, 16));
        for page in 0..geometry.pages() as u32 {
            let mut image = [page as u8; 144];
            image[128..].fill(!(page as u8));
            flash.program(page, 0, &image).expect("an erased page");
        }
        for page in 0..geometry.pages() as u32 {
            let (mut image, mut spare) = ([0; 144], [0; 16]);
            flash.read(page, 0, &mut image).expect("a read");
            flash.read(page, 128, &mut spare).expect("a read");
            assert!(image[..128].iter().all(|byte| *byte == page as u8));
            assert!(image[128..].iter().all(|byte| *byte == !(page as u8)));
            assert_eq!(spare, image[128..]);
        }
        flash.erase(1).expect("an erase");
        for (page, erased) in [(27, false), (28, true), (55, true), (56, false)] {
            let mut byte = [0];
            flash.read(page, 143, &mut byte).expect("a read");
            assert_eq!(byte == [0xFF], erased, "{page}");
        }
        let past = flash.read(112, 0, &mut [0]).expect_err("no such page");
        assert_eq!(
            wordline_memory::FlashError::kind(&past),
            FlashErrorKind::Misuse
        );
        assert!(flash.program(0, 140, &[0; 5]).is_err());
    }

    #[test]
    fn flash_that_is_no_nor_is_refused() {
        let refused = |flash: Result<NorPages<Nor>, PacedUnsuitable>| flash.is_err();
        let nor = || Nor::nor().expect("sizes that fit");
        for bytes in [0, 96, 8192, u32::MAX - 63] {
            assert!(refused(NorPages::new(nor(), bytes)), "{bytes}");
        }
        type Spoil = fn(&mut Geometry);
        let spoilt: [Spoil; 3] = [
            |g| (g.page_bytes, g.spare_bytes) = (48, 16),
            |g| g.programs_per_page = Some(1),
            |g| g.in_order = true,
        ];
        for spoil in spoilt {
            let mut geometry = nor().geometry();
            spoil(&mut geometry);
            let flash = Nor::new(geometry).expect("a geometry of the size");
            assert!(refused(NorPages::new(flash, 192)), "{geometry:?}");
        }
    }
}
