//! The score: predictions for virtual chips of families that the training has not seen, beside those that know cycles
//! alone.
//!
//! Blocks are looked at after the same shares of their own lives, which no predictor knows. The rivals know what no
//! latency knows: the median endurance of all blocks that they are scored on, or even that of the blocks of the same
//! part. Two go by the median of all, and predict that nothing is left beyond it; two by that of the others that outlive
//! the present cycles.

use wordline_catalog::{Catalog, PartOnBoard};
use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_core::quantity::{Quantity as _, Time};
use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, Experiment, Metric, ResultSet, RowOperation, Timing};
use wordline_nvm::NvmError;
use wordline_nvm::ageing::health::{
    Channel, Kin, LatencyHistory, OperationBaseline, Prediction, Trained, median, predict,
};
use wordline_trace::cycling::{BlockLife, CyclingPoint};

use super::family::{Family, FamilyKind, base};
use super::history::{history, operation};
use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::subject::{Axes, Subject};

/// Shares of life after which a block is looked at.
const SHARES: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

const CHIPS: u64 = 4;
const BLOCKS: usize = 5;

/// A rough log has a measurement whenever the cycles have grown by this.
const SPARSE: f64 = 1.05;

/// A rough clock polls whether the memory is ready so often.
const POLL: Time = Time::from_ps(20_000_000);

/// Share of measurements of a rough log that something else held up, and by how much at most.
const HELD_UP: f64 = 0.02;
const HELD_UP_MOST: f64 = 3.0;

/// Who predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Predictor {
    /// The median endurance of all blocks, less the cycles.
    CyclesOfFleet,
    /// The median endurance of the blocks of the same part, less the cycles.
    CyclesOfPart,
    /// The median endurance of those other blocks that outlive the present cycles, less the cycles.
    FleetSurvivors,
    /// The same of the blocks of the same part.
    PartSurvivors,
    /// Latency alone.
    Latency,
    /// Latency, and one block of the same part that was cycled until it failed.
    OneFailed,
    /// Latency as a rough log records it.
    RoughLatency,
    /// Program latency alone.
    Programs,
    /// As `OneFailed`, as rough logs record both blocks.
    RoughOneFailed,
}

impl Predictor {
    const ALL: [Self; 9] = [
        Self::CyclesOfFleet,
        Self::CyclesOfPart,
        Self::FleetSurvivors,
        Self::PartSurvivors,
        Self::Latency,
        Self::RoughLatency,
        Self::Programs,
        Self::OneFailed,
        Self::RoughOneFailed,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::CyclesOfFleet => "cycles-of-fleet",
            Self::CyclesOfPart => "cycles-of-part",
            Self::FleetSurvivors => "cycles-of-fleet-survivors",
            Self::PartSurvivors => "cycles-of-part-survivors",
            Self::Latency => "latency",
            Self::OneFailed => "latency-one-failed",
            Self::RoughLatency => "latency-rough-log",
            Self::Programs => "latency-of-programs",
            Self::RoughOneFailed => "latency-rough-one-failed",
        }
    }
}

/// A prediction beside what came.
struct ScoreOutcome {
    predictor: Predictor,
    share: f64,
    /// Of the actual remaining cycles.
    error: f64,
    /// Of the endurance.
    error_of_life: f64,
    /// Whether the band holds it; `None` of those that state none.
    inside: Option<bool>,
}

/// A block with what else is known of it.
struct ScoreCase<'a> {
    life: &'a BlockLife,
    whole: LatencyHistory,
    rough: LatencyHistory,
    without_erases: LatencyHistory,
    /// Another block of the part, which failed.
    kin: Kin,
    rough_kin: Kin,
    part: &'a Endurances,
}

/// Scores every kind of family and adds the rows.
pub(super) fn run(
    families: u32,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let catalog = Catalog::load(&[])?;
    let base = base(&catalog)?;
    let trained = Trained::stored();
    let kinds = [FamilyKind::Strangers, FamilyKind::Outliers];
    for (index, kind) in (0..).zip(kinds) {
        let mut parts = Vec::new();
        for number in 0..u64::from(families) {
            control.report(Progress {
                step: kind.name(),
                done_bytes: index * u64::from(families) + number,
                total_bytes: 2 * u64::from(families),
            });
            if control.stopped() {
                document.complete = false;
                return Ok(());
            }
            parts.push(part(&base, kind, experiment.seed, number)?);
        }
        rows(kind, &outcomes(&parts, trained), document);
    }
    Ok(())
}

