//! The catalogue: one TOML file for each part and board, every figure with its unit and source.
//!
//! The sheets under `parts/` are embedded; users add folders of their own. Each sheet is checked
//! once, when it is loaded, and a mistake is reported with its file, line and allowed values. What
//! comes out needs no further checks.
//!
//! ```
//! use wordline_catalog::Catalog;
//!
//! let catalog = Catalog::load(&[])?;
//! let target = catalog.target("em064lx")?;
//! assert_eq!(target.name, "em064lx@stm32h755-qspi");
//! # Ok::<(), wordline_catalog::CatalogError>(())
//! ```

mod dram;
mod error;
mod figures;
mod folder;
pub mod import;
mod model;
mod sheet;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use dram::{Die, DramSheet, DramTarget, Module, System};
pub use error::{CatalogError, SheetError};
pub use model::{Model, ftl_config};
pub use sheet::{Board, Header, Part, Sheet, is_id, parse};
use wordline_core::{Timing, TranslationLayer};
use wordline_nvm::conformance::Outcome;
use wordline_nvm::{Conditions, Device, Link, LinkError, Memory, Named, NvmError};

/// The embedded sheets: path inside this crate, and text.
pub static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sheets.rs"));

/// Everything that targets can name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    parts: BTreeMap<String, Part>,
    boards: BTreeMap<String, Board>,
    dies: BTreeMap<String, Die>,
    modules: BTreeMap<String, Module>,
    systems: BTreeMap<String, System>,
}

/// A part on a board.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// `PART@BOARD`.
    pub name: String,
    /// The part.
    pub part: &'a Part,
    /// The board.
    pub board: &'a Board,
}

impl Target<'_> {
    /// The device that the target is.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn connect(&self, conditions: Conditions) -> Result<Box<dyn Device>, NvmError> {
        let board = Named {
            id: &self.board.header.id,
            sheet: &self.board.board,
        };
        let part = &self.part.header.id;
        self.part.model.connect(part, board, conditions)
    }

    /// What the target is for storage software: a NOR flash in blocks of its smallest erase, a NAND flash with its
    /// spare areas, bytes otherwise.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn memory(&self, conditions: Conditions) -> Result<Memory, NvmError> {
        let board = Named {
            id: &self.board.header.id,
            sheet: &self.board.board,
        };
        let (part, model) = (&self.part.header.id, &self.part.model);
        match model.memory(part, board, conditions, None)? {
            Some(memory) => Ok(memory),
            None => unreachable!("no size of an erase was asked for"),
        }
    }

    /// The same, with a NOR flash in blocks of its erase of so many bytes; `None` where it has no such erase that the
    /// board drives.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn memory_in_blocks(
        &self,
        conditions: Conditions,
        erase_bytes: u64,
    ) -> Result<Option<Memory>, NvmError> {
        let board = Named {
            id: &self.board.header.id,
            sheet: &self.board.board,
        };
        let (part, model) = (&self.part.header.id, &self.part.model);
        model.memory(part, board, conditions, Some(erase_bytes))
    }

    /// The same behind a translation layer, for parts [that can be](Model::no_translation).
    ///
    /// # Errors
    /// When the part does not fit the board, or the layer does not fit the part.
    pub fn connect_translated(
        &self,
        conditions: Conditions,
        layer: &TranslationLayer,
    ) -> Result<Box<dyn Device>, NvmError> {
        let board = Named {
            id: &self.board.header.id,
            sheet: &self.board.board,
        };
        let part = &self.part.header.id;
        let model = &self.part.model;
        model.connect_translated(part, board, conditions, layer)
    }

    /// Whether the model keeps every rule of the part's protocol; see [`Model::conformance`].
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn conformance(&self, timing: Timing) -> Result<Vec<Outcome>, NvmError> {
        let board = Named {
            id: &self.board.header.id,
            sheet: &self.board.board,
        };
        self.part.model.conformance(board, timing)
    }

    /// Whether something must shift the levels between the pins of board and part; `None` where the
    /// board's sheet does not state the voltage of its pins. See [`Supply`](wordline_nvm::Supply) for
    /// what else their voltages ask for.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn needs_level_shifter(&self) -> Result<Option<bool>, LinkError> {
        Ok(self.link()?.supply.needs_level_shifter())
    }

    /// Commands and clocks of the part on the board.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn link(&self) -> Result<Link, LinkError> {
        self.part.model.link(&self.board.board)
    }
}

