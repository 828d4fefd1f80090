//! Memories that are programmed in pages and erased in blocks: NOR and NAND flash.

use core::fmt;

use crate::{EraseMode, Geometry};

/// A memory of blocks of pages: erasing a block sets its bits, and programming clears them.
///
/// Pages are numbered through the whole memory, so that block `b` starts at page
/// `b * pages_per_block`; a column is a byte within a page, its spare area included. Erased bytes
/// read 0xFF. A program leaves in each byte its old value AND the new one, within the rules that
/// the [`Geometry`] states.
///
/// # Power cuts
/// Nothing is buffered: a program, an erase or a mark that returned `Ok` survives a power cut. Of
/// the one operation that a power cut interrupts:
/// - **program**: each bit that it was to clear may be 0 or 1, and may differ from read to read;
///   the page may read as [`Uncorrectable`](FlashErrorKind::Uncorrectable). The bytes beside
///   those it addressed are as they were where the geometry sets no limit on the programs of a
///   page, and as suspect as those it addressed where it sets one. Other pages are as they were.
///   The attempt counts as a program, so that the page's order and number of programs include it.
/// - **erase**: each bit of the block may be old or 1, and may differ from read to read; its pages
///   may read as [`Uncorrectable`](FlashErrorKind::Uncorrectable). A block that reads as erased may
///   still be weak: erase it again before programming it. Other blocks are as they were.
/// - **mark**: the block is marked or not, and no other block is touched.
///
/// A torn page can read well once and fail later, so that a caller that finds one moves what it
/// still needs and erases the block.
///
/// # Erases that are left running
/// An erase that was [begun](Flash::begin_erase) belongs to its block until [`advance_erase`](Flash::advance_erase) says that
/// it has ended: until then no access may go to the block, no other erase may begin, and a power cut leaves the block as
/// an interrupted erase does. So a power cut can interrupt two operations at once: that erase, and a program or a mark
/// elsewhere. What returned before the erase was begun is as sure as with any other.
///
/// # Moves within the memory
/// A [move](Flash::move_page) is a program of its page, also in what a power cut leaves of it. Its bytes pass no bus.
/// A memory offers it only where it corrects what it moves: else wrong bits would add up from move to move, unnoticed.
pub trait Flash {
    /// What can go wrong; its [kind](FlashError::kind) shows a caller what to do about it.
    type Error: FlashError;

    /// Sizes and programming rules, which never change.
    fn geometry(&self) -> Geometry;

    /// Fills `out` with the bytes of one page from `column` on, and returns what the ECC found.
    ///
    /// A bad block may be read too, to rescue what it held.
    ///
    /// # Errors
    /// [`Misuse`](FlashErrorKind::Misuse) when the range leaves the page or the memory;
    /// [`Uncorrectable`](FlashErrorKind::Uncorrectable) when the ECC gives up; or the device
    /// fails. `out` is then unspecified.
    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, Self::Error>;

    /// Clears the bits that are 0 in `data`, from `column` of one page on.
    ///
    /// An empty `data` does nothing, and does not count as a program of the page.
    ///
    /// # Errors
    /// [`Misuse`](FlashErrorKind::Misuse) when the range leaves the page or the memory, or breaks
    /// a rule of the [`Geometry`], and [`BadBlock`](FlashErrorKind::BadBlock): nothing changed.
    /// [`ProgramFailed`](FlashErrorKind::ProgramFailed): the page is unspecified; the block's
    /// other pages can be read, and the block should be marked bad once they are moved. Or the
    /// device fails.
    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), Self::Error>;

    /// Whether the bytes of one page can be [moved](Flash::move_page) to another one within the memory. It does not change
    /// while a file system uses the memory.
    fn can_move(&self, from: u32, to: u32) -> bool {
        let _ = (from, to);
        false
    }

    /// Programs a whole page, spare area included, with what another one holds, but for `data` from `column` on. The ECC
    /// corrects what is moved. Directly after a [read](Flash::read) of `from`, the memory need not fetch it again.
    /// Says whether it did so: where [`can_move`](Flash::can_move) says no, nothing changed.
    ///
    /// # Errors
    /// As [`program`](Flash::program). [`Uncorrectable`](FlashErrorKind::Uncorrectable): `from` is lost, and nothing changed.
    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, Self::Error> {
        let _ = (from, to, column, data);
        Ok(false)
    }

    /// Sets every byte of a block to 0xFF, its spare areas included.
    ///
    /// # Errors
    /// [`Misuse`](FlashErrorKind::Misuse) when there is no such block, and
    /// [`BadBlock`](FlashErrorKind::BadBlock): nothing changed.
    /// [`EraseFailed`](FlashErrorKind::EraseFailed): the block is unspecified and should be marked
    /// bad. Or the device fails.
    fn erase(&mut self, block: u32) -> Result<(), Self::Error>;

    /// What becomes of an erase that is begun with [`begin_erase`](Flash::begin_erase). It never changes.
    fn erase_mode(&self) -> EraseMode {
        EraseMode::Awaited
    }

    /// Begins an erase of a block, and leaves it running where the [mode](Flash::erase_mode) says so.
    ///
    /// # Errors
    /// As [`erase`](Flash::erase), and [`Misuse`](FlashErrorKind::Misuse) while another erase has not ended. Whether the
    /// erase failed is known at its end.
    fn begin_erase(&mut self, block: u32) -> Result<(), Self::Error> {
        self.erase(block)
    }

    /// Lets the erase that was begun go on, as long as `parts` of `of` equal parts of the longest erase take, and no longer
    /// than to its end; says whether it has ended. One that has not is left running. So an erase ends with the last part at
    /// the latest, whatever was done in between. Says that it ended where none was begun.
    ///
    /// # Errors
    /// [`EraseFailed`](FlashErrorKind::EraseFailed): it has ended, and the block is unspecified. Or the device fails.
    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, Self::Error> {
        let _ = (parts, of);
        Ok(true)
    }

    /// Whether a block is marked bad, by its maker or by [`mark_bad`](Flash::mark_bad).
    ///
    /// # Errors
    /// [`Misuse`](FlashErrorKind::Misuse) when there is no such block, or the device fails.
    fn is_bad(&mut self, block: u32) -> Result<bool, Self::Error>;

    /// Marks a block bad for good: programs and erases of it are refused from then on. Marking it
    /// again changes nothing.
    ///
    /// The device may keep the mark in the block's spare areas, whose bytes are then unspecified.
    ///
    /// # Errors
    /// [`Misuse`](FlashErrorKind::Misuse) when there is no such block, or the device keeps no
    /// marks, as most NOR flash does not; or the device fails.
    fn mark_bad(&mut self, block: u32) -> Result<(), Self::Error>;
}

