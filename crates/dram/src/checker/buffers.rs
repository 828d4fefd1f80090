//! What the data buffers of an MRDIMM ask of commands, reckoned from when data are on the host's bus.

use super::memory::{ControllerRules, Parameters};

/// The data buffers of an MRDIMM, and how they use the host's bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRules {
    /// From a beat at the DRAM to the same beat at the host, in picoseconds.
    pub read_delay_ps: u64,
    /// From a beat at the host to the same beat at the DRAM, in picoseconds.
    pub write_delay_ps: u64,
    /// Whether the bursts of the two pseudo-channels follow each other on the host's bus; else their beats alternate.
    pub sequential: bool,
}

impl ControllerRules {
    /// The same controller in front of data buffers. Its gaps are kept on the host's bus as well, in clocks of the
    /// host, which are half as long as the DRAM's:
    ///
    /// - RD to WR, whichever the pseudo-channels: written data begin at the host CWL − `write_delay` behind WR, read
    ///   data end there CL + burst + `read_delay` behind RD. Within a pseudo-channel that widens
    ///   [`read_to_write_gap`](Self::read_to_write_gap).
    /// - WR to RD of the other pseudo-channel: the same the other way round, with the gap between ranks.
    /// - Bursts of one direction: half a burst apart where they follow each other, since the host's bus is twice as
    ///   fast; no distance where beats alternate.
    ///
    /// Sums are made in clocks of the host and rounded once, up, to clocks of the DRAM. To delays the guard of 0.3 % of
    /// JEDEC's rounding is granted.
    #[must_use]
    pub fn behind(self, buffers: &BufferRules, of: &Parameters, data_rate_mts: u32) -> Self {
        let both = u128::from(buffers.read_delay_ps) + u128::from(buffers.write_delay_ps);
        let rate = u128::from(data_rate_mts);
        // A clock of the host is 10^6 / rate picoseconds.
        let guarded = (both * 997 * rate).div_ceil(1_000_000_000);
        let at_most = both * rate / 1_000_000;
        let whole = |host_clocks: i128| {
            let clocks = host_clocks.max(0).unsigned_abs().div_ceil(2);
            u32::try_from(clocks).unwrap_or(u32::MAX)
        };
        let host = |dram: u32| i128::from(dram) * 2;
        let signed = |clocks: u128| i128::try_from(clocks).unwrap_or(i128::MAX / 4);
        let read_end = host(of.cl) + host(of.burst);
        let write_end = host(of.cwl) + host(of.burst);
        let later = signed(guarded) + i128::from(self.read_to_write_gap);
        let earlier = i128::from(self.rank_gap) - signed(at_most);
        Self {
            read_to_write_gap: self.read_to_write_gap.max(whole(later)),
            pair_burst: if buffers.sequential {
                of.burst.div_ceil(2)
            } else {
                0
            },
            pair_read_to_write: whole(read_end + later - host(of.cwl)).max(1),
            pair_write_to_read: whole(write_end + earlier - host(of.cl)).max(1),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BinGrade, Density, DeviceGrade, RefreshMode, Width};
    use super::*;

    const DIRECT: ControllerRules = ControllerRules {
        rank_gap: 2,
        read_to_write_gap: 4,
        pair_burst: 0,
        pair_read_to_write: 0,
        pair_write_to_read: 0,
        shared_commands: false,
        refresh: RefreshMode::AllBank,
        postponed_max: 0,
        ahead_max: 0,
        counted: None,
    };

    /// By hand at 4400 MT/s, bin B: CL 36, CWL 34, clocks of 454.5 ps and of 227.3 ps at the host.
    #[test]
    fn distances_on_the_hosts_bus_are_those_reckoned_by_hand() {
        let part = DeviceGrade {
            data_rate_mts: 4400,
            density: Density::Gb16,
            width: Width::X4,
            bin: BinGrade::B,
        };
        let parameters = part.parameters().expect("a rate with bins");
        let behind = |read_delay_ps, write_delay_ps, sequential| {
            let buffers = BufferRules {
                read_delay_ps,
                write_delay_ps,
                sequential,
            };
            let c = DIRECT.behind(&buffers, &parameters, 4400);
            let pair = (c.pair_burst, c.pair_read_to_write, c.pair_write_to_read);
            (pair, c.read_to_write_gap)
        };
        // 4 ns are 17.6 clocks of the host: 18 + 4 are 11 of the DRAM, and 2 + 8 + 11 = 21. -2 + 8 + 1 - 8.5 < 1.
        assert_eq!(behind(2000, 2000, false), ((0, 21, 1), 11));
        // No delay: 2 + 8 + 2 between the pseudo-channels, the DRAM's own gap of 4 within one; -2 + 8 + 1 = 7.
        assert_eq!(behind(0, 0, true), ((4, 12, 7), 4));
        // 1 ns is 4.4 clocks of the host: 5 + 4 are 4.5 of the DRAM, rounded up; -2 + 8 + 1 - 2 = 5.
        assert_eq!(behind(1000, 0, true), ((4, 15, 5), 5));
        assert_eq!(behind(u64::MAX, u64::MAX, true).0.2, 1);
    }
}
