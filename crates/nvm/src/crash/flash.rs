//! Crash images of flash memories.

use std::sync::Arc;

use wordline_core::draw::{Purpose, draw};
use wordline_memory::{Ecc, Flash, FlashError, FlashErrorKind, Geometry};

use super::flash_content::{FlashContent, Weakness, bits};
use super::recording::{ImageId, Recorder, Tearing};
use crate::error::NvmError;

/// What a power cut does to a program and an erase: everything that the contract of [`Flash`]
/// allows. Nothing is buffered, so that only the interrupted operation is torn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashTearing {
    /// The most byte prefixes of a program; longer ones are cut at evenly spaced bytes.
    pub prefixes: u32,
    /// How often each tear that is drawn bit by bit is drawn, with shares from 1/8 to 7/8.
    pub draws: u32,
    /// Whether an ECC on the chip can give up on a torn page.
    pub ecc: bool,
}

impl FlashTearing {
    /// A memory without ECC, such as most NOR flash.
    #[must_use]
    pub const fn raw() -> Self {
        Self {
            prefixes: 16,
            draws: 7,
            ecc: false,
        }
    }

    /// A memory with an ECC on the chip, such as serial NAND.
    #[must_use]
    pub const fn with_ecc() -> Self {
        Self {
            ecc: true,
            ..Self::raw()
        }
    }

    /// What a variant of an operation's images stands for; `None` beyond the last.
    fn tear(
        &self,
        geometry: &Geometry,
        operation: Option<&FlashOperation>,
        variant: u64,
    ) -> Option<FlashTear> {
        if variant == 0 {
            return Some(FlashTear::Nothing);
        }
        let mut rest = variant - 1;
        let mut take = |count: u64| {
            let found = (rest < count).then_some(rest);
            rest = rest.saturating_sub(count);
            found
        };
        let draws = u64::from(self.draws);
        let eighths = |index: u64| (index % 7 + 1) as u8;
        match operation? {
            FlashOperation::Program { data, .. } => {
                let bytes = data.len() as u64;
                let prefixes = u64::from(self.prefixes).min(bytes - 1);
                if take(1).is_some() {
                    Some(FlashTear::Attempted)
                } else if let Some(index) = take(prefixes) {
                    let length = (index + 1) * bytes / (prefixes + 1);
                    Some(FlashTear::Prefix(length as usize))
                } else if let Some(index) = take(2 * draws) {
                    Some(FlashTear::Bits {
                        eighths: eighths(index / 2),
                        flickers: index % 2 == 1,
                    })
                } else if take(1).is_some() {
                    Some(FlashTear::Flickering)
                } else if take(u64::from(geometry.programs_per_page.is_some())).is_some() {
                    Some(FlashTear::Beside)
                } else {
                    take(u64::from(self.ecc)).map(|_| FlashTear::Lost)
                }
            }
            FlashOperation::Erase { .. } => {
                if let Some(index) = take(2 * draws) {
                    Some(FlashTear::PartErased {
                        eighths: eighths(index / 2),
                        flickers: index % 2 == 1,
                    })
                } else {
                    let weak = [
                        Weakness::Drifts,
                        Weakness::FailsPrograms,
                        Weakness::FailsErases,
                    ];
                    take(3).map(|index| FlashTear::LooksErased(weak[index as usize]))
                }
            }
            FlashOperation::Mark { .. } => None,
        }
    }
}

/// What a power cut left of the operation that it interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashTear {
    /// It had not begun.
    Nothing,
    /// A program that cleared no bit, but counts.
    Attempted,
    /// A program of so many bytes from the front.
    Prefix(usize),
    /// A program that cleared a share of the bits that it was to clear.
    Bits {
        /// The share.
        eighths: u8,
        /// Whether some of the other bits read differently every time.
        flickers: bool,
    },
    /// A program that cleared all its bits, of which some read differently every time.
    Flickering,
    /// A program that spoilt the bytes of its page that were programmed before, too.
    Beside,
    /// A program after which the ECC gives up on the page.
    Lost,
    /// An erase that set a share of the block's bits.
    PartErased {
        /// The share.
        eighths: u8,
        /// Whether some of the other bits read differently every time.
        flickers: bool,
    },
    /// An erase after which the block reads as erased, and is weak.
    LooksErased(Weakness),
}

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

