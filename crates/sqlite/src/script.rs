//! Statements of a script, as SQLite's own shell tells them apart.

/// A statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptStatement {
    /// The line that it begins in, counted from 1.
    pub line: u64,
    /// Its text, with the semicolon that ends it.
    pub sql: String,
}

impl ScriptStatement {
    /// The line of one of its bytes.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> u64 {
        self.line + lines(self.sql.as_bytes().get(..offset).unwrap_or_default())
    }
}

/// The statements of a script: a semicolon ends one, but not within a string, a comment or a trigger. What is no SQL shows
/// when it is run. The time that it takes grows with the length of the script, whatever it holds.
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
    let (mut at, mut line) = (0, 1);
    while at < script.len() {
        let rest = &script[at..];
        let mut tokens = SqlTokens { text: rest, at: 0 };
        let mut end = StatementEnd::default();
        // Where the first word begins, and where the statement ends.
        let (mut first, mut last) = (None, rest.len());
        while let Some((from, token)) = tokens.next() {
            first.get_or_insert((from, token));
            if end.is_reached(token) {
                last = tokens.at;
                break;
            }
        }
        let Some((first, token)) = first else { break };
        if token != SqlToken::Semicolon {
            all.push(ScriptStatement {
                line: line + lines(&rest.as_bytes()[..first]),
                sql: rest[first..last].trim_end().to_owned(),
            });
        }
        line += lines(&rest.as_bytes()[..last]);
        at += last;
    }
    all
}

/// How many lines end in a text.
fn lines(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// A piece of SQL that is neither blank nor a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SqlToken<'a> {
    Semicolon,
    Word(&'a str),
    /// A string, a quoted name, or anything else.
    Other,
}

/// The pieces of a text from a place on.
struct SqlTokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> SqlTokens<'a> {
    /// The next piece, and where it begins.
    fn next(&mut self) -> Option<(usize, SqlToken<'a>)> {
        loop {
            let (text, at) = (self.text, self.at);
            let rest = text.as_bytes().get(at..)?;
            let byte = *rest.first()?;
            // Behind the end of what begins here; what never ends takes all that is left.
            let behind = |start: usize, end: &str| {
                let found = text[at + start..].find(end);
                found.map_or(text.len(), |found| at + start + found + end.len())
            };
            let quote = |end: &str| (behind(1, end), Some(SqlToken::Other));
            let (next, token) = match byte {
                b';' => (at + 1, Some(SqlToken::Semicolon)),
                b'\'' => quote("'"),
                b'"' => quote("\""),
                b'`' => quote("`"),
                b'[' => quote("]"),
                b'-' if rest.starts_with(b"--") => (behind(2, "\n"), None),
                b'/' if rest.starts_with(b"/*") => (behind(2, "*/"), None),
                b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => (at + 1, None),
                _ if is_word(byte) => {
                    let length = rest.iter().take_while(|byte| is_word(**byte)).count();
                    let word = &text[at..at + length];
                    (at + length, Some(SqlToken::Word(word)))
                }
                _ => (at + 1, Some(SqlToken::Other)),
            };
            self.at = next;
            if let Some(token) = token {
                return Some((at, token));
            }
        }
    }
}

/// Whether a byte belongs to a name or a number.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// How far a statement is, as long as it has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StatementEnd {
    /// Nothing came yet, or `EXPLAIN`.
    #[default]
    Start,
    /// `CREATE`, with or without `TEMP`.
    Create,
    /// A statement that the next semicolon ends.
    Plain,
    /// A trigger, which a semicolon, `END` and a semicolon end.
    Trigger,
    /// A trigger after a semicolon.
    TriggerSemicolon,
    /// A trigger after a semicolon and `END`.
    TriggerEnd,
}

