//! What a power cut can do to the operations on a flash memory, variant by variant.

use std::fmt;
use std::iter::once;

use wordline_core::draw::{Purpose, draw};
use wordline_memory::Geometry;
#[cfg(doc)]
use wordline_memory::{Ecc, Flash};

use super::flash::{FlashImage, FlashOperation};
use super::flash_content::{FlashContent, Weakness};
use super::flash_ecc::EccStrength;
use super::flash_harm::{Program, fail_erase, fail_program, tear_program};
use super::recording::{ImageId, Tearing};
use wordline_nvm::{FlashModel, Pairing};

/// What a power cut does to a program and an erase: everything that the contract of [`Flash`]
/// allows. One operation is under way at a time, so that only it is torn, and with it an erase that was left running: how
/// far that one came is drawn for each image. What a cut leaves of a cache
/// program, or of work on several planes, is more than these images show.
///
/// With an [ECC](FlashTearing::with_ecc) a read gives what a page was to hold, or nothing. With a
/// [pairing](FlashTearing::with_pairing) a program harms an earlier page as well, which is more than
/// the contract allows.
///
/// ```
/// use wordline_nvm::Pairing;
/// use wordline_crash::{EccStrength, FlashTearing};
/// let strength = EccStrength { sector_bytes: 1024, bits: 40, refresh_from: 30 };
/// let mlc = FlashTearing::with_ecc(strength).with_pairing(Pairing::Distance3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashTearing {
    /// The most byte prefixes of a program; longer ones are cut at evenly spaced bytes.
    pub prefixes: u32,
    /// How often each tear that is drawn bit by bit is drawn, with shares from 1/8 to 7/8.
    pub draws: u32,
    /// The ECC on the chip, if there is one.
    pub ecc: Option<EccStrength>,
    /// Which pages share their cells, if any do.
    pub pairing: Option<Pairing>,
}

impl FlashTearing {
    /// A memory without ECC, such as most NOR flash.
    #[must_use]
    pub const fn raw() -> Self {
        Self {
            prefixes: 16,
            draws: 7,
            ecc: None,
            pairing: None,
        }
    }

    /// A memory with an ECC on the chip, such as serial NAND.
    ///
    /// It corrects a codeword that differs in few bits from what it was to hold, reports it as
    /// [`Ecc::Corrected`], and gives up on the page otherwise. Where a program or an erase came to no
    /// end, the codeword may also be near what it held before. Assumed are check bits that are as far
    /// along as the bytes that they cover: a codeword near neither is given up, and never corrected
    /// into something third.
    #[must_use]
    pub const fn with_ecc(strength: EccStrength) -> Self {
        Self {
            ecc: Some(strength),
            ..Self::raw()
        }
    }

    /// What the model of a flash says of it: the ECC on the die and the pairs of pages.
    #[must_use]
    pub fn of(model: &dyn FlashModel) -> Self {
        Self {
            ecc: model.ecc().map(EccStrength::from),
            pairing: model.pairing(),
            ..Self::raw()
        }
    }

    /// The same on multi-level cells: the interrupted program of an upper page harms the lower page
    /// that shares its cells, where that was programmed.
    #[must_use]
    pub const fn with_pairing(self, pairing: Pairing) -> Self {
        Self {
            pairing: Some(pairing),
            ..self
        }
    }

    /// The lower page that a program of a page can harm.
    fn lower_of(&self, content: &FlashContent, page: u32) -> Option<u32> {
        let pages = content.geometry().pages_per_block;
        let lower = self.pairing?.lower_of(page % pages, pages)?;
        Some(page - page % pages + lower).filter(|lower| content.is_programmed(*lower))
    }

    /// What each variant of an operation's images stands for.
    fn tears(
        &self,
        content: &FlashContent,
        operation: Option<&FlashOperation>,
    ) -> Box<dyn Iterator<Item = FlashTear>> {
        let draws = self.draws;
        match operation {
            Some(FlashOperation::Program { page, data, .. }) => {
                Box::new(self.tears_of_page(content, *page, data.len() as u64))
            }
            Some(FlashOperation::Move { to, .. }) => {
                Box::new(self.tears_of_page(content, *to, content.geometry().columns()))
            }
            Some(FlashOperation::Erase { .. } | FlashOperation::BeginErase { .. }) => {
                Box::new(erase_tears(draws))
            }
            Some(FlashOperation::Mark { .. }) | None => Box::new(once(FlashTear::Nothing)),
        }
    }

    /// What a cut within a program of so many bytes leaves.
    fn tears_of_page(
        &self,
        content: &FlashContent,
        page: u32,
        bytes: u64,
    ) -> impl Iterator<Item = FlashTear> + use<> {
        let paired = self.lower_of(content, page).is_some();
        let tears = self.program_tears(&content.geometry(), bytes);
        tears.chain(self.lower_tears().filter(move |_| paired))
    }

