//! The rules, as a list: from which event to which commands, where, and how many clocks. Nothing here knows how the
//! list is evaluated.

use super::memory::{CheckedChannel, RefreshMode};
use super::rounding::{CheckedClock, ClockPair};
use crate::command::Command;

/// What happened to a bank or rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum BankEvent {
    /// ACT.
    Activate,
    /// RD or RDA.
    Read,
    /// WR or WRA.
    Write,
    /// A precharge command closed the bank.
    Close,
    /// An auto-precharge closed the bank: the clock at which it begins by itself, which may lie ahead.
    AutoClose,
    /// A precharge command of any sort went to the rank.
    Precharge,
    /// REFab.
    RefreshAll,
    /// REFsb.
    RefreshSame,
    /// PDE.
    PowerDown,
    /// PDX.
    PowerUp,
    /// RFMab.
    ManageAll,
    /// RFMsb.
    ManageSame,
}

/// Number of events.
pub(super) const EVENTS: usize = 12;

/// Where the event was, seen from the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// In a bank that the command works on: of PREsb and REFsb those of their set, of PREab and REFab all; of a
    /// precharge only open ones.
    Bank,
    /// In another bank of the group.
    OtherBank,
    /// In another group of the rank.
    OtherGroup,
    /// REFsb or RFMsb of another set of banks of the rank.
    OtherSet,
    /// Anywhere in the rank.
    Rank,
    /// In another logical rank of the stack.
    OtherSlice,
    /// Anywhere in the physical rank.
    Stack,
    /// In another physical rank of the pseudo-channel.
    OtherRank,
    /// On the other pseudo-channel.
    OtherPseudoChannel,
    /// In the rank, the fourth last of its kind. Activations only.
    FourthOfRank,
    /// In the stack, the fourth last of its kind. Activations only.
    FourthOfStack,
}

/// A least distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceRule {
    /// Its name in violations, by the JEDEC parameter where there is one.
    pub name: &'static str,
    /// The event that it counts from.
    pub from: BankEvent,
    /// The commands that it holds back.
    pub to: &'static [Command],
    /// Where the event was.
    pub scope: Scope,
    /// How far the command must be behind the event, in clocks.
    pub clocks: u32,
}

const READS: &[Command] = &[Command::Rd, Command::Rda];
const WRITES: &[Command] = &[Command::Wr, Command::Wra];
const COLUMNS: &[Command] = &[Command::Rd, Command::Rda, Command::Wr, Command::Wra];
const PRECHARGES: &[Command] = &[Command::PrePb, Command::PreSb, Command::PreAb];
const NOT_IN_REFRESH: &[Command] = &[
    Command::Act,
    Command::PrePb,
    Command::PreSb,
    Command::PreAb,
    Command::RefAb,
    Command::RefSb,
    Command::RfmAb,
    Command::RfmSb,
    Command::Pde,
];
const ALL_BUT_PDX: &[Command] = &[
    Command::Act,
    Command::Rd,
    Command::Rda,
    Command::Wr,
    Command::Wra,
    Command::PrePb,
    Command::PreSb,
    Command::PreAb,
    Command::RefAb,
    Command::RefSb,
    Command::RfmAb,
    Command::RfmSb,
    Command::Pde,
];

/// The parameters that other numbers are made of, in clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basics {
    /// From the first burst of a line to the last one.
    pub(super) last: u32,
    /// Clocks of a burst.
    pub(super) burst: u32,
    /// RD to the end of its data.
    pub(super) read_end: u32,
    /// WR to the end of its data.
    pub(super) write_end: u32,
    /// tRTP.
    pub(super) rtp: u32,
    /// tRAS.
    pub(super) ras: u32,
    /// tRP.
    pub(super) rp: u32,
    /// WR to precharge.
    pub(super) write_recovery: u32,
}

