//! Whether a part is still made.

use serde::{Deserialize, Serialize};

use crate::names::named;

/// Whether a part is still made, and who says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lifecycle {
    /// What its maker says of it.
    pub status: LifecycleStatus,
    /// Month of that statement, as `2026-11`.
    pub as_of: String,
    /// Document or page that says so.
    pub source: String,
}

named! {
    /// What a maker says of the supply of a part.
    pub enum LifecycleStatus {
        /// In production, and offered for new designs.
        Active = "active",
        /// In production, and not recommended for new designs.
        NotRecommended = "not-recommended",
        /// No longer made.
        Obsolete = "obsolete",
        /// No statement is at hand.
        Unknown = "unknown",
    }
}

impl Lifecycle {
    /// What is wrong with it: a date that is not a month, or no source.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let month = self.as_of.split_once('-').is_some_and(|(year, month)| {
            let digits = |text: &str, length| {
                text.len() == length && text.bytes().all(|b| b.is_ascii_digit())
            };
            digits(year, 4) && digits(month, 2) && (1..=12).contains(&month.parse().unwrap_or(0))
        });
        if !month {
            return Some(format!(
                "as_of = {:?} is not a month; allowed: a year and a month, as in \"2026-11\"",
                self.as_of
            ));
        }
        self.source
            .trim()
            .is_empty()
            .then(|| "the source is empty: name the document or page that says so".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{Lifecycle, LifecycleStatus};

    fn of(as_of: &str, source: &str) -> Lifecycle {
        Lifecycle {
            status: LifecycleStatus::Active,
            as_of: as_of.to_owned(),
            source: source.to_owned(),
        }
    }

    #[test]
    fn a_month_and_a_source_are_asked_for() {
        assert_eq!(of("2026-11", "product page").problem(), None);
        for wrong in [
            "2026",
            "2026-13",
            "2026-00",
            "26-11",
            "2026-1",
            "2026-+1",
            "",
            "2026-11-03",
        ] {
            let problem = of(wrong, "product page").problem();
            assert!(
                problem.is_some_and(|text| text.contains("2026-11")),
                "{wrong}"
            );
        }
        assert!(of("2026-11", " ").problem().is_some());
    }
}
