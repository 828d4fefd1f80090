//! The calls of the kernel's driver (Linux, include/uapi/mtd/mtd-abi.h).

use std::io;

use crate::inode::InodeFile;

/// What the ECC of a driver did so far, over all reads since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EccCounts {
    /// Bits that it corrected.
    pub corrected: u32,
    /// Codewords that it could not correct.
    pub failed: u32,
}

/// What is asked of a driver; positions and lengths are in bytes.
pub trait Calls {
    /// Reads. The kernel hands out what the ECC could not correct as if nothing had happened: the
    /// [counts](Self::ecc) show them.
    ///
    /// # Errors
    /// Those of the driver.
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()>;

    /// Programs.
    ///
    /// # Errors
    /// Those of the driver.
    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()>;

    /// Erases a block.
    ///
    /// # Errors
    /// Those of the driver.
    fn erase(&mut self, at: u64, bytes: u64) -> io::Result<()>;

    /// Whether a block is marked bad; a driver that keeps no marks says `EOPNOTSUPP`.
    ///
    /// # Errors
    /// Those of the driver.
    fn is_bad(&mut self, at: u64) -> io::Result<bool>;

    /// Marks a block bad.
    ///
    /// # Errors
    /// Those of the driver.
    fn mark_bad(&mut self, at: u64) -> io::Result<()>;

    /// What the ECC did so far; a driver without one says `ENOTTY`.
    ///
    /// # Errors
    /// Those of the driver.
    fn ecc(&mut self) -> io::Result<EccCounts>;
}

/// The kernel's driver of an open device.
#[derive(Debug)]
pub struct KernelCalls {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    file: InodeFile,
}

impl KernelCalls {
    /// Of a character device that was checked, and is open for reading and writing.
    #[must_use]
    pub const fn new(file: InodeFile) -> Self {
        Self { file }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::unix::fs::FileExt as _;

    use rustix::io::Errno;
    use rustix::ioctl::{Getter, Ioctl, IoctlOutput, Opcode, Setter, ioctl, opcode};

    use super::{Calls, EccCounts, KernelCalls};

    /// `struct erase_info_user64`.
    #[repr(C)]
    struct EraseInfo {
        start: u64,
        length: u64,
    }

    /// `struct mtd_ecc_stats`.
    #[repr(C)]
    struct EccStatistics {
        corrected: u32,
        failed: u32,
        bad_blocks: u32,
        bad_block_tables: u32,
    }

    const ERASE: Opcode = opcode::write::<EraseInfo>(b'M', 20);
    const IS_BAD: Opcode = opcode::write::<i64>(b'M', 11);
    const MARK_BAD: Opcode = opcode::write::<i64>(b'M', 12);
    const ECC_STATISTICS: Opcode = opcode::read::<EccStatistics>(b'M', 18);

    /// `MEMGETBADBLOCK`: it takes a position, and answers with what the call returns.
    struct IsBad(i64);

    // SAFETY: the driver reads the eight bytes of the position, which outlive the call, and writes none.
    unsafe impl Ioctl for IsBad {
        type Output = bool;
        const IS_MUTATING: bool = false;

        fn opcode(&self) -> Opcode {
            IS_BAD
        }

        fn as_ptr(&mut self) -> *mut rustix::ffi::c_void {
            (&raw mut self.0).cast()
        }

        unsafe fn output_from_ptr(
            answer: IoctlOutput,
            _: *mut rustix::ffi::c_void,
        ) -> rustix::io::Result<bool> {
            Ok(answer > 0)
        }
    }

    fn position(at: u64) -> io::Result<i64> {
        i64::try_from(at).map_err(|_| Errno::INVAL.into())
    }

    impl Calls for KernelCalls {
        fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
            self.file.file().read_exact_at(out, at)
        }

        fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
            self.file.file().write_all_at(data, at)
        }

        fn erase(&mut self, at: u64, bytes: u64) -> io::Result<()> {
            let asked = EraseInfo {
                start: at,
                length: bytes,
            };
            // SAFETY: MEMERASE64 reads one such structure and keeps no pointer to it.
            unsafe { Ok(ioctl(&self.file, Setter::<ERASE, EraseInfo>::new(asked))?) }
        }

        fn is_bad(&mut self, at: u64) -> io::Result<bool> {
            let asked = IsBad(position(at)?);
            // SAFETY: as at the implementation of `IsBad`.
            unsafe { Ok(ioctl(&self.file, asked)?) }
        }

        fn mark_bad(&mut self, at: u64) -> io::Result<()> {
            let asked = position(at)?;
            // SAFETY: MEMSETBADBLOCK reads one position and keeps no pointer to it.
            unsafe { Ok(ioctl(&self.file, Setter::<MARK_BAD, i64>::new(asked))?) }
        }

        fn ecc(&mut self) -> io::Result<EccCounts> {
            // SAFETY: ECCGETSTATS fills one such structure.
            let found =
                unsafe { ioctl(&self.file, Getter::<ECC_STATISTICS, EccStatistics>::new())? };
            Ok(EccCounts {
                corrected: found.corrected,
                failed: found.failed,
            })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::io;

    use super::{Calls, EccCounts, KernelCalls};

    fn missing<T>() -> io::Result<T> {
        Err(io::ErrorKind::Unsupported.into())
    }

    impl Calls for KernelCalls {
        fn read(&mut self, _: u64, _: &mut [u8]) -> io::Result<()> {
            missing()
        }

        fn write(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
            missing()
        }

        fn erase(&mut self, _: u64, _: u64) -> io::Result<()> {
            missing()
        }

        fn is_bad(&mut self, _: u64) -> io::Result<bool> {
            missing()
        }

        fn mark_bad(&mut self, _: u64) -> io::Result<()> {
            missing()
        }

        fn ecc(&mut self) -> io::Result<EccCounts> {
            missing()
        }
    }
}
