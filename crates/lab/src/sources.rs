//! The sheets and figures that the rows of a document depend on, and warnings of their gaps.

use wordline_catalog::{Header, PartOnBoard};
use wordline_core::results::{FigureUse, SheetUse, WarningCode};
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
        document.warn(WarningCode::Caution, format!("{}: {caution}", target.name));
    }
    if let Some(left) = target.part.model.left_to_host() {
        document.warn(WarningCode::Caution, format!("{}: {left}", target.name));
    }
    for (sheet, readings) in [(part, &notes.part), (board, &notes.board)] {
        for fallback in &readings.fallbacks {
            let advice = missing_column(&sheet.id, fallback, timing);
            document.warn(WarningCode::MissingColumn, advice);
        }
    }
    warn_of_currents(document, &target.name, &notes.currents);
    let wear = device.wear();
    let ages = matches!(document.experiment.workload, Workload::Wear(_));
    if wear.before > 0 && !ages && device.causes().contains(&Cause::Erase) {
        let advice = format!(
            "{}: age changes what is left of the rated cycles alone; times, energy and bit errors \
             are those of a fresh chip",
            target.name
        );
        document.warn(WarningCode::AgeWearOnly, advice);
    }
    if wear.left() == 0 {
        let advice = format!(
            "{}: at this age every unit has used its {} rated cycles; the sheet promises nothing \
             from here on",
            target.name, wear.endurance
        );
        document.warn(WarningCode::LifeUsedUp, advice);
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
        document.warn(WarningCode::Caution, format!("{}: {caution}", header.id));
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

fn missing_column(sheet: &str, fallback: &Fallback, timing: Timing) -> String {
    let Fallback {
        figure,
        wanted,
        used,
    } = fallback;
    let consequence = match timing {
        // What is certain was asked for, and something better was found.
        _ if *wanted == "min" => "so what rests on it is optimistic",
        Timing::Max => "so what rests on it is no bound",
        Timing::Typ => "so what rests on it is pessimistic",
        Timing::Sampled => "so it does not vary",
    };
    format!(
        "{sheet}: {figure} has no {wanted} column, {used} stands in for it, {consequence}; state \
         {wanted} in the sheet if you know it"
    )
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
        let advice = format!(
            "{target}: the sheet states no current on this bus for {}, so energy that needs it is \
             unknown; add it to a sheet of your own if you know it",
            unknown.join(", ")
        );
        document.warn(WarningCode::UnknownCurrent, advice);
    }
    for gap in gaps {
        if let CurrentGap::Faster { figure, clock } = gap {
            let advice = format!(
                "{target}: {figure} is the highest that the sheet states, but the bus runs at \
                 {clock}, so energy is understated"
            );
            document.warn(WarningCode::ExtrapolatedCurrent, advice);
        }
    }
}
