//! Every state of a miniature that calls can reach: each call from it within its bound, and nothing lost.
//!
//! States count as one that differ in which blocks and which logical pages are meant, and in what stands on dead pages.
//! All blocks count as equally worn, so that none rests.

use core::fmt;
use std::collections::HashSet;
use std::rc::Rc;
use std::vec::Vec;
use std::{println, vec};

use wordline_memory::{Ecc, Flash, FlashErrorKind, Geometry};

use super::PacedLayer;
use super::steps::SHARES;
use crate::record::{PageUse, RECORD_BYTES};
use crate::rule::{PacedRule, PacedRules};
use crate::shape::{FREE_BLOCKS, PacedConfig};
use crate::tables::NO_PAGE;

const COLUMNS: [u32; RECORD_BYTES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];

const PAGE: usize = 128;

const GEOMETRY: Geometry = Geometry {
    page_bytes: PAGE as u32,
    spare_bytes: 16,
    pages_per_block: 18,
    blocks: 9,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

/// The most logical pages that this geometry takes.
const LOGICAL_MAX: u32 = 6;

fn config(logical_pages: u32) -> PacedConfig {
    PacedConfig {
        logical_pages,
        bad_blocks: 0,
        log_entries: 16,
    }
}

/// A flash whose copies share their pages.
#[derive(Clone)]
struct SharedPages {
    pages: Vec<Option<Rc<[u8]>>>,
    erases: u32,
}

impl Flash for SharedPages {
    type Error = FlashErrorKind;

    fn geometry(&self) -> Geometry {
        GEOMETRY
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, FlashErrorKind> {
        match &self.pages[page as usize] {
            Some(held) => out.copy_from_slice(&held[column as usize..][..out.len()]),
            None => out.fill(0xFF),
        }
        Ok(Ecc::Clean)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), FlashErrorKind> {
        assert_eq!((column, data.len()), (0, PAGE + 16), "whole pages");
        let held = self.pages[page as usize].replace(data.into());
        assert!(held.is_none(), "page {page} was not erased");
        Ok(())
    }

    fn erase(&mut self, block: u32) -> Result<(), FlashErrorKind> {
        self.erases += 1;
        for page in GEOMETRY.pages_of(block) {
            self.pages[page as usize] = None;
        }
        Ok(())
    }

    fn is_bad(&mut self, _: u32) -> Result<bool, FlashErrorKind> {
        Ok(false)
    }

    fn mark_bad(&mut self, _: u32) -> Result<(), FlashErrorKind> {
        Err(FlashErrorKind::Misuse)
    }
}

#[derive(Clone)]
struct Miniature {
    layer: PacedLayer<SharedPages, Vec<u8>>,
    /// Writes of each logical page.
    versions: [u8; LOGICAL_MAX as usize],
}

/// What a caller may do.
#[derive(Clone, Copy, Debug)]
enum MiniatureCall {
    /// The pages whose bits are set are written as a group.
    Write(u8),
    WorkAhead(bool),
}

impl MiniatureCall {
    fn all(logical_pages: u32, group_pages: u32) -> impl Iterator<Item = Self> {
        let groups = 1..1u8 << logical_pages;
        let groups = groups.filter(move |pages| pages.count_ones() <= group_pages);
        let ahead = [false, true].map(Self::WorkAhead);
        groups.map(Self::Write).chain(ahead)
    }

    /// Parts of a step that pages owe before it: with nothing a page pays a whole number of steps rounded down, and with
    /// almost a step rounded up. Of several pages the first may round down and a later one up.
    fn shares_owed(self) -> &'static [u32] {
        const OWED: [u32; 5] = [0, SHARES - 1, SHARES / 2, SHARES / 4, 3 * (SHARES / 4)];
        match self {
            Self::WorkAhead(_) => &OWED[..1],
            Self::Write(pages) => match pages.count_ones() {
                1 => &OWED[..2],
                2 => &OWED[..3],
                _ => &OWED,
            },
        }
    }
}

impl Miniature {
    fn new(logical_pages: u32, rules: PacedRules) -> Self {
        let config = config(logical_pages);
        let flash = SharedPages {
            pages: vec![None; GEOMETRY.pages() as usize],
            erases: 0,
        };
        let layer = PacedLayer::format_with(flash, COLUMNS, config, Self::memory(&config), rules);
        Self {
            layer: layer.expect("a format"),
            versions: [0; LOGICAL_MAX as usize],
        }
    }

    fn memory(config: &PacedConfig) -> Vec<u8> {
        vec![0; config.bound(&GEOMETRY).expect("it suits").ram_bytes]
    }

    /// Does a call, and holds it against the bound.
    fn call(&mut self, call: MiniatureCall) {
        for block in 0..GEOMETRY.blocks {
            self.layer.tables.set_erases(block, 1);
        }
        let group = match call {
            MiniatureCall::Write(pages) => pages,
            MiniatureCall::WorkAhead(may_erase) => {
                self.layer.work_ahead(may_erase).expect("work ahead");
                return;
            }
        };
        for (logical, version) in self.versions.iter_mut().enumerate() {
            *version = version.wrapping_add(group >> logical & 1);
        }
        let contents = self.versions.map(|version| [version; PAGE]);
        let pages = (0..)
            .zip(&contents)
            .filter(|(logical, _)| group >> logical & 1 == 1);
        let pages: Vec<(u32, &[u8])> = pages.map(|(logical, page)| (logical, &page[..])).collect();
        let (work, erases) = (*self.layer.work(), self.layer.flash().erases);
        let written = self.layer.write_group(&pages);
        written.unwrap_or_else(|error| panic!("{call:?}: {error}"));
        let done = self.layer.work();
        let erases = u64::from(self.layer.flash().erases - erases);
        let programs = done.written - work.written;
        // A page of a header takes the place of a step.
        let steps = done.steps - work.steps + done.headers - work.headers;
        let bound = self.layer.bound();
        let allowed = bound.write_counts(pages.len() as u64);
        let fits = allowed.iter().any(|allowed| {
            programs <= allowed.programs
                && steps <= allowed.steps
                && done.stored - work.stored <= allowed.stores
                && erases <= allowed.erases
        });
        assert!(fits, "{call:?}: {steps} steps, {erases} erases; {bound:?}");
    }

    /// Every logical page reads as it was written last, and blocks are free.
    fn check(&mut self) {
        let mut page = [0; PAGE];
        for (logical, version) in (0..self.layer.logical_pages()).zip(self.versions) {
            let written = self.layer.read(logical, &mut page).expect("a read");
            assert!(written || version == 0, "logical page {logical}");
            assert_eq!(page, [version; PAGE], "logical page {logical}");
        }
        let blocks = (0..GEOMETRY.blocks).filter(|block| *block != self.layer.head);
        let free = blocks.filter(|block| self.layer.is_free(*block)).count() as u32;
        assert_eq!(free, self.layer.free);
        let most = if self.layer.left() == 0 { 0 } else { 1 };
        assert!(free + most >= FREE_BLOCKS, "{free} blocks are free");
    }

    /// The same after a power cut.
    fn check_mounted(&self) {
        let flash = self.layer.flash().clone();
        let config = *self.layer.config();
        let layer = PacedLayer::mount(flash, COLUMNS, config, Self::memory(&config));
        let mut mounted = Self {
            layer: layer.expect("a mount"),
            versions: self.versions,
        };
        mounted.check();
    }

    /// What a block holds that counts: for each such page what it is.
    fn block(&mut self, block: u32) -> Vec<u8> {
        let layer = &mut self.layer;
        let mut held = Vec::new();
        for page in GEOMETRY.pages_of(block) {
            if !layer.tables.is_live(page) {
                continue;
            }
            let image = layer.pages.flash.pages[page as usize].as_ref();
            let spare = &image.expect("a live page is programmed")[PAGE..][..RECORD_BYTES];
            let record = crate::record::PacedRecord::decode(spare.try_into().expect("a record"));
            let record = record.expect("a record");
            held.push(match record.page_use {
                PageUse::Map => b'M',
                PageUse::Data => match layer.tables.change_of(record.logical) {
                    None => b'T',
                    Some((_, change)) if change.page == page => b'C',
                    Some(_) => b'S',
                },
                PageUse::Header | PageUse::Lost => panic!("page {page} counts"),
            });
        }
        held
    }

    /// The state, but for which blocks and logical pages it is about.
    fn key(&mut self) -> Vec<u8> {
        let mut blocks: Vec<Vec<u8>> = (0..GEOMETRY.blocks)
            .map(|block| {
                let mut key = self.block(block);
                let layer = &self.layer;
                key.push(u8::from(block == layer.head));
                key.push(u8::from(layer.victim == Some(block)));
                key.push(u8::from(layer.erased == Some(block)));
                key
            })
            .collect();
        blocks.sort_unstable();
        let mut key = blocks.concat();
        let layer = &self.layer;
        assert!(layer.resting.is_none() && layer.erasing.is_none());
        key.push(layer.used as u8);
        key.push(u8::from(layer.tables.map_page(0) != NO_PAGE));
        key.push(layer.level_moves as u8);
        key
    }
}

/// What was gone through.
#[derive(Debug)]
struct Explored {
    states: usize,
    calls: u64,
    /// Calls before the last states.
    depth: usize,
    /// No other state can be reached.
    closed: bool,
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.closed { "all" } else { "the first" };
        let (states, calls, depth) = (self.states, self.calls, self.depth);
        write!(
            f,
            "{whole} {states} states, {calls} calls from them, {depth} calls in a row"
        )
    }
}

