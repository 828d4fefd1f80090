//! From the text of one file to a checked sheet.

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use wordline_core::quantity::{Area, Frequency, Money, Voltage};
use wordline_core::results::FigureUse;
use wordline_core::{Figure, Timing};
use wordline_nvm::bus::ddr::DdrBus;
use wordline_nvm::bus::parallel::ParallelBus;
use wordline_nvm::bus::sd::SdBus;
use wordline_nvm::bus::serial::SerialBus;
use wordline_nvm::conformance::{self, Outcome};
use wordline_nvm::{
    Board as NvmBoard, Conditions, DdrMramSheet, Device, Driver, Host, Link, LinkError, Named,
    NandSheet, NorSheet, NvmError, NvramSheet, Problem, Rail, RawFlash, Wired,
};

use crate::dram::{Die, Module, System};
use crate::error::SheetError;
use crate::figures;

/// What every sheet says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Name in targets: lower-case letters, digits, `-` and `.`.
    pub id: String,
    /// Name as its maker writes it.
    pub name: String,
    /// Who makes it.
    pub manufacturer: String,
    /// Die, data-sheet revision and date.
    pub revision: String,
    /// What it is, in a line.
    pub description: String,
    /// What users should know before they trust results from it.
    pub cautions: Vec<String>,
    /// File that holds the sheet.
    pub file: String,
    /// Whether the sheet came with the program; otherwise it is the user's own.
    pub embedded: bool,
    /// The text of the file.
    pub text: String,
}

/// A part of the catalogue.
#[derive(Clone, Debug)]
pub struct Part {
    /// What the sheet says of itself.
    pub header: Header,
    /// Board that a target means when it names none.
    pub default_board: Option<String>,
    /// Price of one.
    pub cost: Option<Figure<Money>>,
    /// Board area of its package, where it is known.
    pub area: Option<Figure<Area>>,
    /// The model that simulates the part, with its figures.
    pub model: Model,
    /// Every figure with its source, in the order of the file.
    pub figures: Vec<FigureUse>,
}

/// A board of the catalogue.
#[derive(Clone, Debug)]
pub struct Board {
    /// What the sheet says of itself.
    pub header: Header,
    /// Its figures.
    pub board: NvmBoard,
    /// Price of one.
    pub cost: Option<Figure<Money>>,
    /// Every figure with its source, in the order of the file.
    pub figures: Vec<FigureUse>,
}

/// The models that parts can be simulated with. A new model is a variant here, a key of
/// `PartFile`, and its file in the crate that simulates it.
#[derive(Clone, Debug)]
pub enum Model {
    /// MRAM: table `[mram]`.
    Mram(Box<NvramSheet>),
    /// MRAM behind banks with row buffers, on a DDR bus: table `[ddr_mram]`.
    DdrMram(Box<DdrMramSheet>),
    /// Ferroelectric RAM: table `[fram]`.
    Fram(Box<NvramSheet>),
    /// EEPROM: table `[eeprom]`.
    Eeprom(Box<NvramSheet>),
    /// NOR flash: table `[nor]`.
    Nor(Box<NorSheet>),
    /// NAND flash: table `[nand]`.
    Nand(Box<NandSheet>),
}

