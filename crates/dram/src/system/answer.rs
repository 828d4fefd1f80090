//! What the sender of a request hears of it.

use crate::config::SystemConfig;
use crate::observer::{Observer, Outcome, Served};
use crate::request::Kind;

/// The end of a request as far as its sender is concerned: the data of a read, the acceptance of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// Name of the request.
    pub(super) id: u64,
    /// Clock of the sub-channel.
    pub(super) at: u64,
    pub(super) kind: Kind,
    /// Whether it is data that comes from the module, not from the controller's write queue.
    pub(super) from_module: bool,
}

impl Answer {
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
pub(super) struct Answers(pub(super) Vec<Answer>);

impl Observer for Answers {
    #[inline]
    fn accepted(&mut self, id: u64, kind: Kind, at: u64) {
        if kind == Kind::Write {
            self.0.push(Answer {
                id,
                at,
                kind,
                from_module: false,
            });
        }
    }

    #[inline]
    fn served(&mut self, served: &Served) {
        if served.kind == Kind::Read {
            self.0.push(Answer {
                id: served.id,
                at: served.finish,
                kind: served.kind,
                from_module: served.outcome != Outcome::Forwarded,
            });
        }
    }
}
