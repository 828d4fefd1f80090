//! States of ranks and data buses at every single clock, from a log.

use wordline_dram::{Command, EnergyCounts, Issued, Location, ServedRequest, SubChannelConfig};

/// What a rank does at one clock.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    open: u64,
    powered_down: bool,
    refresh_all_bank: bool,
    refresh_same_bank: bool,
}

/// What energy depends on between two clocks, by looking at each of them.
pub(crate) fn energy_counts(
    config: &SubChannelConfig,
    log: &[Issued],
    from: u64,
    until: u64,
) -> EnergyCounts {
    let mut counts = EnergyCounts {
        clocks: until - from,
        ..EnergyCounts::default()
    };
    for issued in log
        .iter()
        .filter(|issued| (from..until).contains(&issued.at))
    {
        let all = Command::ALL.iter();
        let place = all
            .take_while(|&&command| command != issued.command)
            .count();
        counts.commands[place] += 1;
    }
    for pseudo_channel in 0..config.geometry.pseudo_channels {
        for rank in 0..config.geometry.ranks {
            let own = |issued: &&Issued| {
                let at = &issued.location;
                at.pseudo_channel == pseudo_channel && at.rank == rank
            };
            let log: Vec<Issued> = log.iter().filter(own).copied().collect();
            let moments = moments(config, &log, until);
            for moment in &moments[from as usize..] {
                count(moment, &mut counts);
            }
        }
    }
    counts
}

fn count(moment: &Moment, counts: &mut EnergyCounts) {
    match (moment.powered_down, moment.open > 0) {
        (false, false) => counts.precharge_standby += 1,
        (false, true) => counts.active_standby += 1,
        (true, false) => counts.precharge_power_down += 1,
        (true, true) => counts.active_power_down += 1,
    }
    if moment.powered_down {
        counts.open_power_down += moment.open;
    } else {
        counts.open_standby += moment.open;
    }
    counts.refresh_all_bank += u64::from(moment.refresh_all_bank);
    counts.refresh_same_bank += u64::from(moment.refresh_same_bank);
}

/// Every clock of one rank up to `until`.
fn moments(config: &SubChannelConfig, log: &[Issued], until: u64) -> Vec<Moment> {
    let timing = &config.timing;
    let mut moments = vec![Moment::default(); until as usize];
    let mut mark = |from: u64, to: u64, set: &mut dyn FnMut(&mut Moment)| {
        for clock in from.min(until)..to.min(until) {
            set(&mut moments[clock as usize]);
        }
    };
    for (place, issued) in log.iter().enumerate() {
        let at = issued.at;
        match issued.command {
            Command::Act => {
                let closed = closing(config, issued, &log[place + 1..]).unwrap_or(until);
                mark(at, closed, &mut |moment| moment.open += 1);
            }
            Command::Pde => {
                let after = log[place..].iter();
                let mut exits = after.filter(|later| later.command == Command::Pdx);
                let exit = exits.next().map_or(until, |exit| exit.at);
                mark(at, exit, &mut |moment| moment.powered_down = true);
            }
            Command::RefAb => {
                let end = at + u64::from(timing.rfc);
                mark(at, end, &mut |moment| moment.refresh_all_bank = true);
            }
            Command::RefSb => {
                let end = at + u64::from(timing.rfc_sb);
                mark(at, end, &mut |moment| moment.refresh_same_bank = true);
            }
            _ => {}
        }
    }
    moments
}

/// When the bank that an ACT opened closes again.
fn closing(config: &SubChannelConfig, act: &Issued, later: &[Issued]) -> Option<u64> {
    let (timing, geometry) = (&config.timing, &config.geometry);
    let set = |of: &Location| (of.group * geometry.banks + of.bank) % geometry.refresh_sets;
    later.iter().find_map(|issued| {
        let (of, at) = (&act.location, &issued.location);
        let bank = (of.group, of.bank) == (at.group, at.bank);
        let after = match issued.command {
            Command::PrePb if bank => return Some(issued.at),
            Command::PreSb if set(of) == set(at) => return Some(issued.at),
            Command::PreAb => return Some(issued.at),
            Command::Rda if bank => timing.rtp,
            Command::Wra if bank => timing.cwl + timing.burst + timing.wr,
            _ => return None,
        };
        Some((issued.at + u64::from(after)).max(act.at + u64::from(timing.ras)))
    })
}

/// Clocks between two clocks at which a data bus carried something, over all buses.
pub(crate) fn data_clocks(
    config: &SubChannelConfig,
    log: &[ServedRequest],
    from: u64,
    until: u64,
) -> u64 {
    let burst = u64::from(config.timing.burst);
    let of = |served: &ServedRequest| {
        let start = (served.finish.saturating_sub(burst)).max(from);
        served.finish.min(until).saturating_sub(start)
    };
    let moved = log.iter().filter(|served| served.finish > served.issued);
    moved.map(of).sum()
}
