//! From the text of one file to a checked sheet.

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};
use wordline_core::quantity::{Area, Frequency, Money, Voltage};
use wordline_core::{Figure, Lifecycle, LifecycleStatus};
use wordline_nvm::bus::ddr::DdrBus;
use wordline_nvm::bus::parallel::ParallelBus;
use wordline_nvm::bus::sd::SdBus;
use wordline_nvm::bus::serial::SerialBus;
use wordline_nvm::{Board as NvmBoard, Driver, Host, Problem, Processor, Rail};

use crate::counters::Counters;
use crate::dram::{Die, Module, System};
use crate::error::SheetError;
use crate::estimate;
use crate::figures::SheetFigures;
use crate::model::{self, Model};
use crate::packed;
use crate::plausible;
use crate::ranges;

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
    /// The text of the file, with the figures that were [estimated](crate) for what it lacks.
    pub text: Arc<str>,
}

/// A part of the catalogue.
#[derive(Clone, Debug)]
pub struct Part {
    /// What the sheet says of itself.
    pub header: Header,
    /// Board that a target means when it names none.
    pub default_board: Option<String>,
    /// The maker's series that it belongs to, such as `W25Q-JV`: parts of one design, whose figures resemble each other.
    pub family: Option<String>,
    /// Whether it is still made.
    pub lifecycle: Option<Lifecycle>,
    /// Price of one.
    pub cost: Option<Figure<Money>>,
    /// Board area of its package, where it is known.
    pub area: Option<Figure<Area>>,
    /// The model that simulates the part, with its figures.
    pub model: Model,
    /// Every figure with its source, in the order of the file.
    pub figures: SheetFigures,
}

impl Part {
    /// Whether figures that its sheet does not state were estimated from other parts.
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        crate::estimate::is_completed(&self.header.text)
    }

    /// What is known of its supply.
    #[must_use]
    pub fn lifecycle_status(&self) -> LifecycleStatus {
        self.lifecycle
            .as_ref()
            .map_or(LifecycleStatus::Unknown, |lifecycle| lifecycle.status)
    }
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
    pub figures: SheetFigures,
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
    /// `counters = "…"`: of a core.
    Counters(Box<Counters>),
}

/// The keys of a part's file beside the table of its model.
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
    family: Option<String>,
    lifecycle: Option<Lifecycle>,
    cost: Option<Figure<Money>>,
    area: Option<Figure<Area>>,
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
    cpu: Option<Processor>,
}

/// Reads and checks one sheet. `file` names it in messages.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn parse(file: &str, text: &str) -> Result<Sheet, Vec<SheetError>> {
    let embedded = packed::is_embedded(file, text);
    read(SheetSource {
        file,
        text,
        embedded,
    })
}

/// The same of a sheet that came with the program.
pub(crate) fn parse_embedded(file: &str, text: &str) -> Result<Sheet, Vec<SheetError>> {
    read(SheetSource {
        file,
        text,
        embedded: true,
    })
}

fn read(source: SheetSource<'_>) -> Result<Sheet, Vec<SheetError>> {
    let text = source.text;
    let tree = estimate::tree(text).map_err(|fault| vec![source.fault(fault)])?;
    match estimate::complete(text, &tree) {
        None => source.sheet(tree),
        Some(completed) => {
            let source = SheetSource {
                text: &completed,
                ..source
            };
            let mut tree = tree;
            estimate::extend(&mut tree, &completed, text.len())
                .map_err(|fault| vec![source.fault(fault)])?;
            source.sheet(tree)
        }
    }
}

/// The keys that say what a sheet describes.
const KINDS: [&str; 6] = ["part", "board", "die", "module", "system", "counters"];

/// A file while it is read.
#[derive(Clone, Copy)]
pub(crate) struct SheetSource<'a> {
    file: &'a str,
    pub(crate) text: &'a str,
    embedded: bool,
}

/// Faults of one sheet that are reported; more would bury the reader.
const FAULTS_MAX: usize = 20;

