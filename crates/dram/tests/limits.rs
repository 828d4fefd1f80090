//! Closed-form limits of a sub-channel. Each test names the limit and the arithmetic; `docs/evidence/ddr5-limits.md`
//! writes it out. Where the form is exact, so is the test: the engine reaches the limit to the clock.

use crate::support::{Dice, Recorder, ddr5_4400, ddr5_6400, one_rank, place, read, write};
use wordline_dram::{
    ChannelGeometry, Command, Location, PagePolicy, Refresh, Request, RowOutcome, SubChannel,
    SubChannelConfig, Timing,
};

/// What happens when everything is pushed and flushed.
fn flushed(config: &SubChannelConfig, requests: impl IntoIterator<Item = Request>) -> Recorder {
    let mut channel = SubChannel::new(config, Recorder::default()).expect("a legal configuration");
    for request in requests {
        channel.push(request).expect("a legal request");
    }
    channel.flush();
    channel.into_observer()
}

/// Clocks of some commands.
fn clocks(recorder: &Recorder, commands: &[Command]) -> Vec<u64> {
    let wanted = recorder
        .commands
        .iter()
        .filter(|issued| commands.contains(&issued.command));
    wanted.map(|issued| issued.at).collect()
}

const READS: [Command; 2] = [Command::Rd, Command::Rda];
const WRITES: [Command; 2] = [Command::Wr, Command::Wra];

/// `count` clocks from `first` on.
fn every(distance: u64, first: u64, count: u64) -> Vec<u64> {
    (0..count).map(|number| first + number * distance).collect()
}

/// The line of a stream of row hits that changes the bank group with every line.
fn over_groups(number: u64) -> Location {
    place((number % 8) as u8, 0, 0, (number / 8 % 128) as u16)
}

/// Part of the data bus's time that bursts take, from the first column command to the end of the last one.
fn share_of_peak(clocks: &[u64], burst: u32, buses: u32) -> f64 {
    let span = clocks[clocks.len() - 1] - clocks[0] + u64::from(burst);
    clocks.len() as f64 * f64::from(burst) / (span * u64::from(buses)) as f64
}

#[test]
fn row_hits_over_bank_groups_reach_the_bus_peak() {
    for timing in [ddr5_6400(), ddr5_4400()] {
        let first = u64::from(timing.rcd);
        let config = one_rank(timing);
        let reads = flushed(
            &config,
            (0..1_000).map(|number| read(number, over_groups(number), 0)),
        );
        // tCCD_S is the length of a burst: no clock of the bus is left.
        let issued = clocks(&reads, &READS);
        assert_eq!(issued, every(8, first, 1_000));
        assert_eq!(share_of_peak(&issued, 8, 1), 1.0);
        let writes = flushed(
            &config,
            (0..1_000).map(|number| write(number, over_groups(number), 0)),
        );
        assert_eq!(clocks(&writes, &WRITES), every(8, first, 1_000));
    }
}

#[test]
fn row_hits_in_one_bank_are_bound_by_tccd_l() {
    for (timing, reads_apart, writes_apart) in [(ddr5_6400(), 16, 32), (ddr5_4400(), 11, 22)] {
        let first = u64::from(timing.rcd);
        let config = one_rank(timing);
        let line = |number: u64| place(3, 1, 7, (number % 128) as u16);
        let reads = flushed(
            &config,
            (0..128).map(|number| read(number, line(number), 0)),
        );
        assert_eq!(clocks(&reads, &READS), every(reads_apart, first, 128));
        let writes = flushed(
            &config,
            (0..128).map(|number| write(number, line(number), 0)),
        );
        assert_eq!(clocks(&writes, &WRITES), every(writes_apart, first, 128));
    }
}

#[test]
fn conflicts_in_one_bank_are_bound_by_trc() {
    // A write keeps its row longer: tRCD + CWL + burst + tWR + tRP.
    for (timing, reads_apart, writes_apart) in [
        (ddr5_6400(), 155, 52 + 50 + 8 + 96 + 52),
        (ddr5_4400(), 107, 36 + 34 + 8 + 66 + 36),
    ] {
        let config = one_rank(timing);
        let line = |number: u64| place(3, 1, number as u32, 0);
        let reads = flushed(
            &config,
            (0..100).map(|number| read(number, line(number), 0)),
        );
        assert_eq!(clocks(&reads, &[Command::Act]), every(reads_apart, 0, 100));
        let writes = flushed(
            &config,
            (0..100).map(|number| write(number, line(number), 0)),
        );
        assert_eq!(
            clocks(&writes, &[Command::Act]),
            every(writes_apart, 0, 100)
        );
    }
}

