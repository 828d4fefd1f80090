//! Random calls against a plain map; every call within its bound.

use std::collections::HashMap;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::Geometry;
use wordline_rtfs::{PacedConfig, PacedLayer};

use crate::rules::{Counted, Operations, blank};

pub(crate) const PAGE: usize = 128;
pub(crate) const COLUMNS: [u32; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

pub(crate) const GEOMETRY: Geometry = Geometry {
    page_bytes: PAGE as u32,
    spare_bytes: 16,
    pages_per_block: 32,
    blocks: 40,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

pub(crate) fn content(logical: u32, version: u64) -> [u8; PAGE] {
    let mut bytes = [0; PAGE];
    for (word, place) in (0..).zip(bytes.chunks_mut(8)) {
        let key = u64::from(logical) << 32 | version;
        place.copy_from_slice(&draw(5, key, word, Purpose::Payload).to_le_bytes());
    }
    bytes
}

/// What random calls go to.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    Uniform,
    Hot,
    Sequential,
    Strided,
}

struct Trial {
    layer: PacedLayer<Counted<FlashImage>, Vec<u8>>,
    versions: HashMap<u32, u64>,
    config: PacedConfig,
}

impl Trial {
    fn new(config: PacedConfig) -> Self {
        let flash = Counted::new(blank(GEOMETRY));
        let bytes = config.bound::<()>(&GEOMETRY).expect("it suits").ram_bytes;
        let layer = PacedLayer::format(flash, COLUMNS, config, vec![0; bytes]).expect("a format");
        Self {
            layer,
            versions: HashMap::new(),
            config,
        }
    }

    fn remount(self) -> Self {
        let Self {
            layer,
            versions,
            config,
        } = self;
        let (flash, memory) = layer.into_parts();
        let layer = PacedLayer::mount(flash, COLUMNS, config, memory).expect("a mount");
        Self {
            layer,
            versions,
            config,
        }
    }

    fn operations(&self) -> Operations {
        self.layer.flash().count
    }

    fn check_all(&mut self) {
        let mut page = [0; PAGE];
        for logical in 0..self.config.logical_pages {
            let written = self.layer.read(logical, &mut page).expect("a read");
            match self.versions.get(&logical) {
                Some(version) => {
                    assert!(written, "logical page {logical} is lost");
                    assert_eq!(page, content(logical, *version), "logical page {logical}");
                }
                None => assert!(!written || page == [0; PAGE], "logical page {logical}"),
            }
        }
    }

    /// Writes a group, and holds it against the bound.
    fn write(&mut self, group: &[u32], version: u64) {
        let contents: Vec<_> = group
            .iter()
            .map(|logical| content(*logical, version))
            .collect();
        let pages: Vec<(u32, &[u8])> = group
            .iter()
            .zip(&contents)
            .map(|(logical, bytes)| (*logical, &bytes[..]))
            .collect();
        let (before, work) = (self.operations(), *self.layer.work());
        self.layer.write_group(&pages).expect("a write");
        let (after, done) = (self.operations(), *self.layer.work());
        for logical in group {
            self.versions.insert(*logical, version);
        }
        let bound = *self.layer.bound();
        let pages = group.len() as u64;
        let erases = after.erases - before.erases;
        assert!(erases <= 1, "{erases} erases in a call");
        let paid = pages - 2 * erases.min(pages / 2);
        let headers = done.headers - work.headers;
        let steps = done.steps - work.steps;
        let most = paid * u64::from(bound.steps_per_page);
        assert!(
            steps + headers <= most.max(headers),
            "{steps} steps and {headers} header pages for {pages} pages with {erases} erases, and {most} are allowed; {bound:?}"
        );
    }
}

fn trial(config: PacedConfig, pattern: Pattern, calls: u64, remounts: bool, seed: u64) {
    let mut trial = Trial::new(config);
    let pages = u64::from(config.logical_pages);
    for call in 0..calls {
        let random = |number| draw(seed, call, number, Purpose::Address);
        let count = 1 + random(0) % 3;
        let group: Vec<u32> = (0..count)
            .map(|index| match pattern {
                Pattern::Uniform => random(1 + index) % pages,
                Pattern::Hot if random(9).is_multiple_of(10) => random(1 + index) % pages,
                Pattern::Hot => random(1 + index) % (pages / 10),
                Pattern::Sequential => (call * 3 + index) % pages,
                Pattern::Strided => ((call * 3 + index) * 37) % pages,
            } as u32)
            .collect();
        let mut once = group.clone();
        once.sort_unstable();
        once.dedup();
        if once.len() == group.len() {
            trial.write(&group, call);
        }
        match random(20) % 64 {
            0 => {
                let logical = (random(21) % pages) as u32;
                trial.layer.discard(logical).expect("a discard");
                trial.versions.remove(&logical);
                // Until it is stored, a mount may bring it back: write it, so that it is known.
                trial.write(&[logical], call);
            }
            1 if remounts => {
                trial.check_all();
                trial = trial.remount();
                trial.check_all();
            }
            2..5 => {
                for _ in 0..random(22) % 8 {
                    trial.layer.work_ahead(true).expect("work ahead");
                }
            }
            _ => {}
        }
    }
    trial.check_all();
}

#[test]
fn every_call_stays_within_its_bound_and_nothing_is_lost() {
    let config = PacedConfig {
        logical_pages: 560,
        bad_blocks: 0,
        log_entries: 128,
    };
    for pattern in [
        Pattern::Uniform,
        Pattern::Hot,
        Pattern::Sequential,
        Pattern::Strided,
    ] {
        trial(config, pattern, 12_000, false, 1);
    }
}

#[test]
fn mounts_in_between_lose_nothing() {
    let config = PacedConfig {
        logical_pages: 400,
        bad_blocks: 0,
        log_entries: 96,
    };
    for (seed, pattern) in [Pattern::Uniform, Pattern::Hot].into_iter().enumerate() {
        trial(config, pattern, 4_000, true, seed as u64);
    }
}

#[test]
fn a_capacity_too_large_names_the_largest_that_works() {
    use wordline_rtfs::PacedError;
    let config = |logical_pages| PacedConfig {
        logical_pages,
        bad_blocks: 0,
        log_entries: 64,
    };
    let Err(PacedError::Unsuitable { what, most, .. }) = config(1200).bound::<()>(&GEOMETRY) else {
        panic!("1200 of 1280 pages leave no room");
    };
    assert_eq!(what, "logical pages");
    let most = u32::try_from(most).expect("few pages");
    assert!(config(most).bound::<()>(&GEOMETRY).is_ok());
    assert!(config(most + 1).bound::<()>(&GEOMETRY).is_err());
}
