//! What a workload needs of any device, whatever its technology.

use std::any::Any;
use wordline_core::quantity::Time;
use wordline_core::{BackgroundWork, Readings, SimClock};
use wordline_memory::{ByteMemory, Flash};

use crate::background::{Background, BackgroundBounds, NoSuspend};
use crate::board::HostPower;
use crate::bus::Action;
use crate::bus::sd::BLOCK_BYTES;
use crate::cost::{AccessCost, Cause};
use crate::error::{Misuse, NvmError};
use crate::ftl::{LayerHealth, LayerWork};
use crate::paced_totals::WriteTotals;
use crate::power::{PowerDraw, Residence};
use crate::supply::Supply;
pub use crate::wear::Wear;
use crate::wired::SuspendedRead;

/// A device's clock, and its accounts of time, energy and wear.
pub trait Accounts {
    /// The simulated clock; a handle of it shows the same time.
    fn clock(&self) -> &SimClock;

    /// The causes that accesses of this device can have, in order.
    fn causes(&self) -> &'static [Cause];

    /// What the last access consisted of. Its total is the access's duration.
    fn last_cost(&self) -> &AccessCost;

    /// Where the chip's time went, up to now.
    fn residence(&self) -> Residence;

    /// Currents and voltage of the chip.
    fn power_draw(&self) -> &PowerDraw;

    /// Wear since the device was made.
    fn wear(&self) -> Wear;

    /// What the device was made from, and what its sheets lacked.
    fn notes(&self) -> &Notes;

    /// What the translation layer in front of a flash did; `None` for a memory without one.
    fn translation(&self) -> Option<TranslationReport> {
        None
    }
}

/// What stands in front of a device and keeps its accounts: implementing it gives [`Accounts`].
pub trait InFront {
    /// The device behind it.
    type Behind: Accounts + ?Sized;

    /// The device behind it.
    fn behind(&self) -> &Self::Behind;

    /// What the last access consisted of, where that is not what it was for the device.
    fn whole_cost(&self) -> &AccessCost {
        self.behind().last_cost()
    }
}

impl<W: InFront + ?Sized> Accounts for W {
    fn clock(&self) -> &SimClock {
        self.behind().clock()
    }

    fn causes(&self) -> &'static [Cause] {
        self.behind().causes()
    }

    fn last_cost(&self) -> &AccessCost {
        self.whole_cost()
    }

    fn residence(&self) -> Residence {
        self.behind().residence()
    }

    fn power_draw(&self) -> &PowerDraw {
        self.behind().power_draw()
    }

    fn wear(&self) -> Wear {
        self.behind().wear()
    }

    fn notes(&self) -> &Notes {
        self.behind().notes()
    }

    fn translation(&self) -> Option<TranslationReport> {
        self.behind().translation()
    }
}

/// What a translation layer did since the device was made, and what it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TranslationReport {
    /// Counts of operations.
    pub work: LayerWork,
    /// Bytes of a page that these counts are of.
    pub page_bytes: u64,
    /// Bytes of all blocks, spare ones included.
    pub physical_bytes: u64,
    /// Bytes of the layer's table of pages.
    pub mapping_bytes: u64,
    /// Bad blocks that it is sure to work with, those from the factory included.
    pub bad_blocks_max: u32,
    /// Erases of the least worn block.
    pub erases_least: u32,
    /// Mean erases of a block.
    pub erases_mean: f64,
    /// Erases of the most worn block.
    pub erases_most: u32,
    /// How much life it has left; `None` of the real-time layer, which states its bad blocks alone.
    pub health: Option<LayerHealth>,
}

/// A memory on a board, as a workload sees it: bytes, a clock and accounts.
pub trait Device: ByteMemory<Error = NvmError> + Accounts + Send + Any {
    /// Bytes that a write away from the sequential order must be a multiple of, and begin at a multiple
    /// of: 1 where any byte can be overwritten, the erase block of a flash memory.
    fn overwrite_bytes(&self) -> u64;

