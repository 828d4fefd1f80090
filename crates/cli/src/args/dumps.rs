//! Flags of `part import` and `part new`: dumps, and what is known of their chips.

use std::path::PathBuf;

use clap::Args;
use wordline_catalog::import::{ChipClaims, ClaimedFigure, DumpFormat, JedecId};
use wordline_core::quantity::{Frequency, Quantity as _};

/// Decodes the page field by field, or makes the sheet that it draws: figures that the page states, each with its
/// source. What no page states, such as currents and clocks, is left out and listed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline part import sfdp.bin
  xxd -p /sys/bus/spi/devices/spi0.0/spi-nor/sfdp | wordline part import -
  wordline part import sfdp.bin --part w25q128jv --jedec-id EF4018 --clock 104MHz --sheet
  wordline part import sfdp.bin --against w25q128jv
  wordline part import --batch dumps --index dumps/INDEX.tsv --output my-parts

Dumps are binary, or hex text as xxd and hexdump -C print it. A folder holds one dump a file (.hex, .bin or
.sfdp); its index is a table of tab-separated columns, of which it may have file, part, name, manufacturer, family,
lifecycle, lifecycle_source, jedec_id, supply, supply_source, board, hash (sha256:... or md5:...), source and caution.")]
pub(crate) struct Import {
    /// The dump; - for standard input
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) file: Option<PathBuf>,
    /// What the dump is [default: what its signature says]
    #[arg(long = "as", value_name = "sfdp|onfi")]
    pub(crate) kind: Option<DumpFormat>,
    /// Print the sheet of the chip: what the page states, and what the flags below state
    #[arg(long, conflicts_with_all = ["stdout_format", "batch"])]
    pub(crate) sheet: bool,
    /// List what the page and the sheet of a part say differently; exit code 1 where they do
    #[arg(long, value_name = "PART", conflicts_with_all = ["sheet", "batch"])]
    pub(crate) against: Option<String>,
    /// Make a sheet of every dump in a folder, one line each; exit code 1 where one is refused
    #[arg(long, value_name = "DIR")]
    pub(crate) batch: Option<PathBuf>,
    /// What is known of the dumps of --batch: a table of tab-separated columns
    #[arg(long, value_name = "FILE", requires = "batch")]
    pub(crate) index: Option<PathBuf>,
    /// What other sources state of the parts of --index: a table with the columns part, figure, min, typ, max, source
    #[arg(long, value_name = "FILE", requires = "index")]
    pub(crate) figures: Option<PathBuf>,
    /// Where the sheets of --batch go, a file each [default: nowhere, only the list is printed]
    #[arg(long, value_name = "DIR", requires = "batch")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) claims: Claims,
}

/// Writes ID.toml: what the page states, and comments that name what the data sheet can add. A Linux kernel shows
/// the page of a serial NOR flash in a folder of the chip, with its id and name.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline part new --from-sysfs /sys/bus/spi/devices/spi0.0/spi-nor --clock 104MHz
  wordline part new --from-sfdp sfdp.bin --part my-nor --jedec-id EF4018
  wordline part new --from-onfi page.bin --output my-parts")]
#[group(id = "from", required = true, multiple = false, args = ["from_sfdp", "from_onfi", "from_sysfs"])]
pub(crate) struct NewPart {
    /// A dump of the SFDP page of a serial NOR flash; - for standard input
    #[arg(long, value_name = "DUMP")]
    pub(crate) from_sfdp: Option<PathBuf>,
    /// A dump of the ONFI parameter page of a NAND flash; - for standard input
    #[arg(long, value_name = "DUMP")]
    pub(crate) from_onfi: Option<PathBuf>,
    /// A folder with sfdp and, if the kernel has them, jedec_id, partname and manufacturer
    #[arg(long, value_name = "DIR")]
    pub(crate) from_sysfs: Option<PathBuf>,
    /// The folder that the sheet goes to; it is made where there is none
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) claims: Claims,
}

/// Who says what flags say.
const USER: &str = "published: as stated by the user";

/// Heading of what the user knows of a chip.
const CHIP: &str = "What is known of the chip";

/// What the user knows of a chip beside its page.
#[derive(Args, Debug)]
pub(crate) struct Claims {
    /// The id of the sheet: lower-case letters, digits, - and . [default: my-part, or by the page's name]
    #[arg(long, value_name = "ID", help_heading = CHIP)]
    pub(crate) part: Option<String>,
    /// The part's name as its maker writes it [default: the id in capital letters]
    #[arg(long, help_heading = CHIP)]
    pub(crate) name: Option<String>,
    /// The maker [default: by the name]
    #[arg(long, help_heading = CHIP)]
    pub(crate) manufacturer: Option<String>,
    /// The maker's series [default: by the name]
    #[arg(long, help_heading = CHIP)]
    pub(crate) family: Option<String>,
    /// What the chip answers to opcode 9Fh, such as EF4018: its capacity must be that of the page
    #[arg(long, value_name = "HEX", help_heading = CHIP)]
    pub(crate) jedec_id: Option<JedecId>,
    /// The highest clock of the opcodes whose page states none, such as 104MHz
    #[arg(long, help_heading = CHIP, value_parser = clock)]
    pub(crate) clock: Option<Frequency>,
    /// The supply range where the page states none, such as 2.7V..3.6V
    #[arg(long, value_name = "LOW..HIGH", help_heading = CHIP)]
    pub(crate) supply: Option<String>,
    /// The board of a target that names none
    #[arg(long, help_heading = CHIP)]
    pub(crate) board: Option<String>,
}

/// A clock that a chip can have.
fn clock(text: &str) -> Result<Frequency, String> {
    let clock: Frequency = text.parse().map_err(|error| format!("{error}"))?;
    if clock.si() > 0.0 {
        Ok(clock)
    } else {
        Err("allowed: a clock above 0 Hz, such as 104MHz".to_owned())
    }
}

impl Claims {
    /// The claims that these flags make.
    pub(crate) fn read(&self) -> Result<ChipClaims, String> {
        if let Some(part) = self
            .part
            .as_ref()
            .filter(|part| !wordline_catalog::is_id(part))
        {
            return Err(format!(
                "--part {part:?} is not an id; allowed: {}",
                wordline_catalog::ID_ALLOWED
            ));
        }
        let mut figures = Vec::new();
        figures.extend(self.clock.map(|clock| ClaimedFigure::clock(clock, USER)));
        if let Some(range) = &self.supply {
            let claim = ClaimedFigure::supply(range, USER);
            figures.push(claim.map_err(|fault| format!("--supply: {fault}"))?);
        }
        Ok(ChipClaims {
            part: self.part.clone(),
            name: self.name.clone(),
            manufacturer: self.manufacturer.clone(),
            family: self.family.clone(),
            jedec_id: self.jedec_id.clone(),
            figures,
            board: self.board.clone(),
            ..ChipClaims::default()
        })
    }

    /// Whether one is stated that makes no sense for a folder of chips.
    pub(crate) fn names_one_chip(&self) -> bool {
        let words = [&self.part, &self.name, &self.manufacturer, &self.family];
        words.into_iter().any(Option::is_some) || self.jedec_id.is_some()
    }
}