#[test]
fn activations_are_bound_by_trrd() {
    let config = one_rank(ddr5_6400());
    let groups = (0..32).map(|number| {
        read(
            number,
            place((number % 8) as u8, (number / 8) as u8, 0, 0),
            0,
        )
    });
    let activated = clocks(&flushed(&config, groups), &[Command::Act]);
    assert_eq!(activated, every(8, 0, 32), "tRRD_S, other groups");
    let banks = (0..4).map(|number| read(number, place(0, number as u8, 0, 0), 0));
    let activated = clocks(&flushed(&config, banks), &[Command::Act]);
    assert_eq!(activated, every(16, 0, 4), "tRRD_L, one group");
}

#[test]
fn activations_are_bound_by_tfaw() {
    // Pages of 2 KB: max(40 nCK, 12.5 ns) = 40 clocks for four rows, where tRRD_S would allow them in 32.
    let timing = Timing {
        faw: 40,
        ..ddr5_6400()
    };
    let groups = (0..32).map(|number| {
        read(
            number,
            place((number % 8) as u8, (number / 8) as u8, 0, 0),
            0,
        )
    });
    let activated = clocks(&flushed(&one_rank(timing), groups), &[Command::Act]);
    let expected: Vec<u64> = (0..32)
        .map(|number| number / 4 * 40 + number % 4 * 8)
        .collect();
    assert_eq!(activated, expected);
}

/// Latencies of a miss, a hit and a conflict in an idle channel.
fn unloaded(timing: Timing) -> [u64; 3] {
    let requests = [
        read(0, place(0, 0, 1, 0), 1_000),
        read(1, place(0, 0, 1, 1), 2_000),
        read(2, place(0, 0, 2, 0), 3_000),
    ];
    let served = flushed(&one_rank(timing), requests).served;
    let outcomes: Vec<RowOutcome> = served.iter().map(|one| one.outcome).collect();
    assert_eq!(
        outcomes,
        [RowOutcome::Miss, RowOutcome::Hit, RowOutcome::Conflict]
    );
    [0, 1, 2].map(|number: usize| served[number].finish - served[number].arrival)
}

#[test]
fn an_unloaded_read_takes_what_its_commands_take() {
    // Miss tRCD + CL + burst, hit CL + burst, conflict tRP + tRCD + CL + burst.
    assert_eq!(
        unloaded(ddr5_6400()),
        [52 + 52 + 8, 52 + 8, 52 + 52 + 52 + 8]
    );
    assert_eq!(
        unloaded(ddr5_4400()),
        [36 + 36 + 8, 36 + 8, 36 + 36 + 36 + 8]
    );
}

#[test]
fn a_read_that_meets_a_refresh_waits_for_trfc() {
    let mut config = one_rank(ddr5_6400());
    config.policy.refresh = Refresh::AllBank;
    config.policy.refresh_phase = vec![5_000];
    let served = flushed(&config, [read(0, place(0, 0, 1, 0), 5_000)]).served;
    assert_eq!(served[0].finish - served[0].arrival, 944 + 52 + 52 + 8);
}

#[test]
fn a_read_that_meets_power_down_waits_for_txp() {
    let mut config = one_rank(ddr5_6400());
    config.policy.power_down = Some(100);
    let served = flushed(&config, [read(0, place(0, 0, 1, 0), 5_000)]).served;
    assert_eq!(served[0].finish - served[0].arrival, 24 + 52 + 52 + 8);
}

