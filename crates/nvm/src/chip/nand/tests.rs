mod faults;
mod sheet;

use wordline_core::Timing;
use wordline_memory::FlashMisuse;

use super::*;
use crate::bus::{Action, Transaction};
use crate::device::Accounts;
use crate::error::Misuse;
use crate::fixture::{TYPICAL, board, connect_nand, nand, nand_sheet_with};
use crate::power::PowerState;
use crate::wired::{Conditions, Wired};

const US: u64 = 1_000_000;

const fn us(us: u64) -> Time {
    Time::from_ps(us * US)
}

/// A bare chip, driven as by a host that waits for exactly as long as it must.
struct Bench {
    chip: Nand,
    link: Link,
}

impl Bench {
    fn new() -> Self {
        Self::of(&nand(TYPICAL))
    }

    fn of(device: &Wired<Nand>) -> Self {
        Self {
            chip: device.chip().clone(),
            link: device.link().clone(),
        }
    }

    fn bus(&self, action: Action, bytes: u64) -> Transaction {
        let command = self.link.command(action);
        command
            .expect("the invented part has it")
            .transaction(0, bytes)
    }

    /// The first instant at which the chip takes any command.
    fn now(&self) -> Time {
        self.chip.ready().later(self.chip.array_until())
    }

    fn enable(&mut self) -> Result<Time, NvmError> {
        let bus = self.bus(Action::WriteEnable, 0);
        self.chip.write_enable(self.now(), &bus)
    }

    fn load(&mut self, column: u32, data: &[u8]) -> Result<Time, NvmError> {
        let bus = self.bus(Action::Write, data.len() as u64);
        self.chip.load(self.now(), &bus, 0, column, data)
    }

