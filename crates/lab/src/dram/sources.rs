//! What a document says of the sheets behind a memory: module, die and system.

use std::collections::BTreeMap;

use wordline_catalog::{Header, ModuleInSystem};
use wordline_core::results::FigureUse;
use wordline_core::{Basis, ResultSet};

use crate::sources::add_sheet;

/// Adds the sheets of a target and their figures, each once. What the user set stands in for what the sheets choose.
pub(crate) fn add(
    document: &mut ResultSet,
    target: &ModuleInSystem<'_>,
    settings: &BTreeMap<String, String>,
) {
    let sheets: [(&Header, &[FigureUse]); 3] = [
        (&target.module.header, &target.module.figures),
        (&target.die.header, &target.die.figures),
        (&target.system.header, &target.system.figures),
    ];
    for (header, figures) in sheets {
        add_sheet(document, header);
        for figure in figures {
            let figure = told(figure, settings);
            if !document.figures.contains(&figure) {
                document.figures.push(figure);
            }
        }
    }
}

/// A figure as it was used.
fn told(figure: &FigureUse, settings: &BTreeMap<String, String>) -> FigureUse {
    let name = figure.figure.rsplit('.').next().unwrap_or_default();
    match settings.get(name) {
        None => figure.clone(),
        Some(value) => FigureUse {
            value: value.clone(),
            basis: Basis::Assumed,
            source: format!("set by the user, instead of {}", figure.value),
            ..figure.clone()
        },
    }
}
