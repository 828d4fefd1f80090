//! Calls of Linux that measurements of memory need and that `rustix` does not have: affinity beyond 1024 processors, the
//! memory policy of nodes, and newer advice.
//!
//! Elsewhere each of them answers that it is unsupported.

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::*;
#[cfg(target_os = "linux")]
pub(super) use linux::*;

/// Advice to the kernel about a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MappingAdvice {
    /// Huge pages, wherever they can be had.
    HugePages,
    /// Base pages alone.
    BasePages,
    /// Map every page for writing now. It answers with an error where an access would end in a signal (Linux 5.14).
    Populate,
    /// Make huge pages of what is mapped (Linux 6.1).
    Collapse,
}

/// Faults of the calling thread since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageFaults {
    /// Pages that were mapped.
    pub(super) minor: u64,
    /// Pages that were read from a disk.
    pub(super) major: u64,
}

/// Whether a hypervisor is below the system, as far as it says so.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_hypervisor() -> bool {
    // Bit 31 of ECX in leaf 1 is kept for hypervisors; processors have it clear.
    std::arch::x86_64::__cpuid(1).ecx >> 31 == 1
}

/// Whether a hypervisor is below the system, as far as it says so.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_hypervisor() -> bool {
    use crate::linux_files::LinuxFiles;
    use std::sync::OnceLock;

    /// What hypervisors call the machines that they make up.
    const MADE_UP: [&str; 7] = [
        "KVM",
        "QEMU",
        "VMware",
        "VirtualBox",
        "Virtual Machine",
        "Amazon EC2",
        "Google Compute Engine",
    ];
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let files = LinuxFiles::of_this_machine();
        let named = ["sys_vendor", "product_name"].iter().any(|name| {
            let text = files.text(&format!("sys/class/dmi/id/{name}"));
            text.is_some_and(|text| MADE_UP.iter().any(|made_up| text.contains(made_up)))
        });
        named || files.text("sys/hypervisor/type").is_some()
    })
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::ptr::NonNull;

    use super::{MappingAdvice, PageFaults};

    impl PageFaults {
        /// Those of the calling thread.
        pub(in crate::memory) fn now() -> Self {
            // SAFETY: the kernel fills the record, of numbers alone, which zeros are as well.
            let used = unsafe {
                let mut used: libc::rusage = std::mem::zeroed();
                libc::getrusage(libc::RUSAGE_THREAD, &raw mut used);
                used
            };
            let count = |faults: libc::c_long| u64::try_from(faults).unwrap_or_default();
            Self {
                minor: count(used.ru_minflt),
                major: count(used.ru_majflt),
            }
        }
    }

    /// `MADV_COLLAPSE` of asm-generic/mman-common.h, which not every C library has.
    const MADV_COLLAPSE: libc::c_int = 25;
    /// Linux numbers neither processors nor nodes beyond this one.
    const NUMBER_MAX: u32 = 65_535;
    /// What stands for the calling thread or process.
    const CALLER: libc::c_long = 0;
    const NO_FLAGS: libc::c_long = 0;

    /// Bits of a word of a set.
    const WORD_BITS: usize = usize::BITS as usize;

    /// A set of numbers, as the kernel reads it.
    fn set_of(numbers: &[u32]) -> io::Result<Vec<usize>> {
        let mut words = Vec::new();
        for &number in numbers {
            if number > NUMBER_MAX {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let number = number as usize;
            if words.len() <= number / WORD_BITS {
                words.resize(number / WORD_BITS + 1, 0);
            }
            words[number / WORD_BITS] |= 1 << (number % WORD_BITS);
        }
        Ok(words)
    }

    fn checked(answer: libc::c_long) -> io::Result<()> {
        match answer {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Binds the calling thread to some processors.
    pub(in crate::memory) fn set_affinity(cpus: &[u32]) -> io::Result<()> {
        let set = set_of(cpus)?;
        // SAFETY: the kernel reads as many bytes as are stated, of words that live until the call returns.
        checked(unsafe {
            libc::syscall(
                libc::SYS_sched_setaffinity,
                CALLER,
                size_of_val(set.as_slice()),
                set.as_ptr(),
            )
        })
    }

    /// Processors that the calling thread may run on.
    pub(in crate::memory) fn affinity() -> io::Result<Vec<u32>> {
        // The kernel refuses a set that is smaller than its own, of at most 8192 processors.
        let mut set = vec![0_usize; 65_536 / WORD_BITS];
        // SAFETY: the kernel writes at most as many bytes as are stated.
        checked(unsafe {
            libc::syscall(
                libc::SYS_sched_getaffinity,
                CALLER,
                size_of_val(set.as_slice()),
                set.as_mut_ptr(),
            )
        })?;
        let mut members = Vec::new();
        for (place, word) in set.into_iter().enumerate().filter(|(_, word)| *word != 0) {
            let bits = (0..WORD_BITS).filter(|bit| word >> bit & 1 == 1);
            members.extend(bits.map(|bit| (place * WORD_BITS + bit) as u32));
        }
        Ok(members)
    }

    /// Has the pages of a mapping come from a node as long as it has free ones, from others then. Nobody is killed when the
    /// node is full, as would be with a strict binding.
    pub(in crate::memory) fn prefer_node(
        at: NonNull<u8>,
        bytes: usize,
        node: u32,
    ) -> io::Result<()> {
        let set = set_of(&[node])?;
        // SAFETY: the kernel reads as many bits as are stated, and changes where pages will come from, not what they hold.
        checked(unsafe {
            libc::syscall(
                libc::SYS_mbind,
                at.as_ptr(),
                bytes,
                libc::c_long::from(libc::MPOL_PREFERRED),
                set.as_ptr(),
                // The kernel takes one off the number of bits.
                set.len() * WORD_BITS + 1,
                NO_FLAGS,
            )
        })
    }

    /// The node of each page; `None` where the page is not mapped.
    pub(in crate::memory) fn nodes_of(pages: &[NonNull<u8>]) -> io::Result<Vec<Option<u32>>> {
        let mut answers: Vec<libc::c_int> = vec![-1; pages.len()];
        // SAFETY: both lists have as many members as are stated. Without nodes to move to, the call only asks.
        checked(unsafe {
            libc::syscall(
                libc::SYS_move_pages,
                CALLER,
                pages.len(),
                pages.as_ptr(),
                std::ptr::null::<libc::c_int>(),
                answers.as_mut_ptr(),
                NO_FLAGS,
            )
        })?;
        // A negative answer is the error of one page.
        Ok(answers
            .into_iter()
            .map(|node| node.try_into().ok())
            .collect())
    }

    /// Advises the kernel about whole pages of a mapping.
    pub(in crate::memory) fn advise(
        at: NonNull<u8>,
        bytes: usize,
        advice: MappingAdvice,
    ) -> io::Result<()> {
        let advice = match advice {
            MappingAdvice::HugePages => libc::MADV_HUGEPAGE,
            MappingAdvice::BasePages => libc::MADV_NOHUGEPAGE,
            MappingAdvice::Populate => libc::MADV_POPULATE_WRITE,
            MappingAdvice::Collapse => MADV_COLLAPSE,
        };
        // SAFETY: none of these changes what an anonymous mapping holds.
        checked(unsafe { libc::madvise(at.as_ptr().cast(), bytes, advice) }.into())
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::io;
    use std::ptr::NonNull;

    use super::{MappingAdvice, PageFaults};

    impl PageFaults {
        pub(in crate::memory) fn now() -> Self {
            Self::default()
        }
    }

    fn unsupported<T>() -> io::Result<T> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in crate::memory) fn set_affinity(_: &[u32]) -> io::Result<()> {
        unsupported()
    }

    pub(in crate::memory) fn affinity() -> io::Result<Vec<u32>> {
        unsupported()
    }

    pub(in crate::memory) fn prefer_node(_: NonNull<u8>, _: usize, _: u32) -> io::Result<()> {
        unsupported()
    }

    pub(in crate::memory) fn nodes_of(_: &[NonNull<u8>]) -> io::Result<Vec<Option<u32>>> {
        unsupported()
    }

    pub(in crate::memory) fn advise(_: NonNull<u8>, _: usize, _: MappingAdvice) -> io::Result<()> {
        unsupported()
    }
}
