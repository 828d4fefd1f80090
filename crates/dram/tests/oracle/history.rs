//! "Distances": the commands of the past, and whether any of them forbids a command now.
//!
//! Every rule is looked up by searching what was issued. Commands are forgotten when no rule reaches so far any more.

use std::collections::VecDeque;

use wordline_dram::{Command, Issued, Location, Timing};

/// A command, or the start of a precharge, at its clock.
type Event = (u64, Location);

/// What was issued, by kind.
pub(super) struct History {
    timing: Timing,
    reach: Reach,
    slices: u8,
    /// ACT.
    activations: VecDeque<Event>,
    /// RD and RDA.
    reads: VecDeque<Event>,
    /// WR and WRA.
    writes: VecDeque<Event>,
    /// PREpb, PREsb, PREab: the commands.
    closings: VecDeque<Event>,
    /// Where each bank began to be precharged, by a command or by itself, in that case perhaps in the future.
    precharges: VecDeque<Event>,
    /// REFab.
    all_bank: VecDeque<Event>,
    /// REFsb.
    same_bank: VecDeque<Event>,
    /// PDE.
    entries: VecDeque<Event>,
    /// PDX.
    exits: VecDeque<Event>,
}

/// For how many clocks a command can forbid another one, at most.
struct Reach {
    column: u64,
    row: u64,
    refresh: u64,
    power: u64,
}

impl Reach {
    fn new(t: &Timing) -> Self {
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
            column: u64::from(data) + longest(&after_data).max(longest(&bursts)),
            row: longest(&row),
            refresh: longest(&[t.rfc, t.rfc_dlr, t.rfc_sb, t.refsbrd]),
            power: longest(&[t.pd, t.xp]),
        }
    }
}

/// The columns of the table.
#[derive(Clone, Copy)]
enum Scope {
    Bank,
    Group,
    Rank,
    Stack,
    PseudoChannel,
    Other,
}
use Scope::{Bank, Group, Other, PseudoChannel, Rank, Stack};

