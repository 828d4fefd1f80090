//! The system calls of accesses: io_uring, and `pread(2)` with `pwrite(2)`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;

use io_uring::{IoUring, opcode, squeue, types};
use rustix::io::Errno;

use super::job::{FlushCall, StorageOperation};
use super::pool::BufferPool;
use super::NoUring;

/// An access that was begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct BegunAccess {
    /// Which of those that may be under way.
    pub(super) slot: u32,
    pub(super) operation: StorageOperation,
    pub(super) offset: u64,
    /// Which of the slot's buffers.
    pub(super) round: u64,
}

/// An access that ended: its slot, and the bytes it moved or an error number below 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EndedAccess {
    pub(super) slot: u32,
    pub(super) result: i32,
}

/// How to wait for accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallWait {
    /// For one at least.
    One,
    /// For one at least, and no longer than so many nanoseconds.
    Within(u64),
    /// Not at all: only look.
    Look,
}

/// Begins accesses and waits for their ends.
pub(super) trait AccessCalls {
    /// Notes an access; it begins with the next [`finish`](Self::finish) at the latest.
    fn begin(&mut self, access: BegunAccess, pool: &BufferPool) -> io::Result<()>;

    /// Begins what was noted, waits, and adds to `ended` what ended.
    fn finish(
        &mut self,
        wait: CallWait,
        pool: &mut BufferPool,
        ended: &mut Vec<EndedAccess>,
    ) -> io::Result<()>;
}

/// Makes what was written last.
pub(super) fn flush(file: &File, call: FlushCall) -> io::Result<()> {
    match call {
        FlushCall::Sync => file.sync_all(),
        FlushCall::DataSync => file.sync_data(),
    }
}

/// One access at a time, by `pread` and `pwrite`.
pub(super) struct PreadCalls<'f> {
    file: &'f File,
    noted: Option<BegunAccess>,
}

impl<'f> PreadCalls<'f> {
    pub(super) const fn new(file: &'f File) -> Self {
        Self { file, noted: None }
    }
}

impl AccessCalls for PreadCalls<'_> {
    #[inline]
    fn begin(&mut self, access: BegunAccess, _: &BufferPool) -> io::Result<()> {
        debug_assert!(self.noted.is_none(), "one access at a time");
        self.noted = Some(access);
        Ok(())
    }

    #[inline]
    fn finish(
        &mut self,
        _: CallWait,
        pool: &mut BufferPool,
        ended: &mut Vec<EndedAccess>,
    ) -> io::Result<()> {
        let Some(access) = self.noted.take() else {
            return Ok(());
        };
        let buffer = pool.buffer_mut(access.slot, access.round);
        let moved = loop {
            let moved = match access.operation {
                StorageOperation::Write => self.file.write_at(buffer, access.offset),
                _ => self.file.read_at(buffer, access.offset),
            };
            match moved {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                moved => break moved,
            }
        };
        let result = match moved {
            Ok(bytes) => bytes as i32,
            Err(error) => -error.raw_os_error().unwrap_or(Errno::IO.raw_os_error()),
        };
        ended.push(EndedAccess {
            slot: access.slot,
            result,
        });
        Ok(())
    }
}

/// Accesses through io_uring, with the file and the buffers registered where the kernel allows it.
pub(super) struct UringCalls {
    ring: IoUring,
    file: i32,
    access_bytes: u32,
    is_file_registered: bool,
    are_buffers_registered: bool,
    can_time_out: bool,
}

impl UringCalls {
    /// Sets up a ring for the calling thread, the only one that may use it.
    pub(super) fn new(
        file: &File,
        depth: u32,
        access_bytes: u64,
        pool: &BufferPool,
    ) -> Result<Self, NoUring> {
        // The cheapest setup that the kernel knows: completions run when this thread asks for them (6.1), or at least
        // without interrupting it (5.19).
        let built = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .build(depth)
            .or_else(|_| IoUring::builder().setup_coop_taskrun().build(depth))
            .or_else(|_| IoUring::builder().build(depth));
        let mut ring = built.map_err(|error| no_uring(&error))?;
        let file = file.as_raw_fd();
        let is_file_registered = ring.submitter().register_files(&[file]).is_ok();
        let (start, bytes) = pool.whole();
        // The kernel takes 1 GiB a buffer.
        let parts: Vec<libc::iovec> = vec![libc::iovec {
            iov_base: start.cast(),
            iov_len: bytes,
        }];
        let are_buffers_registered = bytes <= 1 << 30
            // SAFETY: the buffers outlive the ring: the caller drops the pool after it, and the pool never moves its
            // mapping.
            && unsafe { ring.submitter().register_buffers(&parts) }.is_ok();
        // Spares a look-up of the ring in each call, from 5.18 on.
        let _ = ring.submitter().register_ring_fd();
        let can_time_out = ring.params().is_feature_ext_arg();
        Ok(Self {
            ring,
            file,
            access_bytes: access_bytes as u32,
            is_file_registered,
            are_buffers_registered,
            can_time_out,
        })
    }

