//! The sheet of a system: the processor, its memory controllers, and how addresses are spread over them.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, DataRate, Fraction, Frequency, Quantity, Time};
use wordline_core::{Figure, Mix, Sourced};

use super::labelled::{
    BoundedCount, ChoiceValue, Labelled, LossShare, PageSize, PairRefresh, PowerDown, RefreshMode,
    RefreshRate, RefreshStagger, RowPolicyChoice, SameBankChoice, Sharing, SheetChoice, Switch,
};
use super::mapping::Order;
use super::module::ModuleKind;
use super::problem::{DramSheetProblem, DramSheetProblems};
use crate::mapping::AddressHash;
use crate::scheduler::SchedulerName;

/// A system: table `[host]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "host")]
pub struct System {
    /// Kinds of modules that its channels take. Left out: any.
    pub modules: Option<Sourced<Vec<ModuleKind>>>,
    /// Memory channels, each with one module.
    pub channels: Labelled<BoundedCount<1, 64>>,
    /// Cores.
    pub cores: Labelled<BoundedCount<1, 1024>>,
    /// Lines that a core can have under way, prefetches included.
    pub misses: Labelled<BoundedCount<1, 1024>>,
    /// Of them, lines that no prefetch foresees and non-temporal stores: line-fill buffers of the first level. Left out: all
    /// of them, for every access.
    pub fill_buffers: Option<Labelled<BoundedCount<1, 1024>>>,
    /// Accesses between two pauses of a core that makes load. Left out: 1.
    pub lines_per_pause: Option<Labelled<BoundedCount<1, 1024>>>,
    /// Clock of the cores.
    pub core_clock: Figure<Frequency>,
    /// From a core's miss to the memory controller.
    pub request_path: Labelled<Time>,
    /// From the memory controller back to the core.
    pub return_path: Labelled<Time>,
    /// Sockets, each with as many channels and cores as stated; without it one.
    pub sockets: Option<Labelled<BoundedCount<1, 4>>>,
    /// Clusters of a socket (sub-NUMA clustering): cores use the channels of their own; without it one.
    pub clusters: Option<Labelled<BoundedCount<1, 8>>>,
    /// Per cent of a core's pages that lie in the next socket; without it none.
    pub remote_share: Option<Labelled<BoundedCount<0, 100>>>,
    /// What cores and controllers are linked by, beside the paths: to a CXL device, or to the next socket.
    pub link: Option<LinkSheet>,
    /// Bytes of a page of virtual memory.
    pub page_bytes: Labelled<PageSize>,
    /// Cache that holds the dirty lines of a core.
    pub write_back_bytes: Labelled<ByteCount>,
    /// How addresses are spread.
    pub mapping: MappingSheet,
    /// What the memory controllers decide by themselves.
    pub controller: HostControllerSheet,
    /// What machines of this kind were measured at: undisclosed choices that do not give it are none that they made.
    #[serde(default)]
    pub measured: Vec<MeasuredSheet>,
}

/// What a machine was measured at: table `[[host.measured]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredSheet {
    /// Id of the module in every channel.
    pub module: String,
    /// Reads and writes, in sequential streams of all cores.
    pub mix: Mix,
    /// What the whole system carried.
    pub throughput: Figure<DataRate>,
    /// How far a simulation may lie from it, relative to it.
    pub within: Fraction,
}

impl MeasuredSheet {
    /// What the whole system carried, in bytes a second: the usual value.
    #[must_use]
    pub fn bytes_per_s(&self) -> f64 {
        let of = &self.throughput;
        let stated = of.typ().or(of.max()).or(of.min());
        stated.map_or(0.0, Quantity::si)
    }
}

/// The most that a simulation may lie off what was measured.
const WITHIN_MAX: f64 = 0.5;

/// More than any system carries.
const THROUGHPUT_MAX: f64 = 1e15;

/// A link that carries messages one after the other, each way by itself: table `[host.link]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSheet {
    /// Links that the channels stand behind. Left out of a link between sockets, of which each socket's cores have one.
    pub links: Option<Labelled<BoundedCount<1, 64>>>,
    /// What it adds to a message each way, beside the message's length.
    pub delay: Labelled<Time>,
    /// What it carries each way, in GB/s.
    pub gb_per_s: Labelled<BoundedCount<1, 10_000>>,
    /// Bytes that a read takes to ask.
    pub read_request: Labelled<BoundedCount<1, 1024>>,
    /// Bytes that a write takes to ask, its data included.
    pub write_request: Labelled<BoundedCount<1, 1024>>,
    /// Bytes that the data of a read take back.
    pub read_return: Labelled<BoundedCount<1, 1024>>,
    /// Bytes that the acknowledgement of a write takes back.
    pub write_return: Labelled<BoundedCount<1, 1024>>,
}