#[test]
fn a_change_of_direction_costs_what_the_rules_say() {
    let mut config = one_rank(ddr5_6400());
    (config.policy.drain_high, config.policy.drain_low) = (1, 0);
    (config.geometry.ranks, config.policy.refresh_phase) = (2, vec![0, 0]);
    let [same, other, other_rank] = [
        place(0, 0, 1, 0),
        place(1, 0, 1, 0),
        Location {
            rank: 1,
            ..place(2, 0, 1, 0)
        },
    ];
    let opening = [read(0, same, 0), read(1, other, 0), read(2, other_rank, 0)];
    // The rows are open; then one command of each kind, a clock after the other.
    let gap = |first: Request, second: Request| {
        let recorder = flushed(&config, opening.into_iter().chain([first, second]));
        let issued = clocks(&recorder, &[Command::Rd, Command::Wr]);
        assert_eq!(issued[3], 1_000);
        issued[4] - issued[3]
    };
    // CWL + burst + tWTR_L = 90 and CWL + burst + tWTR_S = 66; of another rank only the bus counts.
    let next = Location { column: 1, ..same };
    assert_eq!(
        gap(write(3, same, 1_000), read(4, next, 1_001)),
        50 + 8 + 32
    );
    assert_eq!(
        gap(write(3, same, 1_000), read(4, other, 1_001)),
        50 + 8 + 8
    );
    assert_eq!(
        gap(write(3, same, 1_000), read(4, other_rank, 1_001)),
        50 + 8 + 2 - 52
    );
    // CL + burst − CWL + 4, and the gap between ranks.
    assert_eq!(gap(read(3, same, 1_000), write(4, other, 1_001)), 14);
    assert_eq!(
        gap(read(3, same, 1_000), write(4, other_rank, 1_001)),
        14 + 2
    );
    assert_eq!(gap(read(3, same, 1_000), read(4, other_rank, 1_001)), 8 + 2);
}

#[test]
fn a_stream_loses_to_refab_what_the_rules_say() {
    for (timing, lost) in [
        (ddr5_6400(), 24 + 52 + 944 + 52),
        (ddr5_4400(), 17 + 36 + 649 + 36),
    ] {
        let interval = u64::from(timing.refi);
        let mut config = one_rank(timing);
        config.policy.refresh = Refresh::AllBank;
        config.policy.refresh_phase = vec![1_000];
        let recorder = flushed(
            &config,
            (0..8_000).map(|number| read(number, over_groups(number), 0)),
        );
        let issued = clocks(&recorder, &READS);
        // The last read before a refresh, tRTP, tRP, tRFC, tRCD, the first read after it. No other clock is lost.
        let gaps: Vec<u64> = issued
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .filter(|gap| *gap != 8)
            .collect();
        let refreshed = clocks(&recorder, &[Command::RefAb]);
        assert_eq!(gaps, vec![lost; refreshed.len()]);
        assert!(refreshed.len() >= 5);
        // A period has one gap, and a burst in every eight clocks of the rest.
        let [first, last] = [refreshed[0], refreshed[refreshed.len() - 1]];
        let periods = refreshed.len() as u64 - 1;
        let between = issued
            .iter()
            .filter(|at| (first..last).contains(*at))
            .count() as u64;
        assert_eq!(last - first, (between - periods) * 8 + periods * lost);
        let share = (between * 8) as f64 / (last - first) as f64;
        let formula = 1.0 - (lost - 8) as f64 / interval as f64;
        assert!((share - formula).abs() < 0.5 / 1_000.0, "{share} {formula}");
    }
}

#[test]
fn at_6400_a_period_of_refresh_holds_1427_reads() {
    let mut config = one_rank(ddr5_6400());
    config.policy.refresh = Refresh::AllBank;
    config.policy.refresh_phase = vec![1_000];
    let recorder = flushed(
        &config,
        (0..8_000).map(|number| read(number, over_groups(number), 0)),
    );
    let refreshed = clocks(&recorder, &[Command::RefAb]);
    let issued = clocks(&recorder, &READS);
    for period in refreshed.windows(2) {
        assert_eq!(period[1] - period[0], 12_480);
        let between = issued
            .iter()
            .filter(|at| (period[0]..period[1]).contains(*at))
            .count();
        // 12480 / 8 = 1560 bursts, less the 133 of (1072 − 8) / 8.
        assert_eq!(between, 1_427);
    }
}

