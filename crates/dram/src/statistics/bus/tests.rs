use super::*;
use crate::observer::RowOutcome;
use crate::request::{Location, RequestKind};

/// Latency of a read until its data, and the clocks that they take, here.
const CL: u64 = 10;
const BURST: u64 = 4;

fn watch() -> BusWatch {
    BusWatch {
        account: BusAccount::default(),
        from: 0,
        free: 0,
        burst: BURST,
        recent: vec![BurstRun::default(); 8],
        last: 0,
    }
}

/// A read with its waits; whatever they leave of the time before its command waited in the backlog.
fn read(arrival: u64, issued: u64, waits: &[(WaitCause, u32)]) -> ServedRequest {
    let mut parts = [0; CAUSES];
    for &(cause, clocks) in waits {
        parts[cause as usize] += clocks;
    }
    parts[0] += (issued - arrival) as u32 - parts.iter().sum::<u32>();
    ServedRequest {
        id: 0,
        kind: RequestKind::Read,
        location: Location::default(),
        arrival,
        admitted: arrival,
        issued,
        finish: issued + CL + BURST,
        outcome: RowOutcome::Hit,
        waits: parts,
    }
}

fn waits(parts: &[(WaitCause, u64)]) -> [u64; CAUSES] {
    let mut waits = [0; CAUSES];
    for &(cause, clocks) in parts {
        waits[cause as usize] = clocks;
    }
    waits
}

#[test]
fn a_bus_without_requests_is_empty() {
    let bus = watch();
    let account = bus.until(1000);
    assert_eq!((account.empty, account.total()), (1000, 1000));
}

#[test]
fn what_no_request_could_have_used_is_empty() {
    let mut bus = watch();
    bus.burst(&read(100, 100, &[]));
    let account = bus.until(114);
    assert_eq!(
        (account.empty, account.data, account.total()),
        (110, 4, 114)
    );
}

#[test]
fn the_rest_of_a_pause_goes_to_what_its_request_waited_for() {
    let mut bus = watch();
    bus.burst(&read(0, 0, &[]));
    // The bus is free from 14. Data could have come at 30 and come at 50: 16 clocks empty, 20 divided by 3 : 1.
    bus.burst(&read(
        20,
        40,
        &[(WaitCause::Activate, 15), (WaitCause::Order, 5)],
    ));
    let account = bus.until(54);
    assert_eq!(
        account.waits,
        waits(&[(WaitCause::Activate, 15), (WaitCause::Order, 5)])
    );
    assert_eq!((account.empty, account.data), (10 + 16, 8));
    assert_eq!(account.total(), 54);
}

#[test]
fn waits_that_the_bus_was_busy_for_do_not_count() {
    let mut bus = watch();
    bus.burst(&read(0, 20, &[(WaitCause::Activate, 20)]));
    // Waited 22 clocks, of which the bus was without data for 18 only: 34 to 52.
    bus.burst(&read(
        20,
        42,
        &[(WaitCause::Bank, 11), (WaitCause::Activate, 11)],
    ));
    let account = bus.until(56);
    let divided = waits(&[(WaitCause::Activate, 20 + 9), (WaitCause::Bank, 9)]);
    assert_eq!(account.waits, divided);
    assert_eq!((account.empty, account.data), (10, 8));
}

#[test]
fn rounding_goes_to_the_greatest_part_and_nothing_is_lost() {
    let mut bus = watch();
    bus.burst(&read(0, 0, &[]));
    // 12 clocks of pause to be divided by 6 : 5 : 5, rounded down 4, 3, 3.
    let causes = [
        (WaitCause::Bank, 5),
        (WaitCause::Activate, 6),
        (WaitCause::Order, 5),
    ];
    bus.burst(&read(0, 16, &causes));
    let parts = [
        (WaitCause::Bank, 3),
        (WaitCause::Activate, 6),
        (WaitCause::Order, 3),
    ];
    assert_eq!(bus.until(30).waits, waits(&parts));
}

#[test]
fn the_backlog_is_the_cause_only_where_there_is_no_other() {
    let mut bus = watch();
    bus.burst(&read(0, 30, &[(WaitCause::Order, 1)]));
    assert_eq!(bus.until(44).waits, waits(&[(WaitCause::Order, 30)]));
    let mut bus = watch();
    bus.burst(&read(0, 30, &[]));
    assert_eq!(bus.until(44).waits, waits(&[(WaitCause::Queue, 30)]));
}

#[test]
fn very_long_waits_do_not_overflow() {
    let mut bus = watch();
    let long = u32::MAX / 2;
    let mut served = read(
        0,
        2 * u64::from(long),
        &[(WaitCause::Bank, long), (WaitCause::Order, long)],
    );
    served.issued = u64::MAX / 2;
    served.finish = served.issued + CL + BURST;
    bus.burst(&served);
    assert_eq!(bus.until(served.finish).total(), served.finish);
}

/// Two measured parts in a row see together what one sees, wherever the cut lies: in data, in a pause, among bursts
/// that are commanded and not yet there.
#[test]
fn parts_in_a_row_add_up_to_the_whole() {
    let requests = [
        read(0, 0, &[]),
        read(0, 4, &[(WaitCause::Bus, 4)]),
        read(0, 8, &[(WaitCause::Bus, 8)]),
        read(5, 40, &[(WaitCause::Bank, 17), (WaitCause::Activate, 18)]),
        read(60, 60, &[]),
    ];
    let mut bus = watch();
    for request in &requests {
        bus.burst(request);
    }
    let whole = bus.until(80);
    assert_eq!(whole.total(), 80);
    for cut in 0..=80 {
        let mut bus = watch();
        let before = requests.iter().take_while(|request| request.issued < cut);
        before.for_each(|request| bus.burst(request));
        let mut sum = bus.until(cut);
        assert_eq!(sum.total(), cut, "cut at {cut}");
        bus.begin(cut);
        let after = requests.iter().skip_while(|request| request.issued < cut);
        after.for_each(|request| bus.burst(request));
        let rest = bus.until(80);
        assert_eq!(rest.total(), 80 - cut, "cut at {cut}");
        sum.merge(&rest);
        assert_eq!(sum.data, whole.data, "cut at {cut}");
        // Where the request of a pause comes after the cut, the part before it counted as empty.
        let unknown = sum.empty - whole.empty;
        let divided: u64 = whole.waits.iter().sum::<u64>() - sum.waits.iter().sum::<u64>();
        assert_eq!(unknown, divided, "cut at {cut}");
    }
}
