//! What the independent checker holds a connected module against.

use super::{BeatReturn, Connected};
use crate::checker::{
    BankShape, BufferRules, CheckedChannel, ControllerRules, CountedActivations, Parameters,
    RefreshMode,
};
use crate::config::Refresh;

impl Connected {
    /// A sub-channel as the checker describes it. What the device asks for comes from `parameters` alone, and every
    /// distance is reckoned from those, the gaps and the delays of buffers: no clock of the engine's timing is taken.
    /// Refreshes fall due `refresh_rate` times as often as the parameters have it: twice above 85 °C.
    #[must_use]
    pub fn checked(&self, mut parameters: Parameters, refresh_rate: u32) -> CheckedChannel {
        let config = &self.config.sub_channel;
        let (of, policy, gaps) = (&config.geometry, &config.policy, self.turnarounds);
        let rate = config.clock.data_rate_mts;
        let often = u64::from(refresh_rate.max(1));
        parameters.refi_ps /= often;
        parameters.refi_sb_ps /= often;
        let direct = ControllerRules {
            rank_gap: gaps.rank_gap,
            read_to_write_gap: gaps.rtw_gap,
            pair_burst: 0,
            pair_read_to_write: 0,
            pair_write_to_read: 0,
            shared_commands: policy.shared_commands,
            refresh: match policy.refresh {
                Refresh::Off => RefreshMode::Off,
                Refresh::AllBank => RefreshMode::AllBank,
                Refresh::SameBank => RefreshMode::SameBank,
            },
            postponed_max: policy.refresh_postponed_max,
            ahead_max: policy.refresh_pulled_in_max,
            counted: policy.rfm.map(|rfm| CountedActivations {
                less_by_rfm: rfm.raaimt,
                less_by_refresh: rfm.raadec,
                most: rfm.raammt,
                rfm: rfm.clocks,
            }),
        };
        let controller = gaps.buffers.map_or(direct, |buffers| {
            let buffers = BufferRules {
                read_delay_ps: buffers.read_delay.ps(),
                write_delay_ps: buffers.write_delay.ps(),
                sequential: buffers.beat_return == BeatReturn::Sequential,
            };
            direct.behind(&buffers, &parameters, rate)
        });
        CheckedChannel {
            data_rate_mts: rate,
            shape: BankShape {
                pseudo_channels: of.pseudo_channels,
                ranks: of.ranks,
                slices: of.slices,
                groups: of.groups,
                banks: of.banks,
                refresh_sets: of.refresh_sets,
            },
            controller,
            parameters,
        }
    }
}
