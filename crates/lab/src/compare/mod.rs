//! Candidates side by side, and a verdict for each: which memory should I take?

mod account;
mod candidate;
mod certainty;
mod evidence;
mod excluded;
mod exercise;
mod expected;
mod files;
mod firmware;
mod judge;
mod life;
mod measured;
mod study;

use std::cmp::Ordering;

use account::Assessed;
use candidate::{Candidate, Unfit};
use certainty::Doubt;
use excluded::Exclusion;
pub(crate) use study::TRACES;
pub use study::{STUDIES, read_study, write_study};
use wordline_catalog::ranges::{Influence, UncertainFigure, UnknownChoice};
use wordline_catalog::{Catalog, Part, PartOnBoard, Target};
use wordline_core::quantity::Quantity;
use wordline_core::results::{Certainty, NoValue, Verdict};
use wordline_core::{
    Axis, Basis, Better, CompareWorkload, Experiment, LIMIT_RULES, LifecycleStatus, Limits, Metric,
    Preference, ResultSet, Timing,
};
use wordline_nvm::CardSheet;

use crate::buffer::trace;
use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::instrument::case::{self, DocumentCase};
use crate::instrument::rows;
use crate::subject::Subject;
use crate::warning::LabWarning;
use crate::{open, sources};

/// The estimate of rows that say what a candidate that was not simulated reaches at best.
const AT_BEST: &str = "at-best";

/// Every part of the catalogue on its default board.
#[must_use]
pub fn all_targets(catalog: &Catalog) -> Vec<String> {
    on_default_boards(catalog, |_| true)
}

/// The parts that a study compares that names none, on their default boards: those that are made and offered for new
/// designs, and keep what is written. A card stands for its class, whatever becomes of the one that was measured.
#[must_use]
pub fn shortlist(catalog: &Catalog) -> Vec<String> {
    on_default_boards(catalog, |part| {
        let is_class = part.model.sheet::<CardSheet>().is_some();
        let is_active = part.lifecycle_status() == LifecycleStatus::Active;
        // What users add themselves is meant to be compared.
        !part.header.embedded || (is_active || is_class) && !part.model.is_volatile()
    })
}

fn on_default_boards(catalog: &Catalog, wanted: impl Fn(&Part) -> bool) -> Vec<String> {
    let parts = catalog
        .parts()
        .filter(|part| part.default_board.is_some() && wanted(part));
    let targets = parts.filter_map(|part| catalog.part_on_board(&part.header.id).ok());
    targets.map(|target| target.name).collect()
}

/// The candidates that names stand for: `PART@BOARD`, or `2*PART@BOARD` for two chips in turn.
fn candidates<'a>(catalog: &'a Catalog, names: &[String]) -> Result<Vec<Candidate<'a>>, LabError> {
    let candidate = |target| {
        let (in_turn, target) = match target {
            Target::InTurn(part) => (true, part),
            other => (false, other.into_part()?),
        };
        Ok(Candidate {
            target,
            in_turn,
            on: None,
        })
    };
    let targets = open::targets(catalog, names)?.into_iter();
    targets.map(candidate).collect()
}

/// Two chips in turn of every candidate that can do so, beside the candidates themselves.
fn with_pairs<'a>(candidates: Vec<Candidate<'a>>) -> Vec<Candidate<'a>> {
    let named: Vec<String> = candidates.iter().map(Candidate::name).collect();
    let mut all = Vec::new();
    for candidate in candidates {
        let pair = Candidate {
            in_turn: true,
            ..candidate.clone()
        };
        let useful = !candidate.in_turn && candidate.erases();
        all.push(candidate);
        if useful && !named.contains(&pair.name()) {
            all.push(pair);
        }
    }
    all
}

