//! A flash whose operations are added up for the access that they serve.

use wordline_memory::{Ecc, EraseMode, Flash, Geometry};
use wordline_rtfs::NorPages;

use crate::cost::{AccessCost, Cause};
use crate::device::FlashDevice;
use crate::error::NvmError;
use crate::ftl::LayerPurpose;

/// A flash that adds up what its operations took, by what they were for.
pub(crate) struct MeteredFlash<F> {
    pub(crate) flash: F,
    pub(crate) purpose: LayerPurpose,
    pub(crate) cost: AccessCost,
}

impl<F: FlashDevice> MeteredFlash<F> {
    pub(crate) const fn new(flash: F) -> Self {
        Self {
            flash,
            purpose: LayerPurpose::Host,
            cost: AccessCost::NONE,
        }
    }

    fn book(&mut self) {
        let cost = self.flash.last_cost();
        let cause = match self.purpose {
            LayerPurpose::Host => {
                self.cost.add_all(cost);
                return;
            }
            LayerPurpose::Cleaning | LayerPurpose::Recovery => Cause::Cleaning,
            LayerPurpose::Leveling => Cause::Leveling,
            LayerPurpose::Folding => Cause::Folding,
            LayerPurpose::Merging => Cause::Merging,
            LayerPurpose::Overhead => Cause::Mapping,
        };
        self.cost.add(cause, cost.total());
    }
}

impl<F: FlashDevice> Clone for MeteredFlash<F> {
    fn clone(&self) -> Self {
        Self {
            flash: self.flash.fork_flash(),
            purpose: self.purpose,
            cost: self.cost,
        }
    }
}

/// What a real-time layer stands on: NAND as it is, or NOR in larger pages.
pub(crate) trait PacedFlash: Flash<Error = NvmError> + Clone + Send + 'static {
    /// The flash on its board.
    type Chip: FlashDevice;

    fn metered(&self) -> &MeteredFlash<Self::Chip>;

    fn metered_mut(&mut self) -> &mut MeteredFlash<Self::Chip>;
}

impl<F: FlashDevice> PacedFlash for MeteredFlash<F> {
    type Chip = F;

    fn metered(&self) -> &Self {
        self
    }

    fn metered_mut(&mut self) -> &mut Self {
        self
    }
}

impl<F: FlashDevice> PacedFlash for NorPages<MeteredFlash<F>> {
    type Chip = F;

    fn metered(&self) -> &MeteredFlash<F> {
        self.flash()
    }

    fn metered_mut(&mut self) -> &mut MeteredFlash<F> {
        self.flash_mut()
    }
}

impl<F: FlashDevice> Flash for MeteredFlash<F> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let done = self.flash.read(page, column, out);
        self.book();
        done
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let done = self.flash.program(page, column, data);
        self.book();
        done
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        let done = self.flash.erase(block);
        self.book();
        done
    }

    fn erase_mode(&self) -> EraseMode {
        self.flash.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        let done = self.flash.begin_erase(block);
        self.book();
        done
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        let done = self.flash.advance_erase(parts, of);
        self.book();
        done
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.flash.mark_bad(block)
    }
}