    /// What a cut within a program leaves of the program itself.
    fn program_tears(
        &self,
        geometry: &Geometry,
        bytes: u64,
    ) -> impl Iterator<Item = FlashTear> + use<> {
        let prefixes = u64::from(self.prefixes).min(bytes - 1);
        let prefix = (1..=prefixes)
            .map(move |part| FlashTear::Prefix((part * bytes / (prefixes + 1)) as usize));
        let shares = shares(self.draws, |eighths, flickers| FlashTear::Bits {
            eighths,
            flickers,
        });
        let limited = geometry.programs_per_page.is_some();
        let ecc = self.ecc.is_some();
        [FlashTear::Nothing, FlashTear::Attempted]
            .into_iter()
            .chain(prefix)
            .chain(shares)
            .chain([FlashTear::Flickering])
            .chain(limited.then_some(FlashTear::Beside))
            .chain(ecc.then_some(FlashTear::Lost))
            .chain(ecc.then_some(FlashTear::Marginal))
    }

    /// What a cut within the program of an upper page leaves of its lower page.
    fn lower_tears(&self) -> impl Iterator<Item = FlashTear> + use<> {
        let shares = shares(self.draws, |eighths, flickers| FlashTear::LowerBits {
            eighths,
            flickers,
        });
        let ecc = self.ecc.is_some();
        shares
            .chain(ecc.then_some(FlashTear::LowerLost))
            .chain(ecc.then_some(FlashTear::LowerMarginal))
    }
}

fn finish_program(content: &mut FlashContent, page: u32, column: u32, data: &[u8], failed: bool) {
    if failed {
        fail_program(content, page, column, data);
    } else {
        content.program(page, column, data);
    }
}

/// What the program of a moved page programs: what a read of the page gives, but for some bytes.
fn moved_bytes(content: &FlashContent, from: u32, column: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; content.geometry().columns() as usize];
    if content.read(from, 0, &mut bytes, 0).is_err() {
        bytes = content.page_bytes(from);
    }
    bytes[column as usize..][..data.len()].copy_from_slice(data);
    bytes
}

/// What a cut within an erase leaves of it.
fn erase_tears(draws: u32) -> impl Iterator<Item = FlashTear> {
    let part = shares(draws, |eighths, flickers| FlashTear::PartErased {
        eighths,
        flickers,
    });
    let weak = [
        Weakness::Drifts,
        Weakness::FailsPrograms,
        Weakness::FailsErases,
    ];
    let looks_erased = weak.into_iter().map(FlashTear::LooksErased);
    once(FlashTear::Nothing).chain(part).chain(looks_erased)
}

/// Leaves of an erase what a cut does.
fn tear_erase(content: &mut FlashContent, block: u32, tear: FlashTear, key: u64) {
    match tear {
        FlashTear::PartErased { eighths, flickers } => {
            content.half_erase(block, key, eighths, flickers);
        }
        FlashTear::LooksErased(how) => {
            content.erase(block);
            content.weaken(block, how, key);
        }
        _ => {}
    }
}

/// A tear with each share of bits, without and with bits that flicker.
fn shares(draws: u32, tear: impl Fn(u8, bool) -> FlashTear) -> impl Iterator<Item = FlashTear> {
    (0..2 * u64::from(draws)).map(move |index| tear((index / 2 % 7 + 1) as u8, index % 2 == 1))
}

/// What a power cut left of the operation that it interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashTear {
    /// It had not begun.
    Nothing,
    /// A program that cleared no bit, but counts.
    Attempted,
    /// A program of so many bytes from the front.
    Prefix(usize),
    /// A program that cleared a share of the bits that it was to clear.
    Bits {
        /// The share.
        eighths: u8,
        /// Whether some of the other bits read differently every time.
        flickers: bool,
    },
    /// A program that cleared all its bits, of which some read differently every time.
    Flickering,
    /// A program that spoilt the bytes of its page that were programmed before, too.
    Beside,
    /// A program after which the ECC gives up on the page.
    Lost,
    /// A program that cleared all its bits, of which so many in one codeword read differently every
    /// time that the ECC corrects them in one read and gives up in another.
    Marginal,
    /// A program of an upper page that came half-way, and turned a share of the bits of the lower
    /// page, which had been committed, into noise.
    LowerBits {
        /// The share; half of these bits are wrong.
        eighths: u8,
        /// Whether some of these bits read differently every time.
        flickers: bool,
    },
    /// A program of an upper page that came half-way, and after which the ECC gives up on the lower
    /// page, which had been committed.
    LowerLost,
    /// A program of an upper page that came half-way. Of the lower page, which had been committed, so
    /// many bits in one codeword read differently every time that the ECC corrects them in one read
    /// and gives up in another.
    LowerMarginal,
    /// An erase that set a share of the block's bits.
    PartErased {
        /// The share.
        eighths: u8,
        /// Whether some of the other bits read differently every time.
        flickers: bool,
    },
    /// An erase after which the block reads as erased, and is weak.
    LooksErased(Weakness),
}

