//! The system calls of accesses: io_uring, and `pread(2)` with `pwrite(2)`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, opcode, squeue, types};
use rustix::io::Errno;

use super::NoUring;
use super::job::{FlushCall, StorageOperation};
use super::pool::BufferPool;

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
    /// For one, and take no other: those that ended as well stay under way until they are asked for.
    Next,
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

    /// Begins what was noted, without waiting.
    fn submit(&mut self) -> io::Result<()> {
        Ok(())
    }

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

/// Makes an access by one call.
fn make(file: &File, access: &BegunAccess, buffer: &mut [u8]) -> EndedAccess {
    let moved = loop {
        let moved = match access.operation {
            StorageOperation::Write => file.write_at(buffer, access.offset),
            _ => file.read_at(buffer, access.offset),
        };
        match moved {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            moved => break moved,
        }
    };
    EndedAccess {
        slot: access.slot,
        result: match moved {
            Ok(bytes) => bytes as i32,
            Err(error) => -error.raw_os_error().unwrap_or(Errno::IO.raw_os_error()),
        },
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
        ended.push(make(self.file, &access, buffer));
        Ok(())
    }
}

/// An access at a time on each of several threads, by `pread` and `pwrite`: what can be done where io_uring is forbidden.
/// Handing an access to a thread and taking its end back cost some microseconds, which its duration holds.
pub(super) struct ThreadCalls {
    workers: Vec<SyncSender<(BegunAccess, BufferAddress)>>,
    ended: Receiver<EndedAccess>,
    threads: Vec<JoinHandle<()>>,
}

/// The buffer of an access that a worker makes.
struct BufferAddress {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the buffer belongs to one access alone until its end came back.
unsafe impl Send for BufferAddress {}

impl ThreadCalls {
    /// Starts a thread for each access that may be under way.
    pub(super) fn new(file: &File, depth: u32) -> io::Result<Self> {
        let (tell, ended) = sync_channel(depth as usize);
        let mut all = Self {
            workers: Vec::new(),
            ended,
            threads: Vec::new(),
        };
        for _ in 0..depth {
            let (give, take) = sync_channel::<(BegunAccess, BufferAddress)>(1);
            let (file, tell) = (file.try_clone()?, tell.clone());
            let work = move || {
                while let Ok((access, buffer)) = take.recv() {
                    // SAFETY: the loop of accesses keeps the pool until every end came back, and gives a slot one
                    // access at a time.
                    let buffer =
                        unsafe { std::slice::from_raw_parts_mut(buffer.start, buffer.bytes) };
                    if tell.send(make(&file, &access, buffer)).is_err() {
                        return;
                    }
                }
            };
            let thread = std::thread::Builder::new()
                .name("storage access".to_owned())
                .stack_size(64 << 10)
                .spawn(work)?;
            all.workers.push(give);
            all.threads.push(thread);
        }
        Ok(all)
    }
}

impl Drop for ThreadCalls {
    fn drop(&mut self) {
        self.workers.clear();
        for thread in self.threads.drain(..) {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

impl AccessCalls for ThreadCalls {
    fn begin(&mut self, access: BegunAccess, pool: &BufferPool) -> io::Result<()> {
        let buffer = BufferAddress {
            start: pool.pointer(access.slot, access.round),
            bytes: pool.access_bytes(),
        };
        let worker = self.workers.get(access.slot as usize);
        let given = worker.and_then(|worker| worker.send((access, buffer)).ok());
        given.ok_or_else(|| io::Error::other("a thread of the accesses has ended"))
    }

    fn finish(
        &mut self,
        wait: CallWait,
        _: &mut BufferPool,
        ended: &mut Vec<EndedAccess>,
    ) -> io::Result<()> {
        let gone = || io::Error::other("the threads of the accesses have ended");
        match wait {
            CallWait::Next => {
                ended.push(self.ended.recv().map_err(|_| gone())?);
                return Ok(());
            }
            CallWait::One => ended.push(self.ended.recv().map_err(|_| gone())?),
            CallWait::Within(time_ns) => {
                let first = self.ended.recv_timeout(Duration::from_nanos(time_ns));
                ended.extend(first);
            }
            CallWait::Look => {}
        }
        ended.extend(self.ended.try_iter());
        Ok(())
    }
}

/// A ring, with the file and the buffers registered where the kernel allows it.
pub(super) struct StorageRing {
    ring: IoUring,
    file: i32,
    access_bytes: u32,
    is_file_registered: bool,
    are_buffers_registered: bool,
}

impl StorageRing {
    /// Sets up a ring for the calling thread, the only one that may use it.
    pub(super) fn new(
        file: &File,
        depth: u32,
        access_bytes: u64,
        pool: &BufferPool,
    ) -> Result<Self, NoUring> {
        // The cheapest setup that the kernel knows: completions run when this thread asks for them (6.1), or at least
        // without interrupting it (5.19).
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .build(depth)
            .or_else(|_| IoUring::builder().setup_coop_taskrun().build(depth))
            .or_else(|_| IoUring::builder().build(depth))
            .map_err(|error| no_uring(&error))?;
        let file = file.as_raw_fd();
        let is_file_registered = ring.submitter().register_files(&[file]).is_ok();
        let (start, bytes) = pool.whole();
        let parts = [libc::iovec {
            iov_base: start.cast(),
            iov_len: bytes,
        }];
        // The kernel takes 1 GiB a buffer.
        let are_buffers_registered = bytes <= 1 << 30
            // SAFETY: the buffers outlive the ring: the caller drops the pool after it, and the pool never moves its
            // mapping.
            && unsafe { ring.submitter().register_buffers(&parts) }.is_ok();
        Ok(Self {
            ring,
            file,
            access_bytes: access_bytes as u32,
            is_file_registered,
            are_buffers_registered,
        })
    }

    /// Whether file and buffers are registered, so that an access spares their look-ups.
    pub(super) const fn is_registered(&self) -> bool {
        self.is_file_registered && self.are_buffers_registered
    }

    /// Accesses through it.
    pub(super) fn calls(&mut self) -> UringCalls<'_> {
        let can_time_out = self.ring.params().is_feature_ext_arg();
        let (mut submitter, submissions, completions) = self.ring.split();
        // Spares a look-up of the ring in each call, from 5.18 on.
        let _ = submitter.register_ring_fd();
        UringCalls {
            submitter,
            submissions,
            completions,
            file: self.file,
            access_bytes: self.access_bytes,
            is_file_registered: self.is_file_registered,
            are_buffers_registered: self.are_buffers_registered,
            can_time_out,
        }
    }
}

impl Drop for StorageRing {
    fn drop(&mut self) {
        // A ring is taken down some time after it was closed. What is registered would be held until then, and a device
        // that was opened exclusively with it.
        let _ = self.ring.submitter().unregister_files();
        let _ = self.ring.submitter().unregister_buffers();
    }
}

/// Accesses through io_uring.
pub(super) struct UringCalls<'r> {
    submitter: Submitter<'r>,
    submissions: SubmissionQueue<'r>,
    completions: CompletionQueue<'r>,
    file: i32,
    access_bytes: u32,
    is_file_registered: bool,
    are_buffers_registered: bool,
    can_time_out: bool,
}

impl UringCalls<'_> {
    #[inline]
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
                    (false, false) => opcode::Read::new($file, buffer, bytes)
                        .offset(offset)
                        .build(),
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

