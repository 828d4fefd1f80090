//! Random but legal configurations and request streams.

use wordline_dram::{
    ChannelGeometry, ClockDomain, Location, PagePolicy, Policy, Refresh, RefreshManagement,
    Request, RequestKind, SameBankOrder, SubChannelConfig, Timing,
};

use wordline_dram::scheduler::SchedulerName;

use super::{Dice, ddr5_4400, ddr5_6400, hbm3_6400, lpddr5x_8533};

/// Requests, and what is done with the sub-channel between them. All of it comes from one seed.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) config: SubChannelConfig,
    pub(crate) phases: Vec<Phase>,
}

/// A stream, run to a clock and flushed. Times count from the clock at which the phase begins.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) requests: Vec<Request>,
    /// No request arrives after it.
    pub(crate) run: u64,
    pub(crate) flush: bool,
}

impl Case {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let config = config(&mut dice);
        let count = dice.between(1, 3);
        let phases = (0..count)
            .map(|number| phase(&mut dice, &config.geometry, number, count))
            .collect();
        Self {
            seed,
            config,
            phases,
        }
    }
}

fn config(dice: &mut Dice) -> SubChannelConfig {
    let mut geometry = geometry(dice);
    let mut timing = match dice.between(0, 11) {
        0 => ddr5_6400(),
        1 => ddr5_4400(),
        other @ 2..=3 => {
            (geometry.groups, geometry.banks) = (4, 4);
            geometry.refresh_sets = dice.pick(&[8, 16]);
            if other == 2 {
                lpddr5x_8533()
            } else {
                hbm3_6400()
            }
        }
        _ => short_timing(dice),
    };
    refresh_often(dice, &mut timing, &geometry);
    let policy = policy(dice, &geometry, &timing);
    SubChannelConfig {
        clock: ClockDomain::double(6_400),
        geometry,
        timing,
        policy,
    }
}

fn geometry(dice: &mut Dice) -> ChannelGeometry {
    let slices = dice.pick(&[1, 1, 1, 2, 4]);
    let physical = if slices == 1 {
        dice.pick(&[1, 1, 2, 3, 4])
    } else {
        dice.between(1, 4 / u32::from(slices)) as u8
    };
    let (groups, banks) = (dice.between(2, 8) as u8, dice.between(1, 4) as u8);
    // One bank of every group, or of every second, …, or single banks.
    let sets = (1..=groups).filter(|each| groups.is_multiple_of(*each));
    let sets: Vec<u8> = sets.collect();
    ChannelGeometry {
        pseudo_channels: dice.pick(&[1, 2]),
        ranks: slices * physical,
        slices,
        groups,
        banks,
        refresh_sets: banks * dice.pick(&sets),
        rows: dice.pick(&[2, 3, 6, 50, 65_536]),
        columns: dice.pick(&[1, 2, 5, 128]),
    }
}

