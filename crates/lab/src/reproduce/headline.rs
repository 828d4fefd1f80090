//! The three numbers to read first.

use serde::Serialize;

use super::{Statement, Verdict};
use crate::published::Kind;

/// How good the model is, in three numbers: sharp predictions that hit of those that were made, their median error,
/// and checks of consistency that hold of those that were made. A statement counts once, what did not run nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Headline {
    /// Sharp predictions that hit.
    pub predictions_hit: usize,
    /// Sharp predictions that were computed.
    pub predictions_made: usize,
    /// Median over the sharp predictions that were computed and of which the document prints a number, hits and misses
    /// alike, of how far ours lies from that number, as a fraction of it: from the nearer end of a printed range, and of
    /// several values of a statement the greatest. None where there are none, or where half of ours are unbounded.
    pub relative_error_median: Option<f64>,
    /// Checks of consistency that hold.
    pub consistency_held: usize,
    /// Checks of consistency that were computed.
    pub consistency_made: usize,
}

impl Headline {
    pub(super) fn of(statements: &[Statement<'_>]) -> Self {
        let mut headline = Self::default();
        let mut errors = Vec::new();
        for statement in statements.iter().filter(|one| one.verdict.ran()) {
            let hit = usize::from(statement.verdict == Verdict::Hit);
            match statement.kind {
                Kind::Predicted => {
                    headline.predictions_made += 1;
                    headline.predictions_hit += hit;
                    errors.extend(statement.relative_error);
                }
                Kind::Consistency => {
                    headline.consistency_made += 1;
                    headline.consistency_held += hit;
                }
                Kind::Assumed | Kind::Calibrated => {}
            }
        }
        headline.relative_error_median = median(errors).filter(|error| error.is_finite());
        headline
    }
}

/// The middle one, or the mean of the middle two.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    let last = numbers.len().checked_sub(1)?;
    Some(f64::midpoint(numbers[last / 2], numbers[last.div_ceil(2)]))
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_middle_two() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0]), Some(3.0));
        assert_eq!(median(vec![9.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median(vec![9.0, 1.0, 3.0, 5.0]), Some(4.0));
        assert_eq!(median(vec![1.0, f64::INFINITY, 2.0]), Some(2.0));
    }
}
