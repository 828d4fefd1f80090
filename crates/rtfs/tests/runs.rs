//! Writes in a row against the bound of their total.

use std::collections::HashMap;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::{EraseMode, Flash};
use wordline_rtfs::{ERASE_MILLIONTHS, PacedConfig, PacedCounts, PacedLayer};

use crate::model::{GEOMETRY, content};
use crate::rules::COLUMNS;
use crate::rules::{Counted, Operations, blank};

/// The longest run of calls that is held against its bound.
const CALLS_MAX: usize = 64;

/// Calls of a trial.
const CALLS: u64 = 3_000;

/// What a read, a program, an erase, and a program that moves a page within the flash cost: those of a NAND, one with slow
/// erases, each alone, and programs without moves.
const COSTS: [[u64; 4]; 6] = [
    [3, 8, 50, 6],
    [3, 8, 400, 6],
    [1, 0, 0, 0],
    [0, 1, 0, 1],
    [0, 0, 1, 0],
    [0, 1, 0, 0],
];

/// Which pages are overwritten.
#[derive(Clone, Copy, Debug)]
enum Attack {
    Uniform,
    Hot,
    Strided,
    /// Those in the blocks with the most live pages, so that no block ever becomes much emptier than the mean.
    Fullest,
}

struct RunTrial {
    layer: PacedLayer<Counted<FlashImage>, Vec<u8>>,
    versions: Vec<u64>,
    /// Pages that the attack overwrites next.
    next: Vec<u32>,
}

impl RunTrial {
    fn new(config: PacedConfig, erases: EraseMode) -> Self {
        let bytes = config.bound(&GEOMETRY).expect("it suits").ram_bytes;
        let mut flash = Counted::new(blank(GEOMETRY).with_erases(erases).with_moves());
        for bad in 0..config.bad_blocks {
            flash.mark_bad(7 * bad + 3).expect("a mark");
        }
        let layer = PacedLayer::format(flash, COLUMNS, config, vec![0; bytes]).expect("a format");
        let mut trial = Self {
            layer,
            versions: vec![0; config.logical_pages as usize],
            next: Vec::new(),
        };
        for logical in 0..config.logical_pages {
            trial.write(&[logical]);
        }
        trial
    }

    fn write(&mut self, group: &[u32]) -> Operations {
        let mut contents = Vec::new();
        for logical in group {
            let version = &mut self.versions[*logical as usize];
            *version += 1;
            contents.push(content(*logical, *version));
        }
        let pages = group.iter().zip(&contents);
        let pages: Vec<(u32, &[u8])> = pages.map(|(page, bytes)| (*page, &bytes[..])).collect();
        let before = self.layer.flash().count;
        self.layer.write_group(&pages).expect("a write");
        let after = self.layer.flash().count;
        Operations {
            reads: after.reads - before.reads,
            programs: after.programs - before.programs,
            moves: after.moves - before.moves,
            erases: after.erases - before.erases,
            parts: after.parts - before.parts,
        }
    }

    /// The logical pages by how many live pages their blocks have, the fewest first.
    fn by_fullness(&self) -> Vec<u32> {
        let begins = self.layer.flash().begins.iter().enumerate();
        let pages: HashMap<[u8; 8], usize> = begins
            .filter_map(|(page, begin)| Some(((*begin)?, page)))
            .collect();
        let block = |logical: u32| {
            let bytes = content(logical, self.versions[logical as usize]);
            let begin = bytes.first_chunk().expect("longer than that");
            pages[begin] / GEOMETRY.pages_per_block as usize
        };
        let blocks: Vec<usize> = (0..self.layer.logical_pages()).map(block).collect();
        let mut live = vec![0; GEOMETRY.blocks as usize];
        for block in &blocks {
            live[*block] += 1;
        }
        let mut all: Vec<u32> = (0..self.layer.logical_pages()).collect();
        all.sort_by_key(|logical| live[blocks[*logical as usize]]);
        all
    }

    fn group(&mut self, attack: Attack, call: u64, length: usize) -> Vec<u32> {
        let pages = u64::from(self.layer.logical_pages());
        let random = |number| draw(3, call, number, Purpose::Address);
        let mut group = Vec::new();
        for index in 0.. {
            if group.len() == length {
                break;
            }
            let logical = match attack {
                Attack::Uniform => (random(index) % pages) as u32,
                Attack::Hot if random(99).is_multiple_of(10) => (random(index) % pages) as u32,
                Attack::Hot => (random(index) % (pages / 10)) as u32,
                Attack::Strided => ((call * length as u64 + index) * 37 % pages) as u32,
                Attack::Fullest => {
                    if self.next.is_empty() {
                        self.next = self.by_fullness();
                        // The picture is old after a few blocks.
                        self.next.drain(..self.next.len() - 16);
                    }
                    self.next.pop().expect("it was filled")
                }
            };
            if !group.contains(&logical) {
                group.push(logical);
            }
        }
        group
    }
}