    /// Submits, and lets the kernel hand over completions without waiting for any.
    fn look(&mut self) -> io::Result<usize> {
        const GET_EVENTS: u32 = 1;
        let noted = self.submissions.len() as u32;
        // SAFETY: without an argument the call reads no memory of ours but the ring's own.
        unsafe {
            self.submitter
                .enter::<libc::sigset_t>(noted, 0, GET_EVENTS, None)
        }
    }
}

impl AccessCalls for UringCalls<'_> {
    #[inline]
    fn begin(&mut self, access: BegunAccess, pool: &BufferPool) -> io::Result<()> {
        let entry = self.entry(&access, pool.pointer(access.slot, access.round));
        // SAFETY: the buffer lies in the pool, which outlives the ring, and belongs to a slot that has no other access
        // under way. The file is open as long as the ring.
        unsafe { self.submissions.push(&entry) }
            .map_err(|_| io::Error::other("more accesses than the ring holds"))
    }

    #[inline]
    fn submit(&mut self) -> io::Result<()> {
        self.submissions.sync();
        match self.submitter.submit() {
            Err(error)
                if !matches!(
                    Errno::from_io_error(&error),
                    Some(Errno::INTR | Errno::BUSY | Errno::AGAIN)
                ) =>
            {
                Err(error)
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn finish(
        &mut self,
        wait: CallWait,
        _: &mut BufferPool,
        ended: &mut Vec<EndedAccess>,
    ) -> io::Result<()> {
        self.submissions.sync();
        self.completions.sync();
        let entered = match wait {
            // One that is there already needs no call but for what was noted.
            CallWait::Next if !self.completions.is_empty() && self.submissions.is_empty() => Ok(0),
            CallWait::Next if !self.completions.is_empty() => self.submitter.submit(),
            CallWait::Next | CallWait::One => self.submitter.submit_and_wait(1),
            CallWait::Within(time_ns) if self.can_time_out => {
                let time = types::Timespec::new()
                    .sec(time_ns / 1_000_000_000)
                    .nsec((time_ns % 1_000_000_000) as u32);
                let wait = types::SubmitArgs::new().timespec(&time);
                self.submitter.submit_with_args(1, &wait)
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
        self.submissions.sync();
        self.completions.sync();
        let most = match wait {
            CallWait::Next => 1,
            _ => usize::MAX,
        };
        for one in self.completions.by_ref().take(most) {
            ended.push(EndedAccess {
                slot: one.user_data() as u32,
                result: one.result(),
            });
        }
        Ok(())
    }
}

/// Why the kernel gives this process no ring.
pub(super) fn no_uring(error: &io::Error) -> NoUring {
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
