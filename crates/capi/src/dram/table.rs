//! The memories that C has handles of.

use std::ffi::c_void;

use wordline_dram::RequestKind;

use super::abi::{Complete, DramCompletion};
use super::fault::DramFault;
use super::memory::DramMemory;
use crate::boundary::User;
use crate::handles::{Handles, Lost};

/// What a handle stands for.
struct MethodEntry {
    memory: DramMemory,
    complete: Option<Complete>,
    user: User,
    /// Completions are being reported.
    telling: bool,
}

static HANDLES: Handles<Box<MethodEntry>> = Handles::of_kind(3);

/// Takes a memory in, and returns its handle.
pub(crate) fn insert(
    memory: DramMemory,
    complete: Option<Complete>,
    user: *mut c_void,
) -> Result<usize, DramFault> {
    let entry = MethodEntry {
        memory,
        complete,
        user: User::new(user),
        telling: false,
    };
    HANDLES
        .insert(Box::new(entry))
        .map_err(|_| DramFault::Handles)
}

/// Does something with the memory of a handle.
#[inline(always)]
pub(crate) fn with<R>(
    handle: usize,
    act: impl FnOnce(&mut DramMemory) -> Result<R, DramFault>,
) -> Result<R, DramFault> {
    HANDLES.with(handle, |entry| act(&mut entry.memory))?
}

/// The same with one that is run, which is not for callbacks.
#[inline(always)]
fn run_with<R>(
    handle: usize,
    run: impl FnOnce(&mut MethodEntry) -> Result<R, DramFault>,
) -> Result<R, DramFault> {
    HANDLES.with(handle, |entry| match entry.telling {
        true => Err(DramFault::Busy),
        false => run(entry),
    })?
}

/// Runs a memory, and reports what is done to its callback. Without one it can be taken until the next such run.
#[inline(always)]
pub(crate) fn run(
    handle: usize,
    run: impl FnOnce(&mut DramMemory) -> Result<(), DramFault>,
) -> Result<(), DramFault> {
    let tells = run_with(handle, |entry| {
        if entry.complete.is_none() {
            while entry.memory.pop_completed().is_some() {}
        }
        run(&mut entry.memory)?;
        entry.telling = entry.complete.is_some() && entry.memory.has_completed();
        Ok(entry.telling)
    })?;
    if tells { tell(handle) } else { Ok(()) }
}

/// Runs a memory, and hands out up to so many requests that are done. How many it hands out.
#[inline(always)]
pub(crate) fn run_into(
    handle: usize,
    run: impl FnOnce(&mut DramMemory) -> Result<(), DramFault>,
    room: u64,
    mut out: impl FnMut(u64, DramCompletion),
) -> Result<u64, DramFault> {
    run_with(handle, |entry| {
        run(&mut entry.memory)?;
        let mut count = 0;
        while count < room
            && let Some(done) = entry.memory.pop_completed()
        {
            out(count, done.into());
            count += 1;
        }
        Ok(count)
    })
}

pub(crate) fn remove(handle: usize) -> Result<(), DramFault> {
    HANDLES.remove(handle)?;
    Ok(())
}

/// Calls back, one completion after the other, without holding the memory: the callback may push, and free.
fn tell(handle: usize) -> Result<(), DramFault> {
    loop {
        let next = HANDLES.with(handle, |entry| {
            let next = entry.memory.pop_completed();
            entry.telling = next.is_some();
            next.zip(entry.complete).map(|told| (told, entry.user))
        });
        match next {
            Ok(Some(((done, complete), user))) => {
                let is_write = i32::from(done.kind == RequestKind::Write);
                complete(user.pointer(), done.id, is_write, done.time_ps);
            }
            // It was freed within its callback.
            Ok(None) | Err(Lost::Unknown) => return Ok(()),
            Err(broken) => return Err(broken.into()),
        }
    }
}
