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
        assert_eq!(bench.suspended(), Some(Work::Erase));
        bench
    }

    fn suspended(&self) -> Option<Work> {
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
    assert_eq!((work, until), (Work::Erase, bench.end.plus(us(50_000))));
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

#[test]
fn rule_a_suspended_erase_leaves_its_sector_unspecified() {
    let mut bench = Bench::with_suspended_erase(&nor_sheet_with("", ""));
    let erase = |at| Misuse::InSuspended { at, work: "erase" };
    assert_eq!(misuse(bench.read(65535, 1)), erase(65535));
    assert_eq!(misuse(bench.read(0, 1)), erase(0));
    assert_eq!(bench.read(65536, 1), Ok(vec![0xFF]));
    bench.enable().expect("idle");
    assert_eq!(misuse(bench.program(0, &[0])), erase(0));
    bench.program(65536, &[7]).expect("another sector");
    bench.idle();
    assert_eq!(bench.read(65536, 1), Ok(vec![7]));
    assert_eq!(bench.suspended(), Some(Work::Erase));
    bench.resume().expect("it is suspended");
    bench.idle();
    assert_eq!(bench.suspended(), None);
    assert_eq!(bench.read(0, 1), Ok(vec![0xFF]));
}

#[test]
fn rule_while_an_erase_is_suspended_there_is_no_other() {
    let mut bench = Bench::with_suspended_erase(&nor_sheet_with("", ""));
    bench.enable().expect("idle");
    let forbidden = |action| Misuse::WhileSuspended {
        suspended: "erase",
        action,
    };
    assert_eq!(misuse(bench.erase(1 << 17, 4096)), forbidden(Action::Erase));
    let sleep = bench.command(Action::PowerDown, Nor::sleep);
    assert_eq!(misuse(sleep), forbidden(Action::PowerDown));
    bench.program(1 << 17, &[0]).expect("another sector");
    assert_eq!(misuse(bench.suspend()), forbidden(Action::Suspend));
}

#[test]
fn rule_a_program_while_an_erase_is_suspended_needs_a_chip_that_allows_it() {
    let sheet = nor_sheet_with("{ value = true", "{ value = false");
    let mut bench = Bench::with_suspended_erase(&sheet);
    bench.enable().expect("idle");
    let forbidden = Misuse::WhileSuspended {
        suspended: "erase",
        action: Action::Write,
    };
    assert_eq!(misuse(bench.program(1 << 17, &[0])), forbidden);
    assert_eq!(bench.read(1 << 17, 1), Ok(vec![0xFF]));
}

#[test]
fn rule_a_program_needs_a_write_enable_of_its_own_while_an_erase_is_suspended() {
    let mut bench = Bench::with_suspended_erase(&nor_sheet_with("", ""));
    let refused = misuse(bench.program(1 << 17, &[0]));
    assert_eq!(refused, Misuse::WriteNotEnabled);
}

#[test]
fn rule_a_suspended_program_leaves_its_page_unspecified() {
    let mut bench = Bench::new();
    bench.enable().expect("idle");
    bench.program(0, &[0; 256]).expect("enabled");
    bench.suspend().expect("it runs");
    bench.idle();
    assert_eq!(bench.suspended(), Some(Work::Program));
    let inside = Misuse::InSuspended {
        at: 255,
        work: "program",
    };
    assert_eq!(misuse(bench.read(255, 1)), inside);
    assert_eq!(bench.read(256, 1), Ok(vec![0xFF]));
    bench.enable().expect("idle");
    let forbidden = |action| Misuse::WhileSuspended {
        suspended: "program",
        action,
    };
    assert_eq!(misuse(bench.program(512, &[0])), forbidden(Action::Write));
    assert_eq!(misuse(bench.erase(4096, 4096)), forbidden(Action::Erase));
    bench.resume().expect("it is suspended");
    bench.idle();
    assert_eq!(bench.read(0, 256), Ok(vec![0; 256]));
}

#[test]
fn rule_only_what_is_suspended_is_resumed() {
    let mut bench = Bench::new();
    assert_eq!(misuse(bench.resume()), Misuse::NothingSuspended);
}

#[test]
fn rule_resumed_work_makes_progress_before_the_next_suspend() {
    let mut bench = Bench::with_suspended_erase(&nor_sheet_with("", ""));
    bench.resume().expect("it is suspended");
    let allowed = bench.end.plus(us(200));
    assert_eq!(bench.chip.suspendable(), allowed);
    let refused = misuse(bench.suspend());
    let too_soon = |start| Misuse::SuspendTooSoon {
        start,
        allowed,
        work: "erase",
    };
    assert_eq!(refused, too_soon(bench.chip.ready()));
    let bus = bench.bus(Action::Suspend, 0);
    let early = Time::from_ps(allowed.ps() - 1);
    assert_eq!(misuse(bench.chip.suspend(early, &bus)), too_soon(early));
    bench.chip.suspend(allowed, &bus).expect("long enough");
}

#[test]
fn a_chip_without_suspend_says_so() {
    let mut sheet = nor_sheet_with("", "");
    sheet.suspend = None;
    assert_eq!(sheet.problems(), []);
    let mut bench = Bench::of(&sheet);
    let unsupported = NvmError::Unsupported(Action::Suspend);
    assert_eq!(bench.suspend(), Err(unsupported));
    let unsupported = NvmError::Unsupported(Action::Resume);
    assert_eq!(bench.resume(), Err(unsupported));
}

/// A suspend that finds nothing, or less than its latency left, lets the chip finish.
#[test]
fn what_is_nearly_done_is_not_suspended() {
    let mut bench = Bench::new();
    bench.suspend().expect("a host cannot know");
    assert_eq!(bench.chip.running(), None);
    bench.enable().expect("idle");
    bench.program(0, &[0; 256]).expect("enabled");
    let (_, until) = bench.chip.running().expect("it runs");
    let bus = bench.bus(Action::Suspend, 0);
    // The command ends exactly one latency of 15 us before the program does.
    let start = Time::from_ps(until.ps() - us(15).ps() - bus.total().ps());
    let mut later = bench.chip.clone();
    later.suspend(start, &bus).expect("it runs");
    assert_eq!(later.running(), Some((Work::Program, until)));
    assert_eq!(later.status(until).suspended, None);
    let start = Time::from_ps(start.ps() - 1);
    bench.chip.suspend(start, &bus).expect("it runs");
    assert_eq!(bench.chip.status(until).suspended, Some(Work::Program));
    // A second suspend command during the latency changes nothing.
    let running = bench.chip.running();
    bench.suspend().expect("ignored");
    assert_eq!(bench.chip.running(), running);
}

/// However often an erase is suspended, the array works for as long as it would have, and for one
/// latency more each time; the account says so at any instant.
#[test]
fn suspended_time_is_in_the_account_once() {
    let mut bench = Bench::new();
    bench.enable().expect("idle");
    bench.erase(0, 64 << 10).expect("enabled");
    let mut expected = us(150_000);
    for _ in 0..5 {
        bench.pass_to(bench.end.plus(us(10_000)));
        bench.suspend().expect("long enough");
        expected = expected.plus(us(20));
        bench.idle();
        let still = bench.end;
        let before = bench.chip.residence(still).of(PowerState::Erase);
        bench.read(1 << 17, 100).expect("another sector");
        bench.end = bench.end.plus(us(500));
        let after = bench.chip.residence(bench.end);
        assert_eq!(after.of(PowerState::Erase), before);
        bench.resume().expect("it is suspended");
    }
    let (_, until) = bench.chip.running().expect("the rest of it");
    let half = Time::from_ps(until.ps() - us(1000).ps());
    let so_far = bench.chip.residence(half).of(PowerState::Erase);
    assert_eq!(expected.since(so_far), us(1000));
    bench.idle();
    let late = bench.end.plus(us(777));
    let residence = bench.chip.residence(late);
    assert_eq!(residence.of(PowerState::Erase), expected);
    let read = bench.bus(Action::Read, 0).total().ps();
    assert_eq!(residence.of(PowerState::Read).ps(), 5 * read);
    let all: Time = PowerState::ALL
        .into_iter()
        .map(|state| residence.of(state))
        .fold(Time::ZERO, Time::plus);
    assert_eq!(all, late);
}

/// 20 us for the first byte and 1 us for each further one, up to the 100 us of a page, and the same
/// shares of the 1 ms that a page takes at most.
#[test]
fn part_of_a_page_takes_its_share_of_the_time() {
    for (timing, page) in [(Timing::Typ, 100), (Timing::Max, 1000)] {
        for (bytes, share) in [(1, 20), (11, 30), (81, 100), (256, 100)] {
            let conditions = Conditions { timing, ..TYPICAL };
            let chip = nor(conditions).chip().clone();
            let time = chip.spec.program_time(0, bytes, 0);
            assert_eq!(time, us(page * share / 100), "{bytes} bytes");
        }
    }
    let mut sheet = nor_sheet_with("", "");
    (sheet.byte_program_first, sheet.byte_program_next) = (None, None);
    assert_eq!(sheet.problems(), []);
    let chip = nor_of(&sheet, TYPICAL).chip().clone();
    assert_eq!(chip.spec.program_time(0, 1, 0), us(100));
}

#[test]
fn sampled_times_differ_by_seed_place_and_cycle_within_their_bounds() {
    let chip = |seed| {
        let timing = Timing::Sampled;
        let conditions = Conditions {
            timing,
            seed,
            age: 0.0,
        };
        nor(conditions).chip().clone()
    };
    let one = chip(1);
    let erase = |chip: &Nor, at, cycle| {
        let size = chip.spec.erase_size(65536).expect("the part has it");
        size.time(at, cycle)
    };
    assert_ne!(erase(&one, 0, 0), erase(&chip(2), 0, 0));
    assert_ne!(erase(&one, 0, 0), erase(&one, 65536, 0));
    assert_ne!(erase(&one, 0, 0), erase(&one, 0, 1));
    assert_eq!(erase(&one, 0, 0), erase(&chip(1), 0, 0));
    for cycle in 0..500 {
        let time = erase(&one, 65536, cycle);
        assert!(time <= us(1_000_000) && time >= us(22_500), "{time}");
        let time = one.spec.program_time(256 * cycle, 256, 3);
        assert!(time <= us(1000) && time >= us(10), "{time}");
    }
    let page = |chip: &Nor, at| chip.spec.program_time(at, 256, 0);
    assert_ne!(page(&one, 0), page(&one, 256));
    assert_ne!(page(&one, 0), page(&chip(2), 0));
    let typ = nor(TYPICAL).chip().clone();
    assert_eq!(erase(&typ, 0, 0), us(150_000));
}

#[test]
fn gaps_in_the_currents_are_noted() {
    let gaps = |sheet: &NorSheet| nor_of(sheet, TYPICAL).notes_currents();
    let mut sheet = nor_sheet_with("", "");
    assert_eq!(gaps(&sheet), []);
    (sheet.program_current, sheet.erase_current) = (None, None);
    sheet.active.clear();
    assert_eq!(sheet.problems(), []);
    let unknown = |action| CurrentGap::Unknown { action };
    let expected = ["write", "erase", "read"].map(unknown);
    assert_eq!(gaps(&sheet), expected);
    let mut sheet = nor_sheet_with("", "");
    sheet.active[0].clock = Frequency::from_hz(50_000_000);
    let faster = CurrentGap::Faster {
        figure: "active[read str 50 MHz].current".into(),
        clock: "100 MHz".into(),
    };
    assert_eq!(gaps(&sheet), [faster]);
}

impl crate::Wired<Nor> {
    fn notes_currents(&self) -> Vec<CurrentGap> {
        use crate::device::Accounts;
        self.notes().currents.clone()
    }
}

#[test]
fn age_is_wear_that_every_sector_brings() {
    let aged = nor(Conditions {
        age: 0.25,
        ..TYPICAL
    });
    assert_eq!(aged.chip().cycles_at(0), Some(250));
    assert_eq!(aged.chip().wear().before, 250);
}

#[test]
fn the_block_is_the_largest_erase_that_is_not_the_chip() {
    let bench = Bench::new();
    let geometry = bench.chip.geometry();
    assert!(geometry.is_valid());
    assert_eq!((geometry.pages_per_block, geometry.blocks), (256, 4));
    let sizes: Vec<_> = bench.chip.erase_sizes().collect();
    assert_eq!(sizes, [(4096, 0x20), (65536, 0xd8), (1 << 18, 0xc7)]);
}

/// Each fault in a sheet, and the path and words that name it.
#[test]
fn contradictions_in_a_sheet_are_named() {
    let cases = [
        (
            "typ = \"256 KiB\"",
            "typ = \"0 B\"",
            "capacity",
            "above zero",
        ),
        (
            "typ = \"256 KiB\"",
            "typ = \"2 TiB\"",
            "capacity",
            "exceeds",
        ),
        (
            "typ = \"256 KiB\"",
            "typ = \"1000 B\"",
            "page_bytes",
            "no multiple",
        ),
        (
            "typ = \"256 B\"",
            "typ = \"200 B\"",
            "page_bytes",
            "power of two",
        ),
        ("typ = \"256 B\"", "typ = \"8 KiB\"", "page_bytes", "4 KiB"),
        (
            "typ = \"4 KiB\"",
            "typ = \"100 B\"",
            "erase.0.bytes",
            "multiple of the page",
        ),
        (
            "typ = \"4 KiB\"",
            "typ = \"64 KiB\"",
            "erase.1.bytes",
            "comes twice",
        ),
        ("\"64K\"", "\"4K\"", "erase.1.name", "comes twice"),
        (
            "typ = \"150 ms\"",
            "typ = \"0 ms\"",
            "erase.1.duration",
            "above zero",
        ),
        (
            "typ = \"150 ms\"",
            "typ = \"2 s\"",
            "erase.1.duration",
            "is above max",
        ),
        (
            "code = 0x20\nbytes",
            "code = 0x21\nbytes",
            "erase.0.code",
            "no opcode 0x21",
        ),
        (
            "code = 0x20\nbytes",
            "code = 0x21\nbytes",
            "opcode.6.code",
            "no entry",
        ),
        (
            "typ = \"100 us\"",
            "typ = \"0 us\"",
            "page_program",
            "above zero",
        ),
        (
            "typ = \"20 us\", source",
            "typ = \"200 us\", source",
            "byte_program_first",
            "longer",
        ),
        (
            "byte_program_next = { typ = \"1 us\", source = \"invented\" }\n",
            "",
            "byte_program_first",
            "belong together",
        ),
        (
            "typ = \"15 us\", max",
            "typ = \"45 us\", max",
            "suspend.program_latency",
            "is above max",
        ),
        (
            "min = \"1000 cycles\"",
            "min = \"0 cycles\"",
            "endurance",
            "above zero",
        ),
        (
            "typ = \"20 mA\"",
            "typ = \"0 mA\"",
            "program_current",
            "above zero",
        ),
        (
            "action = \"read\"\nrate",
            "action = \"write\"\nrate",
            "active.0.action",
            "allowed: read",
        ),
        (
            "action = \"suspend\"",
            "action = \"resume\"",
            "opcode",
            "no opcode with action suspend",
        ),
        (
            "action = \"status\"",
            "action = \"resume\"",
            "opcode",
            "no opcode with action status",
        ),
        (
            "action = \"suspend\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"\naddress_bytes = 0",
            "action = \"suspend\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"\naddress_bytes = 3",
            "opcode.9.address_bytes",
            "allowed: 0",
        ),
        (
            "\"Erase 4K\"\naction = \"erase\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"\naddress_bytes = 3",
            "\"Erase 4K\"\naction = \"erase\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"\naddress_bytes = 0",
            "opcode.6.address_bytes",
            "1 to 8",
        ),
        (
            "address_bytes = 3\ndummy_cycles = 10",
            "address_bytes = 2\ndummy_cycles = 10",
            "opcode.1.address_bytes",
            "do not reach",
        ),
    ];
    for (from, to, path, words) in cases {
        let problems = nor_sheet_with(from, to).problems();
        let found = problems
            .iter()
            .any(|p| p.path == path && p.message.contains(words));
        assert!(found, "{to}: {problems:?}");
    }
    let mut sheet = with_granule();
    assert_eq!(sheet.problems(), []);
    sheet.program_granule = Some(sheet.capacity.clone());
    let problems = sheet.problems();
    assert_eq!(problems[0].path, "program_granule", "{problems:?}");
    assert_eq!(nor_sheet_with("", "").problems(), []);
}
