//! What a command trace is checked against: the memory, and what its controller promises beyond the standard.

use std::num::NonZeroU32;

use super::rounding::{CheckedClock, ClockPair};

/// Banks of a sub-channel, as far as commands address them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankShape {
    /// 1 on an RDIMM; 2 on an MRDIMM.
    pub pseudo_channels: u8,
    /// Logical ranks of a pseudo-channel.
    pub ranks: u8,
    /// Logical ranks of a physical rank: dies of a 3DS stack, else 1.
    pub slices: u8,
    /// Bank groups of a rank.
    pub groups: u8,
    /// Banks of a group; at most 32.
    pub banks: u8,
    /// Sets of banks that REFsb refreshes in turn, at most 32: the set of a bank is its number in the rank, group by
    /// group, modulo this.
    pub refresh_sets: u8,
}

impl BankShape {
    /// The set of a bank for REFsb.
    pub(super) fn set(&self, group: u8, bank: u8) -> u8 {
        let number = u16::from(group) * u16::from(self.banks) + u16::from(bank);
        (number % u16::from(self.refresh_sets.max(1))) as u8
    }
}

/// Timing parameters of a device: from [`DeviceGrade::parameters`](super::DeviceGrade::parameters), or a caller's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Beats of data in a clock: 2 of DDR5, 4 of HBM3, 8 of LPDDR5X.
    pub beats: u32,
    /// Whether rounding to clocks forgives 0.3 % of a time, as JESD79-5 has it.
    pub forgiving: bool,
    /// Bursts that a line of 64 bytes takes. A trace has one column command for all of them: the first is where it
    /// stands, and the others follow at tCCD_L.
    pub bursts: u32,
    /// CL in clocks, as the mode register holds it.
    pub cl: u32,
    /// CWL in clocks.
    pub cwl: u32,
    /// Clocks of a burst: the burst length by the beats of a clock.
    pub burst: u32,
    /// Command bus clocks of ACT.
    pub long_command: u32,
    /// Command bus clocks of RD, RDA, WR and WRA.
    pub column_command: u32,
    /// tRCD.
    pub rcd: ClockPair,
    /// tRP.
    pub rp: ClockPair,
    /// tRAS.
    pub ras: ClockPair,
    /// tRC, where it is longer than tRAS + tRP; else it is their sum.
    pub rc: ClockPair,
    /// tRTP.
    pub rtp: ClockPair,
    /// tWR.
    pub wr: ClockPair,
    /// tCCD_S: other bank group.
    pub ccd_s: ClockPair,
    /// tCCD_M: other bank of the group.
    pub ccd_m: ClockPair,
    /// tCCD_L: same bank.
    pub ccd_l: ClockPair,
    /// tCCD_S_WR.
    pub ccd_s_wr: ClockPair,
    /// tCCD_M_WR.
    pub ccd_m_wr: ClockPair,
    /// tCCD_L_WR, or tCCD_L_WR2 where no write is a read-modify-write.
    pub ccd_l_wr: ClockPair,
    /// tWTR_S, from the end of the written data.
    pub wtr_s: ClockPair,
    /// tWTR_M.
    pub wtr_m: ClockPair,
    /// tWTR_L.
    pub wtr_l: ClockPair,
    /// tRRD_S.
    pub rrd_s: ClockPair,
    /// tRRD_L.
    pub rrd_l: ClockPair,
    /// tFAW.
    pub faw: ClockPair,
    /// tPPD.
    pub ppd: ClockPair,
    /// tRRD_dlr: other logical rank of a stack.
    pub rrd_dlr: ClockPair,
    /// tFAW_dlr: whole stack.
    pub faw_dlr: ClockPair,
    /// tREFI in picoseconds: a greatest mean.
    pub refi_ps: u64,
    /// tRFC of REFab.
    pub rfc: ClockPair,
    /// tRFC_dlr.
    pub rfc_dlr: ClockPair,
    /// Greatest mean distance of REFsb commands to a rank in picoseconds.
    pub refi_sb_ps: u64,
    /// tRFCsb.
    pub rfc_sb: ClockPair,
    /// REFsb to REFsb of other banks of the rank.
    pub refsb_gap: ClockPair,
    /// tREFSBRD.
    pub refsbrd: ClockPair,
    /// tPD.
    pub pd: ClockPair,
    /// tXP.
    pub xp: ClockPair,
    /// tACTPDEN.
    pub act_pden: ClockPair,
    /// tPRPDEN.
    pub pr_pden: ClockPair,
}

