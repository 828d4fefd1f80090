//! Programs on other memories: powers from measured runs, and windows simulated whole.

use std::io::BufRead;

use wordline_catalog::Catalog;
use wordline_core::quantity::{Money, Quantity as _};
use wordline_core::{
    AppWorkload, Axis, Experiment, Metric, ModulePrices, PowerRun, ResultSet, Timing, Workload,
};
use wordline_lab::{Control, LabError, run, shipped_surface};

const RDIMM: &str = "rdimm-6400-2rx4-128g@xeon6-1s";
const MRDIMM: &str = "mrdimm-8800-2rx4-128g@xeon6-1s";

/// A program of one phase whose load is even: so much is read and written a second, and cores wait for 60 % of the time.
fn profile() -> serde_json::Value {
    let value = |value: f64| serde_json::json!({ "value": value, "basis": "measured" });
    serde_json::json!({
        "schema": 1, "name": "even", "baseline": RDIMM, "cores": 128,
        "phases": [{
            "name": "all", "seconds": value(10.0), "lines_read": value(5e10), "lines_written": value(1.2e10),
            "stall_share": value(0.6), "locality": value(0.5), "imbalance": value(1.0),
            "load": { "levels": [[1.0, 1.0]], "window_s": 0.001, "basis": "measured" }
        }]
    })
}

