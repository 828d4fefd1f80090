use wordline_core::Basis;

use super::*;
use crate::core::tests::queue;
use crate::profile::{LoadLevels, ProfilePhase, ProfileValue};

/// A queue whose latency writes lengthen.
struct Queue {
    idle: f64,
    rate: f64,
    error: f64,
}

impl LatencySurface for Queue {
    fn curve(&self, at: CurvePlace) -> MemoryCurve {
        queue(self.idle, self.rate * (1.0 - 0.5 * at.write_share))
    }

    fn error(&self) -> f64 {
        self.error
    }

    fn ends(&self) -> [CurvePlace; 2] {
        let end = |share, imbalance| CurvePlace {
            write_share: share,
            locality: share,
            imbalance,
        };
        [end(0.0, 1.0), end(0.5, 2.5)]
    }
}

const RDIMM: Queue = Queue {
    idle: 104.0,
    rate: 8.8,
    error: 0.005,
};
const MRDIMM: Queue = Queue {
    idle: 106.0,
    rate: 12.1,
    error: 0.005,
};

fn memory(surface: &Queue, id: u64) -> ProjectedMemory<'_> {
    ProjectedMemory {
        surface,
        misses_per_core: 26.0,
        id,
    }
}

fn measured(value: f64) -> ProfileValue {
    ProfileValue::exact(value, Basis::Measured)
}

fn phase(gb_per_s: f64, stalls: f64) -> ProfilePhase {
    ProfilePhase {
        name: "all".into(),
        seconds: measured(10.0),
        lines_read: measured(0.8 * gb_per_s * 10e9 / 64.0),
        lines_written: measured(0.2 * gb_per_s * 10e9 / 64.0),
        stall_share: measured(stalls),
        instructions: None,
        cycles: None,
        prefetched_share: None,
        outstanding: None,
        latency_ns: None,
        load: Some(LoadLevels {
            levels: vec![[1.0, 1.0]],
            window_s: 1e-3,
            basis: Basis::Measured,
        }),
        imbalance: Some(measured(1.0)),
        locality: Some(measured(0.5)),
        outside_share: None,
    }
}

fn profile(phases: Vec<ProfilePhase>) -> Profile {
    Profile {
        schema: Profile::SCHEMA,
        name: "program".into(),
        made_by: String::new(),
        baseline: "rdimm@system".into(),
        cores: 128,
        phases,
    }
}

const BAND: BandRequest = BandRequest {
    draws: 200,
    seed: 0,
};

fn onto(profile: &Profile, target: &Queue, id: u64) -> Projection {
    project(profile, memory(&RDIMM, 1), memory(target, id), Some(BAND)).expect("it can be")
}

#[test]
fn the_same_memory_is_as_fast_exactly() {
    let mut wide = phase(350.0, 0.5);
    wide.load = None;
    wide.locality = None;
    wide.stall_share = ProfileValue::within(0.5, 0.2, 0.8, Basis::Assumed);
    for one in [phase(350.0, 0.5), phase(440.0, 1.0), phase(20.0, 0.0), wide] {
        let found = onto(&profile(vec![one]), &RDIMM, 1);
        assert_eq!(found.speed_up.to_bits(), 1.0_f64.to_bits());
        let band = found.band.expect("it was asked for");
        assert_eq!([band.low, band.median, band.high], [1.0; 3]);
    }
}

#[test]
fn what_is_outside_stays_as_long() {
    let mut mixed = phase(300.0, 0.6);
    mixed.outside_share = Some(measured(0.25));
    let found = onto(&profile(vec![mixed]), &MRDIMM, 2);
    let outside = found.after.outside * found.seconds_after;
    assert!((outside - 2.5).abs() < 1e-9, "{found:?}");
    for shares in [found.before, found.after] {
        let all = shares.compute + shares.latency + shares.queue + shares.outside;
        assert!((all - 1.0).abs() < 1e-9, "{shares:?}");
    }
    assert!((found.before.stalled() - 0.75 * 0.6).abs() < 1e-6);
}

