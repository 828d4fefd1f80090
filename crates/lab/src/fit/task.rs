//! One fit, from the accesses of a log to a sheet.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Quantity, human};
use wordline_core::{Experiment, FitWorkload, Pattern, ResultSet};

use super::aim::Aim;
use super::anatomy::Anatomy;
use super::bench::{FitBench, PIECE};
use super::certainty::Certain;
use super::sample::{HALF_MIN, Sample};
use super::sheet::{About, SheetChange};
use super::signature::{Distance, Signature};
use super::stages::Search;
use super::template::{Knob, Template, TemplateFields, TemplateKind};
use super::{explained, rows, written};
use crate::control::Control;
use crate::error::{BenchProblem, LabError, LogProblem, SettingProblem};
use crate::warning::LabWarning;

/// Mean distance of a part that is of another kind than what wrote the log: a factor of two.
const HOPELESS: f64 = std::f64::consts::LN_2;

/// Share of what bus and driver take at least that a log's ordinary access must take.
const FLOOR: f64 = 0.9;

/// How many times the base's capacity a warm-up may be.
const WARM_UP_MAX: u64 = 10;

/// How far a fit may miss what it was fitted to without a warning: 25 %, or twice what the halves differ by.
const GOOD: f64 = 0.223;

/// How far a fitted part lies from the log: see [`Signature`].
pub(super) struct FitAccuracy {
    /// From the half that was fitted.
    fitted: Distance,
    /// From the half that was held out.
    held: f64,
    /// How far the halves of the log lie from each other.
    halves: f64,
}

impl FitAccuracy {
    fn is_good(&self) -> bool {
        self.fitted.total() <= GOOD.max(2.0 * self.halves)
    }

    /// A distance as people read it.
    fn told(distance: f64) -> String {
        format!("{} %", human(100.0 * libm::expm1(distance), "1", 2))
    }
}

/// One fit.
pub(super) struct Task<'a> {
    pub(super) template: &'a Template,
    pub(super) target: &'a PartOnBoard<'a>,
    pub(super) workload: &'a FitWorkload,
    pub(super) experiment: &'a Experiment,
    pub(super) sample: &'a Sample,
    pub(super) control: &'a Control<'a>,
}

