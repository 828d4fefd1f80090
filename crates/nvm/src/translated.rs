//! Raw flash behind a translation layer, as a device of the laboratory.
//!
//! The layer runs on the host, as that of a driver does: what it moves costs the host's commands and the bus.
//! Bytes, records and summaries are real, in the format of [`FlashMedia`]. The host's program and the layer
//! have a clock each: the layer cleans while the program does something else, one step at a time, and an access
//! that comes within a step waits for its end.

use wordline_core::SimClock;
use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, OutOfRange};

use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, Device, FlashDevice, Notes, TranslationReport, Wear};
use crate::error::NvmError;
use crate::ftl::{
    CellMode, FlashMedia, FtlConfig, FtlError, LayerPurpose, LayerWork, Media, MediaFault,
    PageRecord, Shape, Translation,
};
use crate::metered::MeteredFlash;
use crate::model::FlashModel;
use crate::parts::parts;
use crate::power::{PowerDraw, Residence};

/// What an access can consist of: everything but the firmware of a card.
const CAUSES: [Cause; 13] = [
    Cause::Driver,
    Cause::BusCommand,
    Cause::BusData,
    Cause::Recovery,
    Cause::Poll,
    Cause::ArrayRead,
    Cause::Program,
    Cause::Erase,
    Cause::Cleaning,
    Cause::Merging,
    Cause::Folding,
    Cause::Leveling,
    Cause::Mapping,
];

/// Raw flash behind a translation layer. Any byte can be overwritten: a page that an access covers in part is
/// read first.
pub struct Translated<F: FlashDevice> {
    layer: Translation<TimedMedia<F>>,
    /// What the host's program sees.
    clock: SimClock,
    causes: &'static [Cause],
    last: AccessCost,
    page: Vec<u8>,
    /// What the layer did for content that was there before.
    preloaded: LayerWork,
}

impl<F: FlashDevice> Translated<F> {
    /// A layer on erased flash. The configuration is chosen for the sizes that the flash leaves it.
    ///
    /// # Errors
    /// When the flash cannot carry the layer, or the configuration cannot work on it.
    pub fn format(
        flash: F,
        model: &dyn FlashModel,
        choose: impl FnOnce(Shape) -> FtlConfig,
    ) -> Result<Self, NvmError> {
        let media = FlashMedia::of(MeteredFlash::new(flash), model)
            .map_err(|error| NvmError::Translation(error.to_string().into()))?;
        let config = choose(media.shape());
        let layer =
            Translation::format(TimedMedia { media, erase_ps: 0 }, config).map_err(failed)?;
        let media = &layer.media().media;
        let page_bytes = media.geometry().page_bytes as usize;
        let clock = SimClock::new();
        // The search for bad blocks was before the program began.
        clock.advance_to(media.flash().flash.clock().now());
        Ok(Self {
            layer,
            clock,
            causes: &CAUSES,
            last: AccessCost::NONE,
            page: vec![0; page_bytes],
            preloaded: LayerWork::default(),
        })
    }

    fn flash(&self) -> &F {
        &self.layer.media().media.flash().flash
    }

    fn metered(&mut self) -> &mut MeteredFlash<F> {
        self.layer.media_mut().media.flash_mut()
    }

    /// The layer's own time is not before that of the program.
    fn synchronize(&self) {
        self.flash().clock().advance_to(self.clock.now());
    }

    /// Begins an access: the layer cleaned since the last one, and may still be at a step.
    fn begin(&mut self) -> Result<(), NvmError> {
        let now = self.clock.now();
        while self.flash().clock().now() < now && self.layer.idle_step().map_err(failed)? {}
        self.synchronize();
        self.last = AccessCost::NONE;
        self.last
            .add(Cause::Cleaning, self.flash().clock().now().since(now));
        self.metered().cost = AccessCost::NONE;
        Ok(())
    }

    /// Ends an access: the program goes on when the layer has finished it.
    fn end(&mut self) {
        let cost = self.metered().cost;
        self.last.add_all(&cost);
        self.clock.advance_to(self.flash().clock().now());
    }

    fn read_pages(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let page_bytes = self.page.len();
        for (logical, first, range) in parts(at, out.len(), page_bytes) {
            let logical = number(logical);
            let written = self.layer.read(logical, &mut self.page).map_err(failed)?;
            let length = range.len();
            if written {
                out[range].copy_from_slice(&self.page[first..first + length]);
            } else {
                out[range].fill(0);
            }
        }
        Ok(())
    }

    fn write_pages(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let page_bytes = self.page.len();
        for (logical, first, range) in parts(at, data.len(), page_bytes) {
            let logical = number(logical);
            let length = range.len();
            if length < page_bytes && !self.layer.read(logical, &mut self.page).map_err(failed)? {
                self.page.fill(0);
            }
            self.page[first..first + length].copy_from_slice(&data[range]);
            self.layer.write(logical, &self.page).map_err(failed)?;
        }
        Ok(())
    }

    fn unbounded<T>(&self, at: u64, bytes: u64) -> Result<T, NvmError> {
        OutOfRange::check(at, bytes, self.len())?;
        let why = "how much has to be cleaned first depends on everything that was written before";
        Err(NvmError::Translation(why.into()))
    }
}

