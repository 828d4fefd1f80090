//! What the rows say, in plain words.

use wordline_core::quantity::ByteCount;
use wordline_core::results::{NoValue, Row};
use wordline_core::{Basis, Metric, ResultSet, Workload};

use crate::pivot::{Line, Pivot, Series};
use crate::text;

/// One sentence for each target and operation, computed from the rows: how fast it is at the
/// smallest and the largest access, how long the slowest access takes, what a byte costs in energy,
/// and how long rated cycles last. Then the targets compared with each other, and what the numbers
/// rest on that is no data-sheet figure. What the rows do not hold is left out.
#[must_use]
pub fn answer(document: &ResultSet) -> Vec<String> {
    let pivot = Pivot::of(document);
    let series = pivot.series();
    let Workload::Raw(workload) = &document.experiment.workload else {
        return Vec::new();
    };
    let region = ByteCount::from_bytes(workload.wrap_bytes).to_string();
    if series.len() > SERIES_IN_WORDS {
        let mut sentences = rankings(&pivot, &series);
        sentences.extend(foundations_counted(document));
        return sentences;
    }
    let mut sentences: Vec<_> = series
        .iter()
        .map(|one| sentence(&pivot, one, &region))
        .collect();
    sentences.extend(comparisons(&pivot, &series));
    sentences.extend(foundations(document));
    sentences
}

/// The most curves that are told one by one. More would bury the table below them.
const SERIES_IN_WORDS: usize = 6;

/// For each operation, all targets from the fastest to the slowest at the largest access: "Write,
/// 64 KiB, fastest first: em064lx@a 59.0 MB/s, mr4a16b@b 40.0 MB/s."
fn rankings(pivot: &Pivot<'_>, series: &[Series<'_, '_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for one in series {
        let name = one.name_on_target.as_str();
        if told.contains(&name) {
            continue;
        }
        told.push(name);
        let same = series.iter().filter(|other| other.name_on_target == name);
        let ends = same.filter_map(|one| Some((one, *one.lines.last()?)));
        let ends: Vec<_> = ends.collect();
        let ranked = |metric: Metric, faster: fn(&f64, &f64) -> std::cmp::Ordering| {
            let values = ends
                .iter()
                .filter_map(|(one, line)| Some((one.head().target.as_str(), line.number(metric)?)));
            let mut values: Vec<_> = values.collect();
            values.sort_by(|(_, a), (_, b)| faster(a, b));
            let words = values.iter().map(|(target, value)| {
                format!("{target} {}", text::number(metric, *value, text::DIGITS))
            });
            let words: Vec<_> = words.collect();
            (!words.is_empty()).then(|| words.join(", "))
        };
        let place = ends.first().map(|(_, line)| pivot.place(line));
        let place = place.filter(|place| !place.is_empty());
        let place = place.map_or(String::new(), |place| format!(", {place}"));
        let mut subject = text::words(name);
        if let Some(first) = subject.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if let Some(list) = ranked(Metric::ThroughputMean, |a, b| b.total_cmp(a)) {
            sentences.push(format!("{subject}{place}, fastest first: {list}."));
        }
        if let Some(list) = ranked(Metric::LatencyMax, f64::total_cmp) {
            sentences.push(format!("{subject}{place}, slowest access: {list}."));
        }
    }
    sentences.iter().map(|one| text::printable(one)).collect()
}

/// How much of the numbers rests on figures that are no data-sheet figures, in one sentence.
fn foundations_counted(document: &ResultSet) -> Option<String> {
    let count = |basis: Basis| {
        let figures = document.figures.iter();
        figures.filter(|figure| figure.basis == basis).count()
    };
    let (assumed, calibrated) = (count(Basis::Assumed), count(Basis::Calibrated));
    let all = document.figures.len();
    (assumed + calibrated > 0).then(|| {
        format!(
            "Of the {all} figures that these results rest on, {assumed} are assumed and {calibrated} \
             calibrated; JSON and HTML list them with their reasons."
        )
    })
}

