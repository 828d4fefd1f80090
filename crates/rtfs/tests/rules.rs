//! Flash memories for tests.

use wordline_crash::{FlashContent, FlashImage, FlashTearing, Mode, Recording};
use wordline_memory::{Ecc, Flash, Geometry};

/// Where the records stand in the spare area.
pub(crate) const COLUMNS: [u32; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// An erased flash.
pub(crate) fn blank(geometry: Geometry) -> FlashImage {
    let recording = Recording::new(FlashContent::erased(geometry), FlashTearing::raw());
    let mut images = recording.images(Mode::Linear, 0);
    images.next().expect("a cut before everything")
}

/// Counts operations.
#[derive(Clone, Debug)]
pub(crate) struct Counted<F> {
    pub(crate) inner: F,
    pub(crate) count: Operations,
}

/// Operations on a flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Operations {
    pub(crate) reads: u64,
    pub(crate) programs: u64,
    pub(crate) erases: u64,
}

impl<F> Counted<F> {
    pub(crate) fn new(inner: F) -> Self {
        Self {
            inner,
            count: Operations::default(),
        }
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
        self.inner.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), F::Error> {
        self.count.erases += 1;
        self.inner.erase(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, F::Error> {
        self.inner.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), F::Error> {
        self.inner.mark_bad(block)
    }
}
