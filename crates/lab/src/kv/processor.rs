//! What a table's own work takes on the processor beside its memory.
//!
//! Each operation is counted in bytes that are hashed, checked, compared and copied, in accesses and in calls, from what
//! it asked of its memory and from the written format. The instructions of each are those of the table's algorithm; the
//! board's sheet says how many cycles an instruction takes, and that figure is the one that is calibrated.

use wordline_core::KvDirectory;
use wordline_core::RowOperation::{self, Delete, Hit, Insert, Update};
use wordline_core::quantity::Time;
use wordline_nvm::ProcessorCost;

use super::TableVariant;
use crate::instrument::Activity;
use crate::instrument::tally::ProcessorTime;

/// Instructions of a call: its arguments, the loop around it.
const CALL: u64 = 40;
/// Instructions of an access: the address of a place, the call that moves its bytes, the branch on what was found.
const ACCESS: u64 = 20;
/// Instructions around a word or a byte that the software loads or stores itself: its address, the load, the comparison,
/// whether it is the last, the count, branches.
const LOAD: u64 = 8;
/// Looks at a directory in RAM: an access each.
const DIRECTORY_LOOKS: u64 = 2;
/// Instructions for a byte of a key that was read and is compared: two loads, a comparison and a branch, a word at a time at best.
const COMPARE: f64 = 2.0;
/// Instructions for a byte that is copied, most of them a word at a time.
const COPY: f64 = 1.0;

/// An operation as the processor sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessorCall {
    pub(super) operation: RowOperation,
    pub(super) key_bytes: u64,
    pub(super) value_bytes: u64,
}

/// Counts of an operation; of hashes and checks their instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ProcessorWork {
    /// Instructions besides those of every call.
    beside: u64,
    looks: u64,
    hashed: f64,
    checks: f64,
    compared: u64,
    copied: u64,
}

impl ProcessorCall {
    /// `None` where the table's work was not counted.
    fn work(&self, variant: TableVariant) -> Option<ProcessorWork> {
        let (key, value) = (self.key_bytes, self.value_bytes);
        let record = key + value;
        let is = |names: &[RowOperation]| names.contains(&self.operation);
        let finds = is(&[Hit, Update, Delete]);
        let puts = is(&[Insert, Update]);
        let engine = variant.table.work()?;
        let looks = match variant.directory {
            Some(KvDirectory::Ram) => DIRECTORY_LOOKS,
            // What is read of a directory in the memory is counted there.
            Some(KvDirectory::Resident) | None => 0,
        };
        // A record that is found is checked; one that is put is given its check, and that of its place.
        let checked = u32::from(finds) + u32::from(puts);
        let place_check = match puts {
            true => (engine.place_check)(record),
            false => 0.0,
        };
        let copied = match self.operation {
            Hit => value,
            Insert => record,
            Update if engine.update_copies_key => record,
            Update => value,
            _ => 0,
        };
        Some(ProcessorWork {
            beside: if is(&[Hit]) { engine.hit } else { 0 },
            looks,
            hashed: (engine.hash)(key),
            checks: f64::from(checked) * (engine.record_check)(record) + place_check,
            compared: if finds { key } else { 0 },
            copied,
        })
    }

    /// What the operation takes on a processor beside what it asked of its memory; `None` where that was not counted.
    pub(super) fn time(
        &self,
        variant: TableVariant,
        activity: &Activity,
        cost: &ProcessorCost,
    ) -> Option<ProcessorTime> {
        let work = self.work(variant)?;
        // What software loads by itself is compared as it is loaded.
        let compared = match activity.loads {
            0 => work.compared as f64,
            _ => 0.0,
        };
        let of = |instructions: f64| cost.instructions(instructions.round() as u64);
        Some([
            cost.instructions(CALL + work.beside),
            cost.instructions(ACCESS * (activity.accesses() + work.looks) + LOAD * activity.loads),
            of(work.hashed),
            of(work.checks),
            of(COMPARE * compared),
            of(COPY * work.copied as f64),
            Time::from_ps(cost.ram_line_miss.ps() * activity.ram_lines),
        ])
    }
}

#[cfg(test)]
mod tests {
    use wordline_engines::{STORES, StoreEngine, named};

    use super::*;

    fn table(name: &str) -> &'static dyn StoreEngine {
        named(STORES, name).expect("it is in the list")
    }

    fn work(name: &str, operation: RowOperation) -> ProcessorWork {
        let table = table(name);
        let directory = table.has_directory().then_some(KvDirectory::Ram);
        let call = ProcessorCall {
            operation,
            key_bytes: 32,
            value_bytes: 100,
        };
        let work = call.work(TableVariant { table, directory });
        work.expect("it is counted")
    }

    #[test]
    fn only_the_table_that_checks_pays_for_checks() {
        let [residue, crc] = [25.0 + 132.0, 4.0 * 140.0];
        assert_eq!(work("own", Insert).checks, residue + crc);
        assert_eq!(work("own", Update).checks, 2.0 * residue + crc);
        assert_eq!(work("own", Hit).checks, residue);
        assert_eq!(work("own", RowOperation::Miss).checks, 0.0);
        for operation in [Insert, Hit, Update] {
            assert_eq!(work("lpht", operation).checks, 0.0);
            assert_eq!(work("clht", operation).checks, 0.0);
        }
    }

    #[test]
    fn looks_at_a_directory_in_the_memory_are_accesses_already() {
        let looks = |directory| {
            let call = ProcessorCall {
                operation: Hit,
                key_bytes: 4,
                value_bytes: 4,
            };
            let table = table("own");
            call.work(TableVariant {
                table,
                directory: Some(directory),
            })
            .expect("it is counted")
            .looks
        };
        assert_eq!(looks(KvDirectory::Ram), 2);
        assert_eq!(looks(KvDirectory::Resident), 0);
    }

    #[test]
    fn a_key_is_compared_where_it_is_found_and_a_value_copied_where_it_moves() {
        assert_eq!(work("lpht", Insert).compared, 0);
        assert_eq!(work("lpht", Hit).compared, 32);
        assert_eq!(work("lpht", Insert).copied, 132);
        assert_eq!(work("lpht", Update).copied, 100);
        assert_eq!(work("own", Update).copied, 132);
        assert_eq!(work("lpht", Hit).beside, 120);
        assert_eq!(work("clht", Hit).beside, 0);
    }
}
