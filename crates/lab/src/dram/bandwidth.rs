//! What modules carry, mix by mix; how they compare with the first of them, and why; and how much of that depends on
//! what is not disclosed.

use std::collections::BTreeMap;

use wordline_core::{Axis, BandwidthTest, Basis, Metric, Mix, Pattern, ResultSet};
use wordline_dram::system::SystemRun;

use super::band::{self, ChoiceVariation};
use super::explain;
use super::rows::{self, DramWork};
use super::{ModuleMemory, Test};
use crate::control::Control;
use crate::error::LabError;
use crate::list::distinct;
use crate::subject::Subject;

/// What identifies a run: target, variation (none: as chosen), mix, pattern; by number.
type Key = (usize, Option<usize>, usize, usize);

pub(super) fn run(
    test: &Test<'_>,
    bandwidth: &BandwidthTest,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let names = bandwidth.mixes.iter().map(|mix| mix.name().to_owned());
    distinct("mix", names)?;
    let names = bandwidth
        .patterns
        .iter()
        .map(|pattern| pattern.name().to_owned());
    distinct("pattern", names)?;
    let banded = bandwidth
        .mixes
        .iter()
        .any(|mix| bandwidth.band.covers(*mix))
        && test.memories.len() > 1;
    let variations = if banded {
        band::variations(test, document)
    } else {
        Vec::new()
    };
    let (keys, points) = points(test, bandwidth, &variations);
    let ended = super::points::run(&points, control)?;
    let mut runs: BTreeMap<Key, SystemRun> = BTreeMap::new();
    for (key, ended) in keys.into_iter().zip(ended) {
        let finished = test.finished(&test.memories[key.0], ended, document)?;
        runs.extend(finished.map(|run| (key, run)));
    }
    for (p, &pattern) in bandwidth.patterns.iter().enumerate() {
        for (m, &mix) in bandwidth.mixes.iter().enumerate() {
            let run = |target: usize, variation| runs.get(&(target, variation, m, p));
            let found = MixResult {
                test,
                mix,
                pattern,
                run: &run,
            };
            for target in 0..test.memories.len() {
                found.rows(target, document);
            }
            for target in 1..test.memories.len() {
                found.against_first(target, document);
                if bandwidth.band.covers(mix) {
                    found.band(target, &variations, document);
                }
            }
        }
    }
    Ok(())
}

/// Every run: each target as chosen, and with each variation that concerns it.
fn points(
    test: &Test<'_>,
    bandwidth: &BandwidthTest,
    variations: &[ChoiceVariation],
) -> (Vec<Key>, Vec<super::points::DramPoint>) {
    let (mut keys, mut points) = (Vec::new(), Vec::new());
    for (p, &pattern) in bandwidth.patterns.iter().enumerate() {
        for (m, &mix) in bandwidth.mixes.iter().enumerate() {
            for (target, memory) in test.memories.iter().enumerate() {
                let traffic = test.traffic(memory, mix, pattern, 0, None);
                let name = format!("bandwidth, {mix}");
                keys.push((target, None, m, p));
                points.push(test.point(memory, &name, traffic, 0));
                if !bandwidth.band.covers(mix) {
                    continue;
                }
                for (number, variation) in variations.iter().enumerate() {
                    let Some(config) = &variation.configs[target] else {
                        continue;
                    };
                    let name = format!("{mix} with {} = {}", variation.choice, variation.setting);
                    let mut point = test.point(memory, &name, traffic, 0);
                    point.traffic.load_cores = config.cores.cores;
                    point.traffic.seed = variation.seed;
                    point.config = config.clone();
                    keys.push((target, Some(number), m, p));
                    points.push(point);
                }
            }
        }
    }
    (keys, points)
}

/// What was found for a mix and an order of addresses.
struct MixResult<'f> {
    test: &'f Test<'f>,
    mix: Mix,
    pattern: Pattern,
    /// The run of a target with a variation, where it was finished.
    run: &'f dyn Fn(usize, Option<usize>) -> Option<&'f SystemRun>,
}

