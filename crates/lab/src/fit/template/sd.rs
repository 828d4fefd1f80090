//! SD cards.

use super::{Kind, Knob, Seen, Template};

/// Figures of an SD card that its firmware decides.
pub(super) const TEMPLATE: Template = Template {
    name: "sd",
    model: "card",
    knobs: &[Knob {
        path: "card.controller.command_overhead",
        kind: Kind::Time,
        least: 1e-6,
        most: 0.1,
    }],
    starts,
};

fn starts(_seen: &Seen<'_>) -> Vec<Vec<f64>> {
    Vec::new()
}