#[test]
fn a_stream_loses_to_refsb_only_when_its_own_bank_is_refreshed() {
    let mut config = one_rank(ddr5_6400());
    config.policy.refresh = Refresh::SameBank;
    config.policy.refresh_phase = vec![1_000];
    let recorder = flushed(
        &config,
        (0..8_000).map(|number| read(number, over_groups(number), 0)),
    );
    let issued = clocks(&recorder, &READS);
    let gaps: Vec<u64> = issued
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|gap| *gap != 8)
        .collect();
    let refreshed = clocks(&recorder, &[Command::RefSb]);
    // One REFsb in four is for the bank of the stream: tRTP + tRP + tRFCsb + tRCD.
    assert_eq!(gaps, vec![24 + 52 + 416 + 52; refreshed.len().div_ceil(4)]);
}

/// Share of the peak that saturated random reads reach, all banks, rows and columns alike; nothing is overdue.
fn random_reads(config: &SubChannelConfig, age_cap: u32) -> f64 {
    let mut config = config.clone();
    config.policy.age_cap = age_cap;
    let (mut dice, geometry) = (Dice::new(1), config.geometry.clone());
    // As many for each pseudo-channel, so that none is done before the other.
    let requests = (0..50_000).map(|number| {
        let pseudo_channel = (number % u64::from(geometry.pseudo_channels)) as u8;
        read(
            number,
            Location {
                pseudo_channel,
                ..anywhere(&mut dice, &geometry)
            },
            0,
        )
    });
    let issued = clocks(&flushed(&config, requests), &READS);
    share_of_peak(
        &issued,
        config.timing.burst,
        u32::from(geometry.pseudo_channels),
    )
}

fn anywhere(dice: &mut Dice, geometry: &ChannelGeometry) -> Location {
    Location {
        pseudo_channel: 0,
        rank: dice.below(geometry.ranks),
        group: dice.below(geometry.groups),
        bank: dice.below(geometry.banks),
        row: dice.between(0, geometry.rows - 1),
        column: dice.between(0, u32::from(geometry.columns) - 1) as u16,
    }
}

/// Compares a share, in percent, with what it must lie between.
#[track_caller]
fn assert_percent(share: f64, least: f64, most: f64) {
    let percent = share * 100.0;
    assert!(
        (least..=most).contains(&percent),
        "{percent:.2} % of the peak; allowed: {least} to {most}"
    );
}

fn with(timing: Timing, page: PagePolicy, refresh: Refresh) -> SubChannelConfig {
    let mut config = one_rank(timing);
    (config.policy.page, config.policy.refresh) = (page, refresh);
    config
}

#[test]
fn random_reads_of_one_rank_with_32_entries() {
    // Rows that close themselves: tRP runs while the bank waits for its next request.
    let share = |refresh| random_reads(&with(ddr5_6400(), PagePolicy::Closed, refresh), u32::MAX);
    assert_percent(share(Refresh::Off), 98.0, 99.5);
    assert_percent(share(Refresh::AllBank), 89.0, 91.0);
    // A REFsb withholds 8 of 32 banks for tRFCsb and some, and their requests fill half of the queue meanwhile; the
    // other banks of its rank open no row for tRP before it.
    assert_percent(share(Refresh::SameBank), 83.0, 84.5);
}

#[test]
fn an_age_cap_of_four_queues_costs_nothing() {
    let mut config = with(ddr5_6400(), PagePolicy::Closed, Refresh::Off);
    let free = random_reads(&config, u32::MAX);
    for age_cap in [32, 128] {
        config.policy.age_cap = age_cap;
        assert!(random_reads(&config, age_cap) > free - 0.005);
    }
}

#[test]
fn open_pages_pay_for_trp_on_random_reads() {
    // Bin A: tRCD and tRP are 6 clocks shorter.
    let bin_a = Timing {
        cl: 46,
        cwl: 44,
        rcd: 46,
        rp: 46,
        rc: 149,
        ..ddr5_6400()
    };
    let share_a = |refresh| random_reads(&with(bin_a.clone(), PagePolicy::Open, refresh), u32::MAX);
    assert_percent(share_a(Refresh::Off), 97.0, 98.0);
    assert_percent(share_a(Refresh::AllBank), 88.0, 89.0);
    let share = |refresh| random_reads(&with(ddr5_6400(), PagePolicy::Open, refresh), u32::MAX);
    assert_percent(share(Refresh::Off), 96.0, 97.0);
    assert_percent(share(Refresh::AllBank), 87.0, 88.0);
    // At 4400 a bank's cycle is 107 clocks where it is 155, of the same 8 for a burst: banks no longer matter.
    let share = |refresh| random_reads(&with(ddr5_4400(), PagePolicy::Open, refresh), u32::MAX);
    assert_percent(share(Refresh::Off), 99.0, 100.0);
    assert_percent(share(Refresh::AllBank), 89.5, 91.0);
}

