//! Sequences of calls, failures and power cuts, each made for one rule: it passes with the rule, and fails without it.

use std::collections::BTreeSet;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::{Ecc, Flash, Geometry};
use wordline_nvm::NvmError;
use wordline_rtfs::{PacedConfig, PacedError, PacedLayer, PacedRules};

use crate::model::{PAGE, content};
use crate::rules::{COLUMNS, blank};

/// A flash whose power, pages and blocks fail where a scene says so.
#[derive(Clone, Debug)]
struct SceneFlash {
    flash: FlashImage,
    /// What it held before each program and erase, if that is watched.
    before: Option<Vec<FlashImage>>,
    /// Programs until one fails.
    until_failure: u32,
    /// Erases that are to fail, the next ones.
    failing_erases: u32,
    /// Torn pages, while they cannot be read.
    unreadable: BTreeSet<u32>,
    /// The page that was programmed last.
    last: u32,
    /// Programs and erases that failed.
    failed: u32,
}

impl SceneFlash {
    fn new(geometry: Geometry) -> Self {
        Self {
            flash: blank(geometry),
            before: None,
            until_failure: u32::MAX,
            failing_erases: 0,
            unreadable: BTreeSet::new(),
            last: 0,
            failed: 0,
        }
    }

    fn watch(&mut self) {
        if let Some(before) = &mut self.before {
            before.push(self.flash.clone());
        }
    }
}

impl Flash for SceneFlash {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        if self.unreadable.contains(&page) {
            return Err(NvmError::Uncorrectable { page });
        }
        self.flash.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.watch();
        self.until_failure -= 1;
        if self.until_failure == 0 {
            self.until_failure = u32::MAX;
            self.failed += 1;
            return Err(NvmError::ProgramFailed { page });
        }
        self.last = page;
        self.flash.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.watch();
        if self.failing_erases > 0 {
            self.failing_erases -= 1;
            self.failed += 1;
            return Err(NvmError::EraseFailed { block });
        }
        let pages = self.geometry().pages_of(block);
        self.unreadable.retain(|page| !pages.contains(page));
        self.flash.erase(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.flash.mark_bad(block)
    }
}

