//! From pages to bytes, time, and a phase of a profile.

use wordline_core::Basis;

use super::ReuseProfile;
use crate::profile::{LINE_BYTES, ProfilePhase, ProfileValue};

/// How a trace stands for a program that is larger, and what its storage is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpillModel {
    /// Bytes of a page of the trace.
    pub page_bytes: f64,
    /// Bytes of data of the program that the trace stands for. Without them it stands for itself.
    pub footprint_bytes: Option<f64>,
    /// Bytes that storage reads and writes in a second.
    pub storage_bytes_per_s: f64,
}

/// Why no bytes can be told.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SpillModelError {
    /// A number is none that can be.
    #[error("{what} is {found}; allowed: above 0")]
    NotPositive {
        /// What it is.
        what: &'static str,
        /// What was given.
        found: f64,
    },
    /// The trace touches nothing.
    #[error("the trace touches no page, so that nothing follows from it")]
    NoPages,
}

/// What goes to and from storage at a capacity, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpilledBytes {
    /// Capacity of the memory.
    pub capacity_bytes: f64,
    /// Loaded by first touches, with any memory.
    pub loaded_bytes: f64,
    /// Fetched again.
    pub fetched_bytes: f64,
    /// Written back to make room.
    pub written_bytes: f64,
    /// Seconds in which the storage moves what was fetched again and written back.
    pub seconds: f64,
}

impl SpillModel {
    /// Bytes of the program for each byte of the trace.
    ///
    /// # Errors
    /// When a number is not above 0, or the trace touches nothing.
    pub fn scale(&self, profile: &ReuseProfile) -> Result<f64, SpillModelError> {
        for (what, found) in [
            ("the page size", self.page_bytes),
            ("the footprint", self.footprint_bytes.unwrap_or(1.0)),
            ("the storage rate", self.storage_bytes_per_s),
        ] {
            if !(found.is_finite() && found > 0.0) {
                return Err(SpillModelError::NotPositive { what, found });
            }
        }
        let traced = profile.pages * self.page_bytes;
        if traced <= 0.0 {
            return Err(SpillModelError::NoPages);
        }
        Ok(self.footprint_bytes.map_or(1.0, |bytes| bytes / traced))
    }

    /// What goes to and from storage where the memory has so many bytes.
    ///
    /// # Errors
    /// When a number is not above 0, or the trace touches nothing.
    pub fn spilled(
        &self,
        profile: &ReuseProfile,
        capacity_bytes: f64,
    ) -> Result<SpilledBytes, SpillModelError> {
        let scale = self.scale(profile)?;
        if !(capacity_bytes.is_finite() && capacity_bytes > 0.0) {
            let (what, found) = ("the capacity", capacity_bytes);
            return Err(SpillModelError::NotPositive { what, found });
        }
        let spilt = profile.spilt(capacity_bytes / scale / self.page_bytes);
        let bytes = |pages: f64| pages * self.page_bytes * scale;
        Ok(SpilledBytes {
            capacity_bytes,
            loaded_bytes: bytes(profile.loaded_pages()),
            fetched_bytes: bytes(spilt.fetched_pages),
            written_bytes: bytes(spilt.written_pages),
            seconds: bytes(spilt.pages()) / self.storage_bytes_per_s,
        })
    }
}

impl SpilledBytes {
    /// Bytes fetched again and written back.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.fetched_bytes + self.written_bytes
    }

    /// A phase in which the program waits for its storage and for nothing else, so that what a greater memory saves stays
    /// apart from what a faster one does. What is fetched is written to memory, and what goes out is read from it. None
    /// where nothing is spilt.
    #[must_use]
    pub fn phase(&self) -> Option<ProfilePhase> {
        let exact = |value| ProfileValue::exact(value, Basis::Simulated);
        (self.seconds > 0.0).then(|| ProfilePhase {
            name: "spill".into(),
            seconds: exact(self.seconds),
            lines_read: exact(self.written_bytes / LINE_BYTES),
            lines_written: exact(self.fetched_bytes / LINE_BYTES),
            stall_share: exact(0.0),
            instructions: None,
            cycles: None,
            prefetched_share: None,
            outstanding: None,
            latency_ns: None,
            load: None,
            imbalance: None,
            locality: Some(ProfileValue::exact(1.0, Basis::Assumed)),
            outside_share: Some(ProfileValue::exact(1.0, Basis::Assumed)),
        })
    }
}
