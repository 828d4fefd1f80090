//! What a workload runs on: the first bytes of a memory, with everything asked of it counted, and its clock.

use std::hint::black_box;

use wordline_core::SimClock;
use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, Clock as _, Ecc, EraseMode, Flash, Geometry, OutOfRange};
use wordline_nvm::{AccessCost, Accounts, Cause, Device, FlashMemory, NvmError, OperationKind};

use super::meter::{AccessBy, AccessMeter, Activity, BusTransfer};
use super::reading::AccountsReading;
use crate::machine_memory::{
    MappedFile, MappedFileError, ScratchFileError, ThreadReading, WallClock,
};

/// Bytes that RAM stores at once.
pub(crate) const RAM_ATOM: usize = 8;

/// A memory that can be measured.
pub(crate) trait MemoryBackend {
    /// Clock, energy and wear; `None` of a memory without a data sheet.
    fn accounts(&self) -> Option<&dyn Accounts>;

    /// Endurance cycles of each unit in the first `bytes` bytes; `None` where single units are not counted.
    fn cycles(&self, bytes: u64) -> Option<Vec<u64>>;
}

impl MemoryBackend for Box<dyn Device> {
    fn accounts(&self) -> Option<&dyn Accounts> {
        Some(self)
    }

    fn cycles(&self, bytes: u64) -> Option<Vec<u64>> {
        let unit_bytes = self.wear().unit_bytes.max(1);
        let units = (0..bytes).step_by(unit_bytes as usize);
        units.map(|at| self.cycles_at(at)).collect()
    }
}

impl MemoryBackend for Box<dyn FlashMemory> {
    fn accounts(&self) -> Option<&dyn Accounts> {
        Some(self)
    }

    fn cycles(&self, bytes: u64) -> Option<Vec<u64>> {
        let blocks = (bytes / self.geometry().block_bytes()) as u32;
        let cycles = |block| (**self).cycles(block).ok();
        (0..blocks).map(cycles).collect()
    }
}

/// Bytes that can be overwritten, wherever they are.
pub(crate) enum ByteBackend {
    /// A simulated memory on its bus.
    Device(Box<dyn Device>),
    /// RAM of a simulated processor, or of this machine.
    Ram(Vec<u8>),
    /// A mapped file of this machine, and whether persisting it is put off.
    File(MappedFile, bool),
}

