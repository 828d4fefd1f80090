//! How values, axes and names are worded, the same in every format for people.

use wordline_core::quantity::human;
use wordline_core::results::{AxisValue, NoValue, Row};
use wordline_core::{Axis, Metric, Property, Timing};

/// Significant digits of a value in a table.
pub(crate) const DIGITS: usize = 3;

/// A value of a metric. Pure numbers that are shares of a whole read as percentages.
pub(crate) fn number(metric: Metric, value: f64, digits: usize) -> String {
    if metric.has(Property::Share) {
        percent(value, digits)
    } else if metric.has(Property::Ram) {
        ram(value, digits)
    } else {
        human(value, metric.unit(), digits)
    }
}

/// Bytes of RAM with a binary prefix, rounded up to the digits, so that what is read is enough.
pub(crate) fn ram(bytes: f64, digits: usize) -> String {
    const PREFIXES: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let bytes = bytes.ceil();
    if (0.0..1024.0).contains(&bytes) {
        return format!("{bytes} B");
    }
    if !(1024.0..1e15).contains(&bytes) {
        return human(bytes, "B", digits);
    }
    let steps = PREFIXES.iter().zip(1..);
    let (prefix, scale) = steps
        .map(|(prefix, power)| (prefix, 1024_f64.powi(power)))
        .take_while(|(_, scale)| bytes >= *scale)
        .last()
        .unwrap_or((&PREFIXES[0], 1024.0));
    let scaled = bytes / scale;
    let before = scaled.log10().floor() as i32 + 1;
    let decimals = (digits as i32 - before).max(0);
    let step = 10_f64.powi(decimals);
    let rounded = (scaled * step).ceil() / step;
    let decimals = if scaled.fract() == 0.0 { 0 } else { decimals };
    format!("{rounded:.*} {prefix}", decimals as usize)
}

/// A share of 1 as a percentage; one that is too large for that as a multiple of the whole. A ratio of two values of a
/// document may be no number at all.
pub(crate) fn percent(share: f64, digits: usize) -> String {
    let percent = share * 100.0;
    if percent.is_finite() {
        format!("{} %", human(percent, "1", digits))
    } else if share.is_finite() {
        format!("{} x 100 %", human(share, "1", digits))
    } else {
        reason_word(NoValue::BeyondRange).to_owned()
    }
}

/// A share as a percentage with one decimal, as in columns of parts; without it where so many digits say nothing.
pub(crate) fn tenths(share: f64) -> String {
    if share.abs() < 1e4 {
        format!("{:.1} %", share * 100.0)
    } else {
        percent(share, DIGITS)
    }
}

/// A row's value, or the word for why there is none.
pub(crate) fn value(row: &Row, digits: usize) -> String {
    match (row.value, row.no_value) {
        (Some(value), _) => number(row.metric, value, digits),
        (None, Some(NoValue::NotApplicable)) if row.metric.has(Property::NeedsFigure) => {
            "unknown".to_owned()
        }
        (None, Some(reason)) => reason_word(reason).to_owned(),
        (None, None) => "no value".to_owned(),
    }
}

/// Why there is no number, in words.
pub(crate) const fn reason_word(reason: NoValue) -> &'static str {
    match reason {
        NoValue::Unbounded => "unbounded",
        NoValue::BeyondRange => "beyond range",
        NoValue::NotApplicable => "not applicable",
        NoValue::Failed => "failed",
    }
}

/// An axis as a heading: `access_bytes` is `access`, since its cells carry the unit.
pub(crate) fn axis_label(axis: Axis) -> String {
    let name = axis.name();
    words(named_unit(axis).map_or(name, |(rest, _)| rest))
}

/// A coordinate with the unit of its axis.
pub(crate) fn coordinate(axis: Axis, value: &AxisValue) -> String {
    match (numeric(value), named_unit(axis)) {
        (Some(share), _) if axis.has(Property::Share) => percent(share, DIGITS),
        (Some(_), Some((_, "°C"))) => format!("{value} °C"),
        (Some(number), Some((_, unit))) => human(number, unit, 4),
        _ => value.to_string(),
    }
}

/// A place along an axis, as headings name it.
pub(crate) fn place(axis: Axis, place: f64) -> String {
    match named_unit(axis) {
        _ if axis.has(Property::Share) => percent(place, 2),
        // Times are asked for with more digits than rates.
        Some((_, "s")) => human(place, "s", DIGITS + 1),
        Some((_, unit)) => human(place, unit, DIGITS),
        None => place.to_string(),
    }
}

