//! The runs of a bandwidth test: each target as chosen, and with each alternative of each undisclosed choice. Alternatives
//! may first run for a short time, which shows those that can be an end of the band; only these run in full.

use std::collections::BTreeMap;

use wordline_core::quantity::Time;
use wordline_core::{BandwidthTest, ResultSet};
use wordline_dram::SystemConfig;
use wordline_dram::system::SystemRun;

use super::Test;
use super::band::{self, ChoiceVariation};
use super::points::{self, DramPoint};
use crate::control::Control;
use crate::error::LabError;
use crate::warning::LabWarning;

/// What identifies a run: its length, target, variation (none: as chosen), mix, pattern; the last by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BandRun {
    pub(super) short: bool,
    pub(super) target: usize,
    pub(super) variation: Option<usize>,
    pub(super) mix: usize,
    pub(super) pattern: usize,
}

/// Alternatives at most that run in full for one end of a band.
const FINALISTS: usize = 3;

/// What was run so far.
pub(super) struct BandRuns<'r> {
    test: &'r Test<'r>,
    bandwidth: &'r BandwidthTest,
    pub(super) variations: &'r [ChoiceVariation],
    /// With its place in `ended`: alternatives that make no difference to a mix share a run.
    places: BTreeMap<BandRun, usize>,
    ended: Vec<Option<SystemRun>>,
}

impl<'r> BandRuns<'r> {
    pub(super) fn new(
        test: &'r Test<'r>,
        bandwidth: &'r BandwidthTest,
        variations: &'r [ChoiceVariation],
    ) -> Self {
        Self {
            test,
            bandwidth,
            variations,
            places: BTreeMap::new(),
            ended: Vec::new(),
        }
    }

    /// Whether alternatives run for a short time first.
    pub(super) fn screens(&self) -> bool {
        self.bandwidth.screen_ps > 0 && !self.variations.is_empty()
    }

    pub(super) fn get(&self, run: BandRun) -> Option<&SystemRun> {
        self.ended[*self.places.get(&run)?].as_ref()
    }

    /// Runs everything: as chosen in full, alternatives as long as the test says, and then those in full that may be
    /// an end.
    pub(super) fn all(
        &mut self,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let screens = self.screens();
        let mut first = self.runs(false);
        first.retain(|run| run.variation.is_none() || !screens);
        if screens {
            let mut short = self.runs(true);
            short.retain(|run| self.bandwidth.band.covers(self.bandwidth.mixes[run.mix]));
            first.extend(short);
        }
        self.add(&first, control, document)?;
        if !screens || !document.complete {
            return Ok(());
        }
        let finalists = self.finalists();
        let mut full = self.runs(false);
        full.retain(|run| {
            let of = |(target, variation, mix, pattern): &(usize, usize, usize, usize)| {
                (run.target == 0 || run.target == *target)
                    && (run.variation, run.mix, run.pattern) == (Some(*variation), *mix, *pattern)
            };
            finalists.iter().any(of)
        });
        self.add(&full, control, document)?;
        let chosen = |run: &&BandRun| {
            let variation = run.variation.map(|number| &self.variations[number]);
            variation.is_some_and(|variation| variation.choice != band::SEED)
        };
        let alternatives = self.variations.iter();
        let alternatives = alternatives.filter(|one| one.choice != band::SEED).count();
        let mut in_full: Vec<_> = full
            .iter()
            .filter(chosen)
            .map(|run| run.variation)
            .collect();
        in_full.sort_unstable();
        in_full.dedup();
        document.warn(LabWarning::BandScreened {
            alternatives: &alternatives,
            short: &Time::from_ps(self.bandwidth.screen_ps),
            full: &in_full.len(),
        });
        Ok(())
    }

    /// Every run of a length that concerns a target.
    fn runs(&self, short: bool) -> Vec<BandRun> {
        let mut runs = Vec::new();
        for pattern in 0..self.bandwidth.patterns.len() {
            for (mix, of_mix) in self.bandwidth.mixes.iter().enumerate() {
                for target in 0..self.test.memories.len() {
                    let run = |variation| BandRun {
                        short,
                        target,
                        variation,
                        mix,
                        pattern,
                    };
                    runs.push(run(None));
                    let varied = self.variations.iter().enumerate();
                    let varied = varied.filter(|(_, variation)| {
                        self.bandwidth.band.covers(*of_mix) && variation.configs[target].is_some()
                    });
                    runs.extend(varied.map(|(number, _)| run(Some(number))));
                }
            }
        }
        runs
    }

