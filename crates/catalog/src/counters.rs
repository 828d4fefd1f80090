//! Counters of cores: which events give what a profile of a program needs.

use serde::Deserialize;
use toml::de::DeTable;
use wordline_apps::import::CounterSheet;
use wordline_nvm::Problem;

use crate::error::{CatalogError, SheetError};
use crate::figures::SheetFigures;
use crate::sheet::{Header, SheetSource};
use crate::{Catalog, unknown};

/// The counters of a core: `counters = "…"`, table `[pmu]`.
#[derive(Clone, Debug)]
pub struct Counters {
    /// What the sheet says of itself.
    pub header: Header,
    /// The counters.
    pub sheet: CounterSheet,
    /// Every event with its source, in the order of the file.
    pub figures: SheetFigures,
}

/// The keys of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CountersFile {
    counters: String,
    name: String,
    manufacturer: String,
    revision: String,
    description: String,
    #[serde(default)]
    cautions: Vec<String>,
    pmu: CounterSheet,
}

impl SheetSource<'_> {
    pub(crate) fn counters(&self, tree: DeTable<'_>) -> Result<Counters, Vec<SheetError>> {
        let file: CountersFile = self.typed(tree)?;
        let names = [
            file.counters,
            file.name,
            file.manufacturer,
            file.revision,
            file.description,
        ];
        let header = self.header(names, file.cautions);
        let problems = file.pmu.problems().into_iter().map(|problem| Problem {
            path: format!("pmu.{}", problem.path),
            message: problem.message,
        });
        self.checked("counters", &header, problems.collect())?;
        Ok(Counters {
            figures: SheetFigures::of(&header),
            sheet: file.pmu,
            header,
        })
    }
}

impl Catalog {
    /// Counters of cores by id, ascending.
    pub fn counters(&self) -> impl Iterator<Item = &Counters> {
        self.counters.sheets()
    }

    /// The counters of a core's id.
    ///
    /// # Errors
    /// When there are none: the message suggests the nearest.
    pub fn counters_of(&self, id: &str) -> Result<&Counters, CatalogError> {
        let known = self.counters.ids();
        self.counters
            .get(id)
            .ok_or_else(|| unknown("core with counters", id, known))
    }
}