/// A rate of bytes.
pub(crate) fn rate(bytes_per_s: f64) -> String {
    human(bytes_per_s, "B/s", DIGITS)
}

/// A column of the data sheet as a place in a sentence: "at typical timing".
pub(crate) const fn at_timing(timing: Timing) -> &'static str {
    match timing {
        Timing::Typ => "at typical timing",
        Timing::Max => "at the data sheet's maximum",
        Timing::Sampled => "at drawn timing",
    }
}

/// A coordinate as a number.
pub(crate) fn numeric(value: &AxisValue) -> Option<f64> {
    match value {
        AxisValue::Count(count) => Some(*count as f64),
        AxisValue::Number(number) => Some(*number),
        AxisValue::Text(_) => None,
    }
}

/// The name of an axis without its unit, and the unit, where the name ends in it.
pub(crate) fn named_unit(axis: Axis) -> Option<(&'static str, &'static str)> {
    let unit = axis.unit();
    let suffix = match unit {
        "°C" => "_celsius",
        "B/s" => "_bytes_per_s",
        "B" => "_bytes",
        "cycles" => "_cycles",
        "s" => "_s",
        _ => return None,
    };
    Some((axis.name().strip_suffix(suffix)?, unit))
}

/// Targets whose names say that they are no part on a board.
#[derive(Clone, Copy)]
pub(crate) enum TargetKind {
    Log,
    File,
    /// Two chips of a part that work in turn.
    InTurn,
}

/// The name of a target without what says its kind; `None` where it is of another.
pub(crate) fn without_kind(target: &str, kind: TargetKind) -> Option<&str> {
    target.strip_prefix(match kind {
        TargetKind::Log => "log:",
        TargetKind::File => "file:",
        TargetKind::InTurn => "2*",
    })
}

/// A name of the document's vocabulary as words: `bus_command` is `bus command`.
pub(crate) fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// Text in which nothing can move a terminal's cursor or change its colours, on one line: control
/// characters are spelled out, and so are characters that reorder their neighbours or cannot be
/// seen, for they make a name read as another one.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unseen(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}

/// Whether a character drives a terminal, reorders its neighbours, or cannot be seen.
pub(crate) fn is_unseen(character: char) -> bool {
    let hidden = matches!(
        character,
        '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    );
    character.is_control() || hidden
}

/// What follows a number and belongs to it.
const UNITS: [&str; 21] = [
    "%", "B", "KiB", "MiB", "GiB", "KB", "MB", "GB", "KB/s", "MB/s", "GB/s", "ns", "us", "ms", "s",
    "J", "kJ", "W", "EUR", "h", "years",
];

/// A sentence in which no line breaks between a number and its unit.
pub(crate) fn unbroken(sentence: &str) -> String {
    let mut whole = String::with_capacity(sentence.len());
    for word in sentence.split(' ') {
        let unit = word.trim_end_matches(|one: char| ".,;:)".contains(one));
        let follows = whole.ends_with(|one: char| one.is_ascii_digit()) && UNITS.contains(&unit);
        if !whole.is_empty() {
            whole.push(if follows { '\u{a0}' } else { ' ' });
        }
        whole += word;
    }
    whole
}

/// Wraps text at spaces to a number of columns, but not between a number and its unit. A word that is longer stays whole.
pub(crate) fn wrap(text: &str, width: Option<u16>) -> String {
    let width = width.map_or(usize::MAX, usize::from);
    let mut out = String::new();
    let mut column = 0;
    for word in unbroken(text).split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word.replace('\u{a0}', " "));
        column += length;
    }
    out
}

/// The beginning of a text that is too long for its room.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    kept.trim_end().to_owned() + "…"
}

/// A count: every digit is exact.
pub(crate) fn count(count: f64) -> String {
    format!("{count:.0}")
}

/// How many of several things a plot shows: " The first 8 of 20."; empty where it shows all.
pub(crate) fn first_of(most: usize, all: usize, which: &str) -> String {
    match all > most {
        true => format!(" The {which} {most} of {all}; the tables hold the others."),
        false => String::new(),
    }
}

/// A ratio as people say it: "4.2 times".
pub(crate) fn factor(ratio: f64) -> String {
    format!("{} times", wordline_core::quantity::human(ratio, "1", 2))
}

/// The part of a target, without its board.
pub(crate) fn part_of(target: &str) -> &str {
    target.split('@').next().unwrap_or(target)
}

/// The same text with a capital letter at its start.
pub(crate) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    match rest.next() {
        Some(first) => first.to_uppercase().chain(rest).collect(),
        None => String::new(),
    }
}

/// The most words of a sentence.
const SENTENCE_WORDS: usize = 25;

