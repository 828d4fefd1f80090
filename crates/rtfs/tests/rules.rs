//! Flash memories for tests.

use wordline_crash::{FlashContent, FlashImage, FlashTearing, Mode, Recording};
use wordline_memory::{Ecc, EraseMode, Flash, Geometry};
use wordline_nvm::NvmError;

/// Where the records stand in the spare area.
pub(crate) const COLUMNS: [u32; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// An erased flash.
pub(crate) fn blank(geometry: Geometry) -> FlashImage {
    fresh(FlashContent::erased(geometry))
}

/// A flash that holds something.
pub(crate) fn fresh(content: FlashContent) -> FlashImage {
    let recording = Recording::new(content, FlashTearing::raw());
    let mut images = recording.images(Mode::Linear, 0);
    images.next().expect("a cut before everything")
}

/// Counts operations.
#[derive(Clone, Debug)]
pub(crate) struct Counted<F> {
    pub(crate) inner: F,
    pub(crate) count: Operations,
    /// How the content of each page begins; nothing of an erased one.
    pub(crate) begins: Vec<Option<[u8; 8]>>,
    /// Parts that are left of an erase.
    left: Option<u32>,
}

/// Operations on a flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Operations {
    pub(crate) reads: u64,
    pub(crate) programs: u64,
    pub(crate) erases: u64,
    /// Parts of erases that go on meanwhile, in millionths.
    pub(crate) parts: u64,
}

impl<F: Flash> Counted<F> {
    pub(crate) fn new(inner: F) -> Self {
        Self {
            begins: vec![None; inner.geometry().pages() as usize],
            inner,
            count: Operations::default(),
            left: None,
        }
    }
}

impl<F: Flash> Counted<F> {
    fn forget(&mut self, block: u32) {
        let pages = self.inner.geometry().pages_per_block as usize;
        self.begins[block as usize * pages..][..pages].fill(None);
    }
}

impl<F: Flash> Flash for Counted<F> {
    type Error = F::Error;

    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, F::Error> {
        self.count.reads += 1;
        self.inner.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), F::Error> {
        self.count.programs += 1;
        self.begins[page as usize] = data.first_chunk().copied();
        self.inner.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), F::Error> {
        self.count.erases += 1;
        self.forget(block);
        self.inner.erase(block)
    }

    fn erase_mode(&self) -> EraseMode {
        self.inner.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), F::Error> {
        assert_ne!(self.erase_mode(), EraseMode::Awaited, "there is erase()");
        self.forget(block);
        self.inner.begin_erase(block)?;
        self.left = Some(u32::MAX);
        Ok(())
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, F::Error> {
        let ended = self.inner.advance_erase(parts, of)?;
        if let Some(left) = self.left.map(|left| left.min(of)) {
            match self.erase_mode() {
                EraseMode::Suspends => self.count.parts += u64::from(parts.min(left)),
                _ => self.count.erases += 1,
            }
            self.left = Some(left.saturating_sub(parts)).filter(|_| !ended);
        }
        Ok(ended)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, F::Error> {
        self.inner.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), F::Error> {
        self.inner.mark_bad(block)
    }
}

/// A flash of which some programs and erases fail, one in so many.
#[derive(Clone, Debug)]
pub(crate) struct Failing<F> {
    pub(crate) flash: F,
    /// How many are still to fail.
    failures: u32,
    /// Operations between failures.
    every: u32,
    /// Operations until the next one.
    until: u32,
}

impl<F> Failing<F> {
    pub(crate) fn new(flash: F, failures: u32, every: u32) -> Self {
        Self {
            flash,
            failures,
            every,
            until: every,
        }
    }

    fn fails(&mut self) -> bool {
        if self.failures == 0 {
            return false;
        }
        self.until = self.until.saturating_sub(1);
        let fails = self.until == 0;
        if fails {
            self.failures -= 1;
            self.until = self.every;
        }
        fails
    }
}

impl<F: Flash<Error = NvmError>> Flash for Failing<F> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.flash.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        if self.fails() {
            return Err(NvmError::ProgramFailed { page });
        }
        self.flash.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        if self.fails() {
            return Err(NvmError::EraseFailed { block });
        }
        self.flash.erase(block)
    }

    fn erase_mode(&self) -> EraseMode {
        self.flash.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.flash.begin_erase(block)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        self.flash.advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.flash.mark_bad(block)
    }
}
