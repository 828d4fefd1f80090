//! Databases on one file system, and their write-ahead logs and journals on another.

use std::collections::HashMap;
use std::fmt;

use wordline_engines::{
    Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamPart, RamUse, Space,
};

use crate::FileKind;
use crate::world::kind_of;

/// Two file systems as one: write-ahead logs and journals of databases lie on the second, all else on the first.
///
/// ```
/// use wordline_engines::{ByteBlocks, FileSystem, LittleFs, LittleFsOptions, Open};
/// use wordline_memory::RamMemory;
/// use wordline_sqlite::SplitFiles;
///
/// let files = || {
///     let memory = wordline_engines::Shared::new(RamMemory::<{ 64 << 10 }>::new());
///     let options = LittleFsOptions::default();
///     LittleFs::format(ByteBlocks::of_bytes(memory.clone(), 1024)?, &options)?;
///     LittleFs::mount(ByteBlocks::of_bytes(memory, 1024)?, &options)
/// };
/// let mut split = SplitFiles::new(Box::new(files()?), Box::new(files()?));
/// for path in ["/db", "/db-wal"] {
///     let file = split.open(path, Open::Create)?;
///     split.write(file, 0, path.as_bytes())?;
///     split.close(file)?;
/// }
/// assert_eq!(split.entry("/db-wal")?.bytes, 7);
/// assert_eq!(split.list("/")?.len(), 2);
/// # Ok::<(), wordline_engines::FsError>(())
/// ```
pub struct SplitFiles {
    sides: [Box<dyn FileSystem + Send>; 2],
    /// Which side each open file lies on, and its handle there.
    open: HashMap<Handle, (usize, Handle)>,
    next: u32,
    before: Box<dyn FnMut(usize) + Send>,
}

/// The side of databases, and that of their logs and journals.
const TABLES: usize = 0;
const LOGS: usize = 1;

impl SplitFiles {
    /// Databases on the first file system, their logs and journals on the second.
    #[must_use]
    pub fn new(tables: Box<dyn FileSystem + Send>, logs: Box<dyn FileSystem + Send>) -> Self {
        Self {
            sides: [tables, logs],
            open: HashMap::new(),
            next: 0,
            before: Box::new(|_| ()),
        }
    }

    /// Calls `before` ahead of each call of a file system, 0 for that of the databases: the other's time passes too.
    #[must_use]
    pub fn with(self, before: impl FnMut(usize) + Send + 'static) -> Self {
        Self {
            before: Box::new(before),
            ..self
        }
    }

    /// The file system of the databases, and that of logs and journals.
    #[must_use]
    pub fn sides(&self) -> [&(dyn FileSystem + Send); 2] {
        [&*self.sides[TABLES], &*self.sides[LOGS]]
    }

    fn side(&mut self, side: usize) -> &mut (dyn FileSystem + Send) {
        (self.before)(side);
        &mut *self.sides[side]
    }

    fn of_path(&mut self, path: &str) -> &mut (dyn FileSystem + Send) {
        self.side(side_of(path))
    }

    fn of_file(&mut self, file: Handle) -> Result<(&mut (dyn FileSystem + Send), Handle), FsError> {
        let (side, handle) = self.open.get(&file).copied().ok_or_else(not_open)?;
        Ok((self.side(side), handle))
    }
}

fn side_of(path: &str) -> usize {
    match kind_of(path) {
        FileKind::Wal | FileKind::Journal => LOGS,
        _ => TABLES,
    }
}

fn not_open() -> FsError {
    FsError::new(FsErrorKind::Invalid, "the file is not open")
}

impl fmt::Debug for SplitFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SplitFiles")
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl FileSystem for SplitFiles {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        let handle = self.of_path(path).open(path, how)?;
        let file = Handle(self.next);
        self.next += 1;
        self.open.insert(file, (side_of(path), handle));
        Ok(file)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let (files, file) = self.of_file(file)?;
        files.read(file, at, out)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        let (files, file) = self.of_file(file)?;
        files.write(file, at, data)
    }

    fn write_together(&mut self, file: Handle, parts: &[(u64, &[u8])]) -> Result<(), FsError> {
        let (files, file) = self.of_file(file)?;
        files.write_together(file, parts)
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        let (files, file) = self.of_file(file)?;
        files.truncate(file, bytes)
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        let (files, file) = self.of_file(file)?;
        files.sync(file)
    }

    fn sync_data(&mut self, file: Handle) -> Result<(), FsError> {
        let (files, file) = self.of_file(file)?;
        files.sync_data(file)
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        let (side, handle) = self.open.remove(&file).ok_or_else(not_open)?;
        self.side(side).close(handle)
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        self.side(TABLES).create_dir(path)?;
        self.side(LOGS).create_dir(path)
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        if self.of_path(path).entry(path)?.is_dir {
            self.side(LOGS).remove(path)?;
        }
        self.of_path(path).remove(path)
    }

    /// Between the two file systems nothing is renamed, nor a directory, which both have.
    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        let is_dir = self.of_path(from).entry(from)?.is_dir;
        if is_dir || side_of(from) != side_of(to) {
            let why = "it lies on two file systems";
            return Err(FsError::new(FsErrorKind::Unsuitable, why));
        }
        self.of_path(from).rename(from, to)
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        self.of_path(path).entry(path)
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        let mut all = self.side(TABLES).list(path)?;
        let logs = self.side(LOGS).list(path)?;
        all.extend(logs.into_iter().filter(|entry| !entry.is_dir));
        Ok(all)
    }

    /// That of the databases.
    fn space(&mut self) -> Result<Space, FsError> {
        self.side(TABLES).space()
    }

    fn ram(&self) -> RamUse {
        let [tables, logs] = self.sides().map(FileSystem::ram);
        RamUse {
            buffers: tables.buffers + logs.buffers,
            structures: tables.structures + logs.structures,
        }
    }

    /// Parts of one name are added up.
    fn ram_parts(&self) -> Vec<RamPart> {
        let [mut all, logs] = self.sides().map(FileSystem::ram_parts);
        for part in logs {
            match all.iter_mut().find(|own| own.name == part.name) {
                Some(own) => own.bytes += part.bytes,
                None => all.push(part),
            }
        }
        all
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        let tables = self.side(TABLES).unmount();
        self.side(LOGS).unmount()?;
        tables
    }
}
