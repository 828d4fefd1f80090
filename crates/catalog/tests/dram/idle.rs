//! The idle read that the on-chip path was chosen by.

use wordline_core::draw::{Purpose, draw};
use wordline_dram::{
    Location, Observer, Request, RequestKind, ServedRequest, SubChannel, SubChannelConfig,
};

use super::config;

/// Of DDR5-6400.
const CLOCK_NS: f64 = 0.3125;

/// The mean wait of a read that comes at any time for what is busy for so long in every so many clocks.
fn wait_ns(busy: u32, every: u32) -> f64 {
    f64::from(busy).powi(2) / (2.0 * f64::from(every)) * CLOCK_NS
}

/// The mean wait for REFsb of the set of banks that a read goes to: each set is refreshed once a round.
fn busy_set_ns(config: &SubChannelConfig) -> f64 {
    let round = u32::from(config.geometry.refresh_sets) * config.timing.refi_sb;
    wait_ns(config.timing.rfc_sb, round)
}

/// The on-chip path was chosen so that an idle read of the RDIMM takes 102 ns; the sheet shows the arithmetic, which is
/// done again here.
#[test]
fn the_idle_read_of_the_anchor_takes_102_ns() {
    let config = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]);
    let timing = &config.sub_channel.timing;
    let read = f64::from(timing.rcd + timing.cl + timing.burst) * CLOCK_NS;
    let ps = config.module_delay_ps + config.cores.request_path_ps + config.cores.return_path_ps;
    let idle = read + busy_set_ns(&config.sub_channel) + ps as f64 / 1000.0;
    assert!((idle - 102.0).abs() < 0.5, "{idle} ns");
}

/// The same by simulation: single reads of random lines, as far apart as a chase over 24 sub-channels puts them.
#[test]
fn an_idle_sub_channel_answers_as_the_arithmetic_says() {
    #[derive(Default)]
    struct Latencies(Vec<u64>);
    impl Observer for Latencies {
        fn served(&mut self, served: &ServedRequest) {
            self.0.push(served.finish - served.arrival);
        }
    }
    let config = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]).sub_channel;
    let mut channel = SubChannel::new(&config, Latencies::default()).expect("sound");
    let mut arrival = 0;
    for id in 0..40_000 {
        let random = |purpose, values: u64| draw(1, id, 0, purpose) % values;
        arrival += 1 + random(Purpose::Arrival, 2 * 24 * 326);
        let place = random(Purpose::Address, u64::MAX);
        let location = Location {
            rank: (place % 2) as u8,
            group: (place / 2 % 8) as u8,
            bank: (place / 16 % 4) as u8,
            row: (place / 64 % u64::from(config.geometry.rows)) as u32,
            ..Location::default()
        };
        let request = Request {
            id,
            kind: RequestKind::Read,
            location,
            arrival,
        };
        channel.push(request).expect("inside");
    }
    channel.flush();
    let latencies = &channel.observer().0;
    let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64 * CLOCK_NS;
    // 35 ns of ACT, RD and burst and 9.3 ns of waiting for REFsb of the own set, of which the sheet speaks; 0.7 ns of holding
    // off activations of the other three sets: four standard errors are 0.7 ns.
    let timing = &config.timing;
    let read = f64::from(timing.rcd + timing.cl + timing.burst) * CLOCK_NS;
    let sets = f64::from(config.geometry.refresh_sets);
    let held_off = wait_ns(timing.refsbrd, timing.refi_sb) * (sets - 1.0) / sets;
    let expected = read + busy_set_ns(&config) + held_off;
    assert!(
        (mean - expected).abs() < 0.7,
        "{mean} ns, not {expected} ns"
    );
}
