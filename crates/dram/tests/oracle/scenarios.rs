//! Small scenarios whose clocks were worked out by hand from `DESIGN.md`, so that the oracle is not believed blindly.
//! Times below are for DDR5-6400 as in `support`, unless a scenario says otherwise.

use super::Oracle;
use crate::support::{ddr5_6400, one_rank, place, read, write};
use Command::{Act, Pde, Pdx, PreAb, PrePb, PreSb, Rd, Rda, RefAb, RefSb, RfmAb, Wr, Wra};
use wordline_dram::{
    Command, Location, PagePolicy, Refresh, RefreshManagement, Request, RowOutcome, SameBankOrder,
    SubChannelConfig,
};

fn config() -> SubChannelConfig {
    one_rank(ddr5_6400())
}

/// Pushes and flushes; the commands with their clocks.
fn flushed(config: &SubChannelConfig, requests: &[Request]) -> (Vec<(u64, Command)>, Oracle) {
    let mut oracle = Oracle::new(config);
    for request in requests {
        oracle.push(*request);
    }
    oracle.flush();
    (timed(&oracle), oracle)
}

fn timed(oracle: &Oracle) -> Vec<(u64, Command)> {
    oracle
        .commands
        .iter()
        .map(|issued| (issued.at, issued.command))
        .collect()
}

fn on_rank(rank: u8, location: Location) -> Location {
    Location { rank, ..location }
}

#[test]
fn a_miss_a_hit_and_a_conflict() {
    let requests = [
        read(0, place(0, 0, 5, 1), 10),
        // Long after: the row is open.
        read(1, place(0, 0, 5, 2), 1_000),
        read(2, place(0, 0, 6, 0), 2_000),
    ];
    let (commands, oracle) = flushed(&config(), &requests);
    assert_eq!(
        commands,
        [
            (10, Act),
            (62, Rd),
            (1_000, Rd),
            (2_000, PrePb),
            (2_052, Act),
            (2_104, Rd)
        ]
    );
    let outcomes: Vec<_> = oracle
        .served
        .iter()
        .map(|one| (one.outcome, one.finish))
        .collect();
    assert_eq!(
        outcomes,
        [
            (RowOutcome::Miss, 62 + 60),
            (RowOutcome::Hit, 1_060),
            (RowOutcome::Conflict, 2_164)
        ]
    );
    assert_eq!(oracle.now(), 2_105);
}

#[test]
fn a_conflict_at_once_waits_for_ras_and_rtp() {
    let requests = [read(0, place(0, 0, 1, 0), 0), read(1, place(0, 0, 2, 0), 0)];
    let (commands, _) = flushed(&config(), &requests);
    // tRAS (103) is later than the read at 52 + tRTP (24); tRC (155) is tRAS + tRP.
    assert_eq!(
        commands,
        [(0, Act), (52, Rd), (103, PrePb), (155, Act), (207, Rd)]
    );
}

#[test]
fn groups_take_turns_and_a_hit_goes_before_an_older_miss() {
    let requests = [
        read(0, place(0, 0, 1, 0), 0),
        read(1, place(0, 0, 2, 0), 0),
        read(2, place(0, 0, 1, 1), 0),
        read(3, place(1, 0, 1, 0), 0),
    ];
    let (commands, oracle) = flushed(&config(), &requests);
    // ACTs tRRD_S apart. Reads 0 and 2 of a bank are tCCD_L (16) apart, that of the other group lies between.
    assert_eq!(
        commands,
        [
            (0, Act),
            (8, Act),
            (52, Rd),
            (60, Rd),
            (68, Rd),
            (103, PrePb),
            (155, Act),
            (207, Rd)
        ]
    );
    let order: Vec<_> = oracle.served.iter().map(|one| one.id).collect();
    assert_eq!(order, [0, 3, 2, 1]);
}

#[test]
fn four_activations_in_a_window() {
    let mut config = config();
    config.timing.faw = 50;
    let requests: Vec<_> = (0..6)
        .map(|group| read(u64::from(group), place(group, 0, 0, 0), 0))
        .collect();
    let (commands, _) = flushed(&config, &requests);
    let acts: Vec<_> = commands
        .iter()
        .filter(|(_, command)| *command == Act)
        .map(|(at, _)| *at)
        .collect();
    // The fifth waits for the window from the first, the sixth for that from the second. At 52 and 60 a column command
    // goes first, at 58 neither does.
    assert_eq!(acts, [0, 8, 16, 24, 50, 58]);
}

