mod sheet;
mod suspend;

use wordline_core::Timing;
use wordline_core::quantity::Frequency;

use super::*;
use crate::fixture::{TYPICAL, nor, nor_of, nor_sheet_with};
use crate::wired::Conditions;

const fn us(us: u64) -> Time {
    Time::from_ps(us * 1_000_000)
}

/// A chip that is driven by hand, one transaction after another as soon as it is ready.
struct Bench {
    chip: Nor,
    link: Link,
    /// The end of the last transaction.
    end: Time,
}

impl Bench {
    fn of(sheet: &NorSheet) -> Self {
        let device = nor_of(sheet, TYPICAL);
        Self {
            chip: device.chip().clone(),
            link: device.link().clone(),
            end: Time::ZERO,
        }
    }

    fn new() -> Self {
        Self::of(&nor_sheet_with("", ""))
    }

    fn bus(&self, action: Action, bytes: usize) -> Transaction {
        let command = self.link.command(action).expect("the invented part has it");
        command.transaction(0, bytes as u64)
    }

    fn done(&mut self, outcome: Result<Time, NvmError>) -> Result<(), NvmError> {
        outcome.map(|end| self.end = end)
    }

    fn command(
        &mut self,
        action: Action,
        run: impl FnOnce(&mut Nor, Time, &Transaction) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        let (bus, start) = (self.bus(action, 0), self.chip.ready());
        let outcome = run(&mut self.chip, start.later(self.end), &bus);
        self.done(outcome)
    }

    fn enable(&mut self) -> Result<(), NvmError> {
        self.command(Action::WriteEnable, Nor::write_enable)
    }

    fn program(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.command(Action::Write, |chip, start, bus| {
            chip.program(start, bus, at, data)
        })
    }

    fn erase(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        self.command(Action::Erase, |chip, start, bus| {
            chip.erase(start, bus, at, bytes)
        })
    }

    fn read(&mut self, at: u64, bytes: usize) -> Result<Vec<u8>, NvmError> {
        let mut out = vec![0; bytes];
        self.command(Action::Read, |chip, start, bus| {
            chip.read(start, bus, at, &mut out)
        })?;
        Ok(out)
    }

    fn suspend(&mut self) -> Result<(), NvmError> {
        self.command(Action::Suspend, Nor::suspend)
    }

    fn resume(&mut self) -> Result<(), NvmError> {
        self.command(Action::Resume, Nor::resume)
    }

    /// Lets time pass until what runs has ended or stands still.
    fn idle(&mut self) {
        if let Some((_, until)) = self.chip.running() {
            self.pass_to(until);
        }
    }

    fn pass_to(&mut self, instant: Time) {
        self.end = self.end.later(instant);
        self.chip.polled(self.end);
        self.end = self.end.later(self.chip.ready());
    }

    /// An erase of 64 KiB at zero, suspended after a tenth of it.
    fn with_suspended_erase(sheet: &NorSheet) -> Self {
        let mut bench = Self::of(sheet);
        bench.enable().expect("idle");
        bench.erase(0, 64 << 10).expect("enabled");
        bench.pass_to(bench.end.plus(us(15_000)));
        bench.suspend().expect("it runs");
        bench.idle();
        assert_eq!(bench.suspended(), Some(NorWork::Erase));
        bench
    }

    fn suspended(&self) -> Option<NorWork> {
        self.chip.status(self.end).suspended
    }
}

fn misuse<T: std::fmt::Debug>(outcome: Result<T, NvmError>) -> Misuse {
    match outcome {
        Err(NvmError::Misuse(misuse)) => misuse,
        other => panic!("no misuse: {other:?}"),
    }
}