const GEOMETRY: Geometry = Geometry {
    page_bytes: PAGE as u32,
    spare_bytes: 16,
    pages_per_block: 22,
    blocks: 10,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

/// Twenty pages of each block behind its header.
const SMALL: PacedConfig = PacedConfig {
    logical_pages: 24,
    bad_blocks: 0,
    log_entries: 16,
};

/// A layer, and what its pages hold.
#[derive(Clone)]
struct Scene {
    layer: PacedLayer<SceneFlash, Vec<u8>>,
    versions: Vec<u64>,
    /// Pages that were discarded since they were written: a mount may bring them back.
    discarded: BTreeSet<u32>,
    config: PacedConfig,
    rules: PacedRules,
}

impl Scene {
    fn new(geometry: Geometry, config: PacedConfig, rules: PacedRules) -> Self {
        let memory = vec![0; config.bound(&geometry).expect("it suits").ram_bytes];
        let stage = SceneFlash::new(geometry);
        let layer = PacedLayer::format_with(stage, COLUMNS, config, memory, rules);
        Self {
            layer: layer.expect("a format"),
            versions: vec![0; config.logical_pages as usize],
            discarded: BTreeSet::new(),
            config,
            rules,
        }
    }

    fn stage(&mut self) -> &mut SceneFlash {
        self.layer.flash_mut()
    }

    fn write(&mut self, group: &[u32]) {
        let next = |logical: &u32| (*logical, self.versions[*logical as usize] + 1);
        let next: Vec<_> = group.iter().map(next).collect();
        let contents: Vec<_> = next
            .iter()
            .map(|(logical, version)| content(*logical, *version))
            .collect();
        let pages = group.iter().zip(&contents);
        let pages: Vec<(u32, &[u8])> = pages.map(|(page, bytes)| (*page, &bytes[..])).collect();
        self.layer.write_group(&pages).expect("a write");
        for (logical, version) in next {
            self.versions[logical as usize] = version;
            self.discarded.remove(&logical);
        }
    }

    fn discard(&mut self, logical: u32) {
        self.layer.discard(logical).expect("a discard");
        self.discarded.insert(logical);
    }

    /// Mounts what the flash holds, as after a power cut.
    fn mount(mut self) -> Self {
        let flash = self.layer.flash().clone();
        let memory = vec![0; self.layer.bound().ram_bytes];
        let layer = PacedLayer::mount_with(flash, COLUMNS, self.config, memory, self.rules);
        self.layer = layer.unwrap_or_else(|error| panic!("a mount: {error}"));
        self
    }

    /// What the flash holds behind each of the programs and erases of a mount, but the last.
    fn cut_mounts(&self) -> Vec<FlashImage> {
        let mut watched = self.clone();
        watched.stage().before = Some(Vec::new());
        let mut mounted = watched.mount();
        mounted.stage().before.take().expect("it was watched")
    }

    fn check(&mut self) {
        let mut page = [0; PAGE];
        for (logical, version) in (0..).zip(&self.versions) {
            let written = self.layer.read(logical, &mut page);
            let written = written.unwrap_or_else(|error| panic!("logical page {logical}: {error}"));
            if *version == 0 || self.discarded.contains(&logical) && !written {
                assert!(!written, "logical page {logical}");
                continue;
            }
            assert!(written, "logical page {logical} is lost");
            assert_eq!(page, content(logical, *version), "logical page {logical}");
        }
    }
}

/// A mount is cut as it ends. Its last page cannot be read at the next mount, whose block gets data then, and reads well
/// at the one after that. Both blocks must not have the same number.
pub(crate) fn an_end_page_reads_again(rules: PacedRules) {
    let mut scene = Scene::new(GEOMETRY, SMALL, rules);
    // When a block has just been opened, none is erased ahead, and the mounts open the next two.
    scene.write(&[0]);
    for _ in 0..24 {
        for _ in 0..20 {
            scene.write(&[0]);
        }
        let mut cut = scene.clone().mount();
        let end = cut.stage().last;
        cut.stage().unreadable.insert(end);
        cut = cut.mount();
        cut.write(&[0]);
        cut.stage().unreadable.remove(&end);
        cut.mount().check();
    }
}

/// A block is worn less than others, since it held a page that rested. The log goes on in it, and the power fails. A
/// mount moves what it holds, and is cut as it ends; the next one is cut, too. Then the last page of the first cannot be
/// read, so that the block counts again.
pub(crate) fn a_block_before_is_needed(rules: PacedRules) {
    let mut scene = Scene::new(GEOMETRY, SMALL, rules);
    scene.write(&[1]);
    for _ in 0..800 {
        scene.write(&[0]);
    }
    scene.write(&[1]);
    for _ in 0..100 {
        scene.write(&[0]);
        let mut first = scene.clone().mount();
        let end = first.stage().last;
        for cut in first.cut_mounts() {
            let mut second = first.clone();
            second.stage().flash = cut;
            // Unless it was erased.
            second.stage().unreadable.insert(end);
            second.mount().check();
        }
    }
}

/// Blocks each of which holds one page are taken by mounts, one for each write.
pub(crate) fn each_write_is_mounted(rules: PacedRules) {
    let mut scene = Scene::new(GEOMETRY, SMALL, rules);
    for call in 0..48 {
        scene.write(&[call % 24]);
        scene = scene.mount();
    }
    scene.check();
}

/// Blocks hold nothing but one page each that the stored map names, and that has been written again since. Mounts find
/// them dead, write after write.
pub(crate) fn blocks_hold_one_dead_page_each(rules: PacedRules) {
    let geometry = Geometry {
        blocks: 16,
        ..GEOMETRY
    };
    let config = PacedConfig {
        logical_pages: 64,
        log_entries: 40,
        ..SMALL
    };
    for blocks in 8..11 {
        let mut scene = Scene::new(geometry, config, rules);
        for logical in 0..blocks {
            scene.write(&[logical]);
            for _ in 0..18 {
                scene.write(&[20]);
            }
        }
        let stored = scene.layer.work().stored;
        for logical in 21..64 {
            if scene.layer.work().stored > stored {
                break;
            }
            scene.write(&[logical]);
        }
        for logical in 0..blocks {
            scene.write(&[logical]);
        }
        for logical in 40..56 {
            scene = scene.mount();
            scene.write(&[logical]);
        }
        scene.check();
    }
}

/// The only page of a block is discarded, so that the block could be erased before the map or a header say so.
pub(crate) fn a_discard_frees_a_block(rules: PacedRules) {
    let mut scene = Scene::new(GEOMETRY, SMALL, rules);
    scene.write(&[1]);
    for _ in 0..240 {
        scene.write(&[0]);
        let mut scene = scene.clone();
        scene.discard(1);
        scene.layer.work_ahead(true).expect("work ahead");
        scene.mount().check();
    }
}

/// Erases fail, so that fewer blocks are free than there must be when a block is full. Pages pay what they may until there
/// are, and the one that opens the next block no more than that.
pub(crate) fn blocks_are_short_at_the_last_page(rules: PacedRules) {
    let geometry = Geometry {
        pages_per_block: 23,
        blocks: 56,
        ..GEOMETRY
    };
    let config = PacedConfig {
        bad_blocks: 16,
        log_entries: 48,
        ..SMALL
    };
    let steps = 3;
    let most = config.largest(&geometry, steps).expect("some work");
    let config = PacedConfig {
        logical_pages: most,
        ..config
    };
    let mut used = Scene::new(geometry, config, rules);
    let random = |call| draw(3, call, 0, Purpose::Address) % u64::from(most);
    used.stage().failing_erases = 3;
    for logical in 0..most {
        used.write(&[logical]);
    }
    for call in 0..1_200 {
        used.write(&[random(call) as u32]);
        if !call.is_multiple_of(3) || call < 600 {
            continue;
        }
        let mut scene = used.clone();
        scene.stage().failing_erases = 5 + (call / 3 % 8) as u32;
        for later in call..call + 40 {
            let (failed, work) = (scene.stage().failed, *scene.layer.work());
            let logical = random(later + 1) as u32;
            if let Err(error) = scene.layer.write(logical, &content(logical, 0)) {
                assert_eq!(error, PacedError::WornOut);
                break;
            }
            if scene.stage().failed > failed {
                continue;
            }
            let done = scene.layer.work();
            let cost = done.steps - work.steps + done.headers - work.headers;
            assert!(cost <= u64::from(steps), "{cost} of {steps}");
        }
    }
}

/// A block that is worn little is filled with versions of one page, which is discarded. A group begins at its end, behind
/// a page of the map that is stored again before the group has ended; a program fails, and a third block is opened.
pub(crate) fn a_group_spans_three_blocks(rules: PacedRules) {
    let geometry = Geometry {
        pages_per_block: 34,
        blocks: 11,
        ..GEOMETRY
    };
    let config = PacedConfig {
        logical_pages: 27,
        bad_blocks: 1,
        ..SMALL
    };
    for blocks in 5..8 {
        let mut scene = Scene::new(geometry, config, rules);
        scene.write(&[26]);
        for _ in 0..1000 {
            scene.write(&[0]);
        }
        for block in 0..blocks {
            for index in 0..3 {
                scene.write(&[1 + 3 * block + index]);
            }
            if block + 2 == blocks {
                scene.write(&[26]);
            }
            for _ in 0..27 {
                scene.write(&[0]);
            }
        }
        let group: Vec<u32> = (1..9).collect();
        for _ in 0..100 {
            scene.write(&[0]);
            for until_failure in 6..24 {
                let mut scene = scene.clone();
                scene.discard(0);
                scene.stage().until_failure = until_failure;
                scene.write(&group);
                scene.check();
            }
        }
    }
}