#[test]
fn an_activation_waits_while_a_read_holds_the_bus() {
    let mut config = config();
    config.timing.faw = 52;
    let requests: Vec<_> = (0..5)
        .map(|group| read(u64::from(group), place(group, 0, 0, 0), 0))
        .collect();
    let (commands, _) = flushed(&config, &requests);
    // At 52 both ACT and RD are legal: the class decides, and the RD takes two clocks.
    assert_eq!(commands[4..7], [(52, Rd), (54, Act), (60, Rd)]);
}

#[test]
fn writes_are_drained_and_reads_turn_back() {
    let mut config = config();
    (config.policy.drain_high, config.policy.drain_low) = (2, 1);
    let requests = [
        write(0, place(0, 0, 1, 0), 0),
        write(1, place(1, 0, 1, 0), 0),
        read(2, place(0, 0, 1, 1), 0),
        read(3, place(2, 0, 1, 1), 0),
    ];
    let (commands, oracle) = flushed(&config, &requests);
    // Two writes turn the channel at 0; in a flush it writes until none is left: WRs at 52 and 60. At 61 it turns
    // back; the WR leaves the bus at 62, and read 3 is opened. tWTR_S from the last write lets it go at
    // 60 + 50 + 8 + 8 = 126, tWTR_L from the first lets read 2 go at 52 + 50 + 8 + 32 = 142.
    assert_eq!(
        commands,
        [
            (0, Act),
            (8, Act),
            (52, Wr),
            (60, Wr),
            (62, Act),
            (126, Rd),
            (142, Rd)
        ]
    );
    assert_eq!(oracle.served[0].finish, 52 + 58);
}

#[test]
fn without_a_flush_few_writes_are_kept_back() {
    let mut config = config();
    (config.policy.drain_high, config.policy.drain_low) = (8, 1);
    let mut oracle = Oracle::new(&config);
    oracle.push(write(0, place(0, 0, 1, 0), 0));
    oracle.run(500);
    assert_eq!(timed(&oracle), []);
    oracle.push(write(1, place(0, 0, 1, 1), 500));
    oracle.push(write(2, place(0, 0, 1, 2), 600));
    oracle.run(1_000);
    // Two are more than one: it writes, down to one, and again when the third comes.
    assert_eq!(timed(&oracle), [(500, Act), (552, Wr), (600, Wr)]);
    assert_eq!(oracle.flush(), 1_001);
    assert_eq!(timed(&oracle)[3..], [(1_000, Wr)]);
}

#[test]
fn forwards_and_merges_take_no_room() {
    let mut config = config();
    (config.policy.read_queue, config.policy.write_queue) = (1, 1);
    (config.policy.drain_high, config.policy.drain_low) = (1, 0);
    let line = place(0, 0, 1, 0);
    let requests = [
        write(0, line, 0),
        write(1, line, 0),
        write(2, place(1, 0, 0, 0), 0),
        read(3, line, 0),
        read(4, line, 1),
    ];
    let (_, oracle) = flushed(&config, &requests);
    let of = |id: u64| {
        oracle
            .served
            .iter()
            .find(|one| one.id == id)
            .copied()
            .expect("served")
    };
    assert_eq!((of(1).outcome, of(1).admitted), (RowOutcome::Merged, 0));
    // Reads of a clock are admitted before its writes: read 3 is queued, read 4 a clock later is forwarded.
    assert_eq!((of(3).outcome, of(3).admitted), (RowOutcome::Hit, 0));
    assert_eq!((of(4).outcome, of(4).finish), (RowOutcome::Forwarded, 1));
    // The queue has room for write 2 after the WR at 52, from the clock after it.
    assert_eq!((of(0).issued, of(2).admitted), (52, 53));
    assert_eq!(oracle.accepted, [(0, 0), (1, 0), (2, 53)]);
}

