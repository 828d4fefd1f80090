//! Flash memories as `embedded-storage` sees them.

use core::fmt::Debug;

use embedded_storage::nor_flash::{
    ErrorType, MultiwriteNorFlash, NorFlash, ReadNorFlash, check_erase, check_read, check_write,
};
use embedded_storage_async::nor_flash as asynchronous;
use wordline_memory::{Flash, Geometry};

use crate::error::{NorError, Unsuitable, ViewError};

/// A flash memory as a `NorFlash`, in writes of `WRITE` bytes and erases of `ERASE`. Reads begin and end at any byte.
/// With `AGAIN` it is a `MultiwriteNorFlash` as well.
///
/// Only the main areas are seen, one page after the other. A read that the ECC corrected is a read.
#[derive(Clone, Debug)]
pub struct NorView<F, const WRITE: usize, const ERASE: usize, const AGAIN: bool = false> {
    flash: F,
    page_bytes: u32,
    block_bytes: u32,
    capacity: u32,
}

/// The same as a `MultiwriteNorFlash`.
pub type MultiwriteNorView<F, const WRITE: usize, const ERASE: usize> =
    NorView<F, WRITE, ERASE, true>;

impl<F: Flash, const WRITE: usize, const ERASE: usize, const AGAIN: bool>
    NorView<F, WRITE, ERASE, AGAIN>
{
    /// Shows a memory. Every block is asked whether it is bad.
    ///
    /// # Errors
    /// [`ViewError::Unsuitable`] when the memory does not keep what a `NorFlash` of these sizes promises, or, with
    /// `AGAIN`, takes no second program; or the memory fails.
    pub fn new(mut flash: F) -> Result<Self, ViewError<F::Error>> {
        let geometry = flash.geometry();
        check(&geometry, WRITE as u64, ERASE as u64, AGAIN).map_err(ViewError::Unsuitable)?;
        for block in 0..geometry.blocks {
            if flash.is_bad(block).map_err(ViewError::Device)? {
                return Err(ViewError::Unsuitable(Unsuitable::BadBlock { block }));
            }
        }
        Ok(Self {
            flash,
            page_bytes: geometry.page_bytes,
            block_bytes: geometry.block_bytes() as u32,
            capacity: geometry.capacity_bytes() as u32,
        })
    }

    /// The memory.
    pub const fn flash(&mut self) -> &mut F {
        &mut self.flash
    }

    /// The memory, without the view.
    pub fn into_flash(self) -> F {
        self.flash
    }

    fn get(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorError<F::Error>> {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (page, column, part) = self.span(at, rest.len());
            let (now, later) = rest.split_at_mut(part);
            let read = self.flash.read(page, column, now);
            read.map_err(NorError::Device)?;
            at += part as u32;
            rest = later;
        }
        Ok(())
    }

    fn put(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorError<F::Error>> {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (page, column, part) = self.span(at, rest.len());
            let (now, later) = rest.split_at(part);
            let programmed = self.flash.program(page, column, now);
            programmed.map_err(NorError::Device)?;
            at += part as u32;
            rest = later;
        }
        Ok(())
    }

    fn clear(&mut self, from: u32, to: u32) -> Result<(), NorError<F::Error>> {
        for block in from / self.block_bytes..to / self.block_bytes {
            self.flash.erase(block).map_err(NorError::Device)?;
        }
        Ok(())
    }

    /// The page and column of an offset, and how many of `bytes` bytes lie in that page.
    fn span(&self, at: u32, bytes: usize) -> (u32, u32, usize) {
        let column = at % self.page_bytes;
        let left = (self.page_bytes - column) as usize;
        (at / self.page_bytes, column, bytes.min(left))
    }
}

/// Whether a memory keeps what a `NorFlash` of these sizes promises.
fn check(geometry: &Geometry, write: u64, erase: u64, again: bool) -> Result<(), Unsuitable> {
    if !geometry.is_valid() {
        return Err(Unsuitable::Geometry);
    }
    if write == 0 || erase == 0 || !erase.is_multiple_of(write) {
        return Err(Unsuitable::Sizes { write, erase });
    }
    let (page, block) = (u64::from(geometry.page_bytes), geometry.block_bytes());
    let once = geometry.once_bytes.unwrap_or(1);
    for unit in [geometry.program_bytes, once].map(u64::from) {
        if !write.is_multiple_of(unit) {
            return Err(Unsuitable::WriteSize { write, unit });
        }
    }
    if !write.is_multiple_of(page) && !page.is_multiple_of(write) {
        return Err(Unsuitable::AcrossPages { write, page });
    }
    if geometry.in_order && geometry.pages_per_block > 1 {
        return Err(Unsuitable::InOrder);
    }
    if geometry.programs_per_page.is_some() && !write.is_multiple_of(page) {
        return Err(Unsuitable::Neighbours { page });
    }
    let capacity = geometry.capacity_bytes();
    if !erase.is_multiple_of(block) || !capacity.is_multiple_of(erase) {
        return Err(Unsuitable::EraseSize {
            erase,
            block,
            capacity,
        });
    }
    if capacity > u64::from(u32::MAX) {
        return Err(Unsuitable::TooLarge { capacity });
    }
    if again && (geometry.programs_per_page.is_some() || geometry.once_bytes.is_some()) {
        return Err(Unsuitable::OneProgram);
    }
    Ok(())
}

