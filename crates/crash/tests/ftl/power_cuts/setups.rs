//! The flash memories and configurations that are cut.

use wordline_memory::{Flash, FlashErrorKind, Geometry};

use wordline_crash::{EccStrength, FlashContent, FlashImage, FlashTearing, Mode, Recording};
use wordline_nvm::NvmError;
use wordline_nvm::Pairing;
use wordline_nvm::ftl::Barriers;
use wordline_nvm::ftl::{
    Cleaning, FlashMedia, FtlConfig, Leveling, Mapping, Media, NextBlock, Shape, Slc, SpareLayout,
    Victim,
};

/// Bytes of a sector: two of them make the smallest page.
pub(super) const SECTOR: usize = 32;

/// A flash memory and a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    pub(super) name: &'static str,
    pub(super) page_bytes: u32,
    pub(super) pages_per_block: u32,
    pub(super) blocks: u32,
    pub(super) ecc: bool,
    pub(super) pairing: Option<Pairing>,
    pub(super) config: fn(Shape) -> FtlConfig,
    /// Programs and erases that fail.
    pub(super) failures: u32,
}

fn plain(_: Shape) -> FtlConfig {
    FtlConfig {
        mapping: Mapping::Page,
        spare_blocks: 5,
        cleaning: Cleaning {
            victim: Victim::Greedy,
            start_below: 3,
            stop_at: 3,
            steps_per_write: None,
            idle_until: 4,
        },
        leveling: Leveling {
            next: NextBlock::FewestErases,
            static_above: None,
        },
        slc: None,
    }
}

fn leveled(shape: Shape) -> FtlConfig {
    let mut config = plain(shape);
    config.cleaning.victim = Victim::CostBenefit;
    config.cleaning.steps_per_write = Some(2);
    config.leveling.static_above = Some(2);
    config.spare_blocks += 1;
    config
}

fn cached(shape: Shape) -> FtlConfig {
    let mut config = plain(shape);
    config.spare_blocks += 2;
    config.slc = Some(Slc {
        blocks: 2,
        folds_when_idle: true,
    });
    config
}

fn logs(shape: Shape, logs: u32, shared_by: u32) -> FtlConfig {
    let mut config = plain(shape);
    config.mapping = Mapping::LogBlock { logs, shared_by };
    config.spare_blocks = 7;
    config
}

fn roomy(shape: Shape) -> FtlConfig {
    let mut config = plain(shape);
    config.spare_blocks += 2;
    config
}

fn own_logs(shape: Shape) -> FtlConfig {
    logs(shape, 3, 1)
}

fn shared_logs(shape: Shape) -> FtlConfig {
    logs(shape, 3, 4)
}

const PLAIN: Setup = Setup {
    name: "pages, greedy",
    page_bytes: 64,
    pages_per_block: 8,
    blocks: 9,
    ecc: false,
    pairing: None,
    config: plain,
    failures: 0,
};

/// Every setup.
pub(super) const SETUPS: [Setup; 8] = [
    PLAIN,
    Setup {
        name: "pages, cost-benefit, static levelling, ECC",
        page_bytes: 128,
        blocks: 10,
        ecc: true,
        config: leveled,
        ..PLAIN
    },
    Setup {
        name: "pages, pairs at distance 3, ECC",
        ecc: true,
        pages_per_block: 14,
        pairing: Some(Pairing::Distance3),
        ..PLAIN
    },
    Setup {
        name: "pages, pairs at distance 6, levelling",
        page_bytes: 128,
        pages_per_block: 20,
        pairing: Some(Pairing::Distance6),
        config: leveled,
        ..PLAIN
    },
    Setup {
        name: "SLC cache of lower pages, ECC",
        ecc: true,
        pages_per_block: 14,
        blocks: 11,
        pairing: Some(Pairing::Distance3),
        config: cached,
        ..PLAIN
    },
    Setup {
        name: "pages, blocks that fail, pairs",
        blocks: 11,
        pages_per_block: 14,
        pairing: Some(Pairing::Distance3),
        config: roomy,
        failures: 2,
        ..PLAIN
    },
    Setup {
        name: "log blocks of one logical block each (BAST), ECC",
        blocks: 11,
        ecc: true,
        config: own_logs,
        ..PLAIN
    },
    Setup {
        name: "shared log blocks (FAST), pairs",
        blocks: 11,
        pages_per_block: 14,
        pairing: Some(Pairing::Distance3),
        config: shared_logs,
        ..PLAIN
    },
];

