//! The workload of `wordline part fit`: a part's sheet from a log of a real one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LogSource, Pattern, WearUsage};
use crate::quantity::Fraction;

/// Figures of a part that its maker does not state, found so that the simulated part does what a log says. The
/// experiment's one target is the part that all other figures come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitWorkload {
    /// The log.
    pub source: LogSource,
    /// Which figures are fitted, and how they show in a log: `sd`, `nand`, `nor`.
    pub template: String,
    /// Id of the sheet that is made.
    pub id: String,
    /// Order of the addresses, where the log does not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// Bytes from address 0 on that the accesses fall into, where the log does not tell its addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_bytes: Option<u64>,
    /// Share of the part that held data before the log. Where nothing is said, either what the log writes to or
    /// all of it held some, whichever brings the base nearer to the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub fill: Option<Fraction>,
    /// Bytes of the same writes that were made before the log.
    #[serde(default, skip_serializing_if = "no_bytes")]
    pub warm_up_bytes: u64,
    /// What each cycle of a log of raw flash programmed; the first page unless somebody says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<WearUsage>,
    /// The most simulations that the search makes.
    pub simulations: u32,
}

impl FitWorkload {
    /// Simulations unless somebody says otherwise.
    pub const SIMULATIONS: u32 = 600;
}

const fn no_bytes(bytes: &u64) -> bool {
    *bytes == 0
}