/// Why a memory did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MediumError {
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    #[error(transparent)]
    Simulated(#[from] NvmError),
    #[error(transparent)]
    File(#[from] MappedFileError),
    #[error(transparent)]
    Scratch(#[from] ScratchFileError),
}

impl MemoryBackend for ByteBackend {
    fn accounts(&self) -> Option<&dyn Accounts> {
        match self {
            Self::Device(device) => Some(device),
            Self::Ram(_) | Self::File(..) => None,
        }
    }

    fn cycles(&self, bytes: u64) -> Option<Vec<u64>> {
        match self {
            Self::Device(device) => device.cycles(bytes),
            Self::Ram(_) | Self::File(..) => None,
        }
    }
}

impl ByteMemory for ByteBackend {
    type Error = MediumError;

    fn len(&self) -> u64 {
        match self {
            Self::Device(device) => device.len(),
            Self::Ram(bytes) => bytes.len() as u64,
            Self::File(file, _) => file.len(),
        }
    }

    fn atom(&self) -> usize {
        match self {
            Self::Device(device) => device.atom(),
            Self::Ram(_) => RAM_ATOM,
            Self::File(file, _) => file.atom(),
        }
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), MediumError> {
        match self {
            Self::Device(device) => device.read(at, out)?,
            Self::Ram(bytes) => out.copy_from_slice(&bytes[at as usize..][..out.len()]),
            Self::File(file, _) => file.read(at, out)?,
        }
        Ok(())
    }

    /// Loads a byte of the first line of RAM and one of the last, and waits for neither.
    #[inline]
    fn prefetch(&mut self, at: u64, bytes: u64) {
        if let Self::Ram(ram) = self {
            for at in [at, at + bytes.saturating_sub(1)] {
                black_box(ram.get(at as usize).copied());
            }
        }
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), MediumError> {
        match self {
            Self::Device(device) => device.write(at, data)?,
            Self::Ram(bytes) => bytes[at as usize..][..data.len()].copy_from_slice(data),
            Self::File(file, _) => file.write(at, data)?,
        }
        Ok(())
    }

    fn is_mapped(&self) -> bool {
        match self {
            Self::Device(device) => device.is_mapped(),
            Self::Ram(_) => true,
            Self::File(..) => false,
        }
    }

    fn load(&mut self, at: u64, out: &mut [u8]) -> Result<(), MediumError> {
        match self {
            Self::Device(device) => Ok(device.load(at, out)?),
            Self::Ram(_) | Self::File(..) => self.read(at, out),
        }
    }

    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), MediumError> {
        match self {
            Self::Device(device) => Ok(device.store(at, data)?),
            Self::Ram(_) | Self::File(..) => self.write(at, data),
        }
    }

    fn persist(&mut self) -> Result<(), MediumError> {
        match self {
            Self::Device(device) => device.persist()?,
            Self::File(file, false) => file.persist()?,
            Self::File(_, true) | Self::Ram(_) => {}
        }
        Ok(())
    }
}

/// Time of a simulation, or of this machine.
enum MediumClock {
    Simulated(SimClock),
    Wall {
        clock: WallClock,
        /// Whether the thread gives up its processor to wait for the memory.
        waits_for_disk: bool,
    },
}

impl MediumClock {
    /// The clock of this machine, from now on.
    fn wall(waits_for_disk: bool) -> Self {
        Self::Wall {
            clock: WallClock::start(),
            waits_for_disk,
        }
    }
}

/// The first bytes of a memory, or its first blocks. It meets the contract that the memory meets.
pub(crate) struct MeteredMemory<B> {
    backend: B,
    clock: MediumClock,
    bytes: u64,
    meter: AccessMeter,
}

/// A medium, as an instrument reads it.
pub(crate) trait Instrumented {
    /// The time of its memory.
    fn now(&self) -> Time;

    /// What was asked of it since this was last called.
    fn take_call(&mut self) -> Activity;

    /// What was asked of it since it was made.
    fn total(&self) -> Activity;

    /// Its accounts.
    fn reading(&self) -> AccountsReading;

    /// Endurance cycles of each of its units; `None` where single units are not counted.
    fn cycles(&self) -> Option<Vec<u64>>;

    /// The causes that its accesses can have.
    fn causes(&self) -> &'static [Cause];

    /// Bytes that its bus moves in a cycle; `None` of a bus whose cycles are not words.
    fn cycle_bytes(&self) -> Option<u64>;
}

impl<B: MemoryBackend> Instrumented for MeteredMemory<B> {
    fn now(&self) -> Time {
        match &self.clock {
            MediumClock::Simulated(clock) => clock.now(),
            MediumClock::Wall { clock, .. } => Time::from_ps(clock.now_ps()),
        }
    }

    fn take_call(&mut self) -> Activity {
        self.meter.take_call()
    }

    fn total(&self) -> Activity {
        self.meter.total()
    }

    fn reading(&self) -> AccountsReading {
        match (&self.clock, self.backend.accounts()) {
            (_, Some(accounts)) => AccountsReading::of(accounts, &self.total().cost),
            (MediumClock::Simulated(_), None) => AccountsReading::at(self.now()),
            (MediumClock::Wall { waits_for_disk, .. }, None) => {
                AccountsReading::measured(self.now(), ThreadReading::now(*waits_for_disk))
            }
        }
    }

    fn cycles(&self) -> Option<Vec<u64>> {
        self.backend.cycles(self.bytes)
    }

    fn causes(&self) -> &'static [Cause] {
        self.backend.accounts().map_or(&[], Accounts::causes)
    }

    fn cycle_bytes(&self) -> Option<u64> {
        self.meter.cycle_bytes()
    }
}

impl MeteredMemory<Box<dyn Device>> {
    /// The first bytes of a device, all of a smaller one.
    pub(crate) fn new(device: Box<dyn Device>, capacity: u64) -> Self {
        Self {
            clock: MediumClock::Simulated(device.clock().clone()),
            bytes: capacity.min(device.len()),
            backend: device,
            meter: AccessMeter::new(BusTransfer::Bytes),
        }
    }
}

