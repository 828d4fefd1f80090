//! Statements of a script, as SQLite's own shell tells them apart.

use std::ffi::CString;

use rusqlite::ffi;

/// A statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptStatement {
    /// The line that it begins in, counted from 1.
    pub line: u64,
    /// Its text, with the semicolon that ends it.
    pub sql: String,
}

/// The statements of a script: a semicolon ends one, but not within a string, a comment or a trigger. What is no SQL shows
/// when it is run.
///
/// ```
/// let script = "-- a log\nCREATE TABLE log(t);\nINSERT INTO log VALUES ('a;b');";
/// let all = wordline_sqlite::statements(script);
/// let lines: Vec<_> = all.iter().map(|statement| statement.line).collect();
/// assert_eq!(lines, [2, 3]);
/// ```
#[must_use]
pub fn statements(script: &str) -> Vec<ScriptStatement> {
    let mut all = Vec::new();
    let mut rest = without_blank(script);
    while !rest.is_empty() {
        let ends = rest.match_indices(';').map(|(at, _)| at + 1);
        let end = ends.into_iter().find(|end| is_complete(&rest[..*end]));
        let (sql, after) = rest.split_at(end.unwrap_or(rest.len()));
        let before = &script[..script.len() - rest.len()];
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count() as u64;
        if sql.trim() != ";" {
            let sql = sql.trim_end().to_owned();
            all.push(ScriptStatement { line, sql });
        }
        rest = without_blank(after);
    }
    all
}

/// A text from its first word on: blanks and comments before it are left out.
fn without_blank(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let comment = match rest {
            line if line.starts_with("--") => line.find('\n').map(|end| end + 1),
            block if block.starts_with("/*") => block[2..].find("*/").map(|end| end + 4),
            _ => return rest,
        };
        rest = rest[comment.unwrap_or(rest.len())..].trim_start();
    }
}

/// Whether a text ends with the end of a statement. A text with a zero byte has none within it.
fn is_complete(text: &str) -> bool {
    // SAFETY: The text ends with a zero byte, and the call only reads it.
    CString::new(text).is_ok_and(|text| unsafe { ffi::sqlite3_complete(text.as_ptr()) != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(script: &str) -> Vec<(u64, String)> {
        let all = statements(script).into_iter();
        all.map(|statement| (statement.line, statement.sql))
            .collect()
    }

    #[test]
    fn semicolons_in_strings_comments_and_triggers_end_nothing() {
        let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END;";
        let script = format!("/* a; b */ SELECT ';'; -- c;\n\n{trigger}\n;;\nSELECT /* ; */ 3");
        let expected = [
            (1, "SELECT ';';".to_owned()),
            (3, trigger.to_owned()),
            (5, "SELECT /* ; */ 3".to_owned()),
        ];
        assert_eq!(lines(&script), expected);
    }

    #[test]
    fn a_script_of_nothing_has_no_statement() {
        for script in ["", " \n", "-- only this", "/* or this", ";;", "/**/;"] {
            assert_eq!(lines(script), [], "{script:?}");
        }
        assert_eq!(
            lines("\n'never ends; at all"),
            [(2, "'never ends; at all".to_owned())]
        );
    }
}
