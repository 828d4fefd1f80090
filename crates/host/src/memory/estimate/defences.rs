//! The defences of the estimator, one switch each.

/// Which defences stand. Outside tests all do; each test of a defence turns one off and sees a wrong figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defences {
    /// Batches with another program inside are removed.
    pub remove_hits: bool,
    /// So are the batches that refill the caches afterwards.
    pub remove_cold: bool,
    /// Where no batch is old enough, what cold caches added is taken off.
    pub correct_cold: bool,
    /// A refill may last as long as it does, not just 1.6 ms.
    pub whole_refill: bool,
    /// Contention for memory is judged among batches of an age.
    pub rise_at_equal_age: bool,
    /// Rivals for our own core say nothing of the memory.
    pub elsewhere_alone: bool,
    /// The timer's cost is taken off.
    pub take_off_cost: bool,
    /// The interval is wider by the clock's step.
    pub widen_by_quantum: bool,
    /// The interval comes from blocks; else from the formula for independent batches.
    pub blocks: bool,
    /// The middle is the median; else the mean.
    pub median: bool,
    /// The first half is compared with the second.
    pub check_drift: bool,
    /// Contention for memory is named.
    pub name_contention: bool,
    /// Slow batches that the ledger cannot explain are kept.
    pub keep_slow_modes: bool,
    /// Time without a processor must be found in the batches.
    pub explain_loss: bool,
}

impl Defences {
    /// All of them.
    pub(super) const ALL: Self = Self {
        remove_hits: true,
        remove_cold: true,
        correct_cold: true,
        whole_refill: true,
        rise_at_equal_age: true,
        elsewhere_alone: true,
        take_off_cost: true,
        widen_by_quantum: true,
        blocks: true,
        median: true,
        check_drift: true,
        name_contention: true,
        keep_slow_modes: true,
        explain_loss: true,
    };
}
