//! The sheets and figures that the rows of a document depend on, and warnings of their gaps.

use crate::warning::{ColumnConsequence, LabWarning};
use wordline_catalog::{Header, PartOnBoard};
use wordline_core::results::{FigureUse, SheetUse};
use wordline_core::{Fallback, Readings, ResultSet, Timing, Workload};
use wordline_nvm::{Accounts, Cause, CurrentGap};

/// Adds sheets and figures of a target, each once, and a warning for whatever the reader should
/// know of them.
pub(crate) fn add(
    document: &mut ResultSet,
    target: &PartOnBoard<'_>,
    device: &dyn Accounts,
    timing: Timing,
) {
    let notes = device.notes();
    let table = format!("{}.", target.part.model.name());
    let part = &target.part.header;
    let board = &target.board.header;
    add_sheet(document, part);
    add_figures(document, &target.part.figures, &notes.part, &table);
    add_sheet(document, board);
    add_figures(document, &target.board.figures, &notes.board, "");
    let rail = target.link().ok().map(|link| link.rail);
    let mut rails = target.board.board.rail.iter();
    let rail = rails.find(|one| Some(&one.name) == rail.as_ref());
    if let Some(caution) = rail.and_then(|rail| rail.caution.as_ref()) {
        document.warn(LabWarning::Caution {
            name: &target.name,
            caution: &caution,
        });
    }
    if let Some(left) = target.part.model.left_to_host() {
        document.warn(LabWarning::Caution {
            name: &target.name,
            caution: &left,
        });
    }
    for (sheet, readings) in [(part, &notes.part), (board, &notes.board)] {
        for fallback in &readings.fallbacks {
            document.warn(LabWarning::MissingColumn {
                sheet: &sheet.id,
                figure: &fallback.figure,
                wanted: &fallback.wanted,
                used: &fallback.used,
                consequence: &consequence(fallback, timing),
            });
        }
    }
    warn_of_currents(document, &target.name, &notes.currents);
    let wear = device.wear();
    let ages = matches!(document.experiment.workload, Workload::Wear(_));
    if wear.before > 0 && !ages && device.causes().contains(&Cause::Erase) {
        document.warn(LabWarning::AgeWearOnly {
            target: &target.name,
        });
    }
    if wear.left() == 0 {
        document.warn(LabWarning::LifeUsedUp {
            target: &target.name,
            endurance: &wear.endurance,
        });
    }
}

/// Adds a sheet, once, with what its author wants its users to know.
pub(crate) fn add_sheet(document: &mut ResultSet, header: &Header) {
    let sheet = SheetUse {
        id: header.id.clone(),
        name: header.name.clone(),
        manufacturer: header.manufacturer.clone(),
        revision: header.revision.clone(),
        embedded: header.embedded,
    };
    if !document.sheets.contains(&sheet) {
        document.sheets.push(sheet);
    }
    for caution in &header.cautions {
        document.warn(LabWarning::Caution {
            name: &header.id,
            caution: &caution,
        });
    }
}

/// The figures that were read, in the order of the sheet.
pub(crate) fn add_figures(
    document: &mut ResultSet,
    all: &[FigureUse],
    read: &Readings,
    table: &str,
) {
    for figure in all {
        let name = figure.figure.strip_prefix(table).unwrap_or(&figure.figure);
        if read.figures.iter().any(|read| read == name) && !document.figures.contains(figure) {
            document.figures.push(figure.clone());
        }
    }
}

/// Adds the figures of a part's ageing, which a device reads only while it ages.
pub(crate) fn add_ageing(document: &mut ResultSet, target: &PartOnBoard<'_>) {
    let table = target.part.model.name();
    let tables = [
        format!("{table}.aging."),
        format!("{table}.ecc."),
        format!("{table}.host_ecc_bits"),
    ];
    for figure in &target.part.figures {
        let is_one = tables.iter().any(|table| figure.figure.starts_with(table));
        if is_one && !document.figures.contains(figure) {
            document.figures.push(figure.clone());
        }
    }
}

/// What comes of a column that stands in for another.
fn consequence(fallback: &Fallback, timing: Timing) -> ColumnConsequence {
    match timing {
        // What is certain was asked for, and something better was found.
        _ if fallback.wanted == "min" => ColumnConsequence::Optimistic,
        Timing::Max => ColumnConsequence::NoBound,
        Timing::Typ => ColumnConsequence::Pessimistic,
        Timing::Sampled => ColumnConsequence::Fixed,
    }
}

fn warn_of_currents(document: &mut ResultSet, target: &str, gaps: &[CurrentGap]) {
    let unknown: Vec<_> = gaps
        .iter()
        .filter_map(|gap| match gap {
            CurrentGap::Unknown { action } => Some(*action),
            CurrentGap::Faster { .. } => None,
        })
        .collect();
    if !unknown.is_empty() {
        document.warn(LabWarning::UnknownCurrent {
            target: &target,
            states: &unknown.join(", "),
        });
    }
    for gap in gaps {
        if let CurrentGap::Faster { figure, clock } = gap {
            document.warn(LabWarning::CurrentTooLow {
                target: &target,
                figure: &figure,
                clock: &clock,
            });
        }
    }
}
