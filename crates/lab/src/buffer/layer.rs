//! What a translation layer did under a stream, and what its accesses spent their time on.

use wordline_core::ResultSet;
use wordline_nvm::{AccessCost, Device};

use crate::instrument::rows;
use crate::subject::Subject;
use crate::translation::Stretch;

/// What the accesses of a run consisted of, and what the layer did meanwhile.
#[derive(Default)]
pub(super) struct BufferLayerWork {
    /// All accesses together.
    pub(super) causes: AccessCost,
    pub(super) accesses: u64,
    /// Bytes that were written.
    pub(super) written: u64,
    /// `None` for a memory without a layer.
    pub(super) stretch: Option<Stretch>,
}

impl BufferLayerWork {
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
        rows::layer(subject, stretch, self.written, document);
        rows::causes(
            subject,
            device.causes(),
            &self.causes,
            self.accesses,
            document,
        );
    }
}
