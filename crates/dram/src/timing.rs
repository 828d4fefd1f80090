//! The timing rules of one sub-channel as whole clocks.

/// Least distances between commands, in clocks of the DRAM (nCK), as the tables of `DESIGN.md` use them. A sheet's
/// (nCK, ns) rules are rounded into these once, when a module is connected to a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// CL: RD to the first beat of its data.
    pub cl: u32,
    /// CWL: WR to the first beat of its data.
    pub cwl: u32,
    /// Clocks that a burst takes on the DRAM's data bus: half the burst length.
    pub burst: u32,
    /// tRCD: ACT to RD or WR.
    pub rcd: u32,
    /// tRP: PRE to ACT or REF.
    pub rp: u32,
    /// tRAS: ACT to PRE.
    pub ras: u32,
    /// tRC: ACT to ACT of a bank.
    pub rc: u32,
    /// tRTP: RD to PRE.
    pub rtp: u32,
    /// tWR: end of written data to PRE.
    pub wr: u32,
    /// tCCD_S: RD to RD, other bank group.
    pub ccd_s: u32,
    /// tCCD_M: RD to RD, other bank of the group.
    pub ccd_m: u32,
    /// tCCD_L: RD to RD, same bank.
    pub ccd_l: u32,
    /// tCCD_S_WR: WR to WR, other bank group.
    pub ccd_s_wr: u32,
    /// tCCD_M_WR: WR to WR, other bank of the group.
    pub ccd_m_wr: u32,
    /// tCCD_L_WR or tCCD_L_WR2: WR to WR, same bank.
    pub ccd_l_wr: u32,
    /// tWTR_S: end of written data to RD, other bank group.
    pub wtr_s: u32,
    /// tWTR_M: the same, other bank of the group.
    pub wtr_m: u32,
    /// tWTR_L: the same, same bank.
    pub wtr_l: u32,
    /// RD to WR in the same physical rank.
    pub rtw: u32,
    /// tRRD_S: ACT to ACT, other bank group.
    pub rrd_s: u32,
    /// tRRD_L: ACT to ACT, same bank group.
    pub rrd_l: u32,
    /// tFAW: first to fifth ACT of a rank.
    pub faw: u32,
    /// tPPD: PRE to PRE of a rank.
    pub ppd: u32,
    /// tRRD_dlr: ACT to ACT, other logical rank of the stack.
    pub rrd_dlr: u32,
    /// tFAW_dlr: first to fifth ACT of a stack.
    pub faw_dlr: u32,
    /// Idle clocks on the data bus between bursts of different physical ranks.
    pub rank_gap: u32,
    /// Least distance of reads, or of writes, on the two pseudo-channels of a pair.
    pub pair_burst: u32,
    /// RD to WR on the other pseudo-channel.
    pub pair_rtw: u32,
    /// WR to RD on the other pseudo-channel.
    pub pair_wtr: u32,
    /// tREFI: mean distance of REFab commands to a rank.
    pub refi: u32,
    /// tRFC: REFab to the next ACT or REF of the rank.
    pub rfc: u32,
    /// tRFC_dlr: REFab to REFab, other logical rank of the stack.
    pub rfc_dlr: u32,
    /// Mean distance of REFsb commands to a rank.
    pub refi_sb: u32,
    /// tRFCsb: REFsb to ACT of the refreshed banks, or to the next REFsb of the same.
    pub rfc_sb: u32,
    /// REFsb to REFsb of other banks of the rank: tRFCsb in DDR5, tpbR2pbR in LPDDR5X, tRREFD in HBM3.
    pub refsb_gap: u32,
    /// tREFSBRD: REFsb to ACT of other banks.
    pub refsbrd: u32,
    /// tPD: power-down entry to exit.
    pub pd: u32,
    /// tXP: power-down exit to the next command.
    pub xp: u32,
    /// tACTPDEN, tPRPDEN: ACT or PRE to power-down entry.
    pub pden: u32,
    /// Clocks of the command bus that ACT takes.
    pub long_command: u32,
    /// Clocks of the command bus that RD, RDA, WR and WRA take. All others take one.
    pub column_command: u32,
}

impl Timing {
    /// Every rule, in the order of the fields.
    #[must_use]
    pub fn all(&self) -> [u32; 41] {
        [
            self.cl,
            self.cwl,
            self.burst,
            self.rcd,
            self.rp,
            self.ras,
            self.rc,
            self.rtp,
            self.wr,
            self.ccd_s,
            self.ccd_m,
            self.ccd_l,
            self.ccd_s_wr,
            self.ccd_m_wr,
            self.ccd_l_wr,
            self.wtr_s,
            self.wtr_m,
            self.wtr_l,
            self.rtw,
            self.rrd_s,
            self.rrd_l,
            self.faw,
            self.ppd,
            self.rrd_dlr,
            self.faw_dlr,
            self.rank_gap,
            self.pair_burst,
            self.pair_rtw,
            self.pair_wtr,
            self.refi,
            self.rfc,
            self.rfc_dlr,
            self.refi_sb,
            self.rfc_sb,
            self.refsb_gap,
            self.refsbrd,
            self.pd,
            self.xp,
            self.pden,
            self.long_command,
            self.column_command,
        ]
    }
}
