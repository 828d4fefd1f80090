//! Which parameters of a system a run depends on: of two configurations that differ in no other, one run tells what both
//! do.

use wordline_core::Mix;

use super::traffic::round;
use crate::config::SystemConfig;
use crate::request::RequestKind;

impl SystemConfig {
    /// The configuration with everything at nothing that no run of a mix depends on. Configurations that are alike in this
    /// give the same run, bit for bit. It stands for comparisons, and cannot itself be run.
    #[must_use]
    pub fn relevant_to(&self, mix: Mix) -> Self {
        let mut config = self.clone();
        let of = &mut config.sub_channel;
        let (policy, timing) = (&mut of.policy, &mut of.timing);
        if of.geometry.pseudo_channels == 1 {
            (policy.shared_queues, policy.shared_commands) = (false, false);
            (timing.pair_burst, timing.pair_rtw, timing.pair_wtr) = (0, 0, 0);
        }
        if of.geometry.ranks == of.geometry.slices {
            // Dies of one stack drive the bus as one rank.
            timing.rank_gap = 0;
        }
        if round(mix).iter().all(|step| step.kind == RequestKind::Read) {
            (policy.write_queue, policy.drain_high, policy.drain_low) = (0, 0, 0);
            (timing.rtw, timing.pair_rtw, timing.pair_wtr) = (0, 0, 0);
            (timing.wtr_s, timing.wtr_m, timing.wtr_l) = (0, 0, 0);
            (timing.ccd_s_wr, timing.ccd_m_wr, timing.ccd_l_wr) = (0, 0, 0);
            timing.wr = 0;
            config.cores.write_back_bytes = 0;
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::PagePolicy;
    use crate::mapping::AddressField;
    use crate::system::sample::{mrdimm_8800, rdimm_6400};
    use crate::system::tests::small;
    use crate::system::{Pattern, RunLength, Traffic, simulate};

    const LENGTH: RunLength = RunLength {
        warm_up_ps: 5_300_000,
        measure_ps: 10_000_000,
        probe_samples: 30,
        episodes: 1,
        settle_ps: 0,
    };

    fn run(config: &SystemConfig, traffic: &Traffic) -> String {
        let run = simulate(config, traffic, &LENGTH, &|_| true);
        format!("{:?}", run.expect("a sound configuration"))
    }

    /// Every parameter that may not matter, each set otherwise by a number.
    const KNOBS: [fn(&mut SystemConfig, u32); 13] = [
        |config, _| config.sub_channel.policy.shared_queues ^= true,
        |config, _| config.sub_channel.policy.shared_commands ^= true,
        |config, by| config.sub_channel.policy.write_queue += by,
        |config, by| config.sub_channel.policy.drain_high -= by % 8,
        |config, by| config.sub_channel.policy.drain_low += by % 8,
        |config, by| config.cores.write_back_bytes += 64 * u64::from(by),
        |config, by| config.sub_channel.timing.rank_gap += by,
        |config, by| config.sub_channel.timing.pair_burst += by,
        |config, by| config.sub_channel.timing.pair_rtw += by,
        |config, by| config.sub_channel.timing.pair_wtr += by,
        |config, by| config.sub_channel.timing.rtw += by,
        |config, by| config.sub_channel.timing.wtr_l += by,
        |config, by| config.sub_channel.timing.ccd_l_wr += by,
    ];

    /// Everything that does not matter to a mix set otherwise, and how many parameters that are.
    fn otherwise(config: &SystemConfig, mix: Mix, by: u32) -> (SystemConfig, usize) {
        let (mut other, mut count) = (config.clone(), 0);
        for knob in KNOBS {
            let mut turned = other.clone();
            knob(&mut turned, by);
            if turned.relevant_to(mix) == config.relevant_to(mix) {
                (other, count) = (turned, count + 1);
            }
        }
        (other, count)
    }

    /// One channel with as many ranks on each pseudo-channel.
    fn system(pair: bool, ranks: u8) -> SystemConfig {
        let mut config = small(if pair { mrdimm_8800() } else { rdimm_6400() });
        let of = &mut config.sub_channel;
        of.geometry.ranks = ranks;
        let count = usize::from(of.geometry.pseudo_channels) * usize::from(ranks);
        of.policy.refresh_phase = (0..count).map(|rank| 1_000 * rank as u32).collect();
        for digit in &mut config.mapping.digits {
            if digit.field == AddressField::Rank {
                digit.radix = ranks.into();
            }
        }
        config
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn what_does_not_matter_changes_no_run(
            (mix, random) in (prop::sample::select(Mix::ALL.to_vec()), any::<bool>()),
            (pair, ranks, closed) in (any::<bool>(), 1u8..3, any::<bool>()),
            (delay_cycles, load_cores, probes) in (0u64..300, 0u32..5, 0u32..3),
            (seed, by) in (any::<u64>(), 1u32..40),
        ) {
            let mut config = system(pair, ranks);
            if closed {
                config.sub_channel.policy.page = PagePolicy::Closed;
            }
            let pattern = if random { Pattern::Random } else { Pattern::Sequential };
            let traffic = Traffic { mix, pattern, delay_cycles, load_cores, probes, seed };
            let (other, _) = otherwise(&config, mix, by);
            prop_assert_eq!(run(&other, &traffic), run(&config, &traffic));
        }
    }

    /// By the rules of `DESIGN.md`: reads know nothing of writes, one pseudo-channel nothing of the other, and one rank
    /// nothing of other ranks.
    #[test]
    fn what_matters_depends_on_mix_and_module() {
        for (pair, ranks, mix, count) in [
            (true, 2, Mix::TwoToOne, 0),
            (true, 1, Mix::TwoToOne, 1),
            (false, 2, Mix::TwoToOne, 5),
            (false, 1, Mix::TwoToOne, 6),
            (true, 2, Mix::Reads, 9),
            (true, 1, Mix::Reads, 10),
            (false, 2, Mix::Reads, 12),
            (false, 1, Mix::Reads, 13),
        ] {
            let found = otherwise(&system(pair, ranks), mix, 3).1;
            assert_eq!(found, count, "{pair} {ranks} {mix}");
        }
    }
}