#[test]
fn the_overdue_goes_before_hits() {
    let mut config = config();
    config.policy.age_cap = 2;
    let mut requests = vec![read(0, place(0, 0, 1, 0), 0), read(1, place(0, 0, 2, 0), 0)];
    requests.extend((2..6).map(|id| read(id, place(0, 0, 1, id as u16), 0)));
    let (commands, oracle) = flushed(&config, &requests);
    let order: Vec<_> = oracle.served.iter().map(|one| one.id).collect();
    // Two column commands pass read 1; then its row is opened. The rest of row 1 comes after it.
    assert_eq!(order, [0, 2, 1, 3, 4, 5]);
    assert_eq!(
        commands[..5],
        [(0, Act), (52, Rd), (68, Rd), (103, PrePb), (155, Act)]
    );
}

#[test]
fn the_overdue_keeps_reads_of_other_banks_back() {
    let mut config = config();
    config.policy.age_cap = 1;
    let requests = [
        read(0, place(0, 0, 1, 0), 0),
        read(1, place(0, 0, 1, 1), 0),
        read(2, place(1, 0, 1, 0), 0),
    ];
    let (commands, oracle) = flushed(&config, &requests);
    // After the read at 52 read 1 is overdue. It may go at 68; read 2 could have gone at 60.
    assert_eq!(commands, [(0, Act), (8, Act), (52, Rd), (68, Rd), (76, Rd)]);
    assert_eq!(oracle.served[1].id, 1);
}

#[test]
fn closed_pages_close_themselves() {
    let mut config = config();
    config.policy.page = PagePolicy::Closed;
    let requests = [
        read(0, place(0, 0, 1, 0), 0),
        read(1, place(0, 0, 1, 1), 0),
        read(2, place(0, 0, 2, 0), 0),
    ];
    let (commands, _) = flushed(&config, &requests);
    // RD, then RDA as the last one of the row. It starts to precharge at max(68 + 24, 103) = 103.
    assert_eq!(
        commands,
        [(0, Act), (52, Rd), (68, Rda), (155, Act), (207, Rda)]
    );
}

#[test]
fn a_write_that_closes_is_precharged_after_its_recovery() {
    let mut config = config();
    config.policy.page = PagePolicy::Closed;
    let requests = [
        write(0, place(0, 0, 1, 0), 0),
        write(1, place(0, 0, 2, 0), 0),
    ];
    let (commands, _) = flushed(&config, &requests);
    // p = 52 + 50 + 8 + 96 = 206, and tRP.
    assert_eq!(commands, [(0, Act), (52, Wra), (258, Act), (310, Wra)]);
}

#[test]
fn a_row_is_closed_after_its_timeout() {
    let mut config = config();
    config.policy.page = PagePolicy::Timeout(100);
    let mut oracle = Oracle::new(&config);
    oracle.push(read(0, place(0, 3, 1, 0), 0));
    oracle.run(1_000);
    assert_eq!(timed(&oracle), [(0, Act), (52, Rd), (152, PrePb)]);
    assert_eq!(oracle.commands[2].location, place(0, 3, 0, 0));
    assert_eq!(oracle.commands[2].request, None);
}

#[test]
fn an_all_bank_refresh_closes_and_withholds_its_rank() {
    let mut config = config();
    config.policy.refresh = Refresh::AllBank;
    config.policy.refresh_phase = vec![60];
    let requests = [
        read(0, place(0, 0, 1, 0), 0),
        read(1, place(1, 0, 1, 0), 0),
        read(2, place(2, 0, 1, 0), 50),
    ];
    let (commands, oracle) = flushed(&config, &requests);
    // Due at 60: the read at 60 is withheld. Banks 0 and 1 were opened at 0 and 8, bank 2 at 50: PREab at 153.
    // REFab tRP later, ACT tRFC later.
    assert_eq!(
        commands[..5],
        [(0, Act), (8, Act), (50, Act), (52, Rd), (153, PreAb)]
    );
    assert_eq!(commands[5..8], [(205, RefAb), (1_149, Act), (1_157, Act)]);
    assert_eq!(commands[8..], [(1_201, Rd), (1_209, Rd)]);
    assert_eq!(oracle.served[1].outcome, RowOutcome::Miss);
}

