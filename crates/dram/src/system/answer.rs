//! What the sender of a request gets back.

use crate::config::SystemConfig;
use crate::observer::{Observer, RowOutcome, ServedRequest};
use crate::request::RequestKind;

/// The end of a request as far as its sender is concerned: the data of a read, the acceptance of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryAnswer {
    /// Name of the request.
    pub(super) id: u64,
    /// Clock of the sub-channel.
    pub(super) at: u64,
    pub(super) kind: RequestKind,
    /// Whether it is data that comes from the module, not from the controller's write queue.
    pub(super) from_module: bool,
}

impl MemoryAnswer {
    /// When the controller has it, in picoseconds.
    #[inline]
    pub(super) fn time_ps(&self, config: &SystemConfig) -> u64 {
        let ps = config.sub_channel.clock.ps(self.at);
        if self.from_module {
            ps.saturating_add(config.module_delay_ps)
        } else {
            ps
        }
    }
}

/// Collects the answers of a sub-channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(pub(super) Vec<MemoryAnswer>);

impl Observer for Answers {
    #[inline]
    fn accepted(&mut self, id: u64, kind: RequestKind, at: u64) {
        if kind == RequestKind::Write {
            self.0.push(MemoryAnswer {
                id,
                at,
                kind,
                from_module: false,
            });
        }
    }

    #[inline]
    fn served(&mut self, served: &ServedRequest) {
        if served.kind == RequestKind::Read {
            self.0.push(MemoryAnswer {
                id: served.id,
                at: served.finish,
                kind: served.kind,
                from_module: served.outcome != RowOutcome::Forwarded,
            });
        }
    }
}
