//! What becomes of a chip whose translation layer levels wear by cycles, by latency, or not at all: random pages are
//! written until so many blocks have failed that the layer has no room left. The chip is scaled, with few blocks and few
//! cycles, so that its whole life fits into a second: ratios count, not the figures. Lives are in pages written, erases
//! in multiples of a fresh one.

#![allow(clippy::print_stdout)]

use std::error::Error;

use wordline_core::Timing;
use wordline_core::draw::{Purpose as Draw, draw};
use wordline_memory::Flash as _;
use wordline_nvm::ageing::Environment;
use wordline_nvm::ftl::{
    CellMode, FlashMedia, FtlConfig, FtlError, LayerPurpose, Media, MediaFault, NextBlock,
    PageRecord, Shape, Translation,
};
use wordline_nvm::{
    Accounts as _, Board, Conditions, CycledFlash as _, Named, Nand, NandSheet, NvmError, Wired,
};

const POLICIES: [(&str, NextBlock, Option<u32>); 5] = [
    ("even", NextBlock::FewestErases, None),
    ("even, resting data moved", NextBlock::FewestErases, Some(8)),
    ("latency", NextBlock::QuickestErase, None),
    ("until-failure", NextBlock::MostErases, None),
    ("none", NextBlock::Oldest, None),
];

/// Chips of each policy.
const SEEDS: u64 = 20;

/// Blocks that the data do not count on, of 64.
const SPARE: u32 = 16;

/// A chip that counts how long its erases take.
struct Watched {
    media: FlashMedia<Wired<Nand>>,
    erases: u64,
    erase_ps: u64,
    fresh_ps: u64,
    sum_ps: u64,
    most_ps: u64,
}

impl Media for Watched {
    type Data = [u8];
    type Error = NvmError;

    fn shape(&self) -> Shape {
        self.media.shape()
    }

    fn purpose(&mut self, purpose: LayerPurpose) {
        self.media.purpose(purpose);
    }

    fn read(&mut self, page: u32, out: &mut [u8]) -> Result<(), MediaFault<NvmError>> {
        self.media.read(page, out)
    }

    fn program(
        &mut self,
        page: u32,
        record: PageRecord,
        data: &[u8],
    ) -> Result<(), MediaFault<NvmError>> {
        self.media.program(page, record, data)
    }

    fn copy(&mut self, from: u32, to: u32, record: PageRecord) -> Result<(), MediaFault<NvmError>> {
        self.media.copy(from, to, record)
    }

    fn fill(&mut self, page: u32, record: PageRecord) -> Result<(), MediaFault<NvmError>> {
        self.media.fill(page, record)
    }

    fn summarize(
        &mut self,
        block: u32,
        records: &[PageRecord],
    ) -> Result<(), MediaFault<NvmError>> {
        self.media.summarize(block, records)
    }

    fn erase(&mut self, block: u32, mode: CellMode) -> Result<(), MediaFault<NvmError>> {
        let before = self.media.flash().clock().now();
        let erased = self.media.erase(block, mode);
        self.erase_ps = self.media.flash().clock().now().since(before).ps();
        if self.erases == 0 {
            self.fresh_ps = self.erase_ps;
        }
        self.erases += 1;
        self.sum_ps += self.erase_ps;
        self.most_ps = self.most_ps.max(self.erase_ps);
        erased
    }

    fn erase_ps(&self) -> u64 {
        self.erase_ps
    }