impl Basics {
    pub(super) fn new(memory: &CheckedChannel, clock: CheckedClock) -> Self {
        let p = &memory.parameters;
        let last = p.ccd_l.at(clock).saturating_mul(p.bursts.saturating_sub(1));
        let end = |latency: u32| latency.saturating_add(last).saturating_add(p.burst);
        let write_end = end(p.cwl);
        Self {
            last,
            burst: p.burst,
            read_end: end(p.cl),
            write_end,
            rtp: last.saturating_add(p.rtp.at(clock)),
            ras: p.ras.at(clock),
            rp: p.rp.at(clock),
            write_recovery: write_end.saturating_add(p.wr.at(clock)),
        }
    }
}

/// The list for a memory.
pub(super) fn rules(memory: &CheckedChannel, clock: CheckedClock) -> Vec<DistanceRule> {
    let mut book = Book {
        memory,
        clock,
        basics: Basics::new(memory, clock),
        rules: Vec::with_capacity(64),
    };
    book.activates();
    book.reads();
    book.writes();
    book.turnarounds();
    book.precharges();
    match memory.controller.refresh {
        RefreshMode::Off => {}
        RefreshMode::AllBank => book.refreshes_of_all_banks(),
        RefreshMode::SameBank => book.refreshes_of_sets(),
    }
    book.power_down();
    book.rules
}

struct Book<'a> {
    memory: &'a CheckedChannel,
    clock: CheckedClock,
    basics: Basics,
    rules: Vec<DistanceRule>,
}