impl SheetSource<'_> {
    fn sheet(&self, tree: DeTable<'_>) -> Result<Sheet, Vec<SheetError>> {
        let kinds = KINDS.into_iter().filter(|key| tree.contains_key(*key));
        let kinds: Vec<_> = kinds.collect();
        // Those that came with the program are held to it by a test.
        let implausible = match self.embedded {
            true => Vec::new(),
            false => plausible::problems(self.text, &tree),
        };
        let sheet = match kinds[..] {
            ["part"] => self.part(tree).map(|part| Sheet::Part(Box::new(part))),
            ["board"] => self
                .board(tree)
                .map(|board| Sheet::Board(Box::new(board))),
            ["die"] => self.die(tree).map(|die| Sheet::Die(Box::new(die))),
            ["module"] => self
                .module(tree)
                .map(|module| Sheet::Module(Box::new(module))),
            ["system"] => self
                .system(tree)
                .map(|system| Sheet::System(Box::new(system))),
            ["counters"] => self
                .counters(tree)
                .map(|counters| Sheet::Counters(Box::new(counters))),
            _ => Err(vec![self.error(
                0..self.text.len().min(1),
                "a sheet begins with exactly one of part = \"ID\", board = \"ID\", die = \"ID\", module = \"ID\", \
                 system = \"ID\", counters = \"ID\"",
            )]),
        }?;
        let errors = implausible.into_iter().take(FAULTS_MAX);
        let errors: Vec<_> = errors.map(|(span, why)| self.error(span, why)).collect();
        match errors.is_empty() {
            true => Ok(sheet),
            false => Err(errors),
        }
    }

    /// Ranges that no result makes use of. Those that came with the program are held to it by a test.
    fn unused(&self, tree: &DeTable<'_>) -> Vec<Problem> {
        match self.embedded {
            true => Vec::new(),
            false => ranges::unused(tree),
        }
    }

    fn part(&self, mut tree: DeTable<'_>) -> Result<Part, Vec<SheetError>> {
        let unused = self.unused(&tree);
        let mut models = Model::take(&mut tree);
        let raw: PartFile = self.typed(tree).map_err(|mut errors| {
            let error = &mut errors[0];
            // The tables of models are fields as well.
            if error.message.starts_with("unknown field") {
                error.message += ", ";
                error.message += &model::names(|name| format!("`{name}`"));
            }
            errors
        })?;
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
                model::names(|name| format!("[{name}]"))
            );
            return Err(vec![self.error(0..1, message)]);
        };
        let model = model.parse().map_err(|error| {
            let mut error = self.toml_error(&error);
            let missing = error.message.strip_prefix("missing field `");
            let missing = missing.and_then(|rest| rest.split_once('`'));
            if missing.is_some_and(|(key, _)| estimate::can_be_estimated(key)) {
                error.message += ", which too few parts of its family or kind state to estimate it; state it, or say \
                                  assumed = true with a reason";
            }
            vec![error]
        })?;
        let prefix = format!("{}.", model.name());
        let problems = model.problems().into_iter().map(|problem| Problem {
            path: format!("{prefix}{}", problem.path),
            ..problem
        });
        let mut problems: Vec<_> = problems.collect();
        problems.extend(raw.lifecycle.as_ref().and_then(|lifecycle| {
            let message = lifecycle.problem()?;
            let path = "lifecycle".to_owned();
            Some(Problem { path, message })
        }));
        problems.extend(unused);
        self.checked("part", &header, problems)?;
        Ok(Part {
            figures: SheetFigures::of(&header),
            default_board: raw.default_board,
            family: raw.family,
            lifecycle: raw.lifecycle,
            cost: raw.cost,
            area: raw.area,
            header,
            model,
        })
    }

    fn board(&self, tree: DeTable<'_>) -> Result<Board, Vec<SheetError>> {
        let unused = self.unused(&tree);
        let raw: BoardFile = self.typed(tree)?;
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
            cpu: raw.cpu,
        };
        let mut problems = board.problems();
        problems.extend(unused);
        self.checked("board", &header, problems)?;
        Ok(Board {
            figures: SheetFigures::of(&header),
            cost: raw.cost,
            header,
            board,
        })
    }

    pub(crate) fn typed<T: for<'de> Deserialize<'de>>(
        &self,
        tree: DeTable<'_>,
    ) -> Result<T, Vec<SheetError>> {
        let tree = Spanned::new(0..self.text.len(), tree);
        T::deserialize(Deserializer::from(tree)).map_err(|error| vec![self.toml_error(&error)])
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
            embedded: self.embedded,
            text: self.text.into(),
        }
    }

    /// Turns problems into errors with places.
    pub(crate) fn checked(
        &self,
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
        let tree = estimate::tree(self.text).unwrap_or_default();
        let error = |problem: &Problem| {
            let message = format!("{}: {}", problem.path, problem.message);
            self.error(place(&tree, &problem.path), message)
        };
        Err(problems.iter().map(error).collect())
    }

    fn toml_error(&self, error: &toml::de::Error) -> SheetError {
        self.error(error.span().unwrap_or(0..0), error.message())
    }

    fn fault(&self, (span, message): estimate::TreeFault) -> SheetError {
        self.error(span, message)
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> SheetError {
        SheetError {
            file: self.file.to_owned(),
            text: self.text.into(),
            span,
            message: message.into(),
        }
    }
}

/// What [`is_id`] allows, for messages.
pub const ID_ALLOWED: &str =
    "1 to 64 lower-case letters, digits, '-' and '.', beginning with a letter or digit";

/// Whether a text can name a part or board in a target: 1 to 64 lower-case letters, digits, `-` and `.`, of which
/// the first is a letter or digit.
#[must_use]
pub fn is_id(text: &str) -> bool {
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