/// One state in so many is mounted.
const MOUNTS_EVERY: usize = 16;

/// Goes through the states, those with fewer calls before them first, up to so many.
fn explore(logical_pages: u32, group_pages: u32, most: usize, rules: PacedRules) -> Explored {
    let mut first = Miniature::new(logical_pages, rules);
    let mut known = HashSet::from([first.key()]);
    let (mut now, mut calls, mut depth) = (vec![first], 0, 0);
    while !now.is_empty() {
        let mut next = Vec::new();
        for state in now {
            let all = MiniatureCall::all(logical_pages, group_pages);
            let owed =
                |call: MiniatureCall| call.shares_owed().iter().map(move |share| (call, *share));
            for (call, share) in all.flat_map(owed) {
                let mut after = state.clone();
                after.layer.share = share;
                after.call(call);
                calls += 1;
                if known.insert(after.key()) {
                    after.check();
                    if known.len().is_multiple_of(MOUNTS_EVERY) {
                        after.check_mounted();
                    }
                    next.push(after);
                    if known.len() == most {
                        return Explored {
                            states: most,
                            calls,
                            depth,
                            closed: false,
                        };
                    }
                }
            }
        }
        now = next;
        depth += 1;
    }
    Explored {
        states: known.len(),
        calls,
        depth,
        closed: true,
    }
}

