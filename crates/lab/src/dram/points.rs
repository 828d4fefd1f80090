//! Points of a test, run side by side on some threads. Each point is a simulation of its own, so that nothing depends
//! on how many threads there are, or on which of them ends first.

use std::sync::{Mutex, PoisonError};

use wordline_dram::system::{RunLength, SystemRun, Traffic, simulate};
use wordline_dram::{ConfigError, Refresh, SystemConfig};

use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::instrument::case::{self, Case};

/// One simulation.
#[derive(Clone, Debug)]
pub(crate) struct DramPoint {
    /// What a message calls it.
    pub(crate) name: String,
    pub(crate) config: SystemConfig,
    pub(crate) traffic: Traffic,
    pub(crate) length: RunLength,
}

/// How a point ended; `None` where it was stopped, or never begun.
pub(crate) type Ended = Option<Result<SystemRun, ConfigError>>;

/// Sees each point that ends, by its number, and says what is known by then.
pub(crate) type PointWatch<'a> = dyn Fn(usize, &SystemRun) -> Option<String> + Sync + 'a;

/// Runs all points. The results stand where their points do.
pub(crate) fn run(points: &[DramPoint], control: &Control<'_>) -> Result<Vec<Ended>, LabError> {
    let cases = points.iter().enumerate().map(|(index, point)| {
        let work = move |control: &Control<'_>| point.run(control);
        Case::new(point.name.as_str(), 1, work).costing(spread(index))
    });
    Ok(flattened(case::run(cases.collect(), control)?))
}

/// Runs all points in their order, as far as threads let them; the progress shows what `watch` says.
pub(crate) fn run_in_order(
    points: &[DramPoint],
    watch: Option<&PointWatch<'_>>,
    control: &Control<'_>,
) -> Result<Vec<Ended>, LabError> {
    let channels = points.iter().map(|point| point.config.channels);
    let news = Mutex::new(String::new());
    let news = &news;
    let weighed = points.iter().zip(weights(channels)).enumerate();
    let cases = weighed.map(|(index, (point, weight))| {
        let work = move |control: &Control<'_>| {
            let show = |done_bytes| {
                let step = news.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if !step.is_empty() {
                    control.report(Progress {
                        step: &step,
                        done_bytes,
                        total_bytes: weight,
                    });
                }
            };
            show(0);
            let ended = point.run(control);
            if let (Some(watch), Some(Ok(run))) = (watch, &ended)
                && let Some(words) = watch(index, run)
            {
                *news.lock().unwrap_or_else(PoisonError::into_inner) = words;
                show(weight);
            }
            ended
        };
        let index = index as u64;
        let cost = match control.budget {
            Some(_) => index,
            None => u64::MAX - index,
        };
        Case::new(point.name.as_str(), weight, work).costing(cost)
    });
    Ok(flattened(case::run(cases.collect(), control)?))
}

/// What runs of so many channels count as in the progress: a channel takes as long as any other.
pub(super) fn weights(channels: impl Iterator<Item = u32> + Clone) -> impl Iterator<Item = u64> {
    let least = channels.clone().min().unwrap_or(1).max(1);
    channels.map(move |channels| u64::from(channels.div_ceil(least)))
}

fn flattened(ended: Vec<Option<Ended>>) -> Vec<Ended> {
    ended.into_iter().map(Option::flatten).collect()
}

impl DramPoint {
    fn run(&self, control: &Control<'_>) -> Ended {
        let length = RunLength {
            warm_up_ps: self.length.warm_up_ps.max(settled_ps(&self.config)),
            ..self.length
        };
        let go_on = |_: u64| !control.stopped();
        simulate(&self.config, &self.traffic, &length, &go_on).transpose()
    }
}

/// Points far apart come first, so that a run that is cut short has some of every part of its sweep: the bits of the
/// index in reverse order, as Van der Corput's sequence has them, greatest first.
fn spread(index: usize) -> u64 {
    u64::MAX - (index as u64).reverse_bits()
}

/// When a memory under load refreshes as often as it always will, in picoseconds: an idle rank first does as many
/// refreshes ahead as it may, a busy one puts off as many as it may owe, and the first one falls due within an interval.
/// What was measured before would be a memory that refreshes less than it has to.
pub(crate) fn settled_ps(config: &SystemConfig) -> u64 {
    let intervals = config.sub_channel.policy.refresh_slack() + 2;
    refresh_interval_ps(config).map_or(0, |interval| intervals * interval)
}

/// How often a rank gets a refresh, in picoseconds; `None` without refresh.
pub(super) fn refresh_interval_ps(config: &SystemConfig) -> Option<u64> {
    let of = &config.sub_channel;
    let interval = match of.policy.refresh {
        Refresh::Off => return None,
        Refresh::AllBank => of.timing.refi,
        Refresh::SameBank => of.timing.refi_sb,
    };
    Some(of.clock.ps(u64::from(interval)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_catalog::Catalog;

    /// By hand: at 3.9 us a refresh, a rank that may owe four is settled after six; twice as often in half the time. At 487.5
    /// ns a REFsb, one that may owe 16 and be 16 ahead is settled after 34.
    #[test]
    fn a_memory_is_settled_when_its_debt_of_refreshes_is_full() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        for (system, settings, ps) in [
            ("bench-1ch", &[("refresh_postponed", "4")][..], 23_400_000),
            ("bench-1ch", &[("refresh_postponed", "0")], 7_800_000),
            (
                "bench-1ch",
                &[("refresh_postponed", "4"), ("refresh_rate", "double")],
                11_700_000,
            ),
            ("xeon6-1s", &[], 16_575_000),
            ("xeon6-1s", &[("refresh", "off")], 0),
        ] {
            let target = catalog.module_in_system(&format!("rdimm-6400-2rx4-64g@{system}"));
            let target = target.expect("both exist");
            let settings = settings
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let connected = target.connect(&settings.collect()).expect("it connects");
            assert_eq!(settled_ps(&connected.config), ps);
        }
    }
}
