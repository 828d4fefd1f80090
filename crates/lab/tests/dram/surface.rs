//! Surfaces: what they hold, that they can be kept, and what is refused.

use std::cell::RefCell;
use std::collections::BTreeMap;

use wordline_apps::{Surface, SurfacePlace};
use wordline_catalog::{Catalog, SURFACES};
use wordline_core::quantity::{Fraction, Quantity as _};
use wordline_core::{Axis, DramTest, Experiment, Metric, ResultSet, SurfaceTest};
use wordline_lab::{Control, LabError, SurfaceShelf, shipped_surface};

use super::support::{RDIMM, dram, is_plain, of, ran, with};

fn shares(shares: &[f64]) -> Vec<Fraction> {
    shares.iter().copied().map(Fraction::from_si).collect()
}

/// Two curves of one channel.
fn surface() -> Experiment {
    let mut experiment = of(DramTest::Surface(SurfaceTest {
        write_shares: shares(&[0.0, 0.5]),
        localities: shares(&[0.5]),
        imbalances: vec![1.0],
        confidence: Fraction::from_si(0.03),
    }));
    experiment.targets.truncate(1);
    experiment
}

fn test(experiment: &mut Experiment) -> &mut SurfaceTest {
    let DramTest::Surface(test) = &mut dram(experiment).test else {
        unreachable!("it is a surface")
    };
    test
}

/// Texts by key, and how often one was written.
#[derive(Default)]
struct KeptTexts {
    texts: RefCell<BTreeMap<String, String>>,
    written: RefCell<u32>,
}

impl KeptTexts {
    fn run(&self, experiment: &Experiment) -> ResultSet {
        let read = |key: &str| Ok(self.texts.borrow().get(key).cloned());
        let write = |key: &str, json: &str| {
            self.texts
                .borrow_mut()
                .insert(key.to_owned(), json.to_owned());
            *self.written.borrow_mut() += 1;
            Ok(())
        };
        let shelf = SurfaceShelf {
            read: &read,
            write: &write,
        };
        let control = Control {
            surfaces: Some(&shelf),
            ..Control::default()
        };
        with(experiment, &control).expect("it runs")
    }
}

/// The surface that is handed over is that of the rows, point by point, as sure as was asked for.
#[test]
fn a_surface_is_what_its_rows_say() {
    let taken = RefCell::new(Vec::new());
    let take = |target: &str, json: &str| {
        taken
            .borrow_mut()
            .push((target.to_owned(), json.to_owned()));
        Ok(())
    };
    let control = Control {
        surface: Some(&take),
        ..Control::default()
    };
    let document = with(&surface(), &control).expect("it runs");
    assert_eq!(document.check(), Ok(()));
    assert!(document.complete);
    let taken = taken.into_inner();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].0, RDIMM);
    let surface = Surface::from_json(&taken[0].1).expect("it is one");
    assert_eq!((surface.target.as_str(), surface.curves.len()), (RDIMM, 2));
    let points: Vec<_> = surface
        .curves
        .iter()
        .flat_map(|curve| &curve.points)
        .collect();
    for (metric, of) in [
        (
            Metric::OutstandingMean,
            (|point| point.outstanding) as fn(&wordline_apps::SurfacePoint) -> f64,
        ),
        (Metric::LineLatencyMean, |point| point.latency_ns * 1e-9),
        (Metric::LatencyMean, |point| point.read_ns * 1e-9),
        (Metric::ThroughputMean, |point| point.bytes_per_s),
        (Metric::PowerMean, |point| point.power_w),
    ] {
        let rows = document.of(metric).filter(|row| is_plain(row));
        let values: Vec<f64> = rows.filter_map(|row| row.value).collect();
        let wanted: Vec<f64> = points.iter().map(|point| of(point)).collect();
        assert_eq!(values, wanted, "{metric}");
    }
    for curve in &surface.curves {
        let points = &curve.points;
        assert!((6..=12).contains(&points.len()), "{points:?}");
        for point in points {
            assert!(point.error_ns <= 0.0301 * point.latency_ns, "{point:?}");
            assert!(point.read_p50_ns <= point.read_p99_ns);
        }
        // From an idle memory to one that all cores wait for.
        let (first, last) = (points[0], points[points.len() - 1]);
        assert!(
            first.outstanding < 3.0 && last.outstanding > 300.0,
            "{points:?}"
        );
        assert!((90.0..130.0).contains(&first.read_ns), "{first:?}");
        assert!(last.latency_ns > 4.0 * first.latency_ns);
    }
    // Half of the lines written: less is carried, and more power taken for a line.
    let most = |curve: usize| {
        surface.curves[curve]
            .points
            .last()
            .expect("points")
            .bytes_per_s
    };
    assert!(most(1) < 0.95 * most(0));
}

