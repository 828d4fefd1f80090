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

    fn read(&mut self, page: u32, column: u32, bytes: usize) -> (Vec<u8>, Verdict) {
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
    assert_eq!(verdict, Verdict::Good(Ecc::Clean));
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
fn the_ecc_counts_wrong_bits_in_each_sector() {
    let mut bench = Bench::new();
    bench.program(0, 0, &[0x33; 512]).expect("ready");
    let mut verdicts = Vec::new();
    for bit in 0..10 {
        verdicts.push(bench.read(0, 0, 512).1);
        let good = verdicts.last() != Some(&Verdict::Lost);
        assert_eq!(
            bench.read(0, 0, 512).0 == [0x33; 512],
            good,
            "{bit} wrong bits"
        );
        bench.chip.flip_bit(0, 128 + 8 * bit, 3).expect("inside");
    }
    let corrected = |bits, refresh| Verdict::Good(Ecc::Corrected { bits, refresh });
    let expected = [
        Verdict::Good(Ecc::Clean),
        corrected(3, false),
        corrected(3, false),
        corrected(3, false),
        corrected(6, false),
        corrected(6, false),
        corrected(6, false),
        corrected(8, true),
        corrected(8, true),
        Verdict::Lost,
    ];
    assert_eq!(verdicts, expected);
    // The other sectors read well; the lost one as its cells are.
    let (bytes, _) = bench.read(0, 0, 512);
    assert_eq!(bytes.iter().filter(|byte| **byte != 0x33).count(), 10);
    // A bit that is flipped again is mended, and an erase mends all.
    for bit in 0..10 {
        bench.chip.flip_bit(0, 128 + 8 * bit, 3).expect("inside");
    }
    assert_eq!(bench.read(0, 0, 512).1, Verdict::Good(Ecc::Clean));
    bench.chip.flip_bit(0, 5, 5).expect("inside");
    bench.erase(0).expect("ready");
    assert_eq!(
        bench.read(0, 0, 512),
        (vec![0xff; 512], Verdict::Good(Ecc::Clean))
    );
}

/// A codeword is its sector, its protected spare bytes and its parity; what lies outside is read as it
/// is and told by nobody.
#[test]
fn each_byte_counts_for_its_codeword() {
    let verdict = |places: &[(u32, u8)]| {
        let mut bench = Bench::new();
        for (column, bit) in places {
            bench.chip.flip_bit(0, *column, *bit).expect("inside");
        }
        bench.read(0, 0, 576)
    };
    let sector_0: Vec<_> = [0, 127, 528, 531, 544, 551]
        .into_iter()
        .flat_map(|column| [(column, 0), (column, 7)])
        .collect();
    assert_eq!(verdict(&sector_0[..9]).1, Verdict::Lost);
    let spread: Vec<_> = [0, 128, 256, 384, 528, 532, 536, 540]
        .into_iter()
        .map(|column| (column, 1))
        .collect();
    let told = Ecc::Corrected {
        bits: 3,
        refresh: false,
    };
    assert_eq!(verdict(&spread), (vec![0xff; 576], Verdict::Good(told)));
    let (bytes, clean) = verdict(&[(520, 0), (521, 1)]);
    assert_eq!(clean, Verdict::Good(Ecc::Clean));
    assert_eq!(bytes[520..522], [0xfe, 0xfd]);
}

#[test]
fn without_ecc_the_cells_are_read_as_they_are() {
    let mut bench = Bench::new();
    bench.chip.flip_bit(0, 9, 4).expect("inside");
    bench.chip.set_ecc(false);
    let (bytes, verdict) = bench.read(0, 0, 512);
    assert_eq!(bytes[9], 0xef);
    assert_eq!(verdict, Verdict::Good(Ecc::Clean));
}

#[test]
fn factory_bad_blocks_are_marked_and_stay() {
    let sheet = nand_sheet_with("", "");
    let bad = |seed, timing| {
        let conditions = Conditions {
            seed,
            timing,
            ..TYPICAL
        };
        let chip = connect_nand(&sheet, &board(), conditions).chip().clone();
        let bad: Vec<_> = (0..16).filter(|block| chip.is_marked(*block)).collect();
        bad
    };
    let mut counts = [0; 5];
    for seed in 0..200 {
        let found = bad(seed, Timing::Typ);
        assert!(found.iter().all(|block| *block >= 2));
        assert_eq!(found, bad(seed, Timing::Max));
        counts[found.len()] += 1;
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

#[test]
fn a_block_that_fails_goes_on_failing_and_keeps_its_other_pages() {
    let mut bench = Bench::new();
    bench.program(0, 0, &[1; 512]).expect("ready");
    bench.chip.fail_block(0).expect("inside");
    bench
        .program(1, 0, &[2; 512])
        .expect("the failure shows in the status");
    assert!(bench.chip.failed());
    assert_eq!(bench.read(1, 0, 512).1, Verdict::Lost);
    assert_eq!(
        bench.read(0, 0, 512),
        (vec![1; 512], Verdict::Good(Ecc::Clean))
    );
    bench.erase(0).expect("the failure shows in the status");
    assert!(bench.chip.failed());
    assert_eq!(bench.chip.cycles_of(0), Some(1), "a failed erase wears");
    assert_eq!(bench.read(0, 0, 512).1, Verdict::Lost);
    bench.program(8, 0, &[3; 512]).expect("ready");
    assert!(!bench.chip.failed());
}

#[test]
fn failures_come_at_their_rate_and_differ_from_cycle_to_cycle() {
    let mut bench = Bench::new();
    let half = Faults {
        erase_failure: 0.5,
        ..Faults::default()
    };
    bench.chip.set_faults(half);
    let twin = bench.chip.clone();
    let failed = |bench: &mut Bench| {
        let mut first = Vec::new();
        for block in 0..16 {
            let erases = (0..64).position(|_| {
                bench.erase(block).expect("ready");
                bench.chip.failed()
            });
            first.push(erases.expect("one of 64 fails"));
        }
        first
    };
    let found = failed(&mut bench);
    assert!(found.contains(&0) && found.iter().any(|erases| *erases > 0));
    bench.chip = twin;
    assert_eq!(failed(&mut bench), found, "a fork sees the same failures");
}

#[test]
fn bit_errors_come_at_their_rate() {
    let mut bench = Bench::new();
    bench.chip.set_faults(Faults {
        bit_errors: 1e-3,
        ..Faults::default()
    });
    let mut corrected = 0;
    for page in 0..128 {
        bench.program(page, 0, &[0; 512]).expect("ready");
        let (bytes, verdict) = bench.read(page, 0, 512);
        assert_eq!(bytes, [0; 512]);
        corrected += u32::from(verdict != Verdict::Good(Ecc::Clean));
    }
    // 4096 bits at 1e-3 leave a page clean with probability 0.017.
    assert!((115..=128).contains(&corrected), "{corrected}");
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

#[test]
fn sampled_times_lie_between_the_bounds_and_differ() {
    let mut bench = Bench::of(&nand(Conditions {
        timing: Timing::Sampled,
        seed: 5,
        ..TYPICAL
    }));
    let mut programs = Vec::new();
    for page in 0..128 {
        let end = bench.program(page, 0, &[0; 512]).expect("ready");
        programs.push(bench.chip.busy_until().since(end));
    }
    let bounds = Time::from_ps(200 * US / 3)..=us(600);
    assert!(programs.iter().all(|time| bounds.contains(time)));
    let below = programs.iter().filter(|time| **time < us(200)).count();
    assert!(
        (45..=83).contains(&below),
        "{below} of 128 below the median"
    );
    let erase = |bench: &mut Bench| {
        let end = bench.erase(0).expect("ready");
        bench.chip.busy_until().since(end)
    };
    let (first, second) = (erase(&mut bench), erase(&mut bench));
    assert_ne!(first, second, "each cycle has its own time");
    assert!((us(400)..=us(10_000)).contains(&first));
}

#[test]
fn wear_counts_erases_beyond_the_age() {
    let mut bench = Bench::of(&nand(Conditions {
        age: 0.5,
        ..TYPICAL
    }));
    bench.erase(1).expect("ready");
    bench.erase(1).expect("ready");
    bench.erase(2).expect("ready");
    let wear = bench.chip.wear();
    assert_eq!((wear.endurance, wear.before), (1000, 500));
    assert_eq!(wear.most, 2);
    assert!((wear.mean - 1.5).abs() < 1e-12);
    assert_eq!(bench.chip.cycles_of(1), Some(502));
}

#[test]
fn a_current_that_the_sheet_lacks_is_a_gap() {
    let sheet = nand_sheet_with(
        "erase_current = { typ = \"15 mA\", max = \"25 mA\", source = \"invented\" }",
        "",
    );
    let device = connect_nand(&sheet, &board(), TYPICAL);
    assert_eq!(
        device.notes().currents,
        [CurrentGap::Unknown { action: "erase" }]
    );
}

#[test]
fn a_sheet_that_contradicts_itself_is_refused() {
    let cases = [
        (
            "page_bytes = { typ = \"512 B\"",
            "page_bytes = { typ = \"500 B\"",
            "ecc.sector_bytes",
        ),
        ("blocks = { value = 16", "blocks = { value = 0", "blocks"),
        (
            "blocks = { value = 16",
            "blocks = { value = 4000000000",
            "blocks",
        ),
        (
            "pages_per_block = { value = 8",
            "pages_per_block = { value = 0",
            "pages_per_block",
        ),
        (
            "programs_per_page = { value = 4",
            "programs_per_page = { value = 0",
            "programs_per_page",
        ),
        (
            "page_read = { typ = \"50 us\"",
            "page_read = { typ = \"101 us\"",
            "page_read",
        ),
        (
            "cache_busy = { typ = \"5 us\"",
            "cache_busy = { typ = \"0 us\"",
            "cache_busy",
        ),
        ("bits = { value = 8", "bits = { value = 300", "ecc.bits"),
        (
            "refresh_from = { value = 7",
            "refresh_from = { value = 9",
            "ecc.refresh_from",
        ),
        ("\"4-6\"", "\"5-6\"", "ecc.reported"),
        (", \"7-8\"]", "]", "ecc.reported"),
        ("\"28..32\"]", "\"28..36\"]", "ecc.parity"),
        ("\"16..20\"", "\"0..4\"", "ecc.protected"),
        (", \"28..32\"]", "]", "ecc.protected"),
        ("\"56..64\"]", "\"56..65\"]", "ecc.parity"),
        (
            "refresh_from = { value = 7",
            "refresh_from = { value = 5",
            "ecc.refresh_from",
        ),
        (
            "bad_blocks_max = { value = 4",
            "bad_blocks_max = { value = 15",
            "bad_blocks_max",
        ),
        (
            "action = \"page-read-last\"",
            "action = \"power-down\"",
            "opcode",
        ),
        ("action = \"execute\"", "action = \"erase\"", "opcode"),
        (
            "address_bytes = 2",
            "address_bytes = 1",
            "opcode.1.address_bytes",
        ),
        (
            "address_bytes = 3",
            "address_bytes = 0",
            "opcode.0.address_bytes",
        ),
    ];
    assert_eq!(nand_sheet_with("", "").problems(), []);
    for (from, to, path) in cases {
        let problems = nand_sheet_with(from, to).problems();
        let found: Vec<_> = problems.iter().map(|one| one.path.as_str()).collect();
        assert!(found.contains(&path), "{to}: {problems:?}");
    }
}

#[test]
fn ranges_are_read_and_printed() {
    for text in ["4-6", "7-7"] {
        assert_eq!(text.parse::<BitRange>().expect(text).to_string(), text);
    }
    assert_eq!("3".parse(), Ok(BitRange { from: 3, to: 3 }));
    for text in ["", "6-4", "a-b", "1-2-3", "-1"] {
        assert!(text.parse::<BitRange>().is_err(), "{text}");
    }
    let range: SpareRange = "32..40".parse().expect("a range");
    assert_eq!(range.to_string(), "32..40");
    for text in ["", "32", "40..32", "4..4", "a..b", "1..2..3", "-1..2"] {
        assert!(text.parse::<SpareRange>().is_err(), "{text}");
    }
}