impl StatementEnd {
    /// Takes the next piece of a statement: whether it ends the statement.
    fn is_reached(&mut self, token: SqlToken<'_>) -> bool {
        let is = |words: &[&str]| match token {
            SqlToken::Word(word) => words.iter().any(|one| word.eq_ignore_ascii_case(one)),
            _ => false,
        };
        let is_semicolon = token == SqlToken::Semicolon;
        *self = match self {
            Self::Start if is(&["explain", "query", "plan"]) => Self::Start,
            Self::Start if is(&["create"]) => Self::Create,
            Self::Create if is(&["temp", "temporary"]) => Self::Create,
            Self::Create if is(&["trigger"]) => Self::Trigger,
            Self::Start | Self::Create | Self::Plain if is_semicolon => return true,
            Self::Start | Self::Create | Self::Plain => Self::Plain,
            Self::TriggerEnd if is_semicolon => return true,
            Self::TriggerSemicolon if is(&["end"]) => Self::TriggerEnd,
            _ if is_semicolon => Self::TriggerSemicolon,
            _ => Self::Trigger,
        };
        false
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use proptest::prelude::*;
    use rusqlite::ffi;

    use super::*;

    fn found(script: &str) -> Vec<(u64, String)> {
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
        assert_eq!(found(&script), expected);
        let statement = &statements("\nSELECT\n  1,\n  a;")[0];
        assert_eq!((statement.line, statement.line_of(15)), (2, 4));
    }

    #[test]
    fn a_script_of_nothing_has_no_statement() {
        for script in [
            "",
            " \n",
            "-- only this",
            "/* or this",
            ";;",
            "/**/;",
            "/*/",
        ] {
            assert_eq!(found(script), [], "{script:?}");
        }
        assert_eq!(
            found("\n'never ends; at all"),
            [(2, "'never ends; at all".to_owned())]
        );
    }

    /// Each byte is looked at a few times only: this takes no time, and hours where it is otherwise.
    #[test]
    fn long_scripts_are_split_in_time() {
        let string = format!("SELECT '{}';", ";".repeat(4 << 20));
        assert_eq!(statements(&string).len(), 1);
        let trigger = format!(
            "CREATE TRIGGER t BEGIN {} END;",
            "SELECT 1;".repeat(1 << 18)
        );
        assert_eq!(statements(&trigger).len(), 1);
        let many = statements(&"SELECT 1;\n".repeat(1 << 18));
        assert_eq!(many.last().map(|last| last.line), Some(1 << 18));
    }

    /// Whether SQLite takes a text for one or more whole statements.
    fn is_complete(text: &str) -> bool {
        let text = CString::new(text).expect("no zero byte");
        // SAFETY: The text ends with a zero byte, and the call only reads it.
        unsafe { ffi::sqlite3_complete(text.as_ptr()) != 0 }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// A statement ends at the first semicolon at which SQLite takes it for whole.
        #[test]
        fn statements_end_where_they_end_for_sqlite(parts in proptest::collection::vec(
            prop_oneof![
                Just(";"), Just(";"), Just(" "), Just("\n"), Just("SELECT"), Just(" CREATE "), Just(" TEMP "), Just(" end "),
                Just("TRIGGER "), Just("explain "), Just("'"), Just("\""), Just("["), Just("]"), Just("--"), Just("/*"),
                Just("*/"), Just("-"), Just("1"), Just("ü"), Just("`"), Just("x"),
            ],
            0..40,
        )) {
            let script: String = parts.concat();
            let all = statements(&script);
            for (number, statement) in all.iter().enumerate() {
                let sql = &statement.sql[..];
                let ends = sql.match_indices(';').map(|(at, _)| at + 1);
                let first = ends.into_iter().find(|end| is_complete(&sql[..*end]));
                prop_assert!(first.is_none_or(|end| end == sql.len()), "{:?} in {:?}", sql, script);
                prop_assert!(first.is_some() || number + 1 == all.len(), "{:?} in {:?}", sql, script);
            }
        }
    }
}
