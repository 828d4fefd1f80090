//! The store.

use std::fmt;
use std::io::ErrorKind;

use redb::{
    Builder, Database, ReadableDatabase as _, ReadableTable as _, ReadableTableMetadata as _,
    TableDefinition,
};
use wordline_memory::ByteMemory;

use crate::CACHE_BYTES;
use crate::backend::Lent;

/// The one table.
const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("records");

/// Records by key in a redb database that fills a memory.
pub struct RedbStore<M: ByteMemory<Error: fmt::Display> + Send + 'static> {
    /// `None` once it is closed.
    database: Option<Database>,
    lent: Lent<M>,
    /// `None` during a call.
    memory: Option<M>,
    records: u64,
}

/// What went wrong in redb or below it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedbError {
    /// The database would have to be longer than the memory. It takes no calls until it is opened again.
    #[error("the memory has no room for a longer database")]
    NoRoom,
    /// What redb or the memory says.
    #[error("{0}")]
    Failed(String),
}

impl<E: Into<redb::Error>> From<E> for RedbError {
    fn from(error: E) -> Self {
        match error.into() {
            redb::Error::Io(error) if error.kind() == ErrorKind::StorageFull => Self::NoRoom,
            error => Self::Failed(error.to_string()),
        }
    }
}

impl<M: ByteMemory<Error: fmt::Display> + Send + 'static> RedbStore<M> {
    /// An empty store in a memory, whatever it holds.
    ///
    /// # Errors
    /// [`RedbError::NoRoom`] below some 80 KiB, or when the memory fails.
    pub fn create(memory: M) -> Result<Self, RedbError> {
        let mut store = Self::start(memory, true, Builder::create_with_backend)?;
        store.call(|database| {
            let transaction = database.begin_write()?;
            transaction.open_table(TABLE)?;
            Ok(transaction.commit()?)
        })?;
        Ok(store)
    }

    /// The store that a memory holds. After a power cut redb reads all of it, and checks it.
    ///
    /// # Errors
    /// When it holds none, or the memory fails.
    pub fn open(memory: M) -> Result<Self, RedbError> {
        let mut store = Self::start(memory, false, Builder::create_with_backend)?;
        store.records =
            store.call(|database| Ok(database.begin_read()?.open_table(TABLE)?.len()?))?;
        Ok(store)
    }

    fn start(
        memory: M,
        is_empty: bool,
        open: impl FnOnce(&Builder, Lent<M>) -> Result<Database, redb::DatabaseError>,
    ) -> Result<Self, RedbError> {
        let lent = Lent::new(&memory, is_empty);
        let mut memory = Some(memory);
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE_BYTES);
        let database = lent.with(&mut memory, || open(&builder, lent.clone()))?;
        Ok(Self {
            database: Some(database),
            lent,
            memory,
            records: 0,
        })
    }

    fn call<T>(
        &mut self,
        run: impl FnOnce(&Database) -> Result<T, RedbError>,
    ) -> Result<T, RedbError> {
        let database = self.database.as_ref();
        let closed = || Err(RedbError::Failed("it is closed".to_owned()));
        self.lent
            .with(&mut self.memory, || database.map_or_else(closed, run))
    }

    /// Gives a key a value, which lasts when the call returns.
    ///
    /// # Errors
    /// [`RedbError::NoRoom`], or when the memory fails.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), RedbError> {
        let is_new = self.call(|database| {
            let transaction = database.begin_write()?;
            let is_new = transaction.open_table(TABLE)?.insert(key, value)?.is_none();
            transaction.commit()?;
            Ok(is_new)
        })?;
        self.records += u64::from(is_new);
        Ok(())
    }

    /// Calls `see` with the value of a key; returns what it returns, and `None` where there is no such record.
    ///
    /// # Errors
    /// When the memory fails.
    pub fn get<T>(
        &mut self,
        key: &[u8],
        see: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, RedbError> {
        self.call(|database| {
            let found = database.begin_read()?.open_table(TABLE)?.get(key)?;
            Ok(found.map(|value| see(value.value())))
        })
    }

    /// Removes a record for good; returns whether there was one.
    ///
    /// # Errors
    /// As [`put`](Self::put): a removal writes pages, too.
    pub fn remove(&mut self, key: &[u8]) -> Result<bool, RedbError> {
        let was_there = self.call(|database| {
            let transaction = database.begin_write()?;
            let was_there = transaction.open_table(TABLE)?.remove(key)?.is_some();
            transaction.commit()?;
            Ok(was_there)
        })?;
        self.records -= u64::from(was_there);
        Ok(was_there)
    }

    /// Calls `see` with every key and value, in the order of the keys.
    ///
    /// # Errors
    /// When the memory fails.
    pub fn each(&mut self, see: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), RedbError> {
        self.call(|database| {
            for record in database.begin_read()?.open_table(TABLE)?.iter()? {
                let (key, value) = record?;
                see(key.value(), value.value());
            }
            Ok(())
        })
    }

    /// Records that it holds.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// The memory; `None` where a panic within a call took it.
    pub fn memory(&mut self) -> Option<&mut M> {
        self.memory.as_mut()
    }
}

impl<M: ByteMemory<Error: fmt::Display> + Send + 'static> Drop for RedbStore<M> {
    /// redb marks the database as closed in order.
    fn drop(&mut self) {
        let database = self.database.take();
        self.lent.with(&mut self.memory, || drop(database));
    }
}
