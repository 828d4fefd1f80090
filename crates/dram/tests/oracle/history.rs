//! The commands of the past, by kind, and searches among them.
//!
//! Commands are forgotten when no rule reaches so far any more.

use std::collections::VecDeque;

use wordline_dram::{ChannelGeometry, Command, Issued, Location, Timing};

/// A command, or the start of a precharge, at its clock.
pub(super) type Event = (u64, Location);

/// What was issued, by kind.
pub(super) struct History {
    pub(super) timing: Timing,
    reach: Reach,
    pub(super) slices: u8,
    /// Banks of a group, and sets of banks for REFsb.
    banks: u8,
    sets: u8,
    /// ACT.
    pub(super) activations: VecDeque<Event>,
    /// RD and RDA.
    pub(super) reads: VecDeque<Event>,
    /// WR and WRA.
    pub(super) writes: VecDeque<Event>,
    /// Those of both that lost a slot of the bus.
    late: VecDeque<Event>,
    /// PREpb, PREsb, PREab: the commands.
    pub(super) closings: VecDeque<Event>,
    /// Where each bank began to be precharged, by a command or by itself, in that case perhaps in the future.
    pub(super) precharges: VecDeque<Event>,
    /// REFab.
    pub(super) all_bank: VecDeque<Event>,
    /// REFsb.
    pub(super) same_bank: VecDeque<Event>,
    /// RFMab, RFMsb, and how long they last.
    pub(super) all_managed: VecDeque<Event>,
    pub(super) same_managed: VecDeque<Event>,
    pub(super) rfm: u32,
    /// PDE.
    pub(super) entries: VecDeque<Event>,
    /// PDX.
    pub(super) exits: VecDeque<Event>,
}

/// For how many clocks a command can forbid another one, at most.
struct Reach {
    column: u64,
    row: u64,
    refresh: u64,
    power: u64,
}

impl Reach {
    fn new(t: &Timing, rfm: u32) -> Self {
        let longest = |rules: &[u32]| u64::from(rules.iter().copied().max().unwrap_or(0));
        let data = t.cl.max(t.cwl) + t.burst + t.rank_gap + 1;
        let after_data = [
            t.wr,
            t.wtr_s,
            t.wtr_m,
            t.wtr_l,
            t.rtp,
            t.rtw,
            t.pair_burst,
            t.pair_rtw,
            t.pair_wtr,
        ];
        let bursts = [
            t.ccd_s, t.ccd_m, t.ccd_l, t.ccd_s_wr, t.ccd_m_wr, t.ccd_l_wr,
        ];
        let row = [
            t.rc, t.ras, t.rcd, t.rp, t.rrd_s, t.rrd_l, t.rrd_dlr, t.faw, t.faw_dlr, t.ppd, t.pden,
        ];
        Self {
            column: u64::from(data + t.burst) + longest(&after_data).max(longest(&bursts)),
            row: longest(&row),
            refresh: longest(&[t.rfc, t.rfc_dlr, t.rfc_sb, t.refsb_gap, t.refsbrd, rfm]),
            power: longest(&[t.pd, t.xp]),
        }
    }
}

/// The columns of the table of distances.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    Bank,
    Group,
    Rank,
    Stack,
    PseudoChannel,
    Other,
}

/// Where a rule holds: in a bank, in a group, or in a rank and farther.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Bank,
    Group,
    Rank,
}

impl Scope {
    fn place(self) -> Place {
        match self {
            Self::Bank => Place::Bank,
            Self::Group => Place::Group,
            Self::Rank | Self::Stack | Self::PseudoChannel | Self::Other => Place::Rank,
        }
    }
}

impl History {
    /// `rfm`: clocks of an RFM.
    pub(super) fn new(timing: &Timing, geometry: &ChannelGeometry, rfm: u32) -> Self {
        Self {
            timing: timing.clone(),
            reach: Reach::new(timing, rfm),
            slices: geometry.slices,
            banks: geometry.banks,
            sets: geometry.refresh_sets,
            activations: VecDeque::new(),
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            late: VecDeque::new(),
            closings: VecDeque::new(),
            precharges: VecDeque::new(),
            all_bank: VecDeque::new(),
            same_bank: VecDeque::new(),
            all_managed: VecDeque::new(),
            same_managed: VecDeque::new(),
            rfm,
            entries: VecDeque::new(),
            exits: VecDeque::new(),
        }
    }

    /// Notes a command, and the banks that it closes.
    pub(super) fn add(&mut self, issued: &Issued, closes: &[Location]) {
        let Issued {
            at,
            command,
            location,
            ..
        } = *issued;
        let list = match command {
            Command::Act => &mut self.activations,
            Command::Rd | Command::Rda => &mut self.reads,
            Command::Wr | Command::Wra => &mut self.writes,
            Command::PrePb | Command::PreSb | Command::PreAb => &mut self.closings,
            Command::RefAb => &mut self.all_bank,
            Command::RefSb => &mut self.same_bank,
            Command::RfmAb => &mut self.all_managed,
            Command::RfmSb => &mut self.same_managed,
            Command::Pde => &mut self.entries,
            Command::Pdx => &mut self.exits,
        };
        list.push_back((at, location));
        self.precharges
            .extend(closes.iter().map(|bank| (at, *bank)));
        if matches!(command, Command::Rda | Command::Wra) {
            let start = self.auto_precharge(location);
            self.precharges.push_back((start, location));
        }
    }

