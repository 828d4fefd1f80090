//! First ready, first come, first served.

use super::{Scheduler, SchedulerName, WaitingRequest};

/// Row hits first, then the oldest request.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrFcfs;

impl Scheduler for FrFcfs {
    const NAME: Option<SchedulerName> = Some(SchedulerName::FrFcfs);
    const IS_FR_FCFS: bool = true;

    #[inline(always)]
    fn order(&self, request: &WaitingRequest, opens_row: bool) -> u64 {
        u64::from(opens_row) << 40 | request.age
    }
}