/// A few clocks each, so that every rule is at times the one that decides. The order of the scopes is kept: what is
/// nearer is no faster.
fn short_timing(dice: &mut Dice) -> Timing {
    let burst = dice.between(1, 8);
    let ccd_s = burst + dice.between(0, 2);
    let ccd_m = ccd_s + dice.between(0, 4);
    let ccd_s_wr = burst + dice.between(0, 2);
    let ccd_m_wr = ccd_s_wr + dice.between(0, 6);
    let wtr_s = dice.between(0, 5);
    let wtr_m = wtr_s + dice.between(0, 4);
    let rrd_s = dice.between(0, 6);
    let rrd_l = rrd_s + dice.between(0, 5);
    let (ras, rp) = (dice.between(0, 30), dice.between(0, 15));
    // Above tRRD_L: where both decide at the same clock, either is the cause.
    let rc = dice.between(rrd_l + 1, (rrd_l + 1).max(ras + rp + 4));
    let rfc = dice.between(1, 60);
    let rfc_sb = dice.between(1, 40);
    Timing {
        cl: dice.between(0, 15),
        cwl: dice.between(0, 15),
        burst,
        rcd: dice.between(0, 15),
        rp,
        ras,
        rc,
        rtp: dice.between(0, 10),
        wr: dice.between(0, 20),
        ccd_s,
        ccd_m,
        ccd_l: ccd_m + dice.between(0, 4),
        ccd_s_wr,
        ccd_m_wr,
        ccd_l_wr: ccd_m_wr + dice.between(0, 6),
        wtr_s,
        wtr_m,
        wtr_l: wtr_m + dice.between(0, 4),
        rtw: dice.between(0, 15),
        rrd_s,
        rrd_l,
        faw: dice.between(0, 40),
        ppd: dice.between(0, 4),
        rrd_dlr: dice.between(0, 6),
        faw_dlr: dice.between(0, 40),
        rank_gap: dice.between(0, 5),
        pair_burst: dice.between(0, 8),
        pair_rtw: dice.between(0, 15),
        pair_wtr: dice.between(0, 20),
        refi: 1,
        rfc,
        rfc_dlr: dice.between(0, rfc + 10),
        refi_sb: 1,
        rfc_sb,
        refsb_gap: dice.between(1, rfc_sb + 2),
        refsbrd: dice.between(0, rfc_sb),
        pd: dice.between(0, 12),
        xp: dice.between(0, 12),
        pden: dice.between(0, 4),
        long_command: dice.pick(&[1, 2]),
        column_command: dice.pick(&[1, 2]),
    }
}

/// Intervals so short that refresh matters, and so long that rows are opened, read and closed between two of them.
fn refresh_often(dice: &mut Dice, timing: &mut Timing, geometry: &ChannelGeometry) {
    let row = timing.rc
        + timing.rcd
        + timing.cwl
        + timing.burst
        + timing.wr
        + timing.rp
        + timing.pd
        + timing.xp;
    let ranks = u32::from(geometry.ranks) * u32::from(geometry.pseudo_channels);
    let rest = 3 * row + dice.between(0, 500);
    timing.refi = timing.rfc + ranks * timing.rfc_dlr + rest;
    timing.refi_sb = timing.rfc_sb.max(timing.refsb_gap) + timing.refsbrd + rest;
}

fn policy(dice: &mut Dice, geometry: &ChannelGeometry, timing: &Timing) -> Policy {
    let write_queue = dice.pick(&[1, 2, 4, 8, 24, 64]);
    let drain_high = dice.between(1, write_queue);
    let refresh = dice.pick(&[
        Refresh::Off,
        Refresh::AllBank,
        Refresh::AllBank,
        Refresh::SameBank,
        Refresh::SameBank,
    ]);
    let interval = if refresh == Refresh::SameBank {
        timing.refi_sb
    } else {
        timing.refi
    };
    let ranks = u32::from(geometry.ranks) * u32::from(geometry.pseudo_channels);
    let aligned = dice.one_in(4);
    let phase = |_| {
        if aligned {
            interval / 2
        } else {
            dice.between(0, interval)
        }
    };
    let refresh_phase = (0..ranks).map(phase).collect();
    let turn_lookahead = dice.pick(&[0, 0, 1, 2, 4, 16]);
    Policy {
        scheduler: dice.pick(&[
            SchedulerName::FrFcfs,
            SchedulerName::FrFcfs,
            SchedulerName::BatchFirst,
        ]),
        read_queue: dice.pick(&[1, 2, 4, 8, 16, 32]),
        write_queue,
        shared_queues: dice.one_in(2),
        shared_commands: dice.one_in(2),
        drain_high,
        drain_low: dice.between(0, drain_high - 1),
        age_cap: dice.pick(&[1, 2, 3, 4, 8, 16, 1_000]),
        turn_lookahead,
        turn_hits_max: dice.pick(&[0, 0, 1, 3, 8]),
        turn_early: turn_lookahead > 0 && dice.one_in(2),
        bus_loss_permille: dice.pick(&[0, 0, 0, 1, 83, 120, 333, 500]),
        bus_loss_waits_max: dice.pick(&[0, 1, 2, 16]),
        page: match dice.between(0, 2) {
            0 => PagePolicy::Open,
            1 => PagePolicy::Closed,
            _ => PagePolicy::Timeout(dice.between(0, 60)),
        },
        refresh,
        refresh_postponed_max: dice.pick(&[0, 0, 1, 2, 4, 8]),
        refresh_phase,
        power_down: if dice.one_in(2) {
            Some(dice.between(0, 60))
        } else {
            None
        },
        same_bank_order: dice.pick(&[SameBankOrder::RoundRobin, SameBankOrder::IdleFirst]),
        refresh_pulled_in_max: dice.pick(&[0, 0, 0, 1, 3]),
        refresh_aside: dice.pick(&[0, 0, 1, 4, 64]),
        rfm: management(dice, refresh, timing),
    }
}

