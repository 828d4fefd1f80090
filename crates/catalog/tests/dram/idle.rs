//! The idle read that the on-chip path was chosen by.

use wordline_core::draw::{Purpose, draw};
use wordline_dram::{Location, Observer, Request, RequestKind, ServedRequest, SubChannel};

use super::config;

/// The on-chip path was chosen so that an idle read of the RDIMM takes 102 ns; the sheet shows the arithmetic, which is
/// done again here.
#[test]
fn the_idle_read_of_the_anchor_takes_102_ns() {
    let config = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]);
    let timing = &config.sub_channel.timing;
    let clock_ns = 0.3125;
    let read = f64::from(timing.rcd + timing.cl + timing.burst) * clock_ns;
    let refresh = f64::from(timing.rfc).powi(2) / (2.0 * f64::from(timing.refi)) * clock_ns;
    let ps = config.module_delay_ps + config.cores.request_path_ps + config.cores.return_path_ps;
    let idle = read + refresh + ps as f64 / 1000.0;
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
    let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64 * 0.3125;
    // 35 ns of ACT, RD and burst, 21.5 ns of waiting for refreshes: four standard errors are 1.4 ns.
    assert!((mean - 56.5).abs() < 1.6, "{mean} ns");
}
