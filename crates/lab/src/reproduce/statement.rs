//! What a document says once, however many of its values stand for it: six sizes that one sentence speaks of are one
//! statement.

use super::{Comparison, Verdict};
use crate::published::{Kind, Use};

/// A statement, as its values went.
pub(super) struct Statement<'a> {
    words: &'a str,
    pub(super) r#use: Use,
    pub(super) kind: Kind,
    /// That of its worst value.
    pub(super) verdict: Verdict,
    /// The greatest of its values; none where none is printed.
    pub(super) relative_error: Option<f64>,
}

impl<'a> Statement<'a> {
    /// Adds a value of a statement to those of its document. Values of another kind or use are counted apart.
    pub(super) fn add(statements: &mut Vec<Self>, words: &'a str, row: &Comparison) {
        // What is printed as a number, and is without limit in ours, is as far off as can be.
        let unbounded =
            (row.no_value.is_some() && row.published.is_some()).then_some(f64::INFINITY);
        let one = Self {
            words,
            r#use: row.r#use,
            kind: row.kind,
            verdict: row.verdict,
            relative_error: row.relative_error.or(unbounded),
        };
        let same = |other: &&mut Self| {
            (other.words, other.r#use, other.kind) == (one.words, one.r#use, one.kind)
        };
        let Some(statement) = statements.iter_mut().find(same) else {
            statements.push(one);
            return;
        };
        if severity(one.verdict) > severity(statement.verdict) {
            statement.verdict = one.verdict;
        }
        // No error is less than any.
        if one.relative_error > statement.relative_error {
            statement.relative_error = one.relative_error;
        }
    }
}

/// Which verdict stands for a statement: one value that misses, and it does not hold.
const fn severity(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pending => 0,
        Verdict::Hit => 1,
        Verdict::ListedMiss => 2,
        Verdict::NewMiss => 3,
        Verdict::Failed => 4,
    }
}
