//! What the checks of a sheet find: contradictions that its types cannot rule out.

use wordline_core::Figure;
use wordline_core::quantity::Quantity;

/// One thing that is wrong with a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DramSheetProblem {
    /// Dotted path of the key at fault inside the sheet's table, array elements by index: `bin.2.cl`.
    pub path: String,
    /// What is wrong, with the values allowed.
    pub message: String,
}

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct DramSheetProblems {
    pub(super) list: Vec<DramSheetProblem>,
}

impl DramSheetProblems {
    pub(super) fn add(&mut self, path: &str, message: impl Into<String>) {
        self.list.push(DramSheetProblem {
            path: path.to_owned(),
            message: message.into(),
        });
    }

    /// A count that must lie within bounds.
    pub(super) fn within(&mut self, path: &str, value: u64, least: u64, most: u64) {
        if !(least..=most).contains(&value) {
            self.add(
                path,
                format!("{value} is not allowed; allowed: {least} to {most}"),
            );
        }
    }

    /// A figure whose columns lie between zero, which is left out, and `most`.
    pub(super) fn up_to<T: Quantity>(&mut self, path: &str, figure: &Figure<T>, most: T) {
        let columns = [figure.min(), figure.typ(), figure.max()];
        let stated: Vec<_> = columns.into_iter().flatten().map(T::si).collect();
        if stated
            .iter()
            .any(|value| *value <= 0.0 || *value > most.si())
        {
            self.add(path, format!("allowed: above zero, up to {most}"));
        }
        if stated.windows(2).any(|pair| pair[0] > pair[1]) {
            self.add(path, "the columns min, typ, max do not rise");
        }
    }

    /// Takes over what was found in a part of the sheet.
    pub(super) fn nest(&mut self, prefix: &str, part: Self) {
        self.list
            .extend(part.list.into_iter().map(|problem| DramSheetProblem {
                path: format!("{prefix}.{}", problem.path),
                ..problem
            }));
    }
}
