//! The workload of `wordline fs bound`: what calls of the real-time layer cost at most.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{ByteCount, Fraction, Quantity as _, QuantityError};

/// Proven bounds of the real-time layer for raw flash, computed from sheets alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct BoundWorkload {
    /// Data that the layer holds: a share of the chip's pages, or a size; repeatable and comma-separated.
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub capacity: Vec<ShareOrSize>,
    /// Answer as well for the largest capacity whose synced overwrites of 4 KiB end within this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "max-latency"))]
    pub max_latency_ps: Option<u64>,
    /// Input rate whose RAM is answered for overwrites of 4 KiB; repeatable and comma-separated.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "rate"))]
    pub rates_bytes_per_s: Vec<f64>,
    /// Changed places that RAM holds until the map on flash has them: fewer take less RAM and more steps [default: 20 for
    /// each page of the map].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub log_entries: Option<u32>,
}

impl Default for BoundWorkload {
    fn default() -> Self {
        Self {
            capacity: vec![ShareOrSize::Share(Fraction::from_si(0.7))],
            max_latency_ps: None,
            rates_bytes_per_s: vec![500e3, 1e6, 2e6],
            log_entries: None,
        }
    }
}

/// A part of a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShareOrSize {
    /// A share of it.
    Share(Fraction),
    /// So many bytes.
    Bytes(ByteCount),
}

/// A text that is neither a share nor a size.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShareOrSizeError {
    /// It has the sign of a share.
    #[error("{0}; or a size, such as \"64 MiB\"")]
    Share(QuantityError),
    /// It has not.
    #[error("{0}; or a share, such as \"70 %\"")]
    Size(QuantityError),
}

impl fmt::Display for ShareOrSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(share) => share.fmt(f),
            Self::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

impl FromStr for ShareOrSize {
    type Err = ShareOrSizeError;

    fn from_str(text: &str) -> Result<Self, ShareOrSizeError> {
        if text.trim_end().ends_with('%') {
            return text
                .parse()
                .map(Self::Share)
                .map_err(ShareOrSizeError::Share);
        }
        text.parse()
            .map(Self::Bytes)
            .map_err(ShareOrSizeError::Size)
    }
}

impl Serialize for ShareOrSize {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ShareOrSize {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What the command computes unless flags say otherwise.
pub(super) fn usual() -> super::Workload {
    super::Workload::Bound(BoundWorkload::default())
}

/// `wordline fs bound`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["fs", "bound"],
    about: "Prove how long calls of the real-time layer take at most, before the hardware exists",
    examples: "\
Examples:
  wordline fs bound --target mt29f1g01
  wordline fs bound --target mt29f1g01@stm32h755-qspi --capacity 50%,60%,70%
  wordline fs bound --target mt29f1g01 --rate 100KB/s,400KB/s --timing max
  wordline fs bound --target mt29f1g01 --timing typ --max-latency 3.2ms

The layer is that of --ftl real-time, on raw flash. Nothing is run: each bound is a count of programs, reads and erases,
times their durations in the sheet. docs/guides/real-time.md explains the figures.",
    target: "PART@BOARD, or PART on its default board, of raw flash; repeatable and comma-separated",
    timing: "typ,max",
    fixed: crate::Timing::Max,
    layer: false,
    flags: <BoundWorkload as clap::Args>::augment_args,
    read: |matches| clap::FromArgMatches::from_arg_matches(matches).map(super::Workload::Bound),
    default: usual,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capacity_is_a_share_or_a_size() {
        for text in ["70 %", "64 MiB"] {
            let capacity: ShareOrSize = text.parse().expect("it is one");
            assert_eq!(capacity.to_string(), text);
        }
        for text in ["many %", "70", "3 s"] {
            let error = text
                .parse::<ShareOrSize>()
                .expect_err("it is none")
                .to_string();
            assert!(error.contains("; or a s"), "{error}");
        }
    }
}
