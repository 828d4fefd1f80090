//! What the rows say, in plain words.

use wordline_core::results::{NoValue, Row};
use wordline_core::{Metric, ResultSet};

use crate::pivot::{Line, Pivot, Series};
use crate::text;

/// One sentence for each target and operation, computed from the rows: how fast it is at the
/// smallest and the largest access, how long the slowest access takes, what a byte costs in energy,
/// and how long the memory lasts. What the rows do not hold is left out.
#[must_use]
pub fn answer(document: &ResultSet) -> Vec<String> {
    let pivot = Pivot::of(document);
    let series = pivot.series();
    series.iter().map(|one| sentence(&pivot, one)).collect()
}

fn sentence(pivot: &Pivot<'_>, series: &Series<'_, '_>) -> String {
    let ends = match series.lines.as_slice() {
        [only] => vec![*only],
        [first, .., last] => vec![*first, *last],
        [] => vec![],
    };
    let known = |line: &&&Line<'_>| line.number(Metric::ThroughputMean).is_some();
    let speeds: Vec<_> = ends
        .iter()
        .filter(known)
        .map(|line| speed(pivot, line))
        .collect();
    let mut clauses = Vec::new();
    if !speeds.is_empty() {
        clauses.push(speeds.join(", and "));
    } else if let Some(latency) = ends.iter().find_map(|line| line.number(Metric::LatencyMax)) {
        let latency = text::number(Metric::LatencyMax, latency, text::DIGITS);
        clauses.push(format!("the slowest access takes {latency}"));
    } else if let Some(reason) = ends.iter().find_map(|line| missing(line)) {
        clauses.push(format!("throughput {}", text::reason_word(reason)));
    }
    clauses.extend(energy(series));
    clauses.extend(lifetime(series));
    if clauses.is_empty() {
        clauses.push("see the table".to_owned());
    }
    let subject = subject(pivot, series, !speeds.is_empty());
    let sentence = format!("{subject} {}.", clauses.join("; "));
    text::printable(&sentence)
}

/// Who does what: `TARGET writes` where a rate follows, else `TARGET, write:`.
fn subject(pivot: &Pivot<'_>, series: &Series<'_, '_>, rate_follows: bool) -> String {
    let Row {
        target, operation, ..
    } = series.head();
    let conditions = series
        .name_on_target
        .split_once(&format!("{}, ", text::words(operation)));
    match (operation.as_str(), rate_follows, pivot.varying.workload) {
        ("read" | "write", true, false) => match conditions {
            Some((_, conditions)) => format!("{target} ({conditions}) {operation}s"),
            None => format!("{target} {operation}s"),
        },
        _ => format!("{target}, {}:", series.name_on_target),
    }
}

/// Rate and slowest access at one end of a curve.
fn speed(pivot: &Pivot<'_>, line: &Line<'_>) -> String {
    let number = |metric| {
        let value = line.number(metric)?;
        Some(text::number(metric, value, text::DIGITS))
    };
    let mut clause = number(Metric::ThroughputMean).unwrap_or_default();
    let place = pivot.place(line);
    match pivot.along {
        Some("access_bytes") if !place.is_empty() => {
            clause += &format!(" in accesses of {place}");
        }
        Some(axis) if !place.is_empty() => {
            clause += &format!(" at {} {place}", text::axis_label(axis));
        }
        _ => {}
    }
    if let Some(latency) = number(Metric::LatencyMax) {
        clause += &format!(", the slowest taking {latency}");
    }
    clause
}

fn missing(line: &Line<'_>) -> Option<NoValue> {
    line.row(Metric::ThroughputMean, None)?.no_value
}

/// What a byte costs, as a range where the access size matters.
fn energy(series: &Series<'_, '_>) -> Option<String> {
    let lines = series.lines.iter();
    let values = lines.filter_map(|line| line.number(Metric::EnergyPerByte));
    let (low, high) = values.fold(None, |range: Option<(f64, f64)>, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })?;
    let joules = |value| wordline_core::quantity::human(value, "J", text::DIGITS);
    let (low, high) = (joules(low), joules(high));
    Some(if low == high {
        format!("a byte costs {low}")
    } else {
        format!("a byte costs {low} to {high}")
    })
}

/// How long the memory lasts where it wears out first.
fn lifetime(series: &Series<'_, '_>) -> Option<String> {
    let lines = series.lines.iter();
    let rows: Vec<_> = lines
        .filter_map(|line| line.row(Metric::Lifetime, None))
        .collect();
    let shortest = rows
        .iter()
        .filter_map(|row| row.value)
        .min_by(f64::total_cmp);
    if let Some(seconds) = shortest {
        let text = text::number(Metric::Lifetime, seconds, text::DIGITS);
        let adverb = if rows.len() > 1 { "at least " } else { "" };
        return Some(format!(
            "used like this without pause, the memory lasts {adverb}{text}"
        ));
    }
    let unbounded = rows
        .iter()
        .any(|row| row.no_value == Some(NoValue::Unbounded));
    unbounded.then(|| "it does not wear out".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn each_target_and_operation_gets_a_sentence() {
        let sentences = answer(&fixture::document(&[fixture::MRAM, fixture::NAND]));
        assert_eq!(sentences.len(), 4);
        assert_eq!(
            sentences[1],
            "em064lx@stm32h755-qspi writes 39.4 MB/s in accesses of 2 KiB, the slowest taking \
             52.0 us, and 59.0 MB/s in accesses of 64 KiB, the slowest taking 1.11 ms; a byte \
             costs 1.77 nJ; used like this without pause, the memory lasts at least 450000 years."
        );
        assert!(sentences[2].starts_with("mt29f1g01@stm32h755-qspi reads 7.53 MB/s in"));
    }

    #[test]
    fn missing_values_are_words() {
        let cases = [
            (
                Metric::ThroughputMean,
                NoValue::Failed,
                "em064lx@stm32h755-qspi, write: throughput failed.",
            ),
            (
                Metric::Lifetime,
                NoValue::Unbounded,
                "em064lx@stm32h755-qspi, write: it does not wear out.",
            ),
            (
                Metric::Cost,
                NoValue::NotApplicable,
                "em064lx@stm32h755-qspi, write: see the table.",
            ),
        ];
        for (metric, reason, expected) in cases {
            let mut document = fixture::mram();
            document.rows = vec![fixture::without_value("write", metric, reason)];
            assert_eq!(answer(&document), [expected]);
        }
    }

    #[test]
    fn a_single_size_and_other_operations_read_well() {
        let mut document = fixture::mram();
        document
            .rows
            .retain(|row| row.count("access_bytes") == Some(4096));
        for row in &mut document.rows {
            row.operation = format!("random_{}", row.operation);
        }
        assert_eq!(
            answer(&document)[0],
            "em064lx@stm32h755-qspi, random read: 47.6 MB/s in accesses of 4 KiB, the slowest \
             taking 86.1 us; a byte costs 1.77 nJ."
        );
    }

    #[test]
    fn what_varies_is_named() {
        let mut document = fixture::mram();
        let mut worn = document.rows.clone();
        for row in &mut worn {
            row.age = 0.5;
        }
        document.rows.extend(worn);
        let sentences = answer(&document);
        assert_eq!(sentences.len(), 4);
        let expected = "em064lx@stm32h755-qspi (age 0.5) writes 39.4 MB/s";
        assert!(sentences[3].starts_with(expected), "{}", sentences[3]);
    }
}
