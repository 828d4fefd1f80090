//! How far a value depends on what no maker discloses: every alternative of every labelled choice, one at a time, the
//! same for both modules.
//!
//! A value is compared with itself under each alternative on a quarter of the system: as many cores and as much
//! traffic a channel, simulated for a shorter time, on fewer loads. What an alternative changes there is added to the
//! value of the whole system. A band says nothing about chance, and decides no verdict. A value that could hardly miss
//! has none: however the choices are made, it tells nothing.
//!
//! What runs on the quarter is an experiment like any other. Alternatives under which a module does the same, such as
//! another write queue where everything is read, share one.

use std::collections::BTreeMap;

use serde::Serialize;
use wordline_catalog::{Catalog, ModuleInSystem};
use wordline_core::{DramTest, DramWorkload, Experiment, Metric, Mix, Workload};
use wordline_dram::sheet::{Connected, Settings};

use super::curves;
use super::meter;
use super::runs::FinishedRuns;
use crate::dram::band::{alternatives, otherwise};
use crate::published::{Curves, Kind, Measure, Value};

/// Part of the system that is simulated: channels and cores are divided by this where both can be.
const PART: u32 = 4;

/// Simulated time in picoseconds before anything counts: longer than refreshes are postponed.
const WARM_UP_PS: u64 = 20_000_000;

/// Simulated time in picoseconds that counts, at least: five refresh intervals.
const MEASURE_PS: u64 = 20_000_000;

/// Latency samples at a load, at least.
const SAMPLES: u64 = 5_000;

/// Pauses of the loading cores in cycles: saturated, and as far apart as straight lines allow.
const DELAYS_CYCLES: [u64; 6] = [15, 50, 100, 200, 500, 1700];

/// Where a value comes to lie when undisclosed choices are made otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReproducedBand {
    /// The least value.
    pub low: BandEnd,
    /// The greatest value.
    pub high: BandEnd,
    /// Alternatives that have no value, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

/// One end of a band, in the value's unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BandEnd {
    /// The value.
    pub value: f64,
    /// The choice that makes it, as `name = setting`; none where the value as it stands is the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
}

/// One choice made otherwise.
struct BandVariation {
    choice: &'static str,
    setting: String,
}

/// A module in its system as the sheets choose, and with every variation: none that leaves it as it is, and why it cannot
/// be otherwise where it cannot.
struct VariedModule {
    plain: Connected,
    varied: Vec<Option<Result<Connected, String>>>,
}