impl LinkSheet {
    fn choices(&self) -> Vec<SheetChoice> {
        let mut choices = vec![
            self.delay.choice("link_delay"),
            self.gb_per_s.choice("link_gb_per_s"),
            self.read_request.choice("link_read_request"),
            self.write_request.choice("link_write_request"),
            self.read_return.choice("link_read_return"),
            self.write_return.choice("link_write_return"),
        ];
        choices.extend(self.links.as_ref().map(|links| links.choice("links")));
        choices
    }
}

/// How addresses are spread: table `[host.mapping]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappingSheet {
    /// Bytes that follow each other in a sub-channel before the next one's turn.
    pub interleave_bytes: Labelled<BoundedCount<64, 1_048_576>>,
    /// The fields inside a sub-channel, lowest first. Where ranks and pseudo-channels stand selects them.
    pub address_order: Labelled<Order>,
    /// What the bits of a place are XORed with.
    pub hash: Labelled<AddressHash>,
}

/// What a memory controller decides by itself: table `[host.controller]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostControllerSheet {
    /// Whose commands go first; missing: fr-fcfs.
    pub scheduler: Option<Labelled<SchedulerName>>,
    /// Entries of a read queue.
    pub read_queue: Labelled<BoundedCount<1, 4096>>,
    /// Entries of a write queue.
    pub write_queue: Labelled<BoundedCount<1, 4096>>,
    /// Whether the pseudo-channels of an MRDIMM have queues of their own.
    pub queue_sharing: Labelled<Sharing>,
    /// Whether they have command slots of their own.
    pub command_sharing: Labelled<Sharing>,
    /// Writes in a queue at which the channel turns to writing.
    pub drain_high: Labelled<BoundedCount<1, 4096>>,
    /// Writes in every queue at which it turns back.
    pub drain_low: Labelled<BoundedCount<0, 4096>>,
    /// Column commands that may pass the oldest request.
    pub age_cap: Labelled<BoundedCount<1, 1_000_000>>,
    /// Entries before a turn of the direction from which on rows are opened for the other one; missing: none are.
    pub turn_lookahead: Option<Labelled<BoundedCount<0, 4096>>>,
    /// Column commands for which a turn that is due waits for requests whose rows are open; missing: none.
    pub turn_hits: Option<Labelled<BoundedCount<0, 4096>>>,
    /// Whether the direction turns as soon as only the other one has open rows; missing: off.
    pub turn_early: Option<Labelled<Switch>>,
    /// Part of the data bus that the platform loses, whatever the cause; missing: none.
    pub bus_loss: Option<Labelled<LossShare>>,
    /// When rows are closed that no request asks for.
    pub page_policy: Labelled<RowPolicyChoice>,
    /// How ranks are refreshed.
    pub refresh: Labelled<RefreshMode>,
    /// How often refreshes fall due.
    pub refresh_rate: Labelled<RefreshRate>,
    /// Refreshes that a rank may owe while it has requests: REFab 4 (JESD79-5), REFsb 32.
    pub refresh_postponed: Labelled<BoundedCount<0, 32>>,
    /// Refreshes that a rank may do ahead while nothing is queued for it: REFab 4, REFsb 32. None where it is left out.
    pub refresh_pulled_in: Option<Labelled<BoundedCount<0, 32>>>,
    /// Which banks a REFsb takes; by turns where it is left out.
    pub same_bank_order: Option<Labelled<SameBankChoice>>,
    /// Reads, and writes, that wait beside a queue while their banks are refreshed. None where it is left out.
    pub refresh_aside: Option<Labelled<BoundedCount<0, 4096>>>,
    /// Whether banks that are activated often get RFM, as their dies ask for it. Not where it is left out.
    pub rfm: Option<Labelled<Switch>>,
    /// Whether the two ranks of a pair are refreshed together.
    pub pair_refresh: Labelled<PairRefresh>,
    /// Whether sub-channels and ranks are refreshed one after the other.
    pub refresh_stagger: Labelled<RefreshStagger>,
    /// When a rank without requests is powered down.
    pub power_down: Labelled<PowerDown>,
    /// Idle clocks of the DRAM's data bus between bursts of different ranks.
    pub rank_gap: Labelled<BoundedCount<0, 64>>,
    /// Idle clocks of the DRAM's data bus between a read's burst and a write's.
    pub rtw_gap: Labelled<BoundedCount<0, 64>>,
}

/// Names of the choices of systems. Those of links only systems with links have.
pub(super) const NAMES: [&str; 47] = [
    "channels",
    "cores",
    "misses",
    "fill_buffers",
    "lines_per_pause",
    "request_path",
    "return_path",
    "page_bytes",
    "write_back_bytes",
    "interleave_bytes",
    "address_order",
    "hash",
    "scheduler",
    "read_queue",
    "write_queue",
    "queue_sharing",
    "command_sharing",
    "drain_high",
    "drain_low",
    "age_cap",
    "turn_lookahead",
    "turn_hits",
    "turn_early",
    "bus_loss",
    "page_policy",
    "refresh",
    "refresh_rate",
    "refresh_postponed",
    "refresh_pulled_in",
    "same_bank_order",
    "refresh_aside",
    "rfm",
    "pair_refresh",
    "refresh_stagger",
    "power_down",
    "rank_gap",
    "rtw_gap",
    "sockets",
    "clusters",
    "remote_share",
    "links",
    "link_delay",
    "link_gb_per_s",
    "link_read_request",
    "link_write_request",
    "link_read_return",
    "link_write_return",
];

