//! A database on a file system on a target: made, filled, used.

use wordline_core::quantity::{Quantity as _, Time};
use wordline_core::{
    Axis, EngineName, Experiment, ResultSet, RowOperation, SqlJournal, SqlLog, SqlSync, SqlTold,
    SqlWork, SqlWorkload,
};
use wordline_engines::{FileSystemEngine, FsError, FsErrorKind};
use wordline_sqlite::crash::{DatabaseOptions, JournalMode, Synchronous};
use wordline_sqlite::rusqlite::Connection;
use wordline_sqlite::{
    DeviceTraits, HeapMeter, ScriptStatement, SplitFiles, SqliteError, SqliteSettings, SqliteVfs,
    StatementWork, VfsCounts, run_to_end, stoppable,
};

use super::TargetWithLog;
use super::crash;
use super::processor::{self, EngineWork, FileSystemShape};
use super::rows::{self, MeasuredDatabase, MeasuredWork, SqlRam};
use super::script;
use super::works::{SqlWorkSteps, TimedStatement};
use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::fs::calls::CallFailure;
use crate::fs::engine::Ready;
use crate::fs::part::FileSystemMedium;
use crate::fs::processor::speed;
use crate::fs::share_of_memory;
use crate::fs::system::{FileSystemCase, FileSystemChoices};
use crate::instrument::case::{DocumentCase, run_into};
use crate::instrument::tally::{OperationSample, UnitWear};
use crate::instrument::{Instrumented, OperationTally};
use crate::subject::Subject;
use crate::warning::LabWarning;

/// The database of every run.
const DATABASE: &str = "/db";

/// Transactions between two reports of progress.
const REPORT: u64 = 16;

/// How SQLite is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SqlSetup {
    pub(super) journal: SqlJournal,
    pub(super) sync: SqlSync,
    pub(super) page_bytes: u64,
    pub(super) told: SqlTold,
    /// `None` where there is no log.
    pub(super) log: Option<LogSetup>,
}

/// How a write-ahead log is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LogSetup {
    pub(super) checkpoint_pages: u64,
    pub(super) file: SqlLog,
}

impl SqlSetup {
    /// Every combination, in the order of the lists.
    pub(super) fn all(workload: &SqlWorkload) -> Vec<Self> {
        let mut all = Vec::new();
        for &journal in &workload.journals {
            let logs: Vec<_> = match journal {
                SqlJournal::Wal => {
                    let with = |&checkpoint_pages| {
                        let files = workload.logs.iter();
                        files.map(move |&file| {
                            Some(LogSetup {
                                checkpoint_pages,
                                file,
                            })
                        })
                    };
                    workload.checkpoint_pages.iter().flat_map(with).collect()
                }
                _ => vec![None],
            };
            for &sync in &workload.syncs {
                for &page_bytes in &workload.page_bytes {
                    for &told in &workload.told {
                        let is_needless = told == SqlTold::Together && !journal.rolls_back();
                        let told = if is_needless { SqlTold::Promise } else { told };
                        let setups = logs.iter().map(|&log| Self {
                            journal,
                            sync,
                            page_bytes,
                            told,
                            log,
                        });
                        let setups = setups.filter(|setup| !all.contains(setup));
                        all.extend(setups.collect::<Vec<_>>());
                    }
                }
            }
        }
        all
    }

    /// The same as SQLite's options.
    pub(super) fn options(&self) -> DatabaseOptions {
        DatabaseOptions {
            journal: match self.journal {
                SqlJournal::Delete => JournalMode::Delete,
                SqlJournal::Truncate => JournalMode::Truncate,
                SqlJournal::Persist => JournalMode::Persist,
                SqlJournal::Wal => JournalMode::Wal,
                SqlJournal::Memory => JournalMode::Memory,
                SqlJournal::Off => JournalMode::Off,
            },
            synchronous: match self.sync {
                SqlSync::Off => Synchronous::Off,
                SqlSync::Normal => Synchronous::Normal,
                SqlSync::Full => Synchronous::Full,
                SqlSync::Extra => Synchronous::Extra,
            },
            page_bytes: self.page_bytes as u32,
            checkpoint_pages: self.log.map_or(0, |log| log.checkpoint_pages) as u32,
            log_limit_bytes: self.log.filter(|log| log.file == SqlLog::Cut).map(|_| 0),
        }
    }