#[test]
fn a_refresh_is_postponed_while_there_is_work() {
    let mut config = config();
    config.policy.refresh = Refresh::AllBank;
    config.policy.refresh_phase = vec![10];
    config.policy.refresh_postponed_max = 1;
    let mut oracle = Oracle::new(&config);
    oracle.push(read(0, place(0, 0, 1, 0), 0));
    oracle.run(2_000);
    // Owed from 10, but there is an entry until 52. Then it must: PREab by tRAS.
    assert_eq!(
        timed(&oracle),
        [(0, Act), (52, Rd), (103, PreAb), (155, RefAb)]
    );
}

#[test]
fn same_bank_refreshes_walk_over_the_indices() {
    let mut config = config();
    config.policy.refresh = Refresh::SameBank;
    config.policy.refresh_phase = vec![100];
    let mut oracle = Oracle::new(&config);
    oracle.push(read(0, place(0, 1, 1, 0), 0));
    oracle.push(read(1, place(3, 1, 1, 0), 0));
    oracle.push(read(2, place(3, 0, 1, 0), 101));
    oracle.push(read(3, place(3, 2, 1, 0), 101));
    oracle.run(2_400);
    assert_eq!(
        timed(&oracle),
        [
            (0, Act),
            (8, Act),
            (52, Rd),
            (60, Rd),
            // Index 0 is closed everywhere. Other banks may be opened tREFSBRD later, its own tRFCsb later; the row
            // of bank 0 of the group waits for no one else.
            (100, RefSb),
            (196, Act),
            (248, Rd),
            (516, Act),
            (568, Rd),
            // Index 1: two banks are open.
            (1_660, PreSb),
            (1_712, RefSb),
        ]
    );
    let last = oracle.commands.last().expect("commands");
    assert_eq!(last.location, place(0, 1, 0, 0));
}

#[test]
fn refreshes_are_pulled_in_while_there_is_no_work() {
    let mut config = config();
    config.policy.refresh = Refresh::AllBank;
    config.policy.refresh_phase = vec![3_000];
    config.policy.refresh_pulled_in_max = 2;
    let mut oracle = Oracle::new(&config);
    oracle.push(read(0, place(0, 0, 1, 0), 10));
    oracle.run(4_000);
    assert_eq!(
        timed(&oracle),
        [
            // Nothing is queued, and one may be ahead; the read waits for tRFC. When it is served, the second one goes.
            (0, RefAb),
            (944, Act),
            (996, Rd),
            (1_047, PreAb),
            (1_099, RefAb),
            // One fell due at 3,000: the rank is one ahead, and may be two.
            (3_000, RefAb),
        ]
    );
}

#[test]
fn requests_of_a_refreshed_rank_wait_aside() {
    let mut config = config();
    config.geometry.ranks = 2;
    config.policy.read_queue = 2;
    config.policy.refresh = Refresh::AllBank;
    config.policy.refresh_phase = vec![10, 5_000];
    config.policy.refresh_aside = 1;
    let mut oracle = Oracle::new(&config);
    oracle.push(read(0, place(0, 0, 1, 0), 20));
    oracle.push(read(1, place(1, 0, 1, 0), 20));
    oracle.push(read(2, on_rank(1, place(0, 0, 1, 0)), 20));
    oracle.push(read(3, on_rank(1, place(0, 0, 1, 1)), 20));
    oracle.run(1_100);
    assert_eq!(
        timed(&oracle),
        [
            (10, RefAb),
            // The first read waits aside, the second one takes an entry and the third one the last; the fourth follows it.
            (20, Act),
            (72, Rd),
            (88, Rd),
            // tRFC after REFab the first one takes an entry as well, behind the second one.
            (954, Act),
            (962, Act),
            (1_006, Rd),
            (1_014, Rd),
        ]
    );
    let served: Vec<_> = oracle.served.iter().map(|one| one.id).collect();
    let admitted: Vec<_> = oracle.served.iter().map(|one| one.admitted).collect();
    assert_eq!(
        (served, admitted),
        (vec![2, 3, 1, 0], vec![20, 73, 20, 954])
    );
}