/// Two pseudo-channels of one rank each at 4400, as in an MRDIMM-8800.
fn pair(page: PagePolicy, shared_commands: bool) -> SubChannelConfig {
    let mut config = with(ddr5_4400(), page, Refresh::Off);
    config.geometry.pseudo_channels = 2;
    config.policy.shared_commands = shared_commands;
    config.policy.refresh_phase = vec![0, 0];
    config
}

#[test]
fn two_pseudo_channels_carry_two_streams() {
    for shared_commands in [false, true] {
        let stream = |number: u64| {
            let line = over_groups(number / 2);
            read(
                number,
                Location {
                    pseudo_channel: (number % 2) as u8,
                    ..line
                },
                0,
            )
        };
        let recorder = flushed(
            &pair(PagePolicy::Open, shared_commands),
            (0..2_000).map(stream),
        );
        let of = |pseudo_channel: u8| {
            let reads = recorder
                .commands
                .iter()
                .filter(|issued| issued.command == Command::Rd);
            let of_one = reads.filter(|issued| issued.location.pseudo_channel == pseudo_channel);
            of_one.map(|issued| issued.at).collect::<Vec<u64>>()
        };
        // The second one half a burst behind the first: `pair_burst`.
        assert_eq!(of(0), every(8, 36, 1_000));
        assert_eq!(of(1), every(8, 40, 1_000));
    }
}

#[test]
fn one_command_bus_for_two_pseudo_channels_bounds_random_reads() {
    // ACT 2 + RD 2 + PRE 1 = 5 clocks a line, 10 for a line of each, in the 8 clocks of a burst.
    assert_percent(
        random_reads(&pair(PagePolicy::Open, true), u32::MAX),
        79.5,
        80.0,
    );
    // ACT 2 + RDA 2 fill the bus, and tFAW allows one ACT in 8 clocks: a slot that is lost once does not come back.
    assert_percent(
        random_reads(&pair(PagePolicy::Closed, true), u32::MAX),
        94.0,
        100.0,
    );
    assert_percent(
        random_reads(&pair(PagePolicy::Open, false), u32::MAX),
        99.0,
        100.0,
    );
}

/// Random reads of two ranks through 32 entries, as a share of the bus. A REFab of one rank takes 944 clocks, in which the
/// other one could serve 118 reads, and as many come for the refreshed one: they fill the entries after some 32, and the
/// bus stands idle. With room for 128 of them aside the entries are left to the other rank.
#[test]
fn a_refresh_of_one_rank_leaves_the_other_its_entries() {
    let mut config = one_rank(ddr5_6400());
    config.geometry.ranks = 2;
    config.policy.refresh = Refresh::AllBank;
    config.policy.refresh_phase = vec![6_240, 12_480];
    let share = |config: &SubChannelConfig| {
        let mut dice = Dice::new(1);
        let reads = (0..30_000).map(|number| {
            let location = Location {
                rank: dice.below(2),
                ..place(dice.below(8), dice.below(4), dice.between(0, 65_535), 0)
            };
            read(number, location, 0)
        });
        let reads: Vec<_> = reads.collect();
        share_of_peak(&clocks(&flushed(config, reads), &READS), 8, 1)
    };
    let clogged = share(&config);
    config.policy.refresh_aside = 128;
    let aside = share(&config);
    config.policy.refresh = Refresh::Off;
    let unrefreshed = share(&config);
    assert!((0.82..0.87).contains(&clogged), "{clogged}");
    assert!((0.92..0.95).contains(&aside), "{aside}");
    assert!(unrefreshed > 0.97, "{unrefreshed}");
}
