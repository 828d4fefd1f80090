//! The types of the header.

use std::ffi::{c_char, c_void};

use wordline_dram::RequestKind;
use wordline_dram::system::Completion;

use crate::boundary::Versioned;

/// `WL_DRAM_ABI`.
pub const ABI: u32 = 1;

/// Causes of waits: `WL_DRAM_CAUSES`.
pub(crate) const CAUSES: usize = 10;

/// `wl_dram_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs, reason = "the header tells what each means")]
pub enum DramStatus {
    Ok = 0,
    BadArgument = 1,
    BadHandle = 2,
    BadTarget = 3,
    BadAddress = 4,
    Full = 5,
    BadTime = 6,
    Busy = 7,
    Internal = 8,
}

/// `wl_dram`: a type that C can have pointers to. There is no object of it.
#[derive(Debug)]
#[repr(C)]
pub struct WlDram {
    nothing: [u8; 0],
}

/// `wl_dram_complete`.
pub type Complete = extern "C" fn(user: *mut c_void, id: u64, is_write: i32, time_ps: u64);

/// `wl_dram_request`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "the header tells what each means")]
pub struct PushedRequest {
    pub address: u64,
    pub id: u64,
    pub is_write: i32,
}

/// `wl_dram_completion`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "the header tells what each means")]
pub struct DramCompletion {
    pub id: u64,
    pub time_ps: u64,
    pub is_write: i32,
}

impl From<Completion> for DramCompletion {
    fn from(done: Completion) -> Self {
        Self {
            id: done.id,
            time_ps: done.time_ps,
            is_write: i32::from(done.kind == RequestKind::Write),
        }
    }
}

/// `wl_dram_options`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs, reason = "the header tells what each means")]
pub struct DramOptions {
    pub size: u64,
    pub abi: u64,
    pub target: *const c_char,
    pub settings: *const c_char,
    pub catalog: *const c_char,
    pub complete: Option<Complete>,
    pub user: *mut c_void,
    pub backlog: u64,
}

/// `wl_dram_info`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
#[allow(missing_docs, reason = "the header tells what each means")]
pub struct DramInfo {
    pub size: u64,
    pub bytes: u64,
    pub line_bytes: u64,
    pub channels: u64,
    pub sub_channels: u64,
    pub pseudo_channels: u64,
    pub read_queue: u64,
    pub write_queue: u64,
    pub clock_ps: f64,
    pub peak_bytes_per_second: f64,
}

/// `wl_dram_stats`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
#[allow(missing_docs, reason = "the header tells what each means")]
pub struct Stats {
    pub size: u64,
    pub time_ps: u64,
    pub reads: u64,
    pub writes: u64,
    pub forwarded: u64,
    pub merged: u64,
    pub row_hits: u64,
    pub row_misses: u64,
    pub row_conflicts: u64,
    pub activates: u64,
    pub refreshes: u64,
    pub read_latency_seconds: f64,
    pub energy_joules: f64,
    pub read_wait_seconds: [f64; CAUSES],
}

impl Versioned for DramOptions {
    const NAME: &'static str = "wl_dram_options";
    const FIRST_SIZE: usize = 16 + 5 * size_of::<usize>();
}

impl Versioned for DramInfo {
    const NAME: &'static str = "wl_dram_info";
    const FIRST_SIZE: usize = 80;
}

impl Versioned for Stats {
    const NAME: &'static str = "wl_dram_stats";
    const FIRST_SIZE: usize = 184;
}

impl Default for DramOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>() as u64,
            abi: u64::from(ABI),
            target: std::ptr::null(),
            settings: std::ptr::null(),
            catalog: std::ptr::null(),
            complete: None,
            user: std::ptr::null_mut(),
            backlog: 0,
        }
    }
}