/// Rows of one bank by turns, with two activations allowed between two RFMs: tRC 155, tRAS 103, tRP 52, tRFC 944.
#[test]
fn a_bank_that_is_activated_often_is_managed() {
    let mut config = config();
    config.policy.refresh = Refresh::AllBank;
    config.policy.refresh_phase = vec![10_000];
    config.policy.rfm = Some(RefreshManagement {
        raaimt: 2,
        raammt: 3,
        raadec: 1,
        clocks: 400,
    });
    let requests: Vec<_> = (0..4)
        .map(|number| read(number, place(0, 0, number as u32, 0), 0))
        .collect();
    let (commands, oracle) = flushed(&config, &requests);
    assert_eq!(
        commands,
        [
            (0, Act),
            (52, Rd),
            (103, PrePb),
            (155, Act),
            (207, Rd),
            (258, PrePb),
            // The third one is counted: the rank is forced before its read, and the bank has two less.
            (310, Act),
            (413, PreAb),
            (465, RfmAb),
            (865, Act),
            (917, Rd),
            (968, PrePb),
            // The third one again.
            (1_020, Act),
            (1_123, PreAb),
            (1_175, RfmAb),
            (1_575, Act),
            (1_627, Rd),
        ]
    );
    assert_eq!(oracle.ranks[0].banks[0].counted, 2);
}

#[test]
fn a_same_bank_refresh_takes_banks_that_are_idle() {
    let mut config = config();
    config.policy.refresh = Refresh::SameBank;
    config.policy.same_bank_order = SameBankOrder::IdleFirst;
    config.policy.refresh_phase = vec![100];
    let mut oracle = Oracle::new(&config);
    oracle.push(read(0, place(0, 0, 1, 0), 99));
    oracle.push(read(1, place(0, 1, 1, 0), 110));
    oracle.run(2_400);
    assert_eq!(
        timed(&oracle),
        [
            (99, Act),
            // Index 0 has an entry when the refresh is forced: index 1 is next, and stays so although an entry comes for
            // it. It waits for tRRD_L.
            (115, RefSb),
            (151, Rd),
            (531, Act),
            (583, Rd),
            // No index has an entry: the lowest of the round.
            (1_660, PreSb),
            (1_712, RefSb),
        ]
    );
    let refreshes = oracle.commands.iter();
    let refreshes = refreshes.filter(|issued| issued.command == RefSb);
    let indices: Vec<_> = refreshes.map(|issued| issued.location.bank).collect();
    assert_eq!(indices, [1, 0]);
}

#[test]
fn an_idle_rank_is_powered_down_and_comes_back() {
    let mut config = config();
    config.policy.power_down = Some(20);
    let mut oracle = Oracle::new(&config);
    oracle.push(read(0, place(0, 0, 1, 0), 0));
    oracle.push(read(1, place(0, 0, 1, 1), 120));
    oracle.run(400);
    assert_eq!(
        timed(&oracle),
        [
            (0, Act),
            (52, Rd),
            // 52 + CL + burst + 1; PDX tPD later at the earliest, then tXP; and again.
            (113, Pde),
            (137, Pdx),
            (161, Rd),
            (222, Pde),
        ]
    );
}

#[test]
fn ranks_pay_for_the_bus() {
    let mut config = config();
    config.geometry.ranks = 2;
    config.policy.refresh_phase = vec![0, 0];
    let requests = [
        read(0, place(0, 0, 1, 0), 0),
        read(1, on_rank(1, place(0, 0, 1, 0)), 0),
        read(2, place(1, 0, 1, 0), 0),
    ];
    let (commands, oracle) = flushed(&config, &requests);
    // ACTs of different ranks have no distance but the command bus. Between ranks reads keep burst + gap = 10: the
    // one of rank 1 might go at 62, but at 60 that of the first rank may, and puts it off to 70.
    assert_eq!(
        commands,
        [(0, Act), (2, Act), (8, Act), (52, Rd), (60, Rd), (70, Rd)]
    );
    let order: Vec<_> = oracle.served.iter().map(|one| one.id).collect();
    assert_eq!(order, [0, 2, 1]);
}