#[test]
fn phases_take_the_time_that_each_takes() {
    let both = onto(
        &profile(vec![phase(420.0, 0.9), phase(30.0, 0.1)]),
        &MRDIMM,
        2,
    );
    let seconds: f64 = both.phases.iter().map(|one| one.seconds[1]).sum();
    assert!((both.speed_up - 20.0 / seconds).abs() < 1e-12);
    assert!(both.phases[0].speed_up > both.phases[1].speed_up);
}

#[test]
fn what_holds_a_program_back_is_named_and_what_would_help() {
    let full = onto(&profile(vec![phase(490.0, 0.95)]), &MRDIMM, 2);
    assert_eq!(full.bound, ProgramBound::Bandwidth);
    let chase = onto(&profile(vec![phase(20.0, 0.9)]), &MRDIMM, 2);
    assert_eq!(chase.bound, ProgramBound::Latency);
    assert!(chase.gain.nanosecond > chase.gain.percent_of_bandwidth);
    assert!(chase.speed_up < 1.0, "this target is slower without load");
    let sums = onto(&profile(vec![phase(20.0, 0.1)]), &MRDIMM, 2);
    assert_eq!(sums.bound, ProgramBound::Compute);
}

#[test]
fn what_is_not_known_widens_the_band() {
    let known = onto(&profile(vec![phase(400.0, 0.7)]), &MRDIMM, 2)
        .band
        .expect("asked for");
    let mut open = phase(400.0, 0.7);
    open.load = None;
    open.stall_share = ProfileValue::within(0.7, 0.5, 0.85, Basis::Assumed);
    let found = onto(&profile(vec![open]), &MRDIMM, 2);
    let wide = found.band.expect("asked for");
    assert!(
        wide.high - wide.low > 1.5 * (known.high - known.low),
        "{known:?} {wide:?}"
    );
    assert!(matches!(
        found.cautions[..],
        [ProjectionCaution::LoadUnknown { .. }]
    ));
}

#[test]
fn contradictions_are_named() {
    let refused = project(
        &profile(vec![phase(600.0, 0.7)]),
        memory(&RDIMM, 1),
        memory(&MRDIMM, 2),
        None,
    );
    let error = refused.expect_err("more than it carries").to_string();
    assert!(
        error.contains("phase all: 600.0 GB/s are more than the baseline carries"),
        "{error}"
    );
    let mut broken = phase(300.0, 0.5);
    broken.latency_ns = Some(measured(400.0));
    broken.outstanding = Some(measured(1.0));
    let found = onto(&profile(vec![broken]), &MRDIMM, 2);
    let told: Vec<String> = found.cautions.iter().map(ToString::to_string).collect();
    assert!(told[0].contains("a read took 400 ns"), "{told:?}");
    assert!(told[1].contains("by Little's law"), "{told:?}");
}

#[test]
fn bursts_beyond_the_memory_come_later() {
    let mut bursts = phase(400.0, 0.7);
    bursts.load = Some(LoadLevels {
        levels: vec![[0.5, 0.4], [0.5, 1.6]],
        window_s: 1e-3,
        basis: Basis::Measured,
    });
    let found = onto(&profile(vec![bursts]), &MRDIMM, 2);
    assert!(matches!(
        found.cautions[..],
        [ProjectionCaution::BurstsFlattened { .. }]
    ));
    let steady = onto(&profile(vec![phase(400.0, 0.7)]), &MRDIMM, 2);
    assert!(found.speed_up > steady.speed_up);
}

#[test]
fn plain_estimates_stand_beside() {
    let one = profile(vec![phase(470.0, 0.9)]);
    let plain = PlainEstimates::of(&one, memory(&RDIMM, 1), memory(&MRDIMM, 2));
    assert!((plain.always - 1.375).abs() < 1e-12);
    assert!((1.3..1.4).contains(&plain.roofline), "{plain:?}");
    let found = onto(&one, &MRDIMM, 2);
    assert!((plain.steady - found.speed_up).abs() < 1e-12);
}

