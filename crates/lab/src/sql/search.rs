//! A search of settings on one file system: every combination of SQLite's, then each choice of the file system in turn,
//! and again from the best, until nothing gets faster.
//!
//! A point is run as `wordline sql bench` runs it, so that its figures can be had again. A run ends early once it takes
//! [`PATIENCE`] times as long as the best, and then its point is not chosen. Nothing but the experiment decides which
//! points are run.

use std::collections::BTreeMap;

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::Time;
use wordline_core::{EngineName, Experiment, ResultSet, SqlJournal, SqlWork, SqlWorkload, Timing};
use wordline_sqlite::ScriptStatement;

use super::case::{SqlCase, SqlSetup};
use super::rows::MeasuredDatabase;
use super::works::SqlWorkSteps;
use crate::control::Control;
use crate::error::LabError;
use crate::fs::calls::CallFailure;
use crate::fs::share_of_memory;
use crate::fs::system::{FileSystemCase, FileSystemChoices};

/// How many times the best's time a run may take.
const PATIENCE: u64 = 2;

/// The most rounds of a search.
const ROUNDS: usize = 4;

/// Share of the time that a choice of a file system has to save, so that it is worth naming, and a round, so that another
/// one follows.
const WORTH: f64 = 0.01;

/// The least mean in seconds that points are compared by: reads from RAM take no time of a memory.
const MEAN_MIN: f64 = 1e-12;

/// What a search is of.
pub(super) struct SearchTask<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    /// What holds logs and journals, where another memory does.
    pub(super) log: Option<FileSystemCase<'a>>,
    pub(super) timing: Timing,
    pub(super) workload: &'a SqlWorkload,
    pub(super) works: &'a [(SqlWork, u64)],
    pub(super) script: Option<&'a [ScriptStatement]>,
    pub(super) experiment: &'a Experiment,
}

/// SQLite in one setup on a file system in one setup, with its runs.
pub(super) struct TriedPoint<'a> {
    pub(super) system: FileSystemCase<'a>,
    pub(super) setup: SqlSetup,
    /// A run of each workload, or why there is none.
    pub(super) ran: Result<Vec<MeasuredDatabase>, CallFailure>,
    /// Whether all came to their end.
    pub(super) is_whole: bool,
    /// Whether the lists of the workload have it.
    pub(super) is_allowed: bool,
}

impl TriedPoint<'_> {
    /// Logarithms of the mean durations added up, so that each workload weighs the same.
    pub(super) fn cost(&self) -> f64 {
        let Ok(ran) = &self.ran else {
            return f64::INFINITY;
        };
        let works = ran.iter().flat_map(|ran| &ran.works);
        let mean = |seconds: Option<f64>| libm::log(seconds.unwrap_or(0.0).max(MEAN_MIN));
        works.map(|work| mean(work.tally.latency.mean_s())).sum()
    }

    /// It in words.
    pub(super) fn name(&self) -> String {
        match &self.system.varied {
            Some(choices) => format!("{}, {choices}", self.setup.name()),
            None => self.setup.name(),
        }
    }

    /// Whether a search may come to it.
    pub(super) const fn is_candidate(&self) -> bool {
        self.is_whole && self.is_allowed
    }

    /// How long each of its runs took.
    fn times(&self) -> Option<Vec<Time>> {
        let ran = self.ran.as_ref().ok().filter(|_| self.is_whole)?;
        let time = |ran: &MeasuredDatabase| {
            let works = ran.works.iter();
            works.fold(Time::ZERO, |sum, work| sum.plus(work.tally.busy))
        };
        Some(ran.iter().map(time).collect())
    }
}

impl<'a> SearchTask<'a> {
    /// The point that every search begins with: the defaults of SQLite and of the file system.
    fn defaults(&self) -> SqlSetup {
        let usual = SqlWorkload::default();
        SqlSetup {
            journal: SqlJournal::Delete,
            sync: usual.syncs[0],
            page_bytes: usual.page_bytes[0],
            told: self.workload.told.first().copied().unwrap_or(usual.told[0]),
            log: None,
        }
    }

