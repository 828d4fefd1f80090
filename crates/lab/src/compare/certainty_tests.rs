//! Trials answer as whole runs do, and the search for a figure that decides as one by one.

use wordline_catalog::Catalog;
use wordline_core::quantity::{ByteCount, Capacitance, DataRate, Energy, Fraction, Period};
use wordline_core::{SizeOrPeriod, Work, Workload};

use super::super::candidates;
use super::*;

fn study(latency_s: Option<f64>) -> CompareWorkload {
    let work = Work::log(DataRate::from_si(5e5), ByteCount::from_bytes(4096));
    let mut study = CompareWorkload::of(Work {
        keep: Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(16 << 20))),
        duty: Some(Fraction::from_si(0.1)),
        ..work
    });
    study.limits.ram = Some(ByteCount::from_bytes(16_384));
    study.limits.latency = latency_s.map(Period::from_si);
    study
}

/// Calls with the question of each candidate's verdict, at the typical timing.
fn doubted(parts: &[&str], study: &CompareWorkload, with: &mut dyn FnMut(&Doubt<'_>)) {
    let catalog = Catalog::load(&[]).expect("sound");
    let experiment = Experiment {
        targets: Vec::new(),
        workload: Workload::Compare(Box::new(study.clone())),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    };
    let names: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    for candidate in candidates(&catalog, &names).expect("known") {
        let control = Control::default();
        let assessed = candidate.assess(study, &experiment, Timing::Typ, None, &control);
        with(&Doubt {
            candidate: &candidate,
            assessed: Some(&assessed.ok().expect("it runs")),
            timing: Timing::Typ,
            study,
            experiment: &experiment,
            control: &control,
        });
    }
}

/// Currents and endurance are accounted for as a run with them would be, to the last bit.
#[test]
fn what_changes_no_run_needs_none() {
    let mut study = study(None);
    study.limits.energy_per_day = Some(Energy::from_si(100.0));
    study.limits.life = Some(Period::from_si(3e8));
    // A trial leaves out what no limit is about.
    study.limits.holdup = Some(Capacitance::from_si(1.0));
    let mut moved = 0;
    let parts = ["xtsd04g", "w25n01gv", "as3016204", "w25q128jv"];
    doubted(&parts, &study, &mut |doubt| {
        for figure in &doubt.figures(&[]) {
            let changes = [(figure, figure.low), (figure, figure.high)];
            for change in changes
                .iter()
                .filter(|change| doubt.keeps_runs(&[**change]))
            {
                let varied = doubt.candidate.target.varied([*change]);
                let candidate = Candidate {
                    target: varied.target(),
                    ..doubt.candidate.clone()
                };
                let figures = |runs| {
                    let trial = Trial {
                        warm: None,
                        runs,
                        ends_early: false,
                        paced_first: false,
                        known: None,
                    };
                    let assessed = candidate.assess(
                        doubt.study,
                        doubt.experiment,
                        doubt.timing,
                        Some(&trial),
                        doubt.control,
                    );
                    assessed.ok().expect("it runs").figures
                };
                let base = doubt.assessed.expect("it ran");
                let found = figures(base.runs.as_ref());
                assert_eq!(found, figures(None), "{} {}", figure.figure, change.1);
                moved += u32::from(found != base.figures);
            }
        }
    });
    assert!(moved > 8, "{moved}");
}

/// The plain reference: every figure by itself, and of those that turn the verdict the one that does so with the smallest
/// part of its range.
#[test]
fn the_figure_that_decides_needs_the_smallest_part_of_its_range() {
    let mut energy = 0.0;
    doubted(&["xtsd04g"], &study(None), &mut |doubt| {
        let figures = &doubt.assessed.expect("it ran").figures;
        energy = figures.energy_per_day.expect("currents are known");
    });
    let mut scarce = study(None);
    scarce.limits.energy_per_day = Some(Energy::from_si(1.05 * energy));
    let mut several = 0;
    for (part, study) in [("xtsd04g", scarce), ("sandisk-extreme-32g", study(None))] {
        doubted(&[part], &study, &mut |doubt| {
            let base = doubt.assessed.expect("it ran");
            let limits = &doubt.study.limits;
            let pass = base.figures.failing(5e5, limits).is_empty();
            let figures = doubt.figures(&[]);
            let ends = figures
                .iter()
                .map(|figure| (figure, figure.end(pass, 25.0)));
            let ends: Vec<Change<'_>> = ends.filter(|(_, factor)| *factor != 1.0).collect();
            let alone = ends.iter().filter(|end| {
                let then = doubt.failing(&[**end], RunScope::Whole);
                pass != then.ok().expect("it runs").limits.is_empty()
            });
            let alone = alone.map(|end| doubt.narrow(pass, *end, &[], 1.0, false));
            let alone: Vec<_> = alone.map(|found| found.ok().expect("it runs")).collect();
            several += usize::from(alone.len() > 1);
            let least = alone
                .iter()
                .min_by(|one, other| one.turned.total_cmp(&other.turned));
            let TurningPoint { change, turned, .. } = least.expect("one turns it alone");
            let (decides, factor, others) =
                doubt.deciding(pass, &ends, false).ok().expect("it runs");
            assert!(others.is_empty());
            assert_eq!(decides.figure, change.0.figure);
            assert_eq!(factor, libm::pow(change.1, *turned));
        });
    }
    assert!(several > 0);
}

/// Whatever a trial leaves out, it fails where the whole of its runs fails, and nowhere else: cards that fail by RAM, by
/// latency and by the rate, and a chip, with each of their figures at both ends of its range and halfway there.
#[test]
fn a_trial_that_ends_early_answers_as_the_whole_of_its_runs() {
    let (mut passes, mut failures, mut paced, mut unsustained) = (0, 0, 0, 0);
    for (part, latency) in [
        ("swissbit-s46u-4g", None),
        ("xtsd04g", Some(0.02)),
        ("sandisk-extreme-32g", None),
        ("sandisk-extreme-32g", Some(0.5)),
        ("w25n01gv", Some(0.002)),
    ] {
        doubted(&[part], &study(latency), &mut |doubt| {
            for figure in &doubt.figures(&[]) {
                for factor in [figure.low, figure.low.sqrt(), figure.high] {
                    let changes = [(figure, factor)];
                    let failing = |run| doubt.failing(&changes, run).ok().expect("it runs");
                    let whole = failing(RunScope::Whole);
                    let mut scopes = vec![RunScope::FastFirst, RunScope::PacedFirst];
                    if whole.sustains && doubt.scope(true, &changes, true) == RunScope::Paced {
                        scopes.push(RunScope::Paced);
                        paced += 1;
                    }
                    for scope in scopes {
                        let early = failing(scope);
                        let what = format!("{part} {} {factor} {scope:?}", figure.figure);
                        let (one, other) = (&early.limits, &whole.limits);
                        assert_eq!(
                            one.is_empty(),
                            other.is_empty(),
                            "{what}: {one:?} {other:?}"
                        );
                        assert!(!early.sustains || whole.sustains, "{what}");
                    }
                    *(if whole.limits.is_empty() {
                        &mut passes
                    } else {
                        &mut failures
                    }) += 1;
                    unsustained += u32::from(!whole.sustains);
                }
            }
        });
    }
    let seen = [passes, failures, paced, unsustained];
    assert!(seen.iter().all(|count| *count > 4), "{seen:?}");
}
