//! A memory with its power, its counts and its trace.

use std::path::PathBuf;

use wordline_catalog::Catalog;
use wordline_core::Timing;
use wordline_core::quantity::Time;
use wordline_crash::FlashTearing;
use wordline_memory::{ByteMemory, Ecc, Flash, OutOfRange};
use wordline_nvm::ageing::Environment;
use wordline_nvm::power::Residence;
use wordline_nvm::{Conditions, Memory, NvmError, OperationKind};

use super::abi::{Info, Operation, Stats};
use super::ageing::start_ageing;
use super::background::sizes_in_blocks;
use super::cells::Cells;
use super::cut::Due;
use super::fault::{FaultReason, MemoryFault};
use super::forgetting::Forgetting;
use super::health::LatencyWatch;
pub(super) use super::op::Op;
use super::pages::{EccFound, free_ranges};
use super::trace::OperationTrace;

/// Whether there is power, and for how long.
#[derive(Clone, Debug)]
pub(super) enum Power {
    On,
    Due(Box<Due>),
    Off,
}

/// The memory behind a handle.
pub(super) struct MemoryDevice {
    pub(super) cells: Cells,
    /// Of the part, which images and snapshots have to be of.
    pub(super) part: String,
    pub(super) tearing: FlashTearing,
    pub(super) info: Info,
    pub(super) power: Power,
    stats: Stats,
    last: Time,
    /// What the ECC found in the last read.
    pub(super) last_ecc: EccFound,
    pub(super) trace: OperationTrace,
    /// Whether its handle is of one thread alone.
    pub(super) is_of_one_thread: bool,
    /// Whether its times are drawn.
    pub(super) is_drawn: bool,
    /// The latencies of its blocks, where it ages.
    pub(super) watch: Option<LatencyWatch>,
    /// Of a memory that forgets without supply.
    forgetting: Option<Forgetting>,
    /// The states in which the chip would have been while there was no power: it drew nothing.
    unpowered: Residence,
    /// From when on an operation may come to the end of simulated time before its own.
    pub(super) late: Time,
}

/// An operation of a part that begins later may come to the end of simulated time before its own: none takes a day.
const LATE: Time = Time::from_ps(u64::MAX - 86_400 * 1_000_000_000_000);

const NO_HOST_ECC: &str = "options.host_ecc: the sheet of this part asks the host for no error correction (host_ecc_bits)";

/// What a memory is made from.
pub(super) struct Wanted<'a> {
    pub(super) target: &'a str,
    pub(super) catalog: Option<&'a str>,
    pub(super) timing: Option<&'a str>,
    pub(super) seed: u64,
    pub(super) age: f64,
    pub(super) is_of_one_thread: bool,
    /// Under what it ages, where it does.
    pub(super) ageing: Option<Environment>,
    /// 0: as the sheet says; 1: none.
    pub(super) factory_bad: u64,
    /// 1: a program that would set a bit is refused.
    pub(super) strict: u64,
    /// Bytes of a block of NOR flash; 0: those of its smallest erase.
    pub(super) erase_bytes: u64,
    /// Whether reads go through the error correction that the sheet asks of the host.
    pub(super) host_ecc: bool,
}