/// The limit by which a proven bound excludes a candidate of a study that names them, in one of its timing classes; none where
/// only a run can tell.
pub(crate) fn excluded(
    catalog: &Catalog,
    study: &CompareWorkload,
    experiment: &Experiment,
) -> Result<Option<&'static str>, LabError> {
    if study::problem(study).is_some() || experiment.targets.is_empty() || !study.logs.is_empty() {
        return Ok(None);
    }
    let candidates = candidates(catalog, &experiment.targets)?;
    let candidates = match study.in_turn {
        true => with_pairs(candidates),
        false => candidates,
    };
    let candidates = files::with_files(candidates, study, experiment)?;
    let bounds = candidates.iter().flat_map(|candidate| {
        let timings = experiment.timings.iter();
        timings.flat_map(|timing| candidate.excluded(study, experiment, *timing))
    });
    Ok(bounds.map(|bound| bound.limit).next())
}

/// Judges every candidate in every timing class, and ranks them. An experiment that names none means
/// the whole catalogue.
pub(crate) fn run(
    catalog: &Catalog,
    study: &CompareWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    if let Some((path, problem)) = study::problem(study) {
        return Err(problem.of(path));
    }
    // A price of no part is a slip of the pen, and what it was meant for would be unknown.
    let unknown = |id: &&String| catalog.parts().all(|part| part.header.id != **id);
    if let Some(id) = study.prices.parts.keys().find(unknown) {
        return Err(SettingProblem::PriceOfNoPart(id.clone()).of("prices.parts"));
    }
    let candidates = if experiment.targets.is_empty() {
        let all = all_targets(catalog);
        let names = if study.all_parts {
            all.clone()
        } else {
            shortlist(catalog)
        };
        let left_out = all.len() - names.len();
        if left_out > 0 {
            document.warn(LabWarning::Shortlist {
                left_out: &left_out,
            });
        }
        candidates(catalog, &names)?
    } else if study.all_parts {
        return Err(SettingProblem::AllPartsBesideTargets.of("all_parts"));
    } else {
        candidates(catalog, &experiment.targets)?
    };
    let candidates = if study.in_turn {
        with_pairs(candidates)
    } else {
        candidates
    };
    let names: Vec<String> = candidates.iter().map(Candidate::name).collect();
    document.experiment.targets.clone_from(&names);
    let candidates = files::with_files(candidates, study, experiment)?;
    defaults(study, document);
    remarks(study, &candidates, experiment, document);
    // Who names a candidate wants its figures.
    let sieved = experiment.targets.is_empty();
    let mut not_simulated = 0_usize;
    let mut remaining = Vec::new();
    for candidate in &candidates {
        let timings = experiment.timings.iter().filter(|_| sieved);
        let bounds = timings.map(|timing| {
            let bounds = candidate.excluded(study, experiment, *timing);
            (*timing, bounds)
        });
        let bounds: Vec<_> = bounds.collect();
        if bounds.is_empty() || bounds.iter().any(|(_, bounds)| bounds.is_empty()) {
            remaining.push(candidate);
            continue;
        }
        not_simulated += 1;
        for (timing, bounds) in bounds {
            exclude(candidate, timing, &bounds, study, experiment, document);
        }
    }
    if not_simulated > 0 {
        document.warn(LabWarning::NotSimulated {
            count: &not_simulated,
        });
    }
    let simulated = remaining.into_iter().flat_map(|candidate| {
        experiment.timings.iter().map(move |&timing| {
            let assess = move |control: &Control<'_>, part: &mut ResultSet| {
                assess(candidate, timing, study, experiment, control, part)
            };
            let case = DocumentCase::document(candidate.name(), 1, experiment, assess);
            // The larger a memory, the longer it is filled and warmed up.
            case.costing(candidate.target.part.model.capacity_bytes())
        })
    });
    let measured = study.logs.iter().map(|file| {
        let assess = move |control: &Control<'_>, part: &mut ResultSet| {
            measured::assess(file, study, experiment.seed, control, part)
        };
        // A log may be of any length, so that it begins first.
        DocumentCase::document(file, 1, experiment, assess).costing(u64::MAX)
    });
    case::run_into(document, simulated.chain(measured).collect(), control)?;
    if let Some(metric) = rank(study, document) {
        warn_of_order(metric, &candidates, experiment, study, document);
    }
    Ok(())
}

