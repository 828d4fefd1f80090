//! What modules carry, mix by mix; how they compare with the first of them, and why; and how much of that depends on
//! what is not disclosed.

use wordline_core::{Axis, BandwidthTest, Basis, Metric, Mix, Pattern, ResultSet};
use wordline_dram::system::SystemRun;

use super::band::{self, ChoiceVariation};
use super::explain;
use super::rows::{self, DramWork};
use super::screening::{BandRun, BandRuns};
use super::{ModuleMemory, Test};
use crate::control::Control;
use crate::error::LabError;
use crate::list::distinct;
use crate::subject::Subject;

/// What an estimate is called that a short run made.
const SCREENED: &str = "screened";

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
    let mut runs = BandRuns::new(test, bandwidth, &variations);
    runs.all(control, document)?;
    for (p, &pattern) in bandwidth.patterns.iter().enumerate() {
        for (m, &mix) in bandwidth.mixes.iter().enumerate() {
            let found = MixResult {
                test,
                mix,
                pattern,
                runs: &runs,
                at: (m, p),
            };
            for target in 0..test.memories.len() {
                found.rows(target, document);
            }
            for target in 1..test.memories.len() {
                found.against_first(target, document);
                if bandwidth.band.covers(mix) {
                    found.screened(target, document);
                    found.band(target, document);
                }
            }
        }
    }
    Ok(())
}

/// What was found for a mix and an order of addresses.
struct MixResult<'f> {
    test: &'f Test<'f>,
    mix: Mix,
    pattern: Pattern,
    runs: &'f BandRuns<'f>,
    /// The numbers of the mix and the order.
    at: (usize, usize),
}

impl MixResult<'_> {
    fn key(&self, short: bool, target: usize, variation: Option<usize>) -> BandRun {
        let (mix, pattern) = self.at;
        BandRun {
            short,
            target,
            variation,
            mix,
            pattern,
        }
    }

    /// The run of a target as chosen, where it was finished.
    fn as_chosen(&self, target: usize) -> Option<&SystemRun> {
        self.runs.get(self.key(false, target, None))
    }

    /// Lines that all cores together can have under way.
    fn slots(&self, memory: &ModuleMemory<'_>) -> u64 {
        let cores = &memory.connected.config.cores;
        let each = cores.under_way_max(self.mix, self.pattern);
        u64::from(cores.cores) * u64::from(each)
    }

    fn subject(&self, memory: &ModuleMemory<'_>) -> Subject {
        self.test
            .subject(memory, self.mix.operation())
            .at(Axis::Mix, self.mix.name())
            .at(Axis::Pattern, self.pattern.name())
    }

    fn rows(&self, target: usize, document: &mut ResultSet) {
        let memory = &self.test.memories[target];
        let Some(run) = self.as_chosen(target) else {
            return;
        };
        let subject = self.subject(memory);
        DramWork::of(run).rows(memory, &subject, document);
        rows::under_load(memory, run, self.slots(memory), &subject, document);
        let mean = rows::seconds(run.read_latency_mean_ps);
        subject.add(Metric::LatencyMean, Ok(mean), document);
        let formula = subject.estimate(Basis::Simulated, "formula");
        let unloaded = rows::seconds(memory.unloaded_ps() as f64);
        formula.add(Metric::LatencyMean, Ok(unloaded), document);
    }

    /// The ratio to the first target, and its parts.
    fn against_first(&self, target: usize, document: &mut ResultSet) {
        let (Some(first), Some(other)) = (self.as_chosen(0), self.as_chosen(target)) else {
            return;
        };
        let of = |target: usize, run| {
            let memory = &self.test.memories[target];
            (memory, run, self.slots(memory))
        };
        let (first, other) = (of(0, first), of(target, other));
        explain::rows(&self.over(target), first, other, document);
    }

    fn over(&self, target: usize) -> Subject {
        let memories = &self.test.memories;
        self.subject(&memories[target])
            .at(Axis::Over, memories[0].name.as_str())
    }

    /// The ratios of the short runs, as chosen and with each variation.
    fn screened(&self, target: usize, document: &mut ResultSet) {
        let at = self.over(target).estimate(Basis::Simulated, SCREENED);
        let variations = (0..self.runs.variations.len()).map(Some);
        for variation in std::iter::once(None).chain(variations) {
            if let Some(ratio) = self.runs.ratio(self.key(true, target, variation)) {
                let variation = variation.map(|number| &self.runs.variations[number]);
                named(&at, variation).add(Metric::ThroughputRatio, Ok(ratio), document);
            }
        }
    }

    /// The ratio with each variation, and the ends of the band with the variations that make them.
    fn band(&self, target: usize, document: &mut ResultSet) {
        let Some(plain) = self.runs.ratio(self.key(false, target, None)) else {
            return;
        };
        let over = self.over(target);
        let (mut low, mut high) = ((plain, None), (plain, None));
        for (number, variation) in self.runs.variations.iter().enumerate() {
            // Of a variation that concerns neither there is nothing to say; one that was not finished says nothing.
            let Some(ratio) = self.runs.ratio(self.key(false, target, Some(number))) else {
                continue;
            };
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

/// With the variation that a row is about.
fn named(subject: &Subject, variation: Option<&ChoiceVariation>) -> Subject {
    match variation {
        Some(variation) => subject
            .at(Axis::Choice, variation.choice)
            .at(Axis::Setting, variation.setting.as_str()),
        None => subject.clone(),
    }
}
