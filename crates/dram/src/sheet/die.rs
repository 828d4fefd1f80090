//! The sheet of a die: organisation, speed bins, timing rules, currents.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Current, Fraction, Quantity, Time, Voltage};
use wordline_core::{Figure, Sourced};

use super::problem::{DramSheetProblem, DramSheetProblems};
use super::rounding::Standard;
use super::rule::TimingRule;

/// A DRAM die with everything that its makers and its standard say of it: table `[dram]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "dram")]
pub struct Die {
    /// The standard that it follows, which also says how times are rounded.
    pub standard: Sourced<Standard>,
    /// What it holds.
    pub density: Figure<ByteCount>,
    /// Bank groups.
    pub groups: Sourced<u8>,
    /// Banks of a group.
    pub banks: Sourced<u8>,
    /// Beats of a burst.
    pub burst_length: Sourced<u8>,
    /// Clocks that ACT takes on the command bus, and RD and WR where they do not differ.
    pub command_clocks: Sourced<u8>,
    /// Clocks that RD and WR take there, where they differ from ACT's.
    pub column_clocks: Option<Sourced<u8>>,
    /// How far CWL lies below CL, in clocks.
    pub cwl_below_cl: Sourced<u32>,
    /// The widths that the die is bonded in.
    pub organization: Vec<Organization>,
    /// Speed bins, each at one data rate.
    pub bin: Vec<SpeedBin>,
    /// Timing rules that do not depend on the bin.
    pub rules: DieRules,
    /// VDD and VDDQ.
    pub vdd: Figure<Voltage>,
    /// VPP.
    pub vpp: Figure<Voltage>,
    /// Sets of currents: public ones contradict each other, so there may be several.
    pub currents: Vec<CurrentSet>,
}

/// A width of the data bus of a die.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Organization {
    /// Data lines: 4, 8, 16, or 32 of a pseudo-channel of HBM.
    pub width_bits: Sourced<u8>,
    /// Rows of a bank.
    pub rows: Sourced<u32>,
    /// Bytes of a row.
    pub page_bytes: Figure<ByteCount>,
    /// tCCD_L_WR, or tCCD_L_WR2 where a write is no read-modify-write: WR to WR, same bank.
    pub tccd_l_wr: TimingRule,
    /// The same, other bank of the group.
    pub tccd_m_wr: TimingRule,
    /// tFAW: first to fifth ACT of a rank. It depends on the page size.
    pub tfaw: TimingRule,
    /// tRRD_S: ACT to ACT, other bank group.
    pub trrd_s: TimingRule,
    /// tRRD_L: ACT to ACT, same bank group.
    pub trrd_l: TimingRule,
    /// IDD4R and IDD4W of this width as a share of those that the current sets state.
    pub idd4_share: Figure<Fraction>,
}

/// Latencies at one data rate.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedBin {
    /// Name of the bin; the same name may stand at several rates.
    pub name: String,
    /// Data rate in MT/s.
    pub rate_mts: u32,
    /// CL: RD to the first beat of its data (tAA).
    pub cl: TimingRule,
    /// tRCD: ACT to RD or WR.
    pub trcd: TimingRule,
    /// tRP: PRE to ACT or REF.
    pub trp: TimingRule,
}

/// Timing rules of a die.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DieRules {
    /// tRAS: ACT to PRE.
    pub tras: TimingRule,
    /// tRTP: RD to PRE.
    pub trtp: TimingRule,
    /// tWR: end of written data to PRE.
    pub twr: TimingRule,
    /// tCCD_S: RD to RD, other bank group.
    pub tccd_s: TimingRule,
    /// tCCD_M: RD to RD, other bank of the group.
    pub tccd_m: TimingRule,
    /// tCCD_L: RD to RD, same bank.
    pub tccd_l: TimingRule,
    /// tCCD_S_WR: WR to WR, other bank group.
    pub tccd_s_wr: TimingRule,
    /// tWTR_S: end of written data to RD, other bank group.
    pub twtr_s: TimingRule,
    /// tWTR_M: the same, other bank of the group.
    pub twtr_m: TimingRule,
    /// tWTR_L: the same, same bank.
    pub twtr_l: TimingRule,
    /// tPPD: PRE to PRE.
    pub tppd: TimingRule,
    /// tPD or tCKE: power-down entry to exit.
    pub tpd: TimingRule,
    /// tXP: power-down exit to the next command.
    pub txp: TimingRule,
    /// tACTPDEN and tPRPDEN: ACT or PRE to power-down entry.
    pub tpden: TimingRule,
    /// Idle clocks of the data bus between a read's burst and a write's, where the standard states them; what a
    /// controller says counts otherwise.
    pub rtw_gap: Option<TimingRule>,
    /// tREFI: mean distance of REFab, up to 85 °C.
    pub trefi: Figure<Time>,
    /// tRFC (tRFC1): REFab to the next command.
    pub trfc: TimingRule,
    /// What refreshing one bank of every group takes; without it the die cannot do that.
    pub same_bank: Option<SameBank>,
    /// Distances between the dies of a stack; without them the die cannot be stacked.
    pub stack: Option<StackRules>,
    /// Refresh management; without it the die cannot be managed.
    pub rfm: Option<ManagementRules>,
}

