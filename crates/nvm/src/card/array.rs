//! The flash of a card, of which only time counts.

use std::convert::Infallible;

use wordline_core::draw::Purpose;
use wordline_core::quantity::{Quantity, Time};
use wordline_core::{Resolver, Spread};

use super::sheet::{ArraySheet, CardSheet};
use crate::cost::{AccessCost, Cause};
use crate::ftl::{CellMode, LayerPurpose as Why, Media, MediaFault, PageRecord, Shape};

/// Time in picoseconds that the controller spent and that no access has paid for yet, by cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ledger {
    spent: [u64; Cause::ALL.len()],
    /// All of it.
    sum: u64,
}

/// What is forgotten first when the bus was busy at the same time: the firmware, which works while data
/// arrive, and then the access's own work. What the controller does beside it comes last.
const OWN_FIRST: [Cause; 10] = [
    Cause::Firmware,
    Cause::Mapping,
    Cause::ArrayRead,
    Cause::Program,
    Cause::Erase,
    Cause::Leveling,
    Cause::Folding,
    Cause::Cleaning,
    Cause::Merging,
    Cause::Housekeeping,
];

impl Ledger {
    const NEW: Self = Self {
        spent: [0; Cause::ALL.len()],
        sum: 0,
    };

    fn add(&mut self, cause: Cause, ps: u64) {
        let slot = &mut self.spent[cause as usize];
        *slot = slot.saturating_add(ps);
        self.sum = self.sum.saturating_add(ps);
    }

    /// Forgets what delayed no access, so that `ps` are left.
    pub(super) fn keep(&mut self, ps: u64) {
        let mut over = self.sum.saturating_sub(ps);
        for cause in OWN_FIRST {
            if over == 0 {
                break;
            }
            let slot = &mut self.spent[cause as usize];
            let cut = over.min(*slot);
            *slot -= cut;
            over -= cut;
            self.sum = self.sum.saturating_sub(cut);
        }
        if self.sum < ps {
            self.add(Cause::Program, ps - self.sum);
        }
    }

    /// Books `ps` of what was spent to an access; the rest is left for the next.
    pub(super) fn pay(&mut self, mut ps: u64, cost: &mut AccessCost) {
        for cause in OWN_FIRST {
            if ps == 0 {
                break;
            }
            let slot = &mut self.spent[cause as usize];
            let part = ps.min(*slot);
            *slot -= part;
            self.sum = self.sum.saturating_sub(part);
            ps -= part;
            cost.add(cause, Time::from_ps(part));
        }
    }
}

/// Until when a die is busy, and with what.
#[derive(Clone, Copy, Debug)]
struct DieState {
    free: u64,
    with: Cause,
}

/// Where a page is.
#[derive(Clone, Copy, Debug)]
struct PlaceOfPage {
    page: u64,
    block: usize,
    die: usize,
}

/// Times of one kind of cells.
#[derive(Clone, Copy, Debug)]
struct CellTimes {
    read: Spread<Time>,
    program: Spread<Time>,
}

/// The blocks that the firmware keeps to itself, for the mapping and its journal. They are filled and erased in turn,
/// so that the next one to be filled holds nothing that is still wanted.
#[derive(Clone, Debug)]
struct FirmwareBlocks {
    /// Pages programmed.
    pages: u64,
    /// Erases of each block. All blocks beyond data and spare are the firmware's, and two at the least.
    erases: Vec<u32>,
}

/// The flash of a card: dies that work side by side behind one channel, and the time of the controller,
/// which does one thing after the other and lets dies program behind its back.
#[derive(Clone, Debug)]
pub struct CardArray {
    shape: Shape,
    native: CellTimes,
    slc: CellTimes,
    erase: Spread<Time>,
    /// Picoseconds for each byte on the channel.
    byte_ps: f64,
    /// Whether pages are moved within a die without the channel.
    copy_back: bool,
    page_bytes: u64,
    dies: Vec<DieState>,
    in_slc: Vec<bool>,
    erases: Vec<u32>,
    own: FirmwareBlocks,
    /// The controller's time in picoseconds.
    now: u64,
    /// Bytes that the next read of the host moves.
    read_bytes: u64,
    /// When the last program for the host will have ended.
    host_programmed: u64,
    programs: u64,
    /// What work is done for.
    why: Why,
    /// Whether work takes no time: content that a workload starts from.
    timeless: bool,
    pub(super) ledger: Ledger,
}

impl CardArray {
    /// Takes over the times of the cells and of the channel.
    pub(super) fn take_times(&mut self, other: &Self) {
        self.native = other.native;
        self.slc = other.slc;
        self.erase = other.erase;
        self.byte_ps = other.byte_ps;
    }

