//! The catalogue: one TOML file for each part and board, every figure with its unit and source.
//!
//! The sheets under `parts/` are embedded and parsed when somebody asks for them; users add folders of their own. Each of
//! their sheets is checked when it is loaded, and a mistake is reported with its file, line and allowed values. What
//! comes out needs no further checks. What no source states of a part is estimated from its family or kind.
//!
//! ```
//! use wordline_catalog::Catalog;
//!
//! let catalog = Catalog::load(&[])?;
//! let target = catalog.target("em064lx")?;
//! assert_eq!(target.name(), "em064lx@stm32h755-qspi");
//! # Ok::<(), wordline_catalog::CatalogError>(())
//! ```

mod advice;
mod counters;
mod dram;
mod error;
mod estimate;
mod figures;
mod folder;
pub mod import;
mod model;
mod nearest;
mod packed;
mod part_on_board;
pub mod plausible;
mod prices;
pub mod profile;
pub mod ranges;
mod shared;
mod sheet;
mod shelf;
mod surfaces;
mod target;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use advice::advice;
pub use counters::Counters;
pub use dram::{Die, DramSheet, Module, ModuleInSystem, System};
pub use error::{CatalogError, PriceError, SheetError};
pub use figures::SheetFigures;
pub use model::Model;
pub use packed::EMBEDDED;
pub use part_on_board::PartOnBoard;
pub use prices::PriceList;
pub use sheet::{Board, Header, ID_ALLOWED, Part, Sheet, is_id, parse};
pub use surfaces::{SURFACES, ShippedSurface};
pub use target::{Capability, Target};

use nearest::unknown;
use shelf::Shelf;

/// Everything that targets can name.
#[derive(Clone, Debug)]
pub struct Catalog {
    parts: Shelf<Part>,
    boards: Shelf<Board>,
    dies: Shelf<Die>,
    modules: Shelf<Module>,
    systems: Shelf<System>,
    counters: Shelf<Counters>,
}

