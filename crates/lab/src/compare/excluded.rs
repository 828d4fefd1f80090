//! Candidates that a bound excludes, so that nobody need simulate them: what their sheets state of bus, program time,
//! endurance and capacity is too little even if everything else is ideal.
//!
//! A bound takes each figure at the better end of its range, so that a verdict by it is certain. Where figures are drawn or
//! age, times may be shorter than stated, and no bound speaks of them. Whoever names a candidate has it simulated: only what a
//! study takes from the catalogue is sieved.

use wordline_catalog::profile::{KeyValue, PartProfile};
use wordline_catalog::ranges::{Influence, UncertainFigure, UnknownChoice};
use wordline_core::quantity::{ByteCount, Quantity as _, human};
use wordline_core::{CompareWorkload, Experiment, LifeBy, Limits, Metric, Timing, WorkKind};
use wordline_nvm::bus::Action;

use super::candidate::Candidate;

/// What excludes a candidate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exclusion {
    /// The limit that it fails.
    pub(super) limit: &'static str,
    /// What the limit is about.
    pub(super) metric: Metric,
    /// The best that it could reach.
    pub(super) value: f64,
    /// What is asked.
    pub(super) allowed: f64,
    /// Whether more is better.
    pub(super) at_least: bool,
    /// Why it reaches no more.
    pub(super) why: String,
}

impl Exclusion {
    fn stands(&self) -> bool {
        if self.at_least {
            self.value < self.allowed
        } else {
            self.value > self.allowed
        }
    }
}