#[test]
fn slices_of_a_stack_share_the_bus_without_a_gap() {
    let mut config = config();
    (config.geometry.ranks, config.geometry.slices) = (2, 2);
    config.policy.refresh_phase = vec![0, 0];
    let requests = [
        read(0, place(0, 0, 1, 0), 0),
        read(1, on_rank(1, place(0, 0, 1, 0)), 0),
    ];
    let (commands, _) = flushed(&config, &requests);
    // tRRD_dlr is 4.
    assert_eq!(commands, [(0, Act), (4, Act), (52, Rd), (60, Rd)]);
}

#[test]
fn pseudo_channels_meet_on_the_bus() {
    let mut config = config();
    config.geometry.pseudo_channels = 2;
    config.policy.refresh_phase = vec![0, 0];
    let other = Location {
        pseudo_channel: 1,
        ..place(0, 0, 1, 0)
    };
    let requests = [read(0, place(0, 0, 1, 0), 0), read(1, other, 0)];
    let (commands, _) = flushed(&config, &requests);
    assert_eq!(commands, [(0, Act), (0, Act), (52, Rd), (56, Rd)]);
    config.policy.shared_commands = true;
    let (commands, _) = flushed(&config, &requests);
    assert_eq!(commands, [(0, Act), (2, Act), (52, Rd), (56, Rd)]);
}

/// Row hits in turn over four groups; clocks of the reads since the first.
fn reads_of(arrivals: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut config = config();
    config.policy.bus_loss_permille = 200;
    let requests: Vec<_> = arrivals
        .zip(0_u32..)
        .map(|(arrival, number)| {
            let at = place((number % 4) as u8, 0, 1, (number / 4 % 32) as u16);
            read(number.into(), at, arrival)
        })
        .collect();
    let (commands, _) = flushed(&config, &requests);
    let reads = commands.iter().filter(|one| one.1 == Rd);
    let reads: Vec<_> = reads.map(|one| one.0).collect();
    reads.iter().map(|at| at - reads[0]).collect()
}

#[test]
fn a_platform_takes_every_fifth_slot_when_sixteen_wait() {
    // 64 bursts make 16 slots of a fifth; from then on one is empty behind every fourth burst.
    let since = reads_of((0..74).map(|_| 0));
    let gaps: Vec<_> = since.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps[..63], [8; 63]);
    assert_eq!(gaps[63..], [16, 8, 8, 8, 16, 8, 8, 8, 16, 8]);
}

#[test]
fn a_bus_that_stands_idle_a_fifth_of_the_time_loses_nothing() {
    // Four bursts, then as long as one.
    let since = reads_of((0..120).map(|number| 100 + number / 4 * 40 + number % 4 * 8));
    let gaps: Vec<_> = since.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(
        gaps[8..]
            .chunks(4)
            .all(|four| four.iter().sum::<u64>() <= 40),
        "{gaps:?}"
    );
    assert!(
        *since.last().expect("reads") <= 29 * 40 + 24 + 60,
        "{since:?}"
    );
}

#[test]
fn a_row_is_opened_ahead_of_a_turn() {
    let mut config = config();
    (config.policy.drain_high, config.policy.drain_low) = (2, 0);
    let requests = [
        write(0, place(0, 0, 1, 0), 0),
        write(1, place(0, 0, 1, 1), 0),
        read(2, place(1, 0, 1, 0), 0),
        read(3, place(0, 0, 2, 0), 0),
    ];
    // The writes are drained at once, tCCD_L_WR (32) apart. The second read waits for its row until tWR has passed and
    // tRP after that: 84 + 50 + 8 + 96 + 52 = 290.
    let plain = [
        (0, Act),
        (52, Wr),
        (84, Wr),
        (86, Act),
        (150, Rd),
        (238, PrePb),
    ];
    let (commands, _) = flushed(&config, &requests);
    assert_eq!(commands[..6], plain);
    // With one write left, the bank without writes is opened; the other one is not closed, for its row is wanted.
    config.policy.turn_lookahead = 1;
    let ahead = [
        (0, Act),
        (52, Wr),
        (54, Act),
        (84, Wr),
        (150, Rd),
        (238, PrePb),
    ];
    let (commands, _) = flushed(&config, &requests);
    assert_eq!(commands[..6], ahead);
}
