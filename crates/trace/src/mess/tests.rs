use proptest::prelude::*;

use super::*;

fn strict(text: &str) -> Result<Vec<MessCurve>, MessError> {
    read(text.as_bytes(), MessOptions::default())
}

fn rising(text: &str) -> Result<Vec<MessCurve>, MessError> {
    read(text.as_bytes(), MessOptions { rising: true })
}

/// GB/s and ns of the points.
fn told(curve: &MessCurve) -> Vec<(f64, f64)> {
    let points = curve.points.iter();
    let point = |point: &MessPoint| (point.bandwidth / 1e9, (point.latency * 1e12).round() / 1e3);
    points.map(point).collect()
}

#[test]
fn pairs_come_in_either_order() {
    let falling = "26000.5 156.716\n26000.5 156.716\n# a comment\n20000\t120\n100 107.5\n";
    let ascending = "100 107.5\n20000 120\n26000.5 156.716\n";
    for text in [falling, ascending] {
        let curves = strict(text).expect("sound");
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].read_percent, None);
        assert_eq!(
            told(&curves[0]),
            [(0.1, 107.5), (20.0, 120.0), (26.0005, 156.716)]
        );
    }
}

#[test]
fn a_csv_has_a_curve_for_each_percentage() {
    let text = "pause,read_pct_rounded,bandwidth_mean,bandwidth_std,latency_mean\n\
                100,50,10.5,,90\n0,50,20,,180.25\n100,100,11,0.1,85\n";
    let curves = strict(text).expect("sound");
    assert_eq!(curves.len(), 2);
    assert_eq!(curves[0].read_percent, Some(50.0));
    assert_eq!(told(&curves[0]), [(10.5, 90.0), (20.0, 180.25)]);
    assert_eq!(curves[1].read_percent, Some(100.0));
    assert_eq!(curves[1].points[0].line, 4);
}

#[test]
fn curves_that_are_no_functions_are_named() {
    // The end of a published curve: it bends back at its greatest load, and smoothing took it below zero.
    let text = "250273.6 481.0\n250548.0 465.3\n248000 392.1\n2480.8 98.4\n-1348.6 97.7\n2000 98\n";
    let error = strict(text).expect_err("below zero");
    assert!(
        matches!(error, MessError::Number { line: 5, .. }),
        "{error}"
    );
    let error = strict("10 5\n9 4.4\n20 7\n").expect_err("less, and faster");
    assert!(
        matches!(
            error,
            MessError::NotAFunction {
                line: 2,
                before: 1,
                ..
            }
        ),
        "{error}"
    );
    let words = error.to_string();
    assert!(
        words.contains("not a function") && words.contains("--against-rising"),
        "{words}"
    );
    let bent = strict("250273.6 481.0\n250548.0 465.3\n248000 392.1\n").expect("bends back");
    assert_eq!(told(&bent[0]), [(248.0, 392.1), (250.548, 465.3)]);
    assert_eq!(bent[0].left_out, 1);
    // A sweep of ours, least load first: saturated, it carries a little less and is as fast.
    let bent = strict("10 5\n20 7\n20 8\n19.9 7.9\n").expect("bends back");
    assert_eq!(told(&bent[0]), [(0.01, 5.0), (0.02, 7.0)]);
    assert_eq!(bent[0].left_out, 2);

    let curves = rising(text).expect("asked for");
    let expected = [
        (2.0, 98.0),
        (2.4808, 98.4),
        (248.0, 392.1),
        (250.548, 465.3),
    ];
    assert_eq!(told(&curves[0]), expected);
    assert_eq!(curves[0].left_out, 2);
    assert!(matches!(rising("-1 5\n"), Err(MessError::Empty)));
}

#[test]
fn odd_columns_and_numbers_are_named_with_their_line() {
    let refused = |text: &str, line: Option<u64>, words: &[&str]| {
        let error = strict(text).expect_err(text);
        assert_eq!(error.line(), line, "{error}");
        for word in words {
            assert!(
                error.to_string().contains(word),
                "{word} is not in: {error}"
            );
        }
    };
    refused("", None, &["no point"]);
    refused("# nothing\n", None, &["no point"]);
    refused(
        "read_pct_rounded,bandwidth_mean,latency_mean\n",
        None,
        &["no point"],
    );
    refused(
        "hello\n",
        Some(1),
        &["no curve of Mess", "read_pct_rounded"],
    );
    refused(
        "read_pct_rounded,bandwidth_mean\n",
        Some(1),
        &["no curve of Mess"],
    );
    refused("1 2\n3\n", Some(2), &["1 columns", "expected 2"]);
    refused("1 2 3\n", Some(1), &["3 columns", "expected 2"]);
    refused("1 2\n2 3", Some(2), &["no line end"]);
    for latency in ["0", "-3", "nan", "inf", "1e99", "x"] {
        refused(
            &format!("1 2\n2 {latency}\n"),
            Some(2),
            &["the latency", "above 0"],
        );
    }
    refused("1 2\nnan 3\n", Some(2), &["the bandwidth"]);
    let head = "read_pct_rounded,bandwidth_mean,latency_mean\n";
    refused(
        &format!("{head}50,1\n"),
        Some(2),
        &["2 columns", "expected 3"],
    );
    refused(&format!("{head}50,1,\"2\n"), Some(2), &["columns"]);
    refused(
        &format!("{head}101,1,2\n"),
        Some(2),
        &["percentage of reads", "0 to 100"],
    );
    refused(&format!("{head}50,,2\n"), Some(2), &["the bandwidth"]);
    let long = "1 1\n".repeat(POINTS_MAX + 2);
    refused(
        &long,
        Some(POINTS_MAX as u64 + 2),
        &["more than 100000 points"],
    );
}

proptest! {
    /// Whatever order points have: a curve that is read ascends, and is the same however strictly it is read.
    #[test]
    fn curves_ascend(points in proptest::collection::vec((-3i32..20, 1u32..5), 1..30)) {
        let text: String = points.iter().map(|(bandwidth, latency)| format!("{bandwidth} {latency}\n")).collect();
        let (strict, rising) = (strict(&text), rising(&text));
        match &rising {
            Ok(curves) => {
                let points = &curves[0].points;
                prop_assert!(points.is_sorted_by(|one, next| one.bandwidth < next.bandwidth));
                prop_assert!(points[0].bandwidth > 0.0);
            }
            Err(error) => prop_assert!(matches!(error, MessError::Empty)),
        }
        if let Ok(strict) = strict {
            prop_assert_eq!(&strict, &rising.expect("it is no less"));
        }
    }
}
