//! Completions through `wordline_dram.h` are those of the library for the same requests, clock for clock.

use std::path::Path;
use std::process::Command;

use wordline_catalog::Catalog;
use wordline_dram::sheet::Settings;
use wordline_dram::system::{Completion, MemorySystem};
use wordline_dram::{
    Command as DramCommand, RequestKind, Statistics, SystemConfig, TrafficSummary,
};

use crate::c_api::cc::{SANITIZERS, compiled};

const RDIMM: &str = "rdimm-6400-2rx8-32g@bench-1ch";
/// Its clock has no whole picoseconds, and its modules have two pseudo-channels.
const MRDIMM: &str = "mrdimm-8800-2rx4-64g@bench-1ch";
const LARGE: &str = "rdimm-6400-2rx4-64g@xeon6-1s";

/// What the program was told.
#[derive(Debug, Default)]
struct Told {
    pushed: Vec<(u64, RequestKind, u64, u64)>,
    done: Vec<Completion>,
    drain_ps: u64,
    end_ps: u64,
    counts: Vec<u64>,
}

fn kind(word: u64) -> RequestKind {
    if word == 0 {
        RequestKind::Read
    } else {
        RequestKind::Write
    }
}

impl Told {
    fn read(text: &str) -> Self {
        let mut told = Self::default();
        for line in text.lines() {
            let mut words = line.split(' ');
            let name = words.next().expect("a name");
            let numbers: Vec<u64> = words.map(|word| word.parse().expect("a number")).collect();
            match (name, &numbers[..]) {
                ("push", &[id, is_write, address, time_ps]) => {
                    told.pushed.push((id, kind(is_write), address, time_ps));
                }
                ("done", &[id, is_write, time_ps]) => told.done.push(Completion {
                    id,
                    kind: kind(is_write),
                    time_ps,
                }),
                ("drain", &[time_ps]) => told.drain_ps = time_ps,
                ("end", &[time_ps]) => told.end_ps = time_ps,
                ("counts", counts) => told.counts = counts.to_vec(),
                _ => panic!("{line}"),
            }
        }
        told
    }
}

/// The same requests at the same times, without stopping for anything.
fn by_library(config: &SystemConfig, told: &Told) -> (Vec<Completion>, Vec<u64>) {
    let watch = |_, _| Statistics::new(&config.sub_channel);
    let mut memory = MemorySystem::new(config, watch).expect("sound");
    for &(id, kind, address, time_ps) in &told.pushed {
        memory.push(id, kind, address, time_ps).expect("in order");
    }
    memory.run(told.drain_ps);
    let mut done: Vec<_> = memory.completed().collect();
    memory.flush();
    done.extend(memory.completed());
    memory.run(told.end_ps);
    let end = config.sub_channel.clock.edge_at_or_after(told.end_ps);
    let mut sum = TrafficSummary::default();
    for statistics in memory.observers_mut() {
        sum.merge(&statistics.end(end));
    }
    let commands = |command: DramCommand| sum.commands[command as usize];
    let counts = vec![
        sum.reads,
        sum.writes,
        sum.forwarded,
        sum.merged,
        sum.hits,
        sum.misses,
        sum.conflicts,
        commands(DramCommand::Act),
        commands(DramCommand::RefAb) + commands(DramCommand::RefSb),
    ];
    (done, counts)
}

fn check(program: &Path, target: &str, settings: &str, requests: u64) {
    let catalog = Catalog::load(&[]).expect("embedded");
    let mut chosen = Settings::new();
    for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
        let (name, value) = setting.split_once('=').expect("NAME=VALUE");
        chosen.insert(name.to_owned(), value.to_owned());
    }
    let connected = catalog.module_in_system(target).expect("known");
    let config = connected.connect(&chosen).expect("fits").config;
    // From a full memory to a request now and then.
    for (seed, gap_ps, backlog) in [
        (1_u64, 1_u64, 0_u64),
        (2, 1, 9),
        (3, 20_000, 0),
        (4, 400_000, 0),
        (5, 4_000_000, 0),
    ] {
        // With a clock it takes as long as there are clocks.
        let hows = if gap_ps < 1_000_000 { "abcd" } else { "abd" };
        for how in hows.chars() {
            let words = [
                how.to_string(),
                seed.to_string(),
                requests.to_string(),
                gap_ps.to_string(),
                backlog.to_string(),
            ];
            let ran = Command::new(program)
                .args([target, settings])
                .args(words)
                .output();
            let ran = ran.expect("runs");
            let problem = String::from_utf8_lossy(&ran.stderr);
            let of = format!("{target} {settings} {how} {seed}");
            assert!(ran.status.success(), "{of}: {problem}");
            let told = Told::read(&String::from_utf8_lossy(&ran.stdout));
            assert_eq!(told.done.len() as u64, requests, "{of}");
            let (done, counts) = by_library(&config, &told);
            let differ = told
                .done
                .iter()
                .zip(&done)
                .find(|(told, done)| told != done);
            assert_eq!(differ, None, "{of}");
            assert_eq!(told.counts, counts, "{of}");
        }
    }
}

#[test]
fn c_is_told_what_the_library_says_clock_for_clock() {
    let Some(program) = compiled("replay.c", &["-std=c99", "-O1"], true) else {
        return;
    };
    for (target, settings, requests) in [
        (RDIMM, "", 2_000),
        (RDIMM, "power_down=100 ns,refresh=same-bank", 1_000),
        (RDIMM, "page_policy=closed", 1_000),
        (MRDIMM, "", 2_000),
        (MRDIMM, "queue_sharing=shared", 1_000),
        (LARGE, "", 500),
    ] {
        check(&program, target, settings, requests);
    }
    if let Some(program) = compiled("replay.c", &SANITIZERS, false) {
        check(&program, MRDIMM, "", 500);
    }
}
