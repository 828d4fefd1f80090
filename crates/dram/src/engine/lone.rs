//! A short way for a read that has the sub-channel to itself: with nothing queued and nothing due, its commands follow
//! from its bank alone, and it need not enter lists to find that out. What comes of it is the same.

use super::SubChannel;
use super::queue::{QueuedRequest, READ, Set, located};
use super::serve::{WaitAttribution, clocks};
use super::stamp::{Stamp, clock};
use super::state::{ACT, CLOSED, PRE, PseudoChannel};
use crate::observer::{CAUSES, Observer, RowOutcome, WaitCause};
use crate::request::RequestKind;
use crate::scheduler::{Scheduler, WaitingRequest};

/// When the commands of a read go out.
struct ReadPlan {
    pre: Option<u64>,
    act: Option<u64>,
    rd: u64,
}

impl PseudoChannel {
    /// When the rules of a bank, of its group and of its rank allow a command.
    #[inline]
    fn rules_for(&self, bank: usize, slot: usize, closes: bool) -> [Stamp; 3] {
        let of = &self.banks[bank];
        let bank_ok = match slot {
            ACT => of.act_ok,
            PRE => of.pre_ok,
            _ if closes => of.column_ok[0].max(of.rda_ok),
            _ => of.column_ok[0],
        };
        let group = self.group_ok[usize::from(of.group)][slot & 3];
        let rank = self.rank_ok[of.rank()][slot & 3];
        [bank_ok, group, rank]
    }

    /// When all of them do.
    #[inline]
    fn ok(&self, bank: usize, slot: usize, closes: bool) -> u64 {
        let [bank, group, rank] = self.rules_for(bank, slot, closes);
        clock(bank.max(group).max(rank))
    }
}