impl History {
    pub(super) fn new(timing: &Timing, slices: u8) -> Self {
        Self {
            timing: timing.clone(),
            reach: Reach::new(timing),
            slices,
            activations: VecDeque::new(),
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            closings: VecDeque::new(),
            precharges: VecDeque::new(),
            all_bank: VecDeque::new(),
            same_bank: VecDeque::new(),
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
        self.forget(at);
        let list = match command {
            Command::Act => &mut self.activations,
            Command::Rd | Command::Rda => &mut self.reads,
            Command::Wr | Command::Wra => &mut self.writes,
            Command::PrePb | Command::PreSb | Command::PreAb => &mut self.closings,
            Command::RefAb => &mut self.all_bank,
            Command::RefSb => &mut self.same_bank,
            Command::Pde => &mut self.entries,
            Command::Pdx => &mut self.exits,
        };
        list.push_back((at, location));
        self.precharges
            .extend(closes.iter().map(|bank| (at, *bank)));
        if matches!(command, Command::Rda | Command::Wra) {
            let start = self.auto_precharge(at, command, location);
            self.precharges.push_back((start, location));
        }
    }

    /// `p`: when a bank is precharged by itself after RDA or WRA.
    fn auto_precharge(&self, at: u64, command: Command, bank: Location) -> u64 {
        let t = &self.timing;
        let recovery = if command == Command::Rda {
            t.rtp
        } else {
            t.cwl + t.burst + t.wr
        };
        let activation = self
            .activations
            .iter()
            .rev()
            .find(|(_, from)| same_bank(*from, bank));
        let open_long_enough = activation.map_or(0, |(activated, _)| activated + u64::from(t.ras));
        open_long_enough.max(at + u64::from(recovery))
    }

    /// Drops what no rule reaches any more.
    fn forget(&mut self, now: u64) {
        let reach = &self.reach;
        let keep = |list: &mut VecDeque<Event>, reach: u64| {
            while list.front().is_some_and(|(at, _)| at + reach < now) {
                list.pop_front();
            }
        };
        for list in [&mut self.reads, &mut self.writes] {
            keep(list, reach.column);
        }
        for list in [
            &mut self.activations,
            &mut self.closings,
            &mut self.precharges,
        ] {
            keep(list, reach.row);
        }
        for list in [&mut self.all_bank, &mut self.same_bank] {
            keep(list, reach.refresh);
        }
        for list in [&mut self.entries, &mut self.exits] {
            keep(list, reach.power);
        }
    }

    /// Whether every rule allows a command now; `closes` are the open banks that it precharges.
    pub(super) fn allows(
        &self,
        now: u64,
        command: Command,
        to: Location,
        closes: &[Location],
    ) -> bool {
        if !self.within_rank(now, &self.exits, to, self.timing.xp) {
            return false;
        }
        match command {
            Command::Act => self.allows_activation(now, to),
            Command::Rd => self.allows_read(now, to),
            Command::Rda => {
                self.allows_read(now, to) && self.allows_auto_precharge_of_read(now, to)
            }
            Command::Wr | Command::Wra => self.allows_write(now, to),
            Command::PrePb | Command::PreSb | Command::PreAb => {
                self.allows_precharge(now, to, closes)
            }
            Command::RefAb => self.allows_all_bank_refresh(now, to),
            Command::RefSb => self.allows_same_bank_refresh(now, to),
            Command::Pde => self.allows_power_down(now, to),
            Command::Pdx => self.within_rank(now, &self.entries, to, self.timing.pd),
        }
    }

    fn allows_activation(&self, now: u64, to: Location) -> bool {
        let t = &self.timing;
        self.past(now, &self.activations, to, |scope| match scope {
            Bank => t.rc,
            Group => t.rrd_l,
            Rank => t.rrd_s,
            Stack => t.rrd_dlr,
            PseudoChannel | Other => 0,
        }) && self.fewer_than_four(now, t.faw, |from| same_rank(from, to))
            && (self.slices == 1
                || self.fewer_than_four(now, t.faw_dlr, |from| self.same_stack(from, to)))
            && self.within_bank(now, &self.precharges, to, t.rp)
            && self.within_rank(now, &self.all_bank, to, t.rfc)
            && self
                .same_bank
                .iter()
                .filter(|(_, from)| same_rank(*from, to))
                .all(|(at, from)| {
                    let distance = if from.bank == to.bank {
                        t.rfc_sb
                    } else {
                        t.refsbrd
                    };
                    at + u64::from(distance) <= now
                })
    }

    /// Whether fewer than four ACTs of a place lie less than a window back.
    fn fewer_than_four(&self, now: u64, window: u32, place: impl Fn(Location) -> bool) -> bool {
        let within = |at: u64| at + u64::from(window) > now;
        self.activations
            .iter()
            .filter(|(at, from)| within(*at) && place(*from))
            .count()
            < 4
    }

    fn allows_read(&self, now: u64, to: Location) -> bool {
        let t = &self.timing;
        let written = t.cwl + t.burst;
        self.allows_column(now, to)
            && self.past(now, &self.reads, to, |scope| match scope {
                Bank => t.ccd_l,
                Group => t.ccd_m,
                Rank | Stack => t.ccd_s,
                PseudoChannel => t.burst + t.rank_gap,
                Other => t.pair_burst,
            })
            && self.past(now, &self.writes, to, |scope| match scope {
                Bank => written + t.wtr_l,
                Group => written + t.wtr_m,
                Rank | Stack => written + t.wtr_s,
                PseudoChannel => (written + t.rank_gap).saturating_sub(t.cl).max(1),
                Other => t.pair_wtr,
            })
    }

    /// What an RDA has to keep beside the rules of an RD.
    fn allows_auto_precharge_of_read(&self, now: u64, to: Location) -> bool {
        let t = &self.timing;
        let distance = (t.cwl + t.burst + t.wr).saturating_sub(t.rtp).max(1);
        self.within_bank(now, &self.writes, to, distance)
    }

    fn allows_write(&self, now: u64, to: Location) -> bool {
        let t = &self.timing;
        self.allows_column(now, to)
            && self.past(now, &self.writes, to, |scope| match scope {
                Bank => t.ccd_l_wr,
                Group => t.ccd_m_wr,
                Rank | Stack => t.ccd_s_wr,
                PseudoChannel => t.burst + t.rank_gap,
                Other => t.pair_burst,
            })
            && self.past(now, &self.reads, to, |scope| match scope {
                Bank | Group | Rank | Stack => t.rtw,
                PseudoChannel => t.rtw + t.rank_gap,
                Other => t.pair_rtw,
            })
    }

    fn allows_column(&self, now: u64, to: Location) -> bool {
        self.within_bank(now, &self.activations, to, self.timing.rcd)
    }

    fn allows_precharge(&self, now: u64, to: Location, closes: &[Location]) -> bool {
        let t = &self.timing;
        self.within_rank(now, &self.closings, to, t.ppd)
            && closes.iter().all(|bank| {
                self.within_bank(now, &self.activations, *bank, t.ras)
                    && self.within_bank(now, &self.reads, *bank, t.rtp)
                    && self.within_bank(now, &self.writes, *bank, t.cwl + t.burst + t.wr)
            })
    }

    fn allows_all_bank_refresh(&self, now: u64, to: Location) -> bool {
        let t = &self.timing;
        self.within_rank(now, &self.precharges, to, t.rp)
            && self.past(now, &self.all_bank, to, |scope| match scope {
                Bank | Group | Rank => t.rfc,
                Stack => t.rfc_dlr,
                PseudoChannel | Other => 0,
            })
    }

    fn allows_same_bank_refresh(&self, now: u64, to: Location) -> bool {
        let t = &self.timing;
        let of_index = |from: Location| same_rank(from, to) && from.bank == to.bank;
        let precharged = self.precharges.iter().filter(|(_, from)| of_index(*from));
        precharged
            .into_iter()
            .all(|(at, _)| at + u64::from(t.rp) <= now)
            && self.within_rank(now, &self.same_bank, to, t.rfc_sb)
            && self.within_rank(now, &self.activations, to, t.rrd_l)
    }

    fn allows_power_down(&self, now: u64, to: Location) -> bool {
        let t = &self.timing;
        self.within_rank(now, &self.all_bank, to, t.rfc)
            && self.within_rank(now, &self.same_bank, to, t.rfc_sb)
            && self.within_rank(now, &self.activations, to, t.pden)
            && self.within_rank(now, &self.closings, to, t.pden)
            && self.within_rank(now, &self.precharges, to, t.pden)
            && self.within_rank(now, &self.reads, to, t.cl + t.burst + 1)
            && self.within_rank(now, &self.writes, to, t.cwl + t.burst + t.wr + 1)
    }

    /// Whether every event lies at least as far back as its scope demands; 0 where it demands nothing. Not for
    /// precharges: they may lie in the future, where 0 is no little demand.
    fn past(
        &self,
        now: u64,
        events: &VecDeque<Event>,
        to: Location,
        distance: impl Fn(Scope) -> u32,
    ) -> bool {
        events
            .iter()
            .all(|(at, from)| past(now, *at, distance(self.scope(*from, to))))
    }

    /// The same for one distance to every event of the rank, and none to others.
    fn within_rank(&self, now: u64, events: &VecDeque<Event>, to: Location, distance: u32) -> bool {
        let mut of_rank = events.iter().filter(|(_, from)| same_rank(*from, to));
        of_rank.all(|(at, _)| past(now, *at, distance))
    }

    /// The same for the bank.
    fn within_bank(&self, now: u64, events: &VecDeque<Event>, to: Location, distance: u32) -> bool {
        let mut of_bank = events.iter().filter(|(_, from)| same_bank(*from, to));
        of_bank.all(|(at, _)| past(now, *at, distance))
    }

    fn scope(&self, a: Location, b: Location) -> Scope {
        if a.pseudo_channel != b.pseudo_channel {
            Other
        } else if !self.same_stack(a, b) {
            PseudoChannel
        } else if a.rank != b.rank {
            Stack
        } else if a.group != b.group {
            Rank
        } else if a.bank != b.bank {
            Group
        } else {
            Bank
        }
    }

    fn same_stack(&self, a: Location, b: Location) -> bool {
        a.pseudo_channel == b.pseudo_channel && a.rank / self.slices == b.rank / self.slices
    }
}

/// Whether a distance from an event is over.
fn past(now: u64, at: u64, distance: u32) -> bool {
    at + u64::from(distance) <= now
}

pub(super) fn same_rank(a: Location, b: Location) -> bool {
    (a.pseudo_channel, a.rank) == (b.pseudo_channel, b.rank)
}

pub(super) fn same_bank(a: Location, b: Location) -> bool {
    same_rank(a, b) && (a.group, a.bank) == (b.group, b.bank)
}