    /// Why a file system lacks what SQLite would expect of it; `splits` where logs and journals are on another memory.
    ///
    /// Where a transaction is too long to become valid together, SQLite writes its journal late and without a sync before
    /// the database: on one memory the writes are in order, on two nothing orders them.
    pub(super) fn unsuitable(
        &self,
        kind: &dyn FileSystemEngine,
        splits: bool,
    ) -> Option<&'static str> {
        match self.told {
            SqlTold::Together if splits => {
                Some("its journal is on another memory, so that nothing becomes valid together")
            }
            SqlTold::Together if kind.promise().together_pages.is_none() => {
                Some("it has no writes that become valid together")
            }
            _ => None,
        }
    }

    /// What SQLite is told of the file system and of the world. Where a file system survives power cuts, what one leaves
    /// of a write lies within it, and the length of a file follows its bytes.
    pub(super) fn settings(
        &self,
        system: &FileSystemCase<'_>,
        log: Option<&FileSystemCase<'_>>,
    ) -> SqliteSettings {
        let survives =
            |system: &FileSystemCase<'_>| system.engine.kind.promise().survives_power_cuts;
        // One answer stands for the database and its journal.
        let keeps = survives(system) && log.is_none_or(survives);
        let keeps = keeps && self.told != SqlTold::Nothing;
        SqliteSettings {
            traits: self.options().may_be_told(DeviceTraits {
                powersafe_overwrite: keeps,
                safe_append: keeps,
                batch_atomic: self.told == SqlTold::Together,
                ..DeviceTraits::USUAL
            }),
            seed: system.experiment.seed,
            ..SqliteSettings::default()
        }
    }

    /// What sets a new connection up.
    fn pragmas(&self, cache_bytes: u64) -> String {
        let cache = cache_bytes.div_ceil(1024);
        let options = self.options().pragmas();
        format!("PRAGMA cache_size=-{cache}; PRAGMA temp_store=MEMORY; {options}")
    }

    /// The axes that distinguish it, with the memory of its log, where that is another one.
    pub(super) fn at(&self, subject: &Subject, log: Option<&FileSystemCase<'_>>) -> Subject {
        let subject = match log {
            None => subject.clone(),
            Some(log) => subject
                .at(Axis::LogTarget, log.engine.target.name.as_str())
                .at(Axis::LogFs, log.engine.kind.name()),
        };
        let subject = subject
            .at(Axis::Journal, self.journal.name())
            .at(Axis::Sync, self.sync.name())
            .at(Axis::PageBytes, self.page_bytes)
            .at(Axis::Told, self.told.name());
        match self.log {
            Some(log) => subject
                .at(Axis::CheckpointPages, log.checkpoint_pages)
                .at(Axis::Log, log.file.name()),
            None => subject,
        }
    }

    /// The setup in words.
    pub(super) fn name(&self) -> String {
        let log = match self.log {
            Some(log) => format!(
                ", checkpoint {}, log {}",
                log.checkpoint_pages,
                log.file.name()
            ),
            None => String::new(),
        };
        format!(
            "journal {}, sync {}, page {} B{log}, told {}",
            self.journal.name(),
            self.sync.name(),
            self.page_bytes,
            self.told.name()
        )
    }
}