    /// Lets accesses of several pages overlap in a way. Returns whether the memory can do so; one
    /// that cannot stays as it is.
    fn use_pipeline(&mut self, _: Pipeline) -> bool {
        false
    }

    /// Lets reads go through the address space of the processor, in lines of its cache and without a driver. Writes and
    /// what the memory does by itself stay with the driver. Returns whether memory and board can do so; others stay as
    /// they are.
    fn map_reads(&mut self) -> bool {
        false
    }

    /// The longest that a [`write`](ByteMemory::write) of `bytes` bytes at `at` can take, by closed
    /// formula from the figures that the device resolved: whatever is stored, whatever other reads
    /// and writes came before, and whenever the driver happens to ask a busy chip for its status. It
    /// is of the ways of working that [are in use](Self::use_pipeline), and what the write erases is
    /// part of it.
    ///
    /// It holds in the device's own timing class. A figure that a `sampled` device drew once is bounded
    /// as it was drawn, and one that it draws for each operation by its maximum: a bound that is to
    /// hold for every seed is that of a device which was connected at `max`, because no draw exceeds
    /// the column `max`.
    ///
    /// It is of accesses that succeed, of a chip that is awake and has nothing left to do in the
    /// [background](Self::background).
    ///
    /// # Errors
    /// When the range leaves the memory, or the bound exceeds what simulated time can hold.
    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError>;

    /// The same for a [`read`](ByteMemory::read).
    ///
    /// # Errors
    /// As [`write_bound`](Self::write_bound).
    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError>;

    /// The same for a [`persist`](ByteMemory::persist): zero where every write is safe when it
    /// returns.
    ///
    /// # Errors
    /// When the bound exceeds what simulated time can hold.
    fn persist_bound(&self) -> Result<Time, NvmError> {
        Ok(Time::ZERO)
    }

    /// The longest totals of [writes](ByteMemory::write) of `bytes` bytes in a row, each at a multiple of them, wherever
    /// these lie; `None` where nothing is known of several that their [single bounds](Self::write_bound) do not say.
    ///
    /// # Errors
    /// When a total exceeds what simulated time can hold.
    fn write_totals(&self, bytes: u64) -> Result<Option<WriteTotals>, NvmError> {
        let _ = bytes;
        Ok(None)
    }

    /// Stores bytes without time, energy or wear: the content that a workload starts from.
    ///
    /// # Errors
    /// When the range leaves the memory.
    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError>;

    /// What a range holds, without time, energy or wear.
    ///
    /// # Errors
    /// When the range leaves the memory, or it has to be read to be known and that fails.
    fn peek(&self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.fork_device().read(at, out)
    }

    /// Whether [`write_reliably`](Self::write_reliably) is there.
    fn writes_reliably(&self) -> bool {
        false
    }

    /// Writes past the cache: the data are safe when it returns. The [bound of a write](Self::write_bound) holds for
    /// it, too.
    ///
    /// # Errors
    /// When the memory is no eMMC, or as [`write`](ByteMemory::write).
    fn write_reliably(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let _ = (at, data);
        Err(Misuse::NoReliableWrite.into())
    }

    /// Stores zeros in the same way, which a memory may do without holding them.
    ///
    /// # Errors
    /// When the range leaves the memory.
    fn preload_zeros(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        // Made when it is wanted: as a constant it would lie in every program that holds a device.
        let zeros = vec![0; bytes.min(1 << 16) as usize];
        let mut done = 0;
        while done < bytes {
            let length = (bytes - done).min(zeros.len() as u64);
            self.preload(at + done, &zeros[..length as usize])?;
            done += length;
        }
        Ok(())
    }

    /// Whether reads find what was written.
    fn keeps_content(&self) -> bool {
        true
    }

    /// Lets the memory forget its bytes and those to come, for work that compares none: reads find zeros, and times,
    /// energy and wear stay what they are. Returns whether the model can do without; others stay as they are.
    fn drop_content(&mut self) -> bool {
        false
    }

