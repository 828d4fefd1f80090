//! Long gaps of a trace in which nothing but refresh happens.
//!
//! A memory without requests repeats itself: after some time every rank refreshes at the same clocks of every round, and what
//! is counted in one round is counted in the next. A gap is therefore simulated until two periods in a row count the same;
//! as many further ones as fit are counted without being simulated, and the rest is simulated again, so that the next
//! request meets the refreshes that it would have met. Where no two periods are alike, all of the gap is simulated.
//!
//! Commands that are written down or checked are needed one by one: such a replay simulates its gaps.

use wordline_dram::energy::EnergyMeter;
use wordline_dram::system::MemorySystem;
use wordline_dram::{
    ClockDomain, EnergyCounts, Observer, Refresh, Statistics, SubChannelConfig, SystemConfig,
    TrafficSummary,
};

/// What watches a sub-channel of a replay: what was done, what it took, and something more.
pub(super) type Watch<T> = ((Statistics, EnergyMeter), T);

/// Periods that a gap is simulated for before two are compared: refreshes that were owed or may be pulled in are done.
const SETTLE: u64 = 40;

/// Clocks that it is simulated for at least, because rows and ranks are closed after a pause.
const SETTLE_CLOCKS: u64 = 200_000;

/// What was counted up to a time.
type Counts = Vec<(TrafficSummary, EnergyCounts)>;

/// The gaps of a replay, and what was counted in them without being simulated.
#[derive(Default)]
pub(super) struct IdleGaps {
    /// Clocks and picoseconds after which every rank is refreshed as before; none where gaps are simulated.
    period: Option<(u64, u64)>,
    clock: Option<ClockDomain>,
    pub(super) summary: TrafficSummary,
    pub(super) energy: EnergyCounts,
    /// Gaps of which a part was not simulated.
    pub(super) count: u64,
    /// What was not simulated, in picoseconds.
    pub(super) skipped_ps: u64,
}

impl IdleGaps {
    pub(super) fn new(config: &SystemConfig, simulated: bool) -> Self {
        Self {
            period: (!simulated).then(|| period(&config.sub_channel)),
            clock: Some(config.sub_channel.clock),
            ..Self::default()
        }
    }

    /// The shortest gap of which a part can be left out; none where none can.
    pub(super) fn least_ps(&self) -> Option<u64> {
        let (clocks, ps) = self.period?;
        Some((settle(clocks) + 4).saturating_mul(ps))
    }

    /// Runs an idle memory on from `now_ps` and leaves out what it can of the gap up to `until_ps`. The time to which it was
    /// run, and by how much later the caller's own time is.
    pub(super) fn pass<T>(
        &mut self,
        system: &mut MemorySystem<Watch<T>>,
        now_ps: u64,
        until_ps: u64,
    ) -> (u64, u64)
    where
        Watch<T>: Observer,
    {
        let (Some((clocks, ps)), Some(clock)) = (self.period, self.clock) else {
            return (now_ps, 0);
        };
        let mut at_ps = now_ps;
        let mut counted = |system: &mut MemorySystem<Watch<T>>, periods: u64| {
            at_ps += periods * ps;
            system.run(at_ps);
            counts(system, clock.edge_at_or_after(at_ps))
        };
        let first = counted(system, settle(clocks));
        let second = counted(system, 1);
        let third = counted(system, 1);
        let times = until_ps.saturating_sub(at_ps) / ps;
        let one = second
            .iter()
            .zip(&first)
            .map(grown)
            .collect::<Option<Vec<_>>>();
        let other = third
            .iter()
            .zip(&second)
            .map(grown)
            .collect::<Option<Vec<_>>>();
        let (Some(one), true) = (one, times > 0) else {
            return (at_ps, 0);
        };
        if Some(&one) != other.as_ref() {
            return (at_ps, 0);
        }
        for (summary, energy) in &one {
            self.summary.merge(&summary.times(times));
            self.energy.merge(&energy.times(times));
        }
        self.count += 1;
        self.skipped_ps += times * ps;
        (at_ps, times * ps)
    }
}

fn settle(period_clocks: u64) -> u64 {
    SETTLE.max(SETTLE_CLOCKS.div_ceil(period_clocks.max(1)))
}

/// A round of refreshes, as often as it takes to last whole picoseconds: clocks and picoseconds.
fn period(config: &SubChannelConfig) -> (u64, u64) {
    let (timing, geometry) = (&config.timing, &config.geometry);
    let round = match config.policy.refresh {
        Refresh::AllBank => u64::from(timing.refi),
        Refresh::SameBank => u64::from(timing.refi_sb) * u64::from(geometry.refresh_sets),
        // As good as any: nothing repeats itself but rest.
        Refresh::Off => u64::from(timing.refi),
    };
    let ClockDomain {
        beats,
        data_rate_mts,
    } = config.clock;
    let (micros, rate) = (u64::from(beats) * 1_000_000, u64::from(data_rate_mts));
    let round = round.max(1);
    let clocks = round * (rate / greatest_divisor(rate, round * micros));
    (clocks, clocks * micros / rate)
}

fn greatest_divisor(one: u64, other: u64) -> u64 {
    match other {
        0 => one,
        _ => greatest_divisor(other, one % other),
    }
}

/// What every sub-channel counted up to a clock.
fn counts<T>(system: &mut MemorySystem<Watch<T>>, at: u64) -> Counts
where
    Watch<T>: Observer,
{
    let all = system.observers_mut();
    all.map(|((statistics, meter), _)| (statistics.end(at), meter.end(at)))
        .collect()
}

/// What a sub-channel counted between two read-outs, where no request was served.
fn grown(
    (later, earlier): (
        &(TrafficSummary, EnergyCounts),
        &(TrafficSummary, EnergyCounts),
    ),
) -> Option<(TrafficSummary, EnergyCounts)> {
    let summary = later.0.idle_since(&earlier.0)?;
    Some((summary, later.1.since(&earlier.1)))
}

#[cfg(test)]
mod tests {
    use wordline_catalog::Catalog;
    use wordline_dram::sheet::Settings;

    use super::*;

    /// Round for round in whole clocks and whole picoseconds, also where a clock is none.
    #[test]
    fn a_period_is_whole_rounds_and_whole_picoseconds() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        for target in [
            "rdimm-6400-2rx4-64g@xeon6-1s",
            "mrdimm-8800-2rx4-64g@xeon6-1s",
        ] {
            let target = catalog.module_in_system(target).expect("it exists");
            let connected = target.connect(&Settings::new()).expect("it connects");
            let config = &connected.config.sub_channel;
            let (clocks, ps) = period(config);
            let round = u64::from(config.timing.refi_sb) * u64::from(config.geometry.refresh_sets);
            assert_eq!(clocks % round, 0);
            assert_eq!(config.clock.ps(clocks), ps);
            assert_eq!(config.clock.ps(7 * clocks), 7 * ps);
            assert_eq!(config.clock.edge_at_or_after(7 * ps), 7 * clocks);
        }
    }
}
