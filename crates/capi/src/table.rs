//! The memories that C has handles of.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use wordline_dram::system::Completion;

use crate::abi::Complete;
use crate::fault::Fault;
use crate::memory::Memory;

/// What a handle stands for.
pub(crate) struct Entry {
    memory: Mutex<Memory>,
    complete: Option<Complete>,
    user: User,
    /// Completions are being told.
    telling: AtomicBool,
    /// The handle was freed.
    freed: AtomicBool,
}

/// A pointer of the caller's, which is only handed back.
struct User(*mut c_void);

// SAFETY: the pointer is never followed here; it is handed back on the thread of the caller who runs the memory, and
// the header asks that callers see to what it points to.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

struct Table {
    /// Handles are odd numbers that are never given twice: a freed one finds nothing, ever.
    next: usize,
    entries: BTreeMap<usize, Arc<Entry>>,
}

static TABLE: RwLock<Table> = RwLock::new(Table {
    next: 0x5757,
    entries: BTreeMap::new(),
});

/// Takes a memory in, and returns its handle.
pub(crate) fn insert(memory: Memory, complete: Option<Complete>, user: *mut c_void) -> usize {
    let entry = Entry {
        memory: Mutex::new(memory),
        complete,
        user: User(user),
        telling: AtomicBool::new(false),
        freed: AtomicBool::new(false),
    };
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let handle = table.next;
    table.next += 2;
    table.entries.insert(handle, Arc::new(entry));
    handle
}

pub(crate) fn find(handle: usize) -> Result<Arc<Entry>, Fault> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    table.entries.get(&handle).cloned().ok_or(Fault::Handle)
}

pub(crate) fn remove(handle: usize) -> Result<(), Fault> {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let entry = table.entries.remove(&handle).ok_or(Fault::Handle)?;
    entry.freed.store(true, Ordering::Relaxed);
    Ok(())
}

impl Entry {
    /// The memory. A panic within an earlier call has left it in pieces.
    pub(crate) fn memory(&self) -> Result<MutexGuard<'_, Memory>, Fault> {
        self.memory.lock().map_err(|_| Fault::Internal)
    }

    /// Runs the memory by `run`, and tells what was completed while nobody holds it, so that the caller may push.
    pub(crate) fn run(
        &self,
        run: impl FnOnce(&mut Memory) -> Result<Vec<Completion>, Fault>,
    ) -> Result<(), Fault> {
        if self.telling.load(Ordering::Relaxed) {
            return Err(Fault::Busy);
        }
        let mut completions = run(&mut *self.memory()?)?;
        if let (Some(complete), false) = (self.complete, completions.is_empty()) {
            self.telling.store(true, Ordering::Relaxed);
            for completion in &completions {
                if self.freed.load(Ordering::Relaxed) {
                    break;
                }
                let is_write = completion.kind == wordline_dram::Kind::Write;
                complete(
                    self.user.0,
                    completion.id,
                    i32::from(is_write),
                    completion.time_ps,
                );
            }
            self.telling.store(false, Ordering::Relaxed);
        }
        completions.clear();
        self.memory()?.give_back(completions);
        Ok(())
    }
}
