//! What modules carry, mix by mix; how they compare with the first of them, and why; and how much of that depends on
//! what is not disclosed.

use wordline_core::{Axis, BandwidthTest, Basis, Metric, Mix, Pattern, ResultSet};
use wordline_dram::system::SystemRun;

use super::drawn::{BandPlace, DrawnRuns, DrawnValues};
use super::explain;
use super::rows::{self, DramWork};
use super::spread::{self, DrawnSpread, SURE, VarianceShare};
use super::{ModuleMemory, Test};
use crate::control::Control;
use crate::error::LabError;
use crate::list::distinct;
use crate::subject::Subject;

/// What the choice of a seed is called: none that a maker has made.
const SEED: &str = "seed";

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
    let mut runs = DrawnRuns::new(test, bandwidth, document)?;
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
            let banded = runs.draws.is_some() && bandwidth.band.covers(mix);
            for target in 0..test.memories.len() {
                found.rows(target, document);
                if banded {
                    found.drawn(target, document);
                }
            }
            for target in 1..test.memories.len() {
                found.against_first(target, document);
                if banded {
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
    runs: &'f DrawnRuns<'f>,
    /// The numbers of the mix and the order.
    at: (usize, usize),
}

impl MixResult<'_> {
    const fn place(&self, target: usize) -> BandPlace {
        let (mix, pattern) = self.at;
        BandPlace {
            target,
            mix,
            pattern,
        }
    }

    /// The run of a target as chosen, where it was finished.
    fn as_chosen(&self, target: usize) -> Option<&SystemRun> {
        self.runs.as_chosen(self.place(target))
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

    /// What a target carries and takes over all draws.
    fn drawn(&self, target: usize, document: &mut ResultSet) {
        let subject = self.subject(&self.test.memories[target]);
        let throughputs = self.runs.throughputs(self.place(target));
        spread_rows(&subject, Metric::ThroughputMean, &throughputs, document);
        let powers = self.runs.powers(self.place(target));
        spread_rows(&subject, Metric::PowerMean, &powers, document);
    }

    /// What draws had to give so that they count, and how many there were.
    fn measured(&self, over: &Subject, document: &mut ResultSet) {
        let kept = &self.runs.kept;
        if !kept.are_measured() {
            return;
        }
        let of_all = over.estimate(Basis::Simulated, "drawn");
        of_all.add(Metric::DrawCount, Ok(kept.drawn as f64), document);
        for anchor in &self.runs.anchors {
            let at = over.at(Axis::MeasuredModule, anchor.target.name.as_str());
            let at = Subject {
                basis: anchor.basis,
                ..at
            };
            at.add(Metric::ThroughputMeasured, Ok(anchor.bytes_per_s), document);
            at.add(Metric::MeasuredTolerance, Ok(anchor.within), document);
        }
    }

    /// The ratio over all draws, and which choices explain it.
    fn band(&self, target: usize, document: &mut ResultSet) {
        let Some(draws) = &self.runs.draws else {
            return;
        };
        let over = self.over(target);
        let ratios = self.runs.ratios(self.place(target));
        spread_rows(&over, Metric::ThroughputRatio, &ratios, document);
        if let Some((off, error)) = ratios.reduction.error {
            sure_rows(&over, Metric::ReductionError, off, error, document);
        }
        let numbers = || ratios.values.iter().map(|(number, _)| *number);
        let values: Vec<f64> = ratios.values.iter().map(|(_, value)| *value).collect();
        if DrawnSpread::of(&values).is_none() {
            return;
        }
        over.add(Metric::DrawCount, Ok(values.len() as f64), document);
        self.measured(&over, document);
        let share = |choice: &str, share: Option<VarianceShare>, document: &mut ResultSet| {
            if let Some(VarianceShare { share, error, luck }) = share {
                let at = over.at(Axis::Choice, choice);
                sure_rows(&at, Metric::VarianceShare, share, error, document);
                let at = at.estimate(Basis::Simulated, "luck");
                at.add(Metric::VarianceShare, Ok(luck), document);
            }
        };
        share(SEED, spread::chance(&values, &ratios.by_seed), document);
        for (number, choice) in draws.choices.iter().enumerate() {
            let groups = draws.of_choice(number, numbers());
            share(choice.name, spread::first_order(&values, &groups), document);
            for (setting, name) in choice.settings.iter().enumerate() {
                let of = values.iter().zip(&groups);
                let of = of.filter(|(_, group)| **group == setting);
                let of: Vec<f64> = of.map(|(value, _)| *value).collect();
                let at = over.estimate(Basis::Simulated, "given");
                let at = at
                    .at(Axis::Choice, choice.name)
                    .at(Axis::Setting, name.as_str());
                if let Some(mean) = spread::mean(&of) {
                    at.add(Metric::ThroughputRatio, Ok(mean), document);
                }
            }
        }
    }
}

/// 5 %, median and 95 % of a value over all draws.
fn spread_rows(subject: &Subject, metric: Metric, drawn: &DrawnValues, document: &mut ResultSet) {
    let values: Vec<f64> = drawn.values.iter().map(|(_, value)| *value).collect();
    let Some(DrawnSpread { low, median, high }) = DrawnSpread::of(&values) else {
        return;
    };
    for (estimate, value) in [
        ("drawn_p5", low),
        ("drawn_median", median),
        ("drawn_p95", high),
    ] {
        let at = subject.estimate(Basis::Simulated, estimate);
        at.add(metric, Ok(value), document);
    }
}

/// A value with its 95 % interval.
fn sure_rows(subject: &Subject, metric: Metric, value: f64, error: f64, document: &mut ResultSet) {
    subject.add(metric, Ok(value), document);
    for (end, sign) in [("confidence_low", -1.0), ("confidence_high", 1.0)] {
        let at = subject.estimate(Basis::Simulated, end);
        at.add(metric, Ok(value + sign * SURE * error), document);
    }
}
