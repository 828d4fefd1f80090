//! The operations on a flash memory, the image that a power cut leaves of it, and its recorder.

use std::cell::Cell;
use std::sync::Arc;

use wordline_memory::{
    Ecc, EraseMode, EraseProgress, Flash, FlashError, FlashErrorKind, FlashMisuse, Geometry,
};

use super::flash_content::{FlashContent, Weakness};
use super::flash_harm::{fail_erase, fail_program};
use super::flash_tearing::{FlashTear, FlashTearing};
use super::recording::{ImageId, Recorder};
use wordline_nvm::NvmError;

/// One operation on a flash memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlashOperation {
    /// Bits of a page were cleared.
    Program {
        /// The page.
        page: u32,
        /// The first byte within the page.
        column: u32,
        /// The bytes, which are not empty.
        data: Arc<[u8]>,
        /// Whether the device reported that it failed.
        failed: bool,
    },
    /// A page was programmed with what another one holds, but for some bytes.
    Move {
        /// The page that was moved.
        from: u32,
        /// The page that was programmed.
        to: u32,
        /// The first of those bytes within the page.
        column: u32,
        /// Those bytes.
        data: Arc<[u8]>,
        /// Whether the device reported that the program failed.
        failed: bool,
    },
    /// An erase of a block was begun and left running; its end is an [`Erase`](Self::Erase).
    BeginErase {
        /// The block.
        block: u32,
    },
    /// A block was erased.
    Erase {
        /// The block.
        block: u32,
        /// Whether the device reported that it failed.
        failed: bool,
    },
    /// A block was marked bad.
    Mark {
        /// The block.
        block: u32,
    },
}

/// What a power cut left in a flash memory. It meets the contract, so that recovery runs on it.
#[derive(Clone, Debug)]
pub struct FlashImage {
    content: FlashContent,
    id: ImageId,
    tear: FlashTear,
    /// Number of the next read, from a drawn start, for the bits that flicker.
    readings: u64,
    erase_mode: EraseMode,
    erasing: Option<EraseProgress>,
    moves: bool,
}

impl FlashImage {
    /// `readings` is where the numbers of its reads start.
    pub(super) const fn new(
        content: FlashContent,
        id: ImageId,
        tear: FlashTear,
        readings: u64,
    ) -> Self {
        Self {
            content,
            id,
            tear,
            readings,
            erase_mode: EraseMode::Awaited,
            erasing: None,
            moves: false,
        }
    }

    /// The same, with erases that can be begun and left running.
    #[must_use]
    pub const fn with_erases(mut self, mode: EraseMode) -> Self {
        self.erase_mode = mode;
        self
    }

    /// The same, with pages that can be moved within it.
    #[must_use]
    pub const fn with_moves(mut self) -> Self {
        self.moves = true;
        self
    }

    /// Checks that no erase of a block is under way.
    fn check_still(&self, block: u32) -> Result<(), FlashMisuse> {
        match self.erasing {
            Some(EraseProgress { block: erasing, .. }) if erasing == block => {
                Err(FlashMisuse::InErase { block })
            }
            _ => Ok(()),
        }
    }

    /// Which image this is.
    #[must_use]
    pub const fn id(&self) -> ImageId {
        self.id
    }

    /// What was left of the interrupted operation.
    #[must_use]
    pub const fn tear(&self) -> FlashTear {
        self.tear
    }

    /// A hash of bytes, flickering bits, what an ECC makes of them, history, marks and weak blocks: images that agree in all
    /// of them share it. An interrupted erase counts by its draw, not by its bytes.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.content.hash()
    }

    /// Everything that it holds.
    #[must_use]
    pub const fn content(&self) -> &FlashContent {
        &self.content
    }

    /// Flips a stored bit of a page: what wear, retention and radiation do. Where there is an ECC,
    /// it corrects as many of these in a codeword as it is strong; flipping a bit again mends it.
    ///
    /// # Errors
    /// When the page has no such bit.
    pub fn flip(&mut self, page: u32, column: u32, bit: u8) -> Result<(), NvmError> {
        self.content.geometry().check_read(page, column, 1)?;
        let ecc = self.content.ecc().is_some();
        self.content.change(page, |found| {
            if ecc {
                found.keep_meant();
            }
            found.bytes[column as usize] ^= 1 << (bit % 8);
        });
        Ok(())
    }

    /// Programs what a memory that the image is a part of has taken: order, programs of a page, units that take one and
    /// marks of bad blocks are for that one to check.
    ///
    /// # Errors
    /// When the range leaves its page, or the block's weakness lets the program fail.
    pub fn program_taken(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let geometry = self.content.geometry();
        geometry.check_program(page, column, data.len() as u64)?;
        if data.is_empty() {
            return Ok(());
        }
        match self.content.weakness(geometry.block_of(page)) {
            Some(Weakness::FailsPrograms | Weakness::FailsErases) => {
                fail_program(&mut self.content, page, column, data);
                Err(NvmError::ProgramFailed { page })
            }
            Some(Weakness::Drifts) | None => {
                self.content.program(page, column, data);
                Ok(())
            }
        }
    }

    /// Records what is done to the image, so that the power can fail again within recovery.
    #[must_use]
    pub fn record(self, tearing: FlashTearing) -> Recorder<Self, FlashTearing> {
        let content = self.content.clone();
        Recorder::new(self, content, tearing)
    }
}

