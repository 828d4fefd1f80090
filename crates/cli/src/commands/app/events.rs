//! `wordline app events`.

use serde_json::json;
use wordline_apps::import::{EventsRequest, planned_runs};
use wordline_core::quantity::Quantity as _;
use wordline_report::{Column, Format, Grid};

use crate::args::{CounterEvents, Global};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// Milliseconds of an interval: perf takes no less, and longer ones say nothing of bursts.
const INTERVAL_MS: std::ops::RangeInclusive<f64> = 1.0..=3_600_000.0;

pub(crate) fn run(asked: &CounterEvents, global: &Global) -> Result<Outcome, Failure> {
    let catalog = super::super::catalog(global)?;
    let counters = catalog
        .counters_of(&asked.cpu)
        .map_err(|error| failure::message(format!("--cpu: {error}")))?;
    let milliseconds = asked.interval.si() * 1e3;
    if !INTERVAL_MS.contains(&milliseconds) {
        let text = format!("--interval {} is out of range (1ms..=1h)", asked.interval);
        return Err(failure::message(text));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // In the range above.
    let request = EventsRequest {
        interval_ms: milliseconds.round() as u64,
        program_only: asked.program_only,
        program: &asked.program,
    };
    let runs = planned_runs(&counters.sheet, &request);
    let files: Vec<&str> = runs.iter().map(|run| run.file.as_str()).collect();
    let next = format!(
        "wordline app import {} --cpu {}",
        files.join(" "),
        asked.cpu
    );
    let event = |name: &str| counters.sheet.find(name);
    match Format::from(global.format) {
        Format::Json => {
            let run = |run: &wordline_apps::import::PlannedRun| {
                let events: Vec<_> = run
                    .events
                    .iter()
                    .filter_map(|name| event(name))
                    .map(|event| json!({"event": event.name, "for": event.role.name(), "meaning": event.meaning, "source": event.source}))
                    .collect();
                json!({"command": run.command, "file": run.file, "events": events})
            };
            let runs: Vec<_> = runs.iter().map(run).collect();
            output::data(&format!(
                "{:#}\n",
                json!({"cpu": asked.cpu, "runs": runs, "next": next})
            ))?;
        }
        format @ (Format::Csv | Format::Markdown) => {
            let columns = ["file", "event", "for", "meaning", "source"];
            let mut grid = Grid::new("Events", columns.map(Column::left).into());
            for run in &runs {
                for event in run.events.iter().filter_map(|name| event(name)) {
                    grid.push([
                        &*run.file,
                        &*event.name,
                        event.role.name(),
                        &*event.meaning,
                        &*event.source,
                    ]);
                }
            }
            output::data(&grid.render(format, &output::style()))?;
        }
        Format::Table | Format::Html => {
            let commands: Vec<&str> = runs.iter().map(|run| run.command.as_str()).collect();
            output::data(&format!("{}\n", commands.join("\n\n")))?;
            if !global.quiet {
                if runs.len() > 1 {
                    output::note(&format!(
                        "{} runs, because {} has fewer counters than events: no event shares its counter.",
                        runs.len(),
                        counters.header.name
                    ));
                }
                for caution in &counters.header.cautions {
                    output::note(&format!("caution: {caution}"));
                }
                output::note(&format!("next: {next}"));
            }
        }
    }
    Ok(Outcome::Done)
}
