//! What a sub-channel, and a system of them, is made of: whole numbers only, from sheets or by hand.

use crate::mapping::AddressMapping;
use crate::request::RequestKind;
use crate::scheduler::SchedulerName;
use crate::timing::Timing;
use wordline_core::{Mix, Pattern};

/// Banks and rows of a sub-channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelGeometry {
    /// 1 on an RDIMM; 2 on an MRDIMM.
    pub pseudo_channels: u8,
    /// Logical ranks of a pseudo-channel.
    pub ranks: u8,
    /// Logical ranks of one physical rank: dies of a 3DS stack, else 1. `ranks` is a multiple of it.
    pub slices: u8,
    /// Bank groups of a rank.
    pub groups: u8,
    /// Banks of a group.
    pub banks: u8,
    /// Sets of banks that REFsb refreshes in turn: the set of a bank is its number within the rank, group by group,
    /// modulo this. As many as a group has banks: one bank of every group (DDR5). Twice as many, with four groups: pairs
    /// of banks (LPDDR5X). As many as a rank has banks: single banks (HBM3).
    pub refresh_sets: u8,
    /// Rows of a bank; any number, 3 times a power of two among them.
    pub rows: u32,
    /// Lines of 64 bytes in a row.
    pub columns: u16,
}

impl ChannelGeometry {
    /// Banks of a pseudo-channel.
    #[must_use]
    pub fn banks_of_pseudo_channel(&self) -> usize {
        usize::from(self.ranks) * usize::from(self.groups) * usize::from(self.banks)
    }

    /// The groups in which a set of banks for REFsb has a bank, of the set whose first bank lies in `group`.
    pub(crate) fn groups_of_set(&self, group: u8) -> impl Iterator<Item = u8> + use<> {
        let step = (self.refresh_sets / self.banks.max(1)).max(1);
        (group..self.groups).step_by(step.into())
    }

    /// Whether every set of banks for REFsb has as many, one of each index at most in a group.
    fn refresh_sets_are_even(&self) -> bool {
        let banks = u16::from(self.groups) * u16::from(self.banks);
        let sets = u16::from(self.refresh_sets);
        sets >= 1 && sets.is_multiple_of(self.banks.max(1).into()) && banks.is_multiple_of(sets)
    }

    /// Lines of 64 bytes in the sub-channel.
    #[must_use]
    pub fn lines(&self) -> u64 {
        u64::from(self.pseudo_channels)
            * self.banks_of_pseudo_channel() as u64
            * u64::from(self.rows)
            * u64::from(self.columns)
    }
}

/// The clock of a DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockDomain {
    /// Data rate of the DRAM in MT/s. On an MRDIMM half of the host's.
    pub data_rate_mts: u32,
    /// Beats of data in a clock of the commands: 2 of DDR4 and DDR5, 4 of HBM3, 8 of LPDDR5X.
    pub beats: u32,
}

impl ClockDomain {
    /// The clock of a DRAM with two beats a clock.
    #[must_use]
    pub const fn double(data_rate_mts: u32) -> Self {
        Self {
            data_rate_mts,
            beats: 2,
        }
    }

    /// Clocks a second.
    #[must_use]
    pub fn hz(self) -> f64 {
        f64::from(self.data_rate_mts) * 1e6 / f64::from(self.beats)
    }

    /// Time of some clocks in picoseconds, rounded to the nearest.
    #[must_use]
    pub fn ps(self, clocks: u64) -> u64 {
        let rate = u64::from(self.data_rate_mts);
        // Wide division is slow, and no run lasts long enough to need it.
        if let Some(scaled) = clocks.checked_mul(self.beats_in_micros())
            && let Some(rounded) = scaled.checked_add(rate / 2)
        {
            return rounded / rate;
        }
        let rate = u128::from(rate);
        let ps = (u128::from(clocks) * u128::from(self.beats_in_micros()) + rate / 2) / rate;
        u64::try_from(ps).unwrap_or(u64::MAX)
    }

