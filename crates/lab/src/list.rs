//! Lists of an experiment, checked.

use crate::error::LabError;

/// Refuses a list that names nothing, or something twice.
pub(crate) fn distinct(
    what: &'static str,
    names: impl Iterator<Item = String>,
) -> Result<(), LabError> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            let problem = format!("{name} is named twice");
            return Err(LabError::List { what, problem });
        }
        seen.push(name);
    }
    if seen.is_empty() {
        let problem = "list is empty".to_owned();
        return Err(LabError::List { what, problem });
    }
    Ok(())
}
