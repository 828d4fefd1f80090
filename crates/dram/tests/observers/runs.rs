//! Configurations and request streams of every kind, and what was seen of them.

use proptest::prelude::*;
use wordline_dram::{
    ChannelGeometry, EnergyMeter, Issued, Location, Observer, PagePolicy, Policy, Refresh, Request,
    RequestKind, SameBankOrder, ServedRequest, Statistics, SubChannel, SubChannelConfig, Timing,
};

/// Everything that was said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) commands: Vec<Issued>,
    pub(crate) served: Vec<ServedRequest>,
}

impl Observer for Log {
    const WAITS: bool = true;

    fn command(&mut self, issued: &Issued) {
        self.commands.push(*issued);
    }

    fn served(&mut self, served: &ServedRequest) {
        self.served.push(*served);
    }
}

/// A sub-channel that is watched by all.
pub(crate) type Watched = SubChannel<(Log, (Statistics, EnergyMeter))>;

pub(crate) fn watched(config: &SubChannelConfig) -> Watched {
    let observers = (Statistics::new(config), EnergyMeter::new(config));
    SubChannel::new(config, (Log::default(), observers)).expect("a sound configuration")
}

/// DDR5-6400 with tRCD and tRP of 16.25 ns, 16 Gb; a rank has 8 groups of 4 banks.
pub(crate) fn ddr5_6400() -> SubChannelConfig {
    SubChannelConfig {
        timing: timing(),
        ..SubChannelConfig::ddr5_6400()
    }
}

/// With what a pair of pseudo-channels asks for besides.
fn timing() -> Timing {
    Timing {
        pair_burst: 8,
        pair_rtw: 14,
        pair_wtr: 12,
        ..SubChannelConfig::ddr5_6400().timing
    }
}

prop_compose! {
    /// DDR5-6400 as RDIMM or MRDIMM under every policy.
    pub(crate) fn configs()(
        pseudo_channels in 1u8..=2,
        ranks in 1u8..=3,
        page in prop_oneof![
            Just(PagePolicy::Open),
            Just(PagePolicy::Closed),
            (0u32..400).prop_map(PagePolicy::Timeout),
        ],
        refresh in prop_oneof![Just(Refresh::Off), Just(Refresh::AllBank), Just(Refresh::SameBank)],
        postponed in 0u32..3,
        power_down in prop_oneof![Just(None), (0u32..300).prop_map(Some)],
        shared in any::<bool>(),
        phase in 1u32..3000,
    ) -> SubChannelConfig {
        let mut config = ddr5_6400();
        let all_ranks = u32::from(pseudo_channels) * u32::from(ranks);
        config.geometry = ChannelGeometry { pseudo_channels, ranks, ..config.geometry };
        config.policy = Policy {
            page,
            refresh,
            same_bank_order: SameBankOrder::RoundRobin,
            refresh_postponed_max: postponed,
            refresh_pulled_in_max: 0,
            refresh_aside: 0,
            rfm: None,
            refresh_phase: (1..=all_ranks).map(|rank| rank * phase).collect(),
            power_down,
            shared_queues: shared,
            shared_commands: shared,
            ..config.policy
        };
        config
    }
}

/// A stream: its seed, the greatest pause between two requests, and how many rows it goes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    seed: u64,
    pause_max: u64,
    rows: u32,
    requests: u64,
}

prop_compose! {
    pub(crate) fn streams()(
        seed in 1u64..,
        pause_max in prop_oneof![Just(1u64), 2u64..40, 40u64..2000],
        rows in 1u32..5,
        requests in 1u64..1500,
    ) -> Stream {
        Stream { seed, pause_max, rows, requests }
    }
}

impl Stream {
    /// The requests, in the order of their arrivals: a third of them writes.
    pub(crate) fn requests(&self, geometry: &ChannelGeometry) -> Vec<Request> {
        let mut state = self.seed;
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let mut arrival = 0;
        let request = |id| {
            arrival += draw(self.pause_max);
            Request {
                id,
                kind: if draw(3) == 0 {
                    RequestKind::Write
                } else {
                    RequestKind::Read
                },
                location: Location {
                    pseudo_channel: draw(geometry.pseudo_channels.into()) as u8,
                    rank: draw(geometry.ranks.into()) as u8,
                    group: draw(geometry.groups.into()) as u8,
                    bank: draw(geometry.banks.into()) as u8,
                    row: draw(self.rows.into()) as u32,
                    column: draw(geometry.columns.into()) as u16,
                },
                arrival,
            }
        };
        (0..self.requests).map(request).collect()
    }
}