/// How a die counts the activations of its banks, and what RFM takes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManagementRules {
    /// RAAIMT: activations of a bank from which an RFM is due; it takes as many from the count.
    pub raaimt: Sourced<u32>,
    /// RAAMMT: activations of a bank after which it has no more before an RFM or a refresh.
    pub raammt: Sourced<u32>,
    /// What a refresh takes from the count.
    pub raadec: Sourced<u32>,
    /// tRFM: RFMab to the next command.
    pub trfm: TimingRule,
    /// tRFMsb: RFMsb to ACT of its banks; of dies with same-bank refresh.
    pub trfm_sb: Option<TimingRule>,
}

/// Rules of REFsb, which exists in fine-granularity mode.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SameBank {
    /// Mean distance of REFsb commands to a rank, up to 85 °C.
    pub trefi_sb: Figure<Time>,
    /// tRFCsb: REFsb to ACT of the refreshed banks.
    pub trfc_sb: TimingRule,
    /// tREFSBRD: REFsb to ACT of other banks.
    pub trefsbrd: TimingRule,
    /// Sets of banks that are refreshed in turn: as many as a group has banks where one bank of every group is
    /// refreshed (DDR5, and without this key), more for pairs of banks (LPDDR5X), as many as there are banks for single
    /// ones (HBM3).
    pub sets: Option<Sourced<u8>>,
    /// REFsb to REFsb of other banks: tpbR2pbR or tRREFD; without it tRFCsb.
    pub refsb_gap: Option<TimingRule>,
}

/// Rules between logical ranks of a 3DS stack.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackRules {
    /// tRRD_dlr: ACT to ACT.
    pub trrd_dlr: TimingRule,
    /// tFAW_dlr: first to fifth ACT of the stack.
    pub tfaw_dlr: TimingRule,
    /// tRFC_dlr: REFab to REFab.
    pub trfc_dlr: TimingRule,
}

/// Currents of a die, of VDD with VDDQ unless it says VPP.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurrentSet {
    /// Name of the set.
    pub name: String,
    /// Data rate at which IDD4R and IDD4W were measured, in MT/s.
    pub rate_mts: Sourced<u32>,
    /// Share of what open banks draw, IDD3N − IDD2N, that flows as soon as one is open.
    pub open_share: Figure<Fraction>,
    /// IDD0: one bank opens and closes a row every tRC.
    pub idd0: Figure<Current>,
    /// IDD2P: powered down, every bank closed.
    pub idd2p: Figure<Current>,
    /// IDD2N: every bank closed.
    pub idd2n: Figure<Current>,
    /// IDD3P: powered down, banks open.
    pub idd3p: Figure<Current>,
    /// IDD3N: every bank open.
    pub idd3n: Figure<Current>,
    /// IDD4R: read bursts one after the other.
    pub idd4r: Figure<Current>,
    /// IDD4W: write bursts one after the other.
    pub idd4w: Figure<Current>,
    /// IDD5B: REFab every tRFC.
    pub idd5b: Figure<Current>,
    /// IDD5C: REFsb every tRFCsb.
    pub idd5c: Option<Figure<Current>>,
    /// IPP at rest, and whenever nothing else is stated.
    pub ipp: Figure<Current>,
    /// IPP0: the same while one bank opens and closes a row every tRC; without it as at rest.
    pub ipp0: Option<Figure<Current>>,
    /// IPP5B: the same while every bank is refreshed.
    pub ipp5b: Figure<Current>,
}