/// So few ACTs that banks come to both thresholds.
fn management(dice: &mut Dice, refresh: Refresh, timing: &Timing) -> Option<RefreshManagement> {
    if refresh == Refresh::Off || !dice.one_in(3) {
        return None;
    }
    let raaimt = dice.between(2, 6);
    Some(RefreshManagement {
        raaimt,
        raammt: raaimt + dice.between(0, 6),
        raadec: dice.between(0, raaimt),
        clocks: timing.refsbrd + dice.between(1, 40),
    })
}

/// How a stream behaves.
struct Habits {
    /// One request in so many is a write; 0: none.
    writes: u32,
    /// One request in so many stays in the row of the one before it.
    same_row: u32,
    /// One request in so many names a line that was named before.
    same_line: u32,
    /// Most clocks between two requests, and how many come at once.
    gap: u32,
    together: u32,
}

fn phase(dice: &mut Dice, geometry: &ChannelGeometry, number: u32, count: u32) -> Phase {
    let habits = Habits {
        writes: dice.pick(&[0, 1, 2, 2, 3]),
        same_row: dice.pick(&[1, 2, 2, 8]),
        same_line: dice.pick(&[2, 8, 50]),
        gap: dice.pick(&[0, 2, 10, 40, 300]),
        together: dice.pick(&[1, 1, 4, 30]),
    };
    let length = if habits.gap >= 40 && habits.together == 1 {
        dice.between(0, 40)
    } else {
        dice.between(0, 150)
    };
    let mut requests: Vec<Request> = Vec::new();
    let mut arrival = 0;
    for place in 0..length {
        if dice.one_in(habits.together) {
            arrival += u64::from(dice.between(0, habits.gap));
        }
        // Once in a while long enough for ranks to be powered down and refreshes to be made up.
        if dice.one_in(60) {
            arrival += u64::from(dice.between(0, 2_000));
        }
        let id = u64::from(number) << 32 | u64::from(place);
        let writes = habits.writes > 0 && dice.one_in(habits.writes);
        let kind = if writes {
            RequestKind::Write
        } else {
            RequestKind::Read
        };
        let location = location(dice, geometry, &habits, &requests);
        requests.push(Request {
            id,
            kind,
            location,
            arrival,
        });
    }
    let run = arrival + dice.pick(&[0, 1, 50, 1_500_u64]);
    // The last phase is flushed, so that every request is served.
    Phase {
        requests,
        run,
        flush: number + 1 == count || dice.one_in(2),
    }
}

fn location(
    dice: &mut Dice,
    geometry: &ChannelGeometry,
    habits: &Habits,
    before: &[Request],
) -> Location {
    if let Some(last) = before.last() {
        if dice.one_in(habits.same_line) {
            let back = dice.between(1, before.len().min(20) as u32) as usize;
            return before[before.len() - back].location;
        }
        if dice.one_in(habits.same_row) {
            return Location {
                column: column(dice, geometry),
                ..last.location
            };
        }
    }
    Location {
        pseudo_channel: dice.below(geometry.pseudo_channels),
        rank: dice.below(geometry.ranks),
        group: dice.below(geometry.groups),
        bank: dice.below(geometry.banks),
        row: dice.between(0, geometry.rows - 1),
        column: column(dice, geometry),
    }
}

fn column(dice: &mut Dice, geometry: &ChannelGeometry) -> u16 {
    dice.between(0, u32::from(geometry.columns) - 1) as u16
}
