//! The caller's flash behind the contract `Flash`.

use wordline_memory::{Ecc, EraseMode, Flash, FlashError, FlashErrorKind, FlashMisuse, Geometry};

use crate::abi::{RtfsFlash, RtfsStatus};

/// What a function of the caller's flash returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlashCode(pub(crate) i32);

/// A function that the caller does not give, or a place that the flash does not have: it is not called.
const MISSING: FlashCode = FlashCode(i32::MIN);

impl FlashError for FlashCode {
    fn kind(&self) -> FlashErrorKind {
        match self.0 {
            -1 => FlashErrorKind::Uncorrectable,
            -2 => FlashErrorKind::ProgramFailed,
            -3 => FlashErrorKind::EraseFailed,
            -4 => FlashErrorKind::BadBlock,
            -5 => FlashErrorKind::PowerLost,
            i32::MIN => FlashErrorKind::Misuse,
            _ => FlashErrorKind::Other,
        }
    }
}

/// Places that the flash does not have are asked for.
impl From<FlashMisuse> for FlashCode {
    fn from(_: FlashMisuse) -> Self {
        MISSING
    }
}

/// A flash behind the caller's functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallerFlash(RtfsFlash);

impl CallerFlash {
    /// # Errors
    /// [`RtfsStatus::BadArgument`] where a function is missing, a size is 0, or a column is used twice.
    pub(crate) fn new(flash: RtfsFlash) -> Result<Self, RtfsStatus> {
        let columns = &flash.columns;
        let is_once = (1..columns.len()).all(|at| !columns[..at].contains(&columns[at]));
        if is_once {
            Self::of_chip(flash)
        } else {
            Err(RtfsStatus::BadArgument)
        }
    }

    /// A flash that keeps no records in a spare area, so that its columns are not looked at.
    ///
    /// # Errors
    /// [`RtfsStatus::BadArgument`] where a function is missing or a size is 0.
    pub(crate) fn of_chip(flash: RtfsFlash) -> Result<Self, RtfsStatus> {
        let is_whole = flash.read.is_some() && flash.program.is_some() && flash.erase.is_some();
        let erases = flash.begin_erase.is_some() && flash.advance_erase.is_some();
        let suits = flash.erase_mode == AWAITED || flash.erase_mode <= SUSPENDS && erases;
        let flash = Self(flash);
        if is_whole && suits && flash.geometry().is_valid() {
            Ok(flash)
        } else {
            Err(RtfsStatus::BadArgument)
        }
    }

    /// Whether a page lies in the flash. Numbers of pages that stand on a flash may be wrong.
    fn check(&self, page: u32) -> Result<(), FlashCode> {
        if u64::from(page) < self.geometry().pages() {
            Ok(())
        } else {
            Err(MISSING)
        }
    }

    pub(crate) const fn columns(&self) -> [u32; wordline_rtfs::RECORD_BYTES] {
        self.0.columns
    }
}

const AWAITED: u32 = 0;
const RUNS: u32 = 1;
const SUSPENDS: u32 = 2;

fn done(code: i32) -> Result<(), FlashCode> {
    if code == 0 {
        Ok(())
    } else {
        Err(FlashCode(code))
    }
}

impl Flash for CallerFlash {
    type Error = FlashCode;

    /// Each page is programmed once, whole and in order: the layer asks for no more.
    fn geometry(&self) -> Geometry {
        Geometry {
            page_bytes: self.0.page_bytes,
            spare_bytes: self.0.spare_bytes,
            pages_per_block: self.0.pages_per_block,
            blocks: self.0.blocks,
            program_bytes: 1,
            programs_per_page: Some(1),
            once_bytes: None,
            in_order: true,
        }
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, FlashCode> {
        let read = self.0.read.ok_or(MISSING)?;
        self.check(page)?;
        let (to, bytes) = (out.as_mut_ptr().cast(), out.len());
        // SAFETY: the caller promises that the function fills so many bytes, which are there.
        match unsafe { read(self.0.user, page, column, to, bytes) } {
            0 => Ok(Ecc::Clean),
            code @ 1.. => Ok(Ecc::Corrected {
                bits: 1,
                refresh: code > 1,
            }),
            code => Err(FlashCode(code)),
        }
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), FlashCode> {
        let program = self.0.program.ok_or(MISSING)?;
        self.check(page)?;
        let (from, bytes) = (data.as_ptr().cast(), data.len());
        // SAFETY: the caller promises that the function reads so many bytes, which are there.
        done(unsafe { program(self.0.user, page, column, from, bytes) })
    }

    fn can_move(&self, _: u32, _: u32) -> bool {
        self.0.move_page.is_some()
    }

    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, FlashCode> {
        let Some(move_page) = self.0.move_page else {
            return Ok(false);
        };
        self.check(from)?;
        self.check(to)?;
        let (bytes, count) = (data.as_ptr().cast(), data.len());
        // SAFETY: the caller promises that the function reads so many bytes, which are there.
        done(unsafe { move_page(self.0.user, from, to, column, bytes, count) })?;
        Ok(true)
    }

    fn erase(&mut self, block: u32) -> Result<(), FlashCode> {
        let erase = self.0.erase.ok_or(MISSING)?;
        // SAFETY: the caller promises that the function can be called.
        done(unsafe { erase(self.0.user, block) })
    }

    fn erase_mode(&self) -> EraseMode {
        match self.0.erase_mode {
            SUSPENDS => EraseMode::Suspends,
            RUNS => EraseMode::Runs,
            _ => EraseMode::Awaited,
        }
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), FlashCode> {
        let begin = self.0.begin_erase.ok_or(MISSING)?;
        // SAFETY: the caller promises that the function can be called.
        done(unsafe { begin(self.0.user, block) })
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, FlashCode> {
        let Some(advance) = self.0.advance_erase else {
            return Ok(true);
        };
        // SAFETY: the caller promises that the function can be called.
        match unsafe { advance(self.0.user, parts, of) } {
            code @ 0.. => Ok(code != 0),
            code => Err(FlashCode(code)),
        }
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, FlashCode> {
        let Some(is_bad) = self.0.is_bad else {
            return Ok(false);
        };
        // SAFETY: the caller promises that the function can be called.
        match unsafe { is_bad(self.0.user, block) } {
            code @ 0.. => Ok(code != 0),
            code => Err(FlashCode(code)),
        }
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), FlashCode> {
        let mark_bad = self.0.mark_bad.ok_or(MISSING)?;
        // SAFETY: the caller promises that the function can be called.
        done(unsafe { mark_bad(self.0.user, block) })
    }
}