/// What is kept is not simulated again, and gives the same document; whatever it depends on gives it another key.
#[test]
fn kept_surfaces_give_the_same_document() {
    let shelf = KeptTexts::default();
    let simulated = shelf.run(&surface());
    assert_eq!(simulated.to_json(), ran(&surface()).to_json());
    let kept = shelf.run(&surface());
    assert_eq!(simulated.to_json(), kept.to_json());
    assert_eq!(*shelf.written.borrow(), 1);
    let key = shelf.texts.borrow().keys().next().cloned().expect("a key");
    assert!(key.len() == 64 && key.bytes().all(|digit| digit.is_ascii_hexdigit()));
    for change in [
        (|experiment| experiment.seed += 1) as fn(&mut Experiment),
        |experiment| test(experiment).confidence = Fraction::from_si(0.04),
        |experiment| dram(experiment).measure_ps += 1_000_000,
        |experiment| {
            let settings = &mut dram(experiment).settings;
            settings.insert("page_policy".into(), "closed".into());
        },
    ] {
        let mut other = surface();
        test(&mut other).write_shares.truncate(1);
        change(&mut other);
        shelf.run(&other);
    }
    assert_eq!(*shelf.written.borrow(), 5);
    // One that is broken is simulated again, and said so.
    shelf
        .texts
        .borrow_mut()
        .insert(key.clone(), "{}".to_owned());
    let again = shelf.run(&surface());
    assert_eq!(*shelf.written.borrow(), 6);
    let warned = again
        .warnings
        .iter()
        .any(|warning| warning.advice.contains(&key));
    assert!(warned, "{:?}", again.warnings);
    assert_eq!(again.rows, simulated.rows);
}

/// Surfaces that differ in nothing but their seed lie within each other's intervals, as often as these say.
#[test]
fn intervals_of_a_surface_hold() {
    let surfaces = (0..10).map(|seed| {
        let shelf = KeptTexts::default();
        let mut experiment = surface();
        experiment.seed = seed;
        test(&mut experiment).write_shares = shares(&[0.3]);
        shelf.run(&experiment);
        let texts = shelf.texts.into_inner();
        let text = texts.values().next().expect("it was kept");
        Surface::from_json(text).expect("it is one")
    });
    let surfaces: Vec<Surface> = surfaces.collect();
    let (mut held, mut all) = (0, 0);
    for outstanding in [5.0, 39.0, 78.0, 156.0, 300.0] {
        let place = SurfacePlace {
            outstanding,
            write_share: 0.3,
            locality: 0.5,
            imbalance: 1.0,
        };
        let answers: Vec<_> = surfaces
            .iter()
            .map(|surface| surface.answer(&place))
            .collect();
        let mean = answers.iter().map(|answer| answer.latency_ns).sum::<f64>() / 10.0;
        held += answers
            .iter()
            .filter(|answer| (answer.latency_ns - mean).abs() <= answer.error_ns)
            .count();
        all += answers.len();
    }
    assert!(held * 100 >= 88 * all, "{held} of {all}");
}

/// Surfaces that come along are those of the sheets: whoever changes a sheet that one depends on, or what a run measures, makes
/// it again. Changed settings have none.
#[test]
fn shipped_surfaces_belong_to_their_sheets() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    for shipped in SURFACES {
        let found = shipped_surface(&catalog, shipped.target, &BTreeMap::new());
        let surface = found.expect("it is one").unwrap_or_else(|| {
            panic!(
                "{}: its sheets have changed; crates/catalog/surfaces/README.md says how to make it again",
                shipped.target
            )
        });
        assert_eq!(surface.target, shipped.target);
        assert!(shipped.json.len() < 100_000, "{}", shipped.json.len());
        let settings = BTreeMap::from([("page_policy".to_owned(), "closed".to_owned())]);
        let other = shipped_surface(&catalog, shipped.target, &settings);
        assert_eq!(other.expect("it can be set"), None);
    }
}

#[test]
fn a_surface_that_cannot_be_is_refused_by_name() {
    type Change = fn(&mut SurfaceTest);
    let refusal = |change: Change| {
        let mut experiment = surface();
        change(test(&mut experiment));
        let refused: Result<ResultSet, LabError> = with(&experiment, &Control::default());
        refused.expect_err("refused").to_string()
    };
    let cases: [(Change, &str); 8] = [
        (|of| of.write_shares.clear(), "write_share"),
        (
            |of| of.write_shares = shares(&[0.5, 0.2]),
            "write_share 0.2 comes after 0.5",
        ),
        (
            |of| of.localities = shares(&[0.5, 1.5]),
            "locality 150 % is out of range; allowed: 0 % to 100 %",
        ),
        (
            |of| of.imbalances = vec![1.0, 1.0],
            "imbalance 1 is named twice",
        ),
        (
            |of| of.imbalances = vec![0.5],
            "imbalance 0.5 is out of range; allowed: 1 to 1024",
        ),
        // One channel cannot have more than its share.
        (
            |of| of.imbalances = vec![1.5],
            "rdimm-6400-2rx4-64g@xeon6-1s: program.imbalance: 1.5; allowed: 1 to 1",
        ),
        (
            |of| of.confidence = Fraction::from_si(0.0),
            "confidence 0 % is out of range; allowed: 0.1 % to 50 %",
        ),
        (
            |of| {
                let many: Vec<f64> = (0..40).map(|n| f64::from(n) / 40.0).collect();
                (of.write_shares, of.localities) = (shares(&many), shares(&many));
            },
            "write_share x localities x imbalances are 1600 curves; allowed: up to 1000",
        ),
    ];
    for (change, words) in cases {
        let found = refusal(change);
        assert!(found.starts_with(words), "{found}");
    }
    let mut points = BTreeMap::new();
    for row in ran(&surface())
        .rows
        .iter()
        .filter(|row| row.axes.contains_key(&Axis::Point))
    {
        *points.entry(row.metric.name()).or_insert(0) += 1;
    }
    assert!(points.len() >= 9, "{points:?}");
}
