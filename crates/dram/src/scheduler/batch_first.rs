//! BatchFirst of requests in the order of their arrival.

use super::{Scheduler, SchedulerName, WaitingRequest};

/// Requests go by batches of [`SIZE`](Self::SIZE) in the order of admission; within a batch row hits go first, then the
/// oldest. So a request is passed by younger ones of its batch alone, whatever rows are open: the batching of PAR-BS
/// (Mutlu and Moscibroda 2008) without its ranks of threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchFirst;

impl BatchFirst {
    /// Requests of a batch.
    pub const SIZE: u64 = 1 << BITS;
}

const BITS: u32 = 5;

impl Scheduler for BatchFirst {
    const NAME: Option<SchedulerName> = Some(SchedulerName::BatchFirst);

    #[inline]
    fn order(&self, request: &WaitingRequest, opens_row: bool) -> u64 {
        let (batch, place) = (request.age >> BITS, request.age & (Self::SIZE - 1));
        batch << (BITS + 1) | u64::from(opens_row) << BITS | place
    }
}
