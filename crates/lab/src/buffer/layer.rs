//! What a translation layer did under a stream, and what its accesses spent their time on.

use wordline_core::quantity::{Quantity, Time};
use wordline_core::{Metric, ResultSet};
use wordline_nvm::{AccessCost, Device};

use crate::subject::Subject;
use crate::translation::Stretch;

/// What the accesses of a run consisted of, and what the layer did meanwhile.
#[derive(Default)]
pub(super) struct LayerWork {
    /// All accesses together.
    pub(super) causes: AccessCost,
    pub(super) accesses: u64,
    /// Bytes that were written.
    pub(super) written: u64,
    /// `None` for a memory without a layer.
    pub(super) stretch: Option<Stretch>,
}

impl LayerWork {
    /// Warns of a memory that had nothing to clean up yet.
    pub(super) fn warn_if_fresh(&self, subject: &Subject, document: &mut ResultSet) {
        if let Some(stretch) = &self.stretch {
            stretch.warn_if_fresh(&subject.target, self.written, document);
        }
    }

    /// The rows of a memory with a layer: how much more it wrote, and what the mean access consists of.
    pub(super) fn rows(&self, subject: &Subject, device: &dyn Device, document: &mut ResultSet) {
        let Some(stretch) = &self.stretch else {
            return;
        };
        stretch.rows(subject, self.written, document);
        let total = self.causes.total();
        if total == Time::ZERO {
            return;
        }
        for &cause in device.causes() {
            let at = subject.at("cause", cause.name());
            let spent = self.causes.of(cause).si();
            let share = spent / total.si();
            document.rows.push(at.row(Metric::TimeShare, Ok(share)));
            let mean = spent / self.accesses.max(1) as f64;
            document
                .rows
                .push(at.row(Metric::LatencyMeanPart, Ok(mean)));
        }
    }
}
