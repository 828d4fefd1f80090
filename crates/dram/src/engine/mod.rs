//! The event-driven sub-channel: does what `DESIGN.md` defines, and looks only at clocks at which something can happen.
//!
//! `run` goes from event to event: refreshes that fall due, requests that arrive, commands. `choose` keeps the best
//! candidate of every bank and picks among them; `rules` puts off what a command forbids; `duty` refreshes, closes idle
//! rows and powers down; `admit` and `serve` take
//! requests through the queues, and `lone` past them; `ahead` is for callers that react to single requests.

mod admit;
mod ahead;
mod choose;
mod duty;
mod lone;
mod queue;
mod ring;
mod rules;
mod scheduled;
mod serve;
mod stamp;
mod state;

use crate::config::{
    ChannelGeometry, ConfigError, PagePolicy, Policy, Refresh, SameBankOrder, SubChannelConfig,
};
use crate::observer::Observer;
use crate::request::{Location, Request};
use crate::scheduler::{FrFcfs, Scheduler};
use crate::timing::Timing;
pub use scheduled::ScheduledSubChannel;

use queue::{QueuedRequest, Set, index};
use rules::RuleTable;
use stamp::CLOCKS_MAX;
use state::PseudoChannel;

/// One sub-channel with its controller.
#[derive(Clone, Debug)]
pub struct SubChannel<O: Observer, S: Scheduler = FrFcfs> {
    timing: Timing,
    rules: RuleTable,
    geometry: ChannelGeometry,
    policy: Policy,
    observer: O,
    scheduler: S,
    /// First clock that has not been run, and arrival of the last request pushed.
    now: u64,
    pushed: u64,
    waiting: usize,
    /// The second ones stay idle where there is one of them.
    sets: [Set; 2],
    channels: [PseudoChannel; 2],
    set_count: usize,
    channel_count: usize,
    /// When each pseudo-channel's command bus is free; the first one's is everybody's where they share it.
    bus_free: [u64; 2],
    next_age: u64,
    /// Whether rows are closed with their last access, and whether something is done for idle banks or ranks.
    closes_pages: bool,
    has_idle_duties: bool,
    /// Whether REFsb takes idle banks first, and whether what a rank must do follows every entry that comes or goes.
    idle_first: bool,
    follows_entries: bool,
    /// ACTs of a bank after which it has no more; more than any has without refresh management.
    raammt: u32,
    writing: bool,
    flushing: bool,
    /// Whether a turn is near: banks without entries of the direction do something for the other one.
    turn_near: bool,
    /// Column commands since the last turn when the next one was due first.
    turn_due: Option<u64>,
    /// Whether anything but marks is looked at.
    weighs_turns: bool,
    /// Writes in a queue from which on a turn to writing may come, or come near.
    turn_from: u32,
    /// When the direction turned last, and for how many clocks before it was not that of a kind (see [`queue::index`]).
    turned: u64,
    drained: [u64; 2],
    /// Column commands since then; more than any queue holds if it never turned.
    columns_since_turn: u64,
    /// When a request may enter a queue next: it arrives, or room is made where one waits for it.
    admit_at: u64,
    /// When the next refresh of any rank falls due.
    next_due: u64,
}

/// A request that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// It lies outside the sub-channel.
    #[error("request {id}: {what} {value} lies outside; allowed: 0 to {max}")]
    OutOfRange {
        /// Name of the request.
        id: u64,
        /// The part of its place.
        what: &'static str,
        /// What it says.
        value: u64,
        /// The greatest there is.
        max: u64,
    },
    /// It arrives before one that was pushed earlier, or before what has been run already.
    #[error("request {id} arrives at clock {arrival}, after clock {after} has been run or pushed")]
    Late {
        /// Name of the request.
        id: u64,
        /// When it arrives.
        arrival: u64,
        /// What came before.
        after: u64,
    },
}

impl<O: Observer> SubChannel<O> {
    /// An idle sub-channel with all banks closed at clock 0, scheduled by [`FrFcfs`].
    ///
    /// # Errors
    /// When the configuration contradicts itself.
    pub fn new(config: &SubChannelConfig, observer: O) -> Result<Self, ConfigError> {
        Self::with_scheduler(config, observer, FrFcfs)
    }
}