#[test]
fn waits_together_name_the_bound() {
    let of = |compute, latency, queue, outside| {
        let shares = TimeShares {
            compute,
            latency,
            queue,
            outside,
        };
        shares.bound()
    };
    assert_eq!(of(0.45, 0.17, 0.38, 0.0), ProgramBound::Bandwidth);
    assert_eq!(of(0.45, 0.38, 0.17, 0.0), ProgramBound::Latency);
    // Both waits count as one against computing, though neither is longer than it.
    assert_eq!(of(0.45, 0.25, 0.30, 0.0), ProgramBound::Bandwidth);
    assert_eq!(of(0.55, 0.05, 0.40, 0.0), ProgramBound::Compute);
    // What is outside is a part of its own: it neither hides behind computing nor adds to it.
    assert_eq!(of(0.30, 0.03, 0.07, 0.60), ProgramBound::Outside);
    assert_eq!(of(0.30, 0.15, 0.25, 0.30), ProgramBound::Bandwidth);
    assert_eq!(of(0.40, 0.10, 0.20, 0.30), ProgramBound::Compute);
}

#[test]
fn a_program_that_sleeps_gains_as_if_it_never_did() {
    let mut awake = phase(300.0, 0.6);
    awake.load = Some(LoadLevels {
        levels: vec![[0.5, 0.5], [0.5, 1.5]],
        window_s: 1e-3,
        basis: Basis::Measured,
    });
    let mut computes = awake.clone();
    // As many lines at the same rate in a half of the time; in the other it computes.
    computes.seconds = measured(20.0);
    computes.stall_share = measured(0.3);
    if let Some(load) = &mut computes.load {
        load.levels = vec![[0.5, 0.0], [0.25, 1.0], [0.25, 3.0]];
    }
    let [alone, mixed] = [awake, computes].map(|one| onto(&profile(vec![one]), &MRDIMM, 2));
    assert!((mixed.before.stalled() - 0.3).abs() < 1e-6, "{mixed:?}");
    let saved = |one: &Projection| one.seconds_before - one.seconds_after;
    assert!((saved(&alone) / saved(&mixed) - 1.0).abs() < 1e-6);
}

#[test]
fn modules_that_nobody_asks_draw_what_they_draw_idle() {
    let idle = RDIMM.curve(CurvePlace::PLAIN).power_w(0.0);
    let mut asleep = phase(100.0, 0.0);
    asleep.outside_share = Some(measured(1.0));
    for one in [phase(0.0, 0.0), asleep] {
        let found = onto(&profile(vec![one]), &MRDIMM, 2);
        assert!((found.memory[0].power_w - idle).abs() < 1e-9, "{found:?}");
        assert_eq!(found.speed_up.to_bits(), 1.0_f64.to_bits());
    }
    let mut half = phase(300.0, 0.6);
    half.seconds = measured(20.0);
    half.outside_share = Some(measured(0.5));
    let [awake, half] = [phase(300.0, 0.6), half].map(|one| onto(&profile(vec![one]), &MRDIMM, 2));
    let mean = f64::midpoint(awake.memory[0].power_w, idle);
    assert!((half.memory[0].power_w - mean).abs() < 1e-6);
}

#[test]
fn a_measured_latency_tells_how_saturated_a_baseline_is() {
    // Two programs at the same rate near what the memory carries, with few lines under way and with many.
    let of = |latency: Option<f64>| {
        let mut near = phase(497.0, 0.95);
        near.latency_ns = latency.map(measured);
        onto(&profile(vec![near]), &MRDIMM, 2)
    };
    let [few, unknown, many] = [of(Some(300.0)), of(None), of(Some(420.0))];
    assert!(few.phases[0].parallel < many.phases[0].parallel);
    let latency = |one: &Projection| one.memory[0].latency_ns;
    assert!(
        (latency(&few) / 300.0 - 1.0).abs() < 0.01,
        "{}",
        latency(&few)
    );
    assert!(
        (latency(&many) / 420.0 - 1.0).abs() < 0.01,
        "{}",
        latency(&many)
    );
    assert!(latency(&unknown) > 0.0);
}

#[test]
fn what_lies_beyond_the_surface_is_said() {
    let mut writes = phase(100.0, 0.5);
    writes.lines_written = writes.lines_read;
    writes.lines_read = measured(1.0);
    let found = onto(&profile(vec![writes]), &MRDIMM, 2);
    let said = found.cautions.iter().any(|caution| {
        matches!(caution, ProjectionCaution::BeyondSurface { axis: "write share", end, .. } if (*end - 0.5).abs() < 1e-9)
    });
    assert!(said, "{:?}", found.cautions);
}