fn program(app: AppWorkload) -> Experiment {
    let app = AppWorkload {
        profile: Some(profile()),
        draws: 20,
        ..app
    };
    Experiment {
        targets: vec![MRDIMM.to_owned()],
        workload: Workload::App(Box::new(app)),
        timings: vec![Timing::Max],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

fn done(app: AppWorkload, control: &Control<'_>) -> Result<ResultSet, LabError> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    run(&catalog, &program(app), control)
}

/// The value of a row by its metric, target and estimate.
fn value(
    document: &ResultSet,
    metric: Metric,
    target: &str,
    estimate: Option<&str>,
) -> Option<f64> {
    let rows = document.rows.iter();
    let mut rows = rows.filter(|row| {
        let is_whole = row.text(Axis::Cause).is_none();
        row.metric == metric
            && row.target == target
            && row.text(Axis::Estimate) == estimate
            && is_whole
    });
    rows.next()?.value
}

fn measured(seconds: f64, cores: f64, stall_share: f64) -> PowerRun {
    const MODULES_W: f64 = 90.0;
    let active = 2.5 * (1.0 - stall_share) + 1.5 * stall_share;
    PowerRun {
        seconds,
        cores,
        stall_share,
        outside_share: 0.0,
        energy_j: seconds * (200.0 + cores * active + MODULES_W),
        modules_j: Some(seconds * MODULES_W),
        bytes_per_s: None,
    }
}

#[test]
fn a_price_of_another_module_is_refused_and_one_that_is_missing_is_said() {
    let priced = |modules: &[&str]| {
        let price = |id: &&str| ((*id).to_owned(), Money::from_si(500.0));
        AppWorkload {
            prices: ModulePrices {
                parts: modules.iter().map(price).collect(),
            },
            ..AppWorkload::default()
        }
    };
    let [rdimm, mrdimm] = [RDIMM, MRDIMM].map(|name| name.split_once('@').expect("a system").0);
    let refused = done(priced(&["mt29f1g01"]), &Control::default());
    let refused = refused.expect_err("no module of it").to_string();
    let named = [rdimm, mrdimm].iter().all(|id| refused.contains(id));
    assert!(named && refused.contains("mt29f1g01"), "{refused}");
    let missing = |document: &ResultSet| {
        let mut warnings = document.warnings.iter();
        warnings.any(|warning| warning.advice.starts_with("no price is stated for"))
    };
    let both = done(priced(&[rdimm, mrdimm]), &Control::default()).expect("priced");
    assert!(!missing(&both));
    assert!(value(&both, Metric::Cost, MRDIMM, None).is_some());
    let one = done(priced(&[mrdimm]), &Control::default()).expect("priced");
    assert!(missing(&one), "{:?}", one.warnings);
    let other = "rdimm-6400-2rx4-64g";
    let unused = done(priced(&[rdimm, mrdimm, other]), &Control::default()).expect("a module");
    let warnings: Vec<_> = unused.warnings.iter().map(|one| &*one.advice).collect();
    let said = format!("no projection uses the price of {other}");
    assert!(
        warnings.iter().any(|one| one.starts_with(&said)),
        "{warnings:?}"
    );
    let none = done(AppWorkload::default(), &Control::default()).expect("no prices");
    assert!(!missing(&none));
}

#[test]
fn powers_are_found_from_runs_and_make_the_energy_of_the_task() {
    let runs = vec![
        measured(60.0, 128.0, 0.55),
        measured(71.0, 96.0, 0.45),
        measured(134.0, 48.0, 0.3),
    ];
    let found = done(
        AppWorkload {
            power_runs: runs,
            ..AppWorkload::default()
        },
        &Control::default(),
    )
    .expect("it runs");
    let watts = |text: &str| Some(text.parse().expect("a power"));
    let stated = done(
        AppWorkload {
            platform_power: watts("200W"),
            active_power: watts("2.5W"),
            stalled_power: watts("1.5W"),
            ..AppWorkload::default()
        },
        &Control::default(),
    )
    .expect("it runs");
    for target in [RDIMM, MRDIMM] {
        let of = |document| value(document, Metric::TaskEnergy, target, None).expect("determined");
        assert!((of(&found) / of(&stated) - 1.0).abs() < 1e-9);
    }
    let of = |target| value(&stated, Metric::TaskEnergy, target, None).expect("determined");
    let ratio = value(&stated, Metric::TaskEnergyRatio, MRDIMM, None).expect("determined");
    assert!((ratio - of(MRDIMM) / of(RDIMM)).abs() < 1e-12);
    assert!(
        found
            .warnings
            .iter()
            .all(|warning| warning.code != "undetermined")
    );
}

/// Runs on the same cores leave platform and cores one column: the energy has ends, and the warning says what would suffice.
#[test]
fn runs_that_determine_nothing_leave_the_ends() {
    let alike = [0.7, 0.5, 0.3].map(|stalls| measured(10.0, 128.0, stalls));
    let app = AppWorkload {
        power_runs: alike.to_vec(),
        ..AppWorkload::default()
    };
    let document = done(app, &Control::default()).expect("it runs");
    assert_eq!(value(&document, Metric::TaskEnergy, MRDIMM, None), None);
    let end = |name| value(&document, Metric::TaskEnergyRatio, MRDIMM, Some(name));
    let (least, greatest) = (
        end("least").expect("an end"),
        end("greatest").expect("an end"),
    );
    assert!(
        0.5 < least && least < 1.0 && greatest < 1.5,
        "{least} {greatest}"
    );
    let why = document.warnings.iter();
    let why: Vec<_> = why.filter(|one| one.code == "undetermined").collect();
    assert!(
        why.len() == 1 && why[0].advice.contains("different numbers of cores"),
        "{why:?}"
    );
}

#[test]
fn powers_are_stated_once() {
    let app = AppWorkload {
        power_runs: vec![measured(10.0, 128.0, 0.5)],
        platform_power: Some("200W".parse().expect("a power")),
        ..AppWorkload::default()
    };
    let error = done(app, &Control::default())
        .expect_err("refused")
        .to_string();
    assert!(error.contains("power-runs"), "{error}");
    let app = AppWorkload {
        power_runs: vec![PowerRun {
            stall_share: 3.0,
            ..measured(10.0, 128.0, 0.5)
        }],
        ..AppWorkload::default()
    };
    let error = done(app, &Control::default())
        .expect_err("refused")
        .to_string();
    assert!(
        error.contains("stall_share is 3; allowed: 0 to 1"),
        "{error}"
    );
}

/// Windows agree with the surface that comes along. A surface of the target that is too slow by two fifths is found out.
#[test]
fn windows_simulated_whole_find_a_surface_that_misleads() {
    let app = || AppWorkload {
        cosimulate: true,
        ..AppWorkload::default()
    };
    let sound = done(app(), &Control::default()).expect("it runs");
    let off = |document: &ResultSet, target| {
        let found = value(
            document,
            Metric::SurfaceDifference,
            target,
            Some("cosimulated"),
        );
        found.expect("it was simulated")
    };
    for target in [RDIMM, MRDIMM] {
        let off = off(&sound, target);
        assert!(off.abs() < 0.03, "{target}: {off}");
    }
    let whole = |document: &ResultSet| {
        value(document, Metric::SpeedUp, MRDIMM, Some("cosimulated")).expect("it was simulated")
    };
    let by_surface = value(&sound, Metric::SpeedUp, MRDIMM, None).expect("projected");
    assert!((whole(&sound) / by_surface - 1.0).abs() < 0.03);
    let is_warned = |document: &ResultSet| {
        let mut warnings = document.warnings.iter();
        warnings.any(|warning| warning.advice.contains("misled most in the phase all"))
    };

    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let surface = shipped_surface(&catalog, MRDIMM, &std::collections::BTreeMap::new());
    let mut surface = surface.expect("readable").expect("it comes along");
    for point in surface
        .curves
        .iter_mut()
        .flat_map(|curve| &mut curve.points)
    {
        point.latency_ns *= 1.4;
        point.read_ns *= 1.4;
        point.read_p50_ns *= 1.4;
        point.read_p99_ns *= 1.4;
        point.bytes_per_s /= 1.4;
    }
    let text = surface.to_json().into_bytes();
    let open = |_: &str| Ok(Box::new(std::io::Cursor::new(text.clone())) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let wrong = AppWorkload {
        surfaces: vec!["slow.json".to_owned()],
        ..app()
    };
    let misled = done(wrong, &control).expect("it runs");
    assert!(off(&misled, MRDIMM) < -0.1, "{}", off(&misled, MRDIMM));
    assert!(off(&misled, RDIMM).abs() < 0.03);
    // The truth is the same, whatever the surface says.
    assert!((whole(&misled) / whole(&sound) - 1.0).abs() < 0.02);
    assert!(is_warned(&misled) && !is_warned(&sound));
}

/// Counters do not say on which memory a program ran; a profile may leave it to the flag.
#[test]
fn a_profile_without_its_memory_takes_it_from_the_flag() {
    let of = |baseline: &str, on: Option<&str>| {
        let mut profile = profile();
        profile["baseline"] = baseline.into();
        let mut experiment = program(AppWorkload::default());
        let Workload::App(app) = &mut experiment.workload else {
            unreachable!("it is a program");
        };
        app.profile = Some(profile);
        app.on = on.map(str::to_owned);
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        run(&catalog, &experiment, &Control::default())
    };
    let stated = of(RDIMM, None).expect("it runs");
    let asked = of("", Some(RDIMM)).expect("it runs");
    assert_eq!(stated.rows, asked.rows);
    let error = of("", None).expect_err("nothing says it").to_string();
    assert!(
        error.contains("--on") && error.contains("does not name the memory"),
        "{error}"
    );
    let error = of(RDIMM, Some(MRDIMM))
        .expect_err("two of them")
        .to_string();
    assert!(error.starts_with("on goes without a profile"), "{error}");
}
