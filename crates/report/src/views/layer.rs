//! What a translation layer, on raw flash or in a card, costs the accesses above it.

use wordline_core::Metric;

use crate::cause;
use crate::pivot::PivotLine;
use crate::text;

/// Below this share of the time the layer's work is not worth a word.
const WORTH_TELLING: f64 = 0.005;

/// Whether a line is of a memory with a translation layer.
pub(crate) fn has(line: &PivotLine<'_>) -> bool {
    line.row(Metric::MappingRam, None).is_some()
}

/// Share of the time of the accesses that a cause took.
fn share(line: &PivotLine<'_>, cause: &str) -> Option<f64> {
    let of = |metric| line.row(metric, Some(cause)).and_then(|row| row.value);
    of(Metric::TimeShare).or_else(|| {
        let mean = line
            .number(Metric::LatencyMean)
            .filter(|mean| *mean > 0.0)?;
        Some(of(Metric::LatencyMeanPart)? / mean)
    })
}

/// Share of the time that all of the layer's work takes.
pub(crate) fn share_of_all(line: &PivotLine<'_>) -> f64 {
    let shares = cause::of_layers().filter_map(|(cause, _)| share(line, cause));
    shares.sum()
}

/// "61 % goes into pages moved by cleaning and 3 % into merges of log blocks. A byte that is written takes
/// 2.4 on flash". `None` for a memory without a layer.
pub(crate) fn sentence(line: &PivotLine<'_>) -> Option<String> {
    if !has(line) {
        return None;
    }
    let mut shares: Vec<_> = cause::of_layers()
        .filter_map(|(cause, words)| Some((share(line, cause)?, words)))
        .filter(|(share, _)| *share >= WORTH_TELLING)
        .collect();
    shares.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let words: Vec<_> = shares
        .iter()
        .enumerate()
        .map(|(place, (share, words))| {
            let goes = if place == 0 { " goes" } else { "" };
            format!("{}{goes} into {words}", text::percent(*share, 2))
        })
        .collect();
    let work = if words.is_empty() {
        "nothing goes into moving pages".to_owned()
    } else {
        text::list(&words)
    };
    let amplification = line
        .number(Metric::WriteAmplification)
        .map(|amplification| {
            format!(
                ". A byte that is written takes {} on flash",
                text::number(Metric::WriteAmplification, amplification, text::DIGITS)
            )
        });
    Some(work + &amplification.unwrap_or_default())
}