/// What the rows of a candidate in a timing class have in common.
fn subject(
    candidate: &Candidate<'_>,
    timing: Timing,
    study: &CompareWorkload,
    experiment: &Experiment,
) -> Subject {
    let subject = Subject {
        target: candidate.name(),
        ..Subject::simulated(
            &candidate.target,
            "compare",
            study.work.operation(),
            timing,
            experiment.age,
        )
    }
    .at(Axis::AccessBytes, study.work.record.bytes())
    .at(Axis::RateBytesPerS, study.work.rate.si())
    .behind(candidate.layer(experiment));
    match &candidate.on {
        Some(on) => subject.at(Axis::Fs, on.name.name()),
        None => subject,
    }
}

/// The rows and the verdict of a candidate that is not simulated: what its bounds say, and the verdict by the first.
fn exclude(
    candidate: &Candidate<'_>,
    timing: Timing,
    bounds: &[Exclusion],
    study: &CompareWorkload,
    experiment: &Experiment,
    document: &mut ResultSet,
) {
    let chip = candidate.target.part.model.usable_bytes();
    let subject = subject(candidate, timing, study, experiment).at(Axis::CapacityBytes, chip);
    subject.add(
        Metric::ThroughputMean,
        Err(NoValue::NotApplicable),
        document,
    );
    let at_best = subject.estimate(Basis::Proven, AT_BEST);
    // Of several bounds of one metric the tightest.
    for rule in LIMIT_RULES.iter().filter(|rule| rule.at_least()) {
        let own = bounds.iter().filter(|bound| bound.limit == rule.name);
        if let Some(value) = own.map(|bound| bound.value).reduce(f64::min) {
            at_best.add(rule.metric, Ok(value), document);
        }
    }
    let verdicts = bounds.first();
    let verdicts = verdicts.map(|bound| judge::excluded(&subject.target, timing, bound));
    document.verdicts.extend(verdicts);
}

/// The rows and the verdict of a candidate in a timing class.
fn assess(
    candidate: &Candidate<'_>,
    timing: Timing,
    study: &CompareWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let target = &candidate.target;
    let subject = subject(candidate, timing, study, experiment);
    let rate = study.work.rate.si();
    let assessed = candidate.assess(study, experiment, timing, None, control);
    // A verdict is whole or there is none: rows come with it.
    let judged = assessed.and_then(|assessed| {
        let figures = &assessed.figures;
        let mut verdict = figures.judge(&subject.target, timing, rate, &study.limits);
        let failing = figures.failing(rate, &study.limits);
        let doubt = Doubt {
            candidate,
            assessed: Some(&assessed),
            timing,
            study,
            experiment,
            control,
        };
        if !control.is_rough {
            doubt.settle(&mut verdict, &failing)?;
        }
        Ok((assessed, verdict))
    });
    match judged {
        Ok((assessed, mut verdict)) => {
            if let Some(device) = assessed.device.as_deref() {
                sources::add(document, target, device, timing);
            }
            let told = assessed
                .runs
                .as_ref()
                .and_then(|runs| runs.fast.as_ref()?.told.as_ref());
            if let (Some(told), Some(trace)) = (told, &study.work.trace) {
                trace::notes(&subject.target, told, trace, document);
            }
            rows(&subject, &assessed, document);
            assessed.life.rows(&subject, target, document);
            verdict.note = join(verdict.note, assessed.notes);
            document.verdicts.push(verdict);
        }
        Err(Unfit::Limit(limit, why)) => {
            let reason = Err(NoValue::NotApplicable);
            subject.add(Metric::ThroughputMean, reason, document);
            let mut verdict = judge::unfit(&subject.target, timing, rate, limit, why);
            let doubt = Doubt {
                candidate,
                assessed: None,
                timing,
                study,
                experiment,
                control,
            };
            let settled = match control.is_rough {
                true => Ok(()),
                false => doubt.settle(&mut verdict, &[limit]),
            };
            match settled {
                Ok(()) | Err(Unfit::Limit(..)) => document.verdicts.push(verdict),
                Err(Unfit::Stopped) => document.complete = false,
                Err(Unfit::Study(error)) => return Err(error),
            }
        }
        Err(Unfit::Stopped) => document.complete = false,
        Err(Unfit::Study(error)) => return Err(error),
    }
    Ok(())
}

