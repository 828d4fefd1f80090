//! The fitted sheet and what the document rests on, whatever was fitted how.

use wordline_catalog::{CatalogError, PartOnBoard, Sheet, SheetError, parse};
use wordline_core::results::{FigureUse, SheetUse};
use wordline_core::{Basis, ResultSet};

use super::sheet::{About, SheetChange, fitted};
use crate::error::{BaseProblem, LabError, SettingProblem};
use crate::warning::LabWarning;

/// The sheet of a base with fitted figures, each with what it rests on. It loads.
///
/// # Errors
/// When the base states a figure in a way that cannot be changed, or the figures contradict each other.
pub(crate) fn sheet(
    target: &PartOnBoard<'_>,
    changes: &[(SheetChange, String)],
    about: &About<'_>,
) -> Result<String, LabError> {
    let base = &target.part.header;
    let problem = |why| {
        let part = base.id.clone();
        SettingProblem::Base { part, why }.of("base")
    };
    let text = fitted(&base.text, changes, about)
        .map_err(|error| problem(BaseProblem::Unchanged(error)))?;
    match parse("fitted.toml", &text) {
        Ok(Sheet::Part(_)) => Ok(text),
        Ok(_) => Err(problem(BaseProblem::NoPart)),
        Err(errors) => Err(match unsound(&errors, &text, changes) {
            Some(why) => problem(why),
            None => LabError::Catalog(CatalogError::Sheets(errors)),
        }),
    }
}

/// The fitted figure that a sheet may not state, as nobody but the fit wrote it.
fn unsound(
    errors: &[SheetError],
    text: &str,
    changes: &[(SheetChange, String)],
) -> Option<BaseProblem> {
    errors.iter().find_map(|error| {
        let at = |path: &str| SheetError::at("", text, path, String::new()).line();
        let (change, _) = changes
            .iter()
            .find(|(change, _)| at(&change.path) == error.line())?;
        Some(BaseProblem::UnsoundFit {
            figure: change.path.clone(),
            columns: change.columns.clone(),
            why: error.message.clone(),
        })
    })
}

/// Adds to the document what it rests on: the fitted sheet, and the base's figures that it took over.
pub(crate) fn add_sources(sheet: &str, target: &PartOnBoard<'_>, document: &mut ResultSet) {
    let Ok(Sheet::Part(part)) = parse("fitted.toml", sheet) else {
        unreachable!("it was parsed when it was made");
    };
    for (header, figures) in [
        (&part.header, &part.figures),
        (&target.board.header, &target.board.figures),
    ] {
        document.sheets.push(SheetUse {
            id: header.id.clone(),
            name: header.name.clone(),
            manufacturer: header.manufacturer.clone(),
            revision: header.revision.clone(),
            embedded: header.embedded,
        });
        document.figures.extend(figures.iter().cloned());
    }
    let fitted =
        |figure: &FigureUse| figure.basis == Basis::Calibrated && figure.sheet == part.header.id;
    if !document.figures.iter().any(fitted) {
        document.warn(LabWarning::NothingFitted {
            base: &target.part.header.id,
        });
    }
}