    /// Whether file and buffers are registered, so that an access spares their look-ups.
    pub(super) const fn is_registered(&self) -> bool {
        self.is_file_registered && self.are_buffers_registered
    }

    fn entry(&self, access: &BegunAccess, buffer: *mut u8) -> squeue::Entry {
        let (bytes, offset) = (self.access_bytes, access.offset);
        let writes = access.operation == StorageOperation::Write;
        macro_rules! entry {
            ($file:expr) => {
                match (writes, self.are_buffers_registered) {
                    (false, true) => opcode::ReadFixed::new($file, buffer, bytes, 0)
                        .offset(offset)
                        .build(),
                    (true, true) => opcode::WriteFixed::new($file, buffer.cast_const(), bytes, 0)
                        .offset(offset)
                        .build(),
                    (false, false) => opcode::Read::new($file, buffer, bytes).offset(offset).build(),
                    (true, false) => opcode::Write::new($file, buffer.cast_const(), bytes)
                        .offset(offset)
                        .build(),
                }
            };
        }
        let entry = match self.is_file_registered {
            true => entry!(types::Fixed(0)),
            false => entry!(types::Fd(self.file)),
        };
        entry.user_data(u64::from(access.slot))
    }
}

impl AccessCalls for UringCalls {
    #[inline]
    fn begin(&mut self, access: BegunAccess, pool: &BufferPool) -> io::Result<()> {
        let entry = self.entry(&access, pool.pointer(access.slot, access.round));
        // SAFETY: the buffer lies in the pool, which outlives the ring, and belongs to a slot that has no other access
        // under way. The file is open as long as the ring.
        unsafe { self.ring.submission().push(&entry) }
            .map_err(|_| io::Error::other("more accesses than the ring holds"))
    }

    #[inline]
    fn finish(
        &mut self,
        wait: CallWait,
        _: &mut BufferPool,
        ended: &mut Vec<EndedAccess>,
    ) -> io::Result<()> {
        let entered = match wait {
            CallWait::One => self.ring.submitter().submit_and_wait(1),
            CallWait::Within(time_ns) if self.can_time_out => {
                let time = types::Timespec::new()
                    .sec(time_ns / 1_000_000_000)
                    .nsec((time_ns % 1_000_000_000) as u32);
                let wait = types::SubmitArgs::new().timespec(&time);
                self.ring.submitter().submit_with_args(1, &wait)
            }
            // A look runs the completions that the kernel keeps for this thread.
            CallWait::Within(_) | CallWait::Look => self.look(),
        };
        match entered {
            Ok(_) => {}
            Err(error)
                if matches!(
                    Errno::from_io_error(&error),
                    Some(Errno::INTR | Errno::TIME | Errno::BUSY | Errno::AGAIN)
                ) => {}
            Err(error) => return Err(error),
        }
        ended.extend(self.ring.completion().map(|one| EndedAccess {
            slot: one.user_data() as u32,
            result: one.result(),
        }));
        Ok(())
    }
}

impl UringCalls {
    /// Submits, and lets the kernel hand over completions without waiting for any.
    fn look(&mut self) -> io::Result<usize> {
        const GET_EVENTS: u32 = 1;
        let noted = {
            let mut queue = self.ring.submission();
            queue.sync();
            queue.len() as u32
        };
        // SAFETY: without an argument the call reads no memory of ours but the ring's own.
        unsafe {
            self.ring
                .submitter()
                .enter::<libc::sigset_t>(noted, 0, GET_EVENTS, None)
        }
    }
}

/// Why the kernel gives this process no ring.
fn no_uring(error: &io::Error) -> NoUring {
    match Errno::from_io_error(error) {
        Some(Errno::NOSYS) => NoUring::Missing,
        Some(Errno::PERM | Errno::ACCESS) => {
            let text = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled");
            match text.ok().and_then(|text| text.trim().parse().ok()) {
                Some(value @ 1..) => NoUring::Disabled(value),
                _ => NoUring::Forbidden,
            }
        }
        _ => NoUring::Failed(error.to_string()),
    }
}
