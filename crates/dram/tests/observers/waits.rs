//! Why requests waited, in runs whose reason is known beforehand.

use wordline_core::draw::{Purpose, draw};
use wordline_dram::{
    CAUSES, Location, PagePolicy, Refresh, Request, RequestKind, ServedRequest, SubChannel,
    SubChannelConfig, WaitCause,
};

use crate::observers::runs::{Log, ddr5_6400};

fn unrefreshed() -> SubChannelConfig {
    let mut config = ddr5_6400();
    config.policy.refresh = Refresh::Off;
    config
}

/// The `number`-th bank of a rank, one group after the other.
fn bank(number: u64, row: u32, column: u64) -> Location {
    Location {
        group: (number % 8) as u8,
        bank: (number / 8 % 4) as u8,
        row,
        column: column as u16,
        ..Location::default()
    }
}

fn request(id: u64, kind: RequestKind, location: Location, arrival: u64) -> Request {
    Request {
        id,
        kind,
        location,
        arrival,
    }
}

fn read(id: u64, location: Location, arrival: u64) -> Request {
    request(id, RequestKind::Read, location, arrival)
}

/// What was served, by id.
fn run(
    config: &SubChannelConfig,
    requests: impl IntoIterator<Item = Request>,
) -> Vec<ServedRequest> {
    let mut channel = SubChannel::new(config, Log::default()).expect("a sound configuration");
    for request in requests {
        channel.push(request).expect("in range");
    }
    channel.flush();
    let mut served = channel.into_observer().served;
    served.sort_by_key(|served| served.id);
    served
}

/// Clocks by cause over requests that arrived at a clock or later.
fn waits(served: &[ServedRequest], from: u64) -> [u64; CAUSES] {
    let mut sum = [0; CAUSES];
    for served in served.iter().filter(|served| served.arrival >= from) {
        for (sum, clocks) in sum.iter_mut().zip(served.waits) {
            *sum += u64::from(clocks);
        }
    }
    sum
}

fn of(waits: &[u64; CAUSES], causes: &[WaitCause]) -> u64 {
    causes.iter().map(|&cause| waits[cause as usize]).sum()
}

/// The part of some causes in all but the wait in front of a full queue.
fn share(waits: &[u64; CAUSES], causes: &[WaitCause]) -> f64 {
    let all: u64 = waits.iter().sum();
    of(waits, causes) as f64 / (all - waits[WaitCause::Queue as usize]) as f64
}

/// All banks of a rank are closed when they are refreshed: a request then waits for tRFC, and then tRRD and tRCD.
#[test]
fn requests_at_the_clock_of_a_refresh_wait_for_it() {
    let config = ddr5_6400();
    let due = u64::from(config.policy.refresh_phase[0]);
    let served = run(&config, (0..8).map(|id| read(id, bank(id, 1, 0), due)));
    let refresh = WaitCause::Refresh as usize;
    assert!(
        served
            .iter()
            .all(|served| served.waits[refresh] == config.timing.rfc)
    );
    let waits = waits(&served, due);
    assert!(share(&waits, &[WaitCause::Refresh]) >= 0.9, "{waits:?}");
}

/// A request that comes in the middle of a refresh, to a sub-channel that has nothing else to do.
#[test]
fn a_lone_read_waits_for_the_rest_of_a_refresh() {
    let config = ddr5_6400();
    let due = u64::from(config.policy.refresh_phase[0]);
    let served = run(&config, [read(0, bank(3, 1, 0), due + 300)]);
    let mut expected = [0; CAUSES];
    expected[WaitCause::Refresh as usize] = config.timing.rfc - 300;
    expected[WaitCause::Activate as usize] = config.timing.rcd;
    assert_eq!(served[0].waits, expected);
}

/// REFsb bars the other banks too, for tREFSBRD, unless their row is open.
#[test]
fn a_same_bank_refresh_holds_up_closed_banks() {
    let mut config = ddr5_6400();
    config.policy.refresh = Refresh::SameBank;
    let due = u64::from(config.policy.refresh_phase[0]);
    let open = bank(16, 1, 0);
    let served = run(
        &config,
        [
            read(0, open, due - 1_000),
            read(1, bank(0, 1, 0), due + 10),
            read(2, bank(8, 1, 0), due + 10),
            read(3, open, due + 10),
        ],
    );
    let next = (due - 1) / u64::from(config.timing.refi_sb);
    assert_eq!(next, 3, "refreshes count from the phase on");
    let refresh = |id: usize| served[id].waits[WaitCause::Refresh as usize];
    assert_eq!(refresh(1), config.timing.rfc_sb - 10);
    assert_eq!(refresh(2), config.timing.refsbrd - 10);
    assert_eq!(refresh(3), 0);
}

/// What refresh costs is the difference that it makes, where it does not spare requests a PRE by closing their banks.
#[test]
fn refresh_is_what_goes_away_without_it() {
    for refresh in [Refresh::AllBank, Refresh::SameBank] {
        let mut config = ddr5_6400();
        config.policy.page = PagePolicy::Closed;
        let mut without = config.clone();
        config.policy.refresh = refresh;
        without.policy.refresh = Refresh::Off;
        let roll = |id: u64, what: u64, below: u64| draw(7, id, what, Purpose::Address) % below;
        let mut arrival = 0;
        let mut requests = Vec::new();
        for id in 0..40_000 {
            arrival += 1 + roll(id, 0, 239);
            let rank = roll(id, 1, 2) as u8;
            let (row, column) = (roll(id, 2, 65_536) as u32, roll(id, 3, 64));
            let at = bank(roll(id, 4, 32), row, column);
            requests.push(read(id, Location { rank, ..at }, arrival));
        }
        let with = waits(&run(&config, requests.clone()), 0);
        let without = waits(&run(&without, requests), 0);
        let difference = with.iter().sum::<u64>() as f64 - without.iter().sum::<u64>() as f64;
        let attributed = with[WaitCause::Refresh as usize] as f64;
        assert!(
            (attributed / difference - 1.0).abs() <= 0.25,
            "{refresh:?}: {attributed} of {difference}"
        );
    }
}