    pub(super) fn new(sheet: &CardSheet, resolver: &mut Resolver) -> Self {
        let array = &sheet.array;
        for name in ["planes", "dies", "pages_per_block", "blocks"] {
            resolver.read(&format!("array.{name}"));
        }
        let shape = sheet.layer_shape();
        let native = CellTimes {
            read: resolver.spread("array.page_read", &array.page_read, Purpose::FigureSample),
            program: resolver.spread(
                "array.page_program",
                &array.page_program,
                Purpose::ProgramTime,
            ),
        };
        let slc = array.slc.as_ref().map_or(native, |slc| {
            resolver.read("array.slc.pages_per_block");
            let program = &slc.page_program;
            CellTimes {
                read: resolver.spread("array.slc.page_read", &slc.page_read, Purpose::FigureSample),
                program: resolver.spread("array.slc.page_program", program, Purpose::ProgramTime),
            }
        });
        resolver.fixed("array.page_bytes", &array.page_bytes);
        Self {
            shape,
            native,
            slc,
            erase: resolver.spread("array.block_erase", &array.block_erase, Purpose::EraseTime),
            byte_ps: 1e12 / resolver.fixed("array.transfer", &array.transfer).si(),
            copy_back: copy_back(array, resolver),
            page_bytes: array.layer_page_bytes(),
            dies: vec![
                DieState {
                    free: 0,
                    with: Cause::Program
                };
                dies(array)
            ],
            in_slc: vec![false; shape.blocks as usize],
            erases: vec![0; shape.blocks as usize],
            own: FirmwareBlocks {
                pages: 0,
                erases: vec![0; array.blocks.value().saturating_sub(shape.blocks).max(2) as usize],
            },
            now: 0,
            read_bytes: 0,
            host_programmed: 0,
            programs: 0,
            why: Why::Host,
            timeless: false,
            ledger: Ledger::NEW,
        }
    }

    /// The controller's time in picoseconds.
    pub(super) const fn now(&self) -> u64 {
        self.now
    }

    /// Dies that work side by side.
    pub(super) const fn dies(&self) -> usize {
        self.dies.len()
    }

    /// The controller has nothing to do before an instant.
    pub(super) fn rest_until(&mut self, ps: u64) {
        self.now = self.now.max(ps);
    }

    /// The controller works for a time, or waits.
    pub(super) fn spend(&mut self, what: Cause, ps: u64) {
        if !self.timeless {
            self.now = self.now.saturating_add(ps);
            self.ledger.add(what, ps);
        }
    }

    fn wait_until(&mut self, ps: u64, what: Cause) {
        self.spend(what, ps.saturating_sub(self.now));
    }

    /// Waits until what the host wrote is programmed.
    pub(super) fn wait_for_host(&mut self) {
        self.wait_until(self.host_programmed, Cause::Program);
    }

    /// The next read of the host moves so many bytes of its page.
    pub(super) const fn read_next(&mut self, bytes: u64) {
        self.read_bytes = bytes;
    }

    pub(super) const fn set_timeless(&mut self, timeless: bool) {
        self.timeless = timeless;
    }

    /// Programs a page of the mapping or of its journal, on the dies in turn. Behind the last page of a block the next
    /// block is erased.
    pub(super) fn program_mapping(&mut self) {
        let die = (self.programs % self.dies.len() as u64) as usize;
        self.load(die, Cause::Mapping);
        let time = self.native.program.at(u64::MAX, self.programs).ps();
        self.start(die, time, Cause::Mapping);
        self.own.pages += 1;
        let per_block = u64::from(self.shape.pages_per_block);
        if self.own.pages.is_multiple_of(per_block) {
            let next = (self.own.pages / per_block % self.own.erases.len() as u64) as usize;
            self.erase_dies(u64::MAX, u64::from(self.own.erases[next]), Cause::Mapping);
            self.own.erases[next] = self.own.erases[next].saturating_add(1);
        }
    }

    /// Pages of the mapping and of its journal that were programmed.
    pub(super) const fn mapping_pages(&self) -> u64 {
        self.own.pages
    }

    /// Erases of each block of the translation layer.
    pub(super) fn erases(&self) -> &[u32] {
        &self.erases
    }

    /// Erases of each block of the firmware's own.
    pub(super) fn own_erases(&self) -> &[u32] {
        &self.own.erases
    }

    /// Erases a block of all dies while the controller goes on: the next access to one of them waits for it.
    fn erase_dies(&mut self, block: u64, cycle: u64, with: Cause) {
        let time = self.erase.at(block, cycle).ps();
        for die in &mut self.dies {
            let begin = die.free.max(self.now);
            *die = DieState {
                free: begin.saturating_add(time),
                with,
            };
        }
    }

    /// Bytes of a block, as the translation layer counts them.
    pub(super) fn block_bytes(&self) -> u64 {
        self.page_bytes * u64::from(self.shape.pages_per_block)
    }

    /// What a program is booked as.
    const fn cause(&self) -> Cause {
        match self.why {
            Why::Host | Why::Overhead => Cause::Program,
            Why::Cleaning | Why::Recovery => Cause::Cleaning,
            Why::Leveling => Cause::Leveling,
            Why::Folding => Cause::Folding,
            Why::Merging => Cause::Merging,
        }
    }