impl Catalog {
    /// The embedded sheets, and those of the users' folders.
    ///
    /// # Errors
    /// When a folder cannot be read or holds no sheet, or with everything that is wrong with any
    /// sheet.
    pub fn load(folders: &[PathBuf]) -> Result<Self, CatalogError> {
        let mut files = embedded();
        let mut errors = Vec::new();
        for folder in folders {
            for path in folder::sheets_in(folder)? {
                match folder::read(&path) {
                    Ok(sheet) => files.push(sheet),
                    Err(CatalogError::Sheets(found)) => errors.extend(found),
                    Err(other) => return Err(other),
                }
            }
        }
        let mut catalog = Self::default();
        for file in &files {
            match parse(&file.file, &file.text) {
                Ok(sheet) => errors.extend(catalog.insert(sheet).map(|old| file.taken(old))),
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() {
            errors = catalog.check_default_boards(&files);
            errors.extend(catalog.check_dies(&files));
        }
        if errors.is_empty() {
            Ok(catalog)
        } else {
            Err(CatalogError::Sheets(errors))
        }
    }

    /// Checks files against this catalogue without adding them. An id that the catalogue has may be
    /// restated by the file that it comes from, as in a checkout of this project, and by no other. Boards
    /// and dies that lie beside a file count as known; what is wrong with them is not this file's fault.
    ///
    /// # Errors
    /// When a path cannot be read; folders are searched for sheets.
    pub fn check(&self, paths: &[PathBuf]) -> Result<Checked, CatalogError> {
        let mut checked = Checked::default();
        let mut files = Vec::new();
        let mut seen = BTreeSet::new();
        for path in paths {
            let sheets = if path.is_dir() {
                folder::sheets_in(path)?
            } else {
                vec![path.clone()]
            };
            for sheet in sheets {
                // The same file may be named twice, by itself and by its folder.
                if !seen.insert(sheet.canonicalize().unwrap_or_else(|_| sheet.clone())) {
                    continue;
                }
                checked.sheets += 1;
                match folder::read(&sheet) {
                    Ok(sheet) => files.push(sheet),
                    Err(CatalogError::Sheets(found)) => checked.errors.extend(found),
                    Err(other) => return Err(other),
                }
            }
        }
        let mut catalog = self.clone();
        for sheet in neighbours(paths) {
            catalog.insert_if_new(sheet);
        }
        for file in &files {
            match parse(&file.file, &file.text) {
                Ok(sheet) => {
                    let old = catalog.insert(sheet);
                    let twice = old.filter(|(_, old)| !Path::new(&file.file).ends_with(&old.file));
                    checked.errors.extend(twice.map(|old| file.taken(old)));
                }
                Err(found) => checked.errors.extend(found),
            }
        }
        checked.errors.extend(catalog.check_default_boards(&files));
        checked.errors.extend(catalog.check_dies(&files));
        Ok(checked)
    }

    /// Adds a sheet and returns the one that it replaces: the key of its id, and its header.
    fn insert(&mut self, sheet: Sheet) -> Option<(&'static str, Header)> {
        match sheet {
            Sheet::Part(part) => {
                let old = self.parts.insert(part.header.id.clone(), *part);
                old.map(|old| ("part", old.header))
            }
            Sheet::Board(board) => {
                let old = self.boards.insert(board.header.id.clone(), *board);
                old.map(|old| ("board", old.header))
            }
            Sheet::Die(die) => {
                let old = self.dies.insert(die.header.id.clone(), *die);
                old.map(|old| ("die", old.header))
            }
            Sheet::Module(module) => {
                let old = self.modules.insert(module.header.id.clone(), *module);
                old.map(|old| ("module", old.header))
            }
            Sheet::System(system) => {
                let old = self.systems.insert(system.header.id.clone(), *system);
                old.map(|old| ("system", old.header))
            }
        }
    }

    /// Adds a board or die that other sheets may need, unless there is one of its id.
    fn insert_if_new(&mut self, sheet: Sheet) {
        match sheet {
            Sheet::Board(board) => {
                let id = board.header.id.clone();
                self.boards.entry(id).or_insert(*board);
            }
            Sheet::Die(die) => {
                let id = die.header.id.clone();
                self.dies.entry(id).or_insert(*die);
            }
            Sheet::Part(_) | Sheet::Module(_) | Sheet::System(_) => {}
        }
    }

    /// What every sheet says of itself, with its kind: `part`, `board`, `die`, `module` or `system`.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, &Header)> {
        let parts = self.parts().map(|part| ("part", &part.header));
        let boards = self.boards().map(|board| ("board", &board.header));
        let dies = self.dies().map(|die| ("die", &die.header));
        let modules = self.modules().map(|module| ("module", &module.header));
        let systems = self.systems().map(|system| ("system", &system.header));
        parts
            .chain(boards)
            .chain(dies)
            .chain(modules)
            .chain(systems)
    }

    /// Parts by id, ascending.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.values()
    }

    /// Boards by id, ascending.
    pub fn boards(&self) -> impl Iterator<Item = &Board> {
        self.boards.values()
    }

    /// The part of an id.
    ///
    /// # Errors
    /// When there is none: the message names those that exist.
    pub fn part(&self, id: &str) -> Result<&Part, CatalogError> {
        let known = self.parts.keys();
        self.parts.get(id).ok_or_else(|| unknown("part", id, known))
    }

