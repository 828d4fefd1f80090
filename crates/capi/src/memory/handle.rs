//! The memories that C has handles of.

use std::cell::Cell;
use std::sync::{Arc, Mutex};

use super::device::Device;
use super::fault::{Fault, Why};
use crate::handles::Handles;

/// What a handle stands for; nothing once it is freed.
type Entry = Mutex<Option<Device>>;

static HANDLES: Handles<Entry> = Handles::starting_at(0x5759);

thread_local! {
    /// What this thread used last: storage software calls one memory again and again, and a look at the table takes
    /// longer than an operation.
    static LATEST: Cell<Option<(usize, Arc<Entry>)>> = const { Cell::new(None) };
}

/// Takes a memory in, and returns its handle.
pub(super) fn insert(device: Device) -> usize {
    HANDLES.insert(Mutex::new(Some(device)))
}

/// Forgets a handle, and returns its memory.
pub(super) fn remove(handle: usize) -> Result<Device, Fault> {
    let entry = HANDLES.remove(handle).ok_or(Why::Handle)?;
    // Threads that used it last find it empty.
    let device = entry.lock().map_err(|_| Why::Internal)?.take();
    Ok(device.ok_or(Why::Handle)?)
}

/// Does something with the memory of a handle, and then tells its listener what happened, when nobody holds it.
///
/// Inlined, as are its callers up to the functions of the header: what they pass on is read again before it has left the
/// processor's store buffer otherwise, which takes longer than the rest of a call.
#[inline(always)]
pub(super) fn with<T>(
    handle: usize,
    act: impl FnOnce(&mut Device) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let entry = match LATEST.take() {
        Some((latest, entry)) if latest == handle => entry,
        _ => HANDLES.find(handle).ok_or(Why::Handle)?,
    };
    let (result, is_told) = {
        // A panic within an earlier call has left it in pieces.
        let mut guard = entry.lock().map_err(|_| Why::Internal)?;
        let device = guard.as_mut().ok_or(Why::Handle)?;
        (act(device), device.trace.is_told())
    };
    if is_told {
        tell(&entry);
    }
    LATEST.set(Some((handle, entry)));
    result
}

/// Tells a listener what it has not heard of yet.
#[cold]
fn tell(entry: &Entry) {
    let heard = match entry.lock() {
        Ok(mut guard) => guard.as_mut().and_then(|device| device.trace.take_heard()),
        Err(_) => None,
    };
    let Some((listener, user, heard)) = heard else {
        return;
    };
    for operation in &heard {
        listener(user.pointer(), operation);
    }
}