impl MeteredMemory<Box<dyn FlashMemory>> {
    /// The whole blocks in the first bytes of a flash memory.
    pub(crate) fn flash(flash: Box<dyn FlashMemory>, capacity: u64) -> Self {
        let geometry = flash.geometry();
        let bytes = capacity.min(geometry.capacity_bytes());
        Self {
            clock: MediumClock::Simulated(flash.clock().clone()),
            bytes: bytes - bytes % geometry.block_bytes(),
            backend: flash,
            meter: AccessMeter::new(BusTransfer::Bytes),
        }
    }
}

impl MeteredMemory<ByteBackend> {
    /// The first bytes of a device, all of a smaller one, on its bus.
    pub(crate) fn device(device: Box<dyn Device>, capacity: u64, bus: BusTransfer) -> Self {
        Self {
            clock: MediumClock::Simulated(device.clock().clone()),
            bytes: capacity.min(device.len()),
            backend: ByteBackend::Device(device),
            meter: AccessMeter::new(bus),
        }
    }

    /// RAM of a simulated processor in lines of so many bytes.
    pub(crate) fn ram(capacity: u64, line_bytes: u64) -> Self {
        Self {
            backend: ByteBackend::Ram(vec![0; capacity as usize]),
            clock: MediumClock::Simulated(SimClock::new()),
            bytes: capacity,
            meter: AccessMeter::new(BusTransfer::Lines(line_bytes.max(1))),
        }
    }

    /// RAM of this machine.
    pub(crate) fn ram_of_host(capacity: u64) -> Self {
        // The system maps a page at its first write, which is not part of the workload.
        let mut bytes = vec![1; capacity as usize];
        bytes.fill(0);
        Self {
            backend: ByteBackend::Ram(bytes),
            clock: MediumClock::wall(false),
            bytes: capacity,
            meter: AccessMeter::new(BusTransfer::Bytes),
        }
    }

    /// A mapped file of this machine.
    pub(crate) fn file(file: MappedFile, capacity: u64) -> Self {
        Self {
            bytes: capacity.min(file.len()),
            backend: ByteBackend::File(file, false),
            clock: MediumClock::wall(true),
            meter: AccessMeter::new(BusTransfer::Bytes),
        }
    }

    /// Puts off persisting a file until [`catch_up`](Self::catch_up): what is not timed need not wait for a disk.
    pub(crate) const fn put_off(&mut self) {
        if let ByteBackend::File(_, puts_off) = &mut self.backend {
            *puts_off = true;
        }
    }

    /// Persists what was put off.
    pub(crate) fn catch_up(&mut self) -> Result<(), MediumError> {
        let puts_off = match &mut self.backend {
            ByteBackend::File(_, puts_off) => std::mem::take(puts_off),
            _ => false,
        };
        if puts_off { self.persist() } else { Ok(()) }
    }
}

impl<B: MemoryBackend> MeteredMemory<B> {
    /// The memory. What is asked of it directly is not counted.
    pub(crate) const fn backend(&self) -> &B {
        &self.backend
    }

    pub(crate) const fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Advances simulated time, in which the memory stands by. The time of this machine passes by itself.
    pub(crate) fn stand_by(&self, time: Time) {
        if let MediumClock::Simulated(clock) = &self.clock {
            clock.advance(time);
        }
    }

    /// Runs an operation and counts it. One that was refused before it began costs nothing.
    fn counted<T, E>(
        &mut self,
        operation: (OperationKind, u64, u64),
        run: impl FnOnce(&mut B) -> Result<T, E>,
    ) -> Result<T, E> {
        self.counted_by(AccessBy::Driver, operation, run)
    }

    /// The same of an operation that the driver or the software itself does.
    fn counted_by<T, E>(
        &mut self,
        by: AccessBy,
        (kind, at, bytes): (OperationKind, u64, u64),
        run: impl FnOnce(&mut B) -> Result<T, E>,
    ) -> Result<T, E> {
        let start = self.simulated_now();
        let result = run(&mut self.backend);
        let cost = self.cost_since(start);
        self.meter.count_by(by, kind, at, bytes, cost.as_ref());
        result
    }

    /// Who does a load or a store: the driver, where the processor does not see the memory.
    fn loads_by(&self) -> AccessBy
    where
        B: ByteMemory,
    {
        match self.backend.is_mapped() {
            true => AccessBy::Software,
            false => AccessBy::Driver,
        }
    }