/// Runs every combination on every target.
pub(super) fn run(
    targets: &[TargetWithLog<'_>],
    workload: &SqlWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let script = workload.script.as_deref();
    let script = script.map(|file| script::read(file, control)).transpose()?;
    let choices = FileSystemChoices {
        file_systems: &workload.file_systems,
        settings: &workload.settings,
        asked_bytes: workload.capacity_bytes,
        bytes: &|model| share_of_memory(model, workload.capacity_bytes, 0),
    };
    let mut systems = Vec::new();
    for &timing in &experiment.timings {
        for (target, log) in targets {
            for name in &workload.file_systems {
                let mut new = |target, name: &EngineName| {
                    FileSystemCase::new(target, name, timing, &choices, experiment, document)
                };
                let log = log.as_ref();
                let log = log.map(|log| new(log, &workload.log_engine()));
                systems.push((new(target, name)?, log.transpose()?));
            }
        }
    }
    let works = works(workload);
    let mut cases = Vec::new();
    for (system, log) in &systems {
        for setup in SqlSetup::all(workload) {
            for &(work, rows) in &works {
                let (system, log) = (system.fork(), log.as_ref().map(FileSystemCase::fork));
                let steps = SqlWorkSteps {
                    work,
                    rows,
                    transactions: workload.transactions_of(rows),
                    seed: experiment.seed,
                    script: script.as_deref(),
                };
                let (name, weight) = (system.engine.target.name.clone(), steps.count());
                let work = move |control: &Control<'_>, document: &mut ResultSet| {
                    let case = SqlCase {
                        system,
                        log,
                        setup,
                        steps,
                        workload,
                        most: None,
                        control,
                    };
                    document.complete = case.run(document);
                    Ok(())
                };
                cases.push(DocumentCase::document(
                    name,
                    weight.max(1),
                    experiment,
                    work,
                ));
            }
        }
    }
    // What a power cut leaves does not depend on how long anything takes.
    let first = experiment.timings.first().copied();
    let cut = (systems.iter()).filter(|(system, _)| Some(system.timing) == first);
    for (system, log) in cut.filter(|_| workload.crash_images > 0) {
        for setup in SqlSetup::all(workload) {
            let (system, images) = (system.fork(), workload.crash_images);
            let log = log.as_ref().map(FileSystemCase::fork);
            let name = system.engine.target.name.clone();
            let work = move |control: &Control<'_>, document: &mut ResultSet| {
                document.complete =
                    crash::add((&system, log.as_ref()), &setup, images, control, document);
                Ok(())
            };
            cases.push(DocumentCase::document(name, images, experiment, work));
        }
    }
    run_into(document, cases, control)
}

/// The workloads with the rows of their transactions; a script stands in place of all.
pub(super) fn works(workload: &SqlWorkload) -> Vec<(SqlWork, u64)> {
    if workload.script.is_some() {
        return vec![(SqlWork::Insert, 1)];
    }
    let works = workload.works.iter().flat_map(|&work| {
        let rows: &[u64] = match work.has_rows() {
            true => &workload.rows,
            false => &[1],
        };
        rows.iter().map(move |&rows| (work, rows))
    });
    works.collect()
}

/// A workload on a database on a file system.
pub(super) struct SqlCase<'a, 'c> {
    pub(super) system: FileSystemCase<'a>,
    /// What holds logs and journals, where another memory does.
    pub(super) log: Option<FileSystemCase<'a>>,
    pub(super) setup: SqlSetup,
    pub(super) steps: SqlWorkSteps<'a>,
    pub(super) workload: &'a SqlWorkload,
    /// Time of all transactions together after which it ends early.
    pub(super) most: Option<Time>,
    pub(super) control: &'c Control<'c>,
}

impl SqlCase<'_, '_> {
    /// Runs it. Returns whether it came to its end, with figures or without.
    fn run(&self, document: &mut ResultSet) -> bool {
        match self.measure() {
            Ok(measured) => {
                self.rows(&measured, document);
                true
            }
            Err(CallFailure::Stopped) => false,
            Err(failure) => {
                self.failed(&failure, document);
                true
            }
        }
    }

