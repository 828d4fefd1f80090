//! The memories that C has handles of.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use wordline_dram::system::Completion;

use super::abi::Complete;
use super::fault::DramFault;
use super::memory::DramMemory;
use crate::boundary::User;
use crate::handles::Handles;

/// What a handle stands for.
pub(crate) struct MethodEntry {
    memory: Mutex<DramMemory>,
    complete: Option<Complete>,
    user: User,
    /// Completions are being reported.
    telling: AtomicBool,
    /// The handle was freed.
    freed: AtomicBool,
}

static HANDLES: Handles<Arc<MethodEntry>> = Handles::of_kind(3);

/// Takes a memory in, and returns its handle.
pub(crate) fn insert(
    memory: DramMemory,
    complete: Option<Complete>,
    user: *mut c_void,
) -> Result<usize, DramFault> {
    let entry = MethodEntry {
        memory: Mutex::new(memory),
        complete,
        user: User::new(user),
        telling: AtomicBool::new(false),
        freed: AtomicBool::new(false),
    };
    HANDLES
        .insert(Arc::new(entry))
        .map_err(|_| DramFault::Handles)
}

pub(crate) fn find(handle: usize) -> Result<Arc<MethodEntry>, DramFault> {
    Ok(HANDLES.with(handle, |entry| Arc::clone(entry))?)
}

pub(crate) fn remove(handle: usize) -> Result<(), DramFault> {
    let entry = HANDLES.remove(handle)?;
    entry.freed.store(true, Ordering::Relaxed);
    Ok(())
}

impl MethodEntry {
    /// The memory. A panic within an earlier call has left it in pieces.
    pub(crate) fn memory(&self) -> Result<MutexGuard<'_, DramMemory>, DramFault> {
        self.memory.lock().map_err(|_| DramFault::Internal)
    }

    /// Runs the memory by `run`, and reports completions after releasing its lock, so that the callback may push.
    pub(crate) fn run(
        &self,
        run: impl FnOnce(&mut DramMemory) -> Result<Vec<Completion>, DramFault>,
    ) -> Result<(), DramFault> {
        if self.telling.load(Ordering::Relaxed) {
            return Err(DramFault::Busy);
        }
        let mut completions = run(&mut *self.memory()?)?;
        if let (Some(complete), false) = (self.complete, completions.is_empty()) {
            self.telling.store(true, Ordering::Relaxed);
            for completion in &completions {
                if self.freed.load(Ordering::Relaxed) {
                    break;
                }
                let is_write = completion.kind == wordline_dram::RequestKind::Write;
                complete(
                    self.user.pointer(),
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
