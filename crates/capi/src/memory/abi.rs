//! The types of the header.

use std::ffi::{c_char, c_void};

use crate::boundary::Versioned;

/// `WL_MEMORY_ABI`.
pub const ABI: u32 = 1;

/// `wl_memory_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs, reason = "the header tells what each means")]
pub enum MemoryStatus {
    Ok = 0,
    BadArgument = -1,
    BadHandle = -2,
    BadTarget = -3,
    OutOfRange = -4,
    Misuse = -5,
    Uncorrectable = -6,
    ProgramFailed = -7,
    EraseFailed = -8,
    BadBlock = -9,
    PowerLost = -10,
    Unsupported = -11,
    BadImage = -12,
    File = -13,
    Device = -14,
    Internal = -15,
    Busy = -16,
}

/// `wl_memory`: a type that C can have pointers to. There is no object of it.
#[derive(Debug)]
#[repr(C)]
pub struct WlMemory {
    nothing: [u8; 0],
}

/// `wl_memory_listener`.
pub type Listener = extern "C" fn(user: *mut c_void, operation: *const Operation);

macro_rules! versioned {
    ($name:literal, $first:expr, $(#[$more:meta])* $type:ident { $($member:ident: $of:ty,)* }) => {
        #[doc = concat!("`", $name, "`.")]
        #[derive(Clone, Copy, Debug)]
        $(#[$more])*
        #[repr(C)]
        #[allow(missing_docs, reason = "the header tells what each means")]
        pub struct $type {
            pub size: u64,
            $(pub $member: $of,)*
        }

        impl Versioned for $type {
            const NAME: &'static str = $name;
            const FIRST_SIZE: usize = $first;
        }
    };
}

versioned!("wl_memory_options", 32 + 3 * size_of::<usize>(), Options {
    abi: u64,
    target: *const c_char,
    catalog: *const c_char,
    timing: *const c_char,
    seed: u64,
    age: f64,
    factory_bad: u64,
    strict: u64,
    erase_bytes: u64,
    one_thread: u64,
    ageing: u64,
    celsius: f64,
    dwell_s: f64,
    host_ecc: u64,
});

versioned!(
    "wl_memory_info",
    120,
    #[derive(Default, PartialEq, Eq)]
    Info {
        kind: u64,
        bytes: u64,
        write_bytes: u64,
        atom_bytes: u64,
        page_bytes: u64,
        spare_bytes: u64,
        pages_per_block: u64,
        blocks: u64,
        block_bytes: u64,
        programs_per_page: u64,
        once_bytes: u64,
        in_order: u64,
        wear_unit_bytes: u64,
        endurance: u64,
        read_bytes: u64,
        erase_sizes: u64,
        background: u64,
        suspend: u64,
        moves: u64,
        banks: u64,
        forgets: u64,
        free_ranges: u64,
    }
);

versioned!(
    "wl_memory_ecc",
    24,
    #[derive(Default, PartialEq, Eq)]
    Ecc {
        corrected: u64,
        refresh: u64,
        lost: u64,
    }
);

versioned!(
    "wl_memory_stats",
    104,
    #[derive(Default, PartialEq, Eq)]
    Stats {
        reads: u64,
        programs: u64,
        erases: u64,
        writes: u64,
        syncs: u64,
        failures: u64,
        bytes_read: u64,
        bytes_written: u64,
        busy_ps: u64,
        longest_ps: u64,
        corrected_bits: u64,
        power_cuts: u64,
    }
);

versioned!(
    "wl_memory_cut",
    40,
    #[derive(Default, PartialEq, Eq)]
    Cut {
        operations: u64,
        time_ps: u64,
        tear: u64,
        seed: u64,
        erase_leaves: u64,
    }
);

versioned!(
    "wl_memory_operation",
    56,
    #[derive(Default, PartialEq, Eq)]
    Operation {
        kind: u64,
        at: u64,
        bytes: u64,
        start_ps: u64,
        duration_ps: u64,
        failed: u64,
    }
);

versioned!(
    "wl_memory_fault",
    64,
    #[derive(Default, PartialEq, Eq)]
    Fault {
        kind: u64,
        at: u64,
        bytes: u64,
        after: u64,
        times: u64,
        one_in: u64,
        seed: u64,
    }
);

versioned!(
    "wl_memory_ideal",
    176,
    #[derive(Default, PartialEq, Eq)]
    Ideal {
        abi: u64,
        kind: u64,
        read_bytes: u64,
        write_bytes: u64,
        erase_bytes: u64,
        blocks: u64,
        page_bytes: u64,
        spare_bytes: u64,
        programs_per_page: u64,
        in_order: u64,
        marks: u64,
        moves: u64,
        banks: u64,
        atom_bytes: u64,
        endurance: u64,
        read_ps: u64,
        read_byte_ps: u64,
        program_ps: u64,
        program_byte_ps: u64,
        erase_ps: u64,
        strict: u64,
    }
);

versioned!(
    "wl_memory_work",
    40,
    #[derive(Default, PartialEq, Eq)]
    Work {
        phase: u64,
        at: u64,
        bytes: u64,
        ends_ps: u64,
    }
);

versioned!(
    "wl_memory_health",
    112,
    #[derive(Default, PartialEq)]
    Health {
        verdict: u64,
        reason: u64,
        cycles: u64,
        operation: u64,
        failed_blocks: u64,
        beyond: u64,
        latency_ratio: f64,
        used_low: f64,
        used: f64,
        used_high: f64,
        left_low: f64,
        left: f64,
        left_high: f64,
        injected_failures: u64,
        cut_failures: u64,
    }
);

impl Info {
    /// The first member in which two differ, with the values of both: of blocks before what follows from them.
    pub(super) fn first_difference(&self, other: &Self) -> Option<(&'static str, u64, u64)> {
        macro_rules! members {
            ($($member:ident)*) => { [$((stringify!($member), self.$member, other.$member)),*] };
        }
        let members = members!(
            block_bytes kind bytes write_bytes atom_bytes page_bytes spare_bytes pages_per_block blocks
            programs_per_page once_bytes in_order wear_unit_bytes endurance read_bytes erase_sizes background
            suspend moves banks forgets free_ranges
        );
        members.into_iter().find(|(_, one, other)| one != other)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: size_of::<Self>() as u64,
            abi: u64::from(ABI),
            target: std::ptr::null(),
            catalog: std::ptr::null(),
            timing: std::ptr::null(),
            seed: 0,
            age: 0.0,
            factory_bad: 0,
            strict: 0,
            erase_bytes: 0,
            one_thread: 0,
            ageing: 0,
            celsius: 0.0,
            dwell_s: 0.0,
            host_ecc: 0,
        }
    }
}