    /// Adds the rows of what was measured.
    pub(super) fn rows(&self, measured: &MeasuredDatabase, document: &mut ResultSet) {
        let subject = self.subject();
        let speed = speed(&self.system, document);
        let rows =
            (self.steps.script.is_none() && self.steps.work.has_rows()).then_some(self.steps.rows);
        for system in [Some(&self.system), self.log.as_ref()] {
            system
                .into_iter()
                .for_each(|system| processor::warn(system, document));
        }
        for work in &measured.works {
            let at = subject.doing(work.operation);
            let name = format!("{}, {}", self.name(), work.operation);
            if work.tally.busy == Time::ZERO {
                document.warn(LabWarning::IdleCalls { name: &name });
            }
            rows::add(&at, &name, work, document);
            rows::add_memories(&at, work, self.prices(), document);
            processor::add(
                &at,
                self.file_systems(),
                work,
                (self.workload, rows),
                speed.as_ref(),
                document,
            );
        }
        let at = subject.doing(self.steps.operations()[0]);
        rows::ram(&at, &measured.ram, document);
    }

    /// The names of its file systems.
    fn file_systems(&self) -> (&'static str, Option<&'static str>) {
        let name = |system: &FileSystemCase<'_>| system.engine.kind.name();
        (name(&self.system), self.log.as_ref().map(name))
    }

    /// What its memories cost in euros, where their sheets say so.
    fn prices(&self) -> [Option<f64>; 2] {
        [Some(&self.system), self.log.as_ref()].map(|system| {
            let cost = system?.engine.target.part.cost.as_ref()?;
            Some(cost.nominal().si())
        })
    }

    /// Adds the rows of what could not be run.
    pub(super) fn failed(&self, failure: &CallFailure, document: &mut ResultSet) {
        let operation = self.steps.operations()[0];
        self.system
            .failed(&self.subject(), operation, failure, document);
    }

    /// What the rows share.
    pub(super) fn subject(&self) -> Subject {
        let subject = self.setup.at(&self.system.whole(), self.log.as_ref());
        if self.steps.script.is_some() {
            return subject;
        }
        let subject = subject.at(Axis::Work, self.steps.work.name());
        match self.steps.work.has_rows() {
            true => subject.at(Axis::TransactionRows, self.steps.rows),
            false => subject,
        }
    }

    /// The case in words.
    fn name(&self) -> String {
        let mut system = self.system.name(&self.system.whole());
        if let Some(log) = &self.log {
            let (target, title) = (&log.engine.target.name, log.engine.kind.title());
            system += &format!(", log on {title} on {target}");
        }
        let work = match (self.steps.script, self.steps.work.has_rows()) {
            (Some(_), _) => "script".to_owned(),
            (None, true) => format!("{}, {} rows", self.steps.work.name(), self.steps.rows),
            (None, false) => self.steps.work.name().to_owned(),
        };
        format!("{system}, {}, {work}", self.setup.name())
    }

