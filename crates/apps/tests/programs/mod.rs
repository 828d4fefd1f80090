//! Programs whose truth is known: simulated whole on two memories, and projected from what counters see of the first.
//!
//! A program has a compute time, a parallelism, a mix, a locality and bursts, all drawn at random. The system has one channel
//! and the cores that belong to it. A projection gets rates, stalls, and bytes by windows of the baseline's run, and nothing else;
//! in a second pass the locality as well, to a tenth, as counters of activations tell it; in a third the mean latency of reads,
//! as counters of outstanding reads tell it.

mod published;
mod random;
mod system;

use std::fmt::Write as _;

use wordline_apps::{
    BandRequest, PlainEstimates, ProjectedMemory, Projection, SurfaceTable, project,
};
use wordline_core::draw::hash_name;

use self::random::RandomProgram;
use self::system::{Memory, Observation};

/// Baseline and target.
const PAIRS: [[&str; 2]; 3] = [
    ["rdimm-6400-2rx4-128g", "mrdimm-8800-2rx4-128g"],
    ["rdimm-6400-2rx4-128g", "mrdimm-8800-4rx4-128g"],
    ["rdimm-4800-2rx4-64g", "rdimm-6400-2rx4-64g"],
];

/// What was found of a program on a pair.
struct Finding {
    truth: f64,
    /// By passes.
    projections: [Projection; 3],
    plain: PlainEstimates,
}

/// What is known beside rates, stalls and bytes by windows.
const PASSES: [&str; 3] = [
    "locality unknown",
    "locality to a tenth",
    "locality to a tenth and latency",
];

fn projected<'a>(memory: &'a Memory, surface: &'a SurfaceTable) -> ProjectedMemory<'a> {
    ProjectedMemory {
        surface,
        misses_per_core: memory.misses(),
        id: hash_name(&memory.name),
    }
}

/// Runs a program on both memories of a pair.
fn find(
    program: &RandomProgram,
    memories: [&Memory; 2],
    surfaces: [&SurfaceTable; 2],
) -> Option<Finding> {
    let [before, after] = memories.map(|memory| memory.run(program));
    let truth = Observation::speed_up(&before, &after);
    let [baseline, target] = [0, 1].map(|side| projected(memories[side], surfaces[side]));
    let of = |locality, has_latency| {
        let known = (locality, has_latency);
        let profile = before.profile(&memories[0].name, memories[0].cores(), known);
        let band = BandRequest {
            draws: 200,
            seed: program.seed,
        };
        project(&profile, baseline, target, Some(band)).ok()
    };
    let profile = before.profile(&memories[0].name, memories[0].cores(), (None, false));
    Some(Finding {
        truth,
        projections: [
            of(None, false)?,
            of(Some(program.locality), false)?,
            of(Some(program.locality), true)?,
        ],
        plain: PlainEstimates::of(&profile, baseline, target),
    })
}