impl Tearing for FlashTearing {
    type Operation = FlashOperation;
    type Content = FlashContent;
    type State = FlashContent;
    type Image = FlashImage;

    fn begin(&self, content: &FlashContent) -> FlashContent {
        content.clone()
    }

    fn start(&self, _: &mut FlashContent, _: &FlashOperation) {}

    fn finish(&self, content: &mut FlashContent, operation: &FlashOperation) {
        match operation {
            FlashOperation::Program {
                page,
                column,
                data,
                failed,
            } => {
                if *failed {
                    fail_program(content, *page, *column, data);
                } else {
                    content.program(*page, *column, data);
                }
            }
            FlashOperation::Erase { block, failed } => {
                if *failed {
                    fail_erase(content, *block);
                } else {
                    content.erase(*block);
                }
            }
            FlashOperation::Mark { block } => content.mark_bad(*block),
        }
    }

    fn variants(&self, content: &FlashContent, operation: Option<&FlashOperation>) -> u64 {
        let (geometry, draws) = (content.geometry(), 2 * u64::from(self.draws));
        match operation {
            Some(FlashOperation::Program { data, .. }) => {
                let prefixes = u64::from(self.prefixes).min(data.len() as u64 - 1);
                let beside = u64::from(geometry.programs_per_page.is_some());
                3 + prefixes + draws + beside + u64::from(self.ecc)
            }
            Some(FlashOperation::Erase { .. }) => 1 + draws + 3,
            Some(FlashOperation::Mark { .. }) | None => 1,
        }
    }

    fn image(
        &self,
        content: &FlashContent,
        operation: Option<&FlashOperation>,
        id: ImageId,
    ) -> FlashImage {
        let tear = self.tear(&content.geometry(), operation, id.variant);
        let tear = tear.unwrap_or(FlashTear::Nothing);
        let key = draw(id.seed, id.operation as u64, id.variant, Purpose::Tear);
        let mut content = content.clone();
        match operation {
            Some(FlashOperation::Program {
                page, column, data, ..
            }) if tear != FlashTear::Nothing => {
                tear_program(&mut content, (*page, *column, data), tear, key);
            }
            Some(FlashOperation::Erase { block, .. }) => match tear {
                FlashTear::PartErased { eighths, flickers } => {
                    content.half_erase(*block, key, eighths, flickers);
                }
                FlashTear::LooksErased(how) => {
                    content.erase(*block);
                    content.weaken(*block, how, key);
                }
                _ => {}
            },
            _ => {}
        }
        FlashImage {
            content,
            id,
            tear,
            readings: draw(key, 0, 4, Purpose::Tear),
        }
    }
}

/// Leaves a page as an interrupted program does.
fn tear_program(
    content: &mut FlashContent,
    (page, column, data): (u32, u32, &[u8]),
    tear: FlashTear,
    key: u64,
) {
    content.attempt(page, column, data.len());
    content.change(page, |found| {
        let start = column as usize;
        let old = found.bytes[start..start + data.len()].to_vec();
        let target: Vec<u8> = old.iter().zip(data).map(|(old, new)| old & new).collect();
        let (eighths, flickers) = match tear {
            FlashTear::Prefix(bytes) => {
                found.bytes[start..start + bytes].copy_from_slice(&target[..bytes]);
                return;
            }
            FlashTear::Bits { eighths, flickers } => (eighths, u8::from(flickers) * 2),
            FlashTear::Flickering => (8, 1),
            FlashTear::Beside | FlashTear::Lost => (4, 2),
            _ => return,
        };
        found.lost = tear == FlashTear::Lost;
        if tear == FlashTear::Beside {
            spoil_beside(
                &mut found.bytes,
                &mut found.flicker,
                start..start + data.len(),
                key,
            );
        }
        let clears = masks(key, 1, data.len(), eighths);
        let uncertain = masks(key, 2, data.len(), flickers);
        for (index, (old, target)) in old.iter().zip(&target).enumerate() {
            let wanted = old & !target;
            let cleared = wanted & clears[index];
            found.bytes[start + index] = old & !cleared;
            // Where all bits were cleared, some of these flicker; else some of the others.
            let candidates = if eighths == 8 {
                wanted
            } else {
                wanted & !cleared
            };
            let flicker = candidates & uncertain[index];
            push_bits(&mut found.flicker, start + index, flicker);
        }
        found.flicker.sort_unstable();
        found.flicker.dedup();
    });
}

