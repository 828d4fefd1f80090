//! The kinds of curves that several documents may share: one table, and nowhere else.

use wordline_core::ResultSet;

use super::curve::OverlayCurve;
use super::{bars, buffer, loaded, raw, working_set};
use crate::html::chart::ChartAxis;

/// A kind of curve, or of bars.
#[derive(Debug)]
pub(super) struct OverlayKind {
    pub(super) id: &'static str,
    /// In a sentence: "latency under load".
    pub(super) name: &'static str,
    pub(super) heading: &'static str,
    pub(super) caption: &'static str,
    pub(super) shape: OverlayShape,
    /// The curves of a document.
    pub(super) find: fn(&ResultSet) -> Vec<OverlayCurve>,
    /// How a sentence begins whose next word is a value; `{}` is the place or the figure: "at {} a read takes".
    pub(super) verb: &'static str,
}

/// How a kind is drawn.
#[derive(Debug)]
pub(super) enum OverlayShape {
    Curves {
        x: ChartAxis,
        y: ChartAxis,
        /// A place with its unit.
        told_x: fn(f64) -> String,
        told_y: fn(f64) -> String,
    },
    /// Bars side by side, a group for each figure.
    Bars {
        title: &'static str,
        unit: &'static str,
    },
}

/// Every kind, the one first that is shown first.
pub(super) static KINDS: [&OverlayKind; 6] = [
    &loaded::LOADED,
    &bars::BANDWIDTH,
    &bars::IDLE,
    &working_set::WORKING_SET,
    &buffer::RAM,
    &raw::RAW,
];