impl Candidate<'_> {
    /// The bounds of a candidate that one of them excludes, the first that does so before the others; none where only a
    /// run can tell.
    pub(super) fn excluded(
        &self,
        study: &CompareWorkload,
        experiment: &Experiment,
        timing: Timing,
    ) -> Vec<Exclusion> {
        let profile = PartProfile::of(self.target.part);
        let uncertain = self.target.uncertain_figures(timing);
        // A capacity that is open decides nothing.
        let open = |figure: &UncertainFigure| figure.kind.influence == Influence::Capacity;
        let choices = self.target.unknown_choices();
        let holds = |unknown: &UnknownChoice| unknown.choice.changes.contains(&Influence::Capacity);
        if uncertain.iter().any(open) || choices.iter().any(holds) {
            return Vec::new();
        }
        // A worn block programs faster than a fresh one, and a drawn time may be shorter than the usual one.
        let as_stated = timing != Timing::Sampled && experiment.age == 0.0;
        // Behind a layer or under a file system more chips share the wear, as it keeps blocks to itself.
        let is_bare = self.layer(experiment).is_none() && self.on.is_none();
        let bounds = [
            self.chips_bound(study),
            self.bus_bound(study, &uncertain),
            as_stated
                .then(|| self.program_bound(study, &profile, &uncertain))
                .flatten(),
            is_bare
                .then(|| self.life_bound(study, &profile, &uncertain))
                .flatten(),
        ];
        let mut bounds: Vec<Exclusion> = bounds.into_iter().flatten().collect();
        match bounds.iter().position(Exclusion::stands) {
            Some(first) => bounds.swap(0, first),
            None => bounds.clear(),
        }
        bounds
    }

    fn parts_needed(&self, study: &CompareWorkload) -> f64 {
        let work = &study.work;
        let bytes = work.keep().bytes(work.rate) / work.utilization();
        let chips = if self.in_turn { 2.0 } else { 1.0 };
        let chip = self.target.part.model.usable_bytes() as f64;
        (bytes / chip / chips).ceil().max(1.0) * chips
    }

    /// Chips that hold the data to keep, if all of their bytes can be used.
    fn chips_bound(&self, study: &CompareWorkload) -> Option<Exclusion> {
        let value = self.parts_needed(study);
        let allowed = study.limits.parts.unwrap_or(Limits::PARTS_MAX) as f64;
        let chip = ByteCount::from_bytes(self.target.part.model.usable_bytes());
        Some(Exclusion {
            limit: "capacity",
            metric: Metric::PartsNeeded,
            value,
            allowed,
            at_least: false,
            why: format!("the data need {value} chips of {chip}"),
        })
    }

    /// What the bus moves if it never pauses.
    fn bus_bound(
        &self,
        study: &CompareWorkload,
        uncertain: &[UncertainFigure],
    ) -> Option<Exclusion> {
        let reads = study.work.reads();
        let action = match reads {
            all if all >= 1.0 => Action::Read,
            none if none <= 0.0 => Action::Write,
            _ => return None,
        };
        let link = self.target.link().ok()?;
        let commands = link
            .commands()
            .iter()
            .filter(|command| command.action() == action);
        let rate = commands
            .map(|command| command.data_rate())
            .reduce(f64::max)?;
        // Figures of the bus at the better ends of their ranges, whichever of them it is that counts.
        let of_bus = ["bus clock", "bus and register time", "channel rate"];
        let of_bus = uncertain
            .iter()
            .filter(|figure| of_bus.contains(&figure.kind.name));
        let better = of_bus
            .map(|figure| figure.high.max(1.0 / figure.low))
            .fold(1.0, f64::max);
        let value = rate * better;
        Some(rate_exclusion(
            study,
            value,
            format!("its bus moves {} at most", human(value, "B/s", 3)),
        ))
    }

    /// What is programmed if one page follows the other without a pause.
    fn program_bound(
        &self,
        study: &CompareWorkload,
        profile: &PartProfile<'_>,
        uncertain: &[UncertainFigure],
    ) -> Option<Exclusion> {
        // Cards program pages of several chips behind a firmware.
        if study.work.reads() > 0.0 || !["nor", "nand", "onchip"].contains(&profile.kind()) {
            return None;
        }
        let program = profile.value("program")?;
        let figures = &self.target.part.figures;
        let number = |name: &str| {
            let mut all = figures.iter();
            let figure =
                all.find(|figure| figure.figure == format!("{}.{name}", profile.kind()))?;
            let first = figure.value.split(", ").next()?;
            let (_, value) = first.split_once(' ')?;
            let bytes = value.parse::<ByteCount>().map(|bytes| bytes.si());
            bytes.ok().or_else(|| value.parse().ok())
        };
        let page =
            number("page_bytes")? * number("planes").unwrap_or(1.0) * number("dies").unwrap_or(1.0);
        let page = page * if self.in_turn { 2.0 } else { 1.0 };
        // Without its ECC a NAND may program faster.
        let without_ecc = figures
            .iter()
            .any(|figure| figure.figure.ends_with(".page_program_without_ecc"));
        if without_ecc {
            return None;
        }
        let (least, _) = ends(program, uncertain);
        let value = page / least;
        let why = format!(
            "it programs {} at once, usually in {}",
            ByteCount::from_bytes(page as u64),
            human(least, "s", 3)
        );
        Some(rate_exclusion(study, value, why))
    }

    /// How long the memory lives if each of its bytes takes all of its cycles.
    fn life_bound(
        &self,
        study: &CompareWorkload,
        profile: &PartProfile<'_>,
        uncertain: &[UncertainFigure],
    ) -> Option<Exclusion> {
        let (limits, work) = (&study.limits, &study.work);
        // Where no life is asked for, any is enough.
        let allowed = limits.life.map_or(0.0, |life| life.si());
        let writes = matches!(work.kind, WorkKind::Log | WorkKind::Overwrite);
        // Where the memory is byte-addressable the unit that wears is not the byte that is written.
        let erases = ["nor", "nand", "onchip"].contains(&profile.kind());
        if !writes || !erases || limits.life_by() != LifeBy::Rated {
            return None;
        }
        let (_, cycles) = ends(profile.value("endurance")?, uncertain);
        let bytes = self.target.part.model.capacity_bytes() as f64 * self.parts_needed(study);
        let value = cycles * bytes / (work.stored_rate().si() * work.duty());
        let cycles = human(cycles, "", 3);
        Some(Exclusion {
            limit: "lifetime",
            metric: Metric::Lifetime,
            value,
            allowed,
            at_least: true,
            why: format!("each of its bytes takes {} cycles", cycles.trim()),
        })
    }
}

fn rate_exclusion(study: &CompareWorkload, value: f64, why: String) -> Exclusion {
    Exclusion {
        limit: "rate",
        metric: Metric::ThroughputMean,
        value: value / study.work.stored_share(),
        allowed: study.work.rate.si(),
        at_least: true,
        why,
    }
}

