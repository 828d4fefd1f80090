//! How far a value depends on what no maker discloses: every alternative of every labelled choice, one at a time, the
//! same for both modules.
//!
//! A value is compared with itself under each alternative on a quarter of the system: as many cores and as much
//! traffic a channel, simulated for a shorter time, on fewer loads. What an alternative changes there is added to the
//! value of the whole system. A band says nothing about chance, and decides no verdict. A value that could hardly miss
//! has none: however the choices are made, it tells nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use wordline_catalog::Catalog;
use wordline_core::{DramTest, Experiment, LoadedTest, Metric, Mix, Workload};
use wordline_dram::sheet::{Connected, Settings};
use wordline_dram::system::{Pattern, RunLength, SystemRun, Traffic};
use wordline_dram::{AddressField, EnergyCounts, SystemConfig, energy};

use super::curves::{self, Load};
use super::meter::{Meter, POINT};
use crate::dram::band::{alternatives, otherwise};
use crate::dram::points::{self, DramPoint};
use crate::dram::rows::share_within;
use crate::published::{Curves, Kind, Measure, Question, Value};

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

/// What a point counts as.
const COST: u64 = POINT / 16;

/// Where a value comes to lie when undisclosed choices are made otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
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

/// What runs on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scene {
    Idle,
    Bandwidth(Mix),
    /// With pauses of so many cycles.
    Loaded(u64),
}

/// A target with what runs on it.
type Cell = (String, Scene);

/// What a point gave.
#[derive(Clone, Debug)]
struct BandReading {
    bandwidth: f64,
    latency: f64,
    shares: Vec<(u64, f64)>,
    duration_ps: u64,
    bytes: u64,
    energy: EnergyCounts,
}

/// One choice made otherwise.
struct BandVariation {
    name: String,
    /// The targets that it changes; or why they cannot be so.
    targets: BTreeMap<String, Result<Connected, String>>,
    readings: BTreeMap<Cell, Result<BandReading, String>>,
}

/// Runs what bands need, when the first of them is asked for.
pub(super) struct Bands {
    cells: BTreeSet<Cell>,
    within_ps: Vec<u64>,
    /// Targets as their sheets choose.
    plain: BTreeMap<String, Connected>,
    readings: BTreeMap<Cell, Result<BandReading, String>>,
    variations: Vec<BandVariation>,
    ran: bool,
}

impl Bands {
    pub(super) fn new(catalog: &Catalog, values: &[&Value], meter: &Meter<'_>) -> Self {
        let (mut cells, mut within) = (BTreeSet::new(), BTreeSet::new());
        let banded = values.iter().filter(|value| has_band(value));
        for measure in banded.flat_map(|value| value.measures()) {
            for target in targets(measure) {
                let scenes = scenes(measure).into_iter();
                cells.extend(scenes.map(|scene| (target.to_owned(), scene)));
            }
            if let Measure::Curves(Curves {
                question: Question::Share { within_ps, .. },
                ..
            }) = measure
            {
                within.insert(*within_ps);
            }
        }
        let names: BTreeSet<&String> = cells.iter().map(|(target, _)| target).collect();
        let targets = names
            .into_iter()
            .filter_map(|name| catalog.module_in_system(name).ok());
        let targets: Vec<_> = targets.collect();
        let none = Settings::new();
        let plain = targets.iter().filter_map(|target| {
            let connected = target.connect(&none).ok()?;
            Some((target.name.clone(), connected))
        });
        let choices: Vec<_> = targets.iter().flat_map(|target| target.choices()).collect();
        let variations = alternatives(choices.iter())
            .into_iter()
            .map(|(choice, setting)| {
                let changed = targets.iter().filter_map(|target| {
                    let connected = otherwise(target, &none, choice, &setting)?;
                    let connected = connected.map_err(|error| error.to_string());
                    Some((target.name.clone(), connected))
                });
                BandVariation {
                    name: format!("{choice} = {setting}"),
                    targets: changed.collect(),
                    readings: BTreeMap::new(),
                }
            });
        let mut bands = Self {
            within_ps: within.into_iter().collect(),
            plain: plain.collect(),
            readings: BTreeMap::new(),
            variations: variations.collect(),
            ran: false,
            cells,
        };
        bands
            .variations
            .retain(|variation| !variation.targets.is_empty());
        let varied = bands
            .variations
            .iter()
            .map(|one| bands.changed(one).count());
        let count = bands.cells.len() + varied.sum::<usize>();
        meter.expect(COST * count as u64);
        bands
    }