    fn execute(&mut self, page: u32) -> Result<Time, NvmError> {
        let bus = self.bus(Action::Execute, 0);
        self.chip.execute(self.now(), &bus, page)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<Time, NvmError> {
        self.enable()?;
        self.load(column, data)?;
        self.execute(page)
    }

    fn erase(&mut self, block: u32) -> Result<Time, NvmError> {
        self.enable()?;
        let bus = self.bus(Action::Erase, 0);
        self.chip.erase(self.now(), &bus, block)
    }

    fn page_read(&mut self, page: u32) -> Result<Time, NvmError> {
        let bus = self.bus(Action::PageRead, 0);
        self.chip.page_read(self.now(), &bus, page)
    }

    fn register(&mut self, column: u32, bytes: usize) -> Vec<u8> {
        let bus = self.bus(Action::Read, bytes as u64);
        let start = self.chip.ready().later(self.chip.busy_until());
        let mut out = vec![0; bytes];
        let read = self.chip.read_register(start, &bus, 0, column, &mut out);
        read.expect("the register is full");
        out
    }

    fn read(&mut self, page: u32, column: u32, bytes: usize) -> (Vec<u8>, EccVerdict) {
        self.page_read(page).expect("ready");
        (self.register(column, bytes), self.chip.verdict(0))
    }
}

fn refused(misuse: impl Into<Misuse>) -> Result<Time, NvmError> {
    Err(NvmError::Misuse(misuse.into()))
}

#[test]
fn a_program_and_an_erase_need_a_write_enable_each() {
    let mut bench = Bench::new();
    bench.load(0, &[0; 128]).expect("ready");
    assert_eq!(bench.execute(0), refused(Misuse::WriteNotEnabled));
    bench.program(0, 0, &[0; 128]).expect("enabled");
    assert!(!bench.chip.write_enabled());
    assert_eq!(bench.execute(1), refused(Misuse::WriteNotEnabled));
    bench.erase(0).expect("enabled");
    assert!(!bench.chip.write_enabled());
    let bus = bench.bus(Action::Erase, 0);
    let again = bench.chip.erase(bench.now(), &bus, 0);
    assert_eq!(again, refused(Misuse::WriteNotEnabled));
    assert_eq!(bench.chip.cycles_of(0), Some(1));
}

#[test]
fn a_busy_chip_takes_no_command() {
    let mut bench = Bench::new();
    bench.program(0, 0, &[0; 128]).expect("ready");
    let until = bench.chip.busy_until();
    let early = Time::from_ps(until.ps() - 1);
    let busy = refused(Misuse::Busy { until });
    let bus = bench.bus(Action::WriteEnable, 0);
    assert_eq!(bench.chip.write_enable(early, &bus), busy);
    assert_eq!(bench.chip.page_read(early, &bus, 0), busy);
    assert_eq!(bench.chip.read_register(early, &bus, 0, 0, &mut [0]), busy);
    assert_eq!(bench.chip.load(early, &bus, 0, 0, &[0]), busy);
    assert_eq!(bench.chip.execute(early, &bus, 1), busy);
    assert_eq!(bench.chip.erase(early, &bus, 0), busy);
    assert!(bench.chip.write_enable(until, &bus).is_ok());
}

#[test]
fn chip_select_stays_high_between_transactions() {
    let mut bench = Bench::new();
    let end = bench.enable().expect("ready");
    assert_eq!(bench.chip.ready(), end.plus(Time::from_ps(100_000)));
    let bus = bench.bus(Action::WriteEnable, 0);
    let misuse = Misuse::NotReady {
        start: end,
        ready: bench.chip.ready(),
    };
    assert_eq!(bench.chip.write_enable(end, &bus), refused(misuse));
}

#[test]
fn power_up_takes_its_time() {
    let device = nand(TYPICAL);
    let sheet = nand_sheet_with("", "");
    let mut resolver = Resolver::new(Timing::Typ, 0, "part");
    let (mut chip, gaps) = Nand::new(&sheet, device.link(), &mut resolver, 0.0, 0);
    assert_eq!(gaps, []);
    assert_eq!(chip.ready(), us(1000));
    let bus = Transaction::default();
    assert!(
        chip.write_enable(Time::from_ps(1000 * US - 1), &bus)
            .is_err()
    );
    assert!(chip.write_enable(us(1000), &bus).is_ok());
}

/// Each operation keeps the chip busy for its figure, counted from the end of its command.
#[test]
fn operations_last_as_the_sheet_says() {
    let mut bench = Bench::new();
    let end = bench.page_read(0).expect("ready");
    assert_eq!(bench.chip.busy_until(), end.plus(us(50)));
    let end = bench.program(0, 0, &[0; 512]).expect("ready");
    assert_eq!(bench.chip.busy_until(), end.plus(us(200)));
    let end = bench.erase(0).expect("ready");
    assert_eq!(bench.chip.busy_until(), end.plus(us(2000)));
    bench.chip.set_ecc(false);
    let end = bench.page_read(0).expect("ready");
    assert_eq!(bench.chip.busy_until(), end.plus(us(20)));
    let end = bench.program(0, 0, &[0; 512]).expect("ready");
    assert_eq!(bench.chip.busy_until(), end.plus(us(180)));
}

#[test]
fn pages_go_in_rising_order_and_may_be_left_out() {
    let mut bench = Bench::new();
    bench.program(10, 0, &[0; 512]).expect("a gap");
    let misuse = FlashMisuse::OutOfOrder { page: 9, later: 10 };
    assert_eq!(bench.program(9, 0, &[0; 512]), refused(misuse));
    bench.program(11, 0, &[0; 512]).expect("the next");
    bench.program(0, 0, &[0; 512]).expect("another block");
    bench.erase(1).expect("ready");
    bench.program(9, 0, &[0; 512]).expect("erased");

    let free = nand_sheet_with("in_order = { value = true", "in_order = { value = false");
    let mut bench = Bench::of(&connect_nand(&free, &board(), TYPICAL));
    bench.program(1, 0, &[0; 512]).expect("ready");
    bench.program(0, 0, &[0; 512]).expect("any order");
}

/// Four sectors take a program each; their spare bytes belong to them; the rest of the spare area
/// shares the page's four programs.
#[test]
fn a_sector_takes_one_program_and_a_page_four() {
    let mut bench = Bench::new();
    bench.program(0, 0, &[0; 128]).expect("sector 0");
    for (column, bytes) in [(0, 1), (127, 2), (64, 512 - 64)] {
        let misuse = FlashMisuse::Reprogram { page: 0, column };
        assert_eq!(bench.program(0, column, &vec![0; bytes]), refused(misuse));
    }
    let misuse = FlashMisuse::Reprogram {
        page: 0,
        column: 528,
    };
    assert_eq!(bench.program(0, 528, &[0; 4]), refused(misuse));
    bench.program(0, 128, &[0; 128]).expect("sector 1");
    bench.program(0, 513, &[0; 8]).expect("no sector");
    bench.program(0, 513, &[1; 8]).expect("no sector again");
    let misuse = FlashMisuse::TooManyPrograms {
        page: 0,
        allowed: 4,
    };
    assert_eq!(bench.program(0, 256, &[0; 128]), refused(misuse));
    bench.erase(0).expect("ready");
    bench.program(0, 0, &[0; 512]).expect("erased");
}

#[test]
fn without_ecc_a_sector_takes_what_the_page_takes() {
    let mut bench = Bench::new();
    bench.chip.set_ecc(false);
    for data in [0xfe, 0xfd, 0xfb, 0xf7] {
        bench.program(0, 0, &[data; 2]).expect("four programs");
    }
    assert_eq!(bench.read(0, 0, 3).0, [0xf0, 0xf0, 0xff]);
    let misuse = FlashMisuse::TooManyPrograms {
        page: 0,
        allowed: 4,
    };
    assert_eq!(bench.program(0, 0, &[0]), refused(misuse));
}

#[test]
fn parity_is_the_chips_own() {
    let mut bench = Bench::new();
    let mut page = [0; 576];
    assert_eq!(
        bench.program(0, 0, &page),
        refused(Misuse::EccParity { column: 544 })
    );
    page[544..].fill(0xff);
    bench.program(0, 0, &page).expect("parity left alone");
    bench.chip.set_ecc(false);
    bench
        .program(1, 0, &[0; 576])
        .expect("no parity without ECC");
}

#[test]
fn ranges_end_with_the_page_and_the_memory() {
    let mut bench = Bench::new();
    let start = bench.now();
    let bus = Transaction::default();
    let leaves = FlashMisuse::LeavesPage {
        column: 575,
        bytes: 2,
        columns: 576,
    };
    bench.page_read(0).expect("ready");
    assert_eq!(
        bench.chip.load(start, &bus, 0, 575, &[0; 2]),
        refused(leaves)
    );
    assert_eq!(
        bench.chip.read_register(start, &bus, 0, 575, &mut [0; 2]),
        refused(leaves)
    );
    let page = FlashMisuse::NoSuchPage {
        page: 128,
        pages: 128,
    };
    assert_eq!(bench.page_read(128), refused(page));
    assert_eq!(bench.program(128, 0, &[0]), refused(page));
    let block = FlashMisuse::NoSuchBlock {
        block: 16,
        blocks: 16,
    };
    assert_eq!(bench.erase(16), refused(block));
    assert!(bench.chip.flip_bit(0, 576, 0).is_err());
    assert!(bench.chip.preload(0, 511, &[0; 2]).is_err());
    assert!(bench.chip.fail_block(16).is_err());
    assert_eq!(bench.chip.cycles_of(16), None);
}

#[test]
fn an_empty_register_is_neither_read_nor_programmed() {
    let mut bench = Bench::new();
    bench.enable().expect("ready");
    assert_eq!(bench.execute(0), refused(Misuse::RegisterEmpty));
    let bus = bench.bus(Action::Read, 1);
    let start = bench.now();
    assert_eq!(
        bench.chip.read_register(start, &bus, 0, 0, &mut [0]),
        refused(Misuse::RegisterEmpty)
    );
}

/// The register outlives its program: a page that was read can be programmed elsewhere, and the host
/// never moves it.
#[test]
fn a_page_is_copied_inside_the_chip() {
    let mut bench = Bench::new();
    bench.program(0, 0, &[7; 512]).expect("ready");
    bench.page_read(0).expect("ready");
    bench.enable().expect("ready");
    bench.execute(8).expect("a page was read");
    assert_eq!(bench.read(8, 0, 512).0, [7; 512]);
}

#[test]
fn a_program_clears_bits_and_an_erase_sets_them() {
    let mut bench = Bench::new();
    bench.program(3, 128, &[0x5a; 128]).expect("ready");
    let (bytes, verdict) = bench.read(3, 0, 576);
    assert_eq!(bytes[..128], [0xff; 128]);
    assert_eq!(bytes[128..256], [0x5a; 128]);
    assert_eq!(bytes[256..], [0xff; 320]);
    assert_eq!(verdict, EccVerdict::Good(Ecc::Clean));
    bench.erase(0).expect("ready");
    assert_eq!(bench.read(3, 0, 576).0, [0xff; 576]);
}

/// 13h, then 30h for each page that follows, then 3Fh. The array read of the next page begins when the
/// page before is in the cache register, and the host reads that one meanwhile.
#[test]
fn a_cache_read_overlaps_array_and_bus() {
    let mut bench = Bench::new();
    for page in 0..3 {
        bench.program(page, 0, &[page as u8; 512]).expect("ready");
    }
    bench.page_read(0).expect("ready");
    let bus = bench.bus(Action::PageReadCache, 0);
    let end = bench.chip.page_read_cache(bench.now(), &bus, 1);
    let end = end.expect("a page was read");
    assert_eq!(bench.chip.busy_until(), end.plus(us(5)));
    assert_eq!(bench.chip.array_until(), end.plus(us(55)));
    assert_eq!(bench.register(0, 512), [0; 512]);
    // The transfer of 10.4 us has ended, and the array is still at work: only cache reads go on.
    let early = bench.chip.ready();
    let until = bench.chip.array_until();
    let busy = refused(Misuse::Busy { until });
    assert!(early < until);
    assert_eq!(bench.chip.page_read(early, &bus, 2), busy);
    assert_eq!(bench.chip.write_enable(early, &bus), busy);
    assert_eq!(bench.chip.load(early, &bus, 0, 0, &[0]), busy);
    // The second 30h waits for the array, then moves the register.
    bench
        .chip
        .page_read_cache(early, &bus, 2)
        .expect("pipelined");
    assert_eq!(bench.chip.busy_until(), until.plus(us(5)));
    assert_eq!(bench.register(0, 512), [1; 512]);
    let early = bench.chip.ready();
    bench.chip.page_read_last(early, &bus).expect("pipelined");
    assert_eq!(bench.chip.busy_until(), until.plus(us(60)));
    assert_eq!(bench.register(0, 512), [2; 512]);
    let over = bench.chip.page_read_last(bench.now(), &bus);
    assert_eq!(over, refused(Misuse::NoPageRead));
}

#[test]
fn a_cache_read_goes_on_with_a_page_read_alone() {
    let mut bench = Bench::new();
    let bus = bench.bus(Action::PageReadCache, 0);
    let first = bench.chip.page_read_cache(bench.now(), &bus, 0);
    assert_eq!(first, refused(Misuse::NoPageRead));
    bench.page_read(0).expect("ready");
    bench.load(0, &[0]).expect("ready");
    let after_load = bench.chip.page_read_cache(bench.now(), &bus, 0);
    assert_eq!(after_load, refused(Misuse::NoPageRead));
    bench.page_read(0).expect("ready");
    bench.erase(0).expect("ready");
    let after_erase = bench.chip.page_read_last(bench.now(), &bus);
    assert_eq!(after_erase, refused(Misuse::NoPageRead));
    bench.page_read(0).expect("ready");
    let busy = Misuse::Busy {
        until: bench.chip.busy_until(),
    };
    let early = bench.chip.ready();
    let early = bench.chip.page_read_cache(early, &bus, 1);
    assert_eq!(early, refused(busy));
}

#[test]
fn time_is_booked_once_to_the_state_of_the_array() {
    let mut bench = Bench::new();
    let before = bench.chip.residence(bench.now());
    bench.page_read(0).expect("ready");
    let bus = bench.bus(Action::PageReadCache, 0);
    let start = bench.now();
    bench.chip.page_read_cache(start, &bus, 1).expect("ready");
    let _ = bench.register(0, 512);
    let (array, transfer) = (us(105), bench.bus(Action::Read, 512).total());
    assert!(transfer < us(50), "hidden behind the array");
    let spent = bench.chip.residence(bench.now()).since(&before);
    assert_eq!(spent.of(PowerState::Read), array);
    bench.program(0, 0, &[0; 512]).expect("ready");
    bench.erase(1).expect("ready");
    let spent = bench.chip.residence(bench.now()).since(&before);
    let load = bench.bus(Action::Write, 512).total();
    assert_eq!(spent.of(PowerState::Write), us(200).plus(load));
    assert_eq!(spent.of(PowerState::Erase), us(2000));
}
