//! The memories that C has handles of.

use super::device::Device;
use super::fault::{Fault, Why};
use crate::handles::Handles;

static HANDLES: Handles<Device> = Handles::of_kind(1);

/// Takes a memory in, and returns its handle.
pub(super) fn insert(device: Device) -> Result<usize, Fault> {
    let handle = HANDLES.insert(device);
    Ok(handle.map_err(|_| Why::Handles)?)
}

/// Forgets a handle, and returns its memory.
pub(super) fn remove(handle: usize) -> Result<Device, Fault> {
    Ok(HANDLES.remove(handle)?)
}

/// Does something with the memory of a handle, and then tells its listener what happened, when nobody holds it.
#[inline(always)]
pub(super) fn with<T>(
    handle: usize,
    act: impl FnOnce(&mut Device) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let (result, is_told) = HANDLES.with(handle, |device| (act(device), device.trace.is_told()))?;
    if is_told {
        tell(handle);
    }
    result
}

/// Tells a listener what it has not heard of yet.
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
