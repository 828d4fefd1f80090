use proptest::prelude::*;

use super::{Surface, SurfaceCurve, SurfaceError, SurfacePlace, SurfacePoint};

/// A point that keeps Little's law.
fn point(outstanding: f64, latency_ns: f64) -> SurfacePoint {
    SurfacePoint {
        outstanding,
        latency_ns,
        error_ns: 0.01 * latency_ns,
        read_p50_ns: 0.9 * latency_ns,
        read_p99_ns: 3.0 * latency_ns,
        read_ns: 0.95 * latency_ns,
        bytes_per_s: outstanding * 64e9 / latency_ns,
        power_w: 50.0 + outstanding / latency_ns,
    }
}

fn curve(points: &[(f64, f64)]) -> SurfaceCurve {
    SurfaceCurve {
        points: points.iter().map(|&(lines, ns)| point(lines, ns)).collect(),
    }
}

/// Idle at 100 ns, saturated at 5 lines a nanosecond; twice as slow where all lines are written.
fn sample() -> Surface {
    let of = |factor: f64| {
        let points = [
            (10.0, 100.0),
            (200.0, 110.0),
            (400.0, 130.0),
            (1_000.0, 200.0),
            (3_000.0, 600.0),
        ];
        curve(&points.map(|(lines, ns)| (lines, factor * ns)))
    };
    Surface {
        schema: 1,
        target: "module@system".to_owned(),
        write_shares: vec![0.0, 1.0],
        localities: vec![0.0, 0.5, 1.0],
        imbalances: vec![1.0],
        curves: [1.0, 1.2, 1.4, 2.0, 2.2, 2.4].map(of).to_vec(),
    }
}

fn place(outstanding: f64, write_share: f64, locality: f64) -> SurfacePlace {
    SurfacePlace {
        outstanding,
        write_share,
        locality,
        imbalance: 1.0,
    }
}

#[test]
fn points_say_what_was_simulated() {
    let surface = sample();
    let answer = surface.answer(&place(1_000.0, 1.0, 0.5));
    assert!((answer.latency_ns - 440.0).abs() < 1e-9);
    assert!((answer.error_ns - 4.4).abs() < 1e-9);
    assert!((answer.read_ns - 418.0).abs() < 1e-9);
    assert!((answer.bytes_per_s - 1_000.0 * 64e9 / 440.0).abs() < 1.0);
}

/// By hand: between write shares and localities figures are linear, and beyond an axis its end holds.
#[test]
fn between_curves_figures_are_linear() {
    let surface = sample();
    let at = |writes, locality| surface.answer(&place(200.0, writes, locality)).latency_ns;
    assert!((at(0.25, 0.0) - 110.0 * 1.25).abs() < 1e-9);
    assert!((at(0.0, 0.25) - 110.0 * 1.1).abs() < 1e-9);
    assert!((at(0.5, 0.75) - 110.0 * f64::midpoint(1.3, 2.3)).abs() < 1e-9);
    assert_eq!(at(-1.0, 0.0), at(0.0, 0.0));
    assert_eq!(at(7.0, 9.0), at(1.0, 1.0));
}

/// An idle memory has one latency; a saturated one carries no more.
#[test]
fn the_ends_of_a_curve_go_on_as_memories_do() {
    let surface = sample();
    let idle = surface.answer(&place(1.0, 0.0, 0.0));
    assert!((idle.latency_ns - 100.0).abs() < 1e-9);
    assert!((idle.bytes_per_s - 64e9 / 100.0).abs() < 1.0);
    assert!(idle.power_w < 50.1 && idle.power_w > 49.9);
    assert_eq!(surface.answer(&place(0.0, 0.0, 0.0)).bytes_per_s, 0.0);
    let full = surface.answer(&place(3_000.0, 0.0, 0.0));
    let more = surface.answer(&place(9_000.0, 0.0, 0.0));
    assert!((more.latency_ns / full.latency_ns - 3.0).abs() < 1e-12);
    assert!((more.bytes_per_s / full.bytes_per_s - 1.0).abs() < 1e-12);
    assert_eq!(more.power_w, full.power_w);
    assert!((more.read_ns - full.read_ns - 1_200.0).abs() < 1e-9);
}

#[test]
fn a_straight_line_is_met_between_its_points() {
    let line = curve(&[(10.0, 110.0), (50.0, 150.0), (300.0, 400.0), (310.0, 410.0)]);
    for outstanding in [10.0, 11.0, 49.0, 123.0, 305.0, 310.0] {
        let found = line.answer(outstanding).latency_ns;
        assert!(
            (found - 100.0 - outstanding).abs() < 1e-9,
            "{outstanding}: {found}"
        );
    }
}