/// For each operation, every further target against the first: "em064lx@b writes 4.2 times as fast
/// as em064lx@a in accesses of 2 KiB and 6.5 times as fast in accesses of 64 KiB".
fn comparisons(pivot: &Pivot<'_>, series: &[Series<'_, '_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (index, first) in series.iter().enumerate() {
        let same = |one: &&Series<'_, '_>| one.name_on_target == first.name_on_target;
        if series[..index].iter().any(|one| same(&one)) {
            continue;
        }
        for other in series[index + 1..].iter().filter(same) {
            sentences.extend(comparison(pivot, first, other));
        }
    }
    sentences
}

fn comparison(pivot: &Pivot<'_>, first: &Series<'_, '_>, other: &Series<'_, '_>) -> Option<String> {
    let places = other.lines.iter().filter_map(|line| {
        let place = pivot.place(line);
        let same = first.lines.iter().find(|one| pivot.place(one) == place)?;
        let ratio = |metric| Some(line.number(metric)? / same.number(metric)?);
        let speed = ratio(Metric::ThroughputMean).filter(|ratio| ratio.is_finite())?;
        Some((place, speed, ratio(Metric::EnergyPerByte)))
    });
    let places: Vec<_> = places.collect();
    let (place, speed, _) = places.first()?;
    let times = |ratio: f64| text::factor(ratio);
    let mut sentence = format!(
        "Against {}, {} runs its {}s at {} the speed in accesses of {place}",
        first.head().target,
        other.head().target,
        text::words(&first.name_on_target),
        times(*speed),
    );
    let (last, last_speed, energy) = places.last()?;
    if places.len() > 1 {
        sentence += &format!(" and {} of {last}", times(*last_speed));
    }
    if let Some(energy) = energy.filter(|energy| energy.is_finite()) {
        sentence += &format!(", with {} the energy", times(energy));
    }
    Some(text::printable(&(sentence + ".")))
}

/// Some names, and how many more there are: the page and the document list them all.
fn few(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    match names.len().checked_sub(SHOWN) {
        Some(more) if more > 1 => format!("{} and {more} more", names[..SHOWN].join(", ")),
        _ => text::list(names),
    }
}

/// Which figures of each sheet are no data-sheet figures: "stm32h755-qspi: driver.dma_setup is
/// calibrated; serial.kernel_clock is assumed".
fn foundations(document: &ResultSet) -> Vec<String> {
    let mut sentences = Vec::new();
    for sheet in &document.sheets {
        let of_basis = |basis: Basis| {
            let figures = document.figures.iter();
            let names: Vec<_> = figures
                .filter(|figure| figure.sheet == sheet.id && figure.basis == basis)
                .map(|figure| figure.figure.as_str())
                .collect();
            let verb = if names.len() == 1 { "is" } else { "are" };
            (!names.is_empty()).then(|| format!("{} {verb} {basis}", few(&names)))
        };
        let clauses: Vec<_> = [Basis::Calibrated, Basis::Assumed]
            .into_iter()
            .filter_map(of_basis)
            .collect();
        if !clauses.is_empty() {
            let sentence = format!("In the sheet of {}, {}.", sheet.id, clauses.join("; "));
            sentences.push(text::printable(&sentence));
        }
    }
    sentences
}

fn sentence(pivot: &Pivot<'_>, series: &Series<'_, '_>, region: &str) -> String {
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
    } else if ends.iter().any(|line| half(line).is_some()) {
        clauses.extend(ends.iter().filter_map(|line| tail(pivot, line)));
        clauses.extend(delay(series));
    } else if let Some(latency) = ends.iter().find_map(|line| line.number(Metric::LatencyMax)) {
        let latency = text::number(Metric::LatencyMax, latency, text::DIGITS);
        clauses.push(format!("the slowest access takes {latency}"));
    } else if let Some(reason) = ends.iter().find_map(|line| missing(line)) {
        clauses.push(reason);
    }
    clauses.extend(energy(series));
    clauses.extend(lifetime(series, region));
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
        let all_alike = line.number(Metric::LatencyP50) == line.number(Metric::LatencyMax);
        let which = if all_alike { "each" } else { "the slowest" };
        clause += &format!(", {which} taking {latency}");
    }
    clause
}

