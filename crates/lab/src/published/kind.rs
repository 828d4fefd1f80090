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
            Use::Predicted | Use::Assumed => self
                .because
                .clone()
                .or_else(|| self.allowed.wide(self.published)),
        }
    }

    /// The number that ours is compared with: the published one, or the middle of a range.
    #[must_use]
    pub fn reference(&self) -> Option<f64> {
        let middle = || match self.allowed.ends(self.published) {
            (Some(low), Some(high)) => Some(f64::midpoint(low, high)),
            _ => None,
        };
        self.published
            .or_else(middle)
            .filter(|number| number.is_finite() && *number > 0.0)
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

    /// Why a band is too wide for a prediction; none where it is sharp.
    fn wide(self, published: Option<f64>) -> Option<String> {
        let ratio = match (self, self.ends(published)) {
            // The value itself may be unlimited.
            (Self::Within { tolerance }, _) => (1.0 + tolerance) / (1.0 - tolerance),
            (_, (Some(low), Some(high))) if low > 0.0 => high / low,
            (_, (Some(_), Some(_))) => return Some("its band begins at 0 or below".to_owned()),
            _ => return Some("a limit on one side".to_owned()),
        };
        // The margin is for the rounding of this arithmetic.
        (ratio > SHARP_RATIO_MAX * (1.0 + 1e-9)).then(|| {
            format!("a wide band: its ends are a factor {ratio:.2} apart, more than {SHARP_RATIO_MAX:.2}")
        })
    }
}
