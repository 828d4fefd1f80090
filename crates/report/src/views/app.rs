//! Programs on other memories: how much faster each memory makes them, how sure that is, and why.
//!
//! A line is a memory. Bands, simpler rules and phases are parts of it.

mod card;
mod plots;
#[cfg(test)]
mod tests;

use wordline_core::results::WarningCode;
use wordline_core::{Axis, Basis, Metric, ResultSet, Workload};

use crate::answer::{Answer, IN_WORDS};
use crate::pivot::LineField::Of;
use crate::pivot::{ANY, At, Keys, Pivot, PivotLine};
use crate::text;
use crate::view::FigureOf::{self, Made};
use crate::view::{Key, LineTable, PartColumns, PlotView, TableView, View, figure};

pub(crate) const VIEW: View = View {
    workload: "app",
    keys: Keys::but(&[Of(Axis::Estimate), Of(Axis::Over), Of(Axis::Phase)]),
    tables: &[
        TableView::Lines(CANDIDATES),
        TableView::Lines(SHARES),
        TableView::Lines(PHASES),
        TableView::Lines(ENERGY),
        TableView::Lines(WHOLE),
        TableView::Lines(RULES),
    ],
    plots: &[PlotView::Made(plots::plots)],
    answer: |pivot| Answer::of_all(sentences(pivot)),
    card: Some(card::card),
    ..View::EMPTY
};

/// The memories as lines.
const MODULE: Key = Key::Words("module", |pivot, line| pivot.short(line.head()).to_owned());

/// Compared with the baseline.
const OVER: &At = &[(Of(Axis::Over), ANY)];

/// How much faster, how sure, what of it, and at which price.
const CANDIDATES: LineTable = LineTable {
    title: "The program on each memory{place}",
    lines: ranked,
    keys: &[MODULE],
    figures: &[
        figure("speed-up", Made(|_, line| speed_up(line).map(times))),
        figure("5-95 %", Made(|_, line| band(line))),
        figure(
            "bound by",
            FigureOf::Words(|_, line| Some(bound(line)?.to_owned())),
        ),
        figure(
            "+1 % bandwidth",
            Made(|_, line| gain(line, Metric::GainOfBandwidth)),
        ),
        figure("-1 ns", Made(|_, line| gain(line, Metric::GainOfLatency))),
        figure("moves", FigureOf::At(Metric::ThroughputMean, &[])),
        figure("a line takes", FigureOf::At(Metric::LatencyMean, &[])),
        figure("cost", FigureOf::Value(Metric::Cost, &[])),
    ],
    ..LineTable::EMPTY
};

/// Where the time of the cores goes.
const SHARES: LineTable = LineTable {
    title: "Where the time of the cores goes{place}",
    figures: &[
        figure("run time", FigureOf::At(Metric::ProgramTime, &[])),
        figure(
            "",
            FigureOf::Parts(PartColumns::shares(Metric::CoreTimeShare)),
        ),
    ],
    ..CANDIDATES
};

/// Each phase.
const PHASES: LineTable = LineTable {
    title: "Phases{place}",
    pivot: Some(Keys::but(&[Of(Axis::Estimate), Of(Axis::Over)])),
    lines: |pivot| {
        pivot.select(|line| {
            line.axis(Axis::Phase).is_some() && line.number(Metric::ProgramTime).is_some()
        })
    },
    keys: &[Key::Always(Of(Axis::Phase)), MODULE],
    figures: &[
        figure("run time", FigureOf::At(Metric::ProgramTime, &[])),
        figure("speed-up", Made(|_, line| speed_up(line).map(times))),
        figure("a line takes", FigureOf::At(Metric::LatencyMean, &[])),
        figure(
            "lines waited for",
            FigureOf::Value(Metric::LinesWaitedFor, &[]),
        ),
    ],
    ..LineTable::EMPTY
};

/// Energy of the task.
const ENERGY: LineTable = LineTable {
    title: "Energy of a run{place}",
    figures: &[
        figure("run time", FigureOf::At(Metric::ProgramTime, &[])),
        figure("task", FigureOf::At(Metric::TaskEnergy, &[])),
        figure("of the baseline's", Made(|_, line| energy_ratio(line))),
        figure("", FigureOf::Parts(PartColumns::of(Metric::TaskEnergyPart))),
        figure("power of the modules", FigureOf::At(Metric::PowerMean, &[])),
    ],
    ..CANDIDATES
};

/// What was simulated whole.
const COSIMULATED: &At = &[(Of(Axis::Estimate), "cosimulated")];