impl Flash for FlashImage {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.content.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.geometry().check_read(page, column, out.len() as u64)?;
        self.check_still(self.geometry().block_of(page))?;
        self.readings = self.readings.wrapping_add(1);
        self.content.read(page, column, out, self.readings)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.content.check_program(page, column, data)?;
        if data.is_empty() {
            return Ok(());
        }
        self.check_still(self.geometry().block_of(page))?;
        self.program_taken(page, column, data)
    }

    fn can_move(&self, _: u32, _: u32) -> bool {
        self.moves
    }

    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, NvmError> {
        if !self.moves {
            return Ok(false);
        }
        self.geometry().check_read(to, column, data.len() as u64)?;
        let mut bytes = vec![0; self.geometry().columns() as usize];
        self.read(from, 0, &mut bytes)?;
        bytes[column as usize..][..data.len()].copy_from_slice(data);
        self.program(to, 0, &bytes)?;
        Ok(true)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.geometry().check_block(block)?;
        self.check_still(block)?;
        if self.content.is_bad(block) {
            return Err(NvmError::BadBlock { block });
        }
        if self.content.weakness(block) == Some(Weakness::FailsErases) {
            fail_erase(&mut self.content, block);
            return Err(NvmError::EraseFailed { block });
        }
        self.content.erase(block);
        Ok(())
    }

    fn erase_mode(&self) -> EraseMode {
        self.erase_mode
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        if self.erase_mode == EraseMode::Awaited {
            return self.erase(block);
        }
        self.geometry().check_block(block)?;
        if self.content.is_bad(block) {
            return Err(NvmError::BadBlock { block });
        }
        if let Some(EraseProgress { block, .. }) = self.erasing {
            return Err(FlashMisuse::InErase { block }.into());
        }
        self.erasing = Some(EraseProgress::new(block));
        Ok(())
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        let Some(erase) = &mut self.erasing else {
            return Ok(true);
        };
        let ended = erase.advance(parts, of);
        if ended {
            let block = erase.block;
            self.erasing = None;
            self.erase(block)?;
        }
        Ok(ended)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.geometry().check_block(block)?;
        Ok(self.content.is_bad(block))
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.geometry().check_block(block)?;
        self.content.mark_bad(block);
        Ok(())
    }
}

impl<F: Flash> Recorder<F, FlashTearing> {
    /// Records what is done to a flash memory, whose content is first read through its contract; see
    /// [`FlashContent::of`]. On a simulated device, time passes while it is read.
    ///
    /// # Errors
    /// When the memory fails.
    pub fn flash(mut flash: F, tearing: FlashTearing) -> Result<Self, F::Error> {
        let content = FlashContent::of(&mut flash)?;
        Ok(Self::new(flash, content, tearing))
    }
}

impl<F> Recorder<F, FlashTearing> {
    /// The block whose erase was begun and has not ended.
    fn erasing(&self) -> Option<u32> {
        let operations = self.recorded().iter().rev();
        let mut erases = operations.filter_map(|timed| match timed.operation {
            FlashOperation::BeginErase { block } => Some(Some(block)),
            FlashOperation::Erase { .. } => Some(None),
            _ => None,
        });
        erases.next().flatten()
    }
}

impl<F: Flash> Flash for Recorder<F, FlashTearing> {
    type Error = F::Error;

    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, F::Error> {
        self.device.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), F::Error> {
        self.record(
            |flash| flash.program(page, column, data),
            |result| {
                let failed = happened(result, FlashErrorKind::ProgramFailed)?;
                (!data.is_empty()).then(|| FlashOperation::Program {
                    page,
                    column,
                    data: data.into(),
                    failed,
                })
            },
        )
    }

    fn can_move(&self, from: u32, to: u32) -> bool {
        self.device.can_move(from, to)
    }

    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, F::Error> {
        let moved = Cell::new(true);
        self.record(
            |flash| {
                moved.set(flash.move_page(from, to, column, data)?);
                Ok(())
            },
            |result| {
                let failed = happened(result, FlashErrorKind::ProgramFailed)?;
                moved.get().then(|| FlashOperation::Move {
                    from,
                    to,
                    column,
                    data: data.into(),
                    failed,
                })
            },
        )?;
        Ok(moved.get())
    }

    fn erase(&mut self, block: u32) -> Result<(), F::Error> {
        self.record(
            |flash| flash.erase(block),
            |result| {
                let failed = happened(result, FlashErrorKind::EraseFailed)?;
                Some(FlashOperation::Erase { block, failed })
            },
        )
    }

    fn erase_mode(&self) -> EraseMode {
        self.device.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), F::Error> {
        if self.erase_mode() == EraseMode::Awaited {
            return self.erase(block);
        }
        self.record(
            |flash| flash.begin_erase(block),
            |result| {
                result
                    .is_ok()
                    .then_some(FlashOperation::BeginErase { block })
            },
        )
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, F::Error> {
        let block = self.erasing();
        let ended = Cell::new(true);
        self.record(
            |flash| {
                ended.set(flash.advance_erase(parts, of)?);
                Ok(())
            },
            |result| {
                let failed = happened(result, FlashErrorKind::EraseFailed)?;
                let block = block.filter(|_| ended.get())?;
                Some(FlashOperation::Erase { block, failed })
            },
        )?;
        Ok(ended.get())
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, F::Error> {
        self.device.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), F::Error> {
        self.record(
            |flash| flash.mark_bad(block),
            |result| result.is_ok().then_some(FlashOperation::Mark { block }),
        )
    }
}

/// Whether an operation changed the memory, and then whether it failed.
fn happened<E: FlashError>(result: &Result<(), E>, failure: FlashErrorKind) -> Option<bool> {
    match result {
        Ok(()) => Some(false),
        Err(error) => (error.kind() == failure).then_some(true),
    }
}
