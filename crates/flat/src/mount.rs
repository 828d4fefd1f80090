//! Mounting: what is in force, what a newer record replaces, and which units and slots are free.

use wordline_memory::ByteMemory;

use crate::barrier::FlatBarrier;
use crate::disk::FlatDisk;
use crate::path::entry_word;
use crate::record::SlotState;
use crate::shape::{FlatShape, FlatUse};
use crate::tables::{CONTINUES, FREE, FlatTables};
use crate::{FlatError, FlatFiles};

impl<M: ByteMemory, R: AsMut<[u32]> + AsRef<[u32]>> FlatFiles<M, R> {
    pub(crate) fn mount_lacking(
        mut memory: M,
        of_use: &FlatUse,
        ram: R,
        lacking: Option<FlatBarrier>,
    ) -> Result<Self, FlatError<M::Error>> {
        let checks = lacking != Some(FlatBarrier::CheckHeader);
        let shape = FlatShape::read(&mut memory, checks)?;
        let (needed, words) = (shape.ram_words(of_use), ram.as_ref().len() as u64);
        if words < needed {
            return Err(FlatError::Ram { needed, words });
        }
        let mut files = Self {
            disk: FlatDisk {
                memory,
                shape,
                is_pending: false,
                lacking,
            },
            tables: FlatTables::new(ram, &shape, of_use),
            next_serial: 1,
            reserve_bytes: of_use.reserve_bytes,
        };
        files.find_records()?;
        files.end_replacing()?;
        files.find_space()?;
        Ok(files)
    }

    /// Notes every record in force.
    fn find_records(&mut self) -> Result<(), FlatError<M::Error>> {
        for slot in 0..self.tables.records() {
            if self.disk.state(slot)? == SlotState::Dead {
                continue;
            }
            let record = self.disk.load(slot)?;
            let word = entry_word(record.parent, record.name());
            self.tables.set_slot(slot, word);
            let next = record.serial.checked_add(1);
            let next = next.ok_or(FlatError::Corrupt { slot })?;
            self.next_serial = self.next_serial.max(next);
        }
        Ok(())
    }

    /// Kills what a newer record replaces: a power cut fell between the two. What was written to such a slot later has a
    /// higher serial, and stays.
    fn end_replacing(&mut self) -> Result<(), FlatError<M::Error>> {
        if !self.keeps(FlatBarrier::KillReplaced) {
            return Ok(());
        }
        for slot in 0..self.tables.records() {
            if self.tables.slot(slot) == FREE {
                continue;
            }
            let record = self.disk.load(slot)?;
            for old in record.replaces {
                let in_force = old < self.tables.records() && self.tables.slot(old) != FREE;
                if in_force && self.disk.serial(old)? < record.serial {
                    self.disk.set_state(old, SlotState::Dead)?;
                    self.tables.set_slot(old, FREE);
                }
            }
        }
        if self.disk.is_pending {
            self.disk.persist()?;
        }
        Ok(())
    }

    /// Takes the units that files have, and the slots that continue records.
    fn find_space(&mut self) -> Result<(), FlatError<M::Error>> {
        for slot in 0..self.tables.records() {
            if matches!(self.tables.slot(slot), FREE | CONTINUES) {
                continue;
            }
            let record = self.disk.load(slot)?;
            let damaged = FlatError::Corrupt { slot };
            for next in &record.slots()[1..] {
                if !self.keeps(FlatBarrier::TakeContinuations) {
                    continue;
                }
                if self.tables.slot(*next) != FREE {
                    return Err(damaged);
                }
                self.tables.set_slot(*next, CONTINUES);
            }
            let units = self.covered_units(&record);
            for extent in record.covered(units) {
                if !self.tables.take(extent) {
                    return Err(damaged);
                }
            }
        }
        Ok(())
    }
}