/// The duration that half of the accesses do not exceed.
fn half(line: &Line<'_>) -> Option<f64> {
    line.number(Metric::LatencyP50)
}

/// How accesses are spread whose rate says nothing: the middle one and the slowest at one end of a
/// curve.
fn tail(pivot: &Pivot<'_>, line: &Line<'_>) -> Option<String> {
    let number = |value| text::number(Metric::LatencyMax, value, text::DIGITS);
    let (half, slowest) = (half(line)?, line.number(Metric::LatencyMax)?);
    let place = pivot.place(line);
    let of = match pivot.along {
        Some("access_bytes") if !place.is_empty() => format!(" of {place}"),
        Some(axis) if !place.is_empty() => format!(" at {} {place}", text::axis_label(axis)),
        _ => String::new(),
    };
    Some(format!(
        "half of the accesses{of} take up to {}, the slowest {}",
        number(half),
        number(slowest)
    ))
}

/// What accesses cost the work that they meet.
fn delay(series: &Series<'_, '_>) -> Option<String> {
    let delays = series.lines.iter().filter_map(|line| {
        let delay = line.number(Metric::BackgroundDelayMean)?;
        Some((delay, line.number(Metric::BackgroundDurationMean)?))
    });
    let (delay, duration) = delays.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let number = |value| text::number(Metric::BackgroundDurationMean, value, text::DIGITS);
    let duration = number(duration);
    Some(if delay > 0.0 {
        let delay = number(delay);
        format!(
            "the work in the background takes up to {duration}, {delay} of which are the reads' doing"
        )
    } else {
        format!("the work in the background takes {duration}, undisturbed")
    })
}

/// Why there is no value, in words.
fn missing(line: &Line<'_>) -> Option<String> {
    let names = [
        (Metric::ThroughputMean, "throughput"),
        (Metric::LatencyMax, "latency"),
    ];
    names.into_iter().find_map(|(metric, name)| {
        let reason = line.row(metric, None)?.no_value?;
        Some(format!("{name} {}", text::reason_word(reason)))
    })
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
        format!("the memory alone spends {low} on a byte")
    } else {
        format!("the memory alone spends {low} to {high} on a byte")
    })
}

