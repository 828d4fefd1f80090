//! The layer under power cuts: every cut of recorded runs, each image of it mounted, read whole, and mounted again; and
//! cuts within those mounts, and of what is done after them.

use wordline_core::draw::{Purpose, draw};
use wordline_crash::{EccStrength, FlashImage, FlashTearing, ImageId, Mode, Recorder, Recording};
use wordline_memory::{Flash, Geometry};
use wordline_nvm::NvmError;
use wordline_rtfs::{PacedConfig, PacedError, PacedLayer};

use crate::rules::blank;

const COLUMNS: [u32; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// A flash that is cut.
#[derive(Clone, Copy, Debug)]
struct Setup {
    geometry: Geometry,
    config: PacedConfig,
    ecc: bool,
}

const SMALL: Setup = Setup {
    geometry: Geometry {
        page_bytes: 128,
        spare_bytes: 16,
        pages_per_block: 16,
        blocks: 12,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    },
    config: PacedConfig {
        logical_pages: 48,
        bad_blocks: 0,
        log_entries: 20,
    },
    ecc: false,
};

/// What each logical page holds: the number of the call that wrote it, 0 if none.
type State = Vec<u64>;

/// A recorded run, and what may be found at each of its operations.
struct Run {
    recording: Recording<FlashTearing>,
    /// What may be found before `ready`.
    start: Vec<State>,
    /// Operations that the format or the mount took.
    ready: usize,
    /// What was found then.
    settled: State,
    /// Of each call: operations before and after it, and what it wrote.
    calls: Vec<(usize, usize, Vec<(u32, u64)>)>,
}

impl Run {
    /// The states that may be found after a cut within an operation.
    fn allowed(&self, operation: usize) -> Vec<State> {
        if operation < self.ready {
            return self.start.clone();
        }
        let mut state = self.settled.clone();
        for (before, after, writes) in &self.calls {
            if *after <= operation {
                apply(&mut state, writes);
            } else if *before <= operation {
                let mut with = state.clone();
                apply(&mut with, writes);
                return vec![state, with];
            }
        }
        vec![state]
    }
}

fn apply(state: &mut State, writes: &[(u32, u64)]) {
    for (logical, version) in writes {
        state[*logical as usize] = *version;
    }
}

fn content(bytes: usize, logical: u32, version: u64) -> Vec<u8> {
    let mut content = vec![0; bytes];
    content[..8].copy_from_slice(&version.to_le_bytes());
    for (word, place) in (0..).zip(content[8..].chunks_mut(8)) {
        let key = u64::from(logical) << 32 | version;
        let drawn = draw(5, key, word, Purpose::Payload).to_le_bytes();
        place.copy_from_slice(&drawn[..place.len()]);
    }
    content
}

impl Setup {
    fn tearing(&self) -> FlashTearing {
        if self.ecc {
            FlashTearing::with_ecc(EccStrength {
                sector_bytes: 64,
                bits: 1,
                refresh_from: 1,
            })
        } else {
            FlashTearing::raw()
        }
    }

    fn memory(&self) -> Vec<u8> {
        let bound = self.config.bound::<()>(&self.geometry).expect("it suits");
        vec![0; bound.ram_bytes]
    }

    fn mount<F: Flash<Error = NvmError>>(
        &self,
        flash: F,
    ) -> Result<PacedLayer<F, Vec<u8>>, PacedError<NvmError>> {
        PacedLayer::mount(flash, COLUMNS, self.config, self.memory())
    }

    fn first(&self, calls: u64, seed: u64) -> Run {
        let image = blank(self.geometry);
        let content = image.content().clone();
        let recorder = Recorder::new(image, content, self.tearing());
        let layer = PacedLayer::format(recorder, COLUMNS, self.config, self.memory());
        let layer = layer.expect("a format");
        let empty = vec![0; self.config.logical_pages as usize];
        self.go_on(layer, vec![empty.clone()], empty, calls, seed)
    }

    fn again(&self, image: FlashImage, start: Vec<State>, calls: u64) -> Run {
        let seed = image.hash();
        let recorder = image.record(self.tearing());
        let mut layer = self.mount(recorder).expect("a mount");
        let found = self.found(&mut layer);
        assert!(start.contains(&found), "a mount finds {found:?} of {start:?}");
        self.go_on(layer, start, found, calls, seed)
    }

    fn go_on(
        &self,
        mut layer: PacedLayer<Recorder<FlashImage, FlashTearing>, Vec<u8>>,
        start: Vec<State>,
        settled: State,
        calls: u64,
        seed: u64,
    ) -> Run {
        let ready = layer.flash().operations();
        let mut run = Vec::new();
        for call in 0..calls {
            let random = |number| draw(seed, call, number, Purpose::Address);
            let pages = u64::from(self.config.logical_pages);
            // Half of the calls go to a quarter of the pages.
            let range = if random(0).is_multiple_of(2) { pages / 4 } else { pages };
            let mut group: Vec<u32> = (0..1 + random(1) % 3)
                .map(|index| (random(2 + index) % range) as u32)
                .collect();
            group.sort_unstable();
            group.dedup();
            let version = (seed & 0xFFFF_FFFF) << 20 | (call + 1);
            let bytes = self.geometry.page_bytes as usize;
            let contents: Vec<_> = group
                .iter()
                .map(|logical| content(bytes, *logical, version))
                .collect();
            let pages: Vec<(u32, &[u8])> = group
                .iter()
                .zip(&contents)
                .map(|(logical, bytes)| (*logical, &bytes[..]))
                .collect();
            let before = layer.flash().operations();
            layer.write_group(&pages).expect("a write");
            let after = layer.flash().operations();
            run.push((
                before,
                after,
                group.iter().map(|logical| (*logical, version)).collect(),
            ));
            if random(9).is_multiple_of(5) {
                layer.work_ahead(true).expect("work ahead");
            }
        }
        let (_, recording) = layer.into_flash().finish();
        Run {
            recording,
            start,
            ready,
            settled,
            calls: run,
        }
    }

    /// Reads every logical page.
    fn found<F: Flash<Error = NvmError>>(&self, layer: &mut PacedLayer<F, Vec<u8>>) -> State {
        let bytes = self.geometry.page_bytes as usize;
        let mut page = vec![0; bytes];
        (0..self.config.logical_pages)
            .map(|logical| {
                let written = layer.read(logical, &mut page).expect("a page can be read");
                if !written {
                    return 0;
                }
                let version = u64::from_le_bytes(page[..8].try_into().expect("8 bytes"));
                assert_eq!(page, content(bytes, logical, version), "logical page {logical}");
                version
            })
            .collect()
    }

    /// Mounts an image twice and reads it.
    fn look_at(&self, run: &Run, image: FlashImage) {
        let id = image.id();
        let allowed = run.allowed(id.operation);
        let mut layer = match self.mount(image) {
            Ok(layer) => layer,
            Err(PacedError::NotFormatted) if id.operation < run.ready && allowed[0].iter().all(|version| *version == 0) => return,
            Err(error) => panic!("image {id}: {error}"),
        };
        let found = self.found(&mut layer);
        assert!(
            allowed.contains(&found),
            "image {id}: found {found:?}\nallowed {allowed:?}"
        );
        let mut layer = self.mount(layer.into_flash()).expect("a second mount");
        assert_eq!(self.found(&mut layer), found, "image {id}: a second mount");
    }
}

/// Cuts a run everywhere; one image in so many is mounted, used, and cut again.
fn look(setup: &Setup, calls: u64, again_every: u64, seed: u64) -> (u64, u64) {
    let run = setup.first(calls, seed);
    let (mut images, mut second) = (0, 0);
    for (number, image) in (0u64..).zip(run.recording.images(Mode::Exhaustive, seed)) {
        images += 1;
        let id = image.id();
        setup.look_at(&run, image.clone());
        if id.operation >= run.ready && number.is_multiple_of(again_every) {
            let mut run = setup.again(image, run.allowed(id.operation), 6);
            for image in run.recording.images(Mode::Exhaustive, 1).step_by(5) {
                second += 1;
                setup.look_at(&run, image);
            }
            // The mount is cut, and the mount after that.
            for cut in 0..8 {
                let ready = run.ready as u64;
                let operation = (draw(cut, ready, 0, Purpose::Tear) % (ready + 1)) as usize;
                let variant = draw(cut, ready, 1, Purpose::Tear) % 24;
                let id = ImageId {
                    operation,
                    variant,
                    seed: cut,
                };
                let Some(image) = run.recording.image(id) else {
                    continue;
                };
                second += 1;
                let allowed = run.allowed(operation);
                run = setup.again(image, allowed, 0);
            }
        }
    }
    (images, second)
}

#[test]
fn every_cut_leaves_what_returned_and_groups_whole() {
    let mut total = (0, 0);
    for seed in 0..2 {
        let (images, second) = look(&SMALL, 60, 97, seed);
        total = (total.0 + images, total.1 + second);
    }
    assert!(total.0 > 1000, "{total:?}");
}

#[test]
fn every_cut_behind_an_ecc_leaves_what_returned_and_groups_whole() {
    let setup = Setup { ecc: true, ..SMALL };
    look(&setup, 60, 97, 7);
}
