//! The worked example of the benchmark: 4 KiB every millisecond on NAND.

use wordline_core::results::NoValue;
use wordline_core::{AccessSource, BufferWorkload, Metric, Timing};

use crate::buffer::support::*;

#[test]
fn a_nand_at_4_mb_a_second_needs_two_records_of_ram_and_at_worst_no_ram_is_enough() {
    let rate = 4_096_000.0;
    let mut question = BufferWorkload::of(AccessSource::Stream(stream(RECORD, 1 << 20, 4 << 20)));
    question.rates_bytes_per_s = vec![rate];
    let document = simulated(&experiment(&[NAND], &[Timing::Typ, Timing::Max], question));
    for estimate in [None, Some("open_loop"), Some("bound")] {
        let typ = |metric, arrival| at(&document, Timing::Typ, metric, estimate, (rate, arrival));
        assert_eq!(typ(Metric::RamPeak, "record"), Ok(8192.0), "{estimate:?}");
        assert_eq!(typ(Metric::RamPeakInFlight, "record"), Ok(12_288.0));
        let waiting = typ(Metric::RamPeak, "fluid").expect("bounded") / 1024.0;
        let in_flight = typ(Metric::RamPeakInFlight, "fluid").expect("bounded") / 1024.0;
        assert!((6.2..6.6).contains(&waiting), "{estimate:?}: {waiting}");
        assert!(
            (10.2..10.6).contains(&in_flight),
            "{estimate:?}: {in_flight}"
        );
    }
    let max = |metric| at(&document, Timing::Max, metric, None, (rate, "record"));
    assert_eq!(max(Metric::RamPeak), Err(NoValue::Unbounded));
    let growth = max(Metric::GrowthRate).expect("it grows");
    let limit = rows(&document, Metric::ThroughputMean, None)
        .find(|row| row.timing == Timing::Max)
        .and_then(|row| row.value)
        .expect("a limit");
    assert!(limit < rate && (growth - (rate - limit)).abs() < 1.0);
    let reruns = rows(&document, Metric::RamPeak, Some("open_loop"));
    assert!(reruns.into_iter().all(|row| row.timing == Timing::Typ));
}