/// How long the rated cycles last: spread as this workload spreads its writes, and all in one place.
fn lifetime(series: &Series<'_, '_>, region: &str) -> Option<String> {
    let shortest = |metric| {
        let values = series.lines.iter().filter_map(|line| line.number(metric));
        let seconds = values.min_by(f64::total_cmp)?;
        Some(text::number(metric, seconds, text::DIGITS))
    };
    let rows = || {
        series
            .lines
            .iter()
            .filter_map(|line| line.row(Metric::Lifetime, None))
    };
    let clause = match (
        shortest(Metric::Lifetime),
        shortest(Metric::LifetimeOnePlace),
    ) {
        (Some(spread), Some(one_place)) => format!(
            "without pause, rated cycles last {spread} spread over {region} and {one_place} in one place"
        ),
        (Some(spread), None) => {
            format!("without pause, rated cycles last {spread} spread over {region}")
        }
        (None, Some(one_place)) => {
            format!("without pause, rated cycles last {one_place} in one place")
        }
        (None, None) if rows().any(|row| row.no_value == Some(NoValue::Unbounded)) => {
            "it does not wear out".to_owned()
        }
        (None, None) => return None,
    };
    Some(clause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use wordline_core::results::{FigureUse, SheetUse};

    #[test]
    fn each_target_and_operation_gets_a_sentence() {
        let sentences = answer(&fixture::document(&[fixture::MRAM, fixture::NAND]));
        assert_eq!(
            sentences[1],
            "em064lx@stm32h755-qspi writes 39.4 MB/s in accesses of 2 KiB, each taking 52.0 us, and \
             59.0 MB/s in accesses of 64 KiB, each taking 1.11 ms; the memory alone spends 1.77 nJ \
             on a byte; without pause, rated cycles last 450000 years spread over 8 MiB."
        );
        assert!(sentences[2].starts_with("mt29f1g01@stm32h755-qspi reads 7.53 MB/s in"));
        assert!(
            sentences[4].starts_with(
                "Against em064lx@stm32h755-qspi, mt29f1g01@stm32h755-qspi runs its reads at 0.19 \
                 times the speed in accesses of 2 KiB and"
            ),
            "{}",
            sentences[4]
        );
        assert_eq!(sentences.len(), 6);
    }

    /// Many targets are ranked instead of told one by one, and no sheet gets a sentence of its own.
    #[test]
    fn many_targets_are_ranked() {
        let slow = |name, array_s| fixture::Target {
            name,
            array_s,
            ..fixture::NAND
        };
        let targets = [
            slow("slow@b", 9e-3),
            fixture::MRAM,
            slow("b@b", 5e-3),
            fixture::NAND,
        ];
        let sentences = answer(&fixture::document(&targets));
        let order = "em064lx@stm32h755-qspi 59.0 MB/s, mt29f1g01@stm32h755-qspi ";
        let first = format!("Read, 64 KiB, fastest first: {order}");
        assert!(sentences[0].starts_with(&first), "{}", sentences[0]);
        assert!(sentences[0].contains(", b@b ") && sentences[0].contains(", slow@b "));
        let slowest = "Read, 64 KiB, slowest access: em064lx@stm32h755-qspi 1.11 ms, ";
        assert!(sentences[1].starts_with(slowest), "{}", sentences[1]);
        assert_eq!(
            sentences.len(),
            5,
            "two for each operation, and what they rest on"
        );
    }

    #[test]
    fn figures_that_are_no_data_sheet_figures_are_named() {
        let mut document = fixture::mram();
        let figure = |figure: &str, basis| FigureUse {
            sheet: "board".into(),
            figure: figure.into(),
            value: "typ 1 s".into(),
            basis,
            source: "s".into(),
        };
        document.sheets = vec![SheetUse {
            id: "board".into(),
            name: "B".into(),
            manufacturer: "M".into(),
            revision: "r".into(),
            embedded: true,
        }];
        document.figures = vec![
            figure("a", Basis::Assumed),
            figure("b", Basis::Datasheet),
            figure("c", Basis::Calibrated),
            figure("d", Basis::Assumed),
        ];
        let last = answer(&document).pop();
        let expected = "In the sheet of board, c is calibrated; a and d are assumed.";
        assert_eq!(last.as_deref(), Some(expected));
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
            "em064lx@stm32h755-qspi, random read: 47.6 MB/s in accesses of 4 KiB, each taking \
             86.1 us; the memory alone spends 1.77 nJ \
             on a byte."
        );
    }

    #[test]
    fn reads_during_an_erase_are_told_by_their_spread() {
        let sentences = answer(&fixture::during());
        assert!(
            sentences[0].contains("reads 39.4 MB/s in accesses of 2 KiB"),
            "{}",
            sentences[0]
        );
        assert_eq!(
            sentences[1],
            "em064lx@stm32h755-qspi, read, during erase, on conflict wait: half of the accesses of 2 KiB \
             take up to 75.1 ms, the slowest 150 ms; half of the accesses of 64 KiB take up to 76.1 ms, \
             the slowest 151 ms; the work in the background takes 150 ms, undisturbed."
        );
        let suspend = &sentences[2];
        let doing = "takes up to 150 ms, 93.0 us of which are the reads' doing.";
        assert!(suspend.ends_with(doing), "{suspend}");
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
