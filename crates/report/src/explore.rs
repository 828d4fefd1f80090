//! What people see of an explored design space: the front, the question of each step along it, and what was excluded.

use serde_json::Value;
use wordline_core::explore::{
    ExcludedBy, ExclusionBasis, ExplorationResult, ParetoObjective, ParetoPoint,
};
use wordline_core::quantity::human;
use wordline_core::results::{CardPoint, CardSubject, DecisionCard};

use crate::card::FirstScreen;
use crate::format::{Detail, Format, Style};
use crate::grid::{Column, Grid};
use crate::html::TablePage;
use crate::sweep::{last_name, shown_value};
use crate::text;

/// Reasons of exclusion that the first screen shows.
const REASONS: usize = 4;

/// Renders the result of an exploration. JSON carries the documents of the front, and CSV its points.
#[must_use]
pub fn render_exploration(result: &ExplorationResult, format: Format, style: &Style) -> String {
    match format {
        Format::Json => result.to_json(),
        Format::Csv => values(result).csv(),
        Format::Table => terminal(result, style),
        Format::Markdown => markdown(result),
        Format::Html => page(result).html(),
    }
}

fn shown(objective: &ParetoObjective, value: Option<f64>) -> String {
    match value {
        Some(value) => text::number(objective.metric, value, text::DIGITS),
        None => "unbounded".to_owned(),
    }
}

fn objective_name(objective: &ParetoObjective) -> String {
    match objective.operation {
        Some(operation) => format!("{}, {operation}", text::words(objective.metric.name())),
        None => text::words(objective.metric.name()),
    }
}

/// What the step from one point of the front to the next costs and brings.
fn step(result: &ExplorationResult, from: &ParetoPoint, to: &ParetoPoint) -> String {
    let objectives = &result.space.objectives;
    let changes = objectives.iter().zip(from.values.iter().zip(&to.values));
    let (mut worse, mut better) = (Vec::new(), Vec::new());
    for (objective, (from, to)) in changes {
        if from == to {
            continue;
        }
        let name = objective_name(objective);
        let (Some(from), Some(to)) = (from, to) else {
            match to.is_none() {
                true => better.push(format!("unbounded {name}")),
                false => worse.push(format!("bounded {name}")),
            }
            continue;
        };
        let ratio = to.max(*from) / to.min(*from);
        let direction = if to > from { "more" } else { "less" };
        let words = match ratio.is_finite() && to.min(*from) > 0.0 {
            true if ratio < 2.0 => {
                format!(
                    "{} {direction} {name}",
                    text::percent((to - from).abs() / from, 2)
                )
            }
            true => format!(
                "{name} {} {} times",
                if to > from { "x" } else { "÷" },
                human(ratio, "1", 2)
            ),
            false => format!(
                "{} {direction} {name}",
                shown(objective, Some((to - from).abs()))
            ),
        };
        match objective.better(*to, *from) {
            true => better.push(words),
            false => worse.push(words),
        }
    }
    match (worse.is_empty(), better.is_empty()) {
        (true, true) => "the same".to_owned(),
        (_, true) => worse.join(", "),
        (true, _) => better.join(", "),
        _ => format!("{} buys {}", worse.join(", "), better.join(", ")),
    }
}

/// The front with the step to each of its points.
fn front(result: &ExplorationResult, title: &str) -> Grid {
    let objectives = &result.space.objectives;
    let sweep = result.space.sweep();
    let mut columns: Vec<Column> = objectives
        .iter()
        .map(|of| Column::right(objective_name(of)))
        .collect();
    columns.extend(sweep.fields().map(|field| Column::left(last_name(field))));
    columns.push(Column::left("step from the line above"));
    let keys = objectives.len();
    let mut grid = Grid::new(title, columns).with_keys(keys);
    let mut before: Option<&ParetoPoint> = None;
    for point in &result.front {
        let values = objectives.iter().zip(&point.values);
        let mut cells: Vec<String> = values.map(|(of, value)| shown(of, *value)).collect();
        cells.extend(
            sweep
                .fields()
                .map(|field| shown_value(field, point.at.get(field))),
        );
        cells.push(
            before
                .map(|from| step(result, from, point))
                .unwrap_or_default(),
        );
        grid.push(cells);
        before = Some(point);
    }
    grid
}

/// The front in plain numbers.
fn values(result: &ExplorationResult) -> Grid {
    let sweep = result.space.sweep();
    let mut columns = vec![Column::numeric("point")];
    columns.extend(
        sweep
            .fields()
            .map(|field| Column::left(format!("at.{field}"))),
    );
    columns.extend(
        result
            .space
            .objectives
            .iter()
            .map(|of| Column::numeric(of.name())),
    );
    let mut grid = Grid::new("", columns);
    for point in &result.front {
        let mut cells = vec![point.point.to_string()];
        cells.extend(sweep.fields().map(|field| match point.at.get(field) {
            Some(Value::String(name)) => name.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        }));
        cells.extend(
            point.values.iter().map(|value| {
                value.map_or_else(String::new, |value| Value::from(value).to_string())
            }),
        );
        grid.push(cells);
    }
    grid
}

