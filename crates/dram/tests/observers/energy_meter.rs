//! The meter against a look at every clock, over measured parts of any place.

use proptest::prelude::*;
use wordline_dram::{EnergyCounts, SubChannelConfig};

use crate::observers::plain;
use crate::observers::runs::{Stream, Watched, configs, streams, watched};

/// Runs to a share of the stream's length, 0 to 1.
fn run_to(channel: &mut Watched, share: f64, length: u64) -> u64 {
    let at = (share * length as f64) as u64;
    channel.run(at);
    at
}

fn filled(config: &SubChannelConfig, stream: &Stream) -> (Watched, u64) {
    let mut channel = watched(config);
    let requests = stream.requests(&config.geometry);
    let length = requests.last().map_or(0, |request| request.arrival) + 3000;
    for request in requests {
        channel.push(request).expect("in range and in order");
    }
    (channel, length)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn it_counts_what_a_look_at_every_clock_counts(
        config in configs(),
        stream in streams(),
        begin in 0.0..1.0f64,
        end in 0.0..1.0f64,
    ) {
        let (mut channel, length) = filled(&config, &stream);
        let from = run_to(&mut channel, begin.min(end), length);
        channel.observer_mut().1.1.begin(from);
        let until = run_to(&mut channel, begin.max(end), length);
        let counts = channel.observer_mut().1.1.end(until);
        let plain = plain::energy_counts(&config, &channel.observer().0.commands, from, until);
        prop_assert_eq!(counts, plain);
    }

    /// Residence is conserved, and measured parts in a row add up to one.
    #[test]
    fn states_add_up_to_the_time_of_all_ranks(
        config in configs(),
        stream in streams(),
        cuts in prop::collection::vec(0.0..1.0f64, 0..4),
    ) {
        let (mut channel, length) = filled(&config, &stream);
        let ranks = u64::from(config.geometry.pseudo_channels) * u64::from(config.geometry.ranks);
        let banks = u64::from(config.geometry.groups) * u64::from(config.geometry.banks);
        let mut cuts = cuts;
        cuts.push(1.0);
        cuts.sort_by(f64::total_cmp);
        let mut sum = EnergyCounts::default();
        for cut in cuts {
            let at = run_to(&mut channel, cut, length);
            let meter = &mut channel.observer_mut().1.1;
            let counts = meter.end(at);
            meter.begin(at);
            prop_assert_eq!(counts.rank_clocks(), counts.clocks * ranks);
            prop_assert!(counts.open_standby >= counts.active_standby);
            prop_assert!(counts.open_standby <= counts.active_standby * banks);
            prop_assert!(counts.open_power_down >= counts.active_power_down);
            prop_assert!(counts.open_power_down <= counts.active_power_down * banks);
            sum.merge(&counts);
        }
        let (mut whole, _) = filled(&config, &stream);
        whole.run(length);
        prop_assert_eq!(sum, whole.observer_mut().1.1.end(length));
    }
}