/// What values ask of modules under variations.
pub(super) struct Bands {
    modules: BTreeMap<String, VariedModule>,
    variations: Vec<BandVariation>,
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
        let targets: Vec<_> = names.into_iter().filter_map(known).collect();
        let choices: Vec<_> = targets.iter().flat_map(ModuleInSystem::choices).collect();
        let tried = alternatives(choices.iter()).into_iter();
        let variations: Vec<_> = tried
            .map(|(choice, setting)| BandVariation { choice, setting })
            .collect();
        let none = Settings::new();
        let module = |target: &ModuleInSystem<'_>| {
            let varied = variations.iter().map(|one| {
                let other = otherwise(target, &none, one.choice, &one.setting)?;
                Some(other.map_err(|error| error.to_string()))
            });
            let module = VariedModule {
                plain: target.connect(&none).ok()?,
                varied: varied.collect(),
            };
            Some((target.name.clone(), module))
        };
        Self {
            modules: targets.iter().filter_map(module).collect(),
            variations,
        }
    }

    /// What is to be run for the bands of values.
    pub(super) fn experiments(&self, values: &[&Value]) -> Vec<Experiment> {
        let mut experiments = Vec::new();
        for value in values.iter().filter(|value| has_band(value)) {
            for measure in value.measures() {
                for target in targets(measure) {
                    let varied = (0..self.variations.len()).map(Some);
                    let all = std::iter::once(None).chain(varied);
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
        let targets: Vec<&str> = value.measures().flat_map(targets).collect();
        if targets.is_empty() || !has_band(value) {
            return None;
        }
        let on_part = |variation: Option<usize>| {
            value.computed(|measure| self.measure(measure, variation, runs))
        };
        let plain = on_part(None).ok()?;
        let end = || BandEnd {
            value: ours,
            choice: None,
        };
        let mut band = ReproducedBand {
            low: end(),
            high: end(),
            without: Vec::new(),
        };
        for (number, variation) in self.variations.iter().enumerate() {
            let varies = |name: &&str| self.modules.get(*name)?.varied[number].as_ref();
            if targets.iter().find_map(varies).is_none() {
                continue;
            }
            let BandVariation { choice, setting } = variation;
            let name = format!("{choice} = {setting}");
            let other = match on_part(Some(number)) {
                Ok(other) => ours + (other - plain),
                Err(why) => {
                    band.without.push(format!("{name}: {why}"));
                    continue;
                }
            };
            let end = || BandEnd {
                value: other,
                choice: Some(name.clone()),
            };
            if other < band.low.value {
                band.low = end();
            }
            if other > band.high.value {
                band.high = end();
            }
        }
        Some(band)
    }

    fn measure(
        &self,
        measure: &Measure,
        variation: Option<usize>,
        runs: &FinishedRuns<'_>,
    ) -> Result<f64, String> {
        let result = |target: &str| runs.result(&self.experiment(measure, target, variation)?);
        match (measure, &*targets(measure)) {
            (Measure::Row { row, .. }, [target]) => row.value(result(target)?, None),
            (Measure::Curves(asked), _) => {
                curves::measure(asked, result(&asked.target)?, result(&asked.against)?)
            }
            _ => Err("it is no measure of modules".to_owned()),
        }
    }

    /// What is run on a target for a measure, with a variation: on a part of the system.
    fn experiment(
        &self,
        measure: &Measure,
        target: &str,
        variation: Option<usize>,
    ) -> Result<Experiment, String> {
        let whole = measure.experiment().ok_or("nothing is run for it")?;
        let Workload::Dram(of) = &whole.workload else {
            return Err("it is no test of modules".to_owned());
        };
        let module = self.modules.get(target).ok_or("its target is unknown")?;
        let variation = match variation {
            Some(number) => module.like(number, of, tells_energy(measure))?,
            None => None,
        };
        let mut dram = DramWorkload {
            warm_up_ps: WARM_UP_PS,
            measure_ps: MEASURE_PS,
            ..of.clone()
        };
        let config = &module.plain.config;
        let (cores, channels) = (config.cores.cores, config.channels);
        let part = match [cores, channels].iter().all(|n| n.is_multiple_of(PART)) {
            true => PART,
            false => 1,
        };
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
        let mut set = |name: &str, value: String| dram.settings.insert(name.to_owned(), value);
        set("cores", cores.to_string());
        set("channels", (channels / part).to_string());
        if let Some(number) = variation {
            let BandVariation { choice, setting } = &self.variations[number];
            set(choice, setting.clone());
        }
        Ok(Experiment {
            targets: vec![target.to_owned()],
            workload: Workload::Dram(dram),
            ..whole.clone()
        })
    }
}

impl VariedModule {
    /// The first variation under which a test is the same as under a numbered one; none where that changes nothing.
    fn like(
        &self,
        number: usize,
        test: &DramWorkload,
        energy: bool,
    ) -> Result<Option<usize>, String> {
        let Some(varied) = &self.varied[number] else {
            return Ok(None);
        };
        let varied = varied.as_ref().map_err(Clone::clone)?;
        let mix = mix(&test.test);
        let relevant = varied.config.relevant_to(mix);
        let same = |other: &Connected| {
            other.config.relevant_to(mix) == relevant
                && (!energy || other.currents == varied.currents)
        };
        if same(&self.plain) {
            return Ok(None);
        }
        let mut earlier = self.varied[..number].iter();
        let like = earlier.position(|one| matches!(one, Some(Ok(other)) if same(other)));
        Ok(Some(like.unwrap_or(number)))
    }
}

/// The mix of a test that has a band: a bandwidth test of several has none.
fn mix(test: &DramTest) -> Mix {
    match test {
        DramTest::Bandwidth(bandwidth) => bandwidth.mixes.first().copied().unwrap_or(Mix::Reads),
        DramTest::Loaded(loaded) => loaded.mix,
        DramTest::Idle(_) | DramTest::Trace(_) => Mix::Reads,
    }
}

/// Whether a measure depends on the modules' currents.
fn tells_energy(measure: &Measure) -> bool {
    let Measure::Row { row, .. } = measure else {
        return false;
    };
    matches!(row.metric, Metric::PowerMean | Metric::EnergyPerByte)
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
