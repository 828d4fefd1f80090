//! Our side of what is asked of memory modules: every test is run once, for all targets that it is asked of.

use std::collections::{BTreeMap, BTreeSet};

use wordline_catalog::Catalog;
use wordline_core::results::Row;
use wordline_core::{
    Axis, Band, BandwidthTest, DramTest, DramWorkload, Experiment, IdleTest, LoadedTest, Metric,
    Mix, Pattern, ResultSet, Timing, Workload,
};
use wordline_dram::sheet::Settings;

use super::curves::{self, Load};
use super::meter::{Meter, POINT};
use crate::published::{Curves, Measure, ModuleRun, ModuleTest, Question};

/// Pauses of the loading cores in a sweep, in cycles: those of `wordline dram loaded` but 0, 2 and 8. With 15 cycles
/// the modules here carry what they can already; shorter pauses add nothing to a curve, and most of the time it takes.
const DELAYS_CYCLES: [u64; 16] = [
    15, 50, 100, 200, 300, 400, 500, 700, 1000, 1300, 1700, 2500, 3500, 5000, 9000, 20_000,
];

/// A test as it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ModuleExercise {
    Idle,
    Bandwidth(Mix),
    /// A sweep of reads alone.
    Loaded,
}

impl From<ModuleTest> for ModuleExercise {
    fn from(test: ModuleTest) -> Self {
        match test {
            ModuleTest::Idle => Self::Idle,
            ModuleTest::Bandwidth { mix } => Self::Bandwidth(mix),
        }
    }
}

/// What is asked of modules: tests, each with its targets, and the times that shares are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) tests: BTreeMap<ModuleExercise, BTreeSet<String>>,
    pub(super) within_ps: BTreeSet<u64>,
}

impl Asked {
    /// Adds what a measure asks for, if it asks for modules that can be run.
    pub(super) fn add(&mut self, catalog: &Catalog, measure: &Measure) {
        let mut of = |test, target| {
            // Others have their say when their value is asked for.
            if let Ok(name) = sound(catalog, target) {
                self.tests.entry(test).or_default().insert(name);
            }
        };
        match measure {
            Measure::Module { run, .. } => of(ModuleExercise::from(run.test), &run.target),
            Measure::Curves(curves) => {
                of(ModuleExercise::Loaded, &curves.target);
                of(ModuleExercise::Loaded, &curves.against);
                if matches!(curves.question, Question::Reduction { .. }) {
                    of(ModuleExercise::Idle, &curves.against);
                }
                if let Question::Share { within_ps, .. } = curves.question {
                    self.within_ps.insert(within_ps);
                }
            }
            Measure::Row { .. }
            | Measure::Theory { .. }
            | Measure::Wear(_)
            | Measure::Table { .. }
            | Measure::Figure { .. } => {}
        }
    }
}

/// The full name of a target that can be simulated; otherwise why it cannot.
fn sound(catalog: &Catalog, target: &str) -> Result<String, String> {
    let target = catalog.module_in_system(target);
    let target = target.map_err(|error| error.to_string())?;
    match target.connect(&Settings::new()) {
        Ok(_) => Ok(target.name),
        Err(error) => Err(format!("{}: {error}", target.name)),
    }
}