impl<O: Observer, S: Scheduler> SubChannel<O, S> {
    /// An idle sub-channel with all banks closed at clock 0, scheduled by one's own policy.
    ///
    /// # Errors
    /// When the configuration contradicts itself, or names another scheduler than this one where this one has a name.
    pub fn with_scheduler(
        config: &SubChannelConfig,
        observer: O,
        scheduler: S,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let named = config.policy.scheduler;
        if let Some(name) = S::NAME
            && name != named
        {
            let (name, named) = (name.name(), named.name());
            return Err(ConfigError {
                what: "policy.scheduler",
                problem: format!("{named}; allowed here: {name}"),
            });
        }
        let (geometry, policy) = (&config.geometry, &config.policy);
        let channels = usize::from(geometry.pseudo_channels);
        let room = [policy.read_queue, policy.write_queue];
        let channel = |number| PseudoChannel::new(geometry, policy, number);
        let idle_first = policy.refresh == Refresh::SameBank
            && policy.same_bank_order == SameBankOrder::IdleFirst;
        let phases = policy.refresh_phase.iter().copied().map(u64::from);
        let mut channel = Self {
            observer,
            scheduler,
            now: 0,
            pushed: 0,
            waiting: 0,
            sets: [Set::new(room), Set::new(room)],
            channels: [channel(0), channel(1)],
            set_count: if policy.shared_queues { 1 } else { channels },
            channel_count: channels,
            closes_pages: policy.page == PagePolicy::Closed,
            has_idle_duties: policy.power_down.is_some()
                || policy.rfm.is_some()
                || matches!(policy.page, PagePolicy::Timeout(_)),
            idle_first,
            follows_entries: idle_first || policy.rfm.is_some(),
            raammt: policy.rfm.map_or(u32::MAX, |rfm| rfm.raammt),
            bus_free: [0; 2],
            next_age: 0,
            writing: false,
            flushing: false,
            turn_near: false,
            turn_due: None,
            weighs_turns: policy.turn_lookahead > 0 || policy.turn_hits_max > 0,
            turn_from: policy
                .drain_high
                .saturating_sub(policy.turn_lookahead)
                .max(1),
            turned: 0,
            drained: [0; 2],
            columns_since_turn: u64::MAX / 2,
            admit_at: u64::MAX,
            next_due: match policy.refresh {
                Refresh::Off => u64::MAX,
                Refresh::AllBank | Refresh::SameBank => phases.min().unwrap_or(u64::MAX),
            },
            rules: RuleTable::new(&config.timing, geometry),
            timing: config.timing.clone(),
            geometry: geometry.clone(),
            policy: policy.clone(),
        };
        channel.begin_ahead();
        Ok(channel)
    }

    /// Takes a request that arrives at its clock. Requests come in the order of their arrivals, however far ahead.
    ///
    /// # Errors
    /// When the request lies outside the sub-channel, or comes too late.
    #[inline]
    pub fn push(&mut self, request: Request) -> Result<(), PushError> {
        self.check(&request)?;
        self.pushed = request.arrival;
        self.waiting += 1;
        self.admit_at = self.admit_at.min(request.arrival.max(self.now));
        let at = &request.location;
        let channel = usize::from(at.pseudo_channel);
        let kind = index(request.kind);
        let waiting = QueuedRequest {
            id: request.id,
            arrival: request.arrival,
            row: at.row,
            column: at.column,
            bank: self.bank_of(at),
            channel: at.pseudo_channel,
            kind,
        };
        let set = self.set_of(channel);
        self.sets[set & 1].backlog[usize::from(kind) & 1].push_back(waiting);
        Ok(())
    }

    #[inline]
    fn check(&self, request: &Request) -> Result<(), PushError> {
        let (of, at) = (&self.geometry, &request.location);
        let inside = at.pseudo_channel < of.pseudo_channels
            && at.rank < of.ranks
            && at.group < of.groups
            && at.bank < of.banks
            && at.row < of.rows
            && at.column < of.columns
            && request.arrival < CLOCKS_MAX;
        if inside && request.arrival >= self.pushed.max(self.now) {
            Ok(())
        } else {
            Err(self.fault(request))
        }
    }