    fn add(
        &mut self,
        runs: &[BandRun],
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let mut points: Vec<DramPoint> = Vec::new();
        let mut begun: Vec<BandRun> = Vec::new();
        // What distinguishes the points of this call, each with its place.
        let mut distinct: Vec<(BandRun, u64, SystemConfig, usize)> = Vec::new();
        for run in runs {
            let point = self.point(*run);
            let mix = self.bandwidth.mixes[run.mix];
            let of = BandRun {
                variation: None,
                ..*run
            };
            let relevant = point.config.relevant_to(mix);
            let same = distinct.iter().find(|(other, seed, config, _)| {
                (*other, *seed) == (of, point.traffic.seed) && *config == relevant
            });
            let place = match same {
                Some((.., place)) => *place,
                None => {
                    let place = self.ended.len() + points.len();
                    distinct.push((of, point.traffic.seed, relevant, place));
                    begun.push(*run);
                    points.push(point);
                    place
                }
            };
            self.places.insert(*run, place);
        }
        let ended = points::run(&points, control)?;
        for (run, ended) in begun.into_iter().zip(ended) {
            let memory = &self.test.memories[run.target];
            // A short run is known to be one.
            self.ended.push(match run.short {
                true => self.test.ended(memory, ended, document)?,
                false => self.test.finished(memory, ended, document)?,
            });
        }
        Ok(())
    }

    fn point(&self, run: BandRun) -> DramPoint {
        let memory = &self.test.memories[run.target];
        let mix = self.bandwidth.mixes[run.mix];
        let pattern = self.bandwidth.patterns[run.pattern];
        let traffic = self.test.traffic(memory, mix, pattern, 0, None);
        let variation = run.variation.map(|number| &self.variations[number]);
        let name = match variation {
            None => format!("bandwidth, {mix}"),
            Some(variation) => format!("{mix} with {} = {}", variation.choice, variation.setting),
        };
        let mut point = self.test.point(memory, &name, traffic, 0);
        if run.short {
            point.length.measure_ps = self.bandwidth.screen_ps;
        }
        if let Some(variation) = variation
            && let Some(config) = &variation.configs[run.target]
        {
            point.traffic.load_cores = config.cores.cores;
            point.traffic.seed = variation.seed;
            point.config = config.clone();
        }
        point
    }

    /// The ratio of a target to the first with a variation; none where it concerns neither, or was not run.
    pub(super) fn ratio(&self, run: BandRun) -> Option<f64> {
        let Some(number) = run.variation else {
            let of = |target| Some(self.get(BandRun { target, ..run })?.bytes_per_s());
            return Some(of(run.target)? / of(0)?);
        };
        let configs = &self.variations[number].configs;
        if configs[0].is_none() && configs[run.target].is_none() {
            return None;
        }
        let of = |target: usize| {
            let variation = configs[target].as_ref().map(|_| number);
            let run = BandRun {
                target,
                variation,
                ..run
            };
            Some(self.get(run)?.bytes_per_s())
        };
        Some(of(run.target)? / of(0)?)
    }

    /// Target, variation, mix and pattern of the alternatives whose short runs come as near to an end of their band as
    /// chance moves one, the nearest first.
    fn finalists(&self) -> Vec<(usize, usize, usize, usize)> {
        let mut finalists = Vec::new();
        for run in self.runs(true) {
            if run.variation.is_some() || run.target == 0 {
                continue;
            }
            let Some(plain) = self.ratio(run) else {
                continue;
            };
            let varied = |seeds: bool| {
                let varied = self.variations.iter().enumerate();
                let varied = varied.filter(|(_, one)| (one.choice == band::SEED) == seeds);
                let ratios = varied.filter_map(|(number, _)| {
                    let variation = Some(number);
                    Some((number, self.ratio(BandRun { variation, ..run })?))
                });
                ratios.collect::<Vec<_>>()
            };
            let seeds = varied(true);
            let chance = seeds.iter().map(|(_, ratio)| (ratio - plain).abs());
            let chance = chance.fold(0.0, f64::max);
            for sign in [1.0, -1.0] {
                let off = |ratio: f64| sign * (ratio - plain);
                let mut beyond = varied(false);
                beyond.retain(|(_, ratio)| off(*ratio) > 0.0);
                beyond.sort_by(|(_, a), (_, b)| off(*b).total_cmp(&off(*a)));
                let end = beyond.first().map_or(0.0, |(_, ratio)| off(*ratio));
                let near = beyond
                    .iter()
                    .filter(|(_, ratio)| off(*ratio) >= end - chance);
                let near = near.take(FINALISTS);
                finalists
                    .extend(near.map(|(number, _)| (run.target, *number, run.mix, run.pattern)));
            }
        }
        finalists
    }
}