impl<F: Flash<Error: Debug>, const WRITE: usize, const ERASE: usize, const AGAIN: bool> ErrorType
    for NorView<F, WRITE, ERASE, AGAIN>
{
    type Error = NorError<F::Error>;
}

/// An access that the traits' own check refuses.
fn refused<E>(kind: embedded_storage::nor_flash::NorFlashErrorKind) -> NorError<E> {
    match kind {
        embedded_storage::nor_flash::NorFlashErrorKind::NotAligned => NorError::NotAligned,
        _ => NorError::OutOfBounds,
    }
}

impl<F: Flash<Error: Debug>, const WRITE: usize, const ERASE: usize, const AGAIN: bool> ReadNorFlash
    for NorView<F, WRITE, ERASE, AGAIN>
{
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        check_read(self, offset, bytes.len()).map_err(refused)?;
        self.get(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.capacity as usize
    }
}

impl<F: Flash<Error: Debug>, const WRITE: usize, const ERASE: usize, const AGAIN: bool> NorFlash
    for NorView<F, WRITE, ERASE, AGAIN>
{
    const WRITE_SIZE: usize = WRITE;
    const ERASE_SIZE: usize = ERASE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        check_erase(self, from, to).map_err(refused)?;
        self.clear(from, to)
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        check_write(self, offset, bytes.len()).map_err(refused)?;
        self.put(offset, bytes)
    }
}

impl<F: Flash<Error: Debug>, const WRITE: usize, const ERASE: usize> MultiwriteNorFlash
    for NorView<F, WRITE, ERASE, true>
{
}

// A simulated memory has nothing to wait for: time passes on its clock, not on the executor's.

impl<F: Flash<Error: Debug>, const WRITE: usize, const ERASE: usize, const AGAIN: bool>
    asynchronous::ReadNorFlash for NorView<F, WRITE, ERASE, AGAIN>
{
    const READ_SIZE: usize = 1;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        ReadNorFlash::read(self, offset, bytes)
    }

    fn capacity(&self) -> usize {
        ReadNorFlash::capacity(self)
    }
}

impl<F: Flash<Error: Debug>, const WRITE: usize, const ERASE: usize, const AGAIN: bool>
    asynchronous::NorFlash for NorView<F, WRITE, ERASE, AGAIN>
{
    const WRITE_SIZE: usize = WRITE;
    const ERASE_SIZE: usize = ERASE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        NorFlash::erase(self, from, to)
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        NorFlash::write(self, offset, bytes)
    }
}