/// Spoils the bytes of a page outside a range, where any bit was cleared before.
fn spoil_beside(bytes: &mut [u8], flicker: &mut Vec<u32>, range: std::ops::Range<usize>, key: u64) {
    let flips = masks(key, 5, bytes.len(), 1);
    let flickers = masks(key, 6, bytes.len(), 1);
    for (index, byte) in bytes.iter_mut().enumerate() {
        if range.contains(&index) || *byte == 0xFF {
            continue;
        }
        *byte ^= flips[index];
        push_bits(flicker, index, flickers[index]);
    }
}

/// Notes the bits of a byte that flicker.
fn push_bits(flicker: &mut Vec<u32>, index: usize, mut mask: u8) {
    while mask != 0 {
        flicker.push(index as u32 * 8 + mask.trailing_zeros());
        mask &= mask - 1;
    }
}

/// `bytes` bytes, each bit 1 with a probability of `eighths`/8. `why` keeps masks of one key apart.
fn masks(key: u64, why: u64, bytes: usize, eighths: u8) -> Vec<u8> {
    let mut masks = vec![0; bytes];
    if eighths > 0 {
        for (place, word) in (0..).zip(masks.chunks_mut(8)) {
            let drawn = bits(key ^ why, place, eighths).to_le_bytes();
            word.copy_from_slice(&drawn[..word.len()]);
        }
    }
    masks
}

/// Leaves a page as a program does that the device reports as failed.
fn fail_program(content: &mut FlashContent, page: u32, column: u32, data: &[u8]) {
    let key = draw(u64::from(page), u64::from(column), 7, Purpose::Tear);
    let tear = FlashTear::Bits {
        eighths: 4,
        flickers: true,
    };
    tear_program(content, (page, column, data), tear, key);
    let block = content.geometry().block_of(page);
    content.weaken(block, Weakness::FailsErases, key);
}

/// Leaves a block as an erase does that the device reports as failed.
fn fail_erase(content: &mut FlashContent, block: u32) {
    let key = draw(u64::from(block), 0, 8, Purpose::Tear);
    content.half_erase(block, key, 4, true);
    content.weaken(block, Weakness::FailsErases, key);
}

/// What a power cut left in a flash memory. It meets the contract, so that recovery runs on it.
#[derive(Clone, Debug)]
pub struct FlashImage {
    content: FlashContent,
    id: ImageId,
    tear: FlashTear,
    /// Number of the next read, from a drawn start, for the bits that flicker.
    readings: u64,
}

impl FlashImage {
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

    /// A hash of bytes, flickering bits, history, marks and weak blocks: images that agree in all
    /// of them share it. An erase that came to no end counts by its draw, not by its bytes.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.content.hash()
    }

    /// Everything that it holds.
    #[must_use]
    pub const fn content(&self) -> &FlashContent {
        &self.content
    }

    /// Flips a stored bit of a page: what wear, retention and radiation do.
    ///
    /// # Errors
    /// When the page has no such bit.
    pub fn flip(&mut self, page: u32, column: u32, bit: u8) -> Result<(), NvmError> {
        self.content.geometry().check_read(page, column, 1)?;
        self.content
            .change(page, |found| found.bytes[column as usize] ^= 1 << (bit % 8));
        Ok(())
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
        self.readings = self.readings.wrapping_add(1);
        self.content.read(page, column, out, self.readings)?;
        Ok(Ecc::Clean)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.content.check_program(page, column, data)?;
        if data.is_empty() {
            return Ok(());
        }
        let block = self.geometry().block_of(page);
        match self.content.weakness(block) {
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

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.geometry().check_block(block)?;
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

    fn erase(&mut self, block: u32) -> Result<(), F::Error> {
        self.record(
            |flash| flash.erase(block),
            |result| {
                let failed = happened(result, FlashErrorKind::EraseFailed)?;
                Some(FlashOperation::Erase { block, failed })
            },
        )
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