    /// A column command, which is recorded already, loses a slot of the bus.
    pub(super) fn lose_slot(&mut self, at: u64, location: Location) {
        self.late.push_back((at, location));
    }

    /// By how much its distance to a place is longer for that.
    fn lateness(&self, event: &Event, to: Location) -> u64 {
        let same_bus = event.1.pseudo_channel == to.pseudo_channel;
        if same_bus && self.late.contains(event) {
            u64::from(self.timing.burst)
        } else {
            0
        }
    }

    /// `p`: when a bank is precharged by itself after an RDA or WRA, which is recorded already. The first clock at which
    /// a PRE would be legal by its ACT, RDs and WRs.
    fn auto_precharge(&self, bank: Location) -> u64 {
        let t = &self.timing;
        let last = |events: &VecDeque<Event>, clocks: u32| {
            let mut of_bank = events
                .iter()
                .rev()
                .filter(|(_, from)| same_bank(*from, bank));
            of_bank.next().map_or(0, |(at, _)| at + u64::from(clocks))
        };
        let read = last(&self.reads, t.rtp);
        let written = last(&self.writes, t.cwl + t.burst + t.wr);
        last(&self.activations, t.ras).max(read).max(written)
    }

    /// Drops what no rule reaches any more.
    pub(super) fn forget(&mut self, now: u64) {
        let reach = &self.reach;
        let keep = |list: &mut VecDeque<Event>, reach: u64| {
            while list.front().is_some_and(|(at, _)| at + reach < now) {
                list.pop_front();
            }
        };
        for list in [&mut self.reads, &mut self.writes, &mut self.late] {
            keep(list, reach.column);
        }
        for list in [
            &mut self.activations,
            &mut self.closings,
            &mut self.precharges,
        ] {
            keep(list, reach.row);
        }
        for list in [
            &mut self.all_bank,
            &mut self.same_bank,
            &mut self.all_managed,
            &mut self.same_managed,
        ] {
            keep(list, reach.refresh);
        }
        for list in [&mut self.entries, &mut self.exits] {
            keep(list, reach.power);
        }
    }

    /// When the distances from all events to a place are over: 0 if there are none.
    pub(super) fn past(
        &self,
        events: &VecDeque<Event>,
        to: Location,
        distance: impl Fn(Scope) -> Option<u32>,
    ) -> u64 {
        let over = |event: &Event| {
            let clocks = distance(self.scope(event.1, to))?;
            Some(event.0 + u64::from(clocks) + self.lateness(event, to))
        };
        events.iter().filter_map(over).max().unwrap_or(0)
    }

    /// The same by the place in which the distances hold: bank, group, rank and farther.
    pub(super) fn past_by_place(
        &self,
        events: &VecDeque<Event>,
        to: Location,
        distance: impl Fn(Scope) -> Option<u32>,
    ) -> [u64; 3] {
        let mut over = [0; 3];
        for event in events {
            let scope = self.scope(event.1, to);
            if let Some(clocks) = distance(scope) {
                let over = &mut over[scope.place() as usize];
                *over = (*over).max(event.0 + u64::from(clocks) + self.lateness(event, to));
            }
        }
        over
    }

    /// Which column of the table speaks of two places.
    fn scope(&self, a: Location, b: Location) -> Scope {
        if a.pseudo_channel != b.pseudo_channel {
            Scope::Other
        } else if !self.same_stack(a, b) {
            Scope::PseudoChannel
        } else if a.rank != b.rank {
            Scope::Stack
        } else if a.group != b.group {
            Scope::Rank
        } else if a.bank != b.bank {
            Scope::Group
        } else {
            Scope::Bank
        }
    }

    /// Whether two banks of a rank are refreshed by one REFsb.
    pub(super) fn same_set(&self, a: Location, b: Location) -> bool {
        let set = |at: Location| {
            (u16::from(at.group) * u16::from(self.banks) + u16::from(at.bank))
                % u16::from(self.sets)
        };
        same_rank(a, b) && set(a) == set(b)
    }

    /// Whether two places lie in one physical rank.
    pub(super) fn same_stack(&self, a: Location, b: Location) -> bool {
        a.pseudo_channel == b.pseudo_channel && a.rank / self.slices == b.rank / self.slices
    }
}

/// When a distance from each of some events is over: 0 if there are none.
pub(super) fn past_each(
    events: &VecDeque<Event>,
    place: impl Fn(Location) -> bool,
    distance: u32,
) -> u64 {
    let of_place = events.iter().filter(|(_, from)| place(*from));
    of_place
        .map(|(at, _)| at + u64::from(distance))
        .max()
        .unwrap_or(0)
}

pub(super) fn same_rank(a: Location, b: Location) -> bool {
    (a.pseudo_channel, a.rank) == (b.pseudo_channel, b.rank)
}

pub(super) fn same_bank(a: Location, b: Location) -> bool {
    same_rank(a, b) && (a.group, a.bank) == (b.group, b.bank)
}