fn excluded(result: &ExplorationResult) -> Grid {
    let columns = vec![
        Column::right("points"),
        Column::left("excluded by"),
        Column::left("reason"),
        Column::left("known by"),
        Column::right("first of them"),
    ];
    let mut grid = Grid::new("Excluded", columns);
    for one in &result.excluded {
        grid.push([
            one.count.to_string(),
            by(one.by).to_owned(),
            one.reason.clone(),
            basis(one.basis).to_owned(),
            one.first.to_string(),
        ]);
    }
    grid
}

const fn by(by: ExcludedBy) -> &'static str {
    match by {
        ExcludedBy::Bound => "a proven bound",
        ExcludedBy::Limit => "a limit in simulation",
        ExcludedBy::Failure => "cannot be run",
        ExcludedBy::NoNumber => "no number for",
    }
}

const fn basis(basis: ExclusionBasis) -> &'static str {
    match basis {
        ExclusionBasis::Proven => "proof, without a run",
        ExclusionBasis::Run => "a run of each",
        ExclusionBasis::Sampled => "rough runs, and a sample in full",
    }
}

fn sentence(result: &ExplorationResult) -> String {
    if let Some(shard) = &result.shard {
        let of = match result.complete {
            true => "are in the store",
            false => "that are finished are in the store",
        };
        return format!(
            "The rough runs of share {shard}, {} points, {of}; without --shard, the front is found by those of all shares.",
            result.points
        );
    }
    let names: Vec<String> = result.space.objectives.iter().map(objective_name).collect();
    let (front, all) = (result.front.len(), result.points);
    match front {
        0 if !result.complete => format!("None of {all} candidates was run in full so far."),
        0 => format!("No candidate of {all} passes."),
        1 => format!(
            "One candidate of {all} is best in {} together.",
            text::list(&names)
        ),
        _ => format!(
            "{front} of {all} candidates are on the front of {}.",
            text::list(&names)
        ),
    }
}

fn card_points(result: &ExplorationResult) -> Vec<CardPoint> {
    let mut points = Vec::new();
    let share = |count: u64| text::percent(count as f64 / result.points.max(1) as f64, 2);
    let excluded: u64 = result.excluded.iter().map(|one| one.count).sum();
    let work = format!(
        "{} were run in full ({}), {} roughly; {excluded} are no candidates",
        result.fine,
        share(result.fine),
        result.coarse
    );
    points.push(CardPoint::words(CardSubject::Finding, work));
    let proven = result.excluded.iter();
    let proven = proven.filter(|one| one.basis == ExclusionBasis::Proven);
    let known = result.fine + proven.map(|one| one.count).sum::<u64>();
    let left = result.points.saturating_sub(known);
    if !result.space.coarse.is_empty() && result.complete && result.shard.is_none() && left > 0 {
        let words = format!("{left} were left out by rough runs and samples: likely, not proven");
        points.push(CardPoint::words(CardSubject::Finding, words));
    }
    let errors = result.space.objectives.iter().zip(&result.coarse_error);
    let errors: Vec<String> = errors
        .filter(|(_, error)| **error > 0.0)
        .map(|(of, error)| format!("{} {}", objective_name(of), text::percent(*error, 2)))
        .collect();
    if !errors.is_empty() {
        let words = format!("rough runs were off by up to: {}", errors.join(", "));
        points.push(CardPoint::words(CardSubject::Finding, words));
    }
    for one in result.excluded.iter().take(REASONS) {
        let sampled = match one.basis {
            ExclusionBasis::Sampled => " (a sample was run in full)",
            ExclusionBasis::Proven | ExclusionBasis::Run => "",
        };
        let words = format!("{} {}: {}{sampled}", one.count, by(one.by), one.reason);
        points.push(CardPoint::words(
            CardSubject::Cause,
            text::printable(&words),
        ));
    }
    points
}

fn terminal(result: &ExplorationResult, style: &Style) -> String {
    let answer = DecisionCard {
        sentence: text::printable(&sentence(result)),
        points: card_points(result),
        ..DecisionCard::default()
    };
    let incomplete = (!result.complete).then_some(match result.shard {
        None => "Not everything that may lie on the front was run.",
        Some(_) => "Not every rough run of the share is finished.",
    });
    let screen = FirstScreen::new(answer, Some(front(result, "")), "points of the front");
    let mut out = screen.lay_out(incomplete, "   page: --export page.html", style);
    if style.detail == Detail::Answer {
        return out;
    }
    let mut tables = vec![excluded(result)];
    if style.detail == Detail::All {
        tables.insert(0, front(result, "The front"));
    }
    for grid in tables.iter().filter(|grid| !grid.rows().is_empty()) {
        out.push('\n');
        out.push_str(&grid.table(style));
    }
    out
}

