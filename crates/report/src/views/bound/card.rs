//! The first screen of bounds: the longest overwrite, its formula, its floor, the proven rate, and RAM.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::{Axis, Basis, Metric, RowOperation};

use super::{is_proven, overwrites};
use crate::card::{FirstScreen, choice, foundation};
use crate::grid::{Align, Grid};
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Pivot, PivotLine, ascending, differs, together};
use crate::tabulate::{Tabulation, column};
use crate::text;

/// A layer on a target, at each column of the sheet.
struct LayerOnCard<'a, 'p> {
    pivot: &'p Pivot<'a>,
    /// Its overwrites, a line for each column.
    overwrites: Vec<&'p PivotLine<'a>>,
}

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let of = |line: &&PivotLine<'_>| {
        [
            LineField::Target,
            Of(Axis::CapacityBytes),
            Of(Axis::WithinS),
        ]
        .map(|name| line.field(name))
    };
    let layers = together(overwrites(pivot), of);
    let layers: Vec<_> = layers
        .into_iter()
        .map(|overwrites| LayerOnCard { pivot, overwrites })
        .collect();
    let Some(first) = layers.first() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "No layer was bounded.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let mut points = vec![
        first.formula(),
        first.step(),
        first.floor(),
        first.rate(),
        first.mount(),
    ];
    points.extend(first.files());
    points.extend(first.provision());
    points.extend(layers.iter().filter_map(LayerOnCard::wanted));
    points.extend(lacking(pivot));
    points.extend(foundation(pivot.document));
    FirstScreen {
        answer: DecisionCard {
            sentence: first.sentence(),
            points,
            ranking: layers.iter().map(LayerOnCard::ranked).collect(),
            ..DecisionCard::default()
        },
        table: table(pivot),
        of: "layers",
        plot: None,
    }
}

