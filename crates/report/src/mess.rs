//! Curves of latency over bandwidth in the CSV form of the Mess benchmark.
//!
//! The form is that of `processed/memory_curves.csv`, which the plotter of Mess 2.0 writes (`utils/plotter.py` and
//! `utils/libs/processor.py` of <https://github.com/bsc-mem/Mess-2.0>) and its `utils/app_plotter.py --curves` reads:
//! a row for each read percentage and pause, bandwidth in GB/s (10⁹ bytes), latency in ns. Mess smooths what it
//! measured; here the smoothed columns repeat the means, and deviations that were not measured are left empty. A file
//! has the curves of one memory.

use std::fmt::Write as _;

use wordline_core::results::ResultSet;
use wordline_core::{HostMix, Metric, Mix};

use crate::pivot::Pivot;
use crate::views::{DRAM, curves};

/// The columns, in Mess's order.
const COLUMNS: &str = "read_pct_rounded,pause,bandwidth_mean,bandwidth_std,rd_percentage_actual_mean,\
                       latency_mean,latency_std,bandwidth_smooth,latency_smooth";

/// A CSV text for each target of a document of `wordline dram loaded` or `wordline host loaded`, in the document's order. Points without a
/// bandwidth or a latency are left out, and so are mixes that are none of ours.
#[must_use]
pub fn mess_curves(document: &ResultSet) -> Vec<(String, String)> {
    let pivot = Pivot::of(document, DRAM.keys);
    let mut texts: Vec<(String, String)> = Vec::new();
    for curve in curves(&pivot) {
        // Copy is a mix of machines alone.
        let mix = curve.mix.parse().ok();
        let mix = mix.or_else(|| curve.mix.parse().ok().map(HostMix::module_mix));
        let Some(nominal) = mix.map(Mix::read_share) else {
            continue;
        };
        let place = texts.iter().position(|(target, _)| target == curve.target);
        let place = place.unwrap_or_else(|| {
            texts.push((curve.target.to_owned(), format!("{COLUMNS}\n")));
            texts.len() - 1
        });
        let text = &mut texts[place].1;
        // Ascending in the bandwidth, but for what bends back.
        for point in &curve.points {
            let Some((bandwidth, latency)) = point
                .throughput()
                .zip(point.line.number(Metric::LatencyMean))
            else {
                continue;
            };
            let (gb, ns) = (bandwidth / 1e9, latency * 1e9);
            // Rows of one mix belong together; what was read of the bytes is what was measured.
            let percent = (nominal * 100.0).round();
            let share = point.line.number(Metric::ReadShare).unwrap_or(nominal);
            let pause = point.delay;
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{percent},{pause},{gb:.6},,{share:.6},{ns:.6},,{gb:.6},{ns:.6}"
            );
        }
    }
    texts
}

/// A text of pairs for each target, as the Mess simulator reads them: bandwidth in MB/s (10⁶ bytes) and latency in ns, the
/// greatest load first, of the first mix of the target. Its reader takes the percentage of reads from the name,
/// `bwlat_100.txt`.
#[must_use]
pub fn mess_pairs(document: &ResultSet) -> Vec<(String, String)> {
    let pivot = Pivot::of(document, DRAM.keys);
    let mut texts: Vec<(String, String)> = Vec::new();
    for curve in curves(&pivot) {
        if texts.iter().any(|(target, _)| target == curve.target) {
            continue;
        }
        let mut text = String::new();
        for point in curve.points.iter().rev() {
            let place = point.throughput().zip(point.latency());
            if let Some((bandwidth, latency)) = place {
                let (mb, ns) = (bandwidth / 1e6, latency * 1e9);
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{mb:.6} {ns:.6}");
            }
        }
        texts.push((curve.target.to_owned(), text));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use wordline_core::Axis;

    #[test]
    fn each_target_has_a_text_with_a_row_for_each_point() {
        let texts = mess_curves(&fixture::dram_loaded());
        assert_eq!(texts.len(), 2);
        let (target, text) = &texts[0];
        assert_eq!(target, "rdimm-6400-2rx4-128g@xeon6-1s");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 20);
        assert_eq!(lines[0].split(',').count(), 9);
        assert_eq!(
            lines[1],
            "100,20000,4.218269,,1.000000,103.077444,,4.218269,103.077444"
        );
        assert!(lines[19].starts_with("100,0,553.9"), "{}", lines[19]);
    }

    #[test]
    fn pairs_begin_with_the_greatest_load() {
        let texts = mess_pairs(&fixture::dram_loaded());
        assert_eq!(texts.len(), 2);
        let lines: Vec<&str> = texts[0].1.lines().collect();
        assert_eq!(lines.len(), 19);
        assert!(lines[18].starts_with("4218.26"), "{}", lines[18]);
        assert!(lines[18].ends_with(" 103.077444"), "{}", lines[18]);
        assert!(lines[0].starts_with("553"), "{}", lines[0]);
        assert!(mess_pairs(&fixture::mram()).is_empty());
    }

    #[test]
    fn the_share_of_reads_is_the_measured_one() {
        let mut document = fixture::dram_loaded();
        for row in &mut document.rows {
            if row.metric == Metric::ReadShare {
                row.value = Some(0.7512);
            }
            if row.axes.contains_key(&Axis::Mix) {
                row.axes.insert(Axis::Mix, "3:1".into());
            }
        }
        let (_, text) = &mess_curves(&document)[0];
        let line = text.lines().nth(1).expect("a point");
        assert!(
            line.starts_with("75,20000,") && line.contains(",0.751200,"),
            "{line}"
        );
    }

    #[test]
    fn a_measured_curve_has_the_form_of_a_simulated_one() {
        let document = fixture::host_loaded();
        let texts = mess_curves(&document);
        let [(target, text)] = &texts[..] else {
            panic!("{texts:?}");
        };
        assert!(target.starts_with("ram@"), "{target}");
        let simulated = &mess_curves(&fixture::dram_loaded())[0].1;
        assert_eq!(text.lines().next(), simulated.lines().next());
        let points = document.of(Metric::ThroughputMean);
        let points = points.filter(|row| row.axes.contains_key(&Axis::DelayCycles));
        assert_eq!(text.lines().count(), 1 + points.count());
        assert!(
            text.lines().all(|line| line.split(',').count() == 9),
            "{text}"
        );
        assert_eq!(mess_pairs(&document).len(), 1);
    }

    #[test]
    fn other_documents_have_no_curves() {
        assert!(mess_curves(&fixture::dram_bandwidth()).is_empty());
        assert!(mess_curves(&fixture::mram()).is_empty());
    }
}