#[test]
fn each_call_from_states_of_a_miniature_is_within_its_bound() {
    for (logical_pages, group_pages) in [(1, 1), (2, 2), (3, 3), (4, 2), (5, 2)] {
        let found = explore(logical_pages, group_pages, usize::MAX, PacedRules::ALL);
        assert!(found.closed, "{found:?}");
    }
    let found = explore(4, 4, 3_000, PacedRules::ALL);
    assert_eq!(found.states, 3_000);
}

#[test]
fn the_search_notices_rules_that_are_left_out() {
    for rule in [PacedRule::HeaderTakesSteps, PacedRule::EraseTakesSteps] {
        let rules = PacedRules::without(rule);
        let found = std::panic::catch_unwind(|| explore(4, 4, 10_000, rules));
        assert!(found.is_err(), "{rule:?}: {found:?}");
    }
}

#[test]
#[ignore = "takes a minute"]
fn each_call_from_all_states_of_a_miniature_is_within_its_bound() {
    let found = explore(4, 4, usize::MAX, PacedRules::ALL);
    println!("four pages, groups of four: {found}");
    assert!(found.closed);
    println!(
        "five pages, groups of five: {}",
        explore(5, 5, 40_000, PacedRules::ALL)
    );
    println!(
        "six pages, groups of two: {}",
        explore(LOGICAL_MAX, 2, 100_000, PacedRules::ALL)
    );
}