impl<F: Flash<Error: Debug>, const WRITE: usize, const ERASE: usize>
    asynchronous::MultiwriteNorFlash for NorView<F, WRITE, ERASE, true>
{
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use wordline_memory::{FlashErrorKind, RamFlash};

    use super::*;

    type Ram = RamFlash<64, 4, 4>;

    fn nor() -> Ram {
        Ram::nor().expect("a geometry")
    }

    fn with(change: impl FnOnce(&mut Geometry)) -> Ram {
        let mut geometry = nor().geometry();
        change(&mut geometry);
        Ram::new(geometry).expect("a geometry")
    }

    #[test]
    fn accesses_cross_pages_and_erases_cross_blocks() {
        let mut view = NorView::<_, 4, 512>::new(nor()).expect("suits");
        let data: [u8; 400] = core::array::from_fn(|place| place as u8);
        NorFlash::write(&mut view, 200, &data).expect("inside");
        let mut back = [0; 402];
        ReadNorFlash::read(&mut view, 199, &mut back).expect("inside");
        assert_eq!((back[0], back[401]), (0xFF, 0xFF));
        assert_eq!(back[1..401], data);
        NorFlash::erase(&mut view, 0, 512).expect("whole blocks");
        ReadNorFlash::read(&mut view, 199, &mut back).expect("inside");
        assert!(back[..313].iter().all(|byte| *byte == 0xFF));
        assert_eq!(back[313..401], data[312..]);
    }

    #[test]
    fn accesses_off_their_size_or_outside_change_nothing() {
        let mut view = NorView::<_, 4, 256>::new(nor()).expect("suits");
        let write = |view: &mut NorView<_, 4, 256>, at, bytes| NorFlash::write(view, at, bytes);
        assert_eq!(write(&mut view, 2, &[0; 4]), Err(NorError::NotAligned));
        assert_eq!(write(&mut view, 4, &[0; 3]), Err(NorError::NotAligned));
        assert_eq!(write(&mut view, 1024, &[0; 4]), Err(NorError::OutOfBounds));
        assert_eq!(
            write(&mut view, u32::MAX - 3, &[0; 4]),
            Err(NorError::OutOfBounds)
        );
        assert_eq!(
            NorFlash::erase(&mut view, 0, 128),
            Err(NorError::NotAligned)
        );
        assert_eq!(
            NorFlash::erase(&mut view, 256, 0),
            Err(NorError::OutOfBounds)
        );
        assert_eq!(
            NorFlash::erase(&mut view, 0, 2048),
            Err(NorError::OutOfBounds)
        );
        assert!(ReadNorFlash::read(&mut view, 1000, &mut [0; 25]).is_err());
        let mut all = [0; 1024];
        ReadNorFlash::read(&mut view, 0, &mut all).expect("inside");
        assert_eq!(all, [0xFF; 1024]);
    }

    #[test]
    fn a_second_program_needs_a_memory_that_takes_it() {
        let mut again = MultiwriteNorView::<_, 1, 256>::new(nor()).expect("suits");
        NorFlash::write(&mut again, 0, &[0xF0]).expect("first");
        NorFlash::write(&mut again, 0, &[0x3F]).expect("second");
        let mut byte = [0];
        ReadNorFlash::read(&mut again, 0, &mut byte).expect("inside");
        assert_eq!(byte, [0x30]);
        let once = with(|geometry| geometry.once_bytes = Some(16));
        let refused = MultiwriteNorView::<_, 16, 256>::new(once.clone()).expect_err("ECC");
        assert_eq!(refused, ViewError::Unsuitable(Unsuitable::OneProgram));
        assert!(NorView::<_, 16, 256>::new(once).is_ok());
    }

    /// Asks for a view of fixed sizes of a geometry that was changed.
    fn why<const WRITE: usize, const ERASE: usize>(
        change: impl FnOnce(&mut Geometry),
    ) -> Unsuitable {
        match NorView::<_, WRITE, ERASE>::new(with(change)) {
            Err(ViewError::Unsuitable(why)) => {
                assert!(why.to_string().len() > 20, "{why}");
                why
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        use Unsuitable::*;
        fn same(_: &mut super::Geometry) {}
        assert!(matches!(why::<0, 256>(same), Sizes { .. }));
        assert!(matches!(why::<4, 0>(same), Sizes { .. }));
        assert!(matches!(why::<3, 256>(same), Sizes { .. }));
        assert!(matches!(why::<4, 128>(same), EraseSize { .. }));
        assert!(matches!(why::<4, 768>(same), EraseSize { .. }));
        assert!(matches!(why::<24, 768>(same), AcrossPages { .. }));
        assert_eq!(
            why::<4, 256>(|g| g.program_bytes = 8),
            WriteSize { write: 4, unit: 8 }
        );
        assert_eq!(
            why::<8, 256>(|g| g.once_bytes = Some(16)),
            WriteSize { write: 8, unit: 16 }
        );
        assert_eq!(why::<4, 256>(|g| g.in_order = true), InOrder);
        assert_eq!(
            why::<4, 256>(|g| g.programs_per_page = Some(4)),
            Neighbours { page: 64 }
        );
        let whole_pages = with(|geometry| geometry.programs_per_page = Some(1));
        assert!(NorView::<_, 64, 256>::new(whole_pages).is_ok());
    }

    #[test]
    fn a_bad_block_is_refused_by_its_number() {
        let mut flash = nor();
        flash.mark_bad(2).expect("a mark");
        let refused = NorView::<_, 4, 256>::new(flash).expect_err("bad");
        assert_eq!(
            refused,
            ViewError::Unsuitable(Unsuitable::BadBlock { block: 2 })
        );
    }

    #[test]
    fn what_the_memory_refuses_is_told() {
        let once = with(|geometry| geometry.once_bytes = Some(16));
        let mut view = NorView::<_, 16, 256>::new(once).expect("suits");
        NorFlash::write(&mut view, 0, &[0; 16]).expect("first");
        let Err(NorError::Device(error)) = NorFlash::write(&mut view, 0, &[0; 16]) else {
            panic!("a second program of a unit");
        };
        assert_eq!(
            wordline_memory::FlashError::kind(&error),
            FlashErrorKind::Misuse
        );
    }
}