    /// First clock edge at or after a time in picoseconds.
    #[must_use]
    pub fn edge_at_or_after(self, ps: u64) -> u64 {
        if let Some(beats) = ps.checked_mul(self.data_rate_mts.into()) {
            return beats.div_ceil(self.beats_in_micros());
        }
        let beats = u128::from(ps) * u128::from(self.data_rate_mts);
        let clocks = beats.div_ceil(self.beats_in_micros().into());
        u64::try_from(clocks).unwrap_or(u64::MAX)
    }

    /// A clock in picoseconds times the data rate in MT/s.
    const fn beats_in_micros(self) -> u64 {
        self.beats as u64 * 1_000_000
    }
}

/// When rows are closed that no request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePolicy {
    /// When another row of the bank is wanted.
    Open,
    /// With the last queued access to the row, by auto-precharge.
    Closed,
    /// After some clocks without an access.
    Timeout(u32),
}

/// How rows are refreshed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Not at all: what refresh costs is seen by comparison. No real memory works so.
    Off,
    /// A whole rank at a time, every tREFI.
    AllBank,
    /// One bank of every group at a time, in fine-granularity mode.
    SameBank,
}

/// Which banks the next REFsb refreshes. Either way each index has its turn once in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameBankOrder {
    /// Those of the lowest index in the round.
    RoundRobin,
    /// Those that no queued request wants, if there are any.
    IdleFirst,
}

/// Refresh management: more refreshes for banks whose rows are opened often. RFMab where REFab refreshes, else RFMsb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshManagement {
    /// RAAIMT: ACTs of a bank from which an RFM is due; an RFM takes as many from its count.
    pub raaimt: u32,
    /// RAAMMT: ACTs of a bank after which it has no more before an RFM or a refresh.
    pub raammt: u32,
    /// What a refresh takes from the count.
    pub raadec: u32,
    /// Clocks that an RFM takes.
    pub clocks: u32,
}

/// What a controller decides by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whose commands go first.
    pub scheduler: SchedulerName,
    /// Entries of a read queue.
    pub read_queue: u32,
    /// Entries of a write queue.
    pub write_queue: u32,
    /// Whether the pseudo-channels share one pair of queues; otherwise each has its own.
    pub shared_queues: bool,
    /// Whether the pseudo-channels share one command slot a clock; otherwise each has its own.
    pub shared_commands: bool,
    /// Writes in a queue at which the channel turns to writing.
    pub drain_high: u32,
    /// Writes in every queue at which it turns back to reading.
    pub drain_low: u32,
    /// Entries before a turn of the direction from which on rows are opened for the other one; 0: none are.
    pub turn_lookahead: u32,
    /// Column commands for which a turn of the direction that is due waits for requests whose rows are open.
    pub turn_hits_max: u32,
    /// Whether the direction turns before it must, where it has no request with an open row and the other one has.
    pub turn_early: bool,
    /// Column commands that may pass the oldest request before it goes first.
    pub age_cap: u32,
    /// Slots of a burst of 1000 on each data bus that the platform takes for itself, whatever for. It takes those in which
    /// the bus would stand idle, where there are any in time.
    pub bus_loss_permille: u32,
    /// Slots that may wait for an idle bus. 16 of them wait for half a microsecond where 8 % of a bus at 3200 MHz are lost,
    /// which is short for scrubs and retraining.
    pub bus_loss_waits_max: u32,
    /// When rows are closed.
    pub page: PagePolicy,
    /// How rows are refreshed.
    pub refresh: Refresh,
    /// Which banks a REFsb takes; of no concern to REFab.
    pub same_bank_order: SameBankOrder,
    /// Refreshes of a rank (or REFsb commands of it) that may be owed while it has requests to serve.
    pub refresh_postponed_max: u32,
    /// Refreshes of a rank (or REFsb commands of it) that may be done before they fall due, while nothing is queued for
    /// what they take.
    pub refresh_pulled_in_max: u32,
    /// Requests of each kind that wait beside a queue while their banks are refreshed, so that they take no entries from
    /// the others.
    pub refresh_aside: u32,
    /// Clock at which the first refresh of each rank falls due: pseudo-channel by pseudo-channel, rank by rank.
    pub refresh_phase: Vec<u32>,
    /// Refresh management; `None` for devices that do without.
    pub rfm: Option<RefreshManagement>,
    /// Clocks without a command after which a rank without requests is powered down; `None`: never.
    pub power_down: Option<u32>,
}