impl<F: FlashDevice> ByteMemory for Translated<F> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        u64::from(self.layer.pages()) * self.page.len() as u64
    }

    fn atom(&self) -> usize {
        1
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        self.begin()?;
        let done = self.read_pages(at, out);
        self.end();
        done
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        self.begin()?;
        let done = self.write_pages(at, data);
        self.end();
        done
    }

    /// Programs what keeps the pages that were written before safe from a power cut within a later program.
    fn persist(&mut self) -> Result<(), NvmError> {
        self.begin()?;
        let done = self.layer.flush().map_err(failed);
        self.end();
        done
    }
}

impl<F: FlashDevice> Accounts for Translated<F> {
    fn clock(&self) -> &SimClock {
        &self.clock
    }

    fn causes(&self) -> &'static [Cause] {
        self.causes
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
        let (shape, wear) = (self.layer.media().shape(), self.layer.wear());
        let pages = u64::from(shape.blocks) * u64::from(shape.pages_per_block);
        Some(TranslationReport {
            work: self.layer.work().since(&self.preloaded),
            page_bytes: self.page.len() as u64,
            physical_bytes: pages * self.page.len() as u64,
            mapping_bytes: self.layer.mapping_bytes(),
            bad_blocks_max: self.layer.config().bad_blocks_max(),
            erases_least: wear.erases_min,
            erases_mean: wear.erases_mean,
            erases_most: wear.erases_max,
            health: Some(self.layer.health()),
        })
    }
}

impl<F: FlashDevice> Device for Translated<F> {
    fn overwrite_bytes(&self) -> u64 {
        1
    }

    /// None: the layer may have to clean before it can write.
    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.unbounded(at, bytes)
    }

    /// None: a read waits for the step of cleaning that it comes in.
    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.unbounded(at, bytes)
    }

    /// Unlike that of raw memories, the content is written by the layer, which finds its place: that takes time,
    /// energy and wear before the run. The work of the run does not include it.
    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        let before = self.layer.work().since(&self.preloaded);
        let done = self.write_pages(at, data);
        self.preloaded = self.layer.work().since(&before);
        self.clock.advance_to(self.flash().clock().now());
        done
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(Self {
            layer: self.layer.clone(),
            clock: self.clock.fork(),
            causes: self.causes,
            last: self.last,
            page: self.page.clone(),
            preloaded: self.preloaded,
        })
    }
}

/// A page's number: layers have fewer pages than 32 bits count.
const fn number(page: u64) -> u32 {
    page as u32
}

/// What an error of the layer is to users of the device.
fn failed(error: FtlError<NvmError>) -> NvmError {
    match error {
        FtlError::Device(error) => error,
        other => NvmError::Translation(other.to_string().into()),
    }
}

/// A medium that passes to its flash what its operations are for.
struct TimedMedia<F: FlashDevice> {
    media: FlashMedia<MeteredFlash<F>>,
    /// How long the last erase took, with its command and the polls.
    erase_ps: u64,
}

impl<F: FlashDevice> Clone for TimedMedia<F> {
    fn clone(&self) -> Self {
        Self {
            media: self.media.clone(),
            erase_ps: self.erase_ps,
        }
    }
}

impl<F: FlashDevice> Media for TimedMedia<F> {
    type Data = [u8];
    type Error = NvmError;

    fn shape(&self) -> Shape {
        self.media.shape()
    }

    fn purpose(&mut self, purpose: LayerPurpose) {
        self.media.flash_mut().purpose = purpose;
    }

    fn read(&mut self, page: u32, out: &mut [u8]) -> Result<(), MediaFault<NvmError>> {
        self.media.read(page, out)
    }

    fn program(
        &mut self,
        page: u32,
        record: PageRecord,
        data: &[u8],
    ) -> Result<(), MediaFault<NvmError>> {
        self.media.program(page, record, data)
    }

    fn copy(&mut self, from: u32, to: u32, record: PageRecord) -> Result<(), MediaFault<NvmError>> {
        self.media.copy(from, to, record)
    }

    fn fill(&mut self, page: u32, record: PageRecord) -> Result<(), MediaFault<NvmError>> {
        self.media.fill(page, record)
    }

    fn summarize(
        &mut self,
        block: u32,
        records: &[PageRecord],
    ) -> Result<(), MediaFault<NvmError>> {
        self.media.summarize(block, records)
    }

    fn erase(&mut self, block: u32, mode: CellMode) -> Result<(), MediaFault<NvmError>> {
        let before = self.media.flash().flash.clock().now();
        let erased = self.media.erase(block, mode);
        self.erase_ps = self.media.flash().flash.clock().now().since(before).ps();
        erased
    }

    fn erase_ps(&self) -> u64 {
        self.erase_ps
    }

    fn retire(&mut self, block: u32) -> Result<(), MediaFault<NvmError>> {
        self.media.retire(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, MediaFault<NvmError>> {
        self.media.is_bad(block)
    }

    fn safe_after(&self, page: u32) -> Option<u32> {
        self.media.safe_after(page)
    }

    fn advised(&mut self) -> Option<u32> {
        self.media.advised()
    }
}