    /// The board of an id.
    ///
    /// # Errors
    /// When there is none: the message names those that exist.
    pub fn board(&self, id: &str) -> Result<&Board, CatalogError> {
        let known = self.boards.keys();
        self.boards
            .get(id)
            .ok_or_else(|| unknown("board", id, known))
    }

    /// The part and board that a target names, `PART@BOARD` or `PART`.
    ///
    /// # Errors
    /// When either does not exist, or the part names no default board.
    pub fn target(&self, text: &str) -> Result<Target<'_>, CatalogError> {
        let text = text.trim();
        if text.starts_with("mtd:") {
            return Err(target_error(format!(
                "{text:?} is raw flash of this machine, which wordline wear alone works on; \
                 allowed: PART or PART@BOARD"
            )));
        }
        if text.starts_with("file:") {
            return Err(target_error(format!(
                "{text:?}: targets of the form file:… are not measured by this version; \
                 allowed: PART or PART@BOARD"
            )));
        }
        let id = text.split_once('@').map_or(text, |(part, _)| part);
        if self.modules.contains_key(id) {
            return Err(target_error(format!(
                "{id:?} is a memory module, which this does not measure; wordline dram does"
            )));
        }
        let (part, board) = match text.split_once('@') {
            Some((part, board)) => (self.part(part)?, self.board(board)?),
            None => {
                let part = self.part(text)?;
                let board = part.default_board.as_deref().ok_or_else(|| {
                    let known: Vec<_> = self.boards.keys().map(String::as_str).collect();
                    target_error(format!(
                        "part {text:?} names no default board; write {text}@BOARD, with one of {}",
                        known.join(", ")
                    ))
                })?;
                (part, self.board(board)?)
            }
        };
        Ok(Target {
            name: format!("{}@{}", part.header.id, board.header.id),
            part,
            board,
        })
    }

    /// The default boards of the parts in `files` must exist and take their parts.
    fn check_default_boards(&self, files: &[SheetText]) -> Vec<SheetError> {
        let mut errors = Vec::new();
        for part in self.parts.values() {
            let file = files.iter().find(|file| file.file == part.header.file);
            let (Some(id), Some(file)) = (&part.default_board, file) else {
                continue;
            };
            let problem = match self.board(id) {
                Err(error) => error.to_string(),
                Ok(board) => match part.model.link(&board.board) {
                    Err(problem) => problem.to_string(),
                    Ok(_) => continue,
                },
            };
            errors.push(file.error("default_board", format!("default_board: {problem}")));
        }
        errors
    }
}

/// Sound sheets in the folders of files that are checked by themselves, but for those files.
fn neighbours(paths: &[PathBuf]) -> Vec<Sheet> {
    let folders: BTreeSet<_> = paths
        .iter()
        .filter(|path| path.is_file())
        .filter_map(|path| path.parent())
        .map(|folder| {
            if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                folder
            }
        })
        .collect();
    let checked = |path: &PathBuf| {
        let same = |one: &PathBuf| one.canonicalize().ok() == path.canonicalize().ok();
        paths.iter().any(same)
    };
    folders
        .into_iter()
        .flat_map(folder::sheets_directly_in)
        .filter(|path| !checked(path))
        .filter_map(|path| folder::read(&path).ok())
        .filter_map(|sheet| parse(&sheet.file, &sheet.text).ok())
        .collect()
}

/// What a check of files found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Sheets that were examined.
    pub sheets: usize,
    /// Everything that is wrong with them.
    pub errors: Vec<SheetError>,
}

/// The text of a sheet and where it comes from.
struct SheetText {
    file: String,
    text: String,
}

impl SheetText {
    /// The id of this sheet belongs to another one already.
    fn taken(&self, (key, other): (&str, Header)) -> SheetError {
        let message = format!("{:?} exists already, in {}", other.id, other.file);
        self.error(key, message)
    }

    /// An error at the value of a dotted path.
    fn error(&self, path: &str, message: String) -> SheetError {
        SheetError::at(&self.file, &self.text, path, message)
    }
}

/// Whether a sheet is one of those that came with the program, to the letter.
fn is_embedded(file: &str, text: &str) -> bool {
    EMBEDDED.contains(&(file, text))
}

fn embedded() -> Vec<SheetText> {
    let owned = |(file, text): &(&str, &str)| SheetText {
        file: (*file).to_owned(),
        text: (*text).to_owned(),
    };
    EMBEDDED.iter().map(owned).collect()
}

fn target_error(message: String) -> CatalogError {
    CatalogError::Target { message }
}

fn unknown<'a>(kind: &str, id: &str, known: impl Iterator<Item = &'a String>) -> CatalogError {
    let known: Vec<_> = known.map(String::as_str).collect();
    target_error(format!(
        "unknown {kind} {id:?}; allowed: {}",
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests;
