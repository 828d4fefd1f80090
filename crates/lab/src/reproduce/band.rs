//! How far a value depends on what no maker discloses: all labelled choices drawn at once, the same for every module.
//!
//! Draws are those of `wordline dram bandwidth`: a Latin hypercube. A value is compared with itself under each draw on a
//! quarter of the system: as many cores and as much traffic a channel, simulated for a shorter time, on fewer loads. What
//! a draw changes there is added to the value of the whole system; what the part changes with nothing drawn is stated
//! beside it. A band decides no verdict. A value that could hardly miss has none: however the choices are made, it says
//! nothing.
//!
//! What runs on the quarter is an experiment like any other.

use std::collections::BTreeMap;

use serde::Serialize;
use wordline_catalog::Catalog;
use wordline_core::{DramTest, DramWorkload, Experiment, Workload};
use wordline_dram::sheet::{Connected, Settings};

use super::curves;
use crate::meter;
use super::runs::FinishedRuns;
use crate::dram::draws::JointDraws;
use crate::dram::reduced;
use crate::dram::spread::{self, Spread};
use crate::published::{Curves, Kind, Measure, Value};

/// By how much systems are reduced at most: a band of every value asks for thousands of runs.
const PART: u32 = 4;

/// Draws of the choices.
const DRAWS: usize = 64;

/// The seed of the draws: every reproduction has the same.
const SEED: u64 = 0;

/// Choices that are named as those that explain a band.
const EXPLAINED: usize = 3;

/// Simulated time in picoseconds before anything counts: longer than refreshes are postponed.
const WARM_UP_PS: u64 = 20_000_000;

/// Simulated time in picoseconds that counts, at least: five refresh intervals.
const MEASURE_PS: u64 = 20_000_000;

/// Latency samples at a load, at least.
const SAMPLES: u64 = 5_000;

/// Pauses of the loading cores in cycles: saturated, and as far apart as straight lines allow.
const DELAYS_CYCLES: [u64; 6] = [15, 50, 100, 200, 500, 1700];

/// Where a value comes to lie when undisclosed choices are drawn, in the value's unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReproducedBand {
    /// 5 % of the draws lie below.
    pub low: f64,
    /// Half of them lie below.
    pub median: f64,
    /// 5 % of the draws lie above.
    pub high: f64,
    /// Draws that have a value.
    pub draws: usize,
    /// What the part of the system has instead of the whole, with nothing drawn: the difference, which the band is
    /// corrected by.
    pub part_difference: f64,
    /// The choices that explain most of the variance, the first one most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explained: Vec<ExplainedShare>,
    /// Reasons why draws have no value, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

/// What a choice explains of a band.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedShare {
    /// The choice.
    pub choice: &'static str,
    /// First-order share of the variance.
    pub share: f64,
    /// Its standard error.
    pub error: f64,
}

/// A module in its system as the sheets choose, and what it is set to in every draw.
struct DrawnModule {
    plain: Connected,
    drawn: Vec<Settings>,
}

/// What values ask of modules in every draw.
pub(super) struct Bands {
    modules: BTreeMap<String, DrawnModule>,
    draws: JointDraws,
}

impl Bands {
    /// What a simulation counts as in the progress.
    pub(super) const POINT: u64 = meter::POINT / 16;

    /// Of the modules that values depend on.
    pub(super) fn new(catalog: &Catalog, values: &[&Value]) -> Self {
        let banded = values.iter().filter(|value| has_band(value));
        let measures = banded.flat_map(|value| value.measures());
        let mut names: Vec<&str> = measures.flat_map(targets).collect();
        names.sort_unstable();
        names.dedup();
        let known = |name| catalog.module_in_system(name).ok();
        let all: Vec<_> = names.into_iter().filter_map(known).collect();
        let none = Settings::new();
        let draws = JointDraws::new(&all.iter().collect::<Vec<_>>(), &none, DRAWS, SEED);
        let modules = all.iter().filter_map(|target| {
            let drawn = (0..DRAWS).map(|number| draws.settings(target, &none, number));
            let module = DrawnModule {
                plain: target.connect(&none).ok()?,
                drawn: drawn.collect(),
            };
            Some((target.name.clone(), module))
        });
        Self {
            modules: modules.collect(),
            draws,
        }
    }

    /// What is to be run for the bands of values.
    pub(super) fn experiments(&self, values: &[&Value]) -> Vec<Experiment> {
        let mut experiments = Vec::new();
        for value in values.iter().filter(|value| has_band(value)) {
            for measure in value.measures() {
                for target in targets(measure) {
                    let all = std::iter::once(None).chain((0..DRAWS).map(Some));
                    experiments
                        .extend(all.filter_map(|one| self.experiment(measure, target, one).ok()));
                }
            }
        }
        experiments
    }