    /// The band of a value that is `ours`; none where a value does not depend on modules alone.
    pub(super) fn band(&mut self, value: &Value, ours: f64, meter: &Meter<'_>) -> Option<Band> {
        let targets: Vec<&str> = value.measures().flat_map(targets).collect();
        if targets.is_empty() || !has_band(value) {
            return None;
        }
        self.run(meter)?;
        let plain = self.value(value, None).ok()?;
        let end = || BandEnd {
            value: ours,
            choice: None,
        };
        let mut band = Band {
            low: end(),
            high: end(),
            without: Vec::new(),
        };
        for variation in &self.variations {
            if !targets
                .iter()
                .any(|name| variation.targets.contains_key(*name))
            {
                continue;
            }
            let other = match self.value(value, Some(variation)) {
                Ok(other) => ours + (other - plain),
                Err(why) => {
                    band.without.push(format!("{}: {why}", variation.name));
                    continue;
                }
            };
            let name = || BandEnd {
                value: other,
                choice: Some(variation.name.clone()),
            };
            if other < band.low.value {
                band.low = name();
            }
            if other > band.high.value {
                band.high = name();
            }
        }
        Some(band)
    }

    /// The cells that a variation changes, with what they are connected to then.
    fn changed<'v>(
        &'v self,
        variation: &'v BandVariation,
    ) -> impl Iterator<Item = (&'v Cell, &'v Connected)> {
        self.cells.iter().filter_map(|cell| {
            let connected = variation.targets.get(&cell.0)?.as_ref().ok()?;
            // Other currents alone make no other traffic.
            let other = connected.config != self.plain.get(&cell.0)?.config;
            other.then_some((cell, connected))
        })
    }

    /// Runs everything, once; none when it was stopped.
    fn run(&mut self, meter: &Meter<'_>) -> Option<()> {
        if self.ran {
            return Some(());
        }
        let plain = self
            .cells
            .iter()
            .filter_map(|cell| Some((cell, self.plain.get(&cell.0)?)));
        let readings = self.read(plain, "", meter)?;
        self.readings = readings;
        for index in 0..self.variations.len() {
            let variation = &self.variations[index];
            let readings = self.read(self.changed(variation), &variation.name, meter)?;
            self.variations[index].readings = readings;
        }
        self.ran = true;
        Some(())
    }

    /// Runs cells side by side; none when it was stopped.
    fn read<'v>(
        &self,
        cells: impl Iterator<Item = (&'v Cell, &'v Connected)>,
        name: &str,
        meter: &Meter<'_>,
    ) -> Option<BTreeMap<Cell, Result<BandReading, String>>> {
        let (cells, points): (Vec<_>, Vec<_>) = cells
            .map(|(cell, connected)| (cell, point(cell, connected, name)))
            .unzip();
        let ended = meter.run(COST * points.len() as u64, COST, |control| {
            points::run(&points, control)
        });
        let mut readings = BTreeMap::new();
        for (cell, ended) in cells.into_iter().zip(ended.ok()?) {
            let reading = ended?.map(|run| self.reading(run));
            readings.insert(cell.clone(), reading.map_err(|error| error.to_string()));
        }
        Some(readings)
    }

    fn reading(&self, run: SystemRun) -> BandReading {
        let probe = run.probe.as_ref();
        let latency = probe.map_or(run.read_latency_mean_ps, |probe| probe.mean_ps);
        let shares = self.within_ps.iter().filter_map(|&within| {
            let share = share_within(probe?, within);
            Some((within, share))
        });
        BandReading {
            bandwidth: run.bytes_per_s(),
            latency: latency * 1e-12,
            shares: shares.collect(),
            duration_ps: run.duration_ps,
            bytes: run.bytes_read + run.bytes_written,
            energy: run.energy,
        }
    }

    /// A value as the sheets choose, or with a variation.
    fn value(&self, value: &Value, variation: Option<&BandVariation>) -> Result<f64, String> {
        let of = self.measure(&value.of, variation)?;
        match &value.over {
            None => Ok(of),
            Some(over) => Ok(of / self.measure(over, variation)?),
        }
    }

    fn measure(&self, measure: &Measure, variation: Option<&BandVariation>) -> Result<f64, String> {
        match measure {
            Measure::Row { row, experiment } => {
                let (target, scene) = cell(experiment).ok_or("it is no measure of modules")?;
                let (reading, connected) = self.cell(target, scene, variation)?;
                reading.of(row.metric, connected)
            }
            Measure::Curves(curves) => self.curves(curves, variation),
            Measure::Theory { .. } | Measure::Figure(_) => {
                Err("it is no measure of modules".to_owned())
            }
        }
    }

    fn curves(&self, asked: &Curves, variation: Option<&BandVariation>) -> Result<f64, String> {
        let idle = match asked.question {
            Question::Reduction { .. } => {
                self.cell(&asked.against, Scene::Idle, variation)?.0.latency
            }
            Question::Crossover {} | Question::Share { .. } => 0.0,
        };
        let target = self.curve(&asked.target, asked.question, variation)?;
        let against = self.curve(&asked.against, asked.question, variation)?;
        curves::answer(asked.question, &target, &against, idle)
    }

    fn curve(
        &self,
        target: &str,
        question: Question,
        variation: Option<&BandVariation>,
    ) -> Result<Vec<Load>, String> {
        let loads = DELAYS_CYCLES.into_iter().rev().map(|delay| {
            let (reading, _) = self.cell(target, Scene::Loaded(delay), variation)?;
            let share = match question {
                Question::Share { within_ps, .. } => reading.share(within_ps)?,
                Question::Crossover {} | Question::Reduction { .. } => 0.0,
            };
            Ok(Load {
                bandwidth: reading.bandwidth,
                latency: reading.latency,
                share,
            })
        });
        loads.collect()
    }

    /// What a target gave, and what it was connected to.
    fn cell<'b>(
        &'b self,
        target: &str,
        scene: Scene,
        variation: Option<&'b BandVariation>,
    ) -> Result<(&'b BandReading, &'b Connected), String> {
        let cell = (target.to_owned(), scene);
        let plain = self.plain.get(target).ok_or("its target is unknown")?;
        let varied = variation.and_then(|one| Some((one, one.targets.get(target)?)));
        let (readings, connected) = match varied {
            None => (&self.readings, plain),
            Some((_, Err(why))) => return Err(why.clone()),
            Some((_, Ok(other))) if other.config == plain.config => (&self.readings, other),
            Some((variation, Ok(other))) => (&variation.readings, other),
        };
        let reading = readings.get(&cell).ok_or("it was not run")?;
        Ok((reading.as_ref().map_err(Clone::clone)?, connected))
    }
}