#[test]
fn rule_every_program_and_erase_needs_its_own_write_enable() {
    let mut bench = Bench::new();
    assert_eq!(misuse(bench.program(0, &[0])), Misuse::WriteNotEnabled);
    assert_eq!(misuse(bench.erase(0, 4096)), Misuse::WriteNotEnabled);
    assert_eq!(bench.read(0, 1), Ok(vec![0xFF]));
    bench.enable().expect("idle");
    bench.program(0, &[0x0F]).expect("enabled");
    bench.idle();
    assert_eq!(misuse(bench.program(0, &[0])), Misuse::WriteNotEnabled);
    bench.enable().expect("idle");
    bench.erase(0, 4096).expect("enabled");
    assert!(bench.chip.status(bench.end).write_enabled);
    bench.idle();
    assert!(!bench.chip.status(bench.end).write_enabled);
    assert_eq!(misuse(bench.erase(0, 4096)), Misuse::WriteNotEnabled);
    assert_eq!(bench.chip.cycles_at(0), Some(1));
}

#[test]
fn rule_a_busy_chip_understands_status_and_suspend_alone() {
    let mut bench = Bench::new();
    bench.enable().expect("idle");
    bench.erase(0, 4096).expect("enabled");
    let (work, until) = bench.chip.running().expect("it runs");
    assert_eq!((work, until), (NorWork::Erase, bench.end.plus(us(50_000))));
    let busy = Misuse::Busy { until };
    assert_eq!(misuse(bench.read(1 << 17, 1)), busy);
    assert_eq!(misuse(bench.enable()), busy);
    assert_eq!(misuse(bench.program(1 << 17, &[0])), busy);
    assert_eq!(misuse(bench.erase(1 << 17, 4096)), busy);
    assert_eq!(misuse(bench.resume()), busy);
    let sleep = bench.command(Action::PowerDown, Nor::sleep);
    assert_eq!(misuse(sleep), busy);
    assert_eq!(misuse(bench.command(Action::WakeUp, Nor::wake)), busy);
    // A picosecond before the end it is busy, at the end it is not.
    let before = Time::from_ps(until.ps() - 1);
    assert!(bench.chip.status(before).busy);
    assert!(!bench.chip.status(until).busy);
    let bus = bench.bus(Action::Read, 1);
    let early = bench.chip.read(before, &bus, 0, &mut [0]);
    assert_eq!(misuse(early), busy);
    bench
        .chip
        .read(until, &bus, 0, &mut [0])
        .expect("it has ended");
}

#[test]
fn rule_chip_select_stays_high_between_transactions() {
    let mut bench = Bench::new();
    let bus = bench.bus(Action::Read, 1);
    let start = bench.chip.ready();
    let early = Time::from_ps(start.ps() - 1);
    let not_ready = Misuse::NotReady {
        start: early,
        ready: start,
    };
    assert_eq!(misuse(bench.chip.read(early, &bus, 0, &mut [0])), not_ready);
    bench.read(0, 1).expect("ready");
    assert_eq!(bench.chip.ready(), bench.end.plus(Time::from_ps(20_000)));
    bench.enable().expect("ready");
    assert_eq!(bench.chip.ready(), bench.end.plus(Time::from_ps(50_000)));
    bench.program(0, &[0]).expect("enabled");
    assert_eq!(bench.chip.ready(), bench.end.plus(Time::from_ps(50_000)));
    bench.chip.polled(bench.end.plus(us(1)));
    let after_status = bench.end.plus(us(1)).plus(Time::from_ps(20_000));
    assert_eq!(bench.chip.ready(), after_status);
}

#[test]
fn rule_the_chip_needs_its_time_after_power_up() {
    let device = nor(TYPICAL);
    let mut resolver = Resolver::new(Timing::Typ, 0, "nor");
    let sheet = nor_sheet_with("", "");
    let (mut fresh, gaps) = Nor::new(&sheet, device.link(), &mut resolver, 0.0);
    assert_eq!(gaps, []);
    assert_eq!(fresh.ready(), us(150));
    let bus = Transaction::default();
    let early = fresh.read(us(149), &bus, 0, &mut [0]);
    assert!(matches!(misuse(early), Misuse::NotReady { .. }));
}