    fn simulated_now(&self) -> Option<Time> {
        match &self.clock {
            MediumClock::Simulated(clock) => Some(clock.now()),
            MediumClock::Wall { .. } => None,
        }
    }

    /// What the last access of a simulated memory consisted of, where it took time.
    fn cost_since(&self, start: Option<Time>) -> Option<AccessCost> {
        let accounts = self.backend.accounts()?;
        (self.simulated_now() > start).then(|| *accounts.last_cost())
    }
}

impl<B: ByteMemory + MemoryBackend> ByteMemory for MeteredMemory<B>
where
    B::Error: From<OutOfRange>,
{
    type Error = B::Error;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        self.backend.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), B::Error> {
        let bytes = out.len() as u64;
        OutOfRange::check(at, bytes, self.bytes)?;
        self.counted((OperationKind::Read, at, bytes), |memory| {
            memory.read(at, out)
        })
    }

    #[inline]
    fn prefetch(&mut self, at: u64, bytes: u64) {
        self.backend.prefetch(at, bytes);
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), B::Error> {
        let bytes = data.len() as u64;
        OutOfRange::check(at, bytes, self.bytes)?;
        self.counted((OperationKind::Write, at, bytes), |memory| {
            memory.write(at, data)
        })
    }

    /// Where single bytes are cycles of a bus. Keys in RAM are compared whole, by words from a cache.
    fn is_mapped(&self) -> bool {
        self.meter.cycle_bytes().is_some() && self.backend.is_mapped()
    }

    fn load(&mut self, at: u64, out: &mut [u8]) -> Result<(), B::Error> {
        let (by, bytes) = (self.loads_by(), out.len() as u64);
        OutOfRange::check(at, bytes, self.bytes)?;
        self.counted_by(by, (OperationKind::Read, at, bytes), |memory| {
            memory.load(at, out)
        })
    }

    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), B::Error> {
        let (by, bytes) = (self.loads_by(), data.len() as u64);
        OutOfRange::check(at, bytes, self.bytes)?;
        self.counted_by(by, (OperationKind::Write, at, bytes), |memory| {
            memory.store(at, data)
        })
    }

    fn persist(&mut self) -> Result<(), B::Error> {
        self.counted((OperationKind::Persist, 0, 0), ByteMemory::persist)
    }
}

impl MeteredMemory<Box<dyn FlashMemory>> {
    fn address(&self, page: u32, column: u32) -> u64 {
        u64::from(page) * u64::from(self.geometry().page_bytes) + u64::from(column)
    }

    /// The same for the mark of a bad block, in its first byte: chips without marks do nothing for it.
    fn counted_mark<T>(
        &mut self,
        kind: OperationKind,
        block: u32,
        run: impl FnOnce(&mut Box<dyn FlashMemory>) -> Result<T, NvmError>,
    ) -> Result<T, NvmError> {
        self.geometry().check_block(block)?;
        let start = self.simulated_now();
        let result = run(&mut self.backend);
        if let Some(cost) = self.cost_since(start) {
            let at = u64::from(block) * self.geometry().block_bytes();
            self.meter.count(kind, at, 1, Some(&cost));
        }
        result
    }
}