/// The lives of the blocks of a part.
fn part(
    base: &PartOnBoard<'_>,
    kind: FamilyKind,
    seed: u64,
    number: u64,
) -> Result<Vec<BlockLife>, LabError> {
    let family = Family::draw(base, kind, seed, number);
    let lives = family.lives(base, seed, CHIPS, BLOCKS);
    lives.map_err(|source: NvmError| LabError::Device {
        target: format!("{} {number}", kind.name()),
        source,
    })
}

fn outcomes(parts: &[Vec<BlockLife>], trained: &Trained) -> Vec<ScoreOutcome> {
    let fleet = Endurances::of(parts.iter().flatten());
    let mut outcomes = Vec::new();
    for (number, part) in (0..).zip(parts) {
        let endurances = Endurances::of(part.iter());
        for (index, life) in part.iter().enumerate() {
            // Of another chip, wherever the part has one.
            let other = &part[(index + BLOCKS) % part.len()];
            let lot = |index: usize| number * (CHIPS * BLOCKS as u64) + index as u64;
            let case = ScoreCase {
                life,
                whole: history(life),
                rough: history(&rough(life, lot(index))),
                without_erases: LatencyHistory {
                    erases: Vec::new(),
                    ..history(life)
                },
                kin: failed(other),
                rough_kin: failed(&rough(other, lot((index + BLOCKS) % part.len()))),
                part: &endurances,
            };
            for share in SHARES {
                let looks = Predictor::ALL.into_iter();
                outcomes.extend(looks.map(|one| case.outcome(one, share, &fleet, trained)));
            }
        }
    }
    outcomes
}

/// What a block that failed shows of its kin.
fn failed(life: &BlockLife) -> Kin {
    let end = history(life).end(Channel::Erase, &OperationBaseline::default());
    Kin {
        erase: OperationBaseline {
            ends: end.into_iter().collect(),
            fresh_s: None,
        },
        program: OperationBaseline::default(),
    }
}

/// What blocks endure, in cycles, ascending.
struct Endurances(Vec<u64>);

impl Endurances {
    fn of<'a>(lives: impl Iterator<Item = &'a BlockLife>) -> Self {
        let mut all: Vec<u64> = lives.map(|life| life.cycles).collect();
        all.sort_unstable();
        Self(all)
    }

    fn median(&self) -> f64 {
        median(self.0.iter().map(|one| *one as f64))
    }

    /// The median of those that outlive so many cycles, without the one that endures `own`: it is not known yet. Where
    /// no other does, no more than these cycles are known to be endured.
    fn of_survivors(&self, cycles: u64, own: u64) -> f64 {
        let survivors = &self.0[self.0.partition_point(|one| *one <= cycles)..];
        let at = survivors.partition_point(|one| *one < own);
        if survivors.len() < 2 {
            return cycles as f64;
        }
        let middle = (survivors.len() - 2) / 2;
        survivors[if middle < at { middle } else { middle + 1 }] as f64
    }
}

impl ScoreCase<'_> {
    fn outcome(
        &self,
        predictor: Predictor,
        share: f64,
        fleet: &Endurances,
        trained: &Trained,
    ) -> ScoreOutcome {
        let own = self.life.cycles;
        let cycles = ((self.life.cycles as f64 * share) as u64).max(1);
        let left = (self.life.cycles - cycles) as f64;
        let none = Kin::default();
        let (log, kin) = match predictor {
            Predictor::CyclesOfFleet => return self.by_cycles(predictor, share, fleet.median()),
            Predictor::CyclesOfPart => return self.by_cycles(predictor, share, self.part.median()),
            Predictor::FleetSurvivors => {
                return self.by_cycles(predictor, share, fleet.of_survivors(cycles, own));
            }
            Predictor::PartSurvivors => {
                return self.by_cycles(predictor, share, self.part.of_survivors(cycles, own));
            }
            Predictor::Latency => (&self.whole, &none),
            Predictor::OneFailed => (&self.whole, &self.kin),
            Predictor::RoughLatency => (&self.rough, &none),
            Predictor::Programs => (&self.without_erases, &none),
            Predictor::RoughOneFailed => (&self.rough, &self.rough_kin),
        };
        match predict(trained, log, cycles, kin) {
            Ok(found) => {
                let of = |share| Prediction::left(cycles, share);
                let inside = (of(found.share.high)..=of(found.share.low)).contains(&left);
                self.of(predictor, share, of(found.share.median), Some(inside))
            }
            // Without information: the middle of what may be, without a band.
            Err(_) => self.of(predictor, share, cycles as f64, None),
        }
    }

    fn by_cycles(&self, predictor: Predictor, share: f64, endurance: f64) -> ScoreOutcome {
        let cycles = self.life.cycles as f64 * share;
        self.of(predictor, share, (endurance - cycles).max(0.0), None)
    }

    fn of(
        &self,
        predictor: Predictor,
        share: f64,
        left: f64,
        inside: Option<bool>,
    ) -> ScoreOutcome {
        let life = self.life.cycles as f64;
        let actual = life * (1.0 - share);
        let error = (left - actual).abs();
        ScoreOutcome {
            predictor,
            share,
            error: error / actual,
            error_of_life: error / life,
            inside,
        }
    }
}