    /// What is wrong with a request.
    #[cold]
    fn fault(&self, request: &Request) -> PushError {
        let (of, at) = (&self.geometry, &request.location);
        let parts = [
            (
                "pseudo-channel",
                u64::from(at.pseudo_channel),
                u64::from(of.pseudo_channels),
            ),
            ("rank", u64::from(at.rank), u64::from(of.ranks)),
            ("bank group", u64::from(at.group), u64::from(of.groups)),
            ("bank", u64::from(at.bank), u64::from(of.banks)),
            ("row", u64::from(at.row), u64::from(of.rows)),
            ("column", u64::from(at.column), u64::from(of.columns)),
            ("arrival", request.arrival, CLOCKS_MAX),
        ];
        let id = request.id;
        for (what, value, bound) in parts {
            if value >= bound {
                let max = bound - 1;
                return PushError::OutOfRange {
                    id,
                    what,
                    value,
                    max,
                };
            }
        }
        let (arrival, after) = (request.arrival, self.pushed.max(self.now));
        PushError::Late { id, arrival, after }
    }

    /// Does everything that happens before a clock.
    pub fn run(&mut self, until: u64) {
        self.run_while::<false>(until.min(CLOCKS_MAX));
        self.now = self.now.max(until.min(CLOCKS_MAX));
    }

    /// Runs until nothing waits any more, with no writes kept back, and returns the first clock at which that holds.
    pub fn flush(&mut self) -> u64 {
        self.flushing = true;
        self.run_while::<false>(CLOCKS_MAX);
        self.flushing = false;
        self.now
    }

    /// First clock that has not been run.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Requests that were pushed and are not served.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// What watched.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// What watches, to be read out or reset.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// What watched, by itself.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// From event to event; while flushing, as long as something waits. `self.now` is always a clock whose commands have
    /// not been issued. With `STEP` it stops behind the first clock at which a write is accepted or a request served.
    #[inline(never)]
    fn run_while<const STEP: bool>(&mut self, mut until: u64) {
        let before = self.waiting;
        while self.now < until && (self.waiting > 0 || !self.flushing) {
            let now = self.now;
            if self.next_due <= now {
                self.refreshes_fall_due(now);
            }
            if self.admit_at <= now {
                if self.is_empty() && self.serve_lone::<STEP>(until) {
                    if STEP {
                        return;
                    }
                    continue;
                }
                let writes = self.queued_writes();
                self.admit(now);
                if STEP && (before, writes) != (self.waiting, self.queued_writes()) {
                    until = now + 1;
                }
            }
            self.turn(now);
            // With its number known, much of what is done for the only pseudo-channel needs no reckoning.
            if self.channel_count == 1 {
                let choice = self.choose_in(0, now.max(self.bus_free[0]));
                if self.goes_on_to(choice.at, until) {
                    self.issue_in(0, &choice);
                    self.now += 1;
                }
            } else if self.policy.shared_commands {
                self.step_shared_bus(until);
            } else {
                self.step_two_buses(until);
            }
            if STEP && before != self.waiting {
                return;
            }
        }
    }

    /// Moves the clock to the next command, or to what comes before it. Whether it is the command. What comes from
    /// outside comes before the commands of its clock.
    #[inline]
    fn goes_on_to(&mut self, command: u64, until: u64) -> bool {
        let outside = self.next_due.min(self.admit_at).min(until);
        self.now = command.min(outside);
        command < outside
    }

    #[inline(never)]
    fn step_shared_bus(&mut self, until: u64) {
        let floor = self.now.max(self.bus_free[0]);
        let choice = self.choose(0, floor).better(self.choose(1, floor));
        if self.goes_on_to(choice.at, until) {
            self.issue(&choice);
            self.now += 1;
        }
    }

