//! DRAM: dies, modules, systems, and targets of the form `MODULE@SYSTEM`.

use serde::Deserialize;
use toml::de::DeTable;
use wordline_core::results::FigureUse;
use wordline_dram::sheet::{self, Choice, Connected, SettingError, Settings};
use wordline_nvm::Problem;

use crate::error::{CatalogError, SheetError};
use crate::figures;
use crate::sheet::{Header, Source};
use crate::{Catalog, SheetText, target_error, unknown};

/// A sheet of DRAM.
#[derive(Clone, Debug)]
pub struct DramSheet<T> {
    /// What the sheet says of itself.
    pub header: Header,
    /// What it describes.
    pub sheet: T,
    /// Every figure with its source, in the order of the file.
    pub figures: Vec<FigureUse>,
}

/// A DRAM die: `die = "…"`, table `[dram]`.
pub type Die = DramSheet<sheet::Die>;

/// A DRAM module: `module = "…"`, table `[dimm]`.
pub type Module = DramSheet<sheet::Module>;

/// A system with memory channels: `system = "…"`, table `[host]`.
pub type System = DramSheet<sheet::System>;

/// A module, with its dies, in a system.
#[derive(Clone, Debug)]
pub struct DramTarget<'a> {
    /// `MODULE@SYSTEM`.
    pub name: String,
    /// The module in every channel.
    pub module: &'a Module,
    /// Its dies.
    pub die: &'a Die,
    /// The system.
    pub system: &'a System,
}

impl DramTarget<'_> {
    /// The numbers that a simulation works with. `settings` override what the sheets choose, by the names of
    /// [`choices`](Self::choices).
    ///
    /// # Errors
    /// When a setting has no such name or value, or when sheets and settings do not fit each other.
    pub fn connect(&self, settings: &Settings) -> Result<Connected, SettingError> {
        sheet::connect(
            &self.module.sheet,
            &self.die.sheet,
            &self.system.sheet,
            settings,
        )
    }

    /// Every parameter that can be set, with its default, its alternatives and the reason.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        sheet::choices(&self.module.sheet, &self.die.sheet, &self.system.sheet)
    }
}

/// The keys of a file: those of every sheet, its id, and its table.
macro_rules! file {
    ($name:ident, $id:ident, $table:ident: $sheet:ty) => {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $name {
            $id: String,
            name: String,
            manufacturer: String,
            revision: String,
            description: String,
            #[serde(default)]
            cautions: Vec<String>,
            $table: $sheet,
        }

        impl $name {
            fn parts(self) -> ([String; 5], Vec<String>, $sheet) {
                let names = [
                    self.$id,
                    self.name,
                    self.manufacturer,
                    self.revision,
                    self.description,
                ];
                (names, self.cautions, self.$table)
            }
        }
    };
}

file!(DieFile, die, dram: sheet::Die);
file!(ModuleFile, module, dimm: sheet::Module);
file!(SystemFile, system, host: sheet::System);

impl Source<'_> {
    pub(crate) fn die(&self, tree: &DeTable<'_>) -> Result<Die, Vec<SheetError>> {
        let (names, cautions, die) = self.typed::<DieFile>()?.parts();
        let header = self.header(names, cautions);
        let problems = nested("dram", die.problems());
        self.dram(tree, "die", header, problems, die)
    }

    pub(crate) fn module(&self, tree: &DeTable<'_>) -> Result<Module, Vec<SheetError>> {
        let (names, cautions, module) = self.typed::<ModuleFile>()?.parts();
        let header = self.header(names, cautions);
        let problems = nested("dimm", module.problems());
        self.dram(tree, "module", header, problems, module)
    }

    pub(crate) fn system(&self, tree: &DeTable<'_>) -> Result<System, Vec<SheetError>> {
        let (names, cautions, system) = self.typed::<SystemFile>()?.parts();
        let header = self.header(names, cautions);
        let problems = nested("host", system.problems());
        self.dram(tree, "system", header, problems, system)
    }

    fn dram<T>(
        &self,
        tree: &DeTable<'_>,
        id_key: &str,
        header: Header,
        problems: Vec<Problem>,
        sheet: T,
    ) -> Result<DramSheet<T>, Vec<SheetError>> {
        self.checked(tree, id_key, &header, problems)?;
        Ok(DramSheet {
            figures: figures::of(&header.id, self.text, tree),
            header,
            sheet,
        })
    }
}