impl BandReading {
    fn of(&self, metric: Metric, connected: &Connected) -> Result<f64, String> {
        let joules = || {
            let (_, currents) = connected.currents.first().ok_or("no currents are known")?;
            let sub_channel = &connected.config.sub_channel;
            Ok::<_, String>(energy(&self.energy, currents, sub_channel).total())
        };
        match metric {
            Metric::ThroughputMean => Ok(self.bandwidth),
            Metric::LatencyMean => Ok(self.latency),
            Metric::PowerMean => Ok(joules()? / (self.duration_ps as f64 * 1e-12)),
            Metric::EnergyPerByte => Ok(joules()? / self.bytes as f64),
            _ => Err(format!("bands know no {metric}")),
        }
    }

    fn share(&self, within_ps: u64) -> Result<f64, String> {
        let mut shares = self.shares.iter();
        let share = shares.find(|(within, _)| *within == within_ps);
        share
            .map(|(_, share)| *share)
            .ok_or_else(|| "no latencies are known".to_owned())
    }
}

/// Whether it matters to a value how undisclosed choices are made.
fn has_band(value: &Value) -> bool {
    value.kind() != Kind::Consistency
}

/// The one target of a test of modules, and what runs on it; none of a test with settings or with load.
fn cell(experiment: &Experiment) -> Option<(&str, Scene)> {
    let (Workload::Dram(dram), [target]) = (&experiment.workload, &*experiment.targets) else {
        return None;
    };
    let scene = match &dram.test {
        DramTest::Idle(_) => Scene::Idle,
        DramTest::Bandwidth(bandwidth) => match &*bandwidth.mixes {
            [mix] => Scene::Bandwidth(*mix),
            _ => return None,
        },
        DramTest::Loaded(_) | DramTest::Trace(_) => return None,
    };
    dram.settings.is_empty().then_some((target, scene))
}

