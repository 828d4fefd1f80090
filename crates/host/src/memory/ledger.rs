//! What the machine did while a measurement ran.

/// Accounts of the operating system over a measurement, for one thread or a set of threads.
///
/// All zero where nothing was read: an estimate then has no more than grade B.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LedgerReading {
    /// Seconds between the two readings of the accounts.
    pub elapsed_s: f64,
    /// Seconds of processor time that the measuring thread had (the mean of a set).
    pub processor_s: f64,
    /// Share of the time that the hypervisor gave to other guests.
    pub steal_share: f64,
    /// Times that the scheduler took the processor away.
    pub involuntary_switches: u64,
    /// Share of the time in which some task waited for a processor; `None` without pressure accounts.
    pub cpu_pressure: Option<f64>,
    /// Share of the time in which some task waited for memory to be reclaimed.
    pub memory_pressure: Option<f64>,
    /// Share of the time in which some task waited for a device.
    pub io_pressure: Option<f64>,
    /// Processor time of others on the CPUs used, divided by elapsed time and number of CPUs.
    pub other_cpu_share: f64,
    /// Greatest relative change of the core's frequency; `None` where it cannot be read.
    pub clock_change: Option<f64>,
    /// Whether the clock of the day was set meanwhile.
    pub clock_stepped: bool,
    /// Pages that were read from a disk.
    pub major_faults: u64,
    /// Pages that were mapped.
    pub minor_faults: u64,
    /// Times that the thread moved to another processor.
    pub migrations: u64,
}
