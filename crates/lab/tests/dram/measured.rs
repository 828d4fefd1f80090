//! A measured curve beside the simulated ones.

use std::io::BufRead;

use wordline_core::{Axis, Basis, DramTest, LoadedTest, Metric, ResultSet};
use wordline_lab::{Control, LabError};

use super::support::{RDIMM, dram, is_plain, loaded, with};

fn beside(text: &'static str, file: &str, rising: bool) -> Result<ResultSet, LabError> {
    let mut experiment = loaded(&[0, 200, 2000]);
    experiment.targets.truncate(1);
    let DramTest::Loaded(test) = &mut dram(&mut experiment).test else {
        unreachable!("it is under load")
    };
    *test = LoadedTest {
        against: Some(file.into()),
        against_rising: rising,
        ..test.clone()
    };
    let open = |_: &str| Ok(Box::new(text.as_bytes()) as Box<dyn BufRead>);
    with(
        &experiment,
        &Control {
            open: Some(&open),
            ..Control::default()
        },
    )
}

#[test]
fn every_point_has_what_was_measured_at_its_throughput() {
    // 100 ns at 0.001 GB/s, and 1 ns more for each GB/s, up to 20.
    let document = beside("20001 120\n1 100\n", "bwlat_100.txt", false).expect("it runs");
    assert_eq!(document.check(), Ok(()));
    let of = |metric, delay: u64| {
        let rows = document.of(metric);
        let rows = rows.filter(move |row| row.axes.get(&Axis::DelayCycles) == Some(&delay.into()));
        rows.collect::<Vec<_>>()
    };
    let measured = |row: &&&wordline_core::results::Row| {
        row.axes.get(&Axis::Estimate) == Some(&"measured".into())
    };
    let mut within = 0;
    for delay in [0, 200, 2000] {
        let plain = |metric| {
            let rows = of(metric, delay);
            let row = rows.iter().find(|row| row.target == RDIMM && is_plain(row));
            row.and_then(|row| row.value).expect("a row")
        };
        let gbps = plain(Metric::ThroughputMean) / 1e9;
        let rows = of(Metric::LatencyMean, delay);
        let row = rows.iter().find(measured).expect("a row");
        assert_eq!(row.basis, Basis::Measured);
        let ratios = of(Metric::LatencyRatio, delay);
        let ratio = ratios.iter().find(measured).expect("a row").value;
        if gbps > 20.001 {
            assert_eq!((row.value, ratio), (None, None), "more than was measured");
            continue;
        }
        within += 1;
        let expected = (100.0 + (gbps - 0.001).max(0.0)) * 1e-9;
        let found = row.value.expect("within the curve");
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        let simulated = plain(Metric::LatencyMean);
        assert!((ratio.expect("both are there") * found / simulated - 1.0).abs() < 1e-9);
    }
    assert!((1..3).contains(&within), "{within} of 3 lie within");
    let whole = document.of(Metric::ThroughputMean);
    let most = whole.filter(|row| row.basis == Basis::Measured);
    assert_eq!(
        most.map(|row| row.value).collect::<Vec<_>>(),
        [Some(20.001e9)]
    );
}

#[test]
fn curves_that_cannot_stand_beside_are_refused_by_name() {
    let refused = |text, file, words: &[&str]| {
        let error = beside(text, file, false).expect_err("refused").to_string();
        for word in words {
            assert!(error.contains(word), "{word} is not in: {error}");
        }
    };
    refused(
        "5 100\n4 80\n6 102\n",
        "a.txt",
        &["a.txt", "line 2", "not a function"],
    );
    refused(
        "1 100\n",
        "bwlat_50.txt",
        &["bwlat_50.txt", "50 %", "100 %", "--mix"],
    );
    let csv = "read_pct_rounded,bandwidth_mean,latency_mean\n50,1,100\n75,1,90\n";
    refused(csv, "curves.csv", &["50 %, 75 %"]);
    // What bends back is left out with a note; what contradicts itself only where that is asked for.
    for (curve, rising) in [
        ("5 100\n4 101\n6 102\n", false),
        ("5 100\n4 80\n6 102\n", true),
    ] {
        let document = beside(curve, "a.txt", rising).expect("it is taken");
        let told = document.warnings.iter();
        assert!(
            told.into_iter()
                .any(|warning| warning.advice.contains("1 points were left out"))
        );
    }
}