/// Largest count of rows that an address can have.
const ROWS_MAX: u32 = 1 << 20;

/// No die draws more.
const CURRENT_MAX: f64 = 10.0;

impl Die {
    /// The organisation of a width, if the die has it.
    #[must_use]
    pub fn organization(&self, width_bits: u8) -> Option<&Organization> {
        let mut all = self.organization.iter();
        all.find(|one| *one.width_bits.value() == width_bits)
    }

    /// Clocks that RD and WR take on the command bus.
    #[must_use]
    pub fn column_clocks(&self) -> &Sourced<u8> {
        self.column_clocks.as_ref().unwrap_or(&self.command_clocks)
    }

    /// Sets of banks that REFsb refreshes in turn.
    #[must_use]
    pub fn refresh_sets(&self) -> u8 {
        let sets = self
            .rules
            .same_bank
            .as_ref()
            .and_then(|of| of.sets.as_ref());
        *sets.unwrap_or(&self.banks).value()
    }

    /// The speed bin of a name at a data rate, if the die has it.
    #[must_use]
    pub fn bin(&self, name: &str, rate_mts: u32) -> Option<&SpeedBin> {
        let mut all = self.bin.iter();
        all.find(|bin| bin.name == name && bin.rate_mts == rate_mts)
    }

    /// What contradicts itself or physics in the sheet.
    #[must_use]
    pub fn problems(&self) -> Vec<DramSheetProblem> {
        let mut problems = DramSheetProblems::default();
        self.check_shape(&mut problems);
        for (index, organization) in self.organization.iter().enumerate() {
            let mut found = DramSheetProblems::default();
            self.check_organization(organization, &mut found);
            problems.nest(&format!("organization.{index}"), found);
        }
        for (index, bin) in self.bin.iter().enumerate() {
            let mut found = DramSheetProblems::default();
            bin.check(self, &mut found);
            problems.nest(&format!("bin.{index}"), found);
        }
        let mut found = DramSheetProblems::default();
        self.rules.check(&mut found);
        problems.nest("rules", found);
        for (index, set) in self.currents.iter().enumerate() {
            let mut found = DramSheetProblems::default();
            set.check(&mut found);
            if self.rules.same_bank.is_some() && set.idd5c.is_none() {
                found.add(
                    "name",
                    "a die with [dram.rules.same_bank] needs idd5c in every set",
                );
            }
            if self.currents[..index]
                .iter()
                .any(|other| other.name == set.name)
            {
                found.add("name", format!("{:?} names another set already", set.name));
            }
            problems.nest(&format!("currents.{index}"), found);
        }
        problems.list
    }

    fn check_shape(&self, problems: &mut DramSheetProblems) {
        problems.up_to("density", &self.density, ByteCount::from_bytes(1 << 35));
        problems.within("groups", (*self.groups.value()).into(), 1, 16);
        problems.within("banks", (*self.banks.value()).into(), 1, 16);
        problems.within("burst_length", (*self.burst_length.value()).into(), 8, 16);
        if !self.burst_length.value().is_power_of_two() {
            problems.add("burst_length", "allowed: 8 or 16");
        }
        problems.within(
            "command_clocks",
            (*self.command_clocks.value()).into(),
            1,
            2,
        );
        if let Some(clocks) = &self.column_clocks {
            problems.within("column_clocks", (*clocks.value()).into(), 1, 2);
        }
        problems.within("cwl_below_cl", (*self.cwl_below_cl.value()).into(), 0, 32);
        if let Some(sets) = self
            .rules
            .same_bank
            .as_ref()
            .and_then(|of| of.sets.as_ref())
        {
            let (sets, per_group) = (u16::from(*sets.value()), u16::from(*self.banks.value()));
            let banks = per_group * u16::from(*self.groups.value());
            if sets == 0 || !sets.is_multiple_of(per_group.max(1)) || !banks.is_multiple_of(sets) {
                problems.add(
                    "rules.same_bank.sets",
                    format!("{sets} sets do not divide {banks} banks in groups of {per_group}; allowed: a multiple of the banks of a group that divides the banks"),
                );
            }
        }
        problems.up_to("vdd", &self.vdd, Voltage::from_si(5.0));
        problems.up_to("vpp", &self.vpp, Voltage::from_si(5.0));
        for (key, missing) in [
            ("organization", self.organization.is_empty()),
            ("bin", self.bin.is_empty()),
            ("currents", self.currents.is_empty()),
        ] {
            if missing {
                problems.add(key, "at least one is needed");
            }
        }
    }

