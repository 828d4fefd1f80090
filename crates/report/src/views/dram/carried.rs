//! What the others carry more than the first under the greatest load, and why.

use wordline_core::Axis;

use super::{MODULE, bandwidth, compared, gain, loaded, of_test, ratio};
use crate::answer::IN_WORDS;
use crate::pivot::{Pivot, PivotLine};
use crate::view::LineTable;

/// The parts of that.
pub(super) const GAIN: LineTable = LineTable {
    title: "The gain over {first} under the greatest load explained{place}",
    lines: |pivot| compared(pivot, loaded::TEST),
    keys: &[MODULE],
    figures: super::GAIN,
    ..LineTable::EMPTY
};

/// "Under the greatest load b carries +37.2 % over a. The gain comes from: faster bus +37.5 %, refresh -0.3 %."
pub(super) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    let sentence = |line: &PivotLine<'_>| {
        let gain = gain(ratio(line)?);
        let parts = bandwidth::parts(line);
        let why = parts
            .map(|parts| format!("The gain comes from: {parts}"))
            .or_else(|| {
                let mut idle = at_load(pivot, line);
                idle.retain(|line| bandwidth::cores_bind(line));
                let of: Vec<_> = idle.iter().map(|line| pivot.short(line.head())).collect();
                (!of.is_empty()).then(|| format!("The cores ask no more of {}", of.join(" and ")))
            });
        Some(format!(
            "Under the greatest load {} carries {gain} over {}.{}",
            pivot.short(line.head()),
            pivot.first(),
            why.map(|why| format!(" {why}.")).unwrap_or_default()
        ))
    };
    let lines = compared(pivot, loaded::TEST).into_iter().take(IN_WORDS);
    lines.filter_map(sentence).collect()
}

/// The lines of the first target and of another where they are compared.
fn at_load<'p, 'a>(pivot: &'p Pivot<'a>, other: &PivotLine<'a>) -> Vec<&'p PivotLine<'a>> {
    let first = pivot.lines.first().map(|line| &line.head().target);
    let mut lines = of_test(pivot, loaded::TEST);
    lines.retain(|line| {
        let target = &line.head().target;
        let same = |axis| line.axis(axis) == other.axis(axis);
        (Some(target) == first || *target == other.head().target)
            && [Axis::DelayCycles, Axis::Mix, Axis::Pattern]
                .into_iter()
                .all(same)
    });
    lines
}