impl MemoryDevice {
    pub(super) fn new(wanted: &Wanted<'_>) -> Result<Self, MemoryFault> {
        let timing = wanted.timing.map_or(Ok(Timing::Typ), str::parse);
        let timing = timing.map_err(FaultReason::Timing)?;
        if !(0.0..=1.0).contains(&wanted.age) {
            return Err(FaultReason::Age(wanted.age).into());
        }
        let folders: Vec<PathBuf> = wanted.catalog.map(PathBuf::from).into_iter().collect();
        let catalog = Catalog::shared(&folders)?;
        let target = catalog.part_on_board(wanted.target);
        if target.is_err() && wanted.target.starts_with("ideal") {
            return Err(FaultReason::IdealTarget(wanted.target.into()).into());
        }
        let target = target?;
        let conditions = Conditions {
            timing,
            age: wanted.age,
            seed: wanted.seed,
        };
        let flags = [
            ("factory_bad", wanted.factory_bad),
            ("strict", wanted.strict),
        ];
        if let Some((what, found)) = flags.into_iter().find(|(_, value)| *value > 1) {
            let allowed = "0 or 1";
            return Err(FaultReason::Value {
                what,
                found,
                allowed,
            }
            .into());
        }
        let memory = match wanted.erase_bytes {
            0 => Some(target.memory(conditions).map_err(FaultReason::Link)?),
            bytes => target
                .memory_in_blocks(conditions, bytes)
                .map_err(FaultReason::Link)?,
        };
        let mut memory = memory.ok_or_else(|| no_such_blocks(wanted.erase_bytes))?;
        // Flash of one size of erase has no choice, and bytes have no blocks.
        if wanted.erase_bytes > 0 && info(&memory).block_bytes != wanted.erase_bytes {
            return Err(no_such_blocks(wanted.erase_bytes));
        }
        // Whoever brings a code of his own needs the bits as they are, whether the chip ages or not.
        let has_host_ecc = match &mut memory {
            Memory::Flash(flash) => flash.use_host_ecc(wanted.host_ecc),
            Memory::Bytes(_) => false,
        };
        if wanted.host_ecc && !has_host_ecc {
            return Err(FaultReason::Unsupported(NO_HOST_ECC).into());
        }
        if let Some(environment) = wanted.ageing {
            start_ageing(&mut memory, &target.part.header.id, environment)?;
        }
        let flash = target.part.model.flash();
        let tearing = flash.map_or(FlashTearing::raw(), FlashTearing::of);
        let mut device = Self::of(memory, target.part.header.id.clone(), tearing);
        device.cells.strict = wanted.strict == 1;
        device.is_of_one_thread = wanted.is_of_one_thread;
        device.is_drawn = timing == Timing::Sampled;
        if target.part.model.is_volatile() {
            device.forgetting = Some(Forgetting::new(wanted.seed));
            device.info.forgets = 1;
        }
        if wanted.ageing.is_some() {
            device.watch = Some(LatencyWatch::new(device.is_drawn));
        }
        if wanted.factory_bad == 1 {
            device.forget_factory_marks()?;
        }
        Ok(device)
    }

    /// A memory that was just powered up.
    pub(super) fn of(memory: Memory, part: String, tearing: FlashTearing) -> Self {
        Self {
            info: info(&memory),
            cells: Cells::new(memory),
            part,
            tearing,
            power: Power::On,
            stats: Stats::default(),
            last: Time::ZERO,
            last_ecc: EccFound::default(),
            trace: OperationTrace::default(),
            is_of_one_thread: false,
            is_drawn: false,
            watch: None,
            forgetting: None,
            unpowered: Residence::default(),
            late: LATE,
        }
    }

    pub(super) fn fork(&self) -> Self {
        Self {
            cells: self.cells.fork(),
            part: self.part.clone(),
            tearing: self.tearing,
            info: self.info,
            power: self.power.clone(),
            stats: self.stats,
            last: self.last,
            last_ecc: self.last_ecc,
            trace: OperationTrace::default(),
            is_of_one_thread: self.is_of_one_thread,
            is_drawn: self.is_drawn,
            watch: self.watch.clone(),
            forgetting: self.forgetting,
            unpowered: self.unpowered,
            late: self.late,
        }
    }

    /// Takes the state of another memory of the same part.
    pub(super) fn restore(&mut self, snapshot: Self) -> Result<(), MemoryFault> {
        if self.part != snapshot.part {
            return Err(FaultReason::OtherPart {
                found: snapshot.part.into(),
                expected: self.part.as_str().into(),
            }
            .into());
        }
        if let Some((member, expected, found)) = self.info.first_difference(&snapshot.info) {
            return Err(FaultReason::OtherShape {
                part: snapshot.part.into(),
                member,
                found,
                expected,
            }
            .into());
        }
        let trace = std::mem::take(&mut self.trace);
        let is_of_one_thread = self.is_of_one_thread;
        *self = Self {
            trace,
            is_of_one_thread,
            ..snapshot
        };
        Ok(())
    }

    pub(super) const fn info(&self) -> &Info {
        &self.info
    }

    pub(super) const fn stats(&self) -> &Stats {
        &self.stats
    }

    pub(super) fn reset_stats(&mut self) {
        self.stats = Stats::default();
    }

    pub(super) fn now(&self) -> Time {
        self.cells.clock().now()
    }