    fn retire(&mut self, block: u32) -> Result<(), MediaFault<NvmError>> {
        self.media.retire(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, MediaFault<NvmError>> {
        self.media.is_bad(block)
    }

    fn safe_after(&self, page: u32) -> Option<u32> {
        self.media.safe_after(page)
    }

    fn advised(&mut self) -> Option<u32> {
        self.media.advised()
    }
}

/// A life from the first write to the last.
#[derive(Default)]
struct Life {
    written: f64,
    until_first: f64,
    amplification: f64,
    write_mean_s: f64,
    /// Mean of a write less the erases that it waited for.
    hidden_mean_s: f64,
    write_most_s: f64,
    /// The first erase.
    erase_fresh_s: f64,
    erase_mean_s: f64,
    erase_most_s: f64,
}

fn sheet() -> Result<NandSheet, Box<dyn Error>> {
    let text = concat!(
        include_str!("../tests/data/nand.toml"),
        include_str!("../tests/data/nand_aging.toml")
    );
    let text = text.replace("blocks = { value = 16,", "blocks = { value = 64,");
    let text = text.replace(
        "pages_per_block = { value = 8,",
        "pages_per_block = { value = 16,",
    );
    let text = text.replace(
        "bad_blocks_max = { value = 4,",
        "bad_blocks_max = { value = 0,",
    );
    Ok(toml::from_str(&text.replace("3000 cycles", "600 cycles"))?)
}

fn layer(
    seed: u64,
    next: NextBlock,
    above: Option<u32>,
) -> Result<Translation<Watched>, Box<dyn Error>> {
    let (sheet, board) = (sheet()?, include_str!("../tests/data/board.toml"));
    let board: Board = toml::from_str(board)?;
    let (part, board) = (
        Named {
            id: "scaled",
            sheet: &sheet,
        },
        Named {
            id: "board",
            sheet: &board,
        },
    );
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed,
    };
    let mut chip = Wired::connect(part, board, conditions)?;
    chip.start_ageing(Environment::default())?;
    let media = Watched {
        media: FlashMedia::of(chip, &sheet)?,
        erases: 0,
        erase_ps: 0,
        fresh_ps: 0,
        sum_ps: 0,
        most_ps: 0,
    };
    let mut config = FtlConfig::page_mapped(media.shape());
    config.spare_blocks = SPARE;
    config.leveling.next = next;
    config.leveling.static_above = above;
    Translation::format(media, config).map_err(|error| error.to_string().into())
}

/// Writes pages until there is no room: any of them, or, of `hot` ones, nine of ten times one of a tenth.
fn life(seed: u64, next: NextBlock, above: Option<u32>, hot: bool) -> Result<Life, Box<dyn Error>> {
    let mut layer = layer(seed, next, above)?;
    let pages = u64::from(layer.pages());
    let data = vec![0; layer.media().media.flash().geometry().page_bytes as usize];
    let (mut life, mut sum, mut most) = (Life::default(), 0.0, 0.0_f64);
    for index in 0.. {
        let lot = draw(seed, 1, index, Draw::Address);
        let range = if hot && !draw(seed, 2, index, Draw::Address).is_multiple_of(10) {
            pages / 10
        } else {
            pages
        };
        let before = layer.media().media.flash().clock().now();
        match layer.write((lot % range) as u32, &data) {
            Ok(()) => {}
            Err(FtlError::Full { .. }) => break,
            Err(error) => return Err(error.to_string().into()),
        }
        let took = layer.media().media.flash().clock().now().since(before);
        let took = took.ps() as f64 * 1e-12;
        sum += took;
        most = most.max(took);
        life.written += 1.0;
        if layer.work().retired == 0 {
            life.until_first = life.written;
        }
    }
    let work = layer.work();
    let programmed = work.written + work.cleaned + work.leveled + work.overhead;
    life.amplification = programmed as f64 / life.written;
    life.write_mean_s = sum / life.written;
    life.write_most_s = most;
    let media = layer.media();
    life.hidden_mean_s = (sum - media.sum_ps as f64 * 1e-12) / life.written;
    life.erase_fresh_s = media.fresh_ps as f64 * 1e-12;
    life.erase_mean_s = media.sum_ps as f64 * 1e-12 / media.erases as f64;
    life.erase_most_s = media.most_ps as f64 * 1e-12;
    Ok(life)
}

/// The lives of all chips.
fn lives(next: NextBlock, above: Option<u32>, hot: bool) -> Result<Vec<Life>, Box<dyn Error>> {
    let life = |seed| life(seed, next, above, hot);
    (0..SEEDS).map(life).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    for (work, hot) in [("any page", false), ("nine of ten to a tenth", true)] {
        println!("\n{work}, means of {SEEDS} chips\n");
        println!(
            "| policy | first failure | end | beside even | amplification | mean write | erases hidden | worst write | mean erase | worst |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        let even = lives(NextBlock::FewestErases, None, hot)?;
        for (name, next, above) in POLICIES {
            let lives = lives(next, above, hot)?;
            let mean = |of: fn(&Life) -> f64| lives.iter().map(of).sum::<f64>() / SEEDS as f64;
            // Chip by chip, because chips differ more than policies do.
            let beside = |life: (&Life, &Life)| life.0.written / life.1.written;
            let ratios: Vec<f64> = lives.iter().zip(&even).map(beside).collect();
            let ratio = ratios.iter().sum::<f64>() / SEEDS as f64;
            let spread = ratios.iter().map(|one| (one - ratio).powi(2)).sum::<f64>();
            let error = (spread / (SEEDS * (SEEDS - 1)) as f64).sqrt();
            let fresh = mean(|life| life.erase_fresh_s);
            println!(
                "| {name} | {:.0} | {:.0} | {ratio:.3} ± {error:.3} | {:.2} | {:.0} us | {:.0} us | {:.0} ms | {:.2} | {:.2} |",
                mean(|life| life.until_first),
                mean(|life| life.written),
                mean(|life| life.amplification),
                mean(|life| life.write_mean_s) * 1e6,
                mean(|life| life.hidden_mean_s) * 1e6,
                mean(|life| life.write_most_s) * 1e3,
                mean(|life| life.erase_mean_s) / fresh,
                mean(|life| life.erase_most_s) / fresh,
            );
        }
    }
    Ok(())
}