impl Policy {
    /// Refreshes from the most that a rank may be ahead to the most that it may be behind.
    #[must_use]
    pub fn refresh_slack(&self) -> u64 {
        u64::from(self.refresh_postponed_max) + u64::from(self.refresh_pulled_in_max)
    }
}

/// One sub-channel with its controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubChannelConfig {
    /// The DRAM's clock.
    pub clock: ClockDomain,
    /// Banks and rows.
    pub geometry: ChannelGeometry,
    /// Distances between commands.
    pub timing: Timing,
    /// The controller.
    pub policy: Policy,
}

/// A field, what is wrong with it, and whether it is.
type Rule = (&'static str, &'static str, bool);

impl SubChannelConfig {
    /// Whether a sub-channel can be like that: `DESIGN.md` relies on what is checked here.
    ///
    /// # Errors
    /// The first contradiction, with what is allowed.
    pub fn check(&self) -> Result<(), ConfigError> {
        let broken = |&(what, problem, broken): &Rule| {
            let problem = problem.to_owned();
            broken.then_some(ConfigError { what, problem })
        };
        let rules = [
            self.geometry_rules(),
            self.timing_rules(),
            self.policy_rules(),
        ];
        let rules = rules.iter().flatten();
        match rules.filter_map(broken).next() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn geometry_rules(&self) -> Vec<Rule> {
        let of = &self.geometry;
        vec![
            (
                "clock.data_rate_mts",
                "allowed: 100 to 100000",
                !(100..=100_000).contains(&self.clock.data_rate_mts),
            ),
            (
                "clock.beats",
                "allowed: 1, 2, 4, 8, 16",
                !self.clock.beats.is_power_of_two() || self.clock.beats > 16,
            ),
            (
                "geometry.pseudo_channels",
                "allowed: 1, 2",
                !(1..=2).contains(&of.pseudo_channels),
            ),
            (
                "geometry.ranks",
                "allowed: 1 to 32",
                !(1..=32).contains(&of.ranks),
            ),
            (
                "geometry.slices",
                "allowed: a power of two that divides the ranks",
                !of.slices.is_power_of_two() || !of.ranks.is_multiple_of(of.slices),
            ),
            (
                "geometry.groups",
                "allowed: 1 to 16",
                !(1..=16).contains(&of.groups),
            ),
            (
                "geometry.banks",
                "allowed: 1 to 16",
                !(1..=16).contains(&of.banks),
            ),
            (
                "geometry.rows",
                "allowed: 1 to 2^31",
                !(1..=1 << 31).contains(&of.rows),
            ),
            (
                "geometry.banks",
                "allowed: up to 64 banks in a rank",
                u32::from(of.banks) * u32::from(of.groups) > 64,
            ),
            (
                "geometry.refresh_sets",
                "allowed: as many as a group has banks, or a multiple that divides the banks of a rank",
                !of.refresh_sets_are_even(),
            ),
            ("geometry.columns", "allowed: at least 1", of.columns == 0),
        ]
    }

    fn timing_rules(&self) -> Vec<Rule> {
        let of = &self.timing;
        let rising = |a: u32, b: u32, c: u32| a > b || b > c;
        vec![
            (
                "timing.burst",
                "allowed: 1 to 64 clocks",
                !(1..=64).contains(&of.burst),
            ),
            (
                "timing.long_command",
                "allowed: 1, 2",
                !(1..=2).contains(&of.long_command),
            ),
            (
                "timing.column_command",
                "allowed: 1, 2",
                !(1..=2).contains(&of.column_command),
            ),
            (
                "timing.ccd_s",
                "allowed: at least the burst, at most ccd_m, which is at most ccd_l",
                of.ccd_s < of.burst || rising(of.ccd_s, of.ccd_m, of.ccd_l),
            ),
            (
                "timing.ccd_s_wr",
                "allowed: at least the burst, at most ccd_m_wr, which is at most ccd_l_wr",
                of.ccd_s_wr < of.burst || rising(of.ccd_s_wr, of.ccd_m_wr, of.ccd_l_wr),
            ),
            (
                "timing.wtr_s",
                "allowed: at most wtr_m, which is at most wtr_l",
                rising(of.wtr_s, of.wtr_m, of.wtr_l),
            ),
            (
                "timing.rrd_s",
                "allowed: at most rrd_l, which is at most rc",
                rising(of.rrd_s, of.rrd_l, of.rc),
            ),
            (
                "timing.refsbrd",
                "allowed: at most rfc_sb",
                of.refsbrd > of.rfc_sb,
            ),
            (
                "timing",
                "allowed: every rule at most 2^20 clocks",
                of.all().into_iter().any(|clocks| clocks > 1 << 20),
            ),
        ]
    }

    fn policy_rules(&self) -> Vec<Rule> {
        let of = &self.policy;
        let ranks = usize::from(self.geometry.pseudo_channels) * usize::from(self.geometry.ranks);
        let (interval, duration) = match of.refresh {
            Refresh::Off => (1, 0),
            Refresh::AllBank => (self.timing.refi, self.timing.rfc),
            Refresh::SameBank => {
                let again = self.timing.rfc_sb / u32::from(self.geometry.refresh_sets.max(1));
                (self.timing.refi_sb, self.timing.refsb_gap.max(again))
            }
        };
        let rfm = |wrong: fn(&RefreshManagement) -> bool| of.rfm.as_ref().is_some_and(wrong);
        vec![
            (
                "policy.rfm",
                "allowed: only with refresh",
                of.rfm.is_some() && of.refresh == Refresh::Off,
            ),
            (
                "policy.rfm.raaimt",
                "allowed: 2 to raammt, which is at most 2^20",
                rfm(|of| of.raaimt < 2 || of.raaimt > of.raammt || of.raammt > 1 << 20),
            ),
            (
                "policy.rfm.clocks",
                "allowed: 1 to 2^20 clocks, and at least refsbrd",
                of.rfm
                    .is_some_and(|of| !(self.timing.refsbrd.max(1)..=1 << 20).contains(&of.clocks)),
            ),
            (
                "policy.read_queue",
                "allowed: 1 to 16384 entries",
                !(1..=16_384).contains(&of.read_queue),
            ),
            (
                "policy.write_queue",
                "allowed: 1 to 16384 entries",
                !(1..=16_384).contains(&of.write_queue),
            ),
            (
                "policy.drain_high",
                "allowed: 1 to write_queue",
                !(1..=of.write_queue).contains(&of.drain_high),
            ),
            (
                "policy.drain_low",
                "allowed: less than drain_high",
                of.drain_low >= of.drain_high,
            ),
            ("policy.age_cap", "allowed: at least 1", of.age_cap == 0),
            (
                "policy.turn_lookahead",
                "allowed: 0 to 16384 entries",
                of.turn_lookahead > 16_384,
            ),
            (
                "policy.turn_early",
                "allowed: only with a turn_lookahead of 1 or more",
                of.turn_early && of.turn_lookahead == 0,
            ),
            (
                "policy.bus_loss_permille",
                "allowed: 0 to 500",
                of.bus_loss_permille > 500,
            ),
            (
                "policy.bus_loss_waits_max",
                "allowed: 0 to 1000 slots",
                of.bus_loss_waits_max > 1000,
            ),
            (
                "policy.refresh_aside",
                "allowed: 0 to 16384 requests",
                of.refresh_aside > 16_384,
            ),
            (
                "policy.refresh_phase",
                "allowed: one clock for every rank of every pseudo-channel",
                of.refresh_phase.len() != ranks,
            ),
            (
                "timing.refi",
                "allowed: more than a refresh takes; otherwise the rank does nothing else",
                interval <= duration || interval == 0,
            ),
        ]
    }
}

/// The requesters of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreConfig {
    /// Cores.
    pub cores: u32,
    /// Lines that a core can have under way, prefetches included: its second level's queue.
    pub misses: u32,
    /// Of them, lines that the first level can have under way: reads that no prefetch foresees, and non-temporal stores.
    /// Streams are prefetched into the second level and hold none. `None`: as many as `misses`, for whatever is asked.
    pub fill_buffers: Option<u32>,
    /// Accesses of a core that makes load between two of its pauses.
    pub lines_per_pause: u32,
    /// Their clock.
    pub clock_hz: u64,
    /// From a core's miss to the memory controller, in picoseconds.
    pub request_path_ps: u64,
    /// From the controller back to the core, in picoseconds.
    pub return_path_ps: u64,
    /// Bytes of a page of virtual memory; pages lie anywhere.
    pub page_bytes: u64,
    /// Cache that holds a core's dirty lines: how far write-back runs behind a stream, in bytes.
    pub write_back_bytes: u64,
}

