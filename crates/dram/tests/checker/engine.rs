//! What the engine issues is legal: many modules, policies and sorts of traffic.

use std::collections::BTreeMap;
use std::env;

use wordline_dram::checker::{
    BinGrade, CheckedChannel, Checker, CountedActivations, Density, RefreshMode, Width,
};
use wordline_dram::{PagePolicy, SameBankOrder, SubChannelConfig};

use crate::checker::memories::{self, memory, part, shape};
use crate::checker::modules::{self, config, policy as policy_of, timing};
use crate::checker::traffic::{Bench, Random, Watch};

/// A module and policy drawn at random.
fn any(random: &mut Random) -> (CheckedChannel, SubChannelConfig) {
    let rate = random.of(&[4000, 4400, 4800, 5600, 6400]);
    let density = random.of(&[Density::Gb16, Density::Gb24, Density::Gb32]);
    let width = random.of(&[Width::X4, Width::X8]);
    let part = part(rate, density, width, random.of(&[BinGrade::A, BinGrade::B]));
    let shapes = [
        (1, 1, 1),
        (1, 2, 1),
        (1, 4, 1),
        (1, 4, 2),
        (1, 8, 4),
        (2, 1, 1),
        (2, 2, 1),
        (2, 4, 2),
    ];
    let (channels, ranks, slices) = random.of(&shapes);
    let sort = random.below(6);
    let modes = [
        RefreshMode::AllBank,
        RefreshMode::SameBank,
        RefreshMode::Off,
    ];
    let mode = random.of(&[modes[0], modes[0], modes[1], modes[1], modes[2]]);
    let mut memory = match sort {
        0 => memories::lpddr5x(random.of(&[1, 2]), mode),
        1 => memories::hbm3(random.of(&[1, 2]), mode),
        _ => memory(part, shape(channels, ranks, slices), mode),
    };
    memory.controller.rank_gap = random.of(&[0, 1, 2, 4]);
    memory.controller.read_to_write_gap = random.of(&[0, 1, 2, 5]);
    memory.controller.pair_burst = random.of(&[4, 8]);
    memory.controller.pair_read_to_write = random.of(&[8, 14]);
    memory.controller.pair_write_to_read = random.of(&[8, 60]);
    memory.controller.postponed_max = random.of(&[0, 0, 1, 4, 8]);
    memory.controller.shared_commands = random.below(2) == 0;
    let timing = match sort {
        0 => modules::lpddr5x(&memory),
        1 => modules::hbm3(&memory),
        _ => timing(part, &memory),
    };
    let interval = match mode {
        RefreshMode::SameBank => timing.refi_sb,
        RefreshMode::AllBank | RefreshMode::Off => timing.refi,
    };
    let mut policy = policy_of(&memory);
    let staggered = random.below(2) == 0;
    for phase in &mut policy.refresh_phase {
        *phase = if staggered {
            random.below(interval.into()) as u32
        } else {
            0
        };
    }
    policy.page = random.of(&[
        PagePolicy::Open,
        PagePolicy::Closed,
        PagePolicy::Timeout(200),
    ]);
    policy.power_down = random.of(&[None, Some(0), Some(64)]);
    policy.shared_queues = random.below(2) == 0;
    (policy.read_queue, policy.write_queue) = random.of(&[(32, 64), (8, 16), (64, 64)]);
    (policy.drain_high, policy.drain_low) = (policy.write_queue * 3 / 4, policy.write_queue / 4);
    policy.age_cap = random.of(&[4, 64, 1000]);
    policy.turn_lookahead = random.of(&[0, 4, 16]);
    policy.turn_hits_max = random.of(&[0, 16]);
    policy.turn_early = policy.turn_lookahead > 0 && random.below(2) == 0;
    policy.bus_loss_permille = random.of(&[0, 83]);
    memory.controller.ahead_max = random.of(&[0, 0, 1, 4, 8]);
    policy.refresh_pulled_in_max = memory.controller.ahead_max;
    policy.refresh_aside = random.of(&[0, 32]);
    if mode != RefreshMode::Off && random.below(3) == 0 {
        let raaimt = random.of(&[2, 8, 32]);
        memory.controller.counted = Some(CountedActivations {
            less_by_rfm: raaimt,
            less_by_refresh: raaimt / 2,
            most: raaimt * random.of(&[1, 3]),
            rfm: timing.rfc_sb,
        });
        policy.rfm = policy_of(&memory).rfm;
    }
    policy.same_bank_order = random.of(&[SameBankOrder::RoundRobin, SameBankOrder::IdleFirst]);
    let config = config(&memory, timing, policy);
    (memory, config)
}

/// 5·10⁶ commands; as many as `WORDLINE_COMMANDS` says where it is set.
#[test]
fn the_engine_violates_no_rule() {
    let set = env::var("WORDLINE_COMMANDS").ok();
    let wanted: u64 = set
        .as_ref()
        .map_or(5_000_000, |text| text.parse().expect("a number"));
    let mut random = Random(1);
    let (mut done, mut told, mut cases) = (0, 0, 0);
    let mut decided = Decided::new();
    while done < wanted {
        let (memory, config) = any(&mut random);
        let watch = Watch::new(&memory);
        let mut bench = Bench::new(&config, watch, random.next());
        let goal = (wanted / 100).clamp(50_000, 20_000_000).min(wanted - done);
        while bench.watch().checker.commands() < goal {
            bench.run(500);
        }
        let watch = bench.finish();
        if let Some(violation) = watch.first {
            panic!(
                "case {cases}: {violation}\n{:?}\n{memory:?}\n{config:?}",
                watch.violated
            );
        }
        count(&mut decided, &watch.checker);
        (done, cases) = (done + watch.checker.commands(), cases + 1);
        if set.is_some() && done * 100 / wanted > told {
            told = done * 100 / wanted;
            eprintln!("{told} %: {done} commands of {cases} modules and policies, 0 violations");
        }
    }
    if set.is_some() {
        eprintln!("{}", table(&decided));
    }
}

/// By rule: commands that came at its first clock, and those that no other rule held back as long.
type Decided = BTreeMap<&'static str, (u64, u64)>;

fn count(decided: &mut Decided, checker: &Checker) {
    for (rule, tight) in checker.tightness() {
        let (exact, alone) = decided.entry(rule).or_default();
        (*exact, *alone) = (*exact + tight.exact, *alone + tight.alone);
    }
}

fn table(decided: &Decided) -> String {
    let row =
        |(rule, (exact, alone)): (_, &(u64, u64))| format!("\n{rule:24} {exact:>14} {alone:>14}");
    let head = format!("{:24} {:>14} {:>14}", "rule", "exact", "alone");
    decided
        .iter()
        .map(|(rule, counts)| row((rule, counts)))
        .fold(head, |table, row| table + &row)
}
