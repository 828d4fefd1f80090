//! Raw flash behind a real-time layer, as a device of the laboratory.
//!
//! The layer runs on the host, as that of a driver does. It works ahead while the host's program has nothing to write, as
//! a program does that knows when its next record comes: it begins no piece of work that need not end before, but for an
//! erase that is left running, on which a write may wait as long as on one of its own. So every write has the bound that the
//! layer states, whatever was done before.

use wordline_core::quantity::{Quantity as _, Time};
use wordline_core::{SimClock, TranslationLayer};
use wordline_memory::{ByteMemory, Geometry, OutOfRange};
use wordline_rtfs::{
    ERASE_MILLIONTHS, GROUP_PAGES, PacedBound, PacedConfig, PacedCounts, PacedError, PacedGround,
    PacedLayer, PacedSetupError, PacedUnsuitable, PacedWork, RECORD_BYTES,
};

use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, Device, Notes, TranslationReport, Wear};
use crate::error::NvmError;
use crate::ftl::LayerWork;
use crate::metered::PacedFlash;
use crate::model::FlashModel;
use crate::paced_times::PacedTimes;
use crate::paced_totals::WriteTotals;
use crate::parts::parts;
use crate::power::{PowerDraw, Residence};

/// What an access can consist of.
const CAUSES: [Cause; 8] = [
    Cause::Driver,
    Cause::BusCommand,
    Cause::BusData,
    Cause::Recovery,
    Cause::Poll,
    Cause::ArrayRead,
    Cause::Program,
    Cause::Erase,
];

/// A chip that can carry a real-time layer, as the layer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedChip {
    /// Sizes and programming rules; of NOR flash those of the larger pages that it is used in.
    pub geometry: Geometry,
    /// Bytes of the erase that erases a block.
    pub erase_bytes: u64,
    /// Blocks that may be bad.
    pub bad_blocks: u32,
    /// The longest that operations of one page or block take.
    pub times: PacedTimes,
}

/// What a real-time layer that users ask for is formatted with, on the first blocks of a part. It takes the pages that
/// are not spare, and on so few blocks that their bound would be worse than that of the whole part, fewer.
#[must_use]
pub fn paced_config(
    layer: &TranslationLayer,
    geometry: &Geometry,
    model: &dyn FlashModel,
) -> PacedConfig {
    let logical_of = |pages| (pages as f64 * (1.0 - layer.spare.si())) as u32;
    paced_ground(geometry, model).usual(geometry, logical_of)
}

/// The part that a real-time layer gets some blocks of.
#[must_use]
pub fn paced_ground(geometry: &Geometry, model: &dyn FlashModel) -> PacedGround {
    let geometry = model.geometry().unwrap_or(*geometry);
    let good = model.good_blocks_min().unwrap_or(geometry.blocks);
    PacedGround {
        geometry,
        bad_blocks: geometry.blocks.saturating_sub(good),
    }
}

/// Raw flash behind a real-time layer. Any byte can be overwritten: a page that an access covers in part is read first.
pub(crate) struct Paced<F: PacedFlash> {
    layer: PacedLayer<F, Vec<u8>>,
    /// What the host's program sees.
    clock: SimClock,
    last: AccessCost,
    times: PacedTimes,
    /// The longest piece of an erase that is done ahead.
    erase_piece: Time,
    /// What the layer did for content that was there before.
    preloaded: PacedWork,
}

impl<F: PacedFlash> Paced<F> {
    /// A layer on erased flash.
    ///
    /// # Errors
    /// When the flash cannot carry the layer.
    pub(crate) fn format(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        times: PacedTimes,
    ) -> Result<Self, NvmError> {
        let geometry = flash.geometry();
        let bound: PacedBound = config
            .bound(&geometry)
            .map_err(|error| too_little_to_spare(error, geometry.pages()))?;
        let bound = bound.with_erases(times.erase_mode);
        // What one call of a piece of an erase takes: a part, or all of it.
        let erase_piece = match bound.erase_parts > 1 {
            true => times.time(&PacedCounts {
                erase_millionths: ERASE_MILLIONTHS.div_ceil(bound.erase_parts.into()),
                suspends: 1,
                ..PacedCounts::default()
            })?,
            false => times.erase,
        };
        let memory = vec![0; bound.ram_bytes];
        let layer = PacedLayer::format(flash, columns, config, memory);
        let layer = layer.map_err(|error| match error {
            PacedSetupError::Call(error) => layer_error(error),
            other => NvmError::Translation(other.to_string().into()),
        })?;
        let clock = SimClock::new();
        // The format was before the program began.
        clock.advance_to(layer.flash().metered().flash.clock().now());
        Ok(Self {
            layer,
            clock,
            last: AccessCost::NONE,
            times,
            erase_piece,
            preloaded: PacedWork::default(),
        })
    }

