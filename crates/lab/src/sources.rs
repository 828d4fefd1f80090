//! What a document says of the figures that its rows rest on, and of their gaps.

use wordline_catalog::{Model, Target};
use wordline_core::results::{FigureUse, Warning};
use wordline_core::{Fallback, ResultSet, Timing};
use wordline_nvm::{Mram, MramSheet, Wired};

/// Adds the figures of a target, each sheet once, and a warning for whatever a sheet lacked.
pub(crate) fn add(
    document: &mut ResultSet,
    target: &Target<'_>,
    device: &Wired<Mram>,
    timing: Timing,
) {
    let Model::Mram(sheet) = &target.part.model;
    let unused = |figure: &&FigureUse| !is_unused(sheet, device, &figure.figure);
    let figures = target.part.figures.iter().filter(unused);
    for figure in figures.chain(&target.board.figures) {
        if !document.figures.contains(figure) {
            document.figures.push(figure.clone());
        }
    }
    for fallback in device.fallbacks() {
        push(document, missing_column(target, fallback, timing));
    }
    if device.chip().power_draw().is_none() {
        push(document, no_current(target));
    }
}

/// Whether a figure belongs to an opcode or a current that the link does not use.
fn is_unused(sheet: &MramSheet, device: &Wired<Mram>, path: &str) -> bool {
    let link = device.link();
    let commands = [&link.read, &link.write, &link.write_enable];
    let index = |rest: &str| {
        rest.split('.')
            .next()
            .and_then(|index| index.parse::<usize>().ok())
    };
    if let Some(rest) = path.strip_prefix("mram.opcode.") {
        let index = index(rest);
        return !commands.iter().any(|command| Some(command.index) == index);
    }
    if let Some(rest) = path.strip_prefix("mram.") {
        let currents = commands
            .iter()
            .filter_map(|command| sheet.current_for(command));
        return rest.starts_with("active.") && !currents.into_iter().any(|(name, _)| name == rest);
    }
    false
}

fn missing_column(target: &Target<'_>, fallback: &Fallback, timing: Timing) -> Warning {
    let Fallback {
        figure,
        wanted,
        used,
    } = fallback;
    let consequence = match timing {
        Timing::Max => "so the results are no bound",
        Timing::Typ => "so the results are pessimistic there",
        Timing::Sampled => "so it does not vary",
    };
    Warning {
        code: "missing-column".to_owned(),
        advice: format!(
            "{}: {figure} has no {wanted} column, {used} stands in for it, {consequence}; state \
             {wanted} in the sheet if you know it",
            target.name
        ),
    }
}

fn no_current(target: &Target<'_>) -> Warning {
    Warning {
        code: "unknown-current".to_owned(),
        advice: format!(
            "{}: the sheet states no current for the transfer rate of this bus, so energy is \
             unknown; add a table [[mram.active]] for it",
            target.name
        ),
    }
}

/// Adds a warning that the document does not have yet.
fn push(document: &mut ResultSet, warning: Warning) {
    if !document.warnings.contains(&warning) {
        document.warnings.push(warning);
    }
}