/// Runs tests of modules, and remembers what they gave.
pub(super) struct Modules<'a> {
    catalog: &'a Catalog,
    asked: Asked,
    finished: BTreeMap<ModuleExercise, Result<ResultSet, String>>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(catalog: &'a Catalog, asked: Asked, meter: &Meter<'_>) -> Self {
        for (test, targets) in &asked.tests {
            meter.expect(POINT * points(*test, targets));
        }
        Self {
            catalog,
            asked,
            finished: BTreeMap::new(),
        }
    }

    /// A row of a test.
    pub(super) fn row(
        &mut self,
        run: &ModuleRun,
        metric: Metric,
        meter: &Meter<'_>,
    ) -> Result<f64, String> {
        let target = sound(self.catalog, &run.target)?;
        let result = self.result(ModuleExercise::from(run.test), meter)?;
        only(result, &target, metric, &[])
    }

    /// What two curves say.
    pub(super) fn curves(&mut self, asked: &Curves, meter: &Meter<'_>) -> Result<f64, String> {
        let [target, against] =
            [&asked.target, &asked.against].map(|target| sound(self.catalog, target));
        let (target, against) = (target?, against?);
        let idle = match asked.question {
            Question::Reduction { .. } => {
                let result = self.result(ModuleExercise::Idle, meter)?;
                only(result, &against, Metric::LatencyMean, &[])?
            }
            Question::Crossover | Question::Share { .. } => 0.0,
        };
        let result = self.result(ModuleExercise::Loaded, meter)?;
        let target = curve(result, &target, asked.question)?;
        let against = curve(result, &against, asked.question)?;
        curves::answer(asked.question, &target, &against, idle)
    }

    fn result(&mut self, test: ModuleExercise, meter: &Meter<'_>) -> Result<&ResultSet, String> {
        if !self.finished.contains_key(&test) {
            let result = self.perform(test, meter);
            self.finished.insert(test, result);
        }
        self.finished[&test].as_ref().map_err(Clone::clone)
    }

    fn perform(&self, test: ModuleExercise, meter: &Meter<'_>) -> Result<ResultSet, String> {
        let targets = self.asked.tests.get(&test).cloned().unwrap_or_default();
        let points = points(test, &targets);
        let experiment = Experiment {
            targets: targets.into_iter().collect(),
            workload: Workload::Dram(DramWorkload::of(self.test(test))),
            timings: vec![Timing::Max],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        let result = meter.run(POINT * points, POINT, |control| {
            crate::run(self.catalog, &experiment, control)
        });
        result.map_err(|error| error.to_string())
    }

    /// The test of `wordline dram`, with every setting at its default.
    fn test(&self, test: ModuleExercise) -> DramTest {
        match test {
            ModuleExercise::Idle => DramTest::Idle(IdleTest {
                samples: LoadedTest::SAMPLES,
            }),
            ModuleExercise::Bandwidth(mix) => DramTest::Bandwidth(BandwidthTest {
                mixes: vec![mix],
                patterns: vec![Pattern::Sequential],
                band: Band::None,
            }),
            ModuleExercise::Loaded => DramTest::Loaded(LoadedTest {
                delays_cycles: DELAYS_CYCLES.to_vec(),
                mix: Mix::Reads,
                pattern: Pattern::Sequential,
                samples: LoadedTest::SAMPLES,
                probes: LoadedTest::PROBES,
                within_ps: self.asked.within_ps.iter().copied().collect(),
            }),
        }
    }
}

/// Simulations that a test takes.
fn points(test: ModuleExercise, targets: &BTreeSet<String>) -> u64 {
    let each = match test {
        ModuleExercise::Idle | ModuleExercise::Bandwidth(_) => 1,
        ModuleExercise::Loaded => DELAYS_CYCLES.len(),
    };
    (each * targets.len()) as u64
}

/// The curve of a target in a sweep, the least load first.
fn curve(result: &ResultSet, target: &str, question: Question) -> Result<Vec<Load>, String> {
    let delays = DELAYS_CYCLES.into_iter().rev();
    let loads = delays.map(|delay| {
        let of = |metric| only(result, target, metric, &[Coordinate::Delay(delay)]);
        Ok(Load {
            bandwidth: of(Metric::ThroughputMean)?,
            latency: of(Metric::LatencyMean)?,
            share: match question {
                Question::Share { within_ps, .. } => {
                    let at = [Coordinate::Delay(delay), Coordinate::Within(within_ps)];
                    only(result, target, Metric::LatencyShare, &at)?
                }
                Question::Crossover | Question::Reduction { .. } => 0.0,
            },
        })
    });
    loads.collect()
}

/// Where a row has to stand, beyond its target.
#[derive(Clone, Copy)]
enum Coordinate {
    Delay(u64),
    Within(u64),
}

impl Coordinate {
    fn holds(self, row: &Row) -> bool {
        match self {
            Self::Delay(cycles) => row.count(Axis::DelayCycles) == Some(cycles),
            Self::Within(ps) => {
                let within = row.axes.get(&Axis::WithinS);
                within
                    == Some(&wordline_core::results::AxisValue::Number(
                        ps as f64 * 1e-12,
                    ))
            }
        }
    }
}

/// The one row of a metric that is no estimate, and no part of the value by cause.
fn only(
    result: &ResultSet,
    target: &str,
    metric: Metric,
    at: &[Coordinate],
) -> Result<f64, String> {
    let mut rows = result.of(metric).filter(|row| {
        let whole = [Axis::Estimate, Axis::Cause];
        row.target == target
            && whole.iter().all(|axis| !row.axes.contains_key(axis))
            && at.iter().all(|axis| axis.holds(row))
    });
    let row = rows.next();
    let row = row.ok_or_else(|| format!("the run of {target} has no row {metric}"))?;
    if rows.next().is_some() {
        return Err(format!("the run of {target} has several rows {metric}"));
    }
    let value = row.value;
    value.ok_or_else(|| format!("the run of {target} has no value of {metric}"))
}