/// Windows that were simulated whole, beside the surfaces.
const WHOLE: LineTable = LineTable {
    title: "Windows simulated whole{place}",
    pivot: Some(Keys::but(&[Of(Axis::Estimate), Of(Axis::Over)])),
    lines: |pivot| pivot.select(|line| difference(line).is_some()),
    keys: &[Key::Always(Of(Axis::Phase)), MODULE],
    figures: &[
        figure("simulated", FigureOf::At(Metric::ProgramTime, COSIMULATED)),
        figure(
            "over the surface",
            Made(|_, line| Some(format!("{:+.1} %", 100.0 * difference(line)?))),
        ),
    ],
    ..LineTable::EMPTY
};

/// How much longer windows take when they are simulated whole.
fn difference(line: &PivotLine<'_>) -> Option<f64> {
    line.at(Metric::SurfaceDifference, COSIMULATED)?.value
}

/// Energy of the task over that on the baseline: "0.86", or "0.78 to 1.02" whatever the server's powers are.
fn energy_ratio(line: &PivotLine<'_>) -> Option<String> {
    if let Some(ratio) = line
        .at(Metric::TaskEnergyRatio, OVER)
        .and_then(|row| row.value)
    {
        return Some(times(ratio));
    }
    let end = |name| {
        let at = [(Of(Axis::Over), ANY), (Of(Axis::Estimate), name)];
        line.at(Metric::TaskEnergyRatio, &at)?.value
    };
    Some(format!(
        "{} to {}",
        times(end("least")?),
        times(end("greatest")?)
    ))
}

/// What simpler rules say.
const RULES: LineTable = LineTable {
    title: "Beside simpler rules{place}",
    lines: |pivot| {
        let mut lines = ranked(pivot);
        lines.retain(|line| line.at(Metric::SpeedUp, OVER).is_some());
        lines
    },
    figures: &[
        figure("speed-up", Made(|_, line| speed_up(line).map(times))),
        figure(
            "ratio of the clocks",
            Made(|_, line| estimate(line, "always").map(times)),
        ),
        figure(
            "roofline",
            Made(|_, line| estimate(line, "roofline").map(times)),
        ),
        figure(
            "at the mean load",
            Made(|_, line| estimate(line, "steady").map(times)),
        ),
    ],
    ..CANDIDATES
};

/// The memories, the fastest first.
fn ranked<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let mut lines = pivot.select(|line| line.number(Metric::ProgramTime).is_some());
    let time = |line: &PivotLine<'_>| line.number(Metric::ProgramTime).unwrap_or(f64::INFINITY);
    lines.sort_by(|a, b| time(a).total_cmp(&time(b)));
    lines
}

/// The speed-up over the baseline.
fn speed_up(line: &PivotLine<'_>) -> Option<f64> {
    line.at(Metric::SpeedUp, OVER)?.value
}

fn estimate(line: &PivotLine<'_>, name: &str) -> Option<f64> {
    let at = [(Of(Axis::Over), ANY), (Of(Axis::Estimate), name)];
    line.at(Metric::SpeedUp, &at)?.value
}

/// A speed-up with two decimals: more are no prediction.
fn times(ratio: f64) -> String {
    match ratio.abs() < 1e4 {
        true => format!("{ratio:.2}"),
        false => text::factor(ratio),
    }
}

/// "1.15 to 1.28".
fn band(line: &PivotLine<'_>) -> Option<String> {
    let (low, high) = (estimate(line, "band_low")?, estimate(line, "band_high")?);
    Some(format!("{} to {}", times(low), times(high)))
}

/// What takes most of the program's time.
fn bound(line: &PivotLine<'_>) -> Option<&'static str> {
    match line.number(Metric::ProgramBound)? {
        1.0 => Some("compute"),
        2.0 => Some("latency"),
        3.0 => Some("bandwidth"),
        4.0 => Some("outside memory"),
        _ => None,
    }
}

/// The same in a sentence: "bound by what is outside memory".
fn bound_words(line: &PivotLine<'_>) -> Option<&'static str> {
    Some(match bound(line)? {
        "outside memory" => "what is outside memory",
        own => own,
    })
}

/// "+0.52 %".
fn gain(line: &PivotLine<'_>, metric: Metric) -> Option<String> {
    let gain = line.at(metric, OVER)?.value?;
    Some(match gain.abs() < 1.0 {
        true => format!("{:+.2} %", 100.0 * gain),
        false => text::percent(gain, text::DIGITS),
    })
}

/// The program, as people name it.
fn program(pivot: &Pivot<'_>) -> String {
    let Workload::App(app) = &pivot.document.experiment.workload else {
        return "the program".to_owned();
    };
    let name = app
        .profile
        .as_ref()
        .and_then(|profile| profile.get("name")?.as_str());
    text::printable(name.unwrap_or("the program"))
}

/// The memory that the profile is of.
fn baseline<'a>(pivot: &Pivot<'a>) -> Option<&'a str> {
    let mut rows = pivot.document.rows.iter();
    rows.find_map(|row| row.text(Axis::Over))
}