/// A sentence of a head and as many things as it may hold, and how many more there are.
pub(crate) fn within_a_sentence(head: &str, things: &[String], separator: &str) -> String {
    let count = |text: &str| text.split_whitespace().count();
    // "and 12 more".
    const MORE: usize = 3;
    let mut words = count(head);
    let mut shown = 0;
    for (index, thing) in things.iter().enumerate() {
        let room = match index + 1 == things.len() {
            true => SENTENCE_WORDS,
            false => SENTENCE_WORDS - MORE,
        };
        words += count(thing);
        if index > 0 && words > room {
            break;
        }
        shown = index + 1;
    }
    let more = match things.len() - shown {
        0 => String::new(),
        more => format!("{separator}and {more} more"),
    };
    format!("{head} {}{more}.", things[..shown].join(separator))
}

/// Names in a row of words: "a, b and c".
pub(crate) fn list<Name: AsRef<str>>(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_carry_their_units_in_their_names() {
        let count = |axis, value| coordinate(axis, &AxisValue::Count(value));
        assert_eq!(count(Axis::AccessBytes, 2048), "2 KiB");
        assert_eq!(count(Axis::RateBytesPerS, 500_000), "500.0 KB/s");
        assert_eq!(count(Axis::DelayCycles, 12), "12.00 cycles");
        assert_eq!(count(Axis::Streams, 4), "4");
        assert_eq!(count(Axis::AfterYears, 5), "5");
        assert_eq!(count(Axis::Fill, 1), "100 %");
        assert_eq!(axis_label(Axis::AccessBytes), "access");
        assert_eq!(axis_label(Axis::RateBytesPerS), "rate");
        assert_eq!(axis_label(Axis::OnConflict), "on conflict");
    }

    #[test]
    fn shares_are_percentages_and_missing_values_words() {
        assert_eq!(number(Metric::TimeShare, 0.3412, DIGITS), "34.1 %");
        assert_eq!(number(Metric::TimeShare, 0.0, DIGITS), "0 %");
        assert_eq!(
            number(Metric::TimeShare, 1.7e308, DIGITS),
            "1.70e308 x 100 %"
        );
        assert_eq!(
            number(Metric::TimeShare, f64::INFINITY, DIGITS),
            "beyond range"
        );
        assert_eq!(tenths(0.12345), "12.3 %");
        assert_eq!(tenths(-1.7e308), "-1.70e308 x 100 %");
        assert_eq!(number(Metric::WearSpread, 1.0, DIGITS), "1.00");
        assert_eq!(reason_word(NoValue::BeyondRange), "beyond range");
    }

    #[test]
    fn ram_is_rounded_up_in_binary_prefixes() {
        let cases = [
            (0.0, "0 B"),
            (100.2, "101 B"),
            (1022.5, "1023 B"),
            (8192.0, "8 KiB"),
            (8193.0, "8.01 KiB"),
            (1_048_575.0, "1024 KiB"),
            (12_345_678.0, "11.8 MiB"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(ram(bytes, DIGITS), expected);
        }
        for odd in [-5.0, 1e300, f64::MAX] {
            assert!(ram(odd, DIGITS).ends_with('B'), "{odd}");
        }
    }

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(printable("a\u{1b}[31mb\n"), "a\\u{1b}[31mb\\u{a}");
        assert_eq!(printable("\u{202e}cod"), "\\u{202e}cod");
        assert_eq!(printable("µ – ü"), "µ – ü");
    }

    #[test]
    fn long_rows_of_things_end_with_how_many_more_there_are() {
        let things: Vec<String> = (0..9)
            .map(|index| format!("part{index} takes long"))
            .collect();
        let sentence = within_a_sentence("Slowest first:", &things, ", ");
        assert!(
            sentence.ends_with("part5 takes long, and 3 more."),
            "{sentence}"
        );
        assert_eq!(sentence.split_whitespace().count(), 2 + 6 * 3 + 3);
        assert_eq!(
            within_a_sentence("All:", &things[..1], ", "),
            "All: part0 takes long."
        );
        assert_eq!(capital("at last"), "At last");
    }

    #[test]
    fn text_wraps_between_words() {
        assert_eq!(wrap("aa bb cc", Some(5)), "aa bb\ncc");
        assert_eq!(wrap("aaaaaaa b", Some(3)), "aaaaaaa\nb");
        assert_eq!(wrap("aa bb cc", None), "aa bb cc");
        assert_eq!(wrap("takes 467 kJ, 5 of", Some(10)), "takes\n467 kJ, 5\nof");
    }
}