fn join(note: Option<String>, more: Vec<String>) -> Option<String> {
    let all: Vec<String> = note.into_iter().chain(more).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Best first: what passes for certain in a larger share of the timing classes that it was judged in, a log in one, then
/// what passes, then what might; then what the study prefers, then what costs less, if the price of everything simulated
/// that passes is known, needs fewer chips, less energy, and leaves more room. Returns the figure that puts the first before
/// the second, where it is one.
fn rank(study: &CompareWorkload, document: &mut ResultSet) -> Option<Metric> {
    let verdicts = std::mem::take(&mut document.verdicts);
    let mut ranked: Vec<&[Verdict]> = verdicts
        .chunk_by(|one, other| one.target == other.target)
        .collect();
    let worst = |target: &str, metric: Metric| {
        let rows = document.rows.iter();
        let rows =
            rows.filter(|row| row.target == target && row.metric == metric && row.is_whole());
        let better = metric.info().better;
        // What is unknown, or could not be run and has no rows, comes last.
        let values = rows.map(|row| match (row.value, row.no_value, better) {
            (Some(value), _, Better::Higher) => -value,
            (Some(value), _, _) => value,
            (None, Some(NoValue::Unbounded), Better::Higher) => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        });
        values.reduce(f64::max).unwrap_or(f64::INFINITY)
    };
    let share = |verdicts: &[Verdict], is: &dyn Fn(&Verdict) -> bool| {
        let count = verdicts.iter().filter(|verdict| is(verdict)).count();
        count as f64 / verdicts.len() as f64
    };
    let certain = |verdict: &Verdict| verdict.certainty == Certainty::Certain;
    let name = |verdicts: &[Verdict]| -> String {
        let first = verdicts.first();
        first
            .map(|verdict| verdict.target.clone())
            .unwrap_or_default()
    };
    // No log says a price.
    let mut passing = ranked.iter().filter(|verdicts| {
        let is_priceable = |verdict: &Verdict| verdict.pass && !measured::is_log(&verdict.target);
        verdicts.iter().any(is_priceable)
    });
    let priced = passing.all(|verdicts| worst(&name(verdicts), Metric::Cost).is_finite());
    let preferred = study.prefer.map(preferred);
    let key = |verdicts: &[Verdict]| {
        let target = name(verdicts);
        let margins = verdicts.iter().map(|verdict| {
            let without = if verdict.pass { f64::MAX } else { f64::MIN };
            verdict.margin.unwrap_or(without)
        });
        let of = |metric| (Some(metric), worst(&target, metric));
        let indifferent = (None, 0.0);
        [
            (
                None,
                -share(verdicts, &|verdict| verdict.pass && certain(verdict)),
            ),
            (None, -share(verdicts, &|verdict| verdict.pass)),
            (None, -share(verdicts, &|verdict| !certain(verdict))),
            preferred.map_or(indifferent, of),
            if priced {
                of(Metric::Cost)
            } else {
                indifferent
            },
            of(Metric::PartsNeeded),
            of(Metric::EnergyPerDay),
            (None, -margins.fold(f64::INFINITY, f64::min)),
        ]
    };
    ranked.sort_by(|one, other| {
        let pairs = key(one).into_iter().zip(key(other));
        pairs.fold(Ordering::Equal, |order, ((_, one), (_, other))| {
            order.then(one.total_cmp(&other))
        })
    });
    let by = match ranked.as_slice() {
        [first, second, ..] => {
            let mut pairs = key(first).into_iter().zip(key(second));
            let differ = pairs.find(|((_, one), (_, other))| one != other);
            differ.and_then(|((metric, _), _)| metric)
        }
        _ => None,
    };
    document.verdicts = ranked.concat();
    let rank_of = |target: &str| {
        let mut verdicts = document.verdicts.iter();
        verdicts.position(|verdict| verdict.target == target)
    };
    let mut rows = std::mem::take(&mut document.rows);
    rows.sort_by_key(|row| rank_of(&row.target));
    document.rows = rows;
    by
}

/// Says that the first is before the second by a figure that rests on assumptions.
fn warn_of_order(
    metric: Metric,
    candidates: &[Candidate<'_>],
    experiment: &Experiment,
    study: &CompareWorkload,
    document: &mut ResultSet,
) {
    let mut ranked: Vec<&str> = Vec::new();
    for verdict in &document.verdicts {
        if !ranked.contains(&verdict.target.as_str()) {
            ranked.push(&verdict.target);
        }
    }
    // Of a log: what was extrapolated, or leaves out the standby.
    let is_assumed = |name: &str| {
        let mut rows = document.rows.iter();
        measured::is_log(name)
            && rows.any(|row| {
                let is_whole = !row.axes.contains_key(&Axis::Estimate);
                row.target == name && row.metric == metric && is_whole && row.basis.is_unsourced()
            })
    };
    let rests = |name: &&&str| {
        if is_assumed(name) {
            return true;
        }
        let candidate = candidates.iter().find(|one| one.name() == ***name);
        candidate.is_some_and(|one| rests_on_assumed(metric, one, experiment, study))
    };
    let assumed: Vec<String> = ranked
        .iter()
        .take(2)
        .filter(rests)
        .map(|name| (*name).to_owned())
        .collect();
    if let ([first, second, ..], false) = (ranked.as_slice(), assumed.is_empty()) {
        let (first, second) = (String::from(*first), String::from(*second));
        document.warn(LabWarning::OrderRestsOnAssumed {
            first: &first,
            second: &second,
            metric: &metric,
            targets: &assumed.join(", "),
        });
    }
}

/// Whether a metric of a candidate rests on figures that no source states.
fn rests_on_assumed(
    metric: Metric,
    candidate: &Candidate<'_>,
    experiment: &Experiment,
    study: &CompareWorkload,
) -> bool {
    let target = &candidate.target;
    let part = target.part;
    let limit = match metric {
        Metric::Area => {
            let area = part.area.as_ref();
            return area.is_some_and(|area| area.provenance().basis.is_unsourced());
        }
        Metric::EnergyPerDay => "energy",
        Metric::Cost => "cost",
        Metric::Lifetime => "lifetime",
        Metric::RamProvision => "ram",
        _ => "capacity",
    };
    let mut influences = certainty::influences(limit, study);
    // A price that the study states is no assumption of a sheet.
    let stated = study.prices.parts.contains_key(&part.header.id);
    influences.retain(|influence| *influence != Influence::Price || !stated);
    let assumed = |figure: &UncertainFigure| {
        influences.contains(&figure.kind.influence) && figure.basis.is_unsourced()
    };
    let timings = experiment.timings.iter();
    let mut figures = timings.flat_map(|timing| target.uncertain_figures(*timing));
    let open = |open: &UnknownChoice| {
        let mut changes = open.choice.changes.iter();
        changes.any(|change| influences.contains(change))
    };
    figures.any(|figure| assumed(&figure)) || target.unknown_choices().iter().any(open)
}

/// The metric that a preference is about.
const fn preferred(preference: Preference) -> Metric {
    match preference {
        Preference::Energy => Metric::EnergyPerDay,
        Preference::Cost => Metric::Cost,
        Preference::Life => Metric::Lifetime,
        Preference::Area => Metric::Area,
        Preference::Ram => Metric::RamProvision,
    }
}

fn rows(subject: &Subject, assessed: &Assessed, document: &mut ResultSet) {
    let figures = &assessed.figures;
    let mut push = |metric, value| subject.add(metric, value, document);
    push(Metric::RamProvision, figures.ram_provision);
    if let Some(bytes) = assessed.file_system_ram {
        push(Metric::FileSystemRam, Ok(bytes));
    }
    push(Metric::RamPeak, assessed.ram_waiting);
    push(Metric::RamPeakInFlight, assessed.ram_in_flight);
    if let Some(rate) = assessed.rate_max {
        push(Metric::RateMax, rate);
    }
    push(Metric::ThroughputMean, Ok(figures.throughput));
    push(Metric::LatencyMax, figures.latency_max);
    push(Metric::Lifetime, figures.lifetime);
    push(Metric::EnergyPerDay, figures.energy_per_day);
    push(Metric::BytesAtRisk, figures.bytes_at_risk);
    push(Metric::HoldupTime, assessed.holdup_time);
    push(Metric::HoldupCapacitance, figures.holdup);
    let of_chips = subject.at(Axis::CapacityBytes, assessed.chip_bytes);
    of_chips.add(Metric::PartsNeeded, figures.parts, document);
    if let (Ok(all), Ok(standby)) = (figures.energy_per_day, assessed.standby) {
        let of_standby = subject.at(Axis::Cause, "standby");
        let work = all - standby.per_day_j;
        subject
            .at(Axis::Cause, "work")
            .add(Metric::EnergyPerDay, Ok(work), document);
        of_standby.add(Metric::EnergyPerDay, Ok(standby.per_day_j), document);
        of_standby.add(Metric::PowerMean, Ok(standby.power_w), document);
    }
    for (ram, rate) in &assessed.staircase {
        let at = subject.at(Axis::RamBytes, *ram);
        at.add(Metric::RateMax, Ok(*rate), document);
    }
    if let Some((stretch, written, taken)) = &assessed.layer {
        rows::layer(subject, stretch, *written, document);
        stretch.warn_if_fresh(&subject.target, *taken, document);
    }
    let (cost, area) = assessed.bases;
    for (metric, value, basis) in [
        (Metric::Cost, figures.cost, cost),
        (Metric::Area, assessed.area, area),
    ] {
        let of_sheet = Subject {
            basis,
            ..subject.clone()
        };
        of_sheet.add(metric, value, document);
    }
    if let Some((bounds, basis)) = &assessed.bounds {
        let bounded = subject.bound(*basis);
        for (metric, bound) in bounds {
            bounded.add(*metric, *bound, document);
        }
    }
}

/// Names the settings that were not stated.
fn defaults(study: &CompareWorkload, document: &mut ResultSet) {
    let work = &study.work;
    if work.keep.is_none() {
        document.warn(LabWarning::KeepDefault);
    }
    if work.duty.is_none() {
        document.warn(LabWarning::DutyDefault);
    }
    if study.limits.parts.is_none() {
        document.warn(LabWarning::PartsDefault {
            most: &Limits::PARTS_MAX,
        });
    }
}

/// Says which settings change nothing, or go badly together.
fn remarks(
    study: &CompareWorkload,
    candidates: &[Candidate<'_>],
    experiment: &Experiment,
    document: &mut ResultSet,
) {
    let limits = &study.limits;
    let is_behind = |candidate: &Candidate<'_>| candidate.translates(experiment);
    if study.work.fill.is_some() && !candidates.iter().any(is_behind) {
        document.warn(LabWarning::FillUnused);
    }
    if let (Some(loss), Some(risk)) = (limits.loss, limits.bytes_at_risk)
        && loss.bytes(study.work.rate) > risk.si()
    {
        document.warn(LabWarning::LossAboveRisk {
            loss: &loss,
            risk: &risk,
        });
    }
}

/// A target's candidates do not need to fit: that is a verdict.
impl Candidate<'_> {
    /// Whether it is behind a translation layer, its own or that of the study.
    fn translates(&self, experiment: &Experiment) -> bool {
        let conditions = wordline_nvm::Conditions {
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        };
        self.layer(experiment).is_some()
            || (self.target.connect(conditions)).is_ok_and(|device| device.translation().is_some())
    }

    /// Whether it erases blocks, so that a second chip could take what comes meanwhile.
    fn erases(&self) -> bool {
        let conditions = wordline_nvm::Conditions {
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        };
        let target: &PartOnBoard<'_> = &self.target;
        let device = target.connect(conditions);
        device.is_ok_and(|mut device| device.overwrite_bytes() > 1 && device.background().is_some())
    }
}