    pub(super) const fn last(&self) -> Time {
        self.last
    }

    /// Lets time pass in which the chip is asked for nothing.
    pub(super) fn pass_until(&mut self, instant: Time) {
        let before = matches!(self.power, Power::Off).then(|| self.cells.accounts().residence());
        self.cells.clock().advance_to(instant);
        if let Some(before) = before {
            let passed = self.cells.accounts().residence().since(&before);
            self.unpowered = self.unpowered.plus(&passed);
        }
    }

    /// Energy of the chip in joules; not a number where a current is unknown.
    pub(super) fn energy_j(&self) -> f64 {
        let accounts = self.cells.accounts();
        let powered = accounts.residence().since(&self.unpowered);
        let energy = powered.energy_j(accounts.power_draw());
        energy.unwrap_or(f64::NAN)
    }

    /// Checks a range of bytes, before C's pointer to as many is believed.
    #[inline(always)]
    pub(super) fn check(&self, at: u64, bytes: u64) -> Result<(), MemoryFault> {
        Ok(OutOfRange::check(at, bytes, self.info.bytes).map_err(NvmError::from)?)
    }

    /// Checks a range within a page, before C's pointer to as many bytes is believed.
    pub(super) fn check_page(
        &mut self,
        page: u32,
        column: u32,
        bytes: u32,
    ) -> Result<(), MemoryFault> {
        let geometry = self.cells.flash()?.geometry();
        let fits = geometry.check_read(page, column, u64::from(bytes));
        Ok(fits.map_err(NvmError::from)?)
    }

    /// A cut by time no longer relies on bounds: the memory's times have changed.
    pub(super) fn forget_bounds(&mut self) {
        if let Power::Due(due) = &mut self.power {
            due.expect_within(None);
        }
    }

    /// Whether an operation that begins now is just run and counted: no cut is due, and nobody watches or listens.
    #[inline(always)]
    fn is_quiet(&self, now: Time) -> bool {
        matches!(self.power, Power::On)
            && self.cells.work.is_none()
            && self.watch.is_none()
            && !self.trace.is_heard()
            && now < self.late
    }

    /// Whether an operation that failed is one that was refused: the chip was asked for nothing, and it counts nowhere.
    #[cold]
    #[inline(never)]
    fn is_refused(&self, fault: &MemoryFault, start: Time) -> bool {
        fault.is_refusal() && self.now() == start
    }

    /// Runs an operation while there is power, counts it and reports it to the listener.
    #[inline(always)]
    pub(super) fn perform<T>(
        &mut self,
        op: Op<'_>,
        run: impl FnOnce(&mut Cells) -> Result<T, MemoryFault>,
    ) -> Result<T, MemoryFault> {
        let start = self.now();
        if !self.is_quiet(start) {
            return self.perform_beside(op, run);
        }
        let result = run(&mut self.cells);
        match &result {
            Err(fault) if self.is_refused(fault, start) => {}
            _ => self.count(&op, start, result.is_err()),
        }
        result
    }

    /// The same where something may come in between, or hears of it.
    #[inline(never)]
    fn perform_beside<T>(
        &mut self,
        op: Op<'_>,
        run: impl FnOnce(&mut Cells) -> Result<T, MemoryFault>,
    ) -> Result<T, MemoryFault> {
        // One function for all of them, which is called with what each runs: it is long.
        let (mut run, mut found) = (Some(run), None);
        self.perform_watched(&op, &mut |cells| {
            let run = run.take().ok_or(FaultReason::Internal)?;
            found = Some(run(cells)?);
            Ok(())
        })?;
        Ok(found.ok_or(FaultReason::Internal)?)
    }

