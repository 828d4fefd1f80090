//! Suspend and resume.

use super::*;
use crate::model::ChipModel as _;

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
    assert_eq!(bench.suspended(), Some(NorWork::Erase));
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
    assert_eq!(bench.suspended(), Some(NorWork::Program));
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
    assert_eq!(later.running(), Some((NorWork::Program, until)));
    assert_eq!(later.status(until).suspended, None);
    let start = Time::from_ps(start.ps() - 1);
    bench.chip.suspend(start, &bus).expect("it runs");
    assert_eq!(bench.chip.status(until).suspended, Some(NorWork::Program));
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