impl Flash for MeteredMemory<Box<dyn FlashMemory>> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        let whole = self.backend.geometry();
        Geometry {
            blocks: (self.bytes / whole.block_bytes()) as u32,
            ..whole
        }
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let bytes = out.len() as u64;
        self.geometry().check_read(page, column, bytes)?;
        let at = self.address(page, column);
        self.counted((OperationKind::Read, at, bytes), |flash| {
            flash.read(page, column, out)
        })
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let bytes = data.len() as u64;
        self.geometry().check_program(page, column, bytes)?;
        let at = self.address(page, column);
        self.counted((OperationKind::Program, at, bytes), |flash| {
            flash.program(page, column, data)
        })
    }

    fn can_move(&self, from: u32, to: u32) -> bool {
        self.backend.can_move(from, to)
    }

    /// A program of the whole page.
    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, NvmError> {
        let geometry = self.geometry();
        geometry.check_read(from, 0, geometry.columns())?;
        geometry.check_program(to, column, data.len() as u64)?;
        let at = self.address(to, 0);
        self.counted((OperationKind::Program, at, geometry.columns()), |flash| {
            flash.move_page(from, to, column, data)
        })
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        let geometry = self.geometry();
        geometry.check_block(block)?;
        let bytes = geometry.block_bytes();
        let at = u64::from(block) * bytes;
        self.counted((OperationKind::Erase, at, bytes), |flash| {
            flash.erase(block)
        })
    }

    fn erase_mode(&self) -> EraseMode {
        self.backend.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        let geometry = self.geometry();
        geometry.check_block(block)?;
        let bytes = geometry.block_bytes();
        let at = u64::from(block) * bytes;
        self.counted((OperationKind::Erase, at, bytes), |flash| {
            flash.begin_erase(block)
        })
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        self.counted((OperationKind::Erase, 0, 0), |flash| {
            flash.advance_erase(parts, of)
        })
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.counted_mark(OperationKind::Read, block, |flash| flash.is_bad(block))
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.counted_mark(OperationKind::Program, block, |flash| flash.mark_bad(block))
    }
}

#[cfg(test)]
mod tests {
    use wordline_catalog::Catalog;
    use wordline_core::Timing;
    use wordline_nvm::{Conditions, Memory};

    use super::*;

    fn conditions() -> Conditions {
        Conditions {
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        }
    }

    #[test]
    fn everything_inside_the_part_is_counted_and_nothing_outside() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets");
        let target = catalog.target("em064lx").expect("it is embedded");
        let target = target.into_part().expect("a part on a board");
        let device = target.connect(conditions()).expect("it fits its board");
        let mut memory = MeteredMemory::device(device, 4096, BusTransfer::Cycles(2));
        let (before, start) = (memory.cycles().expect("it counts its units"), memory.now());
        memory.write(1, &[7; 64]).expect("inside");
        let mut out = [0; 64];
        memory.read(1, &mut out).expect("inside");
        assert_eq!(out, [7; 64]);
        assert!(memory.write(4090, &[0; 8]).is_err());
        let call = memory.take_call();
        assert_eq!((call.accesses(), call.stored_bytes()), (2, 64));
        assert_eq!(call.bus_bytes, 2 * 66);
        assert_eq!(call.cost.total(), memory.now().since(start));
        let taken: u64 = memory.cycles().expect("as before").iter().sum();
        assert_eq!(taken - before.iter().sum::<u64>(), 3);
        assert_eq!(memory.reading().at, memory.now());
    }

    /// Of memories whose thread sleeps for a while, one that waits for a disk loses nothing by that.
    #[test]
    fn a_thread_that_sleeps_has_lost_the_processor_unless_it_may_wait_for_a_disk() {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("memory");
        let file = wordline_host::ScratchFile::open(&path, 4096, true).expect("it is ours");
        let file = MeteredMemory::file(file.map().expect("it is mapped"), 4096);
        let ram = MeteredMemory::ram_of_host(4096);
        let begin = [ram.reading(), file.reading()];
        std::thread::sleep(std::time::Duration::from_millis(5));
        let end = [ram.reading(), file.reading()];
        let lost = [0, 1].map(|one| end[one].since(&begin[one]).thread.expect("measured").lost);
        assert!(lost[0] > lost[1], "{lost:?}");
        let simulated = MeteredMemory::ram(64, 32);
        let reading = simulated.reading();
        assert_eq!(simulated.reading().since(&reading).thread, None);
    }

    #[test]
    fn blocks_of_a_flash_are_counted_up_to_the_last_whole_one() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets");
        let target = catalog.target("mt29f1g01").expect("it is embedded");
        let target = target.into_part().expect("a part on a board");
        let Ok(Memory::Flash(flash)) = target.memory(conditions()) else {
            panic!("NAND is flash");
        };
        let block_bytes = flash.geometry().block_bytes();
        let mut memory = MeteredMemory::flash(flash, 3 * block_bytes - 1);
        assert_eq!(memory.geometry().blocks, 2);
        memory.erase(1).expect("inside");
        assert!(memory.erase(2).is_err());
        assert_eq!(memory.total().of(OperationKind::Erase).bytes, block_bytes);
        assert_eq!(memory.cycles(), Some(vec![0, 1]));
    }
}