/// The greatest totals of calls in a row, by the number of calls less one, at one cost of operations.
fn longest(calls: &[Operations], cost: [u64; 4]) -> Vec<u64> {
    let of = |call: &Operations| {
        let whole = call.reads * cost[0]
            + (call.programs - call.moves) * cost[1]
            + call.moves * cost[3]
            + call.erases * cost[2];
        whole * ERASE_MILLIONTHS + call.parts * cost[2]
    };
    let all: Vec<u64> = calls.iter().map(of).collect();
    let most = |calls| all.windows(calls).map(|run| run.iter().sum()).max();
    (1..=CALLS_MAX)
        .map(|calls| most(calls).unwrap_or(0))
        .collect()
}

fn hold(logical_pages: u32, attack: Attack, length: usize, ahead: bool, erases: EraseMode) {
    let config = PacedConfig {
        logical_pages,
        bad_blocks: 0,
        log_entries: 128,
    };
    let mut trial = RunTrial::new(config, erases);
    let bound = *trial.layer.bound();
    let mut runs = vec![Vec::new()];
    for call in 0..CALLS {
        let group = trial.group(attack, call, length);
        let took = trial.write(&group);
        runs.last_mut().expect("there is one").push(took);
        if ahead && call % 97 == 0 {
            trial.layer.leave_erase(length as u32).expect("an erase");
            for _ in 0..call % 41 {
                trial.layer.work_ahead(call % 2 == 0).expect("work ahead");
            }
            runs.push(Vec::new());
        }
    }
    for cost in COSTS {
        let of = |counts: &PacedCounts| {
            let whole = counts.pages_read() * cost[0]
                + (counts.pages_programmed() - counts.moves()) * cost[1]
                + counts.moves() * cost[3]
                + counts.erases * cost[2];
            whole * ERASE_MILLIONTHS + counts.erase_millionths * cost[2]
        };
        for run in &runs {
            for (most, calls) in longest(run, cost).into_iter().zip(1..) {
                let allowed = of(&bound.longest_run(calls, length as u64, of));
                assert!(
                    most <= allowed,
                    "{attack:?}, {logical_pages} pages: {calls} calls of {length} cost {most} of {allowed} at {cost:?}; {bound:?}"
                );
            }
        }
    }
}

#[test]
fn no_writes_in_a_row_exceed_the_bound_of_their_total() {
    for attack in [
        Attack::Uniform,
        Attack::Hot,
        Attack::Strided,
        Attack::Fullest,
    ] {
        for logical_pages in [300, 400, 424] {
            for (length, ahead) in [(1, false), (2, false), (2, true), (3, true)] {
                for erases in [EraseMode::Awaited, EraseMode::Suspends] {
                    hold(logical_pages, attack, length, ahead, erases);
                }
            }
        }
    }
}

/// What waits at most in units of cost, when calls come one by one and each may take a quarter more than the mean.
fn backlog_max(calls: &[u64]) -> f64 {
    let allowed = 1.25 * calls.iter().sum::<u64>() as f64 / calls.len() as f64;
    let (mut waits, mut most) = (0.0f64, 0.0f64);
    for call in calls {
        waits = (waits + *call as f64 - allowed).max(0.0);
        most = most.max(waits);
    }
    most
}

#[test]
fn random_overwrites_cost_the_same_all_along() {
    const READ: u64 = 3;
    const PROGRAM: u64 = 8;
    const ERASE: u64 = 50;
    for bad_blocks in [0, 3] {
        for length in [1, 2] {
            let mut trial = RunTrial::new(
                PacedConfig {
                    logical_pages: 360,
                    bad_blocks,
                    log_entries: 128,
                },
                EraseMode::Awaited,
            );
            let mut costs = Vec::new();
            for call in 0..40_000 {
                let group = trial.group(Attack::Uniform, call, length);
                let took = trial.write(&group);
                costs.push(took.reads * READ + took.programs * PROGRAM + took.erases * ERASE);
            }
            // Those of a layer that is not settled yet are left out.
            let most = backlog_max(&costs[5_000..]);
            let allowed = ERASE + u64::from(trial.layer.bound().header_pages) * PROGRAM;
            assert!(
                most <= allowed as f64,
                "{bad_blocks} bad blocks, {length} pages: {most} waits, and an erase and a header are {allowed}"
            );
        }
    }
}