    /// Makes the database, uses it and times what is to be timed.
    ///
    /// # Errors
    /// What ended it early, a stop by the caller included.
    pub(super) fn measure(&self) -> Result<MeasuredDatabase, CallFailure> {
        let engine = &self.system.engine;
        if let Some(why) = self.setup.unsuitable(engine.kind, self.log.is_some()) {
            return Err(FsError::new(FsErrorKind::Unsuitable, why).into());
        }
        let (tables, ready) = fresh(&self.system)?;
        let (mut files, mut layer_ram) = (ready.mounted.engine, ready.layer_ram);
        let mut medium = DatabaseMedium { tables, log: None };
        if let Some(system) = &self.log {
            let (log, ready) = fresh(system)?;
            layer_ram.extend(ready.layer_ram);
            medium.log = Some(log);
            let waits = medium.clone();
            let split = SplitFiles::new(files, ready.mounted.engine);
            files = Box::new(split.with(move |_| {
                waits.now();
            }));
        }
        let heap = HeapMeter::start();
        let settings = self.setup.settings(&self.system, self.log.as_ref());
        let vfs = SqliteVfs::new(files, settings).map_err(failed)?;
        let connection = vfs.open(DATABASE).map_err(failed)?;
        let batch = |sql: &str| {
            let ran = stoppable(&connection, self.control.stop, || {
                connection.execute_batch(sql)
            });
            ran.map_err(|error| self.refused(vfs.explain(error), None))
        };
        batch(&self.setup.pragmas(self.workload.cache_bytes))?;
        self.kept_journal(&connection)?;
        for sql in self.steps.preparation() {
            if self.control.stopped() {
                return Err(CallFailure::Stopped);
            }
            batch(&sql)?;
        }
        let works = self.transactions(&vfs, &connection, &medium)?;
        let ram = SqlRam {
            database: heap.peak() + vfs.wal_index_bytes(),
            file_system: vfs.with_files(|files| files.ram_parts()),
            layer: layer_ram,
        };
        connection
            .close()
            .map_err(|(_, error)| failed(vfs.explain(error)))?;
        let mut files = vfs.into_files().map_err(failed)?;
        files.unmount()?;
        let done: u64 = works.iter().map(|work| work.tally.count()).sum();
        Ok(MeasuredDatabase {
            works,
            ram,
            is_whole: done == self.steps.count(),
        })
    }

    /// SQLite silently keeps its mode where it cannot have the one that was asked for.
    fn kept_journal(&self, connection: &Connection) -> Result<(), CallFailure> {
        let mode: String = connection
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .map_err(failed)?;
        match mode == self.setup.journal.name() {
            true => Ok(()),
            false => Err(CallFailure::Database(format!(
                "SQLite cannot keep the journal mode {} here and has {mode}",
                self.setup.journal.name()
            ))),
        }
    }

    /// Times every transaction.
    fn transactions(
        &self,
        vfs: &SqliteVfs,
        connection: &Connection,
        medium: &DatabaseMedium,
    ) -> Result<Vec<MeasuredWork>, CallFailure> {
        let mut works: Vec<MeasuredWork> = Vec::new();
        let mut busy = Time::ZERO;
        let ram = vfs.with_files(|files| files.ram_parts());
        let shape = |system: &FileSystemCase<'_>| FileSystemShape::of(&system.engine, &ram);
        let shapes = (shape(&self.system), self.log.as_ref().map(shape));
        let count = self.steps.count();
        for number in 0..count {
            if number % REPORT == 0 {
                if self.control.stopped() {
                    return Err(CallFailure::Stopped);
                }
                self.control.report(Progress {
                    step: &self.system.engine.target.name,
                    done_bytes: number,
                    total_bytes: count,
                });
            }
            let timed = self.steps.statement(number);
            if works
                .last()
                .is_none_or(|last| last.operation != timed.operation)
            {
                if let Some(last) = works.last_mut() {
                    last.end(vfs, connection, medium);
                }
                works.push(MeasuredWork::begin(
                    timed.operation,
                    vfs,
                    connection,
                    shapes,
                    medium,
                ));
            }
            let (before, start) = (vfs.counts(), medium.now());
            let statements = self.execute(vfs, connection, &timed)?;
            let counts = vfs.counts().since(before);
            let duration = medium.now().since(start);
            let parts = medium.take(&counts);
            let sample = OperationSample {
                duration,
                ..parts[0].then(&parts[1])
            };
            if let Some(last) = works.last_mut() {
                last.tally.add(&sample);
                for (tally, part) in last.memories.iter_mut().flatten().zip(&parts) {
                    tally.add(part);
                }
                last.engine.add(&timed.sql, statements);
            }
            busy = busy.plus(sample.duration);
            if self.most.is_some_and(|most| busy > most) {
                break;
            }
        }
        if let Some(last) = works.last_mut() {
            last.end(vfs, connection, medium);
        }
        Ok(works)
    }