fn any_surface() -> impl Strategy<Value = Surface> {
    let axis = |least: f64| {
        prop::collection::btree_set(0u32..100, 1..4).prop_map(move |set| {
            set.into_iter()
                .map(|n| least + f64::from(n) / 100.0)
                .collect::<Vec<f64>>()
        })
    };
    let curve = prop::collection::vec((0.1..500.0f64, 0.0..300.0f64), 1..8);
    let curves = prop::collection::vec(curve, 27..28);
    (axis(0.0), axis(0.0), axis(1.0), curves).prop_map(
        |(write_shares, localities, imbalances, steps)| {
            let count = write_shares.len() * localities.len() * imbalances.len();
            let rising = |steps: &Vec<(f64, f64)>| {
                let mut at = (0.0, 50.0);
                let points = steps.iter().map(|&(lines, ns)| {
                    at = (at.0 + lines, at.1 + ns);
                    point(at.0, at.1)
                });
                SurfaceCurve {
                    points: points.collect(),
                }
            };
            Surface {
                schema: 1,
                target: "module@system".to_owned(),
                write_shares,
                localities,
                imbalances,
                curves: steps[..count].iter().map(rising).collect(),
            }
        },
    )
}

proptest! {
    /// What is written is read back as it was.
    #[test]
    fn surfaces_survive_json(surface in any_surface()) {
        prop_assert_eq!(surface.check(), Ok(()));
        prop_assert_eq!(Surface::from_json(&surface.to_json()), Ok(surface));
    }

    /// Latency never falls with lines, and lies between that of the points beside.
    #[test]
    fn latency_rises_with_lines(
        surface in any_surface(),
        (write_share, locality, imbalance) in (0.0..1.0f64, 0.0..1.0f64, 1.0..2.0f64),
        mut lines in prop::collection::vec(0.0..5_000.0f64, 2..20),
    ) {
        lines.sort_by(f64::total_cmp);
        let at = |outstanding| surface.answer(&SurfacePlace { outstanding, write_share, locality, imbalance });
        let found: Vec<_> = lines.iter().map(|&lines| at(lines)).collect();
        for pair in found.windows(2) {
            prop_assert!(pair[1].latency_ns >= pair[0].latency_ns * (1.0 - 1e-12));
            prop_assert!(pair[1].read_ns >= pair[0].read_ns * (1.0 - 1e-12));
        }
        for (lines, answer) in lines.iter().zip(found) {
            prop_assert!((answer.bytes_per_s * answer.latency_ns - lines * 64e9).abs() <= 1e-6 * lines * 64e9);
            prop_assert!(answer.power_w >= 0.0 && answer.error_ns >= 0.0);
        }
        let curve = &surface.curves[0];
        for pair in curve.points.windows(2) {
            let middle = curve.answer(f64::midpoint(pair[0].outstanding, pair[1].outstanding)).latency_ns;
            let near = 1e-9 * middle;
            prop_assert!(middle >= pair[0].latency_ns - near && middle <= pair[1].latency_ns + near);
        }
    }

    /// Any text is a surface or a named error.
    #[test]
    fn no_text_is_a_panic(text in ".{0,200}", cut in 0usize..2_000, byte in any::<u8>()) {
        let _ = Surface::from_json(&text);
        let mut bytes = sample().to_json().into_bytes();
        let at = cut % bytes.len();
        bytes[at] = byte;
        if let Ok(text) = String::from_utf8(bytes)
            && let Ok(surface) = Surface::from_json(&text)
        {
            let answer = surface.answer(&place(500.0, 0.3, 0.3));
            prop_assert!(answer.latency_ns > 0.0);
        }
    }
}

#[test]
fn what_contradicts_itself_is_named() {
    let problem = |change: &dyn Fn(&mut Surface)| {
        let mut surface = sample();
        change(&mut surface);
        surface.check().expect_err("a wrong surface").to_string()
    };
    type Change = fn(&mut Surface);
    let cases: [(Change, &str); 11] = [
        (
            |of| of.schema = 2,
            "the surface has schema 2; this version reads schema 1",
        ),
        (
            |of| of.write_shares = vec![],
            "write_shares: []; allowed: ascending",
        ),
        (
            |of| of.write_shares = vec![0.5, 0.5],
            "write_shares: [0.5, 0.5]; allowed",
        ),
        (
            |of| of.localities[2] = 1.5,
            "localities: [0.0, 0.5, 1.5]; allowed",
        ),
        (
            |of| of.imbalances[0] = 0.5,
            "imbalances: [0.5]; allowed: ascending numbers, at least one, from 1 on",
        ),
        (|of| of.imbalances.push(2.0), "6 curves; 12 write shares"),
        (|of| of.curves[3].points.clear(), "curve 4 has no points"),
        (
            |of| of.curves[0].points.swap(0, 1),
            "curve 1, point 2, outstanding: 10; allowed: more than the point before",
        ),
        (
            |of| of.curves[1].points[2].latency_ns = -3.0,
            "curve 2, point 3, latency_ns: -3; allowed: a number above 0",
        ),
        (
            |of| of.curves[1].points[2].read_p99_ns = 1.0,
            "curve 2, point 3, read_p99_ns: 1; allowed: a number from read_p50_ns on",
        ),
        (
            |of| of.curves[5].points[4].bytes_per_s *= 1.1,
            "curve 6, point 5: 3000 lines under way for 1440 ns each",
        ),
    ];
    for (change, words) in cases {
        let found = problem(&change);
        assert!(found.starts_with(words), "{found}");
    }
    let text = sample().to_json().replacen("\"target\"", "\"tarrget\"", 1);
    let error = Surface::from_json(&text).expect_err("an unknown field");
    assert!(
        matches!(error, SurfaceError::Syntax { line: 1, .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("unknown field `tarrget`"),
        "{error}"
    );
}
