//! The models that parts can be simulated with: one table of them, and the model of a part.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use wordline_nvm::{CardSheet, ChipModel, DdrMramSheet, NandSheet, NorSheet, NvramSheet};

/// Every model: the table of a part's file that states it, and the sheet that the table becomes. A new model is a line
/// here, and its own files in the crate that simulates it.
static MODELS: [ModelTable; 11] = [
    ModelTable::of::<NvramSheet>("mram"),
    ModelTable::of::<DdrMramSheet>("ddr_mram"),
    ModelTable::of::<NvramSheet>("fram"),
    ModelTable::of::<NvramSheet>("eeprom"),
    ModelTable::of::<NvramSheet>("reram"),
    ModelTable::of::<NvramSheet>("sram"),
    ModelTable::of::<NvramSheet>("psram"),
    ModelTable::of::<NorSheet>("nor"),
    ModelTable::of::<NorSheet>("onchip"),
    ModelTable::of::<NandSheet>("nand"),
    ModelTable::of::<CardSheet>("card"),
];

/// Reads the table of a model.
type ParseModel = fn(Spanned<DeValue<'_>>) -> Result<Arc<dyn ChipModel>, toml::de::Error>;

/// A key of a part's file, and the parser of the table below it.
struct ModelTable {
    name: &'static str,
    parse: ParseModel,
}

impl ModelTable {
    const fn of<S: ChipModel + DeserializeOwned>(name: &'static str) -> Self {
        Self {
            name,
            parse: |table| Ok(Arc::new(S::deserialize(ValueDeserializer::from(table))?)),
        }
    }
}

/// The names of all models, each in a form, joined.
pub(crate) fn names(form: fn(&str) -> String) -> String {
    let names: Vec<_> = MODELS.iter().map(|table| form(table.name)).collect();
    names.join(", ")
}

/// The model of a part, with the figures of its sheet. A clone shares them.
#[derive(Clone, Debug)]
pub struct Model {
    name: &'static str,
    chip: Arc<dyn ChipModel>,
}

impl Model {
    /// A model under the name of its table in a sheet.
    #[must_use]
    pub fn new(name: &'static str, chip: impl ChipModel) -> Self {
        let chip = Arc::new(chip);
        Self { name, chip }
    }

    /// As the sheet's table spells it: `mram`, `nand`, ….
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The sheet, where it is one of a type: for what builds on the figures of one technology. Everything else asks the
    /// methods of [`ChipModel`].
    #[must_use]
    pub fn sheet<S: ChipModel>(&self) -> Option<&S> {
        let chip: &dyn Any = &*self.chip;
        chip.downcast_ref()
    }

    /// Takes the tables of models out of a part's file, each to be [parsed](UnparsedModel::parse).
    pub(crate) fn take<'i>(file: &mut DeTable<'i>) -> Vec<UnparsedModel<'i>> {
        let tables = MODELS.iter();
        let found = tables.filter_map(|table| {
            let value = file.remove(table.name)?;
            Some(UnparsedModel { table, value })
        });
        found.collect()
    }
}

impl Deref for Model {
    type Target = dyn ChipModel;

    fn deref(&self) -> &Self::Target {
        &*self.chip
    }
}

/// The table of a model in a part's file.
pub(crate) struct UnparsedModel<'i> {
    table: &'static ModelTable,
    value: Spanned<DeValue<'i>>,
}

impl UnparsedModel<'_> {
    pub(crate) fn parse(self) -> Result<Model, toml::de::Error> {
        Ok(Model {
            name: self.table.name,
            chip: (self.table.parse)(self.value)?,
        })
    }
}
