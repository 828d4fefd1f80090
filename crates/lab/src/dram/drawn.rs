//! The runs of a bandwidth test: each target as chosen, and with all undisclosed choices drawn at once.
//!
//! Draws run on a part of the system. What that changes is measured by the targets as chosen, which run on the part and on
//! the whole with several seeds; values of draws are corrected by it. The seeds also say what chance does.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use wordline_core::{BandwidthTest, Mix, ResultSet};
use wordline_dram::energy;
use wordline_dram::sheet::Connected;
use wordline_dram::system::SystemRun;

use super::draws::JointDraws;
use super::points::{self, DramPoint, PointWatch};
use super::spread::{self, Spread};
use super::{ModuleMemory, Test, reduced};
use crate::control::Control;
use crate::error::LabError;
use crate::warning::LabWarning;

/// By how much systems are reduced at most. Half of one differs from the whole by less than chance does; a quarter is off
/// by about as much.
const PART: u32 = 2;

/// Seeds by which the part is compared with the whole: on the part, and on the whole.
const SEEDS: [usize; 2] = [8, 4];

/// What a run is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RunKind {
    /// The result, on the whole system.
    Chosen,
    /// As chosen with a seed of a number, on the part.
    OnPart(usize),
    /// The same on the whole.
    OnWhole(usize),
    /// With the choices of a draw, on the part.
    Drawn(usize),
}

/// What identifies a run; mixes and patterns by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RunKey {
    pattern: usize,
    mix: usize,
    kind: RunKind,
    target: usize,
}

/// What a band is about: a target, a mix and a pattern by number.
#[derive(Clone, Copy)]
pub(super) struct BandPlace {
    pub(super) target: usize,
    pub(super) mix: usize,
    pub(super) pattern: usize,
}

impl BandPlace {
    const fn key(self, kind: RunKind) -> RunKey {
        RunKey {
            pattern: self.pattern,
            mix: self.mix,
            kind,
            target: self.target,
        }
    }
}

/// What is left of a run.
struct RunValue {
    /// Of the whole system.
    bytes_per_s: f64,
    /// The same.
    power_w: f64,
}

/// What distinguishes the part from the whole.
pub(super) struct Reduction {
    /// What values of the part are multiplied by.
    pub(super) factor: f64,
    /// Relative difference of the part from the whole, and its standard error; none where the part is the whole, or where
    /// seeds were not run.
    pub(super) error: Option<(f64, f64)>,
}

/// What was run so far.
pub(super) struct DrawnRuns<'r> {
    test: &'r Test<'r>,
    bandwidth: &'r BandwidthTest,
    /// None where no band is asked for.
    pub(super) draws: Option<JointDraws>,
    /// By target.
    parts: Vec<u32>,
    chosen: BTreeMap<RunKey, SystemRun>,
    values: BTreeMap<RunKey, RunValue>,
}