impl Book<'_> {
    fn at(&self, pair: ClockPair) -> u32 {
        pair.at(self.clock)
    }

    /// A distance of bursts, of which a line has several: those of other lines come between them.
    fn of_lines(&self, pair: ClockPair) -> u32 {
        self.at(pair).saturating_mul(self.memory.parameters.bursts)
    }

    /// From the first beat of a line to where one of another rank may begin.
    fn handover(&self) -> u32 {
        let (b, gap) = (self.basics, self.memory.controller.rank_gap);
        b.last.saturating_add(b.burst).saturating_add(gap)
    }

    fn stacked(&self) -> bool {
        self.memory.shape.slices > 1
    }

    fn add(
        &mut self,
        name: &'static str,
        from: BankEvent,
        to: &'static [Command],
        scope: Scope,
        clocks: u32,
    ) {
        self.rules.push(DistanceRule {
            name,
            from,
            to,
            scope,
            clocks,
        });
    }

    fn activates(&mut self) {
        use BankEvent::Activate;
        const ACT: &[Command] = &[Command::Act];
        let p = &self.memory.parameters;
        let rc = self
            .at(p.rc)
            .max(self.basics.ras.saturating_add(self.basics.rp));
        self.add("tRC", Activate, ACT, Scope::Bank, rc);
        self.add("tRRD_L", Activate, ACT, Scope::OtherBank, self.at(p.rrd_l));
        self.add("tRRD_S", Activate, ACT, Scope::OtherGroup, self.at(p.rrd_s));
        self.add("tFAW", Activate, ACT, Scope::FourthOfRank, self.at(p.faw));
        if self.stacked() {
            let (rrd, faw) = (self.at(p.rrd_dlr), self.at(p.faw_dlr));
            self.add("tRRD_dlr", Activate, ACT, Scope::OtherSlice, rrd);
            self.add("tFAW_dlr", Activate, ACT, Scope::FourthOfStack, faw);
        }
        self.add("tRCD", Activate, COLUMNS, Scope::Bank, self.at(p.rcd));
    }

    fn reads(&mut self) {
        use BankEvent::Read;
        let (p, c) = (&self.memory.parameters, &self.memory.controller);
        self.add("tCCD_L", Read, READS, Scope::Bank, self.of_lines(p.ccd_l));
        self.add(
            "tCCD_M",
            Read,
            READS,
            Scope::OtherBank,
            self.of_lines(p.ccd_m),
        );
        self.add(
            "tCCD_S",
            Read,
            READS,
            Scope::OtherGroup,
            self.of_lines(p.ccd_s),
        );
        let name = "tCCD_S, other slice";
        self.add(name, Read, READS, Scope::OtherSlice, self.of_lines(p.ccd_s));
        // The data of one physical rank must have left the bus, and the gap passed, before that of another comes.
        let name = "RD to RD, other rank";
        let clocks = self.handover();
        self.add(name, Read, READS, Scope::OtherRank, clocks);
        let name = "RD to RD, pair";
        self.add(name, Read, READS, Scope::OtherPseudoChannel, c.pair_burst);
    }

    fn writes(&mut self) {
        use BankEvent::Write;
        let (p, c) = (&self.memory.parameters, &self.memory.controller);
        let (short, middle, long) = (
            self.of_lines(p.ccd_s_wr),
            self.of_lines(p.ccd_m_wr),
            self.of_lines(p.ccd_l_wr),
        );
        self.add("tCCD_L_WR", Write, WRITES, Scope::Bank, long);
        self.add("tCCD_M_WR", Write, WRITES, Scope::OtherBank, middle);
        self.add("tCCD_S_WR", Write, WRITES, Scope::OtherGroup, short);
        let name = "tCCD_S_WR, other slice";
        self.add(name, Write, WRITES, Scope::OtherSlice, short);
        let name = "WR to WR, other rank";
        let clocks = self.handover();
        self.add(name, Write, WRITES, Scope::OtherRank, clocks);
        let name = "WR to WR, pair";
        self.add(name, Write, WRITES, Scope::OtherPseudoChannel, c.pair_burst);
    }

    fn turnarounds(&mut self) {
        use BankEvent::{Read, Write};
        let (p, c, b) = (
            &self.memory.parameters,
            &self.memory.controller,
            self.basics,
        );
        // Written data begins CWL after its command, when read data has ended and the gap has passed.
        let turn = b
            .read_end
            .saturating_add(c.read_to_write_gap)
            .saturating_sub(p.cwl)
            .max(1);
        self.add("RD to WR", Read, WRITES, Scope::Stack, turn);
        let name = "RD to WR, other rank";
        self.add(
            name,
            Read,
            WRITES,
            Scope::OtherRank,
            turn.saturating_add(c.rank_gap),
        );
        let (name, pair) = ("RD to WR, pair", Scope::OtherPseudoChannel);
        self.add(name, Read, WRITES, pair, c.pair_read_to_write);

        let (short, long) = (
            b.write_end.saturating_add(self.at(p.wtr_s)),
            b.write_end.saturating_add(self.at(p.wtr_l)),
        );
        self.add("tWTR_L", Write, READS, Scope::Bank, long);
        let middle = b.write_end.saturating_add(self.at(p.wtr_m));
        self.add("tWTR_M", Write, READS, Scope::OtherBank, middle);
        self.add("tWTR_S", Write, READS, Scope::OtherGroup, short);
        let name = "tWTR_S, other slice";
        self.add(name, Write, READS, Scope::OtherSlice, short);
        let gap = b
            .write_end
            .saturating_add(c.rank_gap)
            .saturating_sub(p.cl)
            .max(1);
        self.add("WR to RD, other rank", Write, READS, Scope::OtherRank, gap);
        let name = "WR to RD, pair";
        self.add(name, Write, READS, pair, c.pair_write_to_read);
        // tWTRA: the auto-precharge of an RDA, tRTP behind it, must not come before write recovery ends.
        let auto = b.write_recovery.saturating_sub(b.rtp).max(1);
        self.add("tWTRA", Write, &[Command::Rda], Scope::Bank, auto);
    }

    fn precharges(&mut self) {
        use BankEvent::{Activate, AutoClose, Close, Precharge, Read, Write};
        let b = self.basics;
        self.add("tRAS", Activate, PRECHARGES, Scope::Bank, b.ras);
        self.add("tRTP", Read, PRECHARGES, Scope::Bank, b.rtp);
        self.add("tWR", Write, PRECHARGES, Scope::Bank, b.write_recovery);
        let ppd = self.at(self.memory.parameters.ppd);
        self.add("tPPD", Precharge, PRECHARGES, Scope::Rank, ppd);
        self.add("tRP", Close, &[Command::Act], Scope::Bank, b.rp);
        self.add("tRP, auto", AutoClose, &[Command::Act], Scope::Bank, b.rp);
    }

    fn refreshes_of_all_banks(&mut self) {
        use BankEvent::{AutoClose, Close, ManageAll, RefreshAll};
        const REF: &[Command] = &[Command::RefAb, Command::RfmAb];
        let (p, rp) = (&self.memory.parameters, self.basics.rp);
        self.add("tRP to REFab", Close, REF, Scope::Bank, rp);
        self.add("tRP to REFab, auto", AutoClose, REF, Scope::Bank, rp);
        self.add(
            "tRFC",
            RefreshAll,
            NOT_IN_REFRESH,
            Scope::Rank,
            self.at(p.rfc),
        );
        if self.stacked() {
            let clocks = self.at(p.rfc_dlr);
            self.add("tRFC_dlr", RefreshAll, REF, Scope::OtherSlice, clocks);
        }
        if let Some(counted) = self.memory.controller.counted {
            self.add("tRFM", ManageAll, NOT_IN_REFRESH, Scope::Rank, counted.rfm);
            if self.stacked() {
                let (name, clocks) = ("tRFC_dlr from RFMab", self.at(p.rfc_dlr));
                self.add(name, ManageAll, REF, Scope::OtherSlice, clocks);
            }
        }
    }

    fn refreshes_of_sets(&mut self) {
        use BankEvent::{Activate, AutoClose, Close, ManageSame, RefreshSame};
        const ACT: &[Command] = &[Command::Act];
        const REF: &[Command] = &[Command::RefSb, Command::RfmSb];
        let (p, rp) = (&self.memory.parameters, self.basics.rp);
        let rfc = self.at(p.rfc_sb);
        self.add("tRP to REFsb", Close, REF, Scope::Bank, rp);
        self.add("tRP to REFsb, auto", AutoClose, REF, Scope::Bank, rp);
        self.add(
            "tRRD_L to REFsb",
            Activate,
            REF,
            Scope::Rank,
            self.at(p.rrd_l),
        );
        self.add("tRFCsb", RefreshSame, ACT, Scope::Bank, rfc);
        self.add(
            "tREFSBRD",
            RefreshSame,
            ACT,
            Scope::OtherSet,
            self.at(p.refsbrd),
        );
        self.add("tRFCsb to REFsb", RefreshSame, REF, Scope::Bank, rfc);
        let gap = self.at(p.refsb_gap);
        self.add("REFsb to REFsb", RefreshSame, REF, Scope::Rank, gap);
        let power_down = &[Command::Pde];
        self.add("tRFCsb to PDE", RefreshSame, power_down, Scope::Rank, rfc);
        if let Some(counted) = self.memory.controller.counted {
            self.add("tRFMsb", ManageSame, ACT, Scope::Bank, counted.rfm);
            self.add("tRFMsb to REFsb", ManageSame, REF, Scope::Rank, counted.rfm);
            self.add(
                "tRFMsb to PDE",
                ManageSame,
                power_down,
                Scope::Rank,
                counted.rfm,
            );
        }
    }

    fn power_down(&mut self) {
        use BankEvent::{Activate, AutoClose, PowerDown, PowerUp, Precharge, Read, Write};
        const PDE: &[Command] = &[Command::Pde];
        let (p, b) = (&self.memory.parameters, self.basics);
        let (act, pre) = (self.at(p.act_pden), self.at(p.pr_pden));
        self.add("tACTPDEN", Activate, PDE, Scope::Rank, act);
        self.add("tPRPDEN", Precharge, PDE, Scope::Rank, pre);
        self.add("tPRPDEN, auto", AutoClose, PDE, Scope::Rank, pre);
        self.add(
            "tRDPDEN",
            Read,
            PDE,
            Scope::Rank,
            b.read_end.saturating_add(1),
        );
        self.add(
            "tWRPDEN",
            Write,
            PDE,
            Scope::Rank,
            b.write_recovery.saturating_add(1),
        );
        self.add(
            "tPD",
            PowerDown,
            &[Command::Pdx],
            Scope::Rank,
            self.at(p.pd),
        );
        self.add("tXP", PowerUp, ALL_BUT_PDX, Scope::Rank, self.at(p.xp));
    }
}