fn markdown(result: &ExplorationResult) -> String {
    let mut out = format!("{}\n", crate::markdown::escape(&sentence(result)));
    let tables = [front(result, "The front"), excluded(result)];
    for grid in tables.iter().filter(|grid| !grid.rows().is_empty()) {
        out.push('\n');
        out.push_str(&grid.markdown());
    }
    out
}

fn page(result: &ExplorationResult) -> TablePage {
    let tables = [front(result, "The front"), excluded(result)];
    TablePage {
        title: "Design space".to_owned(),
        sentence: sentence(result),
        points: card_points(result)
            .into_iter()
            .map(|point| point.text)
            .collect(),
        compared: Vec::new(),
        short: Some(front(result, "The front")),
        tables: tables
            .into_iter()
            .filter(|grid| !grid.rows().is_empty())
            .collect(),
        command: "wordline explore STUDY.toml".to_owned(),
        json: result.to_json(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wordline_core::ResultSet;
    use wordline_core::explore::{DesignSpace, ExcludedPoints};

    use super::*;

    fn result() -> ExplorationResult {
        let space: DesignSpace = serde_json::from_value(json!({
            "experiment": { "targets": ["em064lx"], "workload": { "kind": "raw" } },
            "axis": [{ "field": "workload.access_bytes", "values": [512, "4 KiB"] }],
            "objective": [{ "metric": "cost" }, { "metric": "ram_provision" }],
        }))
        .expect("a study");
        let sweep = space.sweep();
        let places = sweep.points().expect("points");
        let mut result = ExplorationResult::new(space);
        result.points = 2;
        for (place, values) in places.iter().zip([[3.0, 24_576.0], [5.0, 12_288.0]]) {
            let experiment = sweep.experiment_at(place).expect("an experiment");
            result.front.push(ParetoPoint {
                point: place.point,
                at: sweep.at(place),
                values: values.map(Some).to_vec(),
                result: Box::new(ResultSet::new(experiment)),
            });
        }
        result.excluded = vec![ExcludedPoints {
            by: ExcludedBy::Bound,
            reason: "rate\u{1b}[31m".to_owned(),
            basis: ExclusionBasis::Proven,
            count: 7,
            first: 3,
        }];
        result
    }

    #[test]
    fn each_step_says_what_it_costs_and_brings() {
        let style = Style {
            detail: Detail::Answer,
            ..Style::default()
        };
        let text = render_exploration(&result(), Format::Table, &style);
        assert!(
            text.starts_with("2 of 2 candidates are on the front of cost and ram provision."),
            "{text}"
        );
        assert!(text.contains("7 a proven bound: rate"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        let table = front(&result(), "");
        let step = table.rows()[1].last().cloned();
        assert_eq!(
            step.as_deref(),
            Some("67 % more cost buys ram provision ÷ 2.0 times")
        );
        assert!(text.lines().count() <= 24, "{text}");
    }

    #[test]
    fn csv_has_plain_numbers_and_json_the_documents() {
        let csv = render_exploration(&result(), Format::Csv, &Style::default());
        assert_eq!(
            csv,
            "point,at.workload.access_bytes,cost,ram_provision\r\n0,512,3.0,24576.0\r\n1,4096,5.0,12288.0\r\n"
        );
        let json = render_exploration(&result(), Format::Json, &Style::default());
        let back: ExplorationResult = serde_json::from_str(&json).expect("JSON");
        assert_eq!(back, result());
    }

    #[test]
    fn how_an_exclusion_is_known_is_said() {
        let mut of = result();
        of.excluded[0].basis = ExclusionBasis::Sampled;
        let text = render_exploration(&of, Format::Table, &Style::default());
        assert!(text.contains("(a sample was run in full)"), "{text}");
        let page = render_exploration(&of, Format::Markdown, &Style::default());
        assert!(page.contains("rough runs, and a sample in full"), "{page}");
    }

    #[test]
    fn a_share_has_no_front_and_says_where_its_runs_are() {
        let mut share = result();
        share.front.clear();
        share.shard = Some("2/8".to_owned());
        let text = render_exploration(&share, Format::Table, &Style::default());
        assert!(
            text.starts_with("The rough runs of share 2/8, 2 points, are in the store"),
            "{text}"
        );
    }

    #[test]
    fn an_empty_front_is_said() {
        let mut none = result();
        none.front.clear();
        let text = render_exploration(&none, Format::Markdown, &Style::default());
        assert!(text.starts_with("No candidate of 2 passes"), "{text}");
        let stopped = ExplorationResult {
            complete: false,
            ..none.clone()
        };
        let text = render_exploration(&stopped, Format::Markdown, &Style::default());
        assert!(
            text.starts_with("None of 2 candidates was run in full"),
            "{text}"
        );
        assert!(
            render_exploration(&none, Format::Html, &Style::default()).contains("No candidate")
        );
    }
}