    /// The band of a value that is `ours`; none where a value does not depend on modules alone, or has none on a part of
    /// the system.
    pub(super) fn band(
        &self,
        value: &Value,
        ours: f64,
        runs: &FinishedRuns<'_>,
    ) -> Option<ReproducedBand> {
        if value.measures().flat_map(targets).next().is_none() || !has_band(value) {
            return None;
        }
        let on_part =
            |draw: Option<usize>| value.computed(|measure| self.measure(measure, draw, runs));
        let plain = on_part(None).ok()?;
        let (mut numbers, mut values, mut without) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..DRAWS {
            match on_part(Some(number)) {
                Ok(drawn) => {
                    numbers.push(number);
                    values.push(ours + (drawn - plain));
                }
                Err(why) if without.contains(&why) => {}
                Err(why) => without.push(why),
            }
        }
        let Spread { low, median, high } = Spread::of(&values)?;
        let share = |(choice, name): (usize, &'static str)| {
            let groups = self.draws.of_choice(choice, numbers.iter().copied());
            let found = spread::first_order(&values, &groups)?;
            // What is no more than luck explains nothing.
            found.is_sure().then_some(ExplainedShare {
                choice: name,
                share: found.share,
                error: found.error,
            })
        };
        let choices = self.draws.choices.iter().map(|choice| choice.name);
        let mut explained: Vec<_> = choices.enumerate().filter_map(share).collect();
        explained.sort_by(|a, b| b.share.total_cmp(&a.share));
        explained.truncate(EXPLAINED);
        Some(ReproducedBand {
            low,
            median,
            high,
            draws: values.len(),
            part_difference: plain - ours,
            explained,
            without,
        })
    }

    fn measure(
        &self,
        measure: &Measure,
        draw: Option<usize>,
        runs: &FinishedRuns<'_>,
    ) -> Result<f64, String> {
        let result = |target: &str| runs.result(&self.experiment(measure, target, draw)?);
        match (measure, &*targets(measure)) {
            (Measure::Row { row, .. }, [target]) => row.value(result(target)?, None),
            (Measure::Curves(asked), _) => {
                curves::measure(asked, result(&asked.target)?, result(&asked.against)?)
            }
            _ => Err("it is no measure of modules".to_owned()),
        }
    }

    /// What is run on a target for a measure, in a draw or as the sheets choose: on a part of the system.
    fn experiment(
        &self,
        measure: &Measure,
        target: &str,
        draw: Option<usize>,
    ) -> Result<Experiment, String> {
        let whole = measure.experiment().ok_or("nothing is run for it")?;
        let Workload::Dram(of) = &whole.workload else {
            return Err("it is no test of modules".to_owned());
        };
        let module = self.modules.get(target).ok_or("its target is unknown")?;
        let mut dram = DramWorkload {
            warm_up_ps: WARM_UP_PS,
            measure_ps: MEASURE_PS,
            ..of.clone()
        };
        let config = &module.plain.config;
        let (cores, part) = (config.cores.cores, reduced::parts(config, PART));
        let cores = match &mut dram.test {
            DramTest::Loaded(loaded) => {
                loaded.samples = SAMPLES;
                loaded.delays_cycles = DELAYS_CYCLES.to_vec();
                // Probes are no load, and as many on a part.
                cores.saturating_sub(loaded.probes) / part + loaded.probes
            }
            DramTest::Idle(idle) => {
                idle.samples = SAMPLES;
                cores / part
            }
            DramTest::Bandwidth(_) | DramTest::Trace(_) => cores / part,
        };
        let drawn = draw.map(|number| module.drawn[number].clone());
        let fixed = drawn.unwrap_or_else(|| (*of.settings).clone());
        dram.settings = reduced::settings(&fixed, config, part, cores).into();
        let step = draw.map_or(0, |number| number as u64 + 1);
        Ok(Experiment {
            targets: vec![target.to_owned()],
            workload: Workload::Dram(dram),
            seed: whole.seed.wrapping_add(step),
            ..whole.clone()
        })
    }
}

/// Whether it matters to a value how undisclosed choices are made.
fn has_band(value: &Value) -> bool {
    value.kind() != Kind::Consistency
}

/// The targets that a measure depends on; none where it is about no modules, where its modules have settings, and where a
/// row is one of several tests.
fn targets(measure: &Measure) -> Vec<&str> {
    if let Measure::Curves(Curves {
        target, against, ..
    }) = measure
    {
        return vec![target, against];
    }
    let Some(Experiment {
        workload: Workload::Dram(dram),
        targets,
        ..
    }) = measure.experiment()
    else {
        return Vec::new();
    };
    let single = match &dram.test {
        DramTest::Idle(_) => true,
        DramTest::Bandwidth(bandwidth) => bandwidth.mixes.len() == 1,
        DramTest::Loaded(_) | DramTest::Trace(_) => false,
    };
    match &**targets {
        [target] if single && dram.settings.is_empty() => vec![target],
        _ => Vec::new(),
    }
}