/// Flash that is lent: what is mounted on it leaves it where it stands.
impl<F: Flash + ?Sized> Flash for &mut F {
    type Error = F::Error;

    fn geometry(&self) -> Geometry {
        (**self).geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, Self::Error> {
        (**self).read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), Self::Error> {
        (**self).program(page, column, data)
    }

    fn can_move(&self, from: u32, to: u32) -> bool {
        (**self).can_move(from, to)
    }

    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, Self::Error> {
        (**self).move_page(from, to, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), Self::Error> {
        (**self).erase(block)
    }

    fn erase_mode(&self) -> EraseMode {
        (**self).erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), Self::Error> {
        (**self).begin_erase(block)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, Self::Error> {
        (**self).advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, Self::Error> {
        (**self).is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), Self::Error> {
        (**self).mark_bad(block)
    }
}

/// What the error-correcting code found in the bytes of a successful read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecc {
    /// No bit was wrong, or the memory has no ECC.
    Clean,
    /// Bits were wrong, and the bytes returned are right.
    Corrected {
        /// The most bits corrected in any one codeword that the read touched; the upper end where
        /// the device reports only a range.
        bits: u8,
        /// Whether the device advises to move the data soon, before the ECC gives up.
        refresh: bool,
    },
}

impl Ecc {
    /// The worse of what was found in two pages.
    #[must_use]
    pub const fn worse(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Corrected {
                    bits: first,
                    refresh: early,
                },
                Self::Corrected { bits, refresh },
            ) => Self::Corrected {
                bits: if first > bits { first } else { bits },
                refresh: early || refresh,
            },
            (Self::Clean, found) | (found, Self::Clean) => found,
        }
    }
}

/// What a flash error means to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlashErrorKind {
    /// A read met more wrong bits than the ECC corrects: the data is lost.
    Uncorrectable,
    /// The device reports that a program failed: move the block's other pages, mark it bad.
    ProgramFailed,
    /// The device reports that an erase failed: mark the block bad.
    EraseFailed,
    /// A program or an erase of a block that is marked bad: choose another block.
    BadBlock,
    /// The power went during this access or before it. Every access fails so until the device is
    /// powered up again.
    PowerLost,
    /// The caller left the memory or broke a rule of the [`Geometry`]; the same call never works.
    Misuse,
    /// The device or its bus failed otherwise.
    Other,
}

impl fmt::Display for FlashErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Uncorrectable => "more bits are wrong than the ECC corrects",
            Self::ProgramFailed => "the program failed",
            Self::EraseFailed => "the erase failed",
            Self::BadBlock => "the block is marked bad",
            Self::PowerLost => "the power was lost",
            Self::Misuse => "the access breaks a rule of the memory",
            Self::Other => "the device failed",
        })
    }
}

impl core::error::Error for FlashErrorKind {}

/// An error of a [`Flash`], which an engine sorts by its kind without knowing the device.
pub trait FlashError {
    /// What the error means to the caller.
    fn kind(&self) -> FlashErrorKind;
}

impl FlashError for FlashErrorKind {
    fn kind(&self) -> FlashErrorKind {
        *self
    }
}