/// Which refresh commands a rank is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshMode {
    /// None; no real memory works so.
    Off,
    /// REFab every tREFI.
    AllBank,
    /// REFsb for each set of banks in turn, in fine-granularity mode.
    SameBank,
}

/// What a device asks for that has to be managed: it counts the ACTs of every bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedActivations {
    /// RAAIMT: what an RFM takes from the count.
    pub less_by_rfm: u32,
    /// What a refresh takes from it.
    pub less_by_refresh: u32,
    /// RAAMMT: the most that a bank may count.
    pub most: u32,
    /// tRFM of RFMab, or tRFMsb of RFMsb, in clocks.
    pub rfm: u32,
}

/// What no JEDEC rule says, and a controller settles. Clocks of the DRAM. The distances of pairs are 0 without data
/// buffers; with them [`behind`](Self::behind) reckons them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControllerRules {
    /// Idle clocks on the data bus between bursts of different physical ranks.
    pub rank_gap: u32,
    /// Idle clocks on the data bus from read to written data.
    pub read_to_write_gap: u32,
    /// Least distance of reads, or of writes, on the two pseudo-channels.
    pub pair_burst: u32,
    /// RD to WR on the other pseudo-channel.
    pub pair_read_to_write: u32,
    /// WR to RD on the other pseudo-channel.
    pub pair_write_to_read: u32,
    /// Whether the pseudo-channels share one command bus.
    pub shared_commands: bool,
    /// Which refreshes a rank is owed. When in its first interval a rank's first one falls due is free.
    pub refresh: RefreshMode,
    /// Refreshes that may be put off. One more may be owed while the rank is made ready for it.
    pub postponed_max: u32,
    /// Refreshes that may be done before they fall due.
    pub ahead_max: u32,
    /// What the devices count, where they have to be managed: by RFMab where REFab refreshes, else by RFMsb.
    pub counted: Option<CountedActivations>,
}

/// A sub-channel to be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedChannel {
    /// Data rate of the DRAM in MT/s; on an MRDIMM half of the host's.
    pub data_rate_mts: u32,
    /// Banks.
    pub shape: BankShape,
    /// The device's parameters.
    pub parameters: Parameters,
    /// The controller's.
    pub controller: ControllerRules,
}

/// A description that no memory can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckedChannelError {
    /// A number lies outside what is allowed.
    #[error("{what} is {value}; allowed: {min} to {max}")]
    Range {
        /// The field.
        what: &'static str,
        /// What it says.
        value: u64,
        /// Least.
        min: u64,
        /// Greatest.
        max: u64,
    },
    /// Stacks do not come out even.
    #[error("{ranks} ranks are no multiple of {slices} slices")]
    Slices {
        /// Logical ranks.
        ranks: u8,
        /// Slices of a stack.
        slices: u8,
    },
}

impl CheckedChannel {
    /// Checks the description and returns its clock.
    pub(super) fn clock(&self) -> Result<CheckedClock, CheckedChannelError> {
        let shape = &self.shape;
        let in_range = |what, value: u64, min, max| {
            if (min..=max).contains(&value) {
                Ok(())
            } else {
                Err(CheckedChannelError::Range {
                    what,
                    value,
                    min,
                    max,
                })
            }
        };
        in_range("pseudo_channels", shape.pseudo_channels.into(), 1, 2)?;
        in_range("ranks", shape.ranks.into(), 1, 64)?;
        in_range("slices", shape.slices.into(), 1, 64)?;
        in_range("groups", shape.groups.into(), 1, 64)?;
        in_range("banks", shape.banks.into(), 1, 32)?;
        in_range("refresh_sets", shape.refresh_sets.into(), 1, 32)?;
        in_range("beats", self.parameters.beats.into(), 1, 16)?;
        in_range("bursts", self.parameters.bursts.into(), 1, 4)?;
        if !shape.ranks.is_multiple_of(shape.slices) {
            return Err(CheckedChannelError::Slices {
                ranks: shape.ranks,
                slices: shape.slices,
            });
        }
        let rate = self.data_rate_mts;
        in_range("data_rate_mts", rate.into(), 100, 100_000)?;
        let nonzero = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        let clock = CheckedClock {
            data_rate_mts: nonzero(rate),
            beats: nonzero(self.parameters.beats),
            forgiving: self.parameters.forgiving,
        };
        let interval_ps = match self.controller.refresh {
            RefreshMode::Off => return Ok(clock),
            RefreshMode::AllBank => self.parameters.refi_ps,
            RefreshMode::SameBank => self.parameters.refi_sb_ps,
        };
        in_range("refresh interval (ps)", interval_ps, 20_000, 1 << 40)?;
        Ok(clock)
    }
}