    /// What [`perform`](Self::perform) does where something may come in between, or hears of it. The state before it is kept
    /// where a cut that is due, or the end of simulated time, may come within it.
    #[inline(never)]
    fn perform_watched(
        &mut self,
        op: &Op<'_>,
        run: &mut dyn FnMut(&mut Cells) -> Result<(), MemoryFault>,
    ) -> Result<(), MemoryFault> {
        self.check_power()?;
        if self.cells.work.is_some() {
            self.check_work(op)?;
        }
        let start = self.now();
        let is_at_risk = match &self.power {
            Power::Due(due) => self.cells.work.is_some() || due.concerns(op, 1, start),
            Power::On | Power::Off => false,
        };
        let before = (is_at_risk || start >= self.late).then(|| self.cells.fork());
        let result = run(&mut self.cells);
        if result.as_ref().is_err_and(MemoryFault::is_end_of_time) {
            if let Some(before) = before {
                self.cells = before;
            }
            self.meet_cut_at_end(op, start)?;
            return result;
        }
        if let Some(before) = before {
            self.meet_cut(op, before, start, result.is_ok())?;
        } else if let Power::Due(due) = &mut self.power {
            let took_time = self.cells.clock().now() > start;
            due.pass(op, 1, took_time || result.is_ok() && op.has_bytes());
        }
        if let Err(fault) = &result
            && self.is_refused(fault, start)
        {
            return result;
        }
        self.count_and_report(op, start, result.is_err());
        if self.watch.is_some() {
            self.note_latency(op, result.as_ref().err());
        }
        result
    }

    /// Takes the power away where a cut by time comes in an operation that simulated time has no room for. It leaves the
    /// memory as it was before it.
    ///
    /// # Errors
    /// When it does.
    #[cold]
    fn meet_cut_at_end(&mut self, op: &Op<'_>, start: Time) -> Result<(), MemoryFault> {
        let Power::Due(due) = &self.power else {
            return Ok(());
        };
        let Some(instant) = due.in_pause(Time::from_ps(u64::MAX)) else {
            return Ok(());
        };
        let at = instant.later(start);
        self.cells.clock().advance_to(at);
        self.count_and_report(op, start, true);
        self.lose_power_in_pause()?;
        Err(FaultReason::CutWithin {
            what: op.words().into(),
            start,
            at,
        }
        .into())
    }

    /// Takes the power away where the cut that is due comes within an operation that has been run. `before` is what the memory
    /// was before it.
    ///
    /// # Errors
    /// When it does.
    #[cold]
    #[inline(never)]
    fn meet_cut(
        &mut self,
        op: &Op<'_>,
        before: Cells,
        start: Time,
        done: bool,
    ) -> Result<(), MemoryFault> {
        let end = self.now();
        let Power::Due(due) = &mut self.power else {
            return Ok(());
        };
        let within = due.within(op, start, end, done);
        let whole = within.is_none_or(|instant| instant > start || end == start);
        let begun = done && whole;
        if begun {
            due.note(op, &before, &mut self.cells)?;
        }
        let Some(instant) = within else {
            if begun && matches!(op, Op::Sync) {
                due.settle();
            }
            if end > start && !done {
                due.note_failed(op, &mut self.cells)?;
            }
            return Ok(());
        };
        let mut left = before;
        left.clock().advance_to(instant);
        if begun {
            due.tear(&mut left, &mut self.cells, op, self.tearing)?;
        } else {
            due.take_pending(&mut left, self.tearing)?;
        }
        let work = left.work.as_ref().map(|work| work.span());
        due.take_work(&mut left, self.tearing)?;
        self.cells = left;
        self.count_and_report(op, start, true);
        if let Some(work) = work {
            self.tell_cut_erase(&work, instant);
        }
        self.lose_power()?;
        Err(FaultReason::CutWithin {
            what: op.words().into(),
            start,
            at: instant,
        }
        .into())
    }

    /// Takes the power away. What cut it short was done before.
    pub(super) fn lose_power(&mut self) -> Result<(), MemoryFault> {
        self.power = Power::Off;
        self.stats.power_cuts += 1;
        match &mut self.forgetting {
            Some(forgetting) => forgetting.lose(&mut self.cells),
            None => Ok(()),
        }
    }