impl CoreConfig {
    /// Lines that a core has under way at most under a load.
    #[must_use]
    pub fn under_way_max(&self, mix: Mix, pattern: Pattern) -> u32 {
        // Write-backs need no fill buffer.
        let all_hold = pattern == Pattern::Random && matches!(mix, Mix::Reads | Mix::Triad);
        let buffers = self.fill_buffers.filter(|_| all_hold);
        buffers.map_or(self.misses, |buffers| buffers.min(self.misses))
    }
}

/// How the refreshes of a system are spread in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshStagger {
    /// Evenly over the interval, sub-channel by sub-channel.
    Even,
    /// Every sub-channel at the same clocks.
    Aligned,
}

/// A link between cores and memory controllers that carries messages one after the other, each way by itself: to a CXL
/// device, or to another socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkConfig {
    /// What either way adds to the time of a message, beside its own length, in picoseconds.
    pub delay_ps: u64,
    /// Bytes a second, each way.
    pub bytes_per_s: u64,
    /// Bytes that a read takes to ask, and a write to ask with its data.
    pub request_bytes: [u32; 2],
    /// Bytes that the data of a read take back, and the acknowledgement of a write.
    pub return_bytes: [u32; 2],
}

impl LinkConfig {
    /// Picoseconds that a link is taken by messages of reads and of writes, rounded up.
    pub(crate) fn service_ps(&self, bytes: [u32; 2]) -> [u64; 2] {
        bytes.map(|bytes| {
            let ps =
                (u128::from(bytes) * 1_000_000_000_000).div_ceil(self.bytes_per_s.max(1).into());
            u64::try_from(ps).unwrap_or(u64::MAX)
        })
    }
}