/// A choice that a sheet may leave out, as users see it.
fn optional<T: ChoiceValue>(
    choice: &Option<Labelled<T>>,
    name: &'static str,
) -> Option<SheetChoice> {
    choice.as_ref().map(|choice| choice.choice(name))
}

impl System {
    /// Every parameter that the sheet has a value for, with what else is plausible.
    #[must_use]
    pub fn choices(&self) -> Vec<SheetChoice> {
        let (mapping, controller) = (&self.mapping, &self.controller);
        let mut choices = vec![
            self.channels.choice("channels"),
            self.cores.choice("cores"),
            self.misses.choice("misses"),
            self.request_path.choice("request_path"),
            self.return_path.choice("return_path"),
            self.page_bytes.choice("page_bytes"),
            self.write_back_bytes.choice("write_back_bytes"),
            mapping.interleave_bytes.choice("interleave_bytes"),
            mapping.address_order.choice("address_order"),
            mapping.hash.choice("hash"),
            controller.read_queue.choice("read_queue"),
            controller.write_queue.choice("write_queue"),
            controller.queue_sharing.choice("queue_sharing"),
            controller.command_sharing.choice("command_sharing"),
            controller.drain_high.choice("drain_high"),
            controller.drain_low.choice("drain_low"),
            controller.age_cap.choice("age_cap"),
            controller.page_policy.choice("page_policy"),
            controller.refresh.choice("refresh"),
            controller.refresh_rate.choice("refresh_rate"),
            controller.refresh_postponed.choice("refresh_postponed"),
            controller.pair_refresh.choice("pair_refresh"),
            controller.refresh_stagger.choice("refresh_stagger"),
            controller.power_down.choice("power_down"),
            controller.rank_gap.choice("rank_gap"),
            controller.rtw_gap.choice("rtw_gap"),
        ];
        // A choice that the sheet leaves out is not listed: it has no alternatives to draw from.
        let optional = [
            optional(&self.fill_buffers, "fill_buffers"),
            optional(&self.lines_per_pause, "lines_per_pause"),
            optional(&controller.scheduler, "scheduler"),
            optional(&controller.turn_lookahead, "turn_lookahead"),
            optional(&controller.turn_hits, "turn_hits"),
            optional(&controller.turn_early, "turn_early"),
            optional(&controller.bus_loss, "bus_loss"),
            optional(&controller.refresh_pulled_in, "refresh_pulled_in"),
            optional(&controller.same_bank_order, "same_bank_order"),
            optional(&controller.rfm, "rfm"),
            optional(&controller.refresh_aside, "refresh_aside"),
            optional(&self.sockets, "sockets"),
            optional(&self.clusters, "clusters"),
            optional(&self.remote_share, "remote_share"),
        ];
        choices.extend(optional.into_iter().flatten());
        choices.extend(self.link.iter().flat_map(LinkSheet::choices));
        choices
    }

    /// What contradicts itself or physics in the sheet.
    #[must_use]
    pub fn problems(&self) -> Vec<DramSheetProblem> {
        let mut problems = DramSheetProblems::default();
        problems.up_to(
            "core_clock",
            &self.core_clock,
            Frequency::from_hz(20_000_000_000),
        );
        if !self
            .mapping
            .interleave_bytes
            .value()
            .get()
            .is_multiple_of(64)
        {
            problems.add(
                "mapping.interleave_bytes",
                "allowed: 64 times a power of two",
            );
        }
        let slots = self.modules.as_ref();
        if slots.is_some_and(|slots| slots.value().is_empty()) {
            problems.add("modules", "at least one kind is needed");
        }
        let controller = &self.controller;
        let (high, low) = (
            controller.drain_high.value().get(),
            controller.drain_low.value().get(),
        );
        let entries = controller.write_queue.value().get();
        if low >= high || high > entries {
            problems.add(
                "controller.drain_high",
                format!(
                    "{high} must lie above drain_low, {low}, and be at most write_queue, {entries}"
                ),
            );
        }
        for (number, measured) in self.measured.iter().enumerate() {
            let path = |key| format!("measured.{number}.{key}");
            problems.up_to(
                &path("throughput"),
                &measured.throughput,
                DataRate::from_si(THROUGHPUT_MAX),
            );
            let within = measured.within.si();
            if within <= 0.0 || within > WITHIN_MAX {
                problems.add(&path("within"), "allowed: above 0 %, up to 50 %");
            }
        }
        problems.list
    }
}