    fn flash(&self) -> &F::Chip {
        &self.layer.flash().metered().flash
    }

    fn page_bytes(&self) -> usize {
        self.layer.page_bytes() as usize
    }

    /// The layer's own time is not before that of the program.
    fn synchronize(&self) {
        self.flash().clock().advance_to(self.clock.now());
    }

    /// Begins an access: the layer worked ahead since the last one, as long as a piece of work was sure to end in time. An
    /// erase may go on into the next write, of so many pages, whose bound has room for it.
    fn begin(&mut self, writes: u32) -> Result<(), NvmError> {
        let now = self.clock.now();
        let step = self.times.time(&STEP)?;
        loop {
            let idle = now.since(self.flash().clock().now().min(now));
            let erases = idle >= self.erase_piece;
            if idle == Time::ZERO
                || writes > 0 && !erases && self.layer.leave_erase(writes).map_err(layer_error)?
                || idle < step
                || !self.layer.work_ahead(erases).map_err(layer_error)?
            {
                break;
            }
        }
        self.synchronize();
        self.layer.flash_mut().metered_mut().cost = AccessCost::NONE;
        Ok(())
    }

    /// Ends an access: the program goes on when the layer has finished it.
    fn end(&mut self) {
        self.last = self.layer.flash().metered().cost;
        self.clock.advance_to(self.flash().clock().now());
    }

    fn read_pages(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let mut page = vec![0; self.page_bytes()];
        for (logical, first, range) in parts(at, out.len(), page.len()) {
            self.layer
                .read(number(logical), &mut page)
                .map_err(layer_error)?;
            let length = range.len();
            out[range].copy_from_slice(&page[first..first + length]);
        }
        Ok(())
    }

    /// Writes pages, as many of them as a group at once as there may be.
    fn write_pages(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let bytes = self.page_bytes();
        let mut pages = Vec::with_capacity(GROUP_PAGES);
        for (logical, first, range) in parts(at, data.len(), bytes) {
            let logical = number(logical);
            let mut page = vec![0; bytes];
            if range.len() < bytes {
                self.layer.read(logical, &mut page).map_err(layer_error)?;
            }
            let length = range.len();
            page[first..first + length].copy_from_slice(&data[range]);
            pages.push((logical, page));
        }
        for group in pages.chunks(GROUP_PAGES) {
            let mut of = [(0, &[][..]); GROUP_PAGES];
            for (place, (logical, page)) in of.iter_mut().zip(group) {
                *place = (*logical, &page[..]);
            }
            self.layer
                .write_group(&of[..group.len()])
                .map_err(layer_error)?;
        }
        Ok(())
    }

    /// The longest write of whole and part pages; a part is read first.
    fn longest_write(&self, at: u64, bytes: u64) -> PacedCounts {
        let page_bytes = self.page_bytes() as u64;
        let (first, end) = (at / page_bytes, (at + bytes).div_ceil(page_bytes));
        let pages = end - first;
        let part = u64::from(!at.is_multiple_of(page_bytes))
            + u64::from(!(at + bytes).is_multiple_of(page_bytes));
        let bound = self.layer.bound();
        bound.read_counts(part.min(pages)) + self.times.longest_write(bound, pages)
    }
}

/// A step.
const STEP: PacedCounts = PacedCounts {
    spare_reads: 0,
    reads: 0,
    programs: 0,
    steps: 1,
    stores: 1,
    erases: 0,
    erase_millionths: 0,
    suspends: 0,
};

impl<F: PacedFlash> ByteMemory for Paced<F> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        u64::from(self.layer.logical_pages()) * self.page_bytes() as u64
    }

    fn atom(&self) -> usize {
        1
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        self.begin(0)?;
        let done = self.read_pages(at, out);
        self.end();
        done
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        let pages = parts(at, data.len(), self.page_bytes()).count();
        self.begin(pages.min(GROUP_PAGES) as u32)?;
        let done = self.write_pages(at, data);
        self.end();
        done
    }

    /// Nothing: a write that returned survives a power cut.
    fn persist(&mut self) -> Result<(), NvmError> {
        self.last = AccessCost::NONE;
        Ok(())
    }
}

impl<F: PacedFlash> Accounts for Paced<F> {
    fn clock(&self) -> &SimClock {
        &self.clock
    }

