//! Runs that are recorded: calls of all kinds, drawn from a seed.

use wordline_core::draw::{Purpose, draw};
use wordline_memory::{BlockDevice, Flash};

use super::check::{Violation, found_versions};
use super::oracle::{Allowed, Oracle};
use super::setups::{Failing, SECTOR, Setup};
use wordline_crash::{FlashImage, FlashTearing, Recorder, Recording};
use wordline_nvm::NvmError;
use wordline_nvm::ftl::Barriers;
use wordline_nvm::ftl::{Ftl, SectorError};

/// A recorded run, and what it promises.
pub(super) struct Run {
    pub(super) recording: Recording<FlashTearing>,
    pub(super) oracle: Oracle,
}

type Recorded = Recorder<Failing<FlashImage>, FlashTearing>;

fn recorder(setup: &Setup, image: FlashImage, failures: u32) -> Recorded {
    let content = image.content().clone();
    Recorder::new(Failing::new(image, failures), content, setup.tearing())
}

fn operations(disk: &Ftl<Recorded>) -> usize {
    disk.layer().media().flash().operations()
}

/// Formats a blank flash and uses it.
pub(super) fn first(
    setup: &Setup,
    barriers: Barriers,
    calls: u64,
    seed: u64,
) -> Result<Run, Violation> {
    let recorder = recorder(setup, setup.blank(), setup.failures);
    let media = setup.media(recorder, barriers).map_err(Violation::Call)?;
    let config = setup.config_of(&media);
    let disk = Ftl::format(media, config).map_err(|error| Violation::Call(error.to_string()))?;
    let oracle = Oracle::of_format(disk.sectors() as usize, operations(&disk));
    go_on(disk, oracle, calls, seed)
}

/// Mounts what a power cut left, in which so much may be found, and goes on using it.
pub(super) fn again(
    setup: &Setup,
    barriers: Barriers,
    image: FlashImage,
    allowed: Vec<Allowed>,
    calls: u64,
) -> Result<Run, Violation> {
    let seed = image.hash();
    let recorder = recorder(setup, image, 0);
    let media = setup.media(recorder, barriers).map_err(Violation::Call)?;
    let config = setup.config_of(&media);
    let mut disk =
        Ftl::mount(media, config).map_err(|error| Violation::Mount(error.to_string()))?;
    let found = found_versions(&mut disk, &allowed)?;
    let oracle = Oracle::of_mount(allowed, &found, operations(&disk));
    go_on(disk, oracle, calls, seed)
}

/// Random calls.
fn go_on(
    mut disk: Ftl<Recorded>,
    mut oracle: Oracle,
    calls: u64,
    seed: u64,
) -> Result<Run, Violation> {
    for call in 0..calls {
        one_call(&mut disk, &mut oracle, seed, call)
            .map_err(|error| Violation::Call(error.to_string()))?;
    }
    let (_, recording) = disk.into_flash().finish();
    Ok(Run { recording, oracle })
}

fn one_call(
    disk: &mut Ftl<Recorded>,
    oracle: &mut Oracle,
    seed: u64,
    call: u64,
) -> Result<(), SectorError<NvmError>> {
    let random = |number| draw(seed, call, number, Purpose::Address);
    let sectors = disk.sectors();
    let before = operations(disk);
    // Half of the calls go to an eighth of the sectors.
    let range = if random(0).is_multiple_of(2) {
        sectors.div_ceil(8)
    } else {
        sectors
    };
    let sector = random(1) % range;
    let count = (1 + random(2) % 5).min(sectors - sector);
    match random(3) % 20 {
        0..=12 => {
            let data: Vec<u8> = (sector..sector + count)
                .flat_map(|sector| oracle.write(before, sector as usize))
                .collect();
            disk.write(sector, &data)?;
        }
        13..=15 => {
            disk.flush()?;
            oracle.flush(operations(disk));
        }
        16 => {
            // Pages that are trimmed in part stay as they are.
            let page = disk.layer().media().geometry().page_bytes as u64 / SECTOR as u64;
            let whole = sector.div_ceil(page) * page..(sector + count) / page * page;
            whole.for_each(|sector| oracle.trim(before, sector as usize));
            disk.trim(sector, count)?;
        }
        17 => {
            let mut out = vec![0; count as usize * SECTOR];
            disk.read(sector, &mut out)?;
        }
        _ => {
            for _ in 0..random(4) % 6 {
                disk.idle_step()?;
            }
        }
    }
    Ok(())
}

/// Sectors of a flash that can be mounted, and nothing else.
pub(super) fn mount<F: Flash<Error = NvmError>>(
    setup: &Setup,
    barriers: Barriers,
    flash: F,
) -> Result<Ftl<F>, wordline_nvm::ftl::MountError<NvmError>> {
    let media = setup
        .media(flash, barriers)
        .expect("a flash that carried the layer");
    let config = setup.config_of(&media);
    Ftl::mount(media, config)
}
