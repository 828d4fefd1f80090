//! Lists of an experiment, checked.

use crate::error::{LabError, SettingProblem};

/// Refuses a list that names nothing, or something twice.
pub(crate) fn distinct(
    what: &'static str,
    names: impl Iterator<Item = String>,
) -> Result<(), LabError> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(SettingProblem::Twice(name).of(what));
        }
        seen.push(name);
    }
    match seen.is_empty() {
        true => Err(SettingProblem::Empty.of(what)),
        false => Ok(()),
    }
}