/// Which cores reach which channels by which way. By default every core has every channel, with nothing between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Sockets, each with as many of the channels and cores; 0 counts as 1.
    pub sockets: u32,
    /// Clusters of a socket, each with as many of its channels and cores; 0 counts as 1. Cores use the channels of their
    /// own cluster.
    pub clusters: u32,
    /// Per cent of the pages of a core that lie in the next socket.
    pub remote_percent: u32,
    /// Links that the channels stand behind, each with as many of them; with several sockets those between them, one for
    /// the cores of each.
    pub links: u32,
    /// Every link.
    pub link: Option<LinkConfig>,
}

impl Topology {
    /// Clusters of all sockets: parts of the memory with cores of their own.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.sockets.max(1) * self.clusters.max(1)
    }

    /// What links add to a request that waits for no other, in the mean over local and remote ones, in picoseconds.
    #[must_use]
    pub fn alone_ps(&self, kind: RequestKind) -> u64 {
        let Some(link) = self.link else { return 0 };
        let of_kind = |bytes| link.service_ps(bytes)[kind as usize];
        let both = of_kind(link.request_bytes) + of_kind(link.return_bytes) + 2 * link.delay_ps;
        if self.sockets > 1 {
            both * u64::from(self.remote_percent) / 100
        } else {
            both
        }
    }

    /// What contradicts itself, for channels and cores of all sockets.
    ///
    /// # Errors
    /// The first contradiction, with what is allowed.
    pub fn check(&self, channels: u32, cores: u32) -> Result<(), ConfigError> {
        let nodes = self.nodes();
        let several = self.sockets > 1;
        let slow = |link: LinkConfig| {
            let longest = link.service_ps(link.request_bytes).into_iter();
            let longest = longest.chain(link.service_ps(link.return_bytes)).max();
            link.bytes_per_s == 0 || longest > Some(1_000_000) || link.delay_ps > 1_000_000_000
        };
        let rules = [
            (
                "topology.clusters",
                format!("{nodes} parts do not divide {channels} channels; allowed: a number that does"),
                !channels.is_multiple_of(nodes),
            ),
            (
                "topology.clusters",
                format!("{nodes} parts are more than the {cores} cores; allowed: up to as many"),
                nodes > cores,
            ),
            (
                "topology.remote_percent",
                format!("is {} %; allowed: 0 to 100, and 0 with one socket", self.remote_percent),
                self.remote_percent > 100 || (self.remote_percent > 0 && !several),
            ),
            (
                "topology.links",
                format!("{} links do not divide {channels} channels; allowed: a number that does", self.links),
                self.links > 0 && !several && !channels.is_multiple_of(self.links),
            ),
            (
                "topology.link",
                "allowed: one where there are links, or pages in another socket, and none elsewhere".to_owned(),
                self.link.is_some() != (self.links > 0 || self.remote_percent > 0),
            ),
            (
                "topology.link",
                "allowed: messages of at most 1 us, and delays of at most 1 ms".to_owned(),
                self.link.is_some_and(slow),
            ),
        ];
        let broken = rules.into_iter().find(|(_, _, broken)| *broken);
        broken.map_or(Ok(()), |(what, problem, _)| {
            Err(ConfigError { what, problem })
        })
    }
}

