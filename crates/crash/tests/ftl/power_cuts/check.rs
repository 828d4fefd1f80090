//! Images, each mounted and held against what may be found in it.

use std::collections::HashSet;
use std::fmt;

use wordline_core::draw::{Purpose, draw};
use wordline_memory::{BlockDevice, Flash};

use super::oracle::{Allowed, version_of};
use super::run::{Run, again, first, mount};
use super::setups::{SECTOR, Setup};
use wordline_crash::{FlashImage, ImageId, Mode};
use wordline_nvm::NvmError;
use wordline_nvm::ftl::Barriers;
use wordline_nvm::ftl::{Ftl, MountError};

/// What was found that may not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Violation {
    /// A call failed while nothing was cut.
    Call(String),
    /// The layer cannot be mounted.
    Mount(String),
    /// A sector cannot be read.
    Unreadable(String),
    /// A sector holds what it never held, such as a mixture or another sector's bytes.
    Alien { sector: usize },
    /// A sector holds a version that was overwritten and flushed, or lost before.
    Stale { sector: usize, version: u32 },
    /// A second mount finds something else than the first.
    SecondMount,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call(_) => "a call fails",
            Self::Mount(_) => "a mount fails",
            Self::Unreadable(_) => "a sector is unreadable",
            Self::Alien { .. } => "a sector holds what it never held",
            Self::Stale { .. } => "a sector holds an overwritten version",
            Self::SecondMount => "a second mount finds something else",
        })
    }
}

/// A violation, and the cuts after which it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caught {
    pub(super) violation: Violation,
    pub(super) cuts: Vec<String>,
}

impl Caught {
    /// The same, found after one more cut before the others.
    fn after(mut self, cut: String) -> Self {
        self.cuts.insert(0, cut);
        self
    }
}

impl From<Violation> for Caught {
    fn from(violation: Violation) -> Self {
        Self {
            violation,
            cuts: Vec::new(),
        }
    }
}

/// How thoroughly a setup is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    /// Calls of the recorded run.
    pub(super) calls: u64,
    /// One image in so many is mounted, used, and cut again.
    pub(super) again_every: u64,
    /// Calls after such a mount.
    pub(super) calls_again: u64,
    /// One image of such a second run in so many is mounted.
    pub(super) second_every: u64,
    /// Cuts one after the other, each within the mount after the one before.
    pub(super) mounts: u64,
}

/// What was looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Looked {
    /// Hashes of the images that were mounted.
    pub(super) images: HashSet<u64>,
    /// Images whose mount was cut, or what was done after it.
    pub(super) second_runs: u64,
    /// Images within such a second run.
    pub(super) second_images: u64,
    /// Mounts that were cut again and again.
    pub(super) cut_mounts: u64,
}

impl Looked {
    /// Adds what was looked at in another run.
    pub(super) fn add(&mut self, other: Self) {
        self.images.extend(other.images);
        self.second_runs += other.second_runs;
        self.second_images += other.second_images;
        self.cut_mounts += other.cut_mounts;
    }
}

/// Cuts a run everywhere.
pub(super) fn look(
    setup: &Setup,
    barriers: Barriers,
    depth: Depth,
    seed: u64,
    looked: &mut Looked,
) -> Result<(), Caught> {
    let run = first(setup, barriers, depth.calls, seed)?;
    let mut allowed = (usize::MAX, Vec::new());
    for (number, image) in (0..).zip(run.recording.images(Mode::Exhaustive, seed)) {
        let id = image.id();
        if allowed.0 != id.operation {
            allowed = (id.operation, run.oracle.allowed(id.operation));
        }
        let named = |caught: Caught| caught.after(format!("image {id}"));
        looked.images.insert(image.hash());
        let is_formatted = look_at(setup, barriers, &run, image.clone(), &allowed.1)
            .map_err(|violation| named(violation.into()))?;
        if is_formatted && u64::from(number as u32) % depth.again_every == 0 {
            looked.second_runs += 1;
            let run = again(setup, barriers, image, allowed.1.clone(), depth.calls_again);
            let run = run.map_err(|violation| named(violation.into()))?;
            look_again(setup, barriers, depth, &run, looked).map_err(named)?;
            cut_mounts(setup, barriers, depth, run, looked).map_err(named)?;
        }
    }
    Ok(())
}

/// Cuts a run that began with a mount.
fn look_again(
    setup: &Setup,
    barriers: Barriers,
    depth: Depth,
    run: &Run,
    looked: &mut Looked,
) -> Result<(), Caught> {
    let images = run.recording.images(Mode::Exhaustive, 1);
    for image in images.step_by(depth.second_every as usize) {
        let id = image.id();
        looked.images.insert(image.hash());
        looked.second_images += 1;
        let allowed = run.oracle.allowed(id.operation);
        look_at(setup, barriers, run, image, &allowed)
            .map_err(|violation| Caught::from(violation).after(format!("image {id}")))?;
    }
    Ok(())
}

/// Cuts the mount again and again: what the first cut left must still be found.
fn cut_mounts(
    setup: &Setup,
    barriers: Barriers,
    depth: Depth,
    mut run: Run,
    looked: &mut Looked,
) -> Result<(), Caught> {
    for cut in 0..depth.mounts {
        let ready = run.oracle.ready() as u64;
        let operation = draw(cut, ready, 0, Purpose::Tear) % (ready + 1);
        let allowed = run.oracle.allowed(operation as usize);
        let id = ImageId {
            operation: operation as usize,
            variant: draw(cut, ready, 1, Purpose::Tear) % 24,
            seed: cut,
        };
        let Some(image) = run.recording.image(id) else {
            continue;
        };
        looked.images.insert(image.hash());
        looked.cut_mounts += 1;
        let named = |violation| Caught::from(violation).after(format!("cut {cut}, image {id}"));
        run = again(setup, barriers, image, allowed, 0).map_err(named)?;
    }
    Ok(())
}

/// Mounts an image, twice, and reads every sector. Whether it was formatted.
fn look_at(
    setup: &Setup,
    barriers: Barriers,
    run: &Run,
    image: FlashImage,
    allowed: &[Allowed],
) -> Result<bool, Violation> {
    let operation = image.id().operation;
    let mut disk = match mount(setup, barriers, image) {
        Ok(disk) => disk,
        Err(MountError::NotFormatted | MountError::Foreign)
            if run.oracle.may_be_unformatted(operation) =>
        {
            return Ok(false);
        }
        Err(error) => return Err(Violation::Mount(error.to_string())),
    };
    let found = found_versions(&mut disk, allowed)?;
    let second = mount(setup, barriers, disk.into_flash());
    let mut disk = second.map_err(|error| Violation::Mount(error.to_string()))?;
    if found_versions(&mut disk, allowed)? != found {
        return Err(Violation::SecondMount);
    }
    Ok(true)
}

/// Reads every sector.
pub(super) fn found_versions<F: Flash<Error = NvmError>>(
    disk: &mut Ftl<F>,
    allowed: &[Allowed],
) -> Result<Vec<u32>, Violation> {
    let mut bytes = vec![0; allowed.len() * SECTOR];
    disk.read(0, &mut bytes)
        .map_err(|error| Violation::Unreadable(error.to_string()))?;
    let sectors = bytes.chunks(SECTOR).zip(allowed).enumerate();
    sectors
        .map(|(sector, (bytes, allowed))| {
            let version = version_of(sector, bytes).ok_or(Violation::Alien { sector })?;
            if allowed.permits(version) {
                Ok(version)
            } else {
                Err(Violation::Stale { sector, version })
            }
        })
        .collect()
}