/// The same life as a rough log records it: now and then, by a clock that polls, and sometimes held up.
fn rough(life: &BlockLife, lot: u64) -> BlockLife {
    let mut points = Vec::new();
    for channel in [Channel::Program, Channel::Erase] {
        let told: Vec<&CyclingPoint> = life.of(operation(channel)).collect();
        let mut cycle = 1;
        let mut count = 0;
        while cycle < life.cycles {
            let held = told.partition_point(|point| point.cycle <= cycle);
            let chance = |what| {
                let turn = 8 * count + 4 * (channel as u64) + what;
                unit_interval(draw(lot, cycle, turn, Purpose::Clock))
            };
            if let Some(point) = held.checked_sub(1).map(|at| told[at]) {
                let mut took_s = point.duration.si();
                if chance(0) < HELD_UP {
                    took_s *= 1.0 + (HELD_UP_MOST - 1.0) * chance(1);
                }
                // The last poll before it ended found it busy; when the first came is chance.
                let polls = (took_s / POLL.si() + chance(2)).ceil();
                let duration = Time::from_ps((polls * POLL.ps() as f64) as u64);
                points.push(CyclingPoint {
                    cycle,
                    duration,
                    lines: 1,
                    ..*point
                });
            }
            cycle = ((cycle as f64 * SPARSE) as u64).max(cycle + 1);
            count += 1;
        }
    }
    points.sort_by_key(|point| point.cycle);
    BlockLife {
        points,
        ..life.clone()
    }
}

/// Adds the rows of a kind of families: over all looks, and after each share of life.
fn rows(kind: FamilyKind, outcomes: &[ScoreOutcome], document: &mut ResultSet) {
    for predictor in Predictor::ALL {
        let of: Vec<&ScoreOutcome> = outcomes
            .iter()
            .filter(|one| one.predictor == predictor)
            .collect();
        let subject = Subject {
            target: format!("families:{}", kind.name()),
            part: kind.name().to_owned(),
            board: String::new(),
            workload: "health",
            operation: RowOperation::Cycle,
            axes: Axes::new(),
            timing: Timing::Typ,
            age: 0.0,
            basis: Basis::Simulated,
        };
        let subject = subject.at(Axis::Predictor, predictor.name());
        add(&subject, &of, document);
        for share in SHARES {
            let at: Vec<&ScoreOutcome> = of
                .iter()
                .copied()
                .filter(|one| one.share == share)
                .collect();
            add(&subject.at(Axis::LifeShare, share), &at, document);
        }
    }
}

fn add(subject: &Subject, outcomes: &[&ScoreOutcome], document: &mut ResultSet) {
    let of = |value: &dyn Fn(&ScoreOutcome) -> f64| median(outcomes.iter().map(|one| value(one)));
    let held: Vec<bool> = outcomes.iter().filter_map(|one| one.inside).collect();
    let coverage = held.iter().filter(|inside| **inside).count() as f64 / held.len().max(1) as f64;
    let coverage = (!held.is_empty()).then_some(coverage);
    let told = held.len() as f64 / outcomes.len() as f64;
    let told = coverage.map(|_| told);
    for (metric, value) in [
        (Metric::PredictionError, Some(of(&|one| one.error))),
        (
            Metric::PredictionErrorOfLife,
            Some(of(&|one| one.error_of_life)),
        ),
        (Metric::IntervalCoverage, coverage),
        (Metric::IntervalAvailability, told),
    ] {
        let value = value.ok_or(NoValue::NotApplicable);
        subject.add(metric, value, document);
    }
}

#[cfg(test)]
mod tests {
    use super::Endurances;

    #[test]
    fn survivors_are_the_others_that_outlive() {
        let all = Endurances(vec![10, 20, 30, 40, 50]);
        for (cycles, own, median) in [
            (5, 10, 30.0),
            (5, 50, 20.0),
            (15, 20, 40.0),
            (25, 50, 30.0),
            (35, 40, 50.0),
            (45, 50, 45.0),
        ] {
            let found = all.of_survivors(cycles, own);
            assert!((found - median).abs() < 1e-9, "{cycles} {own}: {found}");
        }
    }
}