#[test]
fn rule_in_deep_power_down_the_chip_understands_wake_up_alone() {
    let mut bench = Bench::new();
    bench
        .command(Action::PowerDown, Nor::sleep)
        .expect("the part has it");
    assert_eq!(bench.chip.ready(), bench.end.plus(us(3)));
    bench.end = us(1000);
    assert_eq!(misuse(bench.read(0, 1)), Misuse::Asleep);
    assert_eq!(misuse(bench.enable()), Misuse::Asleep);
    assert_eq!(misuse(bench.suspend()), Misuse::Asleep);
    bench
        .command(Action::WakeUp, Nor::wake)
        .expect("the part has it");
    assert_eq!(bench.chip.ready(), bench.end.plus(us(30)));
    assert_eq!(bench.read(0, 1), Ok(vec![0xFF]));
}

/// A wake-up before the chip has fallen asleep is refused, and the chip stays asleep.
#[test]
fn rule_falling_asleep_takes_its_time() {
    let mut bench = Bench::new();
    bench
        .command(Action::PowerDown, Nor::sleep)
        .expect("the part has it");
    let bus = bench.bus(Action::WakeUp, 0);
    let early = bench.chip.wake(bench.end, &bus);
    assert!(matches!(misuse(early), Misuse::NotReady { .. }));
    assert_eq!(misuse(bench.read(0, 1)), Misuse::Asleep);
}

#[test]
fn rule_a_program_stays_within_one_page() {
    let mut bench = Bench::new();
    bench.enable().expect("idle");
    let crossing = misuse(bench.program(250, &[0; 7]));
    let leaves = FlashMisuse::LeavesPage {
        column: 250,
        bytes: 7,
        columns: 256,
    };
    assert_eq!(crossing, leaves.into());
    bench.program(250, &[0; 6]).expect("up to its end");
    bench.idle();
    assert_eq!(bench.read(249, 8), Ok(vec![255, 0, 0, 0, 0, 0, 0, 255]));
    let outside = bench.program(1 << 18, &[0]);
    assert!(matches!(outside, Err(NvmError::OutOfRange(_))));
}

#[test]
fn rule_a_program_clears_bits_only() {
    let mut bench = Bench::new();
    for (data, expected) in [(0xF0, 0xF0), (0x3C, 0x30), (0xFF, 0x30)] {
        bench.enable().expect("idle");
        bench.program(700, &[data]).expect("enabled");
        bench.idle();
        assert_eq!(bench.read(699, 3), Ok(vec![0xFF, expected, 0xFF]));
    }
}

#[test]
fn rule_an_erase_has_one_of_the_sizes_and_its_boundary() {
    let mut bench = Bench::new();
    bench.enable().expect("idle");
    for (at, bytes) in [(0, 8192), (2048, 4096), (4096, 65536), (0, 0)] {
        let refused = misuse(bench.erase(at, bytes));
        assert_eq!(refused, Misuse::NoSuchErase { at, bytes });
    }
    let outside = bench.erase(1 << 18, 4096);
    assert!(matches!(outside, Err(NvmError::OutOfRange(_))));
    assert!(bench.chip.status(bench.end).write_enabled);
}

#[test]
fn an_erase_sets_its_range_and_wears_its_units() {
    let mut bench = Bench::new();
    bench.chip.preload(0, &[0; 1 << 18]).expect("inside");
    for (at, bytes) in [(65536, 65536), (4096, 4096)] {
        bench.enable().expect("idle");
        bench.erase(at, bytes).expect("enabled");
        bench.idle();
    }
    for (at, expected) in [(4095, 0), (4096, 255), (8191, 255), (8192, 0), (65535, 0)] {
        assert_eq!(bench.read(at, 1), Ok(vec![expected]), "{at}");
    }
    assert_eq!(
        bench.read(65536, 65537).map(|all| all[65535..].to_vec()),
        Ok(vec![255, 0])
    );
    let cycles: Vec<_> = [0, 4096, 8192, 65536, 131071, 131072]
        .map(|at| bench.chip.cycles_at(at))
        .into();
    let expected = [0, 1, 0, 1, 1, 0].map(Some);
    assert_eq!(cycles, expected);
    assert_eq!(bench.chip.cycles_at(1 << 18), None);
    bench.enable().expect("idle");
    bench.erase(0, 1 << 18).expect("the whole chip");
    bench.idle();
    let wear = bench.chip.wear();
    assert_eq!((wear.most, wear.endurance, wear.before), (2, 1000, 0));
    assert!((wear.mean - (64.0 + 17.0) / 64.0).abs() < 1e-12);
    assert_eq!(bench.read(0, 1 << 18), Ok(vec![0xFF; 1 << 18]));
}