    /// Counts an operation that has been run.
    #[inline(always)]
    fn count(&mut self, op: &Op<'_>, start: Time, failed: bool) {
        let duration = self.now().since(start);
        self.last = duration;
        let stats = &mut self.stats;
        // Of an erase that was started, its failure counts when it is known how it ended.
        let (mut waits, is_wait) = (0, matches!(op, Op::Wait));
        let count = match op {
            Op::Read { bytes, .. } | Op::ReadSuspending { bytes, .. } => {
                stats.bytes_read += bytes;
                &mut stats.reads
            }
            Op::Write { data, .. } => {
                stats.bytes_written += data.len() as u64;
                &mut stats.writes
            }
            Op::Program { data, .. } | Op::Move { data, .. } => {
                stats.bytes_written += data.len() as u64;
                &mut stats.programs
            }
            Op::Mark { .. } => {
                stats.bytes_written += 1;
                &mut stats.programs
            }
            Op::Erase { .. } | Op::StartErase { .. } => &mut stats.erases,
            Op::Sync => &mut stats.syncs,
            Op::Wait => &mut waits,
        };
        *count += 1;
        stats.failures += u64::from(failed && !is_wait);
        stats.busy_ps = stats.busy_ps.saturating_add(duration.ps());
        stats.longest_ps = stats.longest_ps.max(duration.ps());
    }

    /// Counts an operation that has been run, and reports it.
    fn count_and_report(&mut self, op: &Op<'_>, start: Time, failed: bool) {
        self.count(op, start, failed);
        // An erase that was started is reported when it is known how it ended.
        let is_reported = match op {
            Op::Wait => false,
            Op::StartErase { .. } => failed,
            _ => true,
        };
        if is_reported && self.trace.is_heard() {
            self.tell(op, start, failed);
        }
    }

    /// Counts an erase that was started as failed, now that it is known to be.
    pub(super) fn count_failed_erase(&mut self) {
        self.stats.failures += 1;
    }

    #[cold]
    fn tell(&mut self, op: &Op<'_>, start: Time, failed: bool) {
        let info = &self.info;
        let (kind, at, bytes) = match *op {
            Op::Read { at, bytes } | Op::ReadSuspending { at, bytes } => {
                (OperationKind::Read, at, bytes)
            }
            Op::Write { at, data } => (OperationKind::Write, at, data.len() as u64),
            Op::Sync | Op::Wait => (OperationKind::Persist, 0, 0),
            Op::Program { page, column, data } => {
                let at = u64::from(page) * info.page_bytes + u64::from(column);
                (OperationKind::Program, at, data.len() as u64)
            }
            Op::Mark { block } => {
                let at = u64::from(block) * info.block_bytes + info.page_bytes;
                (OperationKind::Program, at, 1)
            }
            Op::Move { to, data, .. } => {
                let at = u64::from(to) * info.page_bytes;
                (OperationKind::Program, at, data.len() as u64)
            }
            Op::Erase { block, blocks } | Op::StartErase { block, blocks } => {
                let at = u64::from(block) * info.block_bytes;
                let bytes = u64::from(blocks) * info.block_bytes;
                (OperationKind::Erase, at, bytes)
            }
        };
        let end = start.plus(self.last);
        self.hear(kind, (at, bytes), (start, end), failed);
    }

    /// Reports an operation that took from one instant to another.
    pub(super) fn hear(
        &mut self,
        kind: OperationKind,
        (at, bytes): (u64, u64),
        (start, end): (Time, Time),
        failed: bool,
    ) {
        if !self.trace.is_heard() {
            return;
        }
        let operation = Operation {
            size: size_of::<Operation>() as u64,
            kind: kind as u64,
            at,
            bytes,
            start_ps: start.ps(),
            duration_ps: end.since(start).ps(),
            failed: u64::from(failed),
        };
        self.trace.hear(kind, operation);
    }