impl Model {
    /// As the sheet's table spells it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Mram(_) => "mram",
            Self::DdrMram(_) => "ddr_mram",
            Self::Fram(_) => "fram",
            Self::Eeprom(_) => "eeprom",
            Self::Nor(_) => "nor",
            Self::Nand(_) => "nand",
        }
    }

    /// Commands and clocks of the part on a board.
    ///
    /// # Errors
    /// When rail, bus or timing do not fit; the message names both sides.
    pub fn link(&self, board: &NvmBoard) -> Result<Link, LinkError> {
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => sheet.link(board),
            Self::DdrMram(sheet) => sheet.link(board),
            Self::Nor(sheet) => sheet.link(board),
            Self::Nand(sheet) => sheet.link(board),
        }
    }

    /// What the model of the part leaves to the host, in a sentence.
    #[must_use]
    pub fn left_to_host(&self) -> Option<String> {
        let Self::Nand(sheet) = self else { return None };
        let bits = sheet.host_ecc_bits.as_ref()?.value();
        let bits = match bits {
            1 => "1 wrong bit".to_owned(),
            more => format!("{more} wrong bits"),
        };
        Some(format!(
            "the host must correct {bits} in 512 bytes of this NAND; what that costs it is not counted"
        ))
    }

    /// Bytes that every sample of the part has: without the bad blocks that its sheet allows, and
    /// those that are kept together with them where planes work at the same time.
    #[must_use]
    pub fn usable_bytes(&self) -> u64 {
        match self {
            Self::Nand(sheet) => {
                let together = match sheet.plane_busy {
                    Some(_) => *sheet.planes.value(),
                    None => 1,
                };
                let bad = u64::from(*sheet.bad_blocks_max.value()) * u64::from(together);
                let bad = bad.saturating_mul(sheet.geometry().block_bytes());
                self.capacity_bytes().saturating_sub(bad)
            }
            _ => self.capacity_bytes(),
        }
    }

    /// Capacity in bytes.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => {
                sheet.capacity.nominal().bytes()
            }
            Self::DdrMram(sheet) => sheet.capacity.nominal().bytes(),
            Self::Nor(sheet) => sheet.capacity.nominal().bytes(),
            Self::Nand(sheet) => sheet.geometry().capacity_bytes(),
        }
    }

    /// The part as a device on a board. `part` and `board` are their ids.
    pub(crate) fn connect(
        &self,
        part: &str,
        board: Named<'_, NvmBoard>,
        conditions: Conditions,
    ) -> Result<Box<dyn Device>, NvmError> {
        fn named<'a, S>(id: &'a str, sheet: &'a S) -> Named<'a, S> {
            Named { id, sheet }
        }
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => {
                let part = named(part, &**sheet);
                Ok(Box::new(Wired::connect(part, board, conditions)?))
            }
            Self::DdrMram(sheet) => {
                let part = named(part, &**sheet);
                Ok(Box::new(Wired::connect(part, board, conditions)?))
            }
            Self::Nor(sheet) => {
                let flash = Wired::connect(named(part, &**sheet), board, conditions)?;
                Ok(Box::new(RawFlash::new(flash)?))
            }
            Self::Nand(sheet) => {
                let flash = Wired::connect(named(part, &**sheet), board, conditions)?;
                Ok(Box::new(RawFlash::new(flash)?))
            }
        }
    }

    /// Whether the model keeps every rule of the part's protocol, and whether each of the checks would
    /// notice its absence.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn conformance(
        &self,
        board: Named<'_, NvmBoard>,
        timing: Timing,
    ) -> Result<Vec<Outcome>, NvmError> {
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => {
                conformance::nvram(sheet, board, timing)
            }
            Self::DdrMram(sheet) => conformance::ddr_mram(sheet, board, timing),
            Self::Nor(sheet) => conformance::nor(sheet, board, timing),
            Self::Nand(sheet) => conformance::nand(sheet, board, timing),
        }
    }

    fn problems(&self) -> Vec<Problem> {
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => sheet.problems(),
            Self::DdrMram(sheet) => sheet.problems(),
            Self::Nor(sheet) => sheet.problems(),
            Self::Nand(sheet) => sheet.problems(),
        }
    }
}

/// A sheet, whichever kind its file holds.
#[derive(Clone, Debug)]
pub enum Sheet {
    /// `part = "…"`.
    Part(Box<Part>),
    /// `board = "…"`.
    Board(Box<Board>),
    /// `die = "…"`: of DRAM.
    Die(Box<Die>),
    /// `module = "…"`: of DRAM.
    Module(Box<Module>),
    /// `system = "…"`: with channels for DRAM.
    System(Box<System>),
}

/// The keys of a part's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartFile {
    part: String,
    name: String,
    manufacturer: String,
    revision: String,
    description: String,
    #[serde(default)]
    cautions: Vec<String>,
    default_board: Option<String>,
    cost: Option<Figure<Money>>,
    area: Option<Figure<Area>>,
    mram: Option<Box<NvramSheet>>,
    ddr_mram: Option<Box<DdrMramSheet>>,
    fram: Option<Box<NvramSheet>>,
    eeprom: Option<Box<NvramSheet>>,
    nor: Option<Box<NorSheet>>,
    nand: Option<Box<NandSheet>>,
}

