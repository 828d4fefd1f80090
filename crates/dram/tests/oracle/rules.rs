//! "Distances": the table, from the later command's side. Every rule says when it is met, by a search of the history.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use wordline_dram::{Command, Location, WaitCause};

use super::history::Scope::{Bank, Group, Other, PseudoChannel, Rank, Stack};
use super::history::{Event, History, Place, past_each, same_bank, same_rank};

/// Receives every rule: where it holds, its cause, and the first clock at which it is met. May stop early.
type Rule<'a> = &'a mut dyn FnMut(Place, WaitCause, u64) -> ControlFlow<()>;

/// Says so of rules of one cause for all places.
fn each_place(cause: WaitCause, over: [u64; 3], rule: Rule) -> ControlFlow<()> {
    for (place, at) in [Place::Bank, Place::Group, Place::Rank]
        .into_iter()
        .zip(over)
    {
        rule(place, cause, at)?;
    }
    ControlFlow::Continue(())
}

impl History {
    /// Whether every rule allows a command now; `closes` are the open banks that it precharges.
    pub(super) fn allows(
        &self,
        now: u64,
        command: Command,
        to: Location,
        closes: &[Location],
    ) -> bool {
        let mut met = |_, _, at| {
            if at <= now {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        self.rules(command, to, closes, &mut met).is_continue()
    }

    /// When the last rule of bank, group and rank is met, and the causes of those that are met then.
    pub(super) fn last_met(
        &self,
        command: Command,
        to: Location,
        closes: &[Location],
    ) -> [(u64, Vec<WaitCause>); 3] {
        let mut last: [(u64, Vec<WaitCause>); 3] = Default::default();
        let _ = self.rules(command, to, closes, &mut |place, cause, at| {
            let last = &mut last[place as usize];
            if at > last.0 {
                *last = (at, vec![cause]);
            } else if at == last.0 {
                last.1.push(cause);
            }
            ControlFlow::Continue(())
        });
        last
    }

    /// The last ACT of a bank, if any rule remembers one, and when its row was ready.
    pub(super) fn opened(&self, bank: Location) -> Option<(u64, u64)> {
        let mut of_bank = self.activations.iter().rev();
        let (at, _) = of_bank.find(|(_, from)| same_bank(*from, bank))?;
        Some((*at, at + u64::from(self.timing.rcd)))
    }

    fn rules(
        &self,
        command: Command,
        to: Location,
        closes: &[Location],
        rule: Rule,
    ) -> ControlFlow<()> {
        rule(
            Place::Rank,
            WaitCause::PowerDown,
            past_each(&self.exits, |from| same_rank(from, to), self.timing.xp),
        )?;
        match command {
            Command::Act => self.activate(to, rule),
            Command::Rd => self.read(to, rule),
            Command::Rda => {
                self.read(to, rule)?;
                self.close_after_read(to, rule)
            }
            Command::Wr | Command::Wra => self.write(to, rule),
            Command::PrePb | Command::PreSb | Command::PreAb => self.precharge(to, closes, rule),
            Command::RefAb | Command::RfmAb => self.refresh_all_banks(to, rule),
            Command::RefSb | Command::RfmSb => self.refresh_same_bank(to, rule),
            Command::Pde => self.power_down(to, rule),
            Command::Pdx => rule(
                Place::Rank,
                WaitCause::PowerDown,
                past_each(&self.entries, |from| same_rank(from, to), self.timing.pd),
            ),
        }
    }

    fn activate(&self, to: Location, rule: Rule) -> ControlFlow<()> {
        let t = &self.timing;
        let rank = |from| same_rank(from, to);
        let bank = |from| same_bank(from, to);
        rule(
            Place::Bank,
            WaitCause::Bank,
            past_each(&self.activations, bank, t.rc),
        )?;
        rule(
            Place::Bank,
            WaitCause::Bank,
            past_each(&self.precharges, bank, t.rp),
        )?;
        let apart = self.past_by_place(&self.activations, to, |scope| match scope {
            Group => Some(t.rrd_l),
            Rank => Some(t.rrd_s),
            Stack => Some(t.rrd_dlr),
            Bank | PseudoChannel | Other => None,
        });
        each_place(WaitCause::ActivationRate, apart, rule)?;
        rule(
            Place::Rank,
            WaitCause::ActivationRate,
            self.fifth(rank, t.faw),
        )?;
        if self.slices > 1 {
            rule(
                Place::Rank,
                WaitCause::ActivationRate,
                self.fifth(|from| self.same_stack(from, to), t.faw_dlr),
            )?;
        }
        let refreshed = |from: Location| self.same_set(from, to);
        rule(
            Place::Rank,
            WaitCause::Refresh,
            past_each(&self.all_bank, rank, t.rfc),
        )?;
        rule(
            Place::Rank,
            WaitCause::Refresh,
            past_each(&self.all_managed, rank, self.rfm),
        )?;
        for (events, clocks) in [(&self.same_bank, t.rfc_sb), (&self.same_managed, self.rfm)] {
            let other = |from| rank(from) && !refreshed(from);
            let own = past_each(events, refreshed, clocks);
            rule(Place::Bank, WaitCause::Refresh, own)?;
            let others = past_each(events, other, t.refsbrd);
            rule(Place::Rank, WaitCause::Refresh, others)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether the row of a bank's last ACT is there: tRCD has passed.
    pub(super) fn has_row(&self, now: u64, of: Location) -> bool {
        past_each(
            &self.activations,
            |from| same_bank(from, of),
            self.timing.rcd,
        ) <= now
    }

    /// When four ACTs of a place allow a fifth: a window after the first of the last four.
    fn fifth(&self, place: impl Fn(Location) -> bool, window: u32) -> u64 {
        let mut of_place = self
            .activations
            .iter()
            .rev()
            .filter(|(_, from)| place(*from));
        of_place.nth(3).map_or(0, |(at, _)| at + u64::from(window))
    }

    fn read(&self, to: Location, rule: Rule) -> ControlFlow<()> {
        let t = &self.timing;
        let written = t.cwl + t.burst;
        rule(
            Place::Bank,
            WaitCause::Activate,
            past_each(&self.activations, |from| same_bank(from, to), t.rcd),
        )?;
        let apart = self.past_by_place(&self.reads, to, |scope| match scope {
            Bank => Some(t.ccd_l),
            Group => Some(t.ccd_m),
            Rank | Stack => Some(t.ccd_s),
            PseudoChannel => None,
            Other => Some(t.pair_burst),
        });
        each_place(WaitCause::Bus, apart, rule)?;
        rule(
            Place::Rank,
            WaitCause::Turnaround,
            self.other_rank(&self.reads, to, t.burst + t.rank_gap),
        )?;
        let turned = self.past_by_place(&self.writes, to, |scope| match scope {
            Bank => Some(written + t.wtr_l),
            Group => Some(written + t.wtr_m),
            Rank | Stack => Some(written + t.wtr_s),
            PseudoChannel => Some((written + t.rank_gap).saturating_sub(t.cl).max(1)),
            Other => Some(t.pair_wtr),
        });
        each_place(WaitCause::Turnaround, turned, rule)
    }

    /// What an RDA has to keep beside the rules of an RD.
    fn close_after_read(&self, to: Location, rule: Rule) -> ControlFlow<()> {
        let t = &self.timing;
        let distance = (t.cwl + t.burst + t.wr).saturating_sub(t.rtp).max(1);
        rule(
            Place::Bank,
            WaitCause::Bank,
            past_each(&self.writes, |from| same_bank(from, to), distance),
        )
    }

    fn write(&self, to: Location, rule: Rule) -> ControlFlow<()> {
        let t = &self.timing;
        rule(
            Place::Bank,
            WaitCause::Activate,
            past_each(&self.activations, |from| same_bank(from, to), t.rcd),
        )?;
        let apart = self.past_by_place(&self.writes, to, |scope| match scope {
            Bank => Some(t.ccd_l_wr),
            Group => Some(t.ccd_m_wr),
            Rank | Stack => Some(t.ccd_s_wr),
            PseudoChannel => None,
            Other => Some(t.pair_burst),
        });
        each_place(WaitCause::Bus, apart, rule)?;
        rule(
            Place::Rank,
            WaitCause::Turnaround,
            self.other_rank(&self.writes, to, t.burst + t.rank_gap),
        )?;
        let turned = self.past(&self.reads, to, |scope| match scope {
            Bank | Group | Rank | Stack => Some(t.rtw),
            PseudoChannel => Some(t.rtw + t.rank_gap),
            Other => Some(t.pair_rtw),
        });
        // As long everywhere in the rank, it is the rank's.
        rule(Place::Rank, WaitCause::Turnaround, turned)
    }

    fn precharge(&self, to: Location, closes: &[Location], rule: Rule) -> ControlFlow<()> {
        let t = &self.timing;
        rule(
            Place::Rank,
            WaitCause::Bank,
            past_each(&self.closings, |from| same_rank(from, to), t.ppd),
        )?;
        for closed in closes {
            let bank = |from| same_bank(from, *closed);
            rule(
                Place::Bank,
                WaitCause::Bank,
                past_each(&self.activations, bank, t.ras),
            )?;
            rule(
                Place::Bank,
                WaitCause::Bank,
                past_each(&self.reads, bank, t.rtp),
            )?;
            rule(
                Place::Bank,
                WaitCause::Bank,
                past_each(&self.writes, bank, t.cwl + t.burst + t.wr),
            )?;
        }
        ControlFlow::Continue(())
    }

    fn refresh_all_banks(&self, to: Location, rule: Rule) -> ControlFlow<()> {
        let t = &self.timing;
        rule(
            Place::Rank,
            WaitCause::Bank,
            past_each(&self.precharges, |from| same_rank(from, to), t.rp),
        )?;
        for (events, clocks) in [(&self.all_bank, t.rfc), (&self.all_managed, self.rfm)] {
            let refreshed = self.past(events, to, |scope| match scope {
                Bank | Group | Rank => Some(clocks),
                Stack => Some(t.rfc_dlr),
                PseudoChannel | Other => None,
            });
            rule(Place::Rank, WaitCause::Refresh, refreshed)?;
        }
        ControlFlow::Continue(())
    }

    fn refresh_same_bank(&self, to: Location, rule: Rule) -> ControlFlow<()> {
        let t = &self.timing;
        let rank = |from| same_rank(from, to);
        let of_set = |from: Location| self.same_set(from, to);
        rule(
            Place::Rank,
            WaitCause::Bank,
            past_each(&self.precharges, of_set, t.rp),
        )?;
        rule(
            Place::Rank,
            WaitCause::Refresh,
            past_each(&self.same_bank, of_set, t.rfc_sb),
        )?;
        rule(
            Place::Rank,
            WaitCause::Refresh,
            past_each(&self.same_bank, rank, t.refsb_gap),
        )?;
        rule(
            Place::Rank,
            WaitCause::Refresh,
            past_each(&self.same_managed, rank, self.rfm),
        )?;
        rule(
            Place::Rank,
            WaitCause::ActivationRate,
            past_each(&self.activations, rank, t.rrd_l),
        )
    }

    fn power_down(&self, to: Location, rule: Rule) -> ControlFlow<()> {
        let t = &self.timing;
        let rank = |from| same_rank(from, to);
        rule(
            Place::Rank,
            WaitCause::Refresh,
            past_each(&self.all_bank, rank, t.rfc),
        )?;
        rule(
            Place::Rank,
            WaitCause::Refresh,
            past_each(&self.same_bank, rank, t.rfc_sb),
        )?;
        for events in [&self.all_managed, &self.same_managed] {
            let managed = past_each(events, rank, self.rfm);
            rule(Place::Rank, WaitCause::Refresh, managed)?;
        }
        for events in [&self.activations, &self.closings, &self.precharges] {
            rule(
                Place::Rank,
                WaitCause::Bank,
                past_each(events, rank, t.pden),
            )?;
        }
        rule(
            Place::Rank,
            WaitCause::Bus,
            past_each(&self.reads, rank, t.cl + t.burst + 1),
        )?;
        rule(
            Place::Rank,
            WaitCause::Bus,
            past_each(&self.writes, rank, t.cwl + t.burst + t.wr + 1),
        )
    }

    /// When a burst of another physical rank has left the bus.
    fn other_rank(&self, events: &VecDeque<Event>, to: Location, distance: u32) -> u64 {
        self.past(events, to, |scope| match scope {
            PseudoChannel => Some(distance),
            Bank | Group | Rank | Stack | Other => None,
        })
    }
}