    /// Reads bytes, of flash those of main areas: of a NAND page by page, so that each is an operation. The range was
    /// [checked](Self::check).
    #[inline(always)]
    pub(super) fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        if self.info.read_bytes > 1 {
            let unit = self.info.read_bytes;
            check_aligned("a read", at, out.len() as u64, unit)?;
        }
        let page = self.info.page_bytes;
        // A NOR flash reads on across its pages.
        if page == 0 || self.info.spare_bytes == 0 || at % page + out.len() as u64 <= page {
            return self.read_run(at, out);
        }
        self.read_pages(at, out)
    }

    #[inline(never)]
    fn read_pages(&mut self, mut at: u64, mut out: &mut [u8]) -> Result<(), MemoryFault> {
        let page = self.info.page_bytes;
        let mut worst = EccFound::default();
        while !out.is_empty() {
            let length = out.len().min((page - at % page) as usize);
            let (part, behind) = out.split_at_mut(length);
            let read = self.read_run(at, part);
            worst = worst.worse(self.last_ecc);
            self.last_ecc = worst;
            read?;
            (at, out) = (at + length as u64, behind);
        }
        Ok(())
    }

    #[inline(always)]
    fn read_run(&mut self, at: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        let bytes = out.len() as u64;
        let op = Op::Read { at, bytes };
        // What `perform` does, written out: there the closure would be a function that both ways share and call, which takes
        // a tenth of the instructions of a short read.
        let start = self.now();
        let found = if self.is_quiet(start) {
            let found = self.cells.read(at, out);
            match &found {
                Err(fault) if self.is_refused(fault, start) => {}
                _ => self.count(&op, start, found.is_err()),
            }
            found
        } else {
            self.perform_beside(op, |cells| cells.read(at, out))
        };
        let found = self.note_ecc(found)?;
        self.stats.corrected_bits += found.corrected();
        Ok(())
    }

    pub(super) fn read_page(
        &mut self,
        page: u32,
        column: u32,
        out: &mut [u8],
    ) -> Result<Ecc, MemoryFault> {
        let op = Op::Read {
            at: u64::from(page) * self.info.page_bytes + u64::from(column),
            bytes: out.len() as u64,
        };
        let read = self.perform(op, |cells| cells.read_page(page, column, out));
        let found = match &read {
            Ok(found) => Ok(EccFound::of(*found)),
            Err(fault) if fault.is_uncorrectable() => Ok(EccFound::lost()),
            Err(_) => Ok(self.last_ecc),
        };
        let found = self.note_ecc(found)?;
        self.stats.corrected_bits += found.corrected() * u64::from(read.is_ok());
        read
    }

    /// Remembers what the ECC found in a read.
    #[inline(always)]
    fn note_ecc(&mut self, found: Result<EccFound, MemoryFault>) -> Result<EccFound, MemoryFault> {
        match &found {
            Ok(found) => self.last_ecc = *found,
            Err(fault) if fault.is_uncorrectable() => self.last_ecc = EccFound::lost(),
            Err(_) => {}
        }
        found
    }

    /// Writes bytes to a range that was [checked](Self::check).
    #[inline(always)]
    pub(super) fn write(&mut self, at: u64, data: &[u8]) -> Result<(), MemoryFault> {
        self.cells.bytes()?;
        if self.info.write_bytes > 1 {
            let unit = self.info.write_bytes;
            check_aligned("a write", at, data.len() as u64, unit)?;
        }
        self.perform(Op::Write { at, data }, |cells| cells.write(at, data))
    }

    /// Programs main areas, page by page. The range was [checked](Self::check).
    #[inline(always)]
    pub(super) fn program(&mut self, at: u64, data: &[u8]) -> Result<(), MemoryFault> {
        self.cells.flash()?;
        self.check_power()?;
        let page_bytes = self.info.page_bytes;
        let (mut page, mut column) = ((at / page_bytes) as u32, (at % page_bytes) as u32);
        let mut rest = data;
        while !rest.is_empty() {
            if column == 0 && rest.len() > page_bytes as usize {
                let done = self.program_alike(page, rest);
                page += done;
                rest = &rest[done as usize * page_bytes as usize..];
                if done > 0 {
                    continue;
                }
            }
            let length = rest.len().min(page_bytes as usize - column as usize);
            let (part, behind) = rest.split_at(length);
            self.program_page(page, column, part)?;
            (page, column, rest) = (page + 1, 0, behind);
        }
        Ok(())
    }

    /// Programs whole pages in a row that cost the same, and counts them as one after the other; returns how many.
    #[inline(always)]
    fn program_alike(&mut self, page: u32, data: &[u8]) -> u32 {
        let page_bytes = self.info.page_bytes;
        let most = data.len() as u64 / page_bytes;
        let data = &data[..(most * page_bytes) as usize];
        let op = Op::Program {
            page,
            column: 0,
            data: &data[..page_bytes as usize],
        };
        let now = self.now();
        let later = match &self.power {
            Power::On => true,
            Power::Due(due) => !due.concerns(&op, most, now),
            Power::Off => false,
        };
        if !later || self.trace.is_heard() || now >= self.late {
            return 0;
        }
        let (pages, each) = self.cells.program_pages(page, data);
        if pages == 0 {
            return 0;
        }
        if let Power::Due(due) = &mut self.power {
            due.pass(&op, u64::from(pages), true);
        }
        self.last = each;
        let (stats, of) = (&mut self.stats, u64::from(pages));
        stats.programs += of;
        stats.bytes_written += of * page_bytes;
        let all = each.ps().saturating_mul(of);
        stats.busy_ps = stats.busy_ps.saturating_add(all);
        stats.longest_ps = stats.longest_ps.max(each.ps());
        pages
    }

    #[inline(always)]
    pub(super) fn program_page(
        &mut self,
        page: u32,
        column: u32,
        data: &[u8],
    ) -> Result<(), MemoryFault> {
        let op = Op::Program { page, column, data };
        self.perform(op, |cells| {
            cells.check_strict(page, column, data)?;
            cells.program_page(page, column, data)
        })
    }

    pub(super) fn erase(&mut self, block: u32) -> Result<(), MemoryFault> {
        let blocks = 1;
        self.perform(Op::Erase { block, blocks }, |cells| {
            cells.erase(block, blocks)
        })
    }

    /// Makes what was written last; flash buffers nothing.
    pub(super) fn sync(&mut self) -> Result<(), MemoryFault> {
        self.perform(Op::Sync, |cells| match &mut cells.memory {
            Memory::Bytes(device) => Ok(device.persist()?),
            Memory::Flash(_) => Ok(()),
        })
    }

    pub(super) fn is_bad(&mut self, block: u32) -> Result<bool, MemoryFault> {
        let at = u64::from(block) * self.info.block_bytes;
        let op = Op::Read { at, bytes: 1 };
        self.perform(op, |cells| Ok(cells.flash()?.is_bad(block)?))
    }

    pub(super) fn mark_bad(&mut self, block: u32) -> Result<(), MemoryFault> {
        let op = Op::Mark { block };
        self.perform(op, |cells| Ok(cells.flash()?.mark_bad(block)?))
    }
}