impl<O: Observer, S: Scheduler> SubChannel<O, S> {
    /// Whether the channel reads, with no request queued and nothing to be done without one.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        let queued = self.sets.iter().all(|set| set.count == [0; 2]);
        let busy = self.channels.iter().any(|of| of.duties > 0);
        let aside = self.policy.refresh_aside > 0 && self.sets.iter().any(Set::is_anything_aside);
        queued && !aside && !busy && !self.writing && !self.has_idle_duties
    }

    /// Serves one lone read after the other, while nothing but their arrivals happens. Whether there was any. The channel
    /// is empty before each: see [`is_empty`](Self::is_empty). With `STEP` only one, and the clock stops behind it.
    #[inline(never)]
    pub(super) fn serve_lone<const STEP: bool>(&mut self, until: u64) -> bool {
        let mut any = false;
        while self.serve_alone::<STEP>(until) {
            any = true;
            if STEP || self.now >= self.next_due.min(until) || self.now < self.admit_at {
                break;
            }
        }
        any
    }

    /// Serves the next read if it has arrived and all its commands go out before anything else happens: another
    /// request arrives, a refresh falls due, or the run ends.
    #[inline(always)]
    fn serve_alone<const STEP: bool>(&mut self, until: u64) -> bool {
        let now = self.now;
        let Some((set, arrives)) = self.lone_read(now) else {
            return false;
        };
        let Some(&request) = self.sets[set & 1].backlog[0].front() else {
            return false;
        };
        if self.policy.refresh_aside > 0 && self.goes_aside(set, &request, now) {
            return false;
        }
        let next = arrives.min(self.next_due).min(until);
        let plan = self.plan(&request, now);
        if plan.rd >= next {
            return false;
        }
        self.sets[set & 1].backlog[0].drop_front();
        self.admit_at = arrives;
        self.next_age += 1;
        self.waiting -= 1;
        self.observer.accepted(request.id, RequestKind::Read, now);
        self.serve_as_planned(&request, &plan, now);
        // While something waits, nothing happens before the next event.
        self.now = if self.waiting > 0 && !STEP {
            next
        } else {
            plan.rd + 1
        };
        true
    }

    /// The set with the only read that has arrived, and when another request arrives.
    #[inline]
    fn lone_read(&self, now: u64) -> Option<(usize, u64)> {
        let mut found = None;
        let mut arrives = u64::MAX;
        for (number, set) in self.sets.iter().enumerate() {
            let [reads, writes] = &set.backlog;
            let arrival =
                |request: Option<&QueuedRequest>| request.map_or(u64::MAX, |of| of.arrival);
            arrives = arrives.min(arrival(writes.front()));
            let read = arrival(reads.front());
            if found.is_none() && read <= now {
                found = Some(number);
                arrives = arrives.min(arrival(reads.second()));
            } else {
                arrives = arrives.min(read);
            }
        }
        found.map(|number| (number, arrives))
    }

    #[inline]
    fn plan(&self, request: &QueuedRequest, now: u64) -> ReadPlan {
        let (channel, bank) = (usize::from(request.channel), usize::from(request.bank));
        let pc = &self.channels[channel & 1];
        let ok = |slot: usize| pc.ok(bank, slot, false);
        let mut free = now.max(self.bus_free[self.bus_of(channel) & 1]);
        let mut plan = ReadPlan {
            pre: None,
            act: None,
            rd: pc.ok(bank, 0, self.closes_pages),
        };
        let open = pc.banks[bank].open;
        if open != request.row {
            let mut act = ok(ACT);
            if open != CLOSED {
                let pre = ok(PRE).max(free);
                act = act.max(pre + u64::from(self.timing.rp));
                free = pre + 1;
                plan.pre = Some(pre);
            }
            let act = act.max(free);
            plan.rd = plan.rd.max(act + u64::from(self.timing.rcd));
            free = act + u64::from(self.timing.long_command);
            plan.act = Some(act);
        }
        plan.rd = plan.rd.max(free);
        plan
    }

    #[inline]
    fn serve_as_planned(&mut self, request: &QueuedRequest, plan: &ReadPlan, now: u64) {
        let (channel, bank) = (usize::from(request.channel), usize::from(request.bank));
        let closes = self.closes_pages;
        let outcome = match (plan.pre, plan.act) {
            (Some(_), _) => RowOutcome::Conflict,
            (None, Some(_)) => RowOutcome::Miss,
            (None, None) => RowOutcome::Hit,
        };
        let of = &self.channels[channel & 1].banks[bank];
        let waiting = WaitingRequest {
            id: request.id,
            kind: RequestKind::Read,
            location: located(of.location, request.row, request.column),
            arrival: request.arrival,
            admitted: now,
            age: self.next_age - 1,
        };
        let mut served = self.served(of, 0, request, now, plan.rd, outcome);
        if O::WAITS {
            served.waits[WaitCause::Queue as usize] = clocks(now - request.arrival);
        }
        if let Some(act) = plan.act {
            self.open_as_planned(request, plan.pre, act, now, &mut served.waits);
        }
        if O::WAITS {
            let pc = &self.channels[channel & 1];
            let begin = plan.act.unwrap_or(now);
            let mut rest = WaitAttribution {
                begin,
                left: clocks(plan.rd - begin).into(),
                waits: &mut served.waits,
            };
            // While its row is open, a bank is not refreshed.
            rest.take_row(pc.banks[bank].row_ready, self.timing.rcd);
            rest.take_rules(pc.rules_for(bank, 0, closes));
        }
        self.move_data(channel, bank, 0, closes, plan.rd);
        // No other is queued whose order could change.
        let _ = self.scheduler.served(&waiting, plan.rd);
        let bus = self.bus_of(channel);
        self.bus_free[bus & 1] = plan.rd + u64::from(self.timing.column_command);
        self.tell_column(&served, READ, closes);
    }

    /// PRE, where there is one, and ACT.
    #[inline(never)]
    fn open_as_planned(
        &mut self,
        request: &QueuedRequest,
        pre: Option<u64>,
        act: u64,
        now: u64,
        waits: &mut [u32; CAUSES],
    ) {
        let (channel, bank) = (usize::from(request.channel), usize::from(request.bank));
        let mut milestone = now;
        for (slot, at) in [(PRE, pre), (ACT, Some(act))] {
            let Some(at) = at else { continue };
            if O::WAITS {
                let pc = &self.channels[channel & 1];
                let mut rest = WaitAttribution {
                    begin: milestone,
                    left: clocks(at - milestone).into(),
                    waits,
                };
                // While its row is open, a bank is not refreshed.
                if slot == ACT && pre.is_none() {
                    let before = pc.withheld_before(bank, milestone);
                    let withheld = pc.withheld_before(bank, at) - before;
                    rest.take(withheld, WaitCause::Refresh as usize);
                }
                rest.take_rules(pc.rules_for(bank, slot, false));
                milestone = at;
            }
            let opens = (slot == ACT).then_some(request.row);
            self.open_or_close(channel, bank, opens, request.id, at);
        }
    }
}