impl Catalog {
    /// The embedded sheets, and those of the users' folders.
    ///
    /// # Errors
    /// When a folder cannot be read or holds no sheet, or with everything that is wrong with any of its
    /// sheets.
    pub fn load(folders: &[PathBuf]) -> Result<Self, CatalogError> {
        let mut catalog = Self::embedded();
        let mut files = Vec::new();
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
        for file in &files {
            match parse(&file.file, &file.text) {
                Ok(sheet) => errors.extend(catalog.insert(sheet).map(|old| file.taken(old))),
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() {
            errors = catalog.check_own(&files);
        }
        if errors.is_empty() {
            Ok(catalog)
        } else {
            Err(CatalogError::Sheets(errors))
        }
    }

    /// The embedded sheets.
    fn embedded() -> Self {
        Self {
            parts: Shelf::embedded(),
            boards: Shelf::embedded(),
            dies: Shelf::embedded(),
            modules: Shelf::embedded(),
            systems: Shelf::embedded(),
            counters: Shelf::embedded(),
        }
    }

    /// Everything that is wrong with the embedded sheets, which all else takes for sound: for those who change them.
    #[must_use]
    pub fn check_embedded() -> Vec<SheetError> {
        let errors = shelf::check_embedded();
        if !errors.is_empty() {
            return errors;
        }
        let owned = |(file, text): &(&str, &str)| SheetText {
            file: (*file).to_owned(),
            text: (*text).to_owned(),
        };
        let files: Vec<_> = EMBEDDED.iter().map(owned).collect();
        let catalog = Self::embedded();
        let mut errors = catalog.check_default_boards(catalog.parts.sheets(), &files);
        errors.extend(catalog.check_dies(catalog.modules.sheets(), &files));
        errors.extend(catalog.check_measured(catalog.systems.sheets(), &files));
        errors
    }

    /// Checks files against this catalogue without adding them. An id that the catalogue has may be
    /// restated by the file that it comes from, as in a checkout of this project, and by no other. Boards
    /// and dies that lie beside a file count as known; what is wrong with them is not this file's fault.
    ///
    /// # Errors
    /// When a path cannot be read; folders are searched for sheets.
    pub fn check(&self, paths: &[PathBuf]) -> Result<CatalogCheck, CatalogError> {
        let mut checked = CatalogCheck::default();
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
                    if let Sheet::Part(part) = &sheet {
                        let lines = advice(part).into_iter();
                        let named = lines.map(|line| (file.file.clone(), line));
                        checked.advice.extend(named);
                    }
                    let old = catalog.insert(sheet);
                    let twice = old.filter(|(_, old)| !Path::new(&file.file).ends_with(&old.file));
                    checked.errors.extend(twice.map(|old| file.taken(old)));
                }
                Err(found) => checked.errors.extend(found),
            }
        }
        checked.errors.extend(catalog.check_own(&files));
        Ok(checked)
    }

    /// Adds a sheet and returns the one that it replaces: the key of its id, and its header.
    fn insert(&mut self, sheet: Sheet) -> Option<(&'static str, Header)> {
        match sheet {
            Sheet::Part(part) => {
                let id = part.header.id.clone();
                self.parts
                    .put(id, *part, |old| ("part", old.header.clone()))
            }
            Sheet::Board(board) => {
                let id = board.header.id.clone();
                self.boards
                    .put(id, *board, |old| ("board", old.header.clone()))
            }
            Sheet::Die(die) => {
                let id = die.header.id.clone();
                self.dies.put(id, *die, |old| ("die", old.header.clone()))
            }
            Sheet::Module(module) => {
                let id = module.header.id.clone();
                self.modules
                    .put(id, *module, |old| ("module", old.header.clone()))
            }
            Sheet::System(system) => {
                let id = system.header.id.clone();
                self.systems
                    .put(id, *system, |old| ("system", old.header.clone()))
            }
            Sheet::Counters(counters) => {
                let id = counters.header.id.clone();
                self.counters
                    .put(id, *counters, |old| ("counters", old.header.clone()))
            }
        }
    }

    /// Adds a board or die that other sheets may need, unless there is one of its id.
    fn insert_if_new(&mut self, sheet: Sheet) {
        match sheet {
            Sheet::Board(board) => self.boards.put_if_new(board.header.id.clone(), *board),
            Sheet::Die(die) => self.dies.put_if_new(die.header.id.clone(), *die),
            Sheet::Part(_) | Sheet::Module(_) | Sheet::System(_) | Sheet::Counters(_) => {}
        }
    }

    /// This catalogue with one more sheet, which takes the place of one that has its id.
    #[must_use]
    pub fn with(&self, sheet: Sheet) -> Self {
        let mut catalog = self.clone();
        catalog.insert(sheet);
        catalog
    }

    /// What every sheet says of itself, with its kind: `part`, `board`, `die`, `module`, `system` or
    /// `counters`.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, &Header)> {
        let parts = self.parts().map(|part| ("part", &part.header));
        let boards = self.boards().map(|board| ("board", &board.header));
        let dies = self.dies().map(|die| ("die", &die.header));
        let modules = self.modules().map(|module| ("module", &module.header));
        let systems = self.systems().map(|system| ("system", &system.header));
        let counters = self
            .counters()
            .map(|counters| ("counters", &counters.header));
        parts
            .chain(boards)
            .chain(dies)
            .chain(modules)
            .chain(systems)
            .chain(counters)
    }

    /// What the sheets of the user's own say, and those that came along and have a price of his, in a stable order. With a
    /// text only those that it names, by themselves or by sheets that it names: what an experiment may read.
    #[must_use]
    pub fn own_sheets(&self, named_in: Option<&str>) -> Vec<&Header> {
        let parts = self.parts.own().map(|sheet| &sheet.header);
        let boards = self.boards.own().map(|sheet| &sheet.header);
        let dies = self.dies.own().map(|sheet| &sheet.header);
        let modules = self.modules.own().map(|sheet| &sheet.header);
        let systems = self.systems.own().map(|sheet| &sheet.header);
        let counters = self.counters.own().map(|sheet| &sheet.header);
        let chips = parts.chain(boards);
        let own: Vec<&Header> = chips
            .chain(dies)
            .chain(modules)
            .chain(systems)
            .chain(counters)
            .collect();
        let Some(text) = named_in else {
            return own;
        };
        if own.is_empty() {
            return own;
        }
        let came_along = EMBEDDED.iter().map(|(path, text)| {
            let id = Path::new(path).file_stem().and_then(|stem| stem.to_str());
            (id.unwrap_or_default(), *text)
        });
        let mut sheets: Vec<(&str, &str)> = own.iter().map(|of| (&*of.id, &*of.text)).collect();
        sheets.extend(came_along);
        let mut named = vec![false; sheets.len()];
        let mut pending = vec![text];
        while let Some(text) = pending.pop() {
            for ((id, sheet), named) in sheets.iter().zip(&mut named) {
                if !*named && text.contains(id) {
                    *named = true;
                    pending.push(sheet);
                }
            }
        }
        let of_own = own.into_iter().zip(named);
        of_own
            .filter_map(|(of, named)| named.then_some(of))
            .collect()
    }

    /// What to say of a name that no sheet has: the nearest of all kinds.
    #[must_use]
    pub fn unknown_name(&self, name: &str) -> CatalogError {
        let chips = self.parts.ids().chain(self.boards.ids());
        let dram = self
            .dies
            .ids()
            .chain(self.modules.ids())
            .chain(self.systems.ids())
            .chain(self.counters.ids());
        unknown("name", name, chips.chain(dram))
    }

    /// Parts by id, ascending.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.sheets()
    }

    /// Boards by id, ascending.
    pub fn boards(&self) -> impl Iterator<Item = &Board> {
        self.boards.sheets()
    }

    /// The part of an id.
    ///
    /// # Errors
    /// When there is none: the message suggests the nearest.
    pub fn part(&self, id: &str) -> Result<&Part, CatalogError> {
        let known = self.parts.ids();
        self.parts.get(id).ok_or_else(|| unknown("part", id, known))
    }

    /// The board of an id.
    ///
    /// # Errors
    /// When there is none: the message suggests the nearest.
    pub fn board(&self, id: &str) -> Result<&Board, CatalogError> {
        let known = self.boards.ids();
        self.boards
            .get(id)
            .ok_or_else(|| unknown("board", id, known))
    }

    /// What the sheets in `files`, which were added, ask of others.
    fn check_own(&self, files: &[SheetText]) -> Vec<SheetError> {
        let mut errors = self.check_default_boards(self.parts.own(), files);
        errors.extend(self.check_dies(self.modules.own(), files));
        errors.extend(self.check_measured(self.systems.own(), files));
        errors
    }

    /// The default boards of those parts that stand in `files` must exist and take their parts.
    fn check_default_boards<'a>(
        &self,
        parts: impl Iterator<Item = &'a Part>,
        files: &[SheetText],
    ) -> Vec<SheetError> {
        let mut errors = Vec::new();
        for part in parts {
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
pub struct CatalogCheck {
    /// Sheets that were examined.
    pub sheets: usize,
    /// Everything that is wrong with them.
    pub errors: Vec<SheetError>,
    /// What would make the sheets of parts stronger: the file and a line each.
    pub advice: Vec<(String, String)>,
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

#[cfg(test)]
mod tests;
