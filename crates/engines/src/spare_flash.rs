//! Any raw flash with spare areas as one type.

use std::fmt::{self, Display};

use wordline_memory::{Ecc, EraseMode, Flash, FlashError, FlashErrorKind, Geometry};
use wordline_rtfs::{PacedGround, RECORD_BYTES};

/// Flash as a file system gets it that keeps records in its spare areas: NAND, or NOR in pages that have some.
pub struct SpareFlash {
    /// The blocks that the file system has.
    pub flash: FlashBox,
    /// Bytes of a spare area that are free and that the ECC covers, counted from its start.
    pub columns: [u32; RECORD_BYTES],
    /// The part that the blocks are the first of.
    pub ground: PacedGround,
}

/// An error of a flash of any type, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct FlashFault {
    kind: FlashErrorKind,
    words: String,
}

impl FlashError for FlashFault {
    fn kind(&self) -> FlashErrorKind {
        self.kind
    }
}

struct WordedFlash<F>(F);

fn worded<E: FlashError + Display>(error: E) -> FlashFault {
    FlashFault {
        kind: error.kind(),
        words: error.to_string(),
    }
}

impl<F: Flash<Error: Display>> Flash for WordedFlash<F> {
    type Error = FlashFault;

    fn geometry(&self) -> Geometry {
        self.0.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, FlashFault> {
        self.0.read(page, column, out).map_err(worded)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), FlashFault> {
        self.0.program(page, column, data).map_err(worded)
    }

    fn erase(&mut self, block: u32) -> Result<(), FlashFault> {
        self.0.erase(block).map_err(worded)
    }

    fn erase_mode(&self) -> EraseMode {
        self.0.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), FlashFault> {
        self.0.begin_erase(block).map_err(worded)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, FlashFault> {
        self.0.advance_erase(parts, of).map_err(worded)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, FlashFault> {
        self.0.is_bad(block).map_err(worded)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), FlashFault> {
        self.0.mark_bad(block).map_err(worded)
    }
}

/// A flash of any type, whose errors are words.
pub struct FlashBox(Box<dyn Flash<Error = FlashFault> + Send>);

impl FlashBox {
    /// Any flash.
    pub fn new(flash: impl Flash<Error: Display> + Send + 'static) -> Self {
        Self(Box::new(WordedFlash(flash)))
    }
}

impl fmt::Debug for FlashBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FlashBox").field(&self.geometry()).finish()
    }
}

impl Flash for FlashBox {
    type Error = FlashFault;

    fn geometry(&self) -> Geometry {
        self.0.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, FlashFault> {
        self.0.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), FlashFault> {
        self.0.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), FlashFault> {
        self.0.erase(block)
    }

    fn erase_mode(&self) -> EraseMode {
        self.0.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), FlashFault> {
        self.0.begin_erase(block)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, FlashFault> {
        self.0.advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, FlashFault> {
        self.0.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), FlashFault> {
        self.0.mark_bad(block)
    }
}