/// "mrdimm-8800-2rx4-128g: 1.21 times as fast (5-95 %: 1.15 to 1.28)."
fn faster(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    let ratio = times(speed_up(line)?);
    let band = band(line).map_or_else(String::new, |band| format!(" (5-95 %: {band})"));
    let (module, program) = (pivot.short(line.head()), program(pivot));
    let base = baseline(pivot).map(text::part_of).unwrap_or_default();
    Some(format!(
        "{module}: {program} is {ratio} times as fast as on {base}{band}."
    ))
}

/// Why the runs that were given determine no powers.
fn undetermined(document: &ResultSet) -> Option<&str> {
    let mut warnings = document.warnings.iter();
    let warning = warnings.find(|warning| warning.code == WarningCode::Undetermined.name())?;
    Some(&warning.advice)
}

/// "200 W of the platform, 2.50 W a core that computes, 1.50 W a core that waits, found from 4 runs".
fn powers(pivot: &Pivot<'_>) -> Option<String> {
    let document = pivot.document;
    let row = |cause: &str| {
        let mut rows = document.rows.iter();
        rows.find(|row| row.metric == Metric::ServerPower && row.text(Axis::Cause) == Some(cause))
    };
    let watts = |cause| {
        Some(text::number(
            Metric::ServerPower,
            row(cause)?.value?,
            text::DIGITS,
        ))
    };
    let from = match (row("platform")?.basis, &document.experiment.workload) {
        (Basis::Calibrated, Workload::App(app)) => {
            format!("found from {} runs", app.power_runs.len())
        }
        _ => "as stated".to_owned(),
    };
    Some(format!(
        "{} of the platform, {} a core that computes, {} a core that waits, {from}",
        watts("platform")?,
        watts("active_core")?,
        watts("stalled_core")?,
    ))
}

fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    let lines = ranked(pivot);
    let faster = lines
        .iter()
        .take(IN_WORDS)
        .filter_map(|line| faster(pivot, line));
    let mut sentences: Vec<String> = faster.collect();
    let base = baseline(pivot);
    let before = lines
        .iter()
        .find(|line| Some(line.head().target.as_str()) == base);
    sentences.extend(before.and_then(|line| where_time_goes(pivot, line)));
    sentences.extend(lines.first().and_then(|line| sensitivity(pivot, line)));
    let energy = |line: &&&PivotLine<'_>| line.number(Metric::TaskEnergy).is_some();
    if !lines.is_empty() && !lines.iter().any(|line| energy(&line)) {
        let way_out = "--platform-power, --active-power and --stalled-power, or measured runs (--power-runs), say what no sheet does";
        let why = undetermined(pivot.document).unwrap_or(way_out);
        sentences.push(format!("The energy of the task is undetermined: {why}."));
    }
    sentences.extend(powers(pivot).map(|words| format!("Powers of the server: {words}.")));
    let first = lines.first();
    sentences.extend(first.and_then(|line| {
        let ratio = times(estimate(line, "cosimulated")?);
        let module = pivot.short(line.head());
        Some(format!(
            "With windows of it simulated whole, the program is {ratio} times as fast on {module}."
        ))
    }));
    sentences
}

/// "On rdimm-… the program is bound by bandwidth. Cores compute for 45 % of the time, wait 25 % for latency and …."
fn where_time_goes(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    let value = |cause| line.row(Metric::CoreTimeShare, Some(cause))?.value;
    let share = |cause| Some(text::percent(value(cause)?, 2));
    let outside = value("outside").filter(|outside| *outside > 0.0);
    let outside = outside.map_or_else(String::new, |outside| {
        let outside = text::percent(outside, 2);
        format!(" For {outside} of it the program is outside of both: I/O, locks.")
    });
    Some(format!(
        "On {} the program is bound by {}. Cores compute for {} of the time, wait {} for latency and {} for load.{outside}",
        pivot.short(line.head()),
        bound_words(line)?,
        share("compute")?,
        share("unloaded_latency")?,
        share("memory_load")?,
    ))
}

/// "One percent more bandwidth of mrdimm-… would change its speed-up by +0.52 %, one nanosecond less latency by +0.10 %."
fn sensitivity(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    let module = pivot.short(line.head());
    let bandwidth = gain(line, Metric::GainOfBandwidth)?;
    let latency = gain(line, Metric::GainOfLatency)?;
    Some(format!(
        "One percent more bandwidth of {module} would change its speed-up by {bandwidth}, one nanosecond less latency by \
         {latency}."
    ))
}