    /// The most bytes of writes that have ended which a power cut may still take: what a cache holds until it is
    /// [flushed](ByteMemory::persist).
    fn volatile_bytes(&self) -> u64 {
        0
    }

    /// Endurance cycles that the unit at an address has used, the device's age included; `None` outside the memory,
    /// and where the model counts no cycles of single units. A unit has
    /// [`wear().unit_bytes`](Accounts::wear) bytes.
    fn cycles_at(&self, _: u64) -> Option<u64> {
        None
    }

    /// Lets the unit at an address have used so many endurance cycles, the device's age included.
    ///
    /// # Errors
    /// When the address lies outside the memory, the device's age alone is more, they exceed 2^62, or the model counts
    /// no cycles of single units.
    fn set_cycles_at(&mut self, _: u64, _: u64) -> Result<(), NvmError> {
        Err(Misuse::NoUnitCycles.into())
    }

    /// Whether a sector of 512 bytes that repeats one word of 8 bytes takes no more host memory than that
    /// word, so that workloads may write many of them.
    fn holds_words(&self) -> bool {
        false
    }

    /// [Writes](ByteMemory::write) sectors of 512 bytes from a sector on, each of which repeats a word in little-endian
    /// order. A memory that [holds words](Self::holds_words) is spared the bytes; time and content are the same.
    ///
    /// # Errors
    /// As [`write`](ByteMemory::write).
    fn write_words(&mut self, sector: u64, words: &[u64]) -> Result<(), NvmError> {
        self.write(sector * BLOCK_BYTES, &sectors_of(words))
    }

    /// [Stores](Self::preload) sectors in the same way.
    ///
    /// # Errors
    /// As [`preload`](Self::preload).
    fn preload_words(&mut self, sector: u64, words: &[u64]) -> Result<(), NvmError> {
        self.preload(sector * BLOCK_BYTES, &sectors_of(words))
    }

    /// The memory as one that works by itself while the host does something else; `None` for one
    /// whose accesses leave nothing to wait for, as MRAM.
    fn background(&mut self) -> Option<&mut dyn Background> {
        None
    }

    /// Writes of `bytes` bytes, in a row, after which everything that the memory's firmware does from time to time has come
    /// once: a run that is shorter shows less than its longest access. `None` for a memory without a firmware, whose
    /// accesses are all that it does.
    fn own_period(&self, _bytes: u64) -> Option<u64> {
        None
    }

    /// Takes over times, currents and endurance from a device of the same part whose sheet has other values there.
    /// Content, mapping and wear stay. Returns whether it could; a memory that cannot stays as it is.
    fn take_figures(&mut self, _: &dyn Device) -> bool {
        false
    }

    /// Lets costs that are constants be compiled, which is so from the start, or runs every operation through the model.
    /// Either gives the same bytes, times, energies and wear.
    fn compile_costs(&mut self, _on: bool) {}

    /// An independent device in the same state, on a clock of its own.
    fn fork_device(&self) -> Box<dyn Device>;
}

/// The bytes of sectors that each repeat a word.
pub(crate) fn sectors_of(words: &[u64]) -> Vec<u8> {
    let repeated = |word: &u64| {
        word.to_le_bytes()
            .repeat(BLOCK_BYTES as usize / size_of::<u64>())
    };
    words.iter().flat_map(repeated).collect()
}

