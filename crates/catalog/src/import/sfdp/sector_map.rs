//! The Sector Map: which erase types hold in which region, for each configuration of the chip.

use super::basic::Basic;
use super::fields::{SfdpTable, bits};
use super::{Reading, size};
use crate::import::ImportError;

/// One configuration: its regions from address 0 up.
pub(super) struct SectorConfiguration {
    id: u32,
    /// Bytes, and the numbers of the erase types that hold there.
    regions: Vec<(u64, Vec<usize>)>,
}

/// Every configuration of a chip.
pub(super) struct SectorMap {
    configurations: Vec<SectorConfiguration>,
}

impl SectorMap {
    pub(super) fn read(
        table: &SfdpTable,
        basic: &Basic<'_>,
        reading: &mut Reading,
    ) -> Option<Self> {
        let mut map = Self {
            configurations: Vec::new(),
        };
        let mut word = 1;
        loop {
            if !table.has(word) {
                let fault = format!("the {} ends within a descriptor", table.title);
                let found = format!("{} DWORDs", table.words.len());
                let allowed = "a last descriptor, whose bit 0 is set";
                let end = table.offset + 4 * table.words.len();
                let error = ImportError::new(end, fault, found, allowed);
                reading.faults.push(error);
                return None;
            }
            let last = table.is_set(word, 0);
            if table.is_set(word, 1) {
                word = map.configuration(table, basic, word, reading)?;
            } else {
                let at = bits(word, 15, 8);
                let meaning = format!(
                    "opcode {:02X}h, address {:X}h, mask {:02X}h",
                    table.get(at),
                    table.words.get(word).copied().unwrap_or(0),
                    table.get(bits(word, 31, 24)),
                );
                let name = "command that detects the configuration";
                reading.fields.push(table.field(at, name, meaning));
                word += 2;
            }
            if last {
                return Some(map);
            }
        }
    }

    /// Reads a configuration and returns the DWORD after it.
    fn configuration(
        &mut self,
        table: &SfdpTable,
        basic: &Basic<'_>,
        head: usize,
        reading: &mut Reading,
    ) -> Option<usize> {
        let id = table.get(bits(head, 15, 8));
        let count = table.get(bits(head, 23, 16)) as usize + 1;
        let meaning = format!("{count} regions");
        let name = format!("configuration {id:02X}h");
        let field = table.field(bits(head, 23, 16), &name, meaning);
        reading.fields.push(field);
        let mut regions = Vec::new();
        let mut start = 0_u64;
        for word in head + 1..=head + count {
            if !table.has(word) {
                let fault = format!("configuration {id:02X}h of the {} is cut off", table.title);
                let found = format!("{} DWORDs", table.words.len());
                let allowed = format!("{count} regions, one DWORD each");
                let at = table.offset + 4 * (head - 1);
                reading
                    .faults
                    .push(ImportError::new(at, fault, found, allowed));
                return None;
            }
            let bytes = 256 * (u64::from(table.get(bits(word, 31, 8))) + 1);
            let types: Vec<_> = (1..=4)
                .filter(|number| table.is_set(word, *number as u32 - 1))
                .collect();
            let names: Vec<_> = basic
                .erases
                .iter()
                .filter(|erase| types.contains(&erase.number))
                .map(|erase| size(erase.bytes))
                .collect();
            let meaning = format!(
                "{start:X}h to {:X}h, erased in {}",
                start + bytes - 1,
                if names.is_empty() {
                    "nothing".to_owned()
                } else {
                    names.join(", ")
                },
            );
            let at = bits(word, 31, 0);
            reading.fields.push(table.field(at, "region", meaning));
            start += bytes;
            regions.push((bytes, types));
        }
        if start != basic.bytes {
            let fault = format!("regions of configuration {id:02X}h of the {}", table.title);
            let allowed = format!("{} together, the chip's capacity", basic.capacity);
            let at = table.offset + 4 * (head - 1);
            let error = ImportError::new(at, fault, size(start), allowed);
            reading.contradictions.push(error);
        }
        self.configurations
            .push(SectorConfiguration { id, regions });
        Some(head + count + 1)
    }

    /// The erase types that hold all over the chip, of the configuration with the fewest regions; and what a user
    /// of the sheet should know of it.
    pub(super) fn everywhere(&self, basic: &Basic<'_>) -> (Vec<usize>, Vec<String>) {
        let configurations = self.configurations.iter();
        let Some(simplest) = configurations.min_by_key(|one| one.regions.len()) else {
            return (
                basic.erases.iter().map(|erase| erase.number).collect(),
                Vec::new(),
            );
        };
        let holds = |number: &usize| {
            simplest
                .regions
                .iter()
                .all(|(_, types)| types.contains(number))
        };
        let types: Vec<_> = (1..=4).filter(holds).collect();
        let mut cautions = Vec::new();
        if self.configurations.len() > 1 {
            cautions.push(format!(
                "the chip is taken in configuration {:02X}h of its sector map, whose sectors are alike all over; \
                 it may leave the factory in another",
                simplest.id
            ));
        }
        let used = |number: usize| {
            simplest
                .regions
                .iter()
                .any(|(_, types)| types.contains(&number))
        };
        let partly: Vec<_> = basic
            .erases
            .iter()
            .filter(|erase| used(erase.number) && !types.contains(&erase.number))
            .map(|erase| size(erase.bytes))
            .collect();
        if !partly.is_empty() {
            cautions.push(format!(
                "erases of {} hold in regions of the chip only, by its sector map, and are left out",
                partly.join(", ")
            ));
        }
        (types, cautions)
    }
}