    /// A file system with some choices. `None` where they suit neither it nor the memory.
    ///
    /// # Errors
    /// When what the user chose does not suit, or the part does not work on its board.
    fn system(
        &self,
        name: &EngineName,
        varied: &BTreeMap<String, String>,
        document: &mut ResultSet,
    ) -> Result<Option<FileSystemCase<'a>>, LabError> {
        let mut settings = BTreeMap::clone(&self.workload.settings);
        settings.extend(varied.clone());
        let asked_bytes = self.workload.capacity_bytes;
        let choices = FileSystemChoices {
            file_systems: &self.workload.file_systems,
            settings: &settings,
            asked_bytes,
            bytes: &|model| share_of_memory(model, asked_bytes, 0),
        };
        let system = FileSystemCase::new(
            self.target,
            name,
            self.timing,
            &choices,
            self.experiment,
            document,
        );
        if varied.is_empty() {
            return system.map(Some);
        }
        let spelt = varied.iter().map(|(name, value)| format!("{name}={value}"));
        let varied = Some(spelt.collect::<Vec<_>>().join(","));
        Ok(match system {
            Ok(system) => Some(system)
                .filter(|system| system.suits)
                .map(|system| FileSystemCase { varied, ..system }),
            Err(LabError::Unusable { .. }) => None,
            Err(error) => return Err(error),
        })
    }

    /// The points of a file system, in the order in which they were run. `tried` is called after each.
    ///
    /// # Errors
    /// As [`system`](Self::system).
    pub(super) fn points(
        &self,
        name: &EngineName,
        control: &Control<'_>,
        tried: &dyn Fn(),
        document: &mut ResultSet,
    ) -> Result<Vec<TriedPoint<'a>>, LabError> {
        let varied = BTreeMap::new();
        let Some(system) = self.system(name, &varied, document)? else {
            return Ok(Vec::new());
        };
        let mut allowed = SqlSetup::all(self.workload);
        let splits = self.log.is_some();
        allowed.retain(|setup| setup.unsuitable(system.engine.kind, splits).is_none());
        let mut search = PointSearch {
            task: self,
            name,
            control,
            tried,
            allowed,
            known: vec![(varied, Some(system))],
            points: Vec::new(),
            best: None,
        };
        search.run()?;
        Ok(search.points)
    }

    /// A workload of a point.
    pub(super) fn case<'c>(
        &self,
        number: usize,
        system: FileSystemCase<'a>,
        setup: SqlSetup,
        most: Option<Time>,
        control: &'c Control<'c>,
    ) -> SqlCase<'a, 'c>
    where
        'a: 'c,
    {
        let (work, rows) = self.works[number];
        SqlCase {
            system,
            log: self.log.as_ref().map(FileSystemCase::fork),
            setup,
            steps: SqlWorkSteps {
                work,
                rows,
                transactions: self.workload.transactions_of(rows),
                seed: self.experiment.seed,
                script: self.script,
            },
            workload: self.workload,
            most,
            control,
        }
    }
}

/// Choices of a file system beside those of the user, by `FS.NAME`.
type VariedChoices = BTreeMap<String, String>;

