//! Counters, waits and the account of the buses against the log of the same run.

use proptest::prelude::*;
use wordline_dram::{
    Command, Request, RequestKind, RowOutcome, ServedRequest, Statistics, TrafficSummary,
};

use crate::observers::plain;
use crate::observers::runs::{Watched, configs, streams, watched};

fn statistics(channel: &mut Watched) -> &mut Statistics {
    &mut channel.observer_mut().1.0
}

/// Mean number of reads under way times the clocks of the run: counted up at every arrival and down at every end.
fn reads_under_way(requests: &[Request], log: &[ServedRequest]) -> u64 {
    let reads = requests
        .iter()
        .filter(|request| request.kind == RequestKind::Read);
    let done = log.iter().filter(|served| served.kind == RequestKind::Read);
    let mut events: Vec<(u64, i64)> = reads.map(|request| (request.arrival, 1)).collect();
    events.extend(done.map(|served| (served.finish, -1)));
    events.sort_unstable();
    let (mut area, mut under_way, mut before) = (0, 0, 0);
    for (at, change) in events {
        area += under_way * (at - before) as i64;
        under_way += change;
        before = at;
    }
    assert_eq!(under_way, 0, "every read that arrived is served once");
    area as u64
}

fn count(log: &[ServedRequest], holds: impl Fn(&ServedRequest) -> bool) -> u64 {
    log.iter().filter(|served| holds(served)).count() as u64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_whole_run_obeys_littles_law(config in configs(), stream in streams()) {
        let requests = stream.requests(&config.geometry);
        let mut channel = watched(&config);
        requests.iter().for_each(|&request| channel.push(request).expect("in range"));
        let end = channel.flush() + 200;
        channel.run(end);
        let summary = statistics(&mut channel).end(end);
        let log = &channel.observer().0;
        prop_assert_eq!(summary.read_clocks, reads_under_way(&requests, &log.served));
        for command in Command::ALL {
            let issued = log.commands.iter().filter(|issued| issued.command == command).count() as u64;
            prop_assert_eq!(summary.commands[command as usize], issued, "{:?}", command);
        }
        prop_assert_eq!(summary.reads, count(&log.served, |served| served.kind == RequestKind::Read));
        prop_assert_eq!(summary.hits, count(&log.served, |served| served.outcome == RowOutcome::Hit));
        prop_assert_eq!(summary.read_latency.count(), summary.reads);
        prop_assert_eq!(summary.reads + summary.writes, requests.len() as u64);
        prop_assert_eq!(summary.commands.iter().sum::<u64>(), log.commands.len() as u64);
        let burst = u64::from(config.timing.burst);
        let bursts = summary.hits + summary.misses + summary.conflicts;
        prop_assert_eq!(summary.bus.data, bursts * burst);
    }

    /// A read's time is its waits and the CL and burst that it cannot avoid.
    #[test]
    fn waits_by_cause_add_up_to_the_latency(config in configs(), stream in streams()) {
        let mut channel = watched(&config);
        for request in stream.requests(&config.geometry) {
            channel.push(request).expect("in range");
        }
        let end = channel.flush();
        let summary = statistics(&mut channel).end(end);
        let unloaded = u64::from(config.timing.cl + config.timing.burst);
        let waited: u64 = summary.read_waits.iter().sum();
        let moved = summary.reads - summary.forwarded;
        prop_assert_eq!(waited + moved * unloaded, summary.read_clocks);
    }

    #[test]
    fn a_measured_part_counts_its_own(
        config in configs(),
        stream in streams(),
        begin in 0.0..1.0f64,
        end in 0.0..1.0f64,
    ) {
        let requests = stream.requests(&config.geometry);
        let length = requests.last().map_or(0, |request| request.arrival) + 3000;
        let clock = |share: f64| (share * length as f64) as u64;
        let (from, until) = (clock(begin.min(end)), clock(begin.max(end)));
        let mut channel = watched(&config);
        requests.iter().for_each(|&request| channel.push(request).expect("in range"));
        channel.run(from);
        statistics(&mut channel).begin(from);
        channel.run(until);
        let summary = statistics(&mut channel).end(until);
        let log = &channel.observer().0;
        let own: Vec<ServedRequest> =
            log.served.iter().filter(|served| served.issued >= from).copied().collect();
        prop_assert_eq!(summary.clocks, until - from);
        prop_assert_eq!(summary.reads, count(&own, |served| served.kind == RequestKind::Read));
        prop_assert_eq!(summary.writes, count(&own, |served| served.kind == RequestKind::Write));
        prop_assert_eq!(summary.hits, count(&own, |served| served.outcome == RowOutcome::Hit));
        prop_assert_eq!(summary.misses, count(&own, |served| served.outcome == RowOutcome::Miss));
        prop_assert_eq!(summary.conflicts, count(&own, |served| served.outcome == RowOutcome::Conflict));
        prop_assert_eq!(summary.forwarded, count(&own, |served| served.outcome == RowOutcome::Forwarded));
        prop_assert_eq!(summary.merged, count(&own, |served| served.outcome == RowOutcome::Merged));
        let buses = u64::from(config.geometry.pseudo_channels);
        prop_assert_eq!(summary.bus.total(), summary.clocks * buses);
        prop_assert_eq!(summary.bus.data, plain::data_clocks(&config, &log.served, from, until));
    }
}

#[test]
fn sub_channels_add_up() {
    let config = crate::observers::runs::ddr5_6400();
    let mut channel = watched(&config);
    channel
        .push(Request {
            id: 0,
            kind: RequestKind::Read,
            location: wordline_dram::Location::default(),
            arrival: 10,
        })
        .expect("in range");
    channel.run(400);
    let one = statistics(&mut channel).end(400);
    let mut two = TrafficSummary::default();
    two.merge(&one);
    two.merge(&one);
    assert_eq!((two.clocks, two.reads, two.misses), (800, 2, 2));
    assert_eq!(two.read_clocks, 2 * (52 + 52 + 8));
    assert_eq!(two.read_waits.iter().sum::<u64>(), 2 * 52);
    assert_eq!(two.read_latency.quantile(1.0), Some(112));
    assert_eq!((two.bus.data, two.bus.total()), (16, 800));
    assert_eq!(two.row_hit_rate(), Some(0.0));
}