impl<'r> DrawnRuns<'r> {
    pub(super) fn new(
        test: &'r Test<'r>,
        bandwidth: &'r BandwidthTest,
        document: &mut ResultSet,
    ) -> Self {
        let covered = |mix: &Mix| bandwidth.band.covers(*mix);
        let banded = test.memories.len() > 1 && bandwidth.mixes.iter().any(covered);
        let parts = test.memories.iter();
        let parts = parts.map(|memory| reduced::parts(&memory.connected.config, PART));
        let mut runs = Self {
            test,
            bandwidth,
            draws: None,
            parts: parts.collect(),
            chosen: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        if banded {
            let targets: Vec<_> = test.memories.iter().map(|memory| &memory.target).collect();
            let count = bandwidth.draws as usize;
            let draws = JointDraws::new(&targets, &test.workload.settings, count, test.seed);
            runs.announce(&draws, document);
            runs.draws = Some(draws);
        }
        runs
    }

    /// What the band rests on.
    fn announce(&self, draws: &JointDraws, document: &mut ResultSet) {
        for (target, choice, setting, error) in &draws.unfit {
            document.warn(LabWarning::SettingUnfit {
                target,
                choice,
                setting,
                error,
            });
        }
        let channels = self.test.memories[0].connected.config.channels;
        document.warn(LabWarning::BandDrawn {
            draws: &draws.draws.len(),
            choices: &draws.choices.len(),
            channels: &(channels / self.parts[0]),
            of: &channels,
            redrawn: &draws.redrawn,
        });
    }

    /// Runs everything in an order in which a run that is cut short says most: what is chosen, what the part is worth, and
    /// then draw after draw.
    pub(super) fn all(
        &mut self,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let mut planned: Vec<(RunKey, Connected)> = Vec::new();
        self.plan(&[RunKind::Chosen], &mut planned);
        if let Some(draws) = &self.draws {
            let [on_part, on_whole] = SEEDS;
            let mut kinds: Vec<RunKind> = (0..on_part).map(RunKind::OnPart).collect();
            // The first seed is that of what is chosen.
            kinds.extend((1..on_whole).map(RunKind::OnWhole));
            kinds.extend((0..draws.draws.len()).map(RunKind::Drawn));
            self.plan(&kinds, &mut planned);
        }
        let points: Vec<DramPoint> = planned
            .iter()
            .map(|(key, connected)| self.point(*key, connected))
            .collect();
        let seen = SeenRuns {
            runs: self,
            keys: planned.iter().map(|(key, _)| *key).collect(),
            values: Mutex::default(),
        };
        let watch = |point: usize, run: &SystemRun| seen.see(point, run);
        let watch: Option<&PointWatch<'_>> = self.draws.is_some().then_some(&watch);
        let ended = points::run_in_order(&points, watch, control)?;
        for ((key, connected), ended) in planned.iter().zip(ended) {
            let memory = &self.test.memories[key.target];
            let run = match key.kind {
                RunKind::Chosen => self.test.finished(memory, ended, document)?,
                // What is short about a draw is short about what is chosen.
                _ => self.test.ended(memory, ended, document)?,
            };
            let Some(run) = run else {
                continue;
            };
            let value = self.value(*key, connected, &run);
            self.values.insert(*key, value);
            if key.kind == RunKind::Chosen {
                self.chosen.insert(*key, run);
            }
        }
        Ok(())
    }

    /// Adds runs of some kinds; those of a draw stand together, so that its ratios are known early.
    fn plan(&self, kinds: &[RunKind], planned: &mut Vec<(RunKey, Connected)>) {
        for kind in kinds {
            for pattern in 0..self.bandwidth.patterns.len() {
                for (mix, of_mix) in self.bandwidth.mixes.iter().enumerate() {
                    if *kind != RunKind::Chosen && !self.bandwidth.band.covers(*of_mix) {
                        continue;
                    }
                    for (target, memory) in self.test.memories.iter().enumerate() {
                        let place = BandPlace {
                            target,
                            mix,
                            pattern,
                        };
                        // What does not connect on a part, though it does on the whole, has no band.
                        if let Some(connected) = self.connected(memory, self.parts[target], *kind) {
                            planned.push((place.key(*kind), connected));
                        }
                    }
                }
            }
        }
    }

    fn connected(&self, memory: &ModuleMemory<'_>, part: u32, kind: RunKind) -> Option<Connected> {
        let config = &memory.connected.config;
        let fixed = &self.test.workload.settings;
        let on_part = || reduced::settings(fixed, config, part, config.cores.cores / part);
        match kind {
            RunKind::Chosen | RunKind::OnWhole(_) => Some(memory.connected.clone()),
            RunKind::OnPart(_) => memory.target.connect(&on_part()).ok(),
            RunKind::Drawn(number) => {
                let draws = self.draws.as_ref()?;
                draws.connect(&memory.target, &on_part(), number).ok()
            }
        }
    }

    fn point(&self, key: RunKey, connected: &Connected) -> DramPoint {
        let memory = &self.test.memories[key.target];
        let mix = self.bandwidth.mixes[key.mix];
        let pattern = self.bandwidth.patterns[key.pattern];
        let (name, seed) = match key.kind {
            RunKind::Chosen => (format!("bandwidth, {mix}"), 0),
            RunKind::OnPart(seed) => (format!("{mix}, part of the system"), seed),
            RunKind::OnWhole(seed) => (format!("{mix}, whole system"), seed),
            RunKind::Drawn(number) => (format!("{mix}, draw {}", number + 1), number + 1),
        };
        let traffic = self.test.traffic(memory, mix, pattern, 0, None);
        let mut point = self.test.point(memory, &name, traffic, 0);
        point.traffic.load_cores = connected.config.cores.cores;
        point.traffic.seed = self.test.seed.wrapping_add(seed as u64);
        point.config = connected.config.clone();
        point
    }

    fn value(&self, key: RunKey, connected: &Connected, run: &SystemRun) -> RunValue {
        let part = match key.kind {
            RunKind::Chosen | RunKind::OnWhole(_) => 1.0,
            RunKind::OnPart(_) | RunKind::Drawn(_) => f64::from(self.parts[key.target]),
        };
        let joules = connected.currents.first().map_or(0.0, |(_, currents)| {
            energy(&run.energy, currents, &connected.config.sub_channel).total()
        });
        RunValue {
            bytes_per_s: part * run.bytes_per_s(),
            power_w: part * joules / super::rows::seconds(run.duration_ps as f64),
        }
    }

    /// The run of a target as chosen, where it was finished.
    pub(super) fn as_chosen(&self, place: BandPlace) -> Option<&SystemRun> {
        self.chosen.get(&place.key(RunKind::Chosen))
    }

    /// A value of every run of some kinds that ended, with the number of its kind.
    fn of_kinds(
        &self,
        kinds: impl Iterator<Item = RunKind>,
        value: &dyn Fn(RunKind) -> Option<f64>,
    ) -> Vec<(usize, f64)> {
        let kinds = kinds.enumerate();
        kinds
            .filter_map(|(number, kind)| Some((number, value(kind)?)))
            .collect()
    }

    /// Values over draws, corrected by what the part is off, with the numbers of their draws; the values of seeds, and the
    /// reduction.
    fn drawn(&self, value: &dyn Fn(RunKind) -> Option<f64>) -> DrawnValues {
        let [on_part, on_whole] = SEEDS;
        let of = |numbered: Vec<(usize, f64)>| numbered.into_iter().map(|(_, value)| value);
        let part: Vec<f64> = of(self.of_kinds((0..on_part).map(RunKind::OnPart), value)).collect();
        let whole = std::iter::once(RunKind::Chosen).chain((1..on_whole).map(RunKind::OnWhole));
        let whole: Vec<f64> = of(self.of_kinds(whole, value)).collect();
        let is_whole = self.parts.iter().all(|part| *part == 1);
        let reduction = if is_whole {
            Reduction::NONE
        } else {
            Reduction::of(&part, &whole)
        };
        let draws = self.draws.as_ref().map_or(0, |draws| draws.draws.len());
        let mut drawn = self.of_kinds((0..draws).map(RunKind::Drawn), value);
        for (_, value) in &mut drawn {
            *value *= reduction.factor;
        }
        DrawnValues {
            values: drawn,
            by_seed: part.iter().map(|value| value * reduction.factor).collect(),
            reduction,
        }
    }

    /// The throughputs of a target over draws.
    pub(super) fn throughputs(&self, place: BandPlace) -> DrawnValues {
        self.drawn(&|kind| Some(self.values.get(&place.key(kind))?.bytes_per_s))
    }

    /// What the modules of a target take over draws.
    pub(super) fn powers(&self, place: BandPlace) -> DrawnValues {
        self.drawn(&|kind| Some(self.values.get(&place.key(kind))?.power_w))
    }

    /// Its ratios to the first target.
    pub(super) fn ratios(&self, place: BandPlace) -> DrawnValues {
        let first = BandPlace { target: 0, ..place };
        self.drawn(&|kind| {
            let of = |place: BandPlace| Some(self.values.get(&place.key(kind))?.bytes_per_s);
            Some(of(place)? / of(first)?)
        })
    }
}

/// A value over all draws that ended.
pub(super) struct DrawnValues {
    /// With the number of the draw.
    pub(super) values: Vec<(usize, f64)>,
    /// As chosen with several seeds, on the part.
    pub(super) by_seed: Vec<f64>,
    pub(super) reduction: Reduction,
}

impl Reduction {
    const NONE: Self = Self {
        factor: 1.0,
        error: None,
    };

