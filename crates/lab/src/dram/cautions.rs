//! Warnings about runs that are too short for what is asked of them.

use wordline_core::quantity::Time;
use wordline_core::{LoadedTest, ResultSet};
use wordline_dram::SystemConfig;
use wordline_dram::system::SystemRun;

use super::{ModuleMemory, points};
use crate::warning::LabWarning;

/// Refresh intervals that a measured stretch should have at least: one refresh more or fewer in it then changes their
/// share of the time, tRFC/tREFI, by an eighth. That share is 10.5 % on dies of 32 Gb (410 ns of 3.9 us) and less on
/// smaller ones, so that a throughput changes by 1.5 % at most; at twice the refresh rate by 3.3 %.
const INTERVALS: u64 = 8;

/// Rounds of putting off as many refreshes as may be owed, and one, that it should have at least: what is owed at
/// either end differs by less than what was paid in between.
const ROUNDS: u64 = 2;

/// The shortest stretch that samples refresh, in whole microseconds, as picoseconds; 0 without refresh.
fn least_ps(config: &SystemConfig) -> u64 {
    let owed = config.sub_channel.policy.refresh_slack();
    let intervals = INTERVALS.max(ROUNDS * (owed + 1));
    let interval = points::refresh_interval_ps(config).unwrap_or(0);
    (intervals * interval).next_multiple_of(1_000_000)
}

/// Says so where a run of a memory was too short to sample its refreshes.
pub(super) fn refresh(memory: &ModuleMemory<'_>, run: &SystemRun, document: &mut ResultSet) {
    let config = &memory.connected.config;
    let (least, owed) = (
        least_ps(config),
        config.sub_channel.policy.refresh_postponed_max,
    );
    // A run that goes on for its samples is as good as one that was asked to be so long.
    if run.duration_ps >= least {
        return;
    }
    let interval = points::refresh_interval_ps(config).unwrap_or(0);
    document.warn(LabWarning::FewRefreshes {
        target: &memory.name,
        interval: &Time::from_ps(interval),
        owed: &owed,
        least: &Time::from_ps(least),
    });
}

/// Says so where so few samples are asked for that the interval of a mean is not sure either. From
/// [`LoadedTest::SAMPLES_QUICK`] on it is, and results state it.
pub(super) fn samples(asked: u64, document: &mut ResultSet) {
    if asked < LoadedTest::SAMPLES_QUICK {
        document.warn(LabWarning::FewSamples {
            asked: &asked,
            beyond: &(asked / 1000),
            enough: &LoadedTest::SAMPLES,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_catalog::Catalog;

    /// By hand: 2 · 5 intervals of 3.9 us; without debt 8 of them; half of that at twice the rate; of REFsb (one of the
    /// four banks of a group each 487.5 ns) 10, and 2 · 33 where 16 may be owed and 16 be done ahead.
    #[test]
    fn a_stretch_that_samples_refresh_has_several_rounds() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        for (system, settings, us) in [
            ("bench-1ch", &[("refresh_postponed", "4")][..], 39),
            ("bench-1ch", &[("refresh_postponed", "0")], 32),
            (
                "bench-1ch",
                &[("refresh_postponed", "4"), ("refresh_rate", "double")],
                20,
            ),
            (
                "bench-1ch",
                &[("refresh_postponed", "4"), ("refresh", "same-bank")],
                5,
            ),
            ("xeon6-1s", &[], 33),
            ("xeon6-1s", &[("refresh", "off")], 0),
        ] {
            let target = catalog.module_in_system(&format!("rdimm-6400-2rx4-64g@{system}"));
            let target = target.expect("both exist");
            let settings = settings
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let connected = target.connect(&settings.collect()).expect("it connects");
            assert_eq!(least_ps(&connected.config), us * 1_000_000);
        }
    }
}