fn no_such_blocks(found: u64) -> MemoryFault {
    FaultReason::Value {
        what: "erase_bytes",
        found,
        allowed: "0, or the bytes of one of the erases of this part (wl_memory_get_erase_size of one made with 0)",
    }
    .into()
}

/// Checks that a range consists of whole units.
fn check_aligned(what: &'static str, at: u64, bytes: u64, unit: u64) -> Result<(), MemoryFault> {
    if at.is_multiple_of(unit) && bytes.is_multiple_of(unit) {
        return Ok(());
    }
    Err(FaultReason::Unaligned {
        what,
        at,
        bytes,
        unit,
    }
    .into())
}

/// What a memory is.
pub(super) fn info(memory: &Memory) -> Info {
    let wear = memory.accounts().wear();
    let mut info = Info {
        size: size_of::<Info>() as u64,
        bytes: memory.capacity_bytes(),
        write_bytes: 1,
        atom_bytes: 1,
        wear_unit_bytes: wear.unit_bytes,
        endurance: wear.endurance,
        read_bytes: 1,
        ..Info::default()
    };
    match memory {
        Memory::Bytes(device) => {
            info.atom_bytes = device.atom() as u64;
            if device.cycles_at(0).is_none() {
                info.wear_unit_bytes = 0;
            }
        }
        Memory::Flash(flash) => {
            let geometry = flash.geometry();
            info.kind = 1;
            info.write_bytes = u64::from(geometry.program_bytes);
            info.page_bytes = u64::from(geometry.page_bytes);
            info.spare_bytes = u64::from(geometry.spare_bytes);
            info.pages_per_block = u64::from(geometry.pages_per_block);
            info.blocks = u64::from(geometry.blocks);
            info.block_bytes = geometry.block_bytes();
            info.programs_per_page = geometry.programs_per_page.map_or(0, u64::from);
            info.once_bytes = geometry.once_bytes.map_or(0, u64::from);
            info.in_order = u64::from(geometry.in_order);
            info.wear_unit_bytes = info.block_bytes;
            info.erase_sizes = sizes_in_blocks(&**flash).len() as u64;
            info.background = 1;
            info.suspend = u64::from(flash.check_suspend().is_ok());
            info.moves = u64::from(flash.can_move(0, 0));
            info.banks = u64::from(flash.banks());
            info.free_ranges = free_ranges(&**flash).len() as u64;
        }
    }
    info
}