/// A search under way.
struct PointSearch<'s, 'a> {
    task: &'s SearchTask<'a>,
    name: &'s EngineName,
    control: &'s Control<'s>,
    tried: &'s dyn Fn(),
    /// The setups of SQLite that it may come to.
    allowed: Vec<SqlSetup>,
    /// The file system with each choice so far.
    known: Vec<(VariedChoices, Option<FileSystemCase<'a>>)>,
    points: Vec<TriedPoint<'a>>,
    /// The best so far: a place in `known`, and one in `points`.
    best: Option<(usize, usize)>,
}

impl PointSearch<'_, '_> {
    fn run(&mut self) -> Result<(), LabError> {
        self.point(0, self.task.defaults(), 0.0);
        let suits = self.known[0].1.as_ref().is_some_and(|system| system.suits);
        if !suits {
            return Ok(());
        }
        for _ in 0..ROUNDS {
            let before = self.best.map(|(_, point)| self.points[point].cost());
            let at = self.best.map_or(0, |(known, _)| known);
            for setup in self.allowed.clone() {
                self.point(at, setup, 0.0);
            }
            self.choices()?;
            let after = self.best.map(|(_, point)| self.points[point].cost());
            let (Some(after), false) = (after, self.control.stopped()) else {
                return Ok(());
            };
            if before.is_some_and(|before| before - after < WORTH) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tries the choices of the file system, one after the other, each from the best so far.
    fn choices(&mut self) -> Result<(), LabError> {
        let engine = match &self.known[0].1 {
            Some(system) => system.engine.kind,
            None => return Ok(()),
        };
        for (option, values) in engine.speed_options() {
            let option = format!("{}.{option}", engine.name());
            if self.task.workload.settings.contains_key(&option) {
                continue;
            }
            for value in values.iter().map(Some).chain([None]) {
                let Some((known, point)) = self.best else {
                    return Ok(());
                };
                let mut varied = self.known[known].0.clone();
                match value {
                    Some(value) => varied.insert(option.clone(), value.to_string()),
                    None => varied.remove(&option),
                };
                let setup = self.points[point].setup;
                let at = self.at(varied)?;
                self.point(at, setup, WORTH);
            }
        }
        Ok(())
    }

    /// The place of the file system with some choices.
    fn at(&mut self, varied: VariedChoices) -> Result<usize, LabError> {
        let known = self.known.iter().position(|(known, _)| *known == varied);
        if let Some(known) = known {
            return Ok(known);
        }
        // What the reader should know of the file system stands with its defaults.
        let mut unread = ResultSet::new(self.task.experiment.clone());
        let system = self.task.system(self.name, &varied, &mut unread)?;
        self.known.push((varied, system));
        Ok(self.known.len() - 1)
    }

    /// Runs a point, unless it was run before. It becomes the best where it saves more than a share of the time.
    fn point(&mut self, known: usize, setup: SqlSetup, worth: f64) {
        let Some(system) = &self.known[known].1 else {
            return;
        };
        let is_same =
            |point: &TriedPoint<'_>| point.setup == setup && point.system.varied == system.varied;
        if self.control.stopped() || self.points.iter().any(is_same) {
            return;
        }
        let limits = self.best.and_then(|(_, best)| self.points[best].times());
        let limit = |number: usize| {
            let time = limits.as_ref()?[number];
            Some(Time::from_ps(time.ps().saturating_mul(PATIENCE)))
        };
        // Its transactions are no steps of this run.
        let control = Control {
            progress: None,
            ..*self.control
        };
        let mut ran = Ok(Vec::new());
        let mut is_whole = true;
        for number in 0..self.task.works.len() {
            let case = self
                .task
                .case(number, system.fork(), setup, limit(number), &control);
            let measured = case.measure();
            let is_last = !measured.as_ref().is_ok_and(|measured| measured.is_whole);
            ran = match (ran, measured) {
                (Ok(mut all), Ok(measured)) => {
                    all.push(measured);
                    Ok(all)
                }
                (_, Err(failure)) => Err(failure),
                (failed, Ok(_)) => failed,
            };
            if is_last {
                is_whole = false;
                break;
            }
        }
        if matches!(ran, Err(CallFailure::Stopped)) {
            return;
        }
        let point = TriedPoint {
            system: system.fork(),
            setup,
            ran,
            is_whole,
            is_allowed: self.allowed.contains(&setup),
        };
        let best = self.best.map(|(_, best)| self.points[best].cost());
        let is_better = point.is_candidate() && best.is_none_or(|best| point.cost() < best - worth);
        self.points.push(point);
        if is_better {
            self.best = Some((known, self.points.len() - 1));
        }
        (self.tried)();
    }
}