/// A flash memory on a board, as drivers and workloads see it: the [`Flash`] contract and accounts.
pub trait FlashDevice: Flash<Error = NvmError> + Accounts + Send + Sized + 'static {
    /// Reads parts of pages in their order, the fastest way that the chip has.
    ///
    /// # Errors
    /// When a part leaves its page or the memory, or the data cannot be corrected.
    fn read_parts(&mut self, parts: &[PagePart], out: &mut [u8]) -> Result<(), NvmError>;

    /// Programs parts of pages in their order, the fastest way that the chip has.
    ///
    /// # Errors
    /// As [`Flash::program`]. The parts before the failed one have been programmed, and where the chip
    /// works on several at a time, so may have been some after it: the rest of its group, and the
    /// group behind it in a cache program.
    fn program_parts(&mut self, parts: &[PagePart], data: &[u8]) -> Result<(), NvmError>;

    /// Erases blocks, at the same time where they lie in different planes and the chip can do so.
    ///
    /// # Errors
    /// As [`Flash::erase`].
    fn erase_blocks(&mut self, blocks: &[u32]) -> Result<(), NvmError>;

    /// The longest that [`read_parts`](Self::read_parts) takes for `bytes` bytes from `at` on, as
    /// [`Device::read_bound`] says. Addresses count good blocks alone, and pages alternate between
    /// `together` blocks, each of another plane where it is more than 1.
    ///
    /// # Errors
    /// When the range leaves the memory, or the bound exceeds what simulated time can hold.
    fn read_bound(&self, at: u64, bytes: u64, together: u32) -> Result<Time, NvmError>;

    /// The longest that [`program_parts`](Self::program_parts) takes for such a range, which lies in
    /// `together` blocks.
    ///
    /// # Errors
    /// When the range leaves the memory, or the bound exceeds what simulated time can hold.
    fn program_bound(&self, at: u64, bytes: u64, together: u32) -> Result<Time, NvmError>;

    /// The longest that [`erase_blocks`](Self::erase_blocks) takes for `blocks` blocks, each of
    /// another plane where the planes [are in use](Pipeline::MultiPlane).
    ///
    /// # Errors
    /// When the bound exceeds what simulated time can hold.
    fn erase_bound(&self, blocks: u32) -> Result<Time, NvmError>;

    /// The longest that one page takes with its spare area: read, and programmed; and its spare area read alone.
    ///
    /// # Errors
    /// When a bound exceeds what simulated time can hold.
    fn page_bounds(&self) -> Result<PageBounds, NvmError> {
        let bytes = u64::from(self.geometry().page_bytes);
        Ok(PageBounds {
            read: self.read_bound(0, bytes, 1)?,
            program: self.program_bound(0, bytes, 1)?,
            spare_read: Time::ZERO,
            moved: None,
        })
    }

    /// The longest that a driver and a read wait for work in the background, of one block or one page. Begin and wait of an
    /// erase together are no longer than its [bound](Self::erase_bound).
    ///
    /// # Errors
    /// When a bound exceeds what simulated time can hold.
    fn background_bounds(&self, work: BackgroundWork) -> Result<BackgroundBounds, NvmError>;

    /// Lets [`read_parts`](Self::read_parts), [`program_parts`](Self::program_parts) and
    /// [`erase_blocks`](Self::erase_blocks) overlap in a way. Returns whether the chip can do so; one
    /// that cannot stays as it is.
    fn use_pipeline(&mut self, _: Pipeline) -> bool {
        false
    }

    /// As [`Device::map_reads`].
    fn map_reads(&mut self) -> bool {
        false
    }

    /// Blocks that a driver keeps together so that work on them overlaps: 1, or the planes of a chip
    /// that [uses them](Pipeline::MultiPlane).
    fn blocks_together(&self) -> u32 {
        1
    }

    /// Stores bytes in the main area of a page without time, energy or wear, and without erasing.
    ///
    /// # Errors
    /// When the range leaves the page or the memory.
    fn preload_page(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError>;

    /// Begins work and does not wait for it. `data` is what a program stores, from the first byte of
    /// its page on; an erase takes none.
    ///
    /// # Errors
    /// As [`Flash::program`] and [`Flash::erase`], up to the command that begins the work.
    fn begin_work(&mut self, work: FlashWork, data: &[u8]) -> Result<(), NvmError>;

    /// Waits for the end of work that was begun.
    ///
    /// # Errors
    /// When the chip reports that it failed.
    fn await_work(&mut self, work: FlashWork) -> Result<(), NvmError>;

    /// When what runs will have ended, if nothing suspends it.
    fn busy_until(&self) -> Time;

    /// Whether programs and erases can be suspended for a read.
    ///
    /// # Errors
    /// Why they cannot.
    fn check_suspend(&self) -> Result<(), NoSuspend> {
        Err(NoSuspend::Chip)
    }

    /// As [`read_parts`](Self::read_parts), but what runs is suspended for it and then resumed.
    ///
    /// # Errors
    /// When that is impossible, or as `read_parts`.
    fn read_parts_suspending(
        &mut self,
        parts: &[PagePart],
        out: &mut [u8],
    ) -> Result<SuspendedRead, NvmError> {
        let _ = (parts, out);
        Err(NvmError::Unsupported(Action::Suspend))
    }

    /// An independent device in the same state, on a clock of its own.
    fn fork_flash(&self) -> Self;
}