/// What a measure asks of each of its targets.
fn scenes(measure: &Measure) -> Vec<Scene> {
    match measure {
        Measure::Curves(_) => [Scene::Idle]
            .into_iter()
            .chain(DELAYS_CYCLES.map(Scene::Loaded))
            .collect(),
        measure => {
            let cell = measure.experiment().and_then(cell);
            cell.map(|(_, scene)| scene).into_iter().collect()
        }
    }
}

/// The targets that a measure depends on; none where it is about no modules.
fn targets(measure: &Measure) -> Vec<&str> {
    match measure {
        Measure::Curves(curves) => vec![&curves.target, &curves.against],
        measure => {
            let cell = measure.experiment().and_then(cell);
            cell.map(|(target, _)| target).into_iter().collect()
        }
    }
}

/// The simulation of a cell, on a part of its system.
fn point((target, scene): &Cell, connected: &Connected, variation: &str) -> DramPoint {
    let cores = connected.config.cores.cores;
    let (config, part) = quartered(&connected.config);
    let (mix, delay_cycles, load_cores, probes) = match *scene {
        Scene::Idle => (Mix::Reads, 0, 0, 1),
        Scene::Bandwidth(mix) => (mix, 0, cores / part, 0),
        Scene::Loaded(delay) => {
            let load = cores.saturating_sub(LoadedTest::PROBES) / part;
            (Mix::Reads, delay, load, LoadedTest::PROBES)
        }
    };
    DramPoint {
        name: match variation {
            "" => format!("band of {target}"),
            name => format!("{target} with {name}"),
        },
        config,
        traffic: Traffic {
            mix,
            pattern: Pattern::Sequential,
            delay_cycles,
            load_cores,
            probes,
            seed: 0,
        },
        length: RunLength {
            warm_up_ps: WARM_UP_PS,
            measure_ps: MEASURE_PS,
            probe_samples: SAMPLES,
        },
    }
}

/// A part of a system with as many cores to a channel, and which part it is.
fn quartered(config: &SystemConfig) -> (SystemConfig, u32) {
    let mut config = config.clone();
    let mut digits = config.mapping.digits.iter_mut();
    let digit = digits.find(|digit| digit.field == AddressField::Channel);
    match digit {
        Some(digit)
            if [digit.radix, config.cores.cores]
                .iter()
                .all(|n| n.is_multiple_of(PART)) =>
        {
            digit.radix /= PART;
            config.channels /= PART;
            config.cores.cores /= PART;
            (config, PART)
        }
        _ => (config, 1),
    }
}
