//! How far a value depends on what no maker discloses: all labelled choices drawn at once, the same for every module.
//!
//! Draws are those of `wordline dram bandwidth`: a Latin hypercube, judged on the same part of the system, for the same time
//! and with as many seeds. A value is compared with itself under each draw on a quarter of the system: as many cores and as
//! much traffic a channel, simulated for a shorter time, on fewer loads. What a draw changes there is added to the value of
//! the whole system; what the part changes with nothing drawn is stated beside it. A band decides no verdict. A value that could hardly miss has none: however the choices are made, it says
//! nothing.
//!
//! Draws in which a machine that was measured does not give its throughput are set aside for the values of its system, as
//! `wordline dram bandwidth` does. Its draws are still others where its targets have fewer choices than all modules.
//!
//! What runs on the quarter is an experiment like any other.

use std::collections::BTreeMap;
use std::convert::Infallible;

use serde::Serialize;
use wordline_catalog::{Catalog, ModuleInSystem};
use wordline_core::{
    Axis, Band, BandwidthTest, DramTest, DramWorkload, Experiment, Metric, Pattern, ResultSet,
    Timing, Workload,
};
use wordline_dram::SystemConfig;
use wordline_dram::sheet::{Connected, Settings};

use super::curves;
use super::runs::FinishedRuns;
use crate::dram::anchors::{self, Anchor, KeptDraws};
use crate::dram::draws::JointDraws;
use crate::dram::reduced;
use crate::dram::spread::{self, DrawnSpread};
use crate::meter;
use crate::published::{Curves, Kind, Measure, Value};

/// By how much systems are reduced at most for a value: a band of every value asks for thousands of runs.
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
    /// Draws that were set aside, because a machine that was measured does not give its throughput in them.
    #[serde(skip_serializing_if = "is_zero")]
    pub set_aside: usize,
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
    /// What every draw sets, and the whole system that comes of it.
    drawn: Vec<(Settings, SystemConfig)>,
}

/// For how long something is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunTime {
    /// As `wordline dram bandwidth` does by itself.
    Usual,
    Short,
}

/// What values ask of modules in every draw.
pub(super) struct Bands<'a> {
    targets: Vec<ModuleInSystem<'a>>,
    modules: BTreeMap<String, DrawnModule>,
    draws: JointDraws,
    /// What systems were measured at.
    anchors: Vec<Anchor<'a>>,
    /// Those that count for the values of systems that were measured.
    kept: KeptDraws,
}

