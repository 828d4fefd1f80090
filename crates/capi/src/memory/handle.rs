//! The memories that C has handles of: shared ones behind a lock each, and those of one thread alone.

use super::device::MemoryDevice;
use super::fault::{FaultReason, MemoryFault};
use crate::handles::{Handles, Lost};
use crate::local_handles::{LocalHandles, is_local};

static HANDLES: Handles<MemoryDevice> = Handles::of_kind(1);

thread_local! {
    static LOCAL: LocalHandles<MemoryDevice> = const { LocalHandles::new() };
}

/// Takes a memory in, and returns its handle.
pub(super) fn insert(device: MemoryDevice) -> Result<usize, MemoryFault> {
    let handle = match device.is_of_one_thread {
        false => HANDLES.insert(device).map_err(drop),
        true => LOCAL.with(|handles| handles.insert(device).map_err(drop)),
    };
    Ok(handle.map_err(|()| FaultReason::Handles)?)
}

/// Forgets a handle, and returns its memory.
pub(super) fn remove(handle: usize) -> Result<MemoryDevice, MemoryFault> {
    if is_local(handle) {
        return Ok(LOCAL.with(|handles| handles.remove(handle))?);
    }
    Ok(HANDLES.remove(handle)?)
}

/// Does something with the memory of a handle, behind its lock where it has one.
#[inline(always)]
fn find<R>(handle: usize, act: impl FnOnce(&mut MemoryDevice) -> R) -> Result<R, Lost> {
    if is_local(handle) {
        // While a thread ends, its memories are gone.
        let found = LOCAL.try_with(|handles| handles.with(handle, act));
        return found.unwrap_or(Err(Lost::Unknown));
    }
    HANDLES.with(handle, act)
}

/// Does something with the memory of a handle, and reports what happened to its listener after releasing the lock.
#[inline(always)]
pub(super) fn with<T>(
    handle: usize,
    act: impl FnOnce(&mut MemoryDevice) -> Result<T, MemoryFault>,
) -> Result<T, MemoryFault> {
    let (result, is_told) = find(handle, |device| (act(device), device.trace.is_told()))?;
    if is_told {
        tell(handle);
    }
    result
}

/// Reports the pending operations to a listener.
#[cold]
fn tell(handle: usize) {
    let Ok(Some(heard)) = find(handle, |device| device.trace.take_heard()) else {
        return;
    };
    for (index, operation) in heard.operations.iter().enumerate() {
        // The listener may have ended itself, or the memory: what `user` points to may be gone with it.
        let still = index == 0
            || matches!(
                find(handle, |device| device.trace.is_turn_of(&heard)),
                Ok(true)
            );
        if !still {
            return;
        }
        (heard.listener)(heard.user.pointer(), operation);
    }
}
