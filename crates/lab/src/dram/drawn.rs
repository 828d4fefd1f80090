//! The runs of a bandwidth test: each target as chosen, and with all undisclosed choices drawn at once.
//!
//! Draws run on a part of the system. What that changes is measured by the targets as chosen, which run on the part and on
//! the whole with several seeds; values of draws are corrected by it. The seeds also say what chance does.
//!
//! Where a machine of the system was measured, draws run first with the module that it had. Only those that give what was
//! measured are run with the others.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use wordline_catalog::ModuleInSystem;
use wordline_core::quantity::{DataRate, Quantity, Time};
use wordline_core::{BandwidthTest, Mix, Pattern, ResultSet};
use wordline_dram::sheet::{Connected, Settings};
use wordline_dram::system::SystemRun;
use wordline_dram::{SystemConfig, energy};

use super::anchors::{self, Anchor, KeptDraws};
use super::draws::JointDraws;
use super::points::{self, DramPoint, PointWatch};
use super::reduced::{self, PART, SEEDS};
use super::spread::{self, DrawnSpread};
use super::{ModuleMemory, Test};
use crate::control::Control;
use crate::error::LabError;
use crate::meter::Meter;
use crate::warning::LabWarning;

/// What a run is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RunKind {
    /// The result, on the whole system.
    Chosen,
    /// As chosen with a seed of a number, on the part.
    OnPart(usize),
    /// The same on the whole. The first seed is that of what is chosen, and runs only where nothing else is wanted of a
    /// target.
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

/// Runs, what is run, and how many times as much the whole system is.
type Planned = Vec<(RunKey, Connected, u32)>;

/// What runs count as in the progress.
fn weight(planned: &[(RunKey, Connected, u32)]) -> u64 {
    let channels = planned
        .iter()
        .map(|(_, connected, _)| connected.config.channels);
    points::weights(channels).sum()
}