    fn cells(&self, at: &PlaceOfPage) -> &CellTimes {
        if self.in_slc[at.block] {
            &self.slc
        } else {
            &self.native
        }
    }

    /// Every access asks, and the answer is long divisions.
    fn place(&self, page: u32) -> PlaceOfPage {
        let per_block = self.shape.pages_per_block;
        let (block, index) = (page / per_block, page % per_block);
        PlaceOfPage {
            page: u64::from(page),
            block: block as usize,
            die: index as usize % self.dies.len(),
        }
    }

    /// How often a page's block was erased: what its times are drawn with.
    fn cycle(&self, at: &PlaceOfPage) -> u64 {
        u64::from(self.erases[at.block])
    }

    fn transfer_ps(&self, bytes: u64) -> u64 {
        (bytes as f64 * self.byte_ps) as u64
    }

    /// Fetches a page and moves `bytes` of it to the controller.
    fn fetch(&mut self, page: u32, bytes: u64, what: Cause) {
        if !self.timeless {
            self.fetch_at(&self.place(page), bytes, what);
        }
    }

    fn fetch_at(&mut self, at: &PlaceOfPage, bytes: u64, what: Cause) {
        let die = self.dies[at.die];
        self.wait_until(die.free, die.with);
        let read = self.cells(at).read.at(at.page, self.cycle(at)).ps();
        self.spend(what, read + self.transfer_ps(bytes));
    }

    /// Moves a page to a die that is done with what it did before.
    fn load(&mut self, die: usize, what: Cause) {
        self.wait_until(self.dies[die].free, self.dies[die].with);
        self.spend(what, self.transfer_ps(self.page_bytes));
    }

    fn start(&mut self, die: usize, time: u64, with: Cause) {
        self.programs += 1;
        if !self.timeless {
            self.dies[die] = DieState {
                free: self.now.saturating_add(time),
                with,
            };
        }
    }

    fn program_page(&mut self, page: u32) {
        if !self.timeless {
            let at = self.place(page);
            self.load(at.die, self.cause());
            self.program_register(&at);
        }
    }

    /// Programs what the register of a page's die holds.
    fn program_register(&mut self, at: &PlaceOfPage) {
        let what = self.cause();
        let time = self.cells(at).program.at(at.page, self.cycle(at)).ps();
        self.start(at.die, time, what);
        if what == Cause::Program {
            self.host_programmed = self.host_programmed.max(self.dies[at.die].free);
        }
    }
}

fn copy_back(array: &ArraySheet, resolver: &mut Resolver) -> bool {
    array.copy_back.as_ref().is_some_and(|copy_back| {
        resolver.read("array.copy_back");
        *copy_back.value()
    })
}

fn dies(array: &ArraySheet) -> usize {
    *array.dies.value() as usize
}

impl Media for CardArray {
    type Data = ();
    type Error = Infallible;

    fn shape(&self) -> Shape {
        self.shape
    }

    fn purpose(&mut self, purpose: Why) {
        self.why = purpose;
    }

    fn read(&mut self, page: u32, (): &mut ()) -> Result<(), MediaFault<Infallible>> {
        self.fetch(page, self.read_bytes, Cause::ArrayRead);
        Ok(())
    }

    fn program(&mut self, page: u32, _: PageRecord, (): &()) -> Result<(), MediaFault<Infallible>> {
        self.program_page(page);
        Ok(())
    }

    fn copy(&mut self, from: u32, to: u32, _: PageRecord) -> Result<(), MediaFault<Infallible>> {
        if self.timeless {
            return Ok(());
        }
        let (from, to) = (self.place(from), self.place(to));
        if self.copy_back && from.die == to.die {
            self.fetch_at(&from, 0, self.cause());
        } else {
            self.fetch_at(&from, self.page_bytes, self.cause());
            self.load(to.die, self.cause());
        }
        self.program_register(&to);
        Ok(())
    }

    fn fill(&mut self, page: u32, _: PageRecord) -> Result<(), MediaFault<Infallible>> {
        self.program_page(page);
        Ok(())
    }

    fn summarize(&mut self, _: u32, _: &[PageRecord]) -> Result<(), MediaFault<Infallible>> {
        Ok(())
    }

    fn erase(&mut self, block: u32, mode: CellMode) -> Result<(), MediaFault<Infallible>> {
        let index = block as usize;
        self.in_slc[index] = mode == CellMode::Slc;
        if !self.timeless {
            let cycle = u64::from(self.erases[index]);
            self.erase_dies(u64::from(block), cycle, Cause::Erase);
            self.erases[index] = self.erases[index].saturating_add(1);
        }
        Ok(())
    }

    fn retire(&mut self, _: u32) -> Result<(), MediaFault<Infallible>> {
        Ok(())
    }

    fn is_bad(&mut self, _: u32) -> Result<bool, MediaFault<Infallible>> {
        Ok(false)
    }

    fn advised(&mut self) -> Option<u32> {
        None
    }
}
