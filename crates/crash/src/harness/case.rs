//! The text that names a failure.

use std::fmt;
use std::str::FromStr;

use crate::{ImageId, ParseImageIdError};

/// Which cuts, one after the other, and which bit: the same harness, software and workload find the same again.
///
/// ```
/// use wordline_crash::harness::Case;
/// let case: Case = "17.3@42/2.0@42".parse()?;
/// assert_eq!(case.cuts.len(), 2);
/// assert_eq!(case.to_string(), "17.3@42/2.0@42");
/// assert_eq!("17.0@42!991".parse::<Case>()?.flip, Some(991));
/// # Ok::<(), wordline_crash::harness::ParseCaseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Case {
    /// The cut of the workload, the cut of opening what it left, and so on. Without any, the workload runs to its end.
    pub cuts: Vec<ImageId>,
    /// A bit of the last image that flips before it is opened.
    pub flip: Option<u64>,
}

impl Case {
    /// The case with one more cut.
    pub(super) fn then(&self, cut: ImageId) -> Self {
        let mut case = self.clone();
        case.cuts.push(cut);
        case
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cuts.is_empty() {
            return f.write_str("uncut");
        }
        for (number, cut) in self.cuts.iter().enumerate() {
            let between = if number > 0 { "/" } else { "" };
            write!(f, "{between}{cut}")?;
        }
        self.flip.map_or(Ok(()), |bit| write!(f, "!{bit}"))
    }
}

/// A text that is no [`Case`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseCaseError {
    /// One of its cuts is none.
    #[error(transparent)]
    Cut(#[from] ParseImageIdError),
    /// What follows the `!` is no number.
    #[error("`{0}` is no number of a bit; expected CUT[/CUT…][!BIT], such as 17.3@42/2.0@42")]
    Flip(String),
}

impl FromStr for Case {
    type Err = ParseCaseError;

    fn from_str(text: &str) -> Result<Self, ParseCaseError> {
        if text == "uncut" {
            return Ok(Self::default());
        }
        let (cuts, flip) = match text.split_once('!') {
            Some((cuts, bit)) => {
                let number = bit.parse();
                let number = number.map_err(|_| ParseCaseError::Flip(bit.to_owned()))?;
                (cuts, Some(number))
            }
            None => (text, None),
        };
        let cuts = cuts.split('/').map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { cuts, flip })
    }
}
