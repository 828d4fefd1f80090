//! A store on a part of a memory: what the workloads call.

use std::fmt::Display;

use wordline_core::{EngineName, KvDirectory, KvSizes};
use wordline_engines::{
    ByteBox, Contract, RecordStore, STORES, StoreEngine, StoreError, StoreOptions, named,
};
use wordline_memory::ByteMemory;

use super::TableVariant;
use super::operations::KvMemory;
use crate::error::{LabError, SettingProblem};

/// The store of a name.
///
/// # Errors
/// When there is none, with the names that are allowed, or when this program was built without it.
pub(super) fn engine(name: &EngineName) -> Result<&'static dyn StoreEngine, LabError> {
    let engine = named(STORES, name.name()).map_err(|allowed| {
        let name = name.to_string();
        SettingProblem::UnknownEngine { name, allowed }.of("table")
    })?;
    match engine.is_built_in() {
        true => Ok(engine),
        false => Err(SettingProblem::NotBuiltIn(name.to_string()).of("table")),
    }
}

/// The options of a variant with records of such sizes.
pub(super) fn options(variant: TableVariant, sizes: KvSizes) -> StoreOptions {
    StoreOptions {
        key_bytes: sizes.key_bytes,
        value_bytes: sizes.value_bytes,
        resident_directory: variant.directory == Some(KvDirectory::Resident),
    }
}

/// Records for which a memory has room; `None` where there is no such table.
pub(super) fn places(
    variant: TableVariant,
    sizes: KvSizes,
    bytes: u64,
    atom: usize,
) -> Option<u64> {
    let options = options(variant, sizes);
    variant.table.places(&options, bytes, atom)
}

/// Bytes of memory that the workload of power cuts takes.
pub(super) fn short_bytes(variant: TableVariant, sizes: KvSizes, atom: usize) -> u64 {
    variant.table.short_bytes(&options(variant, sizes), atom)
}

/// Makes an empty store that fills a memory.
pub(super) fn create(
    variant: TableVariant,
    sizes: KvSizes,
    memory: impl ByteMemory<Error: Display> + Send + 'static,
) -> Result<Box<dyn RecordStore>, StoreError> {
    let memory = Contract::Bytes(ByteBox::new(memory));
    variant.table.create(memory, &options(variant, sizes))
}

/// The part of a memory below a store that was made on one.
pub(super) fn part(store: &mut dyn RecordStore) -> &mut KvMemory {
    match store.memory().downcast_mut() {
        Some(part) => part,
        None => unreachable!("the store was made on a part"),
    }
}