/// Modules and cores of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemConfig {
    /// Memory channels, each with one module.
    pub channels: u32,
    /// Sub-channels of a module.
    pub sub_channels: u32,
    /// Every sub-channel.
    pub sub_channel: SubChannelConfig,
    /// From physical addresses to lines.
    pub mapping: AddressMapping,
    /// How refreshes are spread over the sub-channels.
    pub refresh_stagger: RefreshStagger,
    /// What register and data buffers of the module add to a read, in picoseconds.
    pub module_delay_ps: u64,
    /// The requesters.
    pub cores: CoreConfig,
    /// Which of them reach which channels by which way.
    pub topology: Topology,
}

impl SystemConfig {
    /// Bytes per second that all data buses together can carry.
    #[must_use]
    pub fn peak_bytes_per_s(&self) -> f64 {
        let geometry = &self.sub_channel.geometry;
        let clock_hz = self.sub_channel.clock.hz();
        let burst = f64::from(self.sub_channel.timing.burst);
        let buses = self.channels * self.sub_channels * u32::from(geometry.pseudo_channels);
        f64::from(buses) * 64.0 * clock_hz / burst
    }

    /// One of the sub-channels, counted module by module. They are alike but for when refreshes fall due, where that is
    /// [staggered](RefreshStagger).
    #[must_use]
    pub fn sub_channel_at(&self, number: u32) -> SubChannelConfig {
        let mut config = self.sub_channel.clone();
        if self.refresh_stagger == RefreshStagger::Aligned {
            return config;
        }
        let interval = match config.policy.refresh {
            Refresh::SameBank => config.timing.refi_sb,
            Refresh::AllBank | Refresh::Off => config.timing.refi,
        };
        let all = u64::from(self.channels) * u64::from(self.sub_channels);
        let shift = u64::from(number) * u64::from(interval) / all.max(1);
        for phase in &mut config.policy.refresh_phase {
            let shifted = (u64::from(*phase) + shift) % u64::from(interval).max(1);
            *phase = u32::try_from(shifted).unwrap_or(*phase);
        }
        config
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let buses = u64::from(self.channels) * u64::from(self.sub_channels);
        buses * self.sub_channel.geometry.lines() * 64
    }
}

/// A configuration that no sub-channel or system can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {problem}")]
pub struct ConfigError {
    /// The field, such as `policy.drain_low`.
    pub what: &'static str,
    /// What is wrong with it, and what is allowed.
    pub problem: String,
}