impl MixResult<'_> {
    fn subject(&self, memory: &ModuleMemory<'_>) -> Subject {
        self.test
            .subject(memory, self.mix.operation())
            .at(Axis::Mix, self.mix.name())
            .at(Axis::Pattern, self.pattern.name())
    }

    fn rows(&self, target: usize, document: &mut ResultSet) {
        let memory = &self.test.memories[target];
        let Some(run) = (self.run)(target, None) else {
            return;
        };
        let subject = self.subject(memory);
        DramWork::of(run).rows(memory, &subject, document);
        rows::under_load(memory, run, slots(memory), &subject, document);
        let mean = rows::seconds(run.read_latency_mean_ps);
        subject.add(Metric::LatencyMean, Ok(mean), document);
        let formula = subject.estimate(Basis::Simulated, "formula");
        let unloaded = rows::seconds(memory.unloaded_ps() as f64);
        formula.add(Metric::LatencyMean, Ok(unloaded), document);
    }

    /// The ratio to the first target, and its parts.
    fn against_first(&self, target: usize, document: &mut ResultSet) {
        let (Some(first), Some(other)) = ((self.run)(0, None), (self.run)(target, None)) else {
            return;
        };
        let of = |target: usize, run| {
            let memory = &self.test.memories[target];
            (memory, run, slots(memory))
        };
        let (first, other) = (of(0, first), of(target, other));
        explain::rows(&self.over(target), first, other, document);
    }

    fn over(&self, target: usize) -> Subject {
        let memories = &self.test.memories;
        self.subject(&memories[target])
            .at(Axis::Over, memories[0].name.as_str())
    }

    /// The ratio with each variation, and the ends of the band with the variations that make them.
    fn band(&self, target: usize, variations: &[ChoiceVariation], document: &mut ResultSet) {
        let (Some(first), Some(other)) = ((self.run)(0, None), (self.run)(target, None)) else {
            return;
        };
        let over = self.over(target);
        let plain = other.bytes_per_s() / first.bytes_per_s();
        let (mut low, mut high) = ((plain, None), (plain, None));
        for (number, variation) in variations.iter().enumerate() {
            // Of a variation that concerns neither there is nothing to say; one that was not finished says nothing.
            let run = |target: usize, plain| match &variation.configs[target] {
                Some(_) => (self.run)(target, Some(number)),
                None => Some(plain),
            };
            let concerned = variation.configs[0].is_some() || variation.configs[target].is_some();
            let (true, Some(first), Some(other)) = (concerned, run(0, first), run(target, other))
            else {
                continue;
            };
            let ratio = other.bytes_per_s() / first.bytes_per_s();
            // Chance is no choice.
            let chosen = variation.choice != band::SEED;
            if chosen && ratio < low.0 {
                low = (ratio, Some(variation));
            }
            if chosen && ratio > high.0 {
                high = (ratio, Some(variation));
            }
            let at = named(
                &over.estimate(Basis::Simulated, "sensitivity"),
                Some(variation),
            );
            at.add(Metric::ThroughputRatio, Ok(ratio), document);
        }
        if !document.complete {
            return;
        }
        for (end, (ratio, variation)) in [("band_low", low), ("band_high", high)] {
            let at = named(&over.estimate(Basis::Simulated, end), variation);
            at.add(Metric::ThroughputRatio, Ok(ratio), document);
        }
    }
}

/// Lines that all cores together can have under way.
fn slots(memory: &ModuleMemory<'_>) -> u64 {
    let cores = &memory.connected.config.cores;
    u64::from(cores.cores) * u64::from(cores.misses)
}

/// With the variation that a row is about.
fn named(subject: &Subject, variation: Option<&ChoiceVariation>) -> Subject {
    match variation {
        Some(variation) => subject
            .at(Axis::Choice, variation.choice)
            .at(Axis::Setting, variation.setting.as_str()),
        None => subject.clone(),
    }
}
