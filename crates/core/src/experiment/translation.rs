//! The translation layer that raw flash is run behind.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::named;
use crate::quantity::{Fraction, Quantity as _};

/// A flash translation layer between the workload and raw flash: sectors that can be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct TranslationLayer {
    /// Run raw NAND behind a translation layer that maps pages, blocks with a log, or pages with a bound for each
    /// write, and raw NOR behind the last of them: sectors can be overwritten in any order.
    #[cfg_attr(feature = "cli", arg(long = "ftl", required = false))]
    pub mapping: FtlMapping,
    /// Share of the blocks that the layer keeps to itself; of a real-time layer 30 % where nothing else is asked for.
    #[schemars(with = "String")]
    #[cfg_attr(
        feature = "cli",
        arg(
            long = "ftl-spare",
            value_name = "SHARE",
            requires = "mapping",
            default_value = "12%",
            allow_hyphen_values = true
        )
    )]
    pub spare: Fraction,
}

impl TranslationLayer {
    /// Share of the blocks that is spare, unless the user says otherwise.
    pub const SPARE: f64 = 0.12;

    /// The same of a real-time layer: the less is spare, the more steps a write takes at most.
    pub const SPARE_REAL_TIME: f64 = 0.3;

    /// A layer with the usual spare blocks.
    #[must_use]
    pub fn of(mapping: FtlMapping) -> Self {
        let spare = match mapping {
            FtlMapping::Page | FtlMapping::LogBlock => Self::SPARE,
            FtlMapping::RealTime => Self::SPARE_REAL_TIME,
        };
        Self {
            mapping,
            spare: Fraction::from_si(spare),
        }
    }
}

/// As the column `ftl` of result rows spells it: `page, 12 % spare`.
impl fmt::Display for TranslationLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} spare", self.mapping.name(), self.spare)
    }
}

named! {
    /// How the logical pages of a translation layer find their places.
    pub enum FtlMapping {
        /// Every page anywhere: fast, with a table of all pages in RAM.
        Page = "page",
        /// Blocks at whole places, and a few log blocks that are merged with them: a small table.
        LogBlock = "log-block",
        /// Every page anywhere, and every write within a bound that is known beforehand; 16 KiB of RAM for 1 Gb.
        RealTime = "real-time",
    }
}

#[cfg(feature = "cli")]
impl TranslationLayer {
    /// The layer that flags ask for.
    pub(super) fn chosen(matches: &clap::ArgMatches) -> Option<Self> {
        let mapping = matches.try_get_one::<FtlMapping>("mapping").ok()??;
        let given = matches.value_source("spare") != Some(clap::parser::ValueSource::DefaultValue);
        let spare = matches.get_one("spare").copied().filter(|_| given);
        Some(Self {
            mapping: *mapping,
            spare: spare.unwrap_or(Self::of(*mapping).spare),
        })
    }
}