const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl<'a> Bands<'a> {
    /// What a simulation counts as in the progress.
    pub(super) const POINT: u64 = meter::POINT / 16;

    /// Of the modules that values depend on. What draws are judged by is run here.
    pub(super) fn new(
        catalog: &'a Catalog,
        values: &[&Value],
        runs: &mut FinishedRuns<'_>,
    ) -> Self {
        let banded = values.iter().filter(|value| has_band(value));
        let measures = banded.flat_map(|value| value.measures());
        let mut names: Vec<&str> = measures.flat_map(targets).collect();
        names.sort_unstable();
        names.dedup();
        let known = |name| catalog.module_in_system(name).ok();
        let mut targets: Vec<_> = names.into_iter().filter_map(known).collect();
        let none = Settings::new();
        let (anchors, _) = anchors::of(catalog, &targets.iter().collect::<Vec<_>>(), &none);
        for anchor in &anchors {
            if targets.iter().all(|one| one.name != anchor.target.name) {
                targets.push(anchor.target.clone());
            }
        }
        let all: Vec<_> = targets.iter().collect();
        let draws = JointDraws::new(&all, &none, DRAWS, SEED);
        let kept = KeptDraws::all(&draws);
        let mut bands = Self {
            targets,
            modules: BTreeMap::new(),
            draws,
            anchors,
            kept,
        };
        bands.settle();
        if !bands.anchors.is_empty() {
            bands.judge(runs);
        }
        bands
    }

    /// What modules are set to in the draws that there are.
    fn settle(&mut self) {
        let none = Settings::new();
        let modules = self.targets.iter().filter_map(|target| {
            let plain = target.connect(&none).ok()?;
            let drawn = (0..self.draws.draws.len()).map(|number| {
                let settings = self.draws.settings(target, &none, number);
                let whole = target.connect(&settings);
                let whole = whole.map_or_else(|_| plain.config.clone(), |whole| whole.config);
                (settings, whole)
            });
            let module = DrawnModule {
                drawn: drawn.collect(),
                plain,
            };
            Some((target.name.clone(), module))
        });
        self.modules = modules.collect();
    }

    /// Keeps the draws in which the machines that were measured give what they did.
    fn judge(&mut self, runs: &mut FinishedRuns<'_>) {
        let mut plain = Vec::new();
        for anchor in &self.anchors {
            let [on_part, on_whole] = reduced::SEEDS;
            plain.extend((0..on_whole).filter_map(|seed| self.judging(anchor, None, true, seed)));
            plain.extend((0..on_part).filter_map(|seed| self.judging(anchor, None, false, seed)));
        }
        runs.expect(&plain, Self::POINT);
        runs.run_side_by_side(&plain, Self::POINT);
        let mut draws = self.draws.clone();
        let (anchors, targets) = (self.anchors.clone(), self.targets.clone());
        let targets: Vec<_> = targets.iter().collect();
        let none = Settings::new();
        let extend = |draws: &mut JointDraws| draws.extend(&targets, &none, DRAWS, SEED);
        let mut run = |draws: &JointDraws, first: usize| {
            self.draws = draws.clone();
            self.settle();
            let numbers = first..draws.draws.len();
            let judging = numbers.clone().flat_map(|number| {
                let of = |anchor| self.judging(anchor, Some(number), false, 0);
                anchors.iter().filter_map(of).collect::<Vec<_>>()
            });
            let judging: Vec<_> = judging.collect();
            runs.expect(&judging, Self::POINT);
            runs.run_side_by_side(&judging, Self::POINT);
            let carried = numbers.filter_map(|number| {
                let each = anchors.iter();
                let each = each.map(|anchor| self.carried(anchor, number, runs));
                Some((number, each.collect::<Option<Vec<f64>>>()?))
            });
            Ok::<Vec<_>, Infallible>(carried.collect())
        };
        let Ok(kept) = KeptDraws::measured(&anchors, &mut draws, &extend, &mut run);
        self.kept = kept;
    }

    /// What runs to judge draws: what was measured, as the sheets choose or in a draw, on the whole system or on a part.
    fn judging(
        &self,
        anchor: &Anchor<'_>,
        draw: Option<usize>,
        whole: bool,
        seed: usize,
    ) -> Option<Experiment> {
        let test = DramTest::Bandwidth(BandwidthTest {
            mixes: vec![anchor.mix],
            patterns: vec![Pattern::Sequential],
            band: Band::None,
            ..BandwidthTest::default()
        });
        let name = &anchor.target.name;
        let asked = Experiment {
            targets: vec![name.clone()],
            workload: Workload::Dram(DramWorkload::of(test)),
            timings: vec![Timing::Max],
            age: 0.0,
            seed: SEED.wrapping_add(seed as u64),
            ftl: None,
        };
        let part = if whole { 1 } else { reduced::PART };
        self.on_part(&asked, name, draw, part, RunTime::Usual).ok()
    }

    /// What the whole of a machine that was measured carries in a draw.
    fn carried(&self, anchor: &Anchor<'_>, number: usize, runs: &FinishedRuns<'_>) -> Option<f64> {
        let of = |experiment: Option<Experiment>| throughput(runs.result(&experiment?).ok()?);
        let mean = |whole| {
            let [on_part, on_whole] = reduced::SEEDS;
            let seeds = if whole { on_whole } else { on_part };
            let each = (0..seeds).filter_map(|seed| of(self.judging(anchor, None, whole, seed)));
            spread::mean(&each.collect::<Vec<_>>())
        };
        let factor = mean(true)? / mean(false)?;
        Some(factor * of(self.judging(anchor, Some(number), false, 0))?)
    }

    /// The draws that count for a value: those that are kept where one of its systems was measured, or else the first ones.
    fn numbers(&self, value: &Value) -> Vec<usize> {
        match self.is_judged(value) {
            true => self.kept.numbers.clone(),
            false => (0..DRAWS).collect(),
        }
    }

    fn is_judged(&self, value: &Value) -> bool {
        let mut systems = value.measures().flat_map(targets);
        systems.any(|target| {
            let system = |name: &str| name.rsplit('@').next().map(str::to_owned);
            let mut anchors = self.anchors.iter();
            anchors.any(|anchor| system(&anchor.target.name) == system(target))
        })
    }

    /// What is to be run for the bands of values.
    pub(super) fn experiments(&self, values: &[&Value]) -> Vec<Experiment> {
        let mut experiments = Vec::new();
        for value in values.iter().filter(|value| has_band(value)) {
            for measure in value.measures() {
                for target in targets(measure) {
                    let all =
                        std::iter::once(None).chain(self.numbers(value).into_iter().map(Some));
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
        let judged = self.is_judged(value);
        if let (true, false, Some(met)) = (judged, self.kept.are_measured(), self.kept.met) {
            without.push(format!(
                "only {met} of {} draws give what a machine was measured at, so that none is set aside",
                self.kept.drawn
            ));
        }
        for number in self.numbers(value) {
            match on_part(Some(number)) {
                Ok(drawn) => {
                    numbers.push(number);
                    values.push(ours + (drawn - plain));
                }
                Err(why) if without.contains(&why) => {}
                Err(why) => without.push(why),
            }
        }
        let DrawnSpread { low, median, high } = DrawnSpread::of(&values)?;
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
            set_aside: match judged && self.kept.are_measured() {
                true => self.kept.drawn - self.kept.numbers.len(),
                false => 0,
            },
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
        self.on_part(whole, target, draw, PART, RunTime::Short)
    }

    /// An experiment on a target, on a part of the system that is reduced by so much at most. A draw may have other channels
    /// and cores than are chosen: they are reduced as well.
    fn on_part(
        &self,
        whole: &Experiment,
        target: &str,
        draw: Option<usize>,
        most: u32,
        time: RunTime,
    ) -> Result<Experiment, String> {
        let Workload::Dram(of) = &whole.workload else {
            return Err("it is no test of modules".to_owned());
        };
        let module = self.modules.get(target).ok_or("its target is unknown")?;
        let mut dram = of.clone();
        if time == RunTime::Short {
            (dram.warm_up_ps, dram.measure_ps) = (WARM_UP_PS, MEASURE_PS);
        }
        let drawn = draw.map(|number| &module.drawn[number]);
        let config = drawn.map_or(&module.plain.config, |(_, whole)| whole);
        let (cores, part) = (config.cores.cores, reduced::parts(config, most));
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
            DramTest::Bandwidth(_) | DramTest::Surface(_) | DramTest::Trace(_) => cores / part,
        };
        let fixed = drawn.map_or_else(|| (*of.settings).clone(), |(settings, _)| settings.clone());
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

/// What a run of one test of bandwidth carried.
fn throughput(result: &ResultSet) -> Option<f64> {
    let mut rows = result.of(Metric::ThroughputMean);
    let plain = rows.find(|row| !row.axes.contains_key(&Axis::Estimate));
    plain?.value
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
        DramTest::Loaded(_) | DramTest::Surface(_) | DramTest::Trace(_) => false,
    };
    match &**targets {
        [target] if single && dram.settings.is_empty() => vec![target],
        _ => Vec::new(),
    }
}
