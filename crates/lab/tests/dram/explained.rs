//! Why one memory carries more than another.

use std::collections::BTreeMap;

use wordline_catalog::Catalog;
use wordline_core::results::AxisValue;
use wordline_core::{Axis, Band, Metric, Mix};

use super::support::{MRDIMM, RDIMM, bandwidth, dram, loaded, ran, sums, wholes};

/// Few misses: their latency decides. The MRDIMM's buffers cost what they take of a line's time; the faster bus is
/// worth no more than its shorter bursts, and no row says that it is.
#[test]
fn where_misses_bind_the_gain_is_explained_by_the_time_of_a_line() {
    let mut experiment = bandwidth(&[Mix::Reads, Mix::TwoToOne], Band::None);
    let settings = &mut dram(&mut experiment).settings;
    settings.insert("cores".into(), "4".into());
    settings.insert("misses".into(), "8".into());
    let document = ran(&experiment);
    for row in document.of(Metric::ThroughputBound) {
        assert_eq!(row.value, Some(1.0), "{}", row.identity());
    }
    let value = |metric, target: &str, cause: Option<&str>| {
        let mut rows = document.of(metric).filter(|row| {
            row.target == target
                && row.text(Axis::Mix) == Some("1:0")
                && row.text(Axis::Cause) == cause
                && row.text(Axis::Estimate).is_none()
        });
        rows.next().and_then(|row| row.value)
    };
    let part = |cause| value(Metric::ThroughputRatioPart, MRDIMM, Some(cause));
    let takes = value(Metric::LatencyMean, MRDIMM, None).expect("a number");
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let delay = |target: &str| {
        let target = catalog.module_in_system(target).expect("both exist");
        let connected = target.connect(&BTreeMap::new()).expect("it connects");
        connected.config.module_delay_ps as f64 * 1e-12
    };
    let buffers = -(delay(MRDIMM) - delay(RDIMM)) / takes;
    let found = part("buffer").expect("a part");
    assert!(
        buffers < -0.01 && (found - buffers).abs() < 1e-3,
        "{found} {buffers}"
    );
    // 8 clocks at 3.2 GHz against 8 at 2.2 GHz: a burst takes 1.14 ns longer on the buses behind the buffers.
    let burst = part("burst").expect("a part");
    assert!(
        (burst - (2.5e-9 - 8.0 / 2.2e9) / takes).abs() < 1e-3,
        "{burst}"
    );
    assert_eq!(part("bus_rate"), None);
    let (mean, most) = (
        value(Metric::OutstandingMean, RDIMM, None),
        value(Metric::OutstandingMax, RDIMM, None),
    );
    assert!(most == Some(32.0) && mean > Some(31.5), "{mean:?}");
}

/// Many misses: the faster bus is the ratio of the peaks, 8800 to 6400, whatever was delivered.
#[test]
fn where_the_memory_binds_the_gain_is_explained_by_the_time_of_the_buses() {
    let document = ran(&bandwidth(&[Mix::Reads, Mix::Triad], Band::None));
    for row in document.of(Metric::ThroughputBound) {
        assert_eq!(row.value, Some(2.0), "{}", row.identity());
    }
    let parts = document
        .of(Metric::ThroughputRatioPart)
        .filter(|row| row.text(Axis::Cause) == Some("bus_rate"));
    let parts: Vec<f64> = parts.filter_map(|row| row.value).collect();
    assert_eq!(parts.len(), 2);
    assert!(
        parts.iter().all(|part| (part - 0.375).abs() < 1e-12),
        "{parts:?}"
    );
    // Writes hold their slots too: of a triad as many lines are under way as there can be.
    let full = document
        .of(Metric::OutstandingMean)
        .all(|row| row.value > Some(0.95 * 12.0 * 26.0));
    assert!(full);
}

/// Where the cores pause, the faster bus stays empty for longer: neither is a reason.
#[test]
fn what_the_cores_do_not_ask_for_is_not_taken_apart() {
    let document = ran(&loaded(&[1000, 20_000]));
    let bounds: Vec<_> = document
        .of(Metric::ThroughputBound)
        .map(|row| row.value)
        .collect();
    assert_eq!(bounds, [Some(3.0); 4]);
    assert_eq!(document.of(Metric::ThroughputRatio).count(), 1);
    assert_eq!(document.of(Metric::ThroughputRatioPart).count(), 0);
}

/// Under the greatest load alone, and its parts add up to it.
#[test]
fn the_gain_under_the_greatest_load_is_explained() {
    let document = ran(&loaded(&[0, 20, 1000]));
    let ratios = wholes(&document, Metric::ThroughputRatio);
    let parts = sums(&document, Metric::ThroughputRatioPart);
    assert_eq!((ratios.len(), parts.len()), (1, 1));
    for (of, sum) in parts {
        assert!((sum - (ratios[&of] - 1.0)).abs() < 1e-9, "{of}: {sum}");
    }
    let row = document.of(Metric::ThroughputRatio).next().expect("a row");
    assert_eq!(
        (row.target.as_str(), row.text(Axis::Over)),
        (MRDIMM, Some(RDIMM))
    );
    let at = |target: &str| {
        let mut rows = document.of(Metric::ThroughputMean);
        let row = rows.find(|row| row.target == target);
        row.and_then(|row| row.value).expect("a number")
    };
    let ratio = row.value.expect("a number");
    assert!((ratio - at(MRDIMM) / at(RDIMM)).abs() < 1e-9, "{ratio}");
    assert_eq!(row.axes.get(&Axis::DelayCycles), Some(&AxisValue::Count(0)));
}
