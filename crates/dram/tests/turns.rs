//! What turning between reads and writes costs: random reads and writes, 2:1, that keep a sub-channel busy.

use crate::support::{Dice, ddr5_6400, one_rank};
use wordline_dram::{
    Location, Observer, Policy, Request, RequestKind, ServedRequest, SubChannel, SubChannelConfig,
};

const REQUESTS: u64 = 30_000;

/// One sub-channel of DDR5-6400 without refresh, its rows anywhere.
fn config(ranks: u8) -> SubChannelConfig {
    let mut config = one_rank(ddr5_6400());
    config.geometry.ranks = ranks;
    config.policy.refresh_phase = vec![0; usize::from(ranks)];
    config
}

/// Requests served, reads and writes.
#[derive(Default)]
struct Served([u32; 2]);

impl Observer for Served {
    fn served(&mut self, served: &ServedRequest) {
        self.0[usize::from(served.kind == RequestKind::Write)] += 1;
    }
}

/// Clocks that some random requests take, two reads for a write. They come in order: one whose queue is full holds up
/// all that follow.
fn clocks(config: &SubChannelConfig) -> u64 {
    let mut dice = Dice::new(1);
    let mut channel = SubChannel::new(config, Served::default()).expect("a legal configuration");
    let room = [config.policy.read_queue, config.policy.write_queue];
    let mut pushed = [0; 2];
    for id in 0..REQUESTS {
        let kind = usize::from(id % 3 == 2);
        while pushed[kind] - channel.observer().0[kind] >= room[kind] {
            channel.run(channel.now() + 1);
        }
        pushed[kind] += 1;
        let location = Location {
            rank: dice.below(config.geometry.ranks),
            group: dice.below(config.geometry.groups),
            bank: dice.below(config.geometry.banks),
            row: dice.between(0, config.geometry.rows - 1),
            column: dice.between(0, u32::from(config.geometry.columns) - 1) as u16,
            ..Location::default()
        };
        let kind = [RequestKind::Read, RequestKind::Write][kind];
        let arrival = channel.now();
        channel
            .push(Request {
                id,
                kind,
                location,
                arrival,
            })
            .expect("a legal request");
    }
    channel.flush()
}

/// Part of the data bus's time that bursts take, in per cent, with each rank number and policy.
fn shares(set: impl Fn(&mut Policy)) -> [f64; 2] {
    [1, 2].map(|ranks| {
        let mut config = config(ranks);
        set(&mut config.policy);
        100.0 * REQUESTS as f64 * 8.0 / clocks(&config) as f64
    })
}

#[test]
fn rows_opened_ahead_of_a_turn_save_time() {
    let of = |turn_lookahead: u32, turn_hits_max: u32, turn_early: bool| {
        let found = shares(|policy| {
            (policy.turn_lookahead, policy.turn_hits_max) = (turn_lookahead, turn_hits_max);
            policy.turn_early = turn_early;
        });
        println!(
            "lookahead {turn_lookahead}, hits {turn_hits_max}, early {turn_early}: {found:.2?} % of the bus"
        );
        found
    };
    // Seen with one rank and with two: 75.62 and 84.51, 76.80 and 90.07, 77.51 and 90.24.
    let (plain, ahead, early) = (of(0, 0, false), of(16, 0, false), of(16, 0, true));
    assert!(ahead[0] > plain[0] + 1.0 && ahead[1] > plain[1] + 5.0);
    assert!(early[0] > plain[0] + 1.0 && early[1] > plain[1] + 5.0);
    // Waiting for hits is no gain on random traffic of two ranks: 88.17.
    let hits = of(16, 8, false);
    assert!(hits[0] > plain[0] + 1.0 && hits[1] < ahead[1]);
}