/// The invented part with an internal ECC over 16 bytes.
fn with_granule() -> NorSheet {
    let page = "page_bytes = { typ = \"256 B\", source = \"invented\" }\n";
    let granule = "program_granule = { typ = \"16 B\", source = \"invented\" }\n";
    nor_sheet_with(page, &format!("{page}{granule}"))
}

#[test]
fn rule_a_granule_of_the_ecc_is_programmed_whole() {
    let mut bench = Bench::of(&with_granule());
    assert_eq!(bench.chip.geometry().program_bytes, 16);
    assert_eq!(bench.chip.geometry().once_bytes, Some(16));
    bench.enable().expect("idle");
    for (at, bytes) in [(8, 16), (16, 8)] {
        let off = FlashMisuse::OffGranule {
            column: at as u32,
            bytes: bytes as u64,
            granule: 16,
        };
        assert_eq!(misuse(bench.program(at, &vec![0; bytes])), off.into());
    }
}

#[test]
fn rule_a_granule_of_the_ecc_is_programmed_once_between_erases() {
    let mut bench = Bench::of(&with_granule());
    let program = |bench: &mut Bench, at, value| {
        bench.enable().expect("idle");
        let outcome = bench.program(at, &[value; 32]);
        bench.idle();
        outcome
    };
    program(&mut bench, 4096 + 32, 0xFF).expect("fresh");
    let again = |page, column| Misuse::from(FlashMisuse::Reprogram { page, column });
    assert_eq!(misuse(program(&mut bench, 4096 + 48, 0)), again(16, 48));
    assert_eq!(misuse(program(&mut bench, 4096 + 16, 0)), again(16, 32));
    assert_eq!(bench.read(4096, 96), Ok(vec![0xFF; 96]));
    program(&mut bench, 4096 + 64, 0).expect("its neighbour is fresh");
    bench.enable().expect("idle");
    bench.erase(4096, 4096).expect("enabled");
    bench.idle();
    program(&mut bench, 4096 + 48, 0).expect("erased");
    bench.chip.preload(512, &[1; 8]).expect("inside");
    assert_eq!(misuse(program(&mut bench, 512, 0)), again(2, 0));
    let plain = Bench::new();
    assert_eq!(plain.chip.geometry().once_bytes, None);
}

/// Erase units smaller than what the store copies at once lose no neighbour.
#[test]
fn a_small_erase_leaves_its_neighbours() {
    let mut sheet = with_granule();
    let small = nor_sheet_with("typ = \"4 KiB\"", "typ = \"512 B\"");
    sheet.erase = small.erase;
    let mut bench = Bench::of(&sheet);
    bench.chip.preload(0, &[0; 4096]).expect("inside");
    bench.enable().expect("idle");
    bench.erase(512, 512).expect("enabled");
    bench.idle();
    assert_eq!(
        bench
            .read(511, 514)
            .map(|all| (all[0], all[1], all[512], all[513])),
        Ok((0, 255, 255, 0))
    );
    bench.enable().expect("idle");
    bench.program(512, &[1; 16]).expect("erased");
    bench.idle();
    bench.enable().expect("idle");
    assert!(matches!(
        misuse(bench.program(1024, &[1; 16])),
        Misuse::Flash(FlashMisuse::Reprogram { .. })
    ));
}
