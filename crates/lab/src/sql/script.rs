//! SQL of a user, split into statements.

use std::io::Read as _;

use wordline_sqlite::{ScriptStatement, statements};

use crate::control::Control;
use crate::error::{LabError, SettingProblem};

/// Bytes of a script at most.
const SCRIPT_MAX: u64 = 64 << 20;

/// Reads a script. Whether a statement is one shows when it is run.
///
/// # Errors
/// When it cannot be read, is no text, too long, has a zero byte, or has no statement.
pub(super) fn read(file: &str, control: &Control<'_>) -> Result<Vec<ScriptStatement>, LabError> {
    let mut text = String::new();
    let mut reader = control.open(file)?.take(SCRIPT_MAX + 1);
    reader
        .read_to_string(&mut text)
        .map_err(|source| LabError::Unreadable {
            file: file.to_owned(),
            source,
        })?;
    if text.len() as u64 > SCRIPT_MAX {
        return Err(SettingProblem::LongScript(file.to_owned()).of("script"));
    }
    // SQLite would take it for the end of the script.
    if let Some(at) = text.find('\0') {
        let line = 1 + text[..at].matches('\n').count() as u64;
        let file = file.to_owned();
        return Err(SettingProblem::ZeroByteInScript { file, line }.of("script"));
    }
    let statements = statements(&text);
    match statements.is_empty() {
        true => Err(SettingProblem::EmptyScript(file.to_owned()).of("script")),
        false => Ok(statements),
    }
}