/// The least and the largest value of a figure, with its range where it has one.
fn ends(value: &KeyValue, uncertain: &[UncertainFigure]) -> (f64, f64) {
    let columns = value.columns.into_iter().flatten();
    let (mut least, mut most) = columns.fold((f64::INFINITY, 0.0_f64), |(least, most), column| {
        (least.min(column), most.max(column))
    });
    for figure in uncertain
        .iter()
        .filter(|figure| figure.figure == value.figure.figure)
    {
        least = least.min(figure.value * figure.low).min(least * figure.low);
        most = most.max(figure.value * figure.high).max(most * figure.high);
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use wordline_catalog::Catalog;
    use wordline_core::quantity::{DataRate, Period};
    use wordline_core::{FtlMapping, SizeOrPeriod, TranslationLayer, Work, Workload};

    use super::super::{candidates, judge};
    use super::*;
    use crate::control::Control;

    fn study(rate: f64) -> CompareWorkload {
        let work = Work::log(DataRate::from_si(rate), ByteCount::from_bytes(4096));
        let mut study = CompareWorkload::of(work);
        // So few that most parts hold them in a few chips.
        study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(32 << 20)));
        study.limits.life = Some(Period::from_si(10.0 * 365.25 * 86_400.0));
        study
    }

    /// What a bound excludes fails in its run as well, and by the same limit: serial and parallel flash, MRAM and FRAM, bare and
    /// behind a layer, at rates over four decades.
    #[test]
    fn what_a_bound_excludes_fails_in_its_run_as_well() {
        let catalog = Catalog::load(&[]).expect("sound");
        let names: Vec<_> = [
            "w25q64jv",
            "mx25r8035f",
            "w25n01gv",
            "mt29f2g08aad",
            "mr25h40",
            "cy15b104q",
            "stm32f405-flash",
            "kingston-sdc4-4g",
        ]
        .map(str::to_owned)
        .into();
        let candidates = candidates(&catalog, &names).expect("known");
        let (mut spoke, mut left) = (std::collections::BTreeMap::new(), 0);
        for (rate, ftl) in [
            (1e4, false),
            (2e5, false),
            (2e6, false),
            (2e7, false),
            (2e5, true),
        ] {
            let study = study(rate);
            let experiment = Experiment {
                targets: Vec::new(),
                workload: Workload::Compare(Box::new(study.clone())),
                timings: vec![Timing::Typ, Timing::Max],
                age: 0.0,
                seed: 0,
                ftl: ftl.then(|| TranslationLayer::of(FtlMapping::Page)),
            };
            for candidate in &candidates {
                for timing in [Timing::Typ, Timing::Max] {
                    let bounds = candidate.excluded(&study, &experiment, timing);
                    let Some(exclusion) = bounds.first() else {
                        left += 1;
                        continue;
                    };
                    let name = candidate.name();
                    let assessed =
                        candidate.assess(&study, &experiment, timing, None, &Control::default());
                    let Ok(assessed) = assessed else {
                        panic!("{name} runs: {exclusion:?}");
                    };
                    let fails = assessed.figures.failing(rate, &study.limits);
                    assert!(
                        fails.contains(&exclusion.limit),
                        "{name}: {exclusion:?} {fails:?}"
                    );
                    // Pages judge other questions by the other bounds as well.
                    for bound in &bounds {
                        let reached = match bound.limit {
                            "rate" => Ok(assessed.figures.throughput),
                            "lifetime" => assessed.figures.lifetime,
                            _ => assessed.figures.parts,
                        };
                        let reached = reached.expect("a number");
                        let holds = match bound.at_least {
                            true => reached <= bound.value,
                            false => reached >= bound.value,
                        };
                        assert!(holds, "{name}: {bound:?}, and the run: {reached}");
                    }
                    let verdict = judge::excluded(&name, timing, exclusion);
                    assert!(
                        !verdict.pass && verdict.margin.is_some_and(|margin| margin < 0.0),
                        "{verdict:?}"
                    );
                    *spoke.entry(exclusion.limit).or_insert(0) += 1;
                }
            }
        }
        for limit in ["capacity", "rate", "lifetime"] {
            assert!(spoke.contains_key(limit), "{limit}: {spoke:?}");
        }
        assert!(left >= 8, "{left}");
    }
}
