//! "Why a request waited". Clocks are counted as they pass; each interval between two commands is divided by lengths:
//! so many clocks of the other direction, then, as far as clocks are left, so many of a bank that is withheld or
//! refreshed, then so many as lie between the clocks of its row, bank, group and rank, and what remains.

use wordline_dram::{CAUSES, WaitCause};

/// The waits of a request. Where several rules of a place were met at the same clock, any of their causes is
/// right.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits {
    pub(crate) id: u64,
    /// Clocks whose cause is certain.
    certain: [u64; CAUSES],
    /// Clocks that one of several causes has, whichever.
    either: Vec<(u64, Vec<WaitCause>)>,
    /// The last command, or admission.
    begin: u64,
    /// Clocks since then during which the channel had the other direction.
    other_direction: u64,
    /// Clocks since then during which the bank was withheld or refreshed.
    withheld: u64,
}

impl Waits {
    /// Of a request that entered its queue.
    pub(super) fn admitted(id: u64, arrival: u64, at: u64) -> Self {
        let mut waits = Self {
            id,
            begin: at,
            ..Self::default()
        };
        waits.certain[WaitCause::Queue as usize] = at - arrival;
        waits
    }

    /// No rule that was met before this clock matters any more.
    pub(super) fn begin(&self) -> u64 {
        self.begin
    }

    /// A clock passes.
    pub(super) fn clock(&mut self, other_direction: bool, withheld: bool) {
        self.other_direction += u64::from(other_direction);
        self.withheld += u64::from(withheld);
    }

    /// A command serves it, whose rules were met at some clocks: those of the narrowest place first.
    pub(super) fn command(&mut self, now: u64, steps: Vec<(u64, Vec<WaitCause>)>) {
        let mut left = now - self.begin;
        let mut take = |clocks: u64| {
            let taken = clocks.min(left);
            left -= taken;
            taken
        };
        self.certain[WaitCause::Drain as usize] += take(self.other_direction);
        self.certain[WaitCause::Refresh as usize] += take(self.withheld);
        let mut before = self.begin;
        for (met, causes) in steps {
            let ruled = take(met.saturating_sub(before));
            if ruled > 0 {
                self.either.push((ruled, causes));
            }
            before = before.max(met);
        }
        self.certain[WaitCause::Order as usize] += left;
        (self.begin, self.other_direction, self.withheld) = (now, 0, 0);
    }

    /// Whether some waits are right.
    pub(crate) fn allow(&self, waits: &[u32; CAUSES]) -> bool {
        let mut rest = [0; CAUSES];
        for (cause, rest) in rest.iter_mut().enumerate() {
            match u64::from(waits[cause]).checked_sub(self.certain[cause]) {
                Some(more) => *rest = more,
                None => return false,
            }
        }
        share_out(rest, &self.either)
    }
}

/// Whether parts can be given to one of their causes each, so that nothing remains.
fn share_out(rest: [u64; CAUSES], parts: &[(u64, Vec<WaitCause>)]) -> bool {
    let Some(((clocks, causes), others)) = parts.split_first() else {
        return rest == [0; CAUSES];
    };
    causes.iter().any(|cause| {
        let mut less = rest;
        less[*cause as usize] >= *clocks && {
            less[*cause as usize] -= clocks;
            share_out(less, others)
        }
    })
}