    fn execute(
        &self,
        vfs: &SqliteVfs,
        connection: &Connection,
        timed: &TimedStatement<'_>,
    ) -> Result<StatementWork, CallFailure> {
        let ran = stoppable(connection, self.control.stop, || {
            run_to_end(connection, &timed.sql)
        });
        ran.map_err(|error| self.refused(vfs.explain(error), timed.script))
    }

    /// Why a statement failed: the caller stops, or an error, with its line where a script has the statement.
    fn refused(&self, error: SqliteError, script: Option<&ScriptStatement>) -> CallFailure {
        if self.control.stopped() {
            return CallFailure::Stopped;
        }
        match script {
            Some(statement) => {
                let line = statement.line_of(error.offset().unwrap_or(0));
                CallFailure::Database(format!("line {line}: {error}"))
            }
            None => failed(error),
        }
    }
}

/// The memory of a database, with that of its log or journal, where that is another one. One processor drives both: while
/// one works, the other stands by.
#[derive(Clone)]
struct DatabaseMedium {
    tables: FileSystemMedium,
    log: Option<FileSystemMedium>,
}

impl DatabaseMedium {
    /// The time, which is then that of both.
    fn now(&self) -> Time {
        let now = self.tables.now();
        let Some(log) = &self.log else {
            return now;
        };
        let now = now.later(log.now());
        self.tables.wait_until(now);
        log.wait_until(now);
        now
    }

    /// What a transaction with such counts asked of each.
    fn take(&self, counts: &VfsCounts) -> [OperationSample; 2] {
        let of = |medium: Option<&FileSystemMedium>, counts: &VfsCounts| {
            let activity = medium.map(|medium| medium.with(|medium| medium.take_call()));
            let activity = activity.unwrap_or_default();
            OperationSample {
                duration: activity.cost.total(),
                bytes: counts.stored().written_bytes,
                activity,
                ..OperationSample::default()
            }
        };
        match &self.log {
            None => [of(Some(&self.tables), counts), OperationSample::default()],
            Some(log) => {
                let [tables, logs] = counts.split();
                [of(Some(&self.tables), &tables), of(Some(log), &logs)]
            }
        }
    }
}

/// A new file system on a fork of its memory.
fn fresh(system: &FileSystemCase<'_>) -> Result<(FileSystemMedium, Ready), CallFailure> {
    let medium = FileSystemMedium::new(system.memory.fork(), system.bytes);
    system.engine.format(&medium)?;
    let ready = system.engine.mount(&medium)?;
    Ok((medium, ready))
}

impl MeasuredWork {
    fn begin(
        operation: RowOperation,
        vfs: &SqliteVfs,
        connection: &Connection,
        shapes: (FileSystemShape, Option<FileSystemShape>),
        medium: &DatabaseMedium,
    ) -> Self {
        let begin =
            |medium: &mut dyn Instrumented| OperationTally::begin(medium, true, UnitWear::Whole);
        let tally = medium.tables.with(begin);
        let log = medium.log.as_ref().map(|log| log.with(begin));
        Self {
            operation,
            memories: log.map(|log| [tally.clone(), log]),
            tally,
            counts: vfs.counts(),
            engine: EngineWork::begin(connection, shapes),
        }
    }

    fn end(&mut self, vfs: &SqliteVfs, connection: &Connection, medium: &DatabaseMedium) {
        self.engine.end(connection);
        medium.now();
        medium.tables.with(|medium| self.tally.end(medium));
        if let (Some([tables, log]), Some(of_log)) = (&mut self.memories, &medium.log) {
            medium.tables.with(|medium| tables.end(medium));
            of_log.with(|medium| log.end(medium));
            self.tally.join(log);
        }
        self.counts = vfs.counts().since(self.counts);
    }
}

fn failed(error: impl std::fmt::Display) -> CallFailure {
    CallFailure::Database(error.to_string())
}