/// A row is opened for the first of four reads, with another one of the bank open: the others wait for it as long, then
/// for tCCD.
#[test]
fn hits_behind_a_row_wait_for_it() {
    let config = unrefreshed();
    let mut requests = vec![read(0, bank(0, 1, 0), 0)];
    requests.extend((1..5).map(|id| read(id, bank(0, 2, id), 1_000)));
    let served = run(&config, requests);
    let t = &config.timing;
    for (place, served) in served[1..].iter().enumerate() {
        let mut expected = [0; CAUSES];
        expected[WaitCause::Bank as usize] = t.rp;
        expected[WaitCause::Activate as usize] = t.rcd;
        expected[WaitCause::Bus as usize] = place as u32 * t.ccd_l;
        assert_eq!(served.waits, expected);
    }
}

/// The same while reads of other banks keep the bus busy.
#[test]
fn a_row_is_waited_for_though_the_bus_is_busy() {
    let config = unrefreshed();
    let opening = (0..8).map(|id| read(id, bank(id, 1, 0), 0));
    let stream = (8..68).map(|id| read(id, bank(id % 8, 1, id / 8), 1_000 + 8 * (id - 8)));
    let behind = (68..70).map(|id| read(id, bank(8, 1, id - 60), 1_101));
    let mut requests: Vec<_> = opening.chain(stream).chain(behind).collect();
    requests.sort_by_key(|request| request.arrival);
    let served = run(&config, requests);
    for served in &served[68..] {
        let waits = served.waits.map(u64::from);
        assert_eq!(of(&waits, &[WaitCause::Activate]), 52);
        assert!(of(&waits, &[WaitCause::Bus]) <= 2 * 16, "{waits:?}");
    }
}

/// Rows are open, 32 reads come at once, each to another group than the one before: nothing but their bursts.
#[test]
fn a_saturated_stream_waits_for_the_bus() {
    let config = unrefreshed();
    let opening = (0..8).map(|id| read(id, bank(id, 1, 0), 0));
    let stream = (8..40).map(|id| read(id, bank(id % 8, 1, id), 1_000));
    let waited = waits(&run(&config, opening.clone().chain(stream)), 1_000);
    assert_eq!(
        waited[WaitCause::Bus as usize],
        (0..32).map(|before| before * 8).sum::<u64>()
    );
    assert_eq!(waited.iter().sum::<u64>(), waited[WaitCause::Bus as usize]);
    let stream = (8..4_000).map(|id| read(id, bank(id % 8, 1, id / 8 % 64), 1_000));
    let waited = waits(&run(&config, opening.chain(stream)), 1_000);
    assert!(share(&waited, &[WaitCause::Bus]) >= 0.95, "{waited:?}");
}

/// Closed banks, and no more than four ACTs in a window twice as long as four tRRD.
#[test]
fn activations_beyond_four_in_a_window_wait_for_it() {
    let mut config = unrefreshed();
    config.timing.faw = 64;
    let served = run(&config, (0..32).map(|id| read(id, bank(id, 1, 0), 100)));
    for (place, served) in (0..).zip(&served) {
        let rate = place / 4 * 64 + place % 4 * config.timing.rrd_s;
        let mut expected = [0; CAUSES];
        expected[WaitCause::ActivationRate as usize] = rate;
        expected[WaitCause::Activate as usize] = config.timing.rcd;
        assert_eq!(served.waits, expected, "read {place}");
    }
}

/// Rows are open; the channel turns for every read and every write, which come as fast as it turns.
#[test]
fn reads_between_writes_wait_for_the_turns() {
    let mut config = unrefreshed();
    (config.policy.drain_high, config.policy.drain_low) = (1, 0);
    let opening = (0..8).map(|id| read(id, bank(id, 1, 0), 0));
    let mixed = (8..4_000).map(|id| {
        let kind = if id % 2 == 0 {
            RequestKind::Read
        } else {
            RequestKind::Write
        };
        request(id, kind, bank(id % 8, 1, id / 8 % 64), 1_000 + 40 * id)
    });
    let served = run(&config, opening.chain(mixed));
    let waited = waits(&served, 1_000);
    assert!(
        share(&waited, &[WaitCause::Drain, WaitCause::Turnaround]) >= 0.9,
        "{waited:?}"
    );
}

/// 48 writes go out until 16 are left. A read comes meanwhile: what it waits for is their end, and tWTR.
#[test]
fn a_read_among_writes_waits_for_their_drain() {
    let config = unrefreshed();
    let opening = (0..8).map(|id| read(id, bank(id, 1, 0), 0));
    let writes = (8..56).map(|id| request(id, RequestKind::Write, bank(id % 8, 1, id / 8), 1_000));
    let late = read(56, bank(0, 1, 40), 1_050);
    let served = run(&config, opening.chain(writes).chain([late]));
    let waited = waits(&served[56..], 0);
    assert_eq!(
        share(&waited, &[WaitCause::Drain, WaitCause::Turnaround]),
        1.0,
        "{waited:?}"
    );
    let [drain, turn] =
        [WaitCause::Drain, WaitCause::Turnaround].map(|cause| of(&waited, &[cause]));
    assert!(drain > 150 && turn > 50, "{waited:?}");
}
