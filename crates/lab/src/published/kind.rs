//! Whether a value could have missed.

use serde::{Deserialize, Serialize};

use super::{Allowed, Use, Value};

/// Greatest quotient of the ends of a sharp band: about 15 % either way. A wider one is met by models that are wrong.
pub const SHARP_RATIO_MAX: f64 = 1.30;

/// What a hit says of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A sharp prediction, which could have missed.
    Predicted,
    /// The same, computed from a figure that we assumed.
    Assumed,
    /// The model was calibrated with it.
    Calibrated,
    /// It could hardly miss: an identity, arithmetic, a copy, or a wide band. Holding is required, and proves little.
    Consistency,
}

impl Kind {
    /// As the data spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Predicted => "predicted",
            Self::Assumed => "assumed",
            Self::Calibrated => "calibrated",
            Self::Consistency => "consistency",
        }
    }
}

/// The one kind that a file may state; the others follow from the use and the band.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StatedKind {
    Consistency,
}

/// Reads what a file says of the kind: why a value is a check of consistency.
pub(super) fn stated(
    kind: Option<StatedKind>,
    because: Option<String>,
    r#use: Use,
) -> Result<Option<String>, String> {
    match (kind, because) {
        (None, None) => Ok(None),
        (Some(StatedKind::Consistency), Some(because)) if !because.is_empty() => match r#use {
            Use::Predicted | Use::Assumed => Ok(Some(because)),
            other => {
                let name = other.name();
                Err(format!(
                    "kind = \"consistency\" goes with use = \"predicted\" or \"assumed\"; \"{name}\" says enough"
                ))
            }
        },
        (Some(_), _) => Err("kind = \"consistency\" needs `because`, in a line".to_owned()),
        (None, Some(_)) => Err("`because` without kind = \"consistency\"".to_owned()),
    }
}

impl Value {
    /// What a hit says of the model.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match (self.r#use, self.consistency()) {
            (Use::Calibrated, _) => Kind::Calibrated,
            (_, Some(_)) => Kind::Consistency,
            (Use::Assumed, None) => Kind::Assumed,
            (_, None) => Kind::Predicted,
        }
    }

    /// Why the value is a check of consistency; none where it is of another kind.
    #[must_use]
    pub fn consistency(&self) -> Option<String> {
        match self.r#use {
            Use::Calibrated => None,
            Use::Datasheet => Some("document and sheet copy one data sheet".to_owned()),
            Use::Copied => Some("our sheet has it from this document".to_owned()),
            Use::Theory => Some("arithmetic on stated accesses".to_owned()),
            Use::Predicted | Use::Assumed => self.because.clone().or_else(|| self.loose()),
        }
    }

    /// Why a band is none for a prediction; none where it is sharp: both ends follow from what the document prints, and
    /// lie close together.
    fn loose(&self) -> Option<String> {
        let ratio = match (self.allowed, self.allowed.ends(self.published)) {
            // The value itself may be unlimited.
            (Allowed::Within { tolerance }, _) => (1.0 + tolerance) / (1.0 - tolerance),
            (_, (Some(low), Some(high))) if low > 0.0 => high / low,
            (_, (Some(_), Some(_))) => return Some("its band begins at 0 or below".to_owned()),
            _ => return Some("a limit on one side".to_owned()),
        };
        // The margin is for the rounding of this arithmetic.
        if ratio > SHARP_RATIO_MAX * (1.0 + 1e-9) {
            return Some(format!(
                "a wide band: its ends are a factor {ratio:.2} apart, more than {SHARP_RATIO_MAX:.2}"
            ));
        }
        let ends = self.range.map(|[low, high]| (Some(low), Some(high)));
        let is_printed = self.published.is_some() || ends == Some(self.allowed.ends(None));
        (!is_printed).then(|| {
            "a limit on one side: the document prints no number for the other end, which is ours".to_owned()
        })
    }

    /// By how much ours differs from the printed number, or from the nearer one of a printed range, as a fraction of it;
    /// none where the document prints no number.
    #[must_use]
    pub fn relative_error(&self, ours: f64) -> Option<f64> {
        let printed = self
            .published
            .into_iter()
            .chain(self.range.into_iter().flatten());
        let printed = printed.filter(|number| number.is_finite() && *number > 0.0);
        let errors = printed.map(|number| (ours / number - 1.0).abs());
        errors.min_by(f64::total_cmp)
    }

    /// What the document says: the citation without how it was read, which stands behind its first semicolon. Values of
    /// one statement count once.
    #[must_use]
    pub fn statement(&self) -> &str {
        let citation = self.citation.as_str();
        citation
            .split_once(';')
            .map_or(citation, |(statement, _)| statement)
    }
}

impl Allowed {
    /// Least and greatest value of a hit, where there is one.
    #[must_use]
    pub fn ends(self, published: Option<f64>) -> (Option<f64>, Option<f64>) {
        match self {
            Self::Within { tolerance } => {
                let end = |factor: f64| published.map(|value| value * factor);
                (end(1.0 - tolerance), end(1.0 + tolerance))
            }
            Self::Between { at_least, at_most } => (at_least, at_most),
        }
    }
}