/// Problems of a table, as paths of the file.
fn nested(table: &str, problems: Vec<sheet::Problem>) -> Vec<Problem> {
    let problem = |problem: sheet::Problem| Problem {
        path: format!("{table}.{}", problem.path),
        message: problem.message,
    };
    problems.into_iter().map(problem).collect()
}

impl Catalog {
    /// DRAM dies by id, ascending.
    pub fn dies(&self) -> impl Iterator<Item = &Die> {
        self.dies.values()
    }

    /// DRAM modules by id, ascending.
    pub fn modules(&self) -> impl Iterator<Item = &Module> {
        self.modules.values()
    }

    /// Systems with memory channels by id, ascending.
    pub fn systems(&self) -> impl Iterator<Item = &System> {
        self.systems.values()
    }

    /// The DRAM die of an id.
    ///
    /// # Errors
    /// When there is none: the message names those that exist.
    pub fn die(&self, id: &str) -> Result<&Die, CatalogError> {
        let known = self.dies.keys();
        self.dies.get(id).ok_or_else(|| unknown("die", id, known))
    }

    /// The DRAM module of an id.
    ///
    /// # Errors
    /// When there is none: the message names those that exist.
    pub fn module(&self, id: &str) -> Result<&Module, CatalogError> {
        let known = self.modules.keys();
        self.modules
            .get(id)
            .ok_or_else(|| unknown("module", id, known))
    }

    /// The system of an id.
    ///
    /// # Errors
    /// When there is none: the message names those that exist.
    pub fn system(&self, id: &str) -> Result<&System, CatalogError> {
        let known = self.systems.keys();
        self.systems
            .get(id)
            .ok_or_else(|| unknown("system", id, known))
    }

    /// The module and system that a target names: `MODULE@SYSTEM`.
    ///
    /// # Errors
    /// When the text has another form, or when module or system do not exist.
    pub fn dram_target(&self, text: &str) -> Result<DramTarget<'_>, CatalogError> {
        let text = text.trim();
        let id = text.split_once('@').map_or(text, |(module, _)| module);
        if self.part(id).is_ok() {
            return Err(target_error(format!(
                "{id:?} is no memory module; wordline raw measures it"
            )));
        }
        let Some((module, system)) = text.split_once('@') else {
            let known: Vec<_> = self.systems.keys().map(String::as_str).collect();
            return Err(target_error(format!(
                "{text:?} names no system; write {text}@SYSTEM, with one of {}",
                known.join(", ")
            )));
        };
        let (module, system) = (self.module(module)?, self.system(system)?);
        Ok(DramTarget {
            name: format!("{}@{}", module.header.id, system.header.id),
            die: self.die(&module.sheet.die)?,
            module,
            system,
        })
    }

    /// The dies of the modules in `files` must exist and be what the modules take them for.
    pub(crate) fn check_dies(&self, files: &[SheetText]) -> Vec<SheetError> {
        let mut errors = Vec::new();
        for module in self.modules.values() {
            let Some(file) = files.iter().find(|file| file.file == module.header.file) else {
                continue;
            };
            match self.die(&module.sheet.die) {
                Err(error) => errors.push(file.error("dimm.die", format!("dimm.die: {error}"))),
                Ok(die) => {
                    let problems = nested("dimm", module.sheet.problems_with(&die.sheet));
                    let error = |problem: &Problem| {
                        let message = format!("{}: {}", problem.path, problem.message);
                        file.error(&problem.path, message)
                    };
                    errors.extend(problems.iter().map(error));
                }
            }
        }
        errors
    }
}