impl Task<'_> {
    /// The sheet; `None` when the caller wants to stop.
    pub(super) fn run(
        &self,
        knobs: &[(Knob, f64)],
        document: &mut ResultSet,
    ) -> Result<Option<String>, LabError> {
        let mut bench = self.bench(document)?;
        let half = self.sample.half();
        let log = Anatomy::of(self.sample, 0..half);
        explained::warn_of_log(&self.workload.source.file, &log, document);
        // What a host does without pauses shows nothing of idle work.
        let paced = !self.sample.starts.is_empty();
        let shows = |(knob, _): &&(Knob, f64)| paced || !self.template.idle.contains(&knob.path);
        let knobs: Vec<_> = knobs.iter().filter(shows).copied().collect();
        let knobs = &knobs[..];
        let (first, second) = self.sample.durations.split_at(half);
        let halves = [self.signature(first)?, self.signature(second)?];
        match self.check_floor(&bench, knobs, &log)? {
            Some(()) => {}
            None => return Ok(None),
        }
        let begin = match self.begin(&mut bench, knobs, &log, document) {
            Ok(begin) => begin,
            Err(BenchProblem::Stopped) => return Ok(None),
            Err(problem) => return Err(self.refuse(problem)),
        };
        let search = Search {
            aim: Aim {
                bench: &bench,
                knobs,
                log: &halves[0],
                half,
            },
            quick: self.template.quick,
            seed: self.experiment.seed,
            simulations: self.workload.simulations,
            control: self.control,
            name: &self.workload.id,
        };
        let seen = TemplateFields {
            log: &log,
            base: Some(&begin),
            knobs,
            figures: &self.target.part.figures,
        };
        let starts = (self.template.starts)(&seen);
        let Some(certain) = search.run(starts).map_err(|problem| self.refuse(problem))? else {
            return Ok(None);
        };
        if !certain.settled {
            document.warn(LabWarning::SearchUnfinished {
                simulations: &self.workload.simulations,
            });
        }
        let durations = match bench.run(&certain.values(), self.sample.durations.len()) {
            Ok(durations) => durations,
            Err(BenchProblem::Stopped) => return Ok(None),
            Err(problem) => return Err(self.refuse(problem)),
        };
        let score = self.score(&halves, &durations)?;
        self.check_alike(&score)?;
        self.warn_of_score(&score, document);
        let simulated = self.shown(durations[..half].to_vec());
        explained::warn_of_fit(&self.workload.id, &log, &simulated, document);
        rows::add(self, &halves, &durations, document)?;
        let sheet = self.sheet(&certain, &score)?;
        written::add_sources(&sheet, self.target, document);
        Ok(Some(sheet))
    }

    fn score(&self, log: &[Signature; 2], durations: &[u64]) -> Result<FitAccuracy, LabError> {
        let (first, second) = durations.split_at(self.sample.half());
        let part = [self.signature(first)?, self.signature(second)?];
        let apart = |one: &Signature, other: &Signature| {
            let apart = one.distance(other);
            apart.map_err(|error| self.log_error(LogProblem::Uncountable(error)))
        };
        Ok(FitAccuracy {
            fitted: apart(&log[0], &part[0])?,
            held: apart(&log[1], &part[1])?.total(),
            halves: apart(&log[0], &log[1])?.total(),
        })
    }

    /// Refuses a part that is of another kind than what wrote the log.
    fn check_alike(&self, score: &FitAccuracy) -> Result<(), LabError> {
        let body = score.fitted.body;
        if body > HOPELESS {
            let target = self.target.name.clone();
            let factor = libm::exp(body);
            return Err(self.log_error(LogProblem::OtherCard { target, factor }));
        }
        Ok(())
    }

    /// Says so where the part misses even what it was fitted to.
    fn warn_of_score(&self, score: &FitAccuracy, document: &mut ResultSet) {
        if score.is_good() {
            return;
        }
        document.warn(LabWarning::CardMisfit {
            id: &self.workload.id,
            fitted: &FitAccuracy::told(score.fitted.total()),
            halves: &FitAccuracy::told(score.halves),
        });
    }

    fn signature(&self, durations: &[u64]) -> Result<Signature, LabError> {
        let signature = Signature::of(durations, self.sample.bytes);
        signature.map_err(|error| self.log_error(LogProblem::Uncountable(error)))
    }

    fn log_error(&self, problem: LogProblem) -> LabError {
        problem.of(&self.workload.source.file)
    }

    /// Refuses a log that is faster than this board lets any part be: it shows a host's cache. `None` when the caller
    /// wants to stop.
    fn check_floor(
        &self,
        bench: &FitBench<'_>,
        knobs: &[(Knob, f64)],
        log: &Anatomy,
    ) -> Result<Option<()>, LabError> {
        let fastest = |(knob, value): &(Knob, f64)| match knob.kind {
            TemplateKind::Time => (*knob, knob.least),
            TemplateKind::Count => (*knob, *value),
        };
        let fastest: Vec<_> = knobs.iter().map(fastest).collect();
        let fresh = FitBench {
            filled: 0,
            warm_up: 0,
            ..*bench
        };
        let floor = match fresh.run(&fastest, HALF_MIN) {
            Ok(durations) => self.shown(durations).ordinary,
            Err(BenchProblem::Stopped) => return Ok(None),
            Err(problem) => return Err(self.refuse(problem)),
        };
        if log.ordinary >= FLOOR * floor {
            return Ok(Some(()));
        }
        Err(self.log_error(LogProblem::HostCache {
            found: human(log.ordinary, "s", 3),
            target: self.target.name.clone(),
            floor: human(floor, "s", 3),
        }))
    }

    /// What the base does. Where nothing is said of what it held before, it is full if that brings what comes on top of
    /// its ordinary accesses nearer to the log: a share, so that other figures hardly matter.
    fn begin(
        &self,
        bench: &mut FitBench<'_>,
        knobs: &[(Knob, f64)],
        log: &Anatomy,
        document: &mut ResultSet,
    ) -> Result<Anatomy, BenchProblem> {
        let half = self.sample.half();
        let laid_out = self.shown(bench.run(knobs, half)?);
        let all = self.target.part.model.usable_bytes();
        let told = self.workload.fill.is_some() || self.workload.warm_up_bytes > 0;
        if told || log.stalls == 0 || bench.filled >= all {
            return Ok(laid_out);
        }
        let before = std::mem::replace(&mut bench.filled, all);
        let full = self.shown(bench.run(knobs, half)?);
        let apart = |one: &Anatomy| libm::log(one.excess() / log.excess()).abs();
        if apart(&laid_out) <= apart(&full) {
            bench.filled = before;
            return Ok(laid_out);
        }
        document.warn(LabWarning::TakenAsFull {
            file: &self.workload.source.file,
            target: &self.target.name,
        });
        Ok(full)
    }

    /// What simulated durations show.
    fn shown(&self, durations: Vec<u64>) -> Anatomy {
        let all = 0..durations.len();
        let simulated = Sample {
            bytes: self.sample.bytes,
            durations,
            ..Sample::default()
        };
        Anatomy::of(&simulated, all)
    }

    fn refuse(&self, problem: BenchProblem) -> LabError {
        self.log_error(LogProblem::BaseFails {
            target: self.target.name.clone(),
            why: problem,
        })
    }

    /// The work of the log on this base.
    fn bench(&self, document: &mut ResultSet) -> Result<FitBench<'_>, LabError> {
        let sample = self.sample;
        let file = &self.workload.source.file;
        let usable = self.target.part.model.usable_bytes();
        let larger_than = |found, most| SettingProblem::Outside {
            found: ByteCount::from_bytes(found),
            part: self.target.name.clone(),
            most: ByteCount::from_bytes(most),
        };
        if sample.bytes > usable {
            return Err(larger_than(sample.bytes, usable).of("record"));
        }
        let most = WARM_UP_MAX.saturating_mul(usable);
        if self.workload.warm_up_bytes > most {
            return Err(SettingProblem::LongWarmUp {
                found: ByteCount::from_bytes(self.workload.warm_up_bytes),
                times: WARM_UP_MAX,
                target: self.target.name.clone(),
                most: ByteCount::from_bytes(most),
            }
            .of("warm_up"));
        }
        let Some(pattern) = sample.pattern().or(self.workload.pattern) else {
            return Err(LogProblem::NoAddresses.of(file));
        };
        if let Some(range) = self.workload.range_bytes.filter(|range| *range > usable) {
            return Err(larger_than(range, usable).of("range"));
        }
        let asked = sample
            .range()
            .or(self.workload.range_bytes)
            .unwrap_or_else(|| {
                if pattern == Pattern::Random {
                    document.warn(LabWarning::NoAddresses {
                        file: &file,
                        target: &self.target.name,
                    });
                }
                usable
            });
        let range = asked.min(usable).max(sample.bytes);
        if range < asked && sample.range().is_some() {
            document.warn(LabWarning::AddressesFolded {
                file: &file,
                asked: &ByteCount::from_bytes(asked),
                target: &self.target.name,
            });
        }
        let filled = match self.workload.fill {
            Some(fill) => (usable as f64 * fill.si()) as u64 / PIECE * PIECE,
            // A file is laid out before it is written at random.
            None if pattern == Pattern::Random => range,
            None => 0,
        };
        Ok(FitBench {
            base: self.target.part,
            board: self.target.board,
            sample,
            pattern,
            range,
            filled,
            warm_up: self.workload.warm_up_bytes / sample.bytes,
            seed: self.experiment.seed,
            age: self.experiment.age,
            stop: self.control.stop,
        })
    }

    fn sheet(&self, certain: &Certain, score: &FitAccuracy) -> Result<String, LabError> {
        let base = &self.target.part.header;
        let file = &self.workload.source.file;
        let accesses = self.sample.half();
        let size = ByteCount::from_bytes(self.sample.bytes);
        let fit = |text: String| {
            format!("fitted to the first {accesses} writes of {size} in {file}{text}")
        };
        let changes: Vec<(SheetChange, String)> = certain
            .figures
            .iter()
            .map(|figure| {
                let change = SheetChange {
                    path: figure.knob.path.to_owned(),
                    columns: figure.knob.columns(figure.value),
                };
                (change, fit(figure.told()))
            })
            .collect();
        let about = About {
            kind: "part",
            id: &self.workload.id,
            name: &format!("Fitted to {file}"),
            manufacturer: "unknown",
            revision: &format!("a fit of the template {} to {file}", self.template.name),
            description: &format!("what wrote {file}, as far as a fit can tell"),
            cautions: &[
                format!(
                    "{} fitted to a log of {accesses} writes of {size}; all others are those of {}, and assumed",
                    match changes.len() {
                        1 => "1 figure was".to_owned(),
                        more => format!("{more} figures were"),
                    },
                    base.id
                ),
                format!(
                    "it misses the half of the log that it was fitted to by {}, and the half that was held out by {}; the \
                     halves differ by {}",
                    FitAccuracy::told(score.fitted.total()),
                    FitAccuracy::told(score.held),
                    FitAccuracy::told(score.halves)
                ),
            ],
            base: &base.id,
        };
        written::sheet(self.target, &changes, &about)
    }
}