    fn check_organization(&self, organization: &Organization, problems: &mut DramSheetProblems) {
        let width = *organization.width_bits.value();
        if !matches!(width, 4 | 8 | 16 | 32) {
            problems.add("width_bits", "allowed: 4, 8, 16, 32");
        }
        let rows = *organization.rows.value();
        problems.within("rows", rows.into(), 1, ROWS_MAX.into());
        let most = ByteCount::from_bytes(4096);
        problems.up_to("page_bytes", &organization.page_bytes, most);
        let page = organization.page_bytes.nominal().bytes();
        if !page.is_power_of_two() || page < 256 {
            problems.add("page_bytes", "allowed: a power of two from 256 B to 4 KiB");
        }
        let banks = u64::from(*self.groups.value()) * u64::from(*self.banks.value());
        let bytes = u128::from(banks) * u128::from(rows) * u128::from(page);
        let density = self.density.nominal();
        if bytes != u128::from(density.bytes()) {
            let message = format!(
                "{banks} banks of {rows} rows of {page} B are {bytes} B; the density is {} B",
                density.bytes()
            );
            problems.add("rows", message);
        }
        let share = organization.idd4_share.nominal();
        problems.up_to(
            "idd4_share",
            &organization.idd4_share,
            Fraction::from_si(2.0),
        );
        if share.si() < 0.01 {
            problems.add("idd4_share", "allowed: from 1 % to 200 %");
        }
        for (key, rule) in organization.rules() {
            rule.check(key, problems);
        }
    }
}