    fn causes(&self) -> &'static [Cause] {
        &CAUSES
    }

    fn last_cost(&self) -> &AccessCost {
        &self.last
    }

    fn residence(&self) -> Residence {
        self.synchronize();
        self.flash().residence()
    }

    fn power_draw(&self) -> &PowerDraw {
        self.flash().power_draw()
    }

    fn wear(&self) -> Wear {
        self.flash().wear()
    }

    fn notes(&self) -> &Notes {
        self.flash().notes()
    }

    fn translation(&self) -> Option<TranslationReport> {
        let (work, before) = (self.layer.work(), &self.preloaded);
        let (wear, bound) = (self.layer.wear(), self.layer.bound());
        let geometry = self.layer.flash().geometry();
        Some(TranslationReport {
            work: LayerWork {
                written: work.written - before.written,
                cleaned: work.moved - before.moved,
                overhead: work.stored + work.headers - before.stored - before.headers,
                erased: work.erased - before.erased,
                ..LayerWork::default()
            },
            page_bytes: u64::from(geometry.page_bytes),
            physical_bytes: u64::from(wear.blocks) * geometry.block_bytes(),
            mapping_bytes: bound.ram_bytes as u64,
            bad_blocks_max: self.layer.config().bad_blocks,
            erases_least: wear.least,
            erases_mean: wear.erases as f64 / f64::from(wear.blocks.max(1)),
            erases_most: wear.most,
            health: None,
        })
    }
}

impl<F: PacedFlash> Device for Paced<F> {
    fn overwrite_bytes(&self) -> u64 {
        1
    }

    /// The bound of the layer: the programs, and one erase or the steps.
    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.len())?;
        match bytes {
            0 => Ok(Time::ZERO),
            _ => self.times.time(&self.longest_write(at, bytes)),
        }
    }

    /// Of whole pages, or of parts of one page, which is read first.
    fn write_totals(&self, bytes: u64) -> Result<Option<WriteTotals>, NvmError> {
        let page_bytes = self.page_bytes() as u64;
        let bound = self.layer.bound();
        let (pages, reads) = match bytes {
            0 => return Ok(None),
            whole if whole.is_multiple_of(page_bytes) => (whole / page_bytes, 0),
            part if page_bytes.is_multiple_of(part) => (1, bound.read_counts(1).reads),
            _ => return Ok(None),
        };
        if pages > GROUP_PAGES as u64 {
            return Ok(None);
        }
        self.times.write_totals(bound, pages, reads).map(Some)
    }

    /// A page of the map and the page itself, for each page.
    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.len())?;
        let page_bytes = self.page_bytes() as u64;
        let pages = (at + bytes).div_ceil(page_bytes) - at / page_bytes;
        self.times.time(&self.layer.bound().read_counts(pages))
    }

    fn persist_bound(&self) -> Result<Time, NvmError> {
        Ok(Time::ZERO)
    }

    /// Unlike that of raw memories, the content is written by the layer, which finds its place: that takes time,
    /// energy and wear before the run. The work of the run does not include it.
    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        let done = self.write_pages(at, data);
        self.preloaded = *self.layer.work();
        self.clock.advance_to(self.flash().clock().now());
        done
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(Self {
            layer: self.layer.clone(),
            clock: self.clock.fork(),
            last: self.last,
            times: self.times,
            erase_piece: self.erase_piece,
            preloaded: self.preloaded,
        })
    }
}

/// A page's number: layers have fewer pages than 32 bits count.
const fn number(page: u64) -> u32 {
    page as u32
}

/// The error of a configuration, in terms of what users choose.
fn too_little_to_spare(error: PacedUnsuitable, pages: u64) -> NvmError {
    match error {
        PacedUnsuitable {
            what: "logical pages",
            most,
            ..
        } => {
            let spare = 100.0 * (1.0 - most as f64 / pages as f64);
            let spare = (spare * 10.0).ceil() / 10.0;
            NvmError::Translation(
                format!("a real-time layer needs {spare} % of the blocks to itself: --ftl-spare {spare}%")
                    .into(),
            )
        }
        other => unsuitable(other),
    }
}

/// What sizes that do not suit are to users of the device.
pub(crate) fn unsuitable(error: PacedUnsuitable) -> NvmError {
    NvmError::Translation(error.to_string().into())
}

/// What an error of the layer is to users of the device.
fn layer_error(error: PacedError<NvmError>) -> NvmError {
    match error {
        PacedError::Flash(error) => error,
        other => NvmError::Translation(other.to_string().into()),
    }
}