impl fmt::Display for FlashTear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |eighths: u8| format!("{eighths}/8");
        let others = |flickers: bool| match flickers {
            true => ", others read differently every time",
            false => "",
        };
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Attempted => f.write_str("an attempt that cleared no bit"),
            Self::Prefix(bytes) => write!(f, "the first {bytes} B"),
            Self::Bits { eighths, flickers } => {
                write!(f, "{} of its bits{}", share(*eighths), others(*flickers))
            }
            Self::Flickering => {
                f.write_str("all its bits, of which some read differently every time")
            }
            Self::Beside => {
                f.write_str("bytes beside it, which were programmed before, are spoilt")
            }
            Self::Lost => f.write_str("a page that the ECC gives up"),
            Self::Marginal => f.write_str("a page that the ECC gives up in some reads"),
            Self::LowerBits { eighths, flickers } => write!(
                f,
                "{} of the bits of the lower page are noise{}",
                share(*eighths),
                others(*flickers)
            ),
            Self::LowerLost => f.write_str("a lower page that the ECC gives up"),
            Self::LowerMarginal => f.write_str("a lower page that the ECC gives up in some reads"),
            Self::PartErased { eighths, flickers } => write!(
                f,
                "{} of the block's bits are erased{}",
                share(*eighths),
                others(*flickers)
            ),
            Self::LooksErased(weakness) => {
                write!(f, "a block that reads as erased and is weak ({weakness})")
            }
        }
    }
}

impl Tearing for FlashTearing {
    type Operation = FlashOperation;
    type Content = FlashContent;
    type State = FlashContent;
    type Image = FlashImage;

    fn begin(&self, content: &FlashContent) -> FlashContent {
        content.clone().with_ecc(self.ecc)
    }

    fn start(&self, _: &mut FlashContent, _: &FlashOperation) {}

    fn finish(&self, content: &mut FlashContent, operation: &FlashOperation) {
        match operation {
            FlashOperation::Program {
                page,
                column,
                data,
                failed,
            } => finish_program(content, *page, *column, data, *failed),
            FlashOperation::Move {
                from,
                to,
                column,
                data,
                failed,
            } => {
                let bytes = moved_bytes(content, *from, *column, data);
                finish_program(content, *to, 0, &bytes, *failed);
            }
            FlashOperation::BeginErase { block } => content.set_erasing(Some(*block)),
            FlashOperation::Erase { block, failed } => {
                content.set_erasing(None);
                if *failed {
                    fail_erase(content, *block);
                } else {
                    content.erase(*block);
                }
            }
            FlashOperation::Mark { block } => content.mark_bad(*block),
        }
    }

    fn variants(&self, content: &FlashContent, operation: Option<&FlashOperation>) -> u64 {
        self.tears(content, operation).count() as u64
    }

    fn image(
        &self,
        content: &FlashContent,
        operation: Option<&FlashOperation>,
        id: ImageId,
    ) -> FlashImage {
        let tear = self.tears(content, operation).nth(id.variant as usize);
        let tear = tear.unwrap_or(FlashTear::Nothing);
        let key = draw(id.seed, id.operation as u64, id.variant, Purpose::Tear);
        let mut content = content.clone();
        match operation {
            Some(FlashOperation::Program {
                page, column, data, ..
            }) if tear != FlashTear::Nothing => {
                let program = Program {
                    page: *page,
                    column: *column,
                    data,
                    lower: self.lower_of(&content, *page),
                };
                tear_program(&mut content, &program, tear, key);
            }
            Some(FlashOperation::Move {
                from,
                to,
                column,
                data,
                ..
            }) if tear != FlashTear::Nothing => {
                let program = Program {
                    page: *to,
                    column: 0,
                    data: &moved_bytes(&content, *from, *column, data),
                    lower: self.lower_of(&content, *to),
                };
                tear_program(&mut content, &program, tear, key);
            }
            Some(FlashOperation::Erase { block, .. } | FlashOperation::BeginErase { block }) => {
                content.set_erasing(None);
                tear_erase(&mut content, *block, tear, key);
            }
            _ => {}
        }
        // An erase that was left running is interrupted as well.
        if let Some(block) = content.erasing() {
            content.set_erasing(None);
            let drawn = draw(key, 0, 5, Purpose::Tear);
            let mut tears = erase_tears(self.draws);
            let all = erase_tears(self.draws).count() as u64;
            let tear = tears.nth((drawn % all) as usize);
            tear_erase(
                &mut content,
                block,
                tear.unwrap_or(FlashTear::Nothing),
                drawn,
            );
        }
        FlashImage::new(content, id, tear, draw(key, 0, 4, Purpose::Tear))
    }
}
