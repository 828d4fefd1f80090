//! The layer against a plain reference, with random choices, calls and ills.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wordline_core::draw::{Purpose as Of, draw};

use super::config::{Cleaning, FtlConfig, Leveling, Mapping, NextBlock, Slc, Victim};
use super::fixture::Ram;
use super::media::Shape;
use super::space::{BlockState, NONE};
use super::translation::{FtlError, Translation};

pub(super) type Layer = Translation<Ram>;

/// What a host does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    Write(u32),
    /// A write step by step, as a card does it.
    Split(u32),
    Trim(u32),
    Read(u32),
    Flush,
    Idle(u8),
    /// The page becomes unreadable.
    Harm(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Value(u64),
    Lost,
}

/// A layer and what it should hold.
pub(super) struct Pair {
    pub(super) layer: Layer,
    pub(super) content: BTreeMap<u32, Content>,
    pub(super) version: u64,
    full: bool,
}

impl Pair {
    pub(super) fn new(layer: Layer) -> Self {
        Self {
            layer,
            content: BTreeMap::new(),
            version: 0,
            full: false,
        }
    }

    /// Whether a call worked; it may fail because too many blocks went bad.
    fn done<T>(&mut self, result: Result<T, FtlError<super::fixture::Cut>>) -> bool {
        match result {
            Ok(_) => true,
            Err(FtlError::Full { health }) => {
                assert!(health.bad_blocks > 0, "full without a bad block");
                assert_eq!(self.layer.health(), health);
                assert!(health.read_only.is_some());
                self.full = true;
                false
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub(super) fn call(&mut self, call: Call) {
        let pages = self.layer.pages();
        match call {
            Call::Write(logical) => self.write(logical % pages, false),
            Call::Split(logical) => self.write(logical % pages, true),
            Call::Trim(logical) => {
                let result = self.layer.trim(logical % pages);
                self.done(result);
                self.content.remove(&(logical % pages));
            }
            Call::Read(logical) => self.read(logical % pages),
            Call::Flush => {
                let result = self.layer.flush();
                self.done(result);
            }
            Call::Idle(steps) => {
                for _ in 0..steps {
                    let result = self.layer.idle_step();
                    self.done(result);
                }
            }
            Call::Harm(logical) => {
                if let Some(page) = self.layer.space.place(logical % pages) {
                    self.layer.media_mut().harm(page);
                    self.content.insert(logical % pages, Content::Lost);
                }
            }
        }
    }

    fn write(&mut self, logical: u32, split: bool) {
        self.version += 1;
        let layer = &mut self.layer;
        let result = if split {
            let mut result = Ok(());
            while result.is_ok() && !layer.can_write(logical) {
                result = layer.step_for(logical).map(|step| assert!(step.is_some()));
            }
            result.and_then(|()| layer.write_at_once(logical, &self.version))
        } else {
            layer.write(logical, &self.version)
        };
        if self.done(result) {
            self.content.insert(logical, Content::Value(self.version));
        }
    }

    pub(super) fn read(&mut self, logical: u32) {
        let mut out = 0;
        let found = match self.layer.read(logical, &mut out) {
            Ok(true) => Some(Content::Value(out)),
            Ok(false) => None,
            Err(FtlError::Lost { .. }) => Some(Content::Lost),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(found, self.content.get(&logical).copied(), "page {logical}");
    }

    pub(super) fn read_all(&mut self) {
        for logical in 0..self.layer.pages() {
            self.read(logical);
        }
    }

    /// What must hold between any two calls.
    pub(super) fn check(&self) {
        let space = &self.layer.space;
        let per_block = space.shape.pages_per_block;
        let mut live = vec![0; space.blocks.len()];
        let mut written = 0;
        for logical in 0..self.layer.pages() {
            if let Some(page) = space.place(logical) {
                assert_eq!(space.live_in(page), Some(logical));
                live[(page / per_block) as usize] += 1;
                written += 1;
            }
        }
        let pages = 0..space.shape.blocks * per_block;
        let held = pages.filter(|page| space.live_in(*page).is_some()).count();
        assert_eq!(held, written, "a page is in two places");
        for (number, block) in (0..).zip(&space.blocks) {
            assert_eq!(block.live, live[number as usize], "block {number}");
            let rests = matches!(block.state, BlockState::Free | BlockState::Bad);
            assert!(!rests || block.live == 0, "{block:?}");
            let open = self.layer.open.iter().any(|open| open.block == number);
            assert_eq!(open, block.state == BlockState::Open);
            let free = space.free().any(|free| free == number);
            assert_eq!(free, block.state == BlockState::Free);
        }
        assert!(
            self.layer
                .lost
                .iter()
                .all(|logical| space.place(*logical).is_some())
        );
        assert_ne!(NONE, space.shape.blocks);
    }
}

pub(super) fn shapes() -> impl Strategy<Value = (Shape, u32)> {
    let sizes = (16_u32..40, 0_u32..8, 0_u32..3, 1_u32..12, 0_u32..3);
    sizes.prop_map(|(blocks, more, summary_pages, slc, pairing)| {
        let least = if summary_pages > 0 {
            2 * (pairing + 2)
        } else {
            0
        };
        let pages_per_block = least + summary_pages + 1 + more;
        let shape = Shape {
            blocks,
            pages_per_block,
            slc_pages_per_block: slc.clamp(summary_pages + 1, pages_per_block),
            summary_pages,
        };
        (shape, pairing)
    })
}

pub(super) fn cleanings() -> impl Strategy<Value = Cleaning> {
    let victims = prop_oneof![Just(Victim::Greedy), Just(Victim::CostBenefit)];
    let steps = prop::option::of(0_u32..6);
    (victims, 0_u32..6, 0_u32..4, steps, 0_u32..9).prop_map(
        |(victim, start_below, more, steps_per_write, idle_until)| Cleaning {
            victim,
            start_below,
            stop_at: start_below + more,
            steps_per_write,
            idle_until,
        },
    )
}

fn caches() -> impl Strategy<Value = Option<Slc>> {
    prop::option::of(
        (1_u32..4, any::<bool>()).prop_map(|(blocks, folds_when_idle)| Slc {
            blocks,
            folds_when_idle,
        }),
    )
}

fn next_blocks() -> impl Strategy<Value = NextBlock> {
    prop_oneof![
        Just(NextBlock::Oldest),
        Just(NextBlock::FewestErases),
        Just(NextBlock::QuickestErase),
        Just(NextBlock::MostErases),
    ]
}

fn page_maps() -> impl Strategy<Value = FtlConfig> {
    let levels = (next_blocks(), prop::option::of(0_u32..8));
    (cleanings(), levels, caches(), 0_u32..5).prop_map(|(cleaning, (next, above), slc, more)| {
        FtlConfig {
            mapping: Mapping::Page,
            spare_blocks: 5 + cleaning.stop_at + slc.map_or(0, |slc| slc.blocks) + more,
            cleaning,
            leveling: Leveling {
                next,
                static_above: above,
            },
            slc,
        }
    })
}

fn log_maps() -> impl Strategy<Value = FtlConfig> {
    let levels = (next_blocks(), prop::option::of(0_u32..8));
    let logs = (1_u32..6, prop_oneof![Just(1), 1_u32..5, Just(1000)]);
    (cleanings(), levels, logs, 0_u32..4).prop_map(
        |(cleaning, (next, static_above), (logs, shared_by), more)| FtlConfig {
            mapping: Mapping::LogBlock {
                logs: logs + 1,
                shared_by,
            },
            spare_blocks: logs + 4 + more,
            cleaning: Cleaning {
                start_below: cleaning.start_below.min(logs + 3),
                stop_at: cleaning.stop_at.min(logs + 3),
                ..cleaning
            },
            leveling: Leveling { next, static_above },
            slc: None,
        },
    )
}

pub(super) fn configs() -> impl Strategy<Value = FtlConfig> {
    prop_oneof![page_maps(), log_maps()]
}

/// What a host does, drawn from a seed: strategies for each call would take longer than the calls.
pub(super) fn calls(harm: u64) -> impl Strategy<Value = Vec<Call>> {
    (any::<u64>(), 1_u64..1500).prop_map(move |(seed, count)| {
        let turns = 0..count;
        turns.map(|turn| call(seed, turn, harm)).collect()
    })
}

fn call(seed: u64, turn: u64, harm: u64) -> Call {
    let random = |what| draw(seed, what, turn, Of::Address);
    // Half of the calls go to a few pages.
    let page = match random(0) % 2 {
        0 => (random(1) % 8) as u32,
        _ => random(1) as u32,
    };
    match random(2) % (25 + harm) {
        0..12 => Call::Write(page),
        12..18 => Call::Split(page),
        18..20 => Call::Trim(page),
        20..22 => Call::Read(page),
        22 => Call::Flush,
        23..25 => Call::Idle((random(3) % 12) as u8),
        _ => Call::Harm(page),
    }
}

/// A layer, where the choices fit the shape.
pub(super) fn layer(shape: Shape, pairing: u32, config: FtlConfig) -> Option<Layer> {
    let mut ram = Ram::new(shape);
    ram.pairing = pairing;
    Translation::format(ram, config).ok()
}

proptest! {
    #[test]
    fn a_layer_holds_what_was_written(
        (shape, pairing) in shapes(), config in configs(), calls in calls(0)
    ) {
        let Some(layer) = layer(shape, pairing, config) else {
            return Ok(());
        };
        let mut pair = Pair::new(layer);
        for (turn, call) in calls.into_iter().enumerate() {
            pair.call(call);
            if turn % 16 == 0 {
                pair.check();
            }
        }
        pair.check();
        pair.read_all();
    }

    #[test]
    fn failing_blocks_and_lost_pages_harm_no_other(
        (shape, pairing) in shapes(), config in configs(), calls in calls(1),
        program in 0_u64..60, erase in 0_u64..12, bad in 0_u32..4
    ) {
        let Some(mut layer) = layer(shape, pairing, config) else {
            return Ok(());
        };
        layer.media_mut().ills = super::fixture::Ills { program, erase, blocks: bad, ..Default::default() };
        let mut pair = Pair::new(layer);
        for (turn, call) in calls.into_iter().enumerate() {
            pair.call(call);
            if turn % 16 == 0 {
                pair.check();
            }
        }
        pair.check();
        pair.read_all();
    }
}