impl<'a, 'p> LayerOnCard<'a, 'p> {
    /// The value of a metric of some lines at each column of the sheet: "4.66 ms typ, 11.3 ms max".
    fn told(lines: &[&PivotLine<'_>], metric: Metric) -> String {
        let columns = lines
            .iter()
            .filter_map(|line| Some(format!("{} {}", line.told(metric)?, line.head().timing)));
        columns.collect::<Vec<_>>().join(", ")
    }

    /// The greatest value of a metric.
    fn most(lines: &[&PivotLine<'_>], metric: Metric) -> Option<f64> {
        let values = lines.iter().filter_map(|line| line.number(metric));
        values.reduce(f64::max)
    }

    fn basis(&self) -> Basis {
        match is_proven(&self.overwrites) {
            true => Basis::Proven,
            false => Basis::Assumed,
        }
    }

    fn point(
        &self,
        subject: CardSubject,
        words: String,
        metric: Metric,
        value: Option<f64>,
    ) -> CardPoint {
        CardPoint::of_value(subject, words, metric, value, self.basis())
    }

    /// The lines of another call of the layer.
    fn others(&self, operation: RowOperation, during: &str) -> Vec<&'p PivotLine<'a>> {
        let own = self.layer_of(self.overwrites[0]);
        self.pivot.select(|line| {
            line.head().operation == operation
                && line.axis(Axis::Fs).is_none()
                && line.field(Axis::During) == during
                && self.layer_of(line) == own
        })
    }

    fn sentence(&self) -> String {
        let line = self.overwrites[0];
        let unproven = self
            .overwrites
            .iter()
            .filter(|line| line.head().basis != Basis::Proven);
        let unproven: Vec<_> = unproven
            .map(|line| line.head().timing.to_string())
            .collect();
        let proof = match unproven.is_empty() {
            true => "; proven".to_owned(),
            false => format!(
                "; no proof at {}, as the sheet lacks a figure",
                unproven.join(" and ")
            ),
        };
        format!(
            "A synced overwrite of {} takes at most {}, with {} of the chip for data{proof}.",
            line.field(Axis::AccessBytes),
            Self::told(&self.overwrites, Metric::LatencyMax),
            line.field(Axis::CapacityShare),
        )
    }

    /// "2 programs and 10 steps: 4.66 ms typ; or 2 programs and an erase: 2.57 ms typ".
    fn formula(&self) -> CardPoint {
        let [steps, erase] =
            ["steps", "erase"].map(|beside| self.others(RowOperation::Overwrite, beside));
        let count = |lines: &[&PivotLine<'_>], operation| {
            let counts = lines
                .first()?
                .split(Metric::LatencyMaxOperations, Axis::DeviceOperation);
            let count = counts.into_iter().find(|(name, _)| *name == operation);
            count.map(|(_, count)| count)
        };
        // A step reads a page or moves one, and nothing else of a write does.
        let reads = count(&steps, "read").unwrap_or(0.0);
        let of_steps = reads + count(&steps, "move").unwrap_or(0.0);
        let programs = text::count(count(&steps, "program").unwrap_or(0.0) - reads);
        let (of_steps, told) = (
            text::count(of_steps),
            Self::told(&steps, Metric::LatencyMax),
        );
        let words = match count(&steps, "erase") {
            Some(part) => format!(
                "{programs} programs, {of_steps} steps and {:.0} % of an erase: {told}",
                100.0 * part
            ),
            None => format!(
                "{programs} programs and {of_steps} steps: {told}; or {programs} programs and an erase: {}",
                Self::told(&erase, Metric::LatencyMax),
            ),
        };
        let longest = Self::most(&self.overwrites, Metric::LatencyMax);
        self.point(CardSubject::WorstCase, words, Metric::LatencyMax, longest)
    }

    /// What a step is.
    fn step(&self) -> CardPoint {
        let steps = self.others(RowOperation::Step, "");
        let moves = self.others(RowOperation::Step, "move");
        let told = Self::told(&steps, Metric::LatencyMax);
        let words = match moves.is_empty() {
            true => format!("a step reads a page and programs it to another block: {told}"),
            false => format!(
                "a step moves a page within the chip: {}; or stores a page of the map: {told}",
                Self::told(&moves, Metric::LatencyMax),
            ),
        };
        let longest = Self::most(&steps, Metric::LatencyMax);
        self.point(CardSubject::Cause, words, Metric::LatencyMax, longest)
    }

    fn floor(&self) -> CardPoint {
        let erase = match self.others(RowOperation::Overwrite, "erase").is_empty() {
            true => "the programs, and their share of an erase",
            false => "an erase and the programs",
        };
        let words = format!(
            "no file system on this chip can promise less than {}: {erase}",
            Self::told(&self.overwrites, Metric::LatencyFloor),
        );
        let floor = Self::most(&self.overwrites, Metric::LatencyFloor);
        self.point(CardSubject::Finding, words, Metric::LatencyFloor, floor)
    }

    fn rate(&self) -> CardPoint {
        let words = format!(
            "{}, whatever the order of the overwrites",
            Self::told(&self.overwrites, Metric::RateMax),
        );
        let rates = self
            .overwrites
            .iter()
            .filter_map(|line| line.number(Metric::RateMax));
        self.point(
            CardSubject::Speed,
            words,
            Metric::RateMax,
            rates.reduce(f64::min),
        )
    }

    fn mount(&self) -> CardPoint {
        let mounts = self.others(RowOperation::Mount, "");
        let words = format!(
            "what was synced is kept; the mount after it takes at most {}",
            Self::told(&mounts, Metric::LatencyMax),
        );
        let longest = Self::most(&mounts, Metric::LatencyMax);
        self.point(CardSubject::PowerCut, words, Metric::LatencyMax, longest)
    }

    /// The longest call on files.
    fn files(&self) -> Option<CardPoint> {
        let own = self.layer_of(self.overwrites[0]);
        let calls = self
            .pivot
            .select(|line| line.axis(Axis::Fs).is_some() && self.layer_of(line) == own);
        let longest = Self::most(&calls, Metric::LatencyMax)?;
        let is_longest = |line: &&&PivotLine<'_>| line.number(Metric::LatencyMax) == Some(longest);
        let operation = calls.iter().find(is_longest)?.head().operation;
        let of_it = calls
            .iter()
            .filter(|line| line.head().operation == operation);
        let of_it: Vec<_> = of_it.copied().collect();
        let words = format!(
            "files of rtfs: each call takes at most {}, the longest is {}",
            Self::told(&of_it, Metric::LatencyMax),
            super::call(of_it[0]),
        );
        Some(self.point(
            CardSubject::Finding,
            words,
            Metric::LatencyMax,
            Some(longest),
        ))
    }

    /// What a line is of.
    fn layer_of(&self, line: &PivotLine<'_>) -> [String; 3] {
        [
            LineField::Target,
            Of(Axis::CapacityBytes),
            Of(Axis::WithinS),
        ]
        .map(|name| line.field(name).to_string())
    }

    /// RAM of the layer.
    fn provision(&self) -> Option<CardPoint> {
        let ram = Self::most(&self.others(RowOperation::Mount, ""), Metric::MappingRam)?;
        let words = format!(
            "{} for the layer; the table has what records wait in beside it",
            text::ram(ram, text::DIGITS)
        );
        Some(self.point(CardSubject::Provision, words, Metric::MappingRam, Some(ram)))
    }

    /// What was found for the time that was asked for.
    fn wanted(&self) -> Option<CardPoint> {
        let line = self.overwrites[0];
        line.axis(Axis::WithinS)?;
        let words = format!(
            "at {} timing {} of the chip is the most for overwrites within {}",
            line.head().timing,
            line.field(Axis::CapacityShare),
            line.field(Axis::WithinS),
        );
        let longest = line.number(Metric::LatencyMax);
        Some(self.point(CardSubject::Advice, words, Metric::LatencyMax, longest))
    }

    fn ranked(&self) -> wordline_core::results::RankedChoice {
        let line = self.overwrites[0];
        let name = format!(
            "{} of {}",
            line.field(Axis::CapacityShare),
            line.head().target
        );
        choice(
            name,
            Metric::LatencyMax,
            Self::most(&self.overwrites, Metric::LatencyMax),
        )
    }
}

/// The first figure for which the proof at maximum timing lacks a maximum, as its warning says it.
fn lacking(pivot: &Pivot<'_>) -> Option<CardPoint> {
    if is_proven(&overwrites(pivot)) {
        return None;
    }
    let about_time = |advice: &&str| {
        let currents = ["current", "standby", "power_down"];
        advice.contains("has no max column") && !currents.iter().any(|name| advice.contains(name))
    };
    let warnings = pivot.document.warnings.iter();
    let mut advice = warnings
        .map(|warning| warning.advice.as_str())
        .filter(about_time);
    let figure = advice.next()?.split(',').next()?;
    let words = format!("no proof at max: {figure}");
    Some(CardPoint::words(CardSubject::Weakest, words))
}

/// A line for each layer and column of the sheet.
fn table(pivot: &Pivot<'_>) -> Option<Grid> {
    let lines = overwrites(pivot);
    type Of<'m, 'a> = &'m PivotLine<'a>;
    let mut table = Tabulation::new(String::new());
    if differs(&lines, |line| line.head().target.clone()) {
        table = table.key(column("target", Align::Left), |line: &Of<'_, '_>| {
            line.head().target.clone()
        });
    }
    table = table
        .key(column("capacity", Align::Right), |line: &Of<'_, '_>| {
            line.field(Axis::CapacityShare)
        })
        .key(column("timing", Align::Left), |line: &Of<'_, '_>| {
            line.head().timing.to_string()
        })
        .figure("overwrite", |line: &Of<'_, '_>| {
            line.told(Metric::LatencyMax)
        })
        .figure("proven rate", |line: &Of<'_, '_>| {
            line.told(Metric::RateMax)
        });
    let at = [(Axis::Arrival.into(), "record")];
    let points = lines
        .iter()
        .flat_map(|line| line.along(Metric::RamPeak, Axis::RateBytesPerS, &at));
    for rate in ascending(points.map(|(rate, _)| rate)) {
        table = table.figure(
            format!("RAM at {}", text::rate(rate)),
            move |line: &Of<'_, '_>| {
                let points = line.along(Metric::RamPeak, Axis::RateBytesPerS, &at);
                let (_, row) = points.into_iter().find(|(place, _)| *place == rate)?;
                Some(text::value(row, text::DIGITS))
            },
        );
    }
    table.lines(&lines)
}
