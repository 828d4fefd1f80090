//! What a table's own work takes on the processor beside its memory.
//!
//! Each operation is counted in bytes that are hashed, checked, compared and copied, in accesses and in calls, from what
//! it asked of its memory and from the written format. The instructions of each are those of the table's algorithm; the
//! board's sheet says how many cycles an instruction takes, and that figure is the one that is calibrated.

use wordline_core::quantity::Time;
use wordline_core::{KvDirectory, KvTable};
use wordline_nvm::ProcessorCost;

use super::Variant;
use super::memory::Heard;

/// Where the time of the processor goes, as the column `cause` spells it.
pub(super) const CAUSES: [&str; 7] = [
    "cpu_call",
    "cpu_access",
    "cpu_hash",
    "cpu_check",
    "cpu_compare",
    "cpu_copy",
    "cpu_miss",
];

/// Time of an operation on the processor, by cause.
pub(super) type Spent = [Time; CAUSES.len()];

/// Instructions of a call: its arguments, the loop around it.
const CALL: u64 = 40;
/// Instructions of `malloc` and `free` together, on a free list that is short: the published LPHT returns each value in
/// memory that it takes for it, and the caller gives it back.
const ALLOCATION: u64 = 120;
/// Instructions of an access: the address of a place, the call that moves its bytes, the branch on what was found.
const ACCESS: u64 = 20;
/// Looks at a directory in RAM: an access each.
const DIRECTORY_LOOKS: u64 = 2;
/// Instructions for a byte of a CRC-32 by one table, which is how the published tables hash: load, exclusive or,
/// extract, load from the table, shift and exclusive or, count, compare, branch.
const HASH_BY_TABLE: f64 = 8.0;
/// Instructions for eight bytes, or what is left of them, of the project's hash on a core of 32 bits: two loads and an
/// exclusive or of 64 bits (2), two products of 64 bits by a constant (five each), three shifts of 64 bits with exclusive
/// or (six each), and the loop (2).
const HASH_BY_PRODUCT: f64 = 34.0;
/// Instructions for a byte of a CRC that takes eight bytes a round from eight tables: 2 loads, 8 extractions, 8 loads from
/// tables, 8 exclusive ors and the loop, for eight bytes.
const CRC: f64 = 4.0;
/// Instructions for a byte of a residue on a core of 32 bits: for eight bytes 2 loads, 2 loads of weights, 2 products that
/// are added up in 64 bits, and the loop.
const RESIDUE: f64 = 1.0;
/// Instructions for a residue whatever its length: the lengths, the version and the slot, and a division of 32 bits by a
/// constant.
const DIVISION: f64 = 25.0;
/// Instructions for a byte that is compared: two loads, a comparison and a branch, a word at a time at best.
const COMPARE: f64 = 2.0;
/// Instructions for a byte that is copied, most of them a word at a time.
const COPY: f64 = 1.0;

/// What the CRC-32C of a slot covers besides key and value, in bytes: the head of a record that is not short.
const HEAD: u64 = 8;

/// An operation as the processor sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) operation: &'static str,
    pub(super) key_bytes: u64,
    pub(super) value_bytes: u64,
}

/// Counts of an operation; of hashes and checks their instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    allocations: u64,
    looks: u64,
    hashed: f64,
    checks: f64,
    compared: u64,
    copied: u64,
}

impl Call {
    fn work(&self, variant: Variant) -> Work {
        let (key, value) = (self.key_bytes, self.value_bytes);
        let record = key + value;
        let is = |names: &[&str]| names.contains(&self.operation);
        let finds = is(&["hit", "update", "delete"]);
        let puts = is(&["insert", "update"]);
        let own = matches!(variant.table, KvTable::Own);
        let hashed = if own {
            key.div_ceil(8) as f64 * HASH_BY_PRODUCT
        } else {
            key as f64 * HASH_BY_TABLE
        };
        let looks = match variant.directory {
            Some(KvDirectory::Ram) => DIRECTORY_LOOKS,
            // What is read of a directory in the memory was heard.
            Some(KvDirectory::Resident) | None => 0,
        };
        // A record that is found proves itself by its residue; one that is put is given it, and the slot's CRC-32C.
        let residues = u32::from(finds) + u32::from(puts);
        let residue = DIVISION + RESIDUE * record as f64;
        let crc = if puts {
            CRC * (record + HEAD) as f64
        } else {
            0.0
        };
        let copied = match self.operation {
            "hit" => value,
            "insert" => record,
            "update" if own => record,
            "update" => value,
            _ => 0,
        };
        Work {
            allocations: u64::from(matches!(variant.table, KvTable::Lpht) && is(&["hit"])),
            looks,
            hashed,
            checks: if own {
                f64::from(residues) * residue + crc
            } else {
                0.0
            },
            compared: if finds { key } else { 0 },
            copied,
        }
    }

    /// What the operation takes on a processor beside what it heard of its memory.
    pub(super) fn spent(&self, variant: Variant, heard: &Heard, cost: &ProcessorCost) -> Spent {
        let work = self.work(variant);
        let of = |instructions: f64| cost.instructions(instructions.round() as u64);
        [
            cost.instructions(CALL + ALLOCATION * work.allocations),
            cost.instructions(ACCESS * (heard.accesses + work.looks)),
            of(work.hashed),
            of(work.checks),
            of(COMPARE * work.compared as f64),
            of(COPY * work.copied as f64),
            Time::from_ps(cost.ram_line_miss.ps() * heard.ram_lines),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(table: KvTable, operation: &'static str) -> Work {
        let directory = matches!(table, KvTable::Own).then_some(KvDirectory::Ram);
        let call = Call {
            operation,
            key_bytes: 32,
            value_bytes: 100,
        };
        call.work(Variant { table, directory })
    }

    #[test]
    fn only_the_table_that_checks_pays_for_checks() {
        let [residue, crc] = [25.0 + 132.0, 4.0 * 140.0];
        assert_eq!(work(KvTable::Own, "insert").checks, residue + crc);
        assert_eq!(work(KvTable::Own, "update").checks, 2.0 * residue + crc);
        assert_eq!(work(KvTable::Own, "hit").checks, residue);
        assert_eq!(work(KvTable::Own, "miss").checks, 0.0);
        for operation in ["insert", "hit", "update"] {
            assert_eq!(work(KvTable::Lpht, operation).checks, 0.0);
            assert_eq!(work(KvTable::Clht, operation).checks, 0.0);
        }
    }

    #[test]
    fn looks_at_a_directory_in_the_memory_are_accesses_already() {
        let looks = |directory| {
            let call = Call {
                operation: "hit",
                key_bytes: 4,
                value_bytes: 4,
            };
            let table = KvTable::Own;
            call.work(Variant {
                table,
                directory: Some(directory),
            })
            .looks
        };
        assert_eq!(looks(KvDirectory::Ram), 2);
        assert_eq!(looks(KvDirectory::Resident), 0);
    }

    #[test]
    fn a_key_is_compared_where_it_is_found_and_a_value_copied_where_it_moves() {
        assert_eq!(work(KvTable::Lpht, "insert").compared, 0);
        assert_eq!(work(KvTable::Lpht, "hit").compared, 32);
        assert_eq!(work(KvTable::Lpht, "insert").copied, 132);
        assert_eq!(work(KvTable::Lpht, "update").copied, 100);
        assert_eq!(work(KvTable::Own, "update").copied, 132);
        assert_eq!(work(KvTable::Lpht, "hit").allocations, 1);
        assert_eq!(work(KvTable::Clht, "hit").allocations, 0);
    }
}