    /// From the values of seeds on the part and on the whole.
    fn of(part: &[f64], whole: &[f64]) -> Self {
        let (Some(on_part), Some(on_whole)) = (spread::mean(part), spread::mean(whole)) else {
            return Self::NONE;
        };
        let of_mean = |values: &[f64]| Some(spread::variance(values)? / values.len() as f64);
        let error = of_mean(part).zip(of_mean(whole)).map(|(a, b)| {
            let off = on_part / on_whole - 1.0;
            (off, (a + b).sqrt() / on_whole)
        });
        Self {
            factor: on_whole / on_part,
            error,
        }
    }
}

/// What a person who watches is shown: the gain as chosen, and its band over the draws that ended.
struct SeenRuns<'s, 'r> {
    runs: &'s DrawnRuns<'r>,
    keys: Vec<RunKey>,
    values: Mutex<BTreeMap<RunKey, f64>>,
}

impl SeenRuns<'_, '_> {
    fn see(&self, point: usize, run: &SystemRun) -> Option<String> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.insert(*self.keys.get(point)?, run.bytes_per_s());
        let bandwidth = self.runs.bandwidth;
        let mut mixes = bandwidth.mixes.iter();
        let mix = mixes.position(|mix| bandwidth.band.covers(*mix))?;
        let gain = |kind| {
            let of = |target| {
                let place = BandPlace {
                    target,
                    mix,
                    pattern: 0,
                };
                values.get(&place.key(kind))
            };
            Some(100.0 * (of(1)? / of(0)? - 1.0))
        };
        let chosen = gain(RunKind::Chosen)?;
        let name = match bandwidth.mixes[mix] {
            Mix::Reads => "reads".to_owned(),
            other => other.to_string(),
        };
        let draws = self.runs.draws.as_ref()?.draws.len();
        let gains = (0..draws).filter_map(|number| gain(RunKind::Drawn(number)));
        let gains: Vec<f64> = gains.collect();
        Some(match Spread::of(&gains) {
            None => format!("{name} {chosen:+.1} %"),
            Some(Spread { low, median, high }) => format!(
                "{name} {chosen:+.1} % (5-95 %: {low:+.0} to {high:+.0} %, median {median:+.0} %, {} of {draws} draws)",
                gains.len()
            ),
        })
    }
}
