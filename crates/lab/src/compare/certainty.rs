//! Whether a verdict holds wherever the figures that it rests on lie in their ranges, and which figure decides.
//!
//! Every figure with a range is taken to its worse end where a candidate passes, and to its better end where it fails, all
//! at once: a verdict that stands then is certain, because more time, more current and fewer cycles never help. Otherwise
//! groups of figures are moved, and halved where a group turns the verdict. Of the figures that turn it alone, the one that
//! needs the smallest part of its range decides, and a bisection finds the value.
//!
//! What no range describes leaves a verdict open as well: a choice of the part's maker that no source states, such as what
//! the firmware of a card does; a figure that is unknown and counts for nothing; a run that is too short for a firmware's
//! own work. Such a verdict names what it depends on, and no value.

use wordline_catalog::ranges::{Influence, UncertainFigure, UnknownChoice};
use wordline_core::quantity::Quantity as _;
use wordline_core::results::{Certainty, DecidingFigure, Verdict};
use wordline_core::{Basis, CompareWorkload, Experiment, LifeBy, Timing};

use super::account::{Assessed, LeftOut};
use super::candidate::{Candidate, Trial, Unfit};
use super::judge::JudgedFigures;
use crate::control::Control;

/// Halvings of a range, on a logarithmic scale, in the search for the value that turns a verdict: a range of a factor of
/// ten ends in steps of 1 %.
const HALVINGS: u32 = 8;

/// The search ends where it knows the logarithm of the value as well as this.
const NARROW: f64 = 0.01;

/// The question whether a verdict holds.
pub(super) struct Doubt<'a> {
    pub(super) candidate: &'a Candidate<'a>,
    /// What it does as its sheets say; `None` where it could not be run.
    pub(super) assessed: Option<&'a Assessed>,
    pub(super) timing: Timing,
    pub(super) study: &'a CompareWorkload,
    pub(super) experiment: &'a Experiment,
    pub(super) control: &'a Control<'a>,
}

/// A figure and the factor that it lies away by.
type Change<'f> = (&'f UncertainFigure, f64);

