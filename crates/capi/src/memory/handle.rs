//! The memories that C has handles of.

use std::cell::Cell;
use std::sync::{Arc, Mutex};

use super::device::Device;
use super::fault::Fault;
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
    let entry = HANDLES.remove(handle).ok_or(Fault::Handle)?;
    // Threads that used it last find it empty.
    let device = entry.lock().map_err(|_| Fault::Internal)?.take();
    device.ok_or(Fault::Handle)
}

/// Does something with the memory of a handle, and then tells its listener what happened, when nobody holds it.
pub(super) fn with<T>(
    handle: usize,
    act: impl FnOnce(&mut Device) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let entry = match LATEST.take() {
        Some((latest, entry)) if latest == handle => entry,
        _ => HANDLES.find(handle).ok_or(Fault::Handle)?,
    };
    let (result, heard) = {
        // A panic within an earlier call has left it in pieces.
        let mut guard = entry.lock().map_err(|_| Fault::Internal)?;
        let device = guard.as_mut().ok_or(Fault::Handle)?;
        let result = act(device);
        (result, device.trace.take_heard())
    };
    LATEST.set(Some((handle, entry)));
    if let Some((listener, user, heard)) = heard {
        for operation in &heard {
            listener(user.pointer(), operation);
        }
    }
    result
}