/// The longest that one page takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageBounds {
    /// To read it.
    pub read: Time,
    /// To program it.
    pub program: Time,
    /// To read its spare area alone, where it has one.
    pub spare_read: Time,
    /// To read its spare area, and move it within the chip with another one; none where pages pass the bus.
    pub moved: Option<Time>,
}

/// A range of bytes within a page, and the range of the caller's bytes that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePart {
    /// The page.
    pub page: u32,
    /// The first byte in it.
    pub column: u32,
    /// The caller's bytes.
    pub range: std::ops::Range<usize>,
}

/// A way in which accesses of several pages overlap in a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pipeline {
    /// The array fetches the next page while the host reads the one before it.
    CacheRead,
    /// The host loads the next page while the array programs the one before it.
    CacheProgram,
    /// The planes of the chip work at the same time.
    MultiPlane,
}

/// The ways that are in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pipelines {
    /// See [`Pipeline::CacheRead`].
    pub cache_read: bool,
    /// See [`Pipeline::CacheProgram`].
    pub cache_program: bool,
    /// See [`Pipeline::MultiPlane`].
    pub multi_plane: bool,
}

impl Pipelines {
    /// Takes a way into use.
    pub const fn insert(&mut self, pipeline: Pipeline) {
        match pipeline {
            Pipeline::CacheRead => self.cache_read = true,
            Pipeline::CacheProgram => self.cache_program = true,
            Pipeline::MultiPlane => self.multi_plane = true,
        }
    }
}

/// A program or an erase that a flash chip does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashWork {
    /// A page is programmed.
    Program {
        /// The page.
        page: u32,
    },
    /// A block is erased.
    Erase {
        /// The block.
        block: u32,
    },
}

/// What a device was made from, and what its sheets lacked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Figures of the part's sheet that were read, and columns that it lacked.
    pub part: Readings,
    /// The same of the board's sheet.
    pub board: Readings,
    /// Currents that the part's sheet does not state for the conditions on this board.
    pub currents: Vec<CurrentGap>,
    /// What the host draws, where the board's sheet says so.
    pub host: Option<HostPower>,
    /// The voltages of chip and host.
    pub supply: Option<Supply>,
    /// From power on to the first access, as the sheet asks the host to wait; `None` where it does not
    /// say.
    pub power_up: Option<Time>,
    /// From the command that ends deep power-down to the first access; `None` where the chip has no
    /// such command that the board drives.
    pub wake_up: Option<Time>,
    /// Limits of the part that its bounds rest on and that neither a data sheet nor a publication gives, by name:
    /// where there are any, the bounds prove nothing.
    pub assumed_limits: Vec<&'static str>,
}

/// A current that a sheet does not state for the conditions of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CurrentGap {
    /// There is none for the action and transfer rate: energy is unknown.
    Unknown {
        /// What the chip does.
        action: &'static str,
    },
    /// The bus is faster than every test condition: the highest stated current is too low.
    Faster {
        /// Name of the figure that was used.
        figure: String,
        /// The bus clock.
        clock: String,
    },
}