impl Doubt<'_> {
    /// Adds to a verdict whether it holds, from the limits that the candidate fails.
    pub(super) fn settle(
        &self,
        verdict: &mut Verdict,
        failing: &[&'static str],
    ) -> Result<(), Unfit> {
        let celsius = self.study.work.celsius();
        let figures = self.figures(failing);
        let ends: Vec<Change<'_>> = figures
            .iter()
            .map(|figure| (figure, figure.end(verdict.pass, celsius)))
            .filter(|(_, factor)| *factor != 1.0)
            .collect();
        let choices = self.candidate.target.unknown_choices();
        if !verdict.pass && self.fails_at_best(&choices, &ends)? {
            return Ok(());
        }
        let rate = self.study.work.rate.si();
        let sustains = self
            .assessed
            .is_some_and(|assessed| assessed.figures.throughput >= rate);
        let then = if ends.is_empty() {
            Failures {
                limits: failing.to_vec(),
                sustains,
            }
        } else {
            let run = match verdict.pass {
                true => RunScope::Whole,
                false => self.scope(false, &ends, sustains),
            };
            self.failing(&ends, run)?
        };
        // The limit that decides: of a pass the one that it fails then, of a failure the one that it fails now.
        let limit = match (verdict.pass, then.limits.first()) {
            (true, limit) => limit.copied(),
            (false, None) => failing.first().copied(),
            (false, Some(_)) => None,
        };
        let Some(limit) = limit else {
            if verdict.pass {
                self.settle_pass(verdict, &choices);
            } else {
                self.settle_failure(verdict, failing, &choices);
            }
            return Ok(());
        };
        verdict.certainty = Certainty::Depends;
        let sustains = if verdict.pass {
            then.sustains
        } else {
            sustains
        };
        let (decides, flip, others) = self.deciding(verdict.pass, &ends, sustains)?;
        let name = |figure: &UncertainFigure| name(&figure.sheet, &figure.figure);
        verdict.deciding_figure = Some(name(decides));
        verdict.flips_at = Some(decides.value * flip);
        verdict.deciding = Some(DecidingFigure {
            kind: decides.kind.name.to_owned(),
            basis: decides.basis,
            sample: decides.sample.clone(),
            value: decides.value,
            low: decides.value * decides.low,
            high: decides.value * decides.high,
            unit: decides.unit.to_owned(),
            limit: limit.to_owned(),
            together_with: others.into_iter().map(|(other, _)| name(other)).collect(),
        });
        Ok(())
    }

    /// Adds to a pass that stands wherever the figures lie what leaves it open even so.
    fn settle_pass(&self, verdict: &mut Verdict, choices: &[UnknownChoice]) {
        let Some(assessed) = self.assessed else {
            return;
        };
        let (rate, limits) = (self.study.work.rate.si(), &self.study.limits);
        let figures = &assessed.figures;
        let room = |out: &LeftOut| Some(figures.left(out.limit, rate, limits)? / out.slope);
        let out = assessed.left_out.iter().map(|out| (out, room(out)));
        let out = out.filter_map(|(out, room)| Some((out, room?)));
        if let Some((out, room)) = out.min_by(|(_, one), (_, other)| one.total_cmp(other)) {
            verdict.certainty = Certainty::Depends;
            verdict.deciding_figure = Some(out.figure.clone());
            verdict.flips_at = Some(room);
            verdict.deciding = Some(DecidingFigure {
                kind: out.kind.to_owned(),
                basis: Basis::Assumed,
                sample: None,
                value: 0.0,
                low: 0.0,
                high: 0.0,
                unit: out.unit.to_owned(),
                limit: out.limit.to_owned(),
                together_with: Vec::new(),
            });
            return;
        }
        let proven = figures.proven_limits(rate, limits);
        let mut stated = stated(self.study);
        stated.retain(|limit| !proven.contains(limit));
        let open = choices
            .iter()
            .find(|open| stated.iter().any(|limit| self.changes(open, limit)));
        let telling = assessed.is_telling || stated.iter().all(|limit| !RUN.contains(limit));
        let name = match open {
            Some(open) => name(&open.sheet, open.choice.name),
            None if !telling => name(&self.candidate.target.part.header.id, "firmware period"),
            None => return,
        };
        verdict.certainty = Certainty::Depends;
        verdict.deciding_figure = Some(name);
    }

    /// Adds to a failure that stands wherever the figures lie what leaves it open even so.
    fn settle_failure(
        &self,
        verdict: &mut Verdict,
        failing: &[&'static str],
        choices: &[UnknownChoice],
    ) {
        let mut better = choices.iter().filter(|open| !open.choice.is_best);
        let open = better.find(|open| failing.iter().all(|limit| self.changes(open, limit)));
        let unknown = self.assessed.map_or_else(Vec::new, |assessed| {
            let (rate, limits) = (self.study.work.rate.si(), &self.study.limits);
            assessed.figures.unknown_limits(rate, limits)
        });
        let is_unknown = |limit: &&str| unknown.iter().any(|(of, _)| of == limit);
        let part = &self.candidate.target.part.header.id;
        verdict.deciding_figure = match (open, unknown.first()) {
            (Some(open), _) => Some(name(&open.sheet, open.choice.name)),
            (None, Some((_, metric))) if failing.iter().all(is_unknown) => {
                Some(name(part, metric.name()))
            }
            _ => return,
        };
        verdict.certainty = Certainty::Depends;
    }

    /// Whether a card of which no source says what its firmware does fails whatever that is, with figures at the better
    /// ends of their ranges.
    fn fails_at_best(&self, choices: &[UnknownChoice], ends: &[Change<'_>]) -> Result<bool, Unfit> {
        let mut choices = choices.iter();
        let (Some(assessed), true) = (
            self.assessed,
            choices.any(|open| open.choice.name == FIRMWARE),
        ) else {
            return Ok(false);
        };
        let varied = self.candidate.target.varied(ends.iter().copied());
        let candidate = Candidate {
            target: varied.target(),
            ..self.candidate.clone()
        };
        let (study, figures) = (self.study, &assessed.figures);
        let best: JudgedFigures =
            candidate.at_best(study, self.experiment, self.timing, figures)?;
        let rate = study.work.rate.si();
        // What is unknown fails whatever the firmware is, and is no certain failure.
        let unknown = best.unknown_limits(rate, &study.limits);
        let mut failing = best.failing(rate, &study.limits);
        failing.retain(|limit| unknown.iter().all(|(of, _)| of != limit));
        Ok(!failing.is_empty())
    }

    /// Whether an open choice changes the value that a limit is about.
    fn changes(&self, open: &UnknownChoice, limit: &str) -> bool {
        let influences = influences(limit, self.study);
        let mut changes = open.choice.changes.iter();
        changes.any(|change| influences.contains(change))
    }

    /// The figures that could turn the verdict: those that change what the study limits. A candidate that sustains the
    /// rate with better figures is held against more limits, so that those which it fails now are not enough.
    fn figures(&self, failing: &[&'static str]) -> Vec<UncertainFigure> {
        // What no figure with a range changes stays as it is.
        let stays = |limit: &&str| influences(limit, self.study).is_empty();
        if failing.iter().any(stays) {
            return Vec::new();
        }
        let limits = stated(self.study);
        let matters = |influence: &Influence| {
            limits
                .iter()
                .any(|limit| influences(limit, self.study).contains(influence))
        };
        let mut figures = self.candidate.target.uncertain_figures(self.timing);
        figures.retain(|figure| matters(&figure.kind.influence));
        figures
    }

    /// The limits that the candidate fails with figures that lie elsewhere: one of them, where a run ends early.
    fn failing(&self, changes: &[Change<'_>], run: RunScope) -> Result<Failures, Unfit> {
        let target = &self.candidate.target;
        let varied = target.varied(changes.iter().copied());
        let candidate = Candidate {
            target: varied.target(),
            ..self.candidate.clone()
        };
        let study = self.study;
        let known = self.assessed.filter(|_| run == RunScope::Paced);
        let same_runs = self.assessed.filter(|_| self.keeps_runs(changes));
        let trial = Trial {
            runs: same_runs.and_then(|all| all.runs.as_ref()),
            warm: self.assessed.and_then(|all| all.warm.as_ref()),
            ends_early: run != RunScope::Whole,
            paced_first: run == RunScope::PacedFirst,
            known: known.map(|all| &all.figures),
        };
        match candidate.assess(
            study,
            self.experiment,
            self.timing,
            Some(&trial),
            self.control,
        ) {
            Ok(assessed) => Ok(Failures {
                limits: assessed
                    .figures
                    .failing(study.work.rate.si(), &study.limits),
                sustains: assessed.figures.throughput >= study.work.rate.si(),
            }),
            Err(Unfit::Limit(limit, _)) => Ok(Failures {
                limits: vec![limit],
                // Where a run at the rate came first, it says nothing about one without pauses.
                sustains: run == RunScope::FastFirst && PACED.contains(&limit),
            }),
            Err(other) => Err(other),
        }
    }

    /// Whether the verdict is the other one with figures that lie elsewhere.
    fn turns(&self, pass: bool, changes: &[Change<'_>], sustains: bool) -> Result<Turn, Unfit> {
        if changes.is_empty() {
            return Ok(Turn {
                turned: false,
                sustains,
            });
        }
        let then = self.failing(changes, self.scope(pass, changes, sustains))?;
        Ok(Turn {
            turned: pass != then.limits.is_empty(),
            sustains: sustains || then.sustains,
        })
    }

    /// What has to be run to know whether a candidate fails: where the rate is known to be sustained and changes alter
    /// nothing that a run at that rate does not show, nothing else. Of a pass it is worth knowing whether it is.
    fn scope(&self, pass: bool, changes: &[Change<'_>], sustains: bool) -> RunScope {
        let shown = |limit: &&str| *limit == "rate" || PACED.contains(limit);
        let limits = stated(self.study);
        let mut others = limits.into_iter().filter(|limit| !shown(limit));
        let stays = |limit| {
            let influences = influences(limit, self.study);
            let mut figures = changes.iter().map(|(figure, _)| figure);
            figures.all(|figure| !influences.contains(&figure.kind.influence))
        };
        if sustains && self.assessed.is_some() && others.all(stays) {
            RunScope::Paced
        } else if pass && !sustains {
            RunScope::FastFirst
        } else {
            RunScope::PacedFirst
        }
    }

    /// Whether runs show the same with figures that lie elsewhere.
    fn keeps_runs(&self, changes: &[Change<'_>]) -> bool {
        let mut figures = changes.iter().map(|(figure, _)| figure);
        figures.all(|figure| match figure.kind.influence {
            // Of a memory that has aged, blocks have seen a share of these cycles, by which drawn times are keyed.
            Influence::Life => self.experiment.age == 0.0,
            Influence::Failures | Influence::Power | Influence::Price | Influence::Supply => true,
            Influence::Time | Influence::Capacity | Influence::Rules => false,
        })
    }

    /// The figure that decides, the factor at which the verdict turns, and the figures that must lie at their ends
    /// besides.
    fn deciding<'f>(
        &self,
        pass: bool,
        ends: &[Change<'f>],
        sustains: bool,
    ) -> Result<(&'f UncertainFigure, f64, Vec<Change<'f>>), Unfit> {
        // What needs no run is looked at first, and by itself.
        let mut ordered = ends.to_vec();
        ordered.sort_by_key(|end| self.keeps_runs(&[*end]));
        let mut alone = None;
        self.alone(pass, &ordered, sustains, &mut alone)?;
        if let Some(TurningPoint { change, turned, .. }) = alone {
            return Ok((change.0, libm::pow(change.1, turned), Vec::new()));
        }
        // Only several together: leave out what is not needed, what comes last in the sheets first.
        let mut sustains = sustains;
        let mut needed = ends.to_vec();
        for index in (0..ends.len()).rev() {
            let mut fewer = needed.clone();
            fewer.remove(index);
            let turn = self.turns(pass, &fewer, sustains)?;
            if turn.turned {
                needed = fewer;
                sustains = turn.within(pass, sustains);
            }
        }
        let widest = |one: &Change<'_>, other: &Change<'_>| {
            libm::log(one.1).abs().total_cmp(&libm::log(other.1).abs())
        };
        let most = (0..needed.len()).max_by(|one, other| widest(&needed[*one], &needed[*other]));
        let widest = needed.remove(most.unwrap_or(0));
        let found = self.narrow(pass, widest, &needed, 1.0, sustains)?;
        Ok((widest.0, libm::pow(widest.1, found.turned), needed))
    }

    /// Of figures that turn the verdict together, the one that turns it alone with the smallest part of its range, which is
    /// smaller than that of what was found before. What a figure does alone it does in company: a part of the figures that
    /// does not turn the verdict together, each moved as far as it would have to be, is left out.
    fn alone<'f>(
        &self,
        pass: bool,
        figures: &[Change<'f>],
        sustains: bool,
        found: &mut Option<TurningPoint<'f>>,
    ) -> Result<(), Unfit> {
        let less_than =
            |found: &Option<TurningPoint<'_>>| found.as_ref().map_or(1.0, |found| found.stands);
        if let [only] = figures {
            *found = Some(self.narrow(pass, *only, &[], less_than(found), sustains)?);
            return Ok(());
        }
        let middle = match figures.partition_point(|figure| !self.keeps_runs(&[*figure])) {
            mixed if mixed > 0 && mixed < figures.len() => mixed,
            _ => figures.len() / 2,
        };
        let (one, other) = figures.split_at(middle);
        for part in [other, one] {
            let share = less_than(found);
            if share == 0.0 {
                break;
            }
            let moved = part
                .iter()
                .map(|(figure, end)| (*figure, libm::pow(*end, share)));
            let turn = self.turns(pass, &moved.collect::<Vec<_>>(), sustains)?;
            if turn.turned {
                self.alone(pass, part, turn.within(pass, sustains), found)?;
            }
        }
        Ok(())
    }

    /// Where a figure turns the verdict that does so at a part of its range, `known`, while others lie at their ends.
    fn narrow<'f>(
        &self,
        pass: bool,
        change: Change<'f>,
        others: &[Change<'_>],
        known: f64,
        mut sustains: bool,
    ) -> Result<TurningPoint<'f>, Unfit> {
        let (figure, end) = change;
        let (mut stands, mut turned) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            if (turned - stands) * libm::log(end).abs() < NARROW {
                break;
            }
            let middle = f64::midpoint(stands, turned);
            // More of a range that turns it does so as well.
            let mut turns = middle >= known;
            if !turns {
                let mut changes = others.to_vec();
                changes.push((figure, libm::pow(end, middle)));
                let turn = self.turns(pass, &changes, sustains)?;
                turns = turn.turned;
                // A pass gets worse towards the end of a range, and a failure better.
                if turns == pass {
                    sustains = turn.sustains;
                }
            }
            *(if turns { &mut turned } else { &mut stands }) = middle;
        }
        Ok(TurningPoint {
            change,
            stands,
            turned,
        })
    }
}

/// A figure that turns the verdict, and the parts of its range, on a logarithmic scale, at which the verdict stands and is
/// the other one.
struct TurningPoint<'f> {
    change: Change<'f>,
    stands: f64,
    turned: f64,
}

/// How much of the runs of a candidate with other figures is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunScope {
    /// All of it: every limit that it fails is wanted.
    Whole,
    /// Up to the first limit that it fails, as fast as it can and then at the asked rate.
    FastFirst,
    /// The same in the other order.
    PacedFirst,
    /// At the asked rate alone, which it is known to sustain.
    Paced,
}

/// What a candidate with other figures fails.
struct Failures {
    limits: Vec<&'static str>,
    /// Whether it is known to sustain the rate.
    sustains: bool,
}

/// What figures that lie elsewhere do.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Whether the verdict is the other one.
    turned: bool,
    /// Whether the rate is sustained there, as far as is known.
    sustains: bool,
}

impl Turn {
    /// Whether the rate is sustained with fewer figures away from where they stand: of a pass they are worse there, so that
    /// it is; of a failure they are better, so that nothing more is known than before.
    const fn within(self, pass: bool, before: bool) -> bool {
        if pass { self.sustains } else { before }
    }
}

/// The limits that a run at the asked rate alone shows.
const PACED: [&str; 3] = ["ram", "latency", "risk"];

/// The open choice of cards that has a best case.
const FIRMWARE: &str = "firmware";

/// The limits that a longer run may fail.
const RUN: [&str; 5] = ["rate", "ram", "latency", "risk", "holdup"];

/// As verdicts name a figure.
fn name(sheet: &str, figure: &str) -> String {
    format!("{sheet}: {figure}")
}

/// The limits that a study states, and those that hold by default.
fn stated(study: &CompareWorkload) -> Vec<&'static str> {
    let limits = &study.limits;
    let named = [
        ("ram", limits.ram.is_some()),
        ("latency", limits.latency.is_some()),
        ("lifetime", limits.life.is_some()),
        ("energy", limits.energy_per_day.is_some()),
        ("risk", limits.bytes_at_risk.is_some()),
        ("holdup", limits.holdup.is_some()),
        ("cost", limits.cost.is_some()),
    ];
    let named = named.iter().filter(|(_, stated)| *stated);
    ["rate", "capacity", "translation"]
        .into_iter()
        .chain(named.map(|(limit, _)| *limit))
        .collect()
}

/// What changes the value that a limit is about. Chips that do not fit their board stay so.
pub(super) fn influences(limit: &str, study: &CompareWorkload) -> Vec<Influence> {
    use Influence::{Capacity, Failures, Life, Power, Price, Rules, Supply, Time};
    let mut all = match limit {
        "rate" | "ram" | "latency" | "risk" => vec![Time],
        "holdup" => vec![Time, Power, Supply],
        "energy" => vec![Time, Power, Capacity],
        "lifetime" => vec![Life, Capacity],
        "cost" => vec![Price, Capacity],
        "capacity" => vec![Capacity],
        "translation" => vec![Rules],
        _ => Vec::new(),
    };
    match limit {
        "lifetime" if study.limits.life_by() == LifeBy::StatusFail => all.push(Failures),
        // RAM costs where it has a price.
        "cost" if study.prices.ram_per_kib.is_some() => all.push(Time),
        _ => {}
    }
    all
}

#[cfg(test)]
#[path = "certainty_tests.rs"]
mod tests;