impl Setup {
    fn geometry(&self) -> Geometry {
        Geometry {
            page_bytes: self.page_bytes,
            spare_bytes: 16,
            pages_per_block: self.pages_per_block,
            blocks: self.blocks,
            program_bytes: 1,
            programs_per_page: Some(1),
            once_bytes: None,
            in_order: true,
        }
    }

    pub(super) fn tearing(&self) -> FlashTearing {
        let mut tearing = FlashTearing::raw();
        tearing.ecc = self.ecc.then_some(EccStrength {
            sector_bytes: SECTOR as u32,
            bits: 2,
            refresh_from: 2,
        });
        tearing.pairing = self.pairing;
        tearing
    }

    /// The flash as it leaves the factory.
    pub(super) fn blank(&self) -> FlashImage {
        let recording = Recording::new(FlashContent::erased(self.geometry()), self.tearing());
        let mut images = recording.images(Mode::Linear, 0);
        images.next().expect("a cut before everything")
    }

    pub(super) fn media<F: Flash<Error = NvmError>>(
        &self,
        flash: F,
        barriers: Barriers,
    ) -> Result<FlashMedia<F>, String> {
        let layout = SpareLayout::new(std::iter::once(1..16)).map_err(|error| error.to_string())?;
        let media = FlashMedia::new(flash, layout).map_err(|error| error.to_string())?;
        let media = match self.pairing {
            Some(pairing) => media
                .with_pairing(pairing)
                .map_err(|error| error.to_string())?,
            None => media,
        };
        let media = media.with_sector_bytes(SECTOR as u32);
        Ok(media.with_barriers(barriers))
    }

    pub(super) fn config(&self, shape: Shape) -> FtlConfig {
        (self.config)(shape)
    }

    pub(super) fn config_of<F: Flash>(&self, media: &FlashMedia<F>) -> FtlConfig {
        self.config(media.shape())
    }
}

/// A flash of which some programs and erases fail, one in so many.
#[derive(Clone, Debug)]
pub(super) struct Failing<F> {
    pub(super) flash: F,
    /// How many are still to fail.
    pub(super) failures: u32,
    /// Operations until the next failure.
    pub(super) until: u32,
}

impl<F> Failing<F> {
    const EVERY: u32 = 67;

    pub(super) fn new(flash: F, failures: u32) -> Self {
        Self {
            flash,
            failures,
            until: Self::EVERY,
        }
    }

    fn fails(&mut self) -> bool {
        if self.failures == 0 {
            return false;
        }
        self.until -= 1;
        let fails = self.until == 0;
        if fails {
            self.failures -= 1;
            self.until = Self::EVERY;
        }
        fails
    }
}

impl<F: Flash<Error = NvmError>> Flash for Failing<F> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn read(
        &mut self,
        page: u32,
        column: u32,
        out: &mut [u8],
    ) -> Result<wordline_memory::Ecc, NvmError> {
        self.flash.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        if self.fails() {
            return Err(NvmError::ProgramFailed { page });
        }
        self.flash.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        if self.fails() {
            return Err(NvmError::EraseFailed { block });
        }
        self.flash.erase(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.flash.mark_bad(block)
    }
}

#[test]
fn failures_are_those_of_the_contract() {
    use wordline_memory::FlashError;
    let mut flash = Failing::new(SETUPS[0].blank(), 1);
    flash.until = 1;
    let error = flash.erase(1).expect_err("the first operation fails");
    assert_eq!(error.kind(), FlashErrorKind::EraseFailed);
    assert_eq!(flash.erase(1), Ok(()));
}