impl Organization {
    /// Every rule, by its key.
    fn rules(&self) -> [(&'static str, &TimingRule); 5] {
        [
            ("tccd_l_wr", &self.tccd_l_wr),
            ("tccd_m_wr", &self.tccd_m_wr),
            ("tfaw", &self.tfaw),
            ("trrd_s", &self.trrd_s),
            ("trrd_l", &self.trrd_l),
        ]
    }
}

impl SpeedBin {
    fn check(&self, die: &Die, problems: &mut DramSheetProblems) {
        problems.within("rate_mts", self.rate_mts.into(), 800, 10_000);
        for (key, rule) in [("cl", &self.cl), ("trcd", &self.trcd), ("trp", &self.trp)] {
            rule.check(key, problems);
        }
        let same = |bin: &&Self| bin.name == self.name && bin.rate_mts == self.rate_mts;
        if die.bin.iter().filter(same).count() > 1 {
            let message = format!("bin {:?} stands twice at {} MT/s", self.name, self.rate_mts);
            problems.add("name", message);
        }
        let below = *die.cwl_below_cl.value();
        let cl = self.cl.clocks(*die.standard.value(), self.rate_mts);
        if cl <= below {
            problems.add("cl", format!("{cl} clocks leave no CWL {below} below"));
        }
    }
}

impl DieRules {
    /// Every rule that a die must have, by its key.
    fn all(&self) -> [(&'static str, &TimingRule); 15] {
        [
            ("tras", &self.tras),
            ("trtp", &self.trtp),
            ("twr", &self.twr),
            ("tccd_s", &self.tccd_s),
            ("tccd_m", &self.tccd_m),
            ("tccd_l", &self.tccd_l),
            ("tccd_s_wr", &self.tccd_s_wr),
            ("twtr_s", &self.twtr_s),
            ("twtr_m", &self.twtr_m),
            ("twtr_l", &self.twtr_l),
            ("tppd", &self.tppd),
            ("tpd", &self.tpd),
            ("txp", &self.txp),
            ("tpden", &self.tpden),
            ("trfc", &self.trfc),
        ]
    }

    fn check(&self, problems: &mut DramSheetProblems) {
        for (key, rule) in self.all() {
            rule.check(key, problems);
        }
        if let Some(rule) = &self.rtw_gap {
            rule.check("rtw_gap", problems);
        }
        let interval = |key: &str,
                        figure: &Figure<Time>,
                        rfc: &TimingRule,
                        problems: &mut DramSheetProblems| {
            problems.up_to(key, figure, Time::from_ps(1_000_000_000));
            let shortest = rfc.time().unwrap_or(Time::ZERO);
            // Above 85 °C refreshes come twice as often; they must still leave time for something else.
            if figure.least().ps() <= shortest.ps().saturating_mul(2) {
                problems.add(
                    key,
                    format!("allowed: more than twice what a refresh takes, {shortest}"),
                );
            }
        };
        interval("trefi", &self.trefi, &self.trfc, problems);
        if let Some(same_bank) = &self.same_bank {
            let mut found = DramSheetProblems::default();
            same_bank.trfc_sb.check("trfc_sb", &mut found);
            same_bank.trefsbrd.check("trefsbrd", &mut found);
            if let Some(rule) = &same_bank.refsb_gap {
                rule.check("refsb_gap", &mut found);
            }
            interval(
                "trefi_sb",
                &same_bank.trefi_sb,
                same_bank.refsb_gap.as_ref().unwrap_or(&same_bank.trfc_sb),
                &mut found,
            );
            problems.nest("same_bank", found);
        }
        if let Some(rfm) = &self.rfm {
            let mut found = DramSheetProblems::default();
            rfm.check(self.same_bank.is_some(), &mut found);
            problems.nest("rfm", found);
        }
        if let Some(stack) = &self.stack {
            stack.trrd_dlr.check("stack.trrd_dlr", problems);
            stack.tfaw_dlr.check("stack.tfaw_dlr", problems);
            stack.trfc_dlr.check("stack.trfc_dlr", problems);
        }
    }
}

impl ManagementRules {
    fn check(&self, same_bank: bool, problems: &mut DramSheetProblems) {
        let (least, most) = (*self.raaimt.value(), *self.raammt.value());
        problems.within("raaimt", least.into(), 2, 1 << 20);
        problems.within("raammt", most.into(), least.into(), 1 << 20);
        problems.within("raadec", (*self.raadec.value()).into(), 0, most.into());
        self.trfm.check("trfm", problems);
        if let Some(rule) = &self.trfm_sb {
            rule.check("trfm_sb", problems);
        }
        if same_bank && self.trfm_sb.is_none() {
            problems.add("trfm_sb", "a die with [dram.rules.same_bank] needs it");
        }
    }
}

impl CurrentSet {
    fn check(&self, problems: &mut DramSheetProblems) {
        if self.name.trim().is_empty() {
            problems.add("name", "the text is empty");
        }
        problems.within("rate_mts", (*self.rate_mts.value()).into(), 800, 10_000);
        problems.up_to("open_share", &self.open_share, Fraction::from_si(1.0));
        for (key, figure) in self.all() {
            problems.up_to(key, figure, Current::from_si(CURRENT_MAX));
        }
        let rising = [
            ("idd3n", &self.idd2n, &self.idd3n),
            ("idd3p", &self.idd2p, &self.idd3p),
            ("idd4r", &self.idd3n, &self.idd4r),
            ("idd4w", &self.idd3n, &self.idd4w),
            ("idd5b", &self.idd2n, &self.idd5b),
            (
                "idd5c",
                &self.idd2n,
                self.idd5c.as_ref().unwrap_or(&self.idd2n),
            ),
            ("ipp0", &self.ipp, self.ipp0.as_ref().unwrap_or(&self.ipp)),
            ("ipp5b", &self.ipp, &self.ipp5b),
        ];
        for (key, low, high) in rising {
            if low.most().si() > high.most().si() {
                let message = format!(
                    "{} is below the idle current of the same state, {}",
                    high.most(),
                    low.most()
                );
                problems.add(key, message);
            }
        }
    }

    /// Every current, by its key.
    fn all(&self) -> impl Iterator<Item = (&'static str, &Figure<Current>)> {
        let stated = [
            ("idd0", &self.idd0),
            ("idd2p", &self.idd2p),
            ("idd2n", &self.idd2n),
            ("idd3p", &self.idd3p),
            ("idd3n", &self.idd3n),
            ("idd4r", &self.idd4r),
            ("idd4w", &self.idd4w),
            ("idd5b", &self.idd5b),
            ("ipp", &self.ipp),
            ("ipp5b", &self.ipp5b),
        ];
        stated
            .into_iter()
            .chain(self.idd5c.iter().map(|figure| ("idd5c", figure)))
            .chain(self.ipp0.iter().map(|figure| ("ipp0", figure)))
    }
}