/// Errors of estimates as shares of the truth: the middle one, the one that 95 % do not exceed, the mean.
fn errors(pairs: impl Iterator<Item = (f64, f64)>) -> [f64; 3] {
    let mut errors: Vec<f64> = pairs
        .map(|(ours, truth)| (ours / truth - 1.0).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    let at = |share: f64| errors[((errors.len() - 1) as f64 * share).round() as usize];
    [
        at(0.5),
        at(0.95),
        errors.iter().sum::<f64>() / errors.len() as f64,
    ]
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A table of a pass and the rules, for people and for the evidence.
fn report(name: &str, findings: &[Finding]) -> String {
    let mut text = format!("{name}: {} programs\n", findings.len());
    let mut line = |rule: &str, of: &dyn Fn(usize) -> f64| {
        let pairs = findings
            .iter()
            .enumerate()
            .map(|(index, one)| (of(index), one.truth));
        let [middle, most, mean] = errors(pairs);
        let percent = [middle, most, mean].map(|error| 100.0 * error);
        let _ = writeln!(
            text,
            "| {rule} | {:.2} % | {:.2} % | {:.2} % |",
            percent[0], percent[1], percent[2]
        );
    };
    for (pass, words) in PASSES.iter().enumerate() {
        line(&format!("projection, {words}"), &|index| {
            findings[index].projections[pass].speed_up
        });
    }
    line("always 1.375", &|index| findings[index].plain.always);
    line("roofline", &|index| findings[index].plain.roofline);
    line("steady mean", &|index| findings[index].plain.steady);
    line("median of the others", &|index| {
        let others = findings
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index);
        median(others.map(|(_, one)| one.truth).collect())
    });
    for (pass, words) in PASSES.iter().enumerate() {
        let share = covered(findings, pass);
        let widths = findings.iter().filter_map(|one| one.projections[pass].band);
        let width = median(widths.map(|band| band.high - band.low).collect());
        let _ = writeln!(
            text,
            "{words}: truth inside the band in {:.1} %, its middle width {width:.3}",
            100.0 * share
        );
    }
    text
}

/// Share of the programs whose truth lies inside the band.
fn covered(findings: &[Finding], pass: usize) -> f64 {
    let bands = findings
        .iter()
        .filter_map(|one| Some((one.projections[pass].band?, one.truth)));
    let inside = bands.filter(|(band, truth)| band.holds(*truth)).count();
    inside as f64 / findings.len() as f64
}

#[test]
fn a_few_programs_are_projected_from_counters() {
    let memories = PAIRS[0].map(Memory::new);
    let surfaces =
        [0, 1].map(|side| SurfaceTable::of(&memories[side].surface(&[0.0, 0.4], &[0.0, 1.0], 20)));
    let programs = (0..8).map(RandomProgram::new);
    let found = programs.filter_map(|program| {
        find(
            &program,
            [&memories[0], &memories[1]],
            [&surfaces[0], &surfaces[1]],
        )
    });
    let found: Vec<Finding> = found.collect();
    println!("{}", report("a few", &found));
    assert_eq!(found.len(), 8);
    let pairs = found
        .iter()
        .map(|one| (one.projections[1].speed_up, one.truth));
    let [middle, most, _] = errors(pairs);
    // Surfaces of so few points are known to some percent alone.
    assert!(middle < 0.03 && most < 0.10, "{middle} {most}");
}

#[test]
#[ignore = "half an hour of simulation, which `make nightly` has"]
fn two_hundred_programs_on_three_pairs_are_projected_from_counters() {
    let mut all = Vec::new();
    let mut text = String::new();
    for pair in PAIRS {
        let started = text.len();
        let memories = pair.map(Memory::new);
        let shares = [0.0, 0.2, 0.35, 0.5];
        let surfaces = [0, 1]
            .map(|side| SurfaceTable::of(&memories[side].surface(&shares, &[0.0, 0.5, 1.0], 60)));
        let programs = (0..200).map(RandomProgram::new);
        let found = programs.filter_map(|program| {
            find(
                &program,
                [&memories[0], &memories[1]],
                [&surfaces[0], &surfaces[1]],
            )
        });
        let found: Vec<Finding> = found.collect();
        assert_eq!(found.len(), 200);
        let _ = writeln!(text, "{}", report(&pair.join(" to "), &found));
        println!("{}", &text[started..]);
        all.extend(found);
    }
    println!("{}", report("all pairs", &all));
    let pairs = all
        .iter()
        .map(|one| (one.projections[2].speed_up, one.truth));
    let [middle, most, _] = errors(pairs);
    // The aims are 2 %, 6 % and 90 %; what holds today is in docs/evidence/app-projection.md.
    assert!(middle <= 0.02, "the middle error is {middle}");
    assert!(most <= 0.08, "one in twenty errs by more than {most}");
    let share = covered(&all, 2);
    assert!(
        share >= 0.75,
        "the truth lies inside the band in {share} of all"
    );
}
