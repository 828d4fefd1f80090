//! Files and block devices of the host under accesses of a fixed size, one by one: how long each took.
//!
//! [`StoragePlace::open`] opens what is measured, and refuses what would lose data or measure something else: devices in
//! use, files in RAM, holes. [`measure`] runs a [`StorageJob`] on it and hands over each access as it ends, in chunks, so
//! that a run of hours takes no memory. A thread of its own makes the accesses, and allocates nothing while it does.
//!
//! In a closed loop each access follows one that ended; in an open loop accesses have intended starts at a fixed rate. An
//! access that starts late because those before took long says so ([`StorageAccess::intended_ns`]): what waits in front
//! of a slow access is not left out.

mod calls;
mod content;
mod device;
mod error;
mod job;
mod place;
mod pool;
mod run;

#[cfg(test)]
mod tests;

pub use error::{BlockDeviceUse, NoUring, StorageError};
pub use job::{
    AccessPace, AddressOrder, DEPTH_MAX, FlushCall, IN_FLIGHT_MAX, STORAGE_ACCESS_MAX,
    StorageCalls, StorageJob, StorageOperation,
};
pub use place::{PlaceFacts, PlaceRequest, StoragePlace};
pub use run::{StorageAccess, StorageRun, measure};
