//! What the others carry more than the first under the greatest load, and why.

use wordline_core::{Axis, Metric};

use super::loaded::{DELAY, TEST};
use super::{ModuleLines, bandwidth, gain, shares};
use crate::answer::IN_WORDS;
use crate::grid::Grid;
use crate::pivot::PivotLine;

/// "Under the greatest load b carries +37.2 % over a: faster bus +37.5 %, refresh -0.3 %."
pub(super) fn sentences(view: &ModuleLines<'_, '_>) -> Vec<String> {
    let Some(first) = view.targets.first() else {
        return Vec::new();
    };
    let sentence = |line: &PivotLine<'_>| {
        let gain = gain(line.number(Metric::ThroughputRatio)?);
        let target = view
            .targets
            .iter()
            .find(|one| **one == line.head().target)?;
        let why = bandwidth::parts(line).or_else(|| {
            let idle = |target| asked_no_more(view, target, line).then(|| view.short(target));
            let of: Vec<_> = [idle(first), idle(target)].into_iter().flatten().collect();
            (!of.is_empty()).then(|| format!("the cores ask no more of {}", of.join(" and ")))
        });
        Some(format!(
            "Under the greatest load {} carries {gain} over {}{}.",
            view.short(target),
            view.short(first),
            why.map(|why| format!(": {why}")).unwrap_or_default()
        ))
    };
    let lines = view.special(TEST, &[Axis::Over]).take(IN_WORDS);
    lines.filter_map(sentence).collect()
}

/// Whether the cores are the bound of a target where it is compared.
fn asked_no_more(view: &ModuleLines<'_, '_>, target: &str, compared: &PivotLine<'_>) -> bool {
    let delay = compared.coordinate(DELAY);
    let mut points = view.plain(TEST).filter(|line| {
        let same = |axis| line.head().text(axis) == compared.head().text(axis);
        line.head().target == target
            && line.coordinate(DELAY) == delay
            && same(Axis::Mix)
            && same(Axis::Pattern)
    });
    points.any(|line| bandwidth::cores_bind(line))
}

/// The parts of that.
pub(super) fn table(view: &ModuleLines<'_, '_>) -> Option<Grid> {
    let lines = view.special(TEST, &[Axis::Over]);
    let lines: Vec<_> = lines
        .map(|line| (vec![view.short(&line.head().target).to_owned()], line))
        .collect();
    let first = view.targets.first().map(|first| view.short(first))?;
    let title = format!("The gain over {first} under the greatest load explained");
    shares(
        view,
        &title,
        &["module"],
        &lines,
        Metric::ThroughputRatioPart,
    )
}