impl PartFile {
    /// Every table that names a model; a sheet has exactly one.
    const MODELS: &str = "[mram], [ddr_mram], [fram], [eeprom], [nor], [nand]";

    /// The models that the sheet states.
    fn models(&mut self) -> Vec<Model> {
        let mram = self.mram.take().map(Model::Mram);
        let ddr_mram = self.ddr_mram.take().map(Model::DdrMram);
        let fram = self.fram.take().map(Model::Fram);
        let eeprom = self.eeprom.take().map(Model::Eeprom);
        let nor = self.nor.take().map(Model::Nor);
        let nand = self.nand.take().map(Model::Nand);
        [mram, ddr_mram, fram, eeprom, nor, nand]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// The keys of a board's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardFile {
    board: String,
    name: String,
    manufacturer: String,
    revision: String,
    description: String,
    #[serde(default)]
    cautions: Vec<String>,
    cost: Option<Figure<Money>>,
    core_clock: Figure<Frequency>,
    rail: Vec<Rail>,
    io_voltage: Option<Figure<Voltage>>,
    serial: Option<SerialBus>,
    parallel: Option<ParallelBus>,
    sd: Option<SdBus>,
    ddr: Option<DdrBus>,
    driver: Driver,
    host: Option<Host>,
}

/// Reads and checks one sheet. `file` names it in messages.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn parse(file: &str, text: &str) -> Result<Sheet, Vec<SheetError>> {
    let source = &Source {
        file,
        text,
        shared: text.into(),
    };
    let tree = DeTable::parse(text).map_err(|error| vec![source.toml_error(&error)])?;
    let tree = tree.get_ref();
    let kinds: Vec<_> = KINDS
        .into_iter()
        .filter(|key| tree.contains_key(*key))
        .collect();
    match kinds[..] {
        ["part"] => source.part(tree).map(|part| Sheet::Part(Box::new(part))),
        ["board"] => source
            .board(tree)
            .map(|board| Sheet::Board(Box::new(board))),
        ["die"] => source.die(tree).map(|die| Sheet::Die(Box::new(die))),
        ["module"] => source
            .module(tree)
            .map(|module| Sheet::Module(Box::new(module))),
        ["system"] => source
            .system(tree)
            .map(|system| Sheet::System(Box::new(system))),
        _ => Err(vec![source.error(
            0..text.len().min(1),
            "a sheet begins with exactly one of part = \"ID\", board = \"ID\", die = \"ID\", module = \"ID\", \
             system = \"ID\"",
        )]),
    }
}

/// The keys that say what a sheet describes.
const KINDS: [&str; 5] = ["part", "board", "die", "module", "system"];

/// A file while it is read.
pub(crate) struct Source<'a> {
    file: &'a str,
    pub(crate) text: &'a str,
    /// The text again, as all errors of the file share it.
    shared: Arc<str>,
}

/// Faults of one sheet that are reported; more would bury the reader.
const FAULTS_MAX: usize = 20;

