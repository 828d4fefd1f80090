//! The memories that C has handles of.

use super::device::MemoryDevice;
use super::fault::{FaultReason, MemoryFault};
use crate::handles::Handles;

static HANDLES: Handles<MemoryDevice> = Handles::of_kind(1);

/// Takes a memory in, and returns its handle.
pub(super) fn insert(device: MemoryDevice) -> Result<usize, MemoryFault> {
    let handle = HANDLES.insert(device);
    Ok(handle.map_err(|_| FaultReason::Handles)?)
}

/// Forgets a handle, and returns its memory.
pub(super) fn remove(handle: usize) -> Result<MemoryDevice, MemoryFault> {
    Ok(HANDLES.remove(handle)?)
}

/// Does something with the memory of a handle, and reports what happened to its listener after releasing the lock.
#[inline(always)]
pub(super) fn with<T>(
    handle: usize,
    act: impl FnOnce(&mut MemoryDevice) -> Result<T, MemoryFault>,
) -> Result<T, MemoryFault> {
    let (result, is_told) = HANDLES.with(handle, |device| (act(device), device.trace.is_told()))?;
    if is_told {
        tell(handle);
    }
    result
}

/// Reports the pending operations to a listener.
#[cold]
fn tell(handle: usize) {
    let Ok(Some((listener, user, heard))) =
        HANDLES.with(handle, |device| device.trace.take_heard())
    else {
        return;
    };
    for operation in &heard {
        listener(user.pointer(), operation);
    }
}