    #[inline(never)]
    fn step_two_buses(&mut self, until: u64) {
        let floors = self.bus_free.map(|free| free.max(self.now));
        let (first, second) = (self.choose(0, floors[0]), self.choose(1, floors[1]));
        let command = first.at.min(second.at);
        if !self.goes_on_to(command, until) {
            return;
        }
        if first.at == command {
            self.issue(&first);
        }
        if second.at == command {
            // A column command changes what the other pseudo-channel may do.
            let again = if first.at == command {
                self.choose(1, command.max(self.bus_free[1]))
            } else {
                second
            };
            if again.at == command {
                self.issue(&again);
            }
        }
        self.now += 1;
    }

    /// The set of queues that a pseudo-channel uses.
    #[inline]
    fn set_of(&self, channel: usize) -> usize {
        if self.set_count == 1 { 0 } else { channel }
    }

    /// Turns the direction where the queues ask for it.
    #[inline]
    fn turn(&mut self, now: u64) {
        let [first, second] = &self.sets;
        let writes = first.count[1].max(second.count[1]);
        let reads = first.count[0] + second.count[0];
        // So it is mostly.
        if !self.writing && reads > 0 && writes < self.turn_from {
            return;
        }
        let low = if self.flushing {
            0
        } else {
            self.policy.drain_low
        };
        let (policy, since) = (&self.policy, self.columns_since_turn);
        let turns = if self.writing {
            writes <= low || (reads > 0 && since >= u64::from(policy.write_queue))
        } else if reads == 0 {
            writes > low
        } else {
            writes >= policy.drain_high && since >= u64::from(policy.drain_high - policy.drain_low)
        };
        let turns = if self.weighs_turns {
            turns && !self.is_put_off() || self.comes_early(writes, low)
        } else {
            turns
        };
        if turns {
            self.drained[1 - self.direction()] += now - self.turned;
            self.turned = now;
            self.writing = !self.writing;
            self.columns_since_turn = 0;
            self.turn_near = false;
            self.turn_due = None;
            self.choose_anew();
            self.come_near(writes, low);
        }
    }

    /// Whether a turn that is due waits for hits of the direction.
    #[inline(never)]
    fn is_put_off(&mut self) -> bool {
        if self.policy.turn_hits_max == 0 {
            return false;
        }
        let since = self.columns_since_turn;
        let due = *self.turn_due.get_or_insert(since);
        since - due < u64::from(self.policy.turn_hits_max) && self.is_hit_left()
    }

    /// Whether the direction turns before it must, for the other one is ready. Notes where a turn has come near.
    #[inline(never)]
    fn comes_early(&mut self, writes: u32, low: u32) -> bool {
        self.come_near(writes, low);
        self.policy.turn_early
            && self.turn_near
            && self.columns_since_turn > 0
            && (self.writing || writes > low)
            && !self.is_hit_left()
            && self.is_hit_coming()
    }

    /// Notes where a turn has come near. `writes` are those of the fuller queue.
    #[inline]
    fn come_near(&mut self, writes: u32, low: u32) {
        if self.policy.turn_lookahead == 0 || self.turn_near {
            return;
        }
        let (policy, since) = (&self.policy, self.columns_since_turn);
        let ahead = policy.turn_lookahead;
        let since_within = |all: u32| since >= u64::from(all.saturating_sub(ahead));
        self.turn_near = if self.writing {
            writes <= low + ahead || since_within(policy.write_queue)
        } else {
            writes >= self.turn_from && since_within(policy.drain_high - policy.drain_low)
        };
        if self.turn_near {
            self.choose_ahead();
        }
    }

    /// Clocks before a clock for which the direction was not that of a kind.
    #[inline]
    fn drained_before(&self, kind: usize, now: u64) -> u64 {
        if kind == self.direction() {
            self.drained[kind]
        } else {
            self.drained[kind] + (now - self.turned)
        }
    }

    /// The kind of the direction, as an index.
    #[inline]
    fn direction(&self) -> usize {
        usize::from(self.writing)
    }

    /// Number of a bank within its pseudo-channel.
    #[inline]
    fn bank_of(&self, at: &Location) -> u16 {
        let of = &self.geometry;
        let group = u16::from(at.rank) * u16::from(of.groups) + u16::from(at.group);
        group * u16::from(of.banks) + u16::from(at.bank)
    }
}