impl Source<'_> {
    fn part(&self, tree: &DeTable<'_>) -> Result<Part, Vec<SheetError>> {
        let mut raw: PartFile = self.typed()?;
        let mut models = raw.models();
        let names = [
            raw.part,
            raw.name,
            raw.manufacturer,
            raw.revision,
            raw.description,
        ];
        let header = self.header(names, raw.cautions);
        let (Some(model), true) = (models.pop(), models.is_empty()) else {
            let message = format!(
                "a sheet has the table of exactly one model; allowed: {}",
                PartFile::MODELS
            );
            return Err(vec![self.error(0..1, message)]);
        };
        let prefix = format!("{}.", model.name());
        let problems = model.problems().into_iter().map(|problem| Problem {
            path: format!("{prefix}{}", problem.path),
            ..problem
        });
        self.checked(tree, "part", &header, problems.collect())?;
        Ok(Part {
            figures: figures::of(&header.id, self.text, tree),
            default_board: raw.default_board,
            cost: raw.cost,
            area: raw.area,
            header,
            model,
        })
    }

    fn board(&self, tree: &DeTable<'_>) -> Result<Board, Vec<SheetError>> {
        let raw: BoardFile = self.typed()?;
        let names = [
            raw.board,
            raw.name,
            raw.manufacturer,
            raw.revision,
            raw.description,
        ];
        let header = self.header(names, raw.cautions);
        let board = NvmBoard {
            core_clock: raw.core_clock,
            rail: raw.rail,
            io_voltage: raw.io_voltage,
            serial: raw.serial,
            parallel: raw.parallel,
            sd: raw.sd,
            ddr: raw.ddr,
            driver: raw.driver,
            host: raw.host,
        };
        self.checked(tree, "board", &header, board.problems())?;
        Ok(Board {
            figures: figures::of(&header.id, self.text, tree),
            cost: raw.cost,
            header,
            board,
        })
    }

    pub(crate) fn typed<T: for<'de> Deserialize<'de>>(&self) -> Result<T, Vec<SheetError>> {
        toml::from_str(self.text).map_err(|error| vec![self.toml_error(&error)])
    }

    /// The header of a sheet: id, name, manufacturer, revision and description, then its cautions.
    pub(crate) fn header(&self, names: [String; 5], cautions: Vec<String>) -> Header {
        let [id, name, manufacturer, revision, description] = names;
        Header {
            id,
            name,
            manufacturer,
            revision,
            description,
            cautions,
            file: self.file.to_owned(),
            embedded: crate::is_embedded(self.file, self.text),
            text: self.text.to_owned(),
        }
    }

    /// Turns problems into errors with places.
    pub(crate) fn checked(
        &self,
        tree: &DeTable<'_>,
        id_key: &str,
        header: &Header,
        mut problems: Vec<Problem>,
    ) -> Result<(), Vec<SheetError>> {
        if !is_id(&header.id) {
            problems.push(Problem {
                path: id_key.to_owned(),
                message: format!(
                    "{:?} is no id; allowed: 1 to 64 lower-case letters, digits, '-' and '.', \
                     beginning with a letter or digit",
                    header.id
                ),
            });
        }
        for (key, value) in [
            ("name", &header.name),
            ("manufacturer", &header.manufacturer),
            ("revision", &header.revision),
        ] {
            if value.trim().is_empty() {
                problems.push(Problem {
                    path: key.to_owned(),
                    message: "the text is empty".to_owned(),
                });
            }
        }
        if problems.is_empty() {
            return Ok(());
        }
        let more = problems.len().saturating_sub(FAULTS_MAX);
        problems.truncate(FAULTS_MAX);
        if more > 0 {
            problems.push(Problem {
                path: id_key.to_owned(),
                message: format!("{more} more faults in this sheet"),
            });
        }
        Err(problems
            .iter()
            .map(|problem| {
                let message = format!("{}: {}", problem.path, problem.message);
                self.error(place(tree, &problem.path), message)
            })
            .collect())
    }

    fn toml_error(&self, error: &toml::de::Error) -> SheetError {
        self.error(error.span().unwrap_or(0..0), error.message())
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> SheetError {
        SheetError {
            file: self.file.to_owned(),
            text: Arc::clone(&self.shared),
            span,
            message: message.into(),
        }
    }
}

/// Whether a text can name a part or board in a target.
pub(crate) fn is_id(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    (1..=64).contains(&text.len())
        && text.chars().all(allowed)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Where a dotted path stands in the text; where it ends early, the last part that exists.
pub(crate) fn place(tree: &DeTable<'_>, path: &str) -> Range<usize> {
    let mut keys = path.split('.');
    let Some(mut value) = keys.next().and_then(|key| tree.get(key)) else {
        return 0..1;
    };
    for key in keys {
        let Some(next) = child(value, key) else {
            break;
        };
        value = next;
    }
    value.span()
}

fn child<'a, 'i>(value: &'a Spanned<DeValue<'i>>, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
    match value.get_ref() {
        DeValue::Table(table) => table.get(key),
        DeValue::Array(array) => array.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}
