//! DRAM: dies, modules, systems, and targets of the form `MODULE@SYSTEM`.

use serde::Deserialize;
use toml::de::DeTable;
use wordline_dram::sheet::{self, Connected, SettingError, Settings, SheetChoice};
use wordline_nvm::Problem;

use crate::error::{CatalogError, SheetError};
use crate::figures::SheetFigures;
use crate::sheet::{Header, SheetSource};
use crate::{Catalog, SheetText, unknown};

/// A sheet of DRAM.
#[derive(Clone, Debug)]
pub struct DramSheet<T> {
    /// What the sheet says of itself.
    pub header: Header,
    /// What it describes.
    pub sheet: T,
    /// Every figure with its source, in the order of the file.
    pub figures: SheetFigures,
}

/// A DRAM die: `die = "…"`, table `[dram]`.
pub type Die = DramSheet<sheet::Die>;

/// A DRAM module: `module = "…"`, table `[dimm]`.
pub type Module = DramSheet<sheet::Module>;

/// A system with memory channels: `system = "…"`, table `[host]`.
pub type System = DramSheet<sheet::System>;

/// A module, with its dies, in a system.
#[derive(Clone, Debug)]
pub struct ModuleInSystem<'a> {
    /// `MODULE@SYSTEM`.
    pub name: String,
    /// The module in every channel.
    pub module: &'a Module,
    /// Its dies.
    pub die: &'a Die,
    /// The system.
    pub system: &'a System,
}

impl<'a> ModuleInSystem<'a> {
    pub(crate) fn new(
        catalog: &'a Catalog,
        module: &'a Module,
        system: &'a System,
    ) -> Result<Self, CatalogError> {
        Ok(Self {
            name: format!("{}@{}", module.header.id, system.header.id),
            die: catalog.die(&module.sheet.die)?,
            module,
            system,
        })
    }

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

    /// The settings that module, dies and system have no use for.
    #[must_use]
    pub fn unused_settings(&self, settings: &Settings) -> Vec<SettingError> {
        sheet::unused_settings(
            &self.module.sheet,
            &self.die.sheet,
            &self.system.sheet,
            settings,
        )
    }

    /// Every parameter that can be set, with its default, its alternatives and the reason.
    #[must_use]
    pub fn choices(&self) -> Vec<SheetChoice> {
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

impl SheetSource<'_> {
    pub(crate) fn die(&self, tree: DeTable<'_>) -> Result<Die, Vec<SheetError>> {
        let (names, cautions, die) = self.typed::<DieFile>(tree)?.parts();
        let header = self.header(names, cautions);
        let problems = nested("dram", die.problems());
        self.dram("die", header, problems, die)
    }

    pub(crate) fn module(&self, tree: DeTable<'_>) -> Result<Module, Vec<SheetError>> {
        let (names, cautions, module) = self.typed::<ModuleFile>(tree)?.parts();
        let header = self.header(names, cautions);
        let problems = nested("dimm", module.problems());
        self.dram("module", header, problems, module)
    }

    pub(crate) fn system(&self, tree: DeTable<'_>) -> Result<System, Vec<SheetError>> {
        let (names, cautions, system) = self.typed::<SystemFile>(tree)?.parts();
        let header = self.header(names, cautions);
        let problems = nested("host", system.problems());
        self.dram("system", header, problems, system)
    }

    fn dram<T>(
        &self,
        id_key: &str,
        header: Header,
        problems: Vec<Problem>,
        sheet: T,
    ) -> Result<DramSheet<T>, Vec<SheetError>> {
        self.checked(id_key, &header, problems)?;
        Ok(DramSheet {
            figures: SheetFigures::of(&header),
            header,
            sheet,
        })
    }
}

/// Problems of a table, as paths of the file.
fn nested(table: &str, problems: Vec<sheet::DramSheetProblem>) -> Vec<Problem> {
    let problem = |problem: sheet::DramSheetProblem| Problem {
        path: format!("{table}.{}", problem.path),
        message: problem.message,
    };
    problems.into_iter().map(problem).collect()
}

impl Catalog {
    /// DRAM dies by id, ascending.
    pub fn dies(&self) -> impl Iterator<Item = &Die> {
        self.dies.sheets()
    }

    /// DRAM modules by id, ascending.
    pub fn modules(&self) -> impl Iterator<Item = &Module> {
        self.modules.sheets()
    }

    /// Systems with memory channels by id, ascending.
    pub fn systems(&self) -> impl Iterator<Item = &System> {
        self.systems.sheets()
    }

    /// The DRAM die of an id.
    ///
    /// # Errors
    /// When there is none: the message suggests the nearest.
    pub fn die(&self, id: &str) -> Result<&Die, CatalogError> {
        let known = self.dies.ids();
        self.dies.get(id).ok_or_else(|| unknown("die", id, known))
    }

    /// The DRAM module of an id.
    ///
    /// # Errors
    /// When there is none: the message suggests the nearest.
    pub fn module(&self, id: &str) -> Result<&Module, CatalogError> {
        let known = self.modules.ids();
        self.modules
            .get(id)
            .ok_or_else(|| unknown("module", id, known))
    }

    /// The system of an id.
    ///
    /// # Errors
    /// When there is none: the message suggests the nearest.
    pub fn system(&self, id: &str) -> Result<&System, CatalogError> {
        let known = self.systems.ids();
        self.systems
            .get(id)
            .ok_or_else(|| unknown("system", id, known))
    }

    /// The dies of those modules that stand in `files` must exist and be what the modules take them for.
    pub(crate) fn check_dies<'a>(
        &self,
        modules: impl Iterator<Item = &'a Module>,
        files: &[SheetText],
    ) -> Vec<SheetError> {
        let mut errors = Vec::new();
        for module in modules {
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

    /// Modules that systems were measured with must exist, for those systems that stand in `files`.
    pub(crate) fn check_measured<'a>(
        &self,
        systems: impl Iterator<Item = &'a System>,
        files: &[SheetText],
    ) -> Vec<SheetError> {
        let mut errors = Vec::new();
        for system in systems {
            let Some(file) = files.iter().find(|file| file.file == system.header.file) else {
                continue;
            };
            for (number, measured) in system.sheet.measured.iter().enumerate() {
                if let Err(error) = self.module(&measured.module) {
                    let path = format!("host.measured.{number}.module");
                    errors.push(file.error(&path, format!("{path}: {error}")));
                }
            }
        }
        errors
    }
}
