//! `wordline explore`: the best trade-offs of a design space.

use wordline_lab::Shard;
use wordline_report::render_exploration;

use super::run_saved::InputPlaces;
use super::sweep;
use crate::args::{Global, StudySpace};
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output::Exports;
use crate::saved;

pub(crate) fn run(asked: &StudySpace, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&asked.export)?;
    exports.spare(&asked.file)?;
    let space = saved::read_space(&asked.file)?;
    let control = asked.runs.control();
    let catalog = super::catalog(global)?;
    let store = asked.runs.stored.open()?;
    let mut places = InputPlaces::of(&asked.file, &asked.runs.input)?;
    let inputs = sweep::inputs(&space.sweep(), &mut places, &exports)?;
    let shard = asked.shard.unwrap_or(Shard::WHOLE);
    let result = super::watched(&inputs, &control, global, |control| {
        wordline_lab::explore(&catalog, &space, shard, store.as_ref(), control)
    });
    let result = result.map_err(|failure| places.explained(failure))?;
    exports.write_text(global, |format, style| {
        render_exploration(&result, format, style)
    })?;
    Ok(if !result.complete {
        Outcome::Interrupted
    } else if result.shard.is_none() && result.front.is_empty() {
        Outcome::CheckFailed
    } else {
        Outcome::Done
    })
}