/// What a band is about: a target, a mix and a pattern by number.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    /// Those that count.
    pub(super) kept: KeptDraws,
    /// What the systems of the targets were measured at.
    pub(super) anchors: Vec<Anchor<'r>>,
    /// What they were measured with, where that is no target: numbered behind the targets.
    others: Vec<ModuleMemory<'r>>,
    /// Mixes and patterns: those of the test, and behind them those that were measured.
    mixes: Vec<Mix>,
    patterns: Vec<Pattern>,
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
    ) -> Result<Self, LabError> {
        let covered = |mix: &Mix| bandwidth.band.covers(*mix);
        let banded = test.memories.len() > 1 && bandwidth.mixes.iter().any(covered);
        let mut runs = Self {
            test,
            bandwidth,
            draws: None,
            kept: KeptDraws::default(),
            anchors: Vec::new(),
            others: Vec::new(),
            mixes: bandwidth.mixes.clone(),
            patterns: bandwidth.patterns.clone(),
            parts: Vec::new(),
            chosen: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        if banded {
            runs.find_anchors(document)?;
            let (targets, settings) = (runs.targets(), &test.workload.settings);
            runs.draws = Some(JointDraws::new(
                &targets,
                settings,
                bandwidth.draws as usize,
                test.seed,
            ));
        }
        let parts = runs.memories();
        let parts = parts.map(|memory| reduced::parts(&memory.connected.config, PART));
        runs.parts = parts.collect();
        Ok(runs)
    }

    /// What draws are judged by.
    fn find_anchors(&mut self, document: &mut ResultSet) -> Result<(), LabError> {
        let test = self.test;
        let settings = &test.workload.settings;
        let targets: Vec<_> = test.memories.iter().map(|memory| &memory.target).collect();
        let (anchors, changed) = anchors::of(test.catalog, &targets, settings);
        if !changed.is_empty() {
            document.warn(LabWarning::BandOfAnother {
                names: &changed.join(", "),
            });
        }
        for anchor in &anchors {
            if self.memories().all(|one| one.name != anchor.target.name) {
                let memory = ModuleMemory::connected(anchor.target.clone(), settings)?;
                self.others.push(memory);
            }
            if !self.mixes.contains(&anchor.mix) {
                self.mixes.push(anchor.mix);
            }
            if !self.patterns.contains(&Pattern::Sequential) {
                self.patterns.push(Pattern::Sequential);
            }
        }
        self.anchors = anchors;
        Ok(())
    }

    /// All targets, and behind them what was measured beside them.
    fn memories(&self) -> impl Iterator<Item = &ModuleMemory<'r>> {
        self.test.memories.iter().chain(&self.others)
    }

    fn memory(&self, target: usize) -> &ModuleMemory<'r> {
        let others = target.checked_sub(self.test.memories.len());
        others.map_or_else(|| &self.test.memories[target], |other| &self.others[other])
    }

    fn targets(&self) -> Vec<&ModuleInSystem<'r>> {
        self.memories().map(|memory| &memory.target).collect()
    }

    /// Where an anchor stands. The catalogue of mixes, patterns and targets has it.
    fn place_of(&self, anchor: &Anchor<'_>) -> Option<BandPlace> {
        let target = self
            .memories()
            .position(|one| one.name == anchor.target.name)?;
        let mix = self.mixes.iter().position(|mix| *mix == anchor.mix)?;
        let mut patterns = self.patterns.iter();
        let pattern = patterns.position(|pattern| *pattern == Pattern::Sequential)?;
        Some(BandPlace {
            target,
            mix,
            pattern,
        })
    }

    fn anchor_places(&self) -> Vec<BandPlace> {
        let places = self.anchors.iter();
        places.filter_map(|anchor| self.place_of(anchor)).collect()
    }

    /// Everything that is asked for; or what of it has a band.
    fn places(&self, banded: bool) -> Vec<BandPlace> {
        let mut places = Vec::new();
        for pattern in 0..self.bandwidth.patterns.len() {
            for (mix, of_mix) in self.bandwidth.mixes.iter().enumerate() {
                if banded && !self.bandwidth.band.covers(*of_mix) {
                    continue;
                }
                let targets = 0..self.test.memories.len();
                places.extend(targets.map(|target| BandPlace {
                    target,
                    mix,
                    pattern,
                }));
            }
        }
        places
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
        let Some(met) = self.kept.met else {
            return;
        };
        let first = self.bandwidth.draws as usize;
        if self.kept.drawn > first {
            document.warn(LabWarning::BandDrawnOn {
                first: &first,
                enough: &anchors::KEPT_ENOUGH,
            });
        }
        for anchor in &self.anchors {
            let (rate, percent) = (DataRate::from_si(anchor.bytes_per_s), 100.0 * anchor.within);
            let (draws, module) = (self.kept.drawn, &anchor.target.module.header.id);
            document.warn(match self.kept.are_measured() {
                true => LabWarning::BandMeasured {
                    draws: &draws,
                    kept: &met,
                    rate: &rate,
                    module,
                    percent: &percent,
                    mix: &anchor.mix,
                },
                false => LabWarning::BandUnmeasured {
                    draws: &draws,
                    kept: &met,
                    rate: &rate,
                    module,
                    percent: &percent,
                    first: &first,
                    least: &spread::DRAWS_MIN,
                },
            });
        }
    }

    /// Runs everything in an order in which a run that is cut short says most: what is chosen, what the part is worth, and
    /// then draw after draw; where draws are judged, first with what was measured.
    pub(super) fn all(
        &mut self,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let meter = Meter::new(control);
        let mut planned = Planned::new();
        self.plan(&[RunKind::Chosen], &self.places(false), None, &mut planned);
        let Some(mut draws) = self.draws.take() else {
            meter.expect(weight(&planned));
            return self.run(planned, false, &meter, document);
        };
        let [on_part, on_whole] = SEEDS;
        let mut kinds: Vec<RunKind> = (0..on_part).map(RunKind::OnPart).collect();
        // The first seed is that of what is chosen.
        kinds.extend((1..on_whole).map(RunKind::OnWhole));
        let (banded, judged) = (self.places(true), self.anchor_places());
        let mut both = banded.clone();
        both.extend(judged.iter().filter(|place| !banded.contains(place)));
        self.plan(&kinds, &both, None, &mut planned);
        if judged.is_empty() {
            self.kept = KeptDraws::all(&draws);
            self.announce(&draws, document);
            self.plan(&self.drawn_kinds(), &banded, Some(&draws), &mut planned);
            meter.expect(weight(&planned));
            self.draws = Some(draws);
            return self.run(planned, true, &meter, document);
        }
        let unasked = judged
            .iter()
            .filter(|place| !self.places(false).contains(place));
        let unasked: Vec<_> = unasked.copied().collect();
        self.plan(&[RunKind::OnWhole(0)], &unasked, None, &mut planned);
        let others = banded.iter().filter(|place| !judged.contains(place));
        let others: Vec<_> = others.copied().collect();
        let rest = (draws.draws.len() * others.len()) as u64;
        meter.expect(weight(&planned) + rest);
        self.run(planned, true, &meter, document)?;
        let test = self.test;
        let targets: Vec<_> = self.targets().into_iter().cloned().collect();
        let targets: Vec<_> = targets.iter().collect();
        let (settings, count) = (&test.workload.settings, self.bandwidth.draws as usize);
        let extend = |draws: &mut JointDraws| draws.extend(&targets, settings, count, test.seed);
        let anchors = self.anchors.clone();
        let kept = KeptDraws::measured(&anchors, &mut draws, &extend, &mut |draws, first| {
            let numbers = first..draws.draws.len();
            let kinds: Vec<_> = numbers.clone().map(RunKind::Drawn).collect();
            let mut planned = Planned::new();
            self.plan(&kinds, &judged, Some(draws), &mut planned);
            meter.expect(weight(&planned));
            self.run(planned, true, &meter, document)?;
            let carried = numbers.filter_map(|number| Some((number, self.carried(number)?)));
            Ok::<_, LabError>(carried.collect())
        })?;
        self.kept = kept;
        // What was stopped says nothing of how many there are.
        if document.complete {
            self.announce(&draws, document);
        }
        let mut planned = Planned::new();
        self.plan(&self.drawn_kinds(), &others, Some(&draws), &mut planned);
        // What is set aside is done.
        meter.expect(weight(&planned).saturating_sub(rest));
        let aside = rest.saturating_sub(weight(&planned));
        meter.run(aside, 1, |_| ());
        self.draws = Some(draws);
        self.run(planned, true, &meter, document)
    }

    /// What the whole systems that were measured carry in a draw, by anchor; none where runs of it did not end.
    fn carried(&self, number: usize) -> Option<Vec<f64>> {
        let places = self.anchor_places().into_iter();
        let carried = places.map(|place| {
            let value = |kind| Some(self.values.get(&place.key(kind))?.bytes_per_s);
            let on_part = value(RunKind::Drawn(number))?;
            Some(on_part * self.reduced(&value).reduction.factor)
        });
        carried.collect()
    }

    fn drawn_kinds(&self) -> Vec<RunKind> {
        let numbers = self.kept.numbers.iter();
        numbers.map(|number| RunKind::Drawn(*number)).collect()
    }

    fn run(
        &mut self,
        planned: Planned,
        watched: bool,
        meter: &Meter<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let points: Vec<DramPoint> = planned
            .iter()
            .map(|(key, connected, _)| self.point(*key, connected))
            .collect();
        let values = self.values.iter();
        let values = values.map(|(key, value)| (*key, value.bytes_per_s));
        let seen = SeenRuns {
            runs: self,
            keys: planned.iter().map(|(key, _, part)| (*key, *part)).collect(),
            values: Mutex::new(values.collect()),
        };
        let watch = |point: usize, run: &SystemRun| seen.see(point, run);
        let watch: Option<&PointWatch<'_>> = watched.then_some(&watch);
        let ended = meter.run(weight(&planned), 1, |control| {
            points::run_in_order(&points, watch, control)
        })?;
        for ((key, connected, part), ended) in planned.iter().zip(ended) {
            let memory = self.memory(key.target);
            let run = match key.kind {
                RunKind::Chosen => self.test.finished(memory, ended, document)?,
                // What is short about a draw is short about what is chosen.
                _ => self.test.ended(memory, ended, document)?,
            };
            let Some(run) = run else {
                continue;
            };
            if run.bytes_per_s() == 0.0 {
                return Err(LabError::NothingMoved {
                    target: memory.name.clone(),
                    mix: self.mixes[key.mix],
                    measured: Time::from_ps(self.test.workload.measure_ps),
                });
            }
            let value = value(*part, connected, &run);
            self.values.insert(*key, value);
            if key.kind == RunKind::Chosen {
                self.chosen.insert(*key, run);
            }
        }
        Ok(())
    }

    /// Adds runs of some kinds; those of a draw stand together, so that its ratios are known early.
    fn plan(
        &self,
        kinds: &[RunKind],
        places: &[BandPlace],
        draws: Option<&JointDraws>,
        planned: &mut Planned,
    ) {
        for kind in kinds {
            for place in places {
                // What does not connect on a part, though it does on the whole, has no band.
                if let Some((connected, part)) = self.connected(place.target, *kind, draws) {
                    planned.push((place.key(*kind), connected, part));
                }
            }
        }
    }

    /// What a run is of, and how many times as much the whole is. A draw may have other channels and cores than are chosen:
    /// they are reduced as well.
    fn connected(
        &self,
        target: usize,
        kind: RunKind,
        draws: Option<&JointDraws>,
    ) -> Option<(Connected, u32)> {
        let (memory, part) = (self.memory(target), self.parts[target]);
        let fixed = &self.test.workload.settings;
        let reduced = |settings: &Settings, whole: &SystemConfig, part: u32| {
            let cores = whole.cores.cores / part;
            let settings = reduced::settings(settings, whole, part, cores);
            Some((memory.target.connect(&settings).ok()?, part))
        };
        match kind {
            RunKind::Chosen | RunKind::OnWhole(_) => Some((memory.connected.clone(), 1)),
            RunKind::OnPart(_) => reduced(fixed, &memory.connected.config, part),
            RunKind::Drawn(number) => {
                let settings = draws?.settings(&memory.target, fixed, number);
                let whole = memory.target.connect(&settings).ok()?.config;
                reduced(&settings, &whole, reduced::parts(&whole, PART.min(part)))
            }
        }
    }

    fn point(&self, key: RunKey, connected: &Connected) -> DramPoint {
        let memory = self.memory(key.target);
        let mix = self.mixes[key.mix];
        let pattern = self.patterns[key.pattern];
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

    /// The run of a target as chosen, where it was finished.
    pub(super) fn as_chosen(&self, place: BandPlace) -> Option<&SystemRun> {
        self.chosen.get(&place.key(RunKind::Chosen))
    }

    /// Values over the draws that count, corrected by what the part is off, with their numbers; the values of seeds, and
    /// the reduction.
    fn drawn(&self, value: &dyn Fn(RunKind) -> Option<f64>) -> DrawnValues {
        let mut drawn = self.reduced(value);
        let factor = drawn.reduction.factor;
        let numbers = self.kept.numbers.iter().copied();
        drawn.values = numbers
            .filter_map(|number| Some((number, factor * value(RunKind::Drawn(number))?)))
            .collect();
        drawn
    }

    /// The same before any draw.
    fn reduced(&self, value: &dyn Fn(RunKind) -> Option<f64>) -> DrawnValues {
        let [on_part, on_whole] = SEEDS;
        let part = (0..on_part).map(RunKind::OnPart);
        let part: Vec<f64> = part.filter_map(value).collect();
        let whole = std::iter::once(RunKind::Chosen).chain((0..on_whole).map(RunKind::OnWhole));
        let whole: Vec<f64> = whole.filter_map(value).collect();
        let is_whole = self.parts.iter().all(|part| *part == 1);
        let reduction = if is_whole {
            Reduction::NONE
        } else {
            Reduction::of(&part, &whole)
        };
        DrawnValues {
            values: Vec::new(),
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

/// What a run of one part of so many says of the whole.
fn value(part: u32, connected: &Connected, run: &SystemRun) -> RunValue {
    let part = f64::from(part);
    let joules = connected.currents.first().map_or(0.0, |(_, currents)| {
        energy(&run.energy, currents, &connected.config.sub_channel).total()
    });
    RunValue {
        bytes_per_s: part * run.bytes_per_s(),
        power_w: part * joules / super::rows::seconds(run.duration_ps as f64),
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
    /// With how many times as much the whole is.
    keys: Vec<(RunKey, u32)>,
    values: Mutex<BTreeMap<RunKey, f64>>,
}

impl SeenRuns<'_, '_> {
    fn see(&self, point: usize, run: &SystemRun) -> Option<String> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let (key, part) = *self.keys.get(point)?;
        values.insert(key, f64::from(part) * run.bytes_per_s());
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
        let draws = self.runs.kept.numbers.len();
        let gains = self.runs.drawn_kinds().into_iter().filter_map(gain);
        let gains: Vec<f64> = gains.collect();
        Some(match DrawnSpread::of(&gains) {
            None => format!("{name} {chosen:+.1} %"),
            Some(DrawnSpread { low, median, high }) => format!(
                "{name} {chosen:+.1} % (5-95 %: {low:+.0} to {high:+.0} %, median {median:+.0} %, {} of {draws} draws)",
                gains.len()
            ),
        })
    }
}
