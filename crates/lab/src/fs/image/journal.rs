//! The journal beside an image: what was changed since the image was written, call by call.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use wordline_nvm::Memory;

use super::bytes::{FieldReader, push_counted};
use super::change::MemoryChange;
use super::frame::{FrameHead, FrameKind, HEAD_BYTES, find_later_frame, read_frame};
use super::lock::FileLock;
use super::{ContentId, ImageOrigin};

/// The format of the journal.
const VERSION: u32 = 1;

/// Why a journal cannot be replayed. It is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum JournalProblem {
    /// A later program wrote it.
    #[error("the journal has format {0}, and this program reads format {VERSION}")]
    Version(u32),
    /// It is of another memory.
    #[error(
        "the journal is of {stored}, and this mount is of {asked}: mount it with the same settings"
    )]
    Origin {
        /// What it was made for, in words.
        stored: String,
        /// What was asked for.
        asked: String,
    },
    /// It continues another content of the image.
    #[error(
        "the journal continues another content of the image than the file has now: put that image back, or move the \
         journal away to go on without what it holds"
    )]
    OtherImage,
    /// It is damaged where a sync had made sure of it.
    #[error(
        "record {record} at byte {at} is damaged, and what a sync had made sure of follows: nothing is dropped; move the \
         journal away to go on without what it holds"
    )]
    Damaged {
        /// Records before it.
        record: u32,
        /// Where it begins.
        at: u64,
    },
    /// A record whose checksum is right holds no changes of this memory.
    #[error("record {record} at byte {at} is no change of this memory")]
    Foreign {
        /// Records before it.
        record: u32,
        /// Where it begins.
        at: u64,
    },
    /// The host failed.
    #[error("{0}")]
    Host(#[from] io::Error),
}

/// A journal that this process alone writes.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// Bytes of whole records.
    good: u64,
    /// Records among them.
    number: u32,
    /// Records that a sync made sure of.
    synced: u32,
    /// What changed since the last record.
    pending: Vec<u8>,
    /// What tells this journal from others of the same image.
    nonce: u64,
    /// Why nothing more can be kept.
    broken: Option<io::ErrorKind>,
}

/// A journal, and what its replay found.
pub(super) struct ReplayedJournal {
    pub(super) journal: Journal,
    pub(super) calls: u64,
    pub(super) dropped_bytes: u64,
    /// Whether it holds anything from before.
    pub(super) is_continued: bool,
}

/// The first record.
pub(super) struct Start {
    nonce: u64,
    base: ContentId,
    origin: ImageOrigin,
}

impl Start {
    /// That of a journal without an image.
    #[cfg(test)]
    pub(super) const fn of(origin: ImageOrigin) -> Self {
        Self {
            nonce: 1,
            base: None,
            origin,
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = VERSION.to_le_bytes().to_vec();
        out.extend_from_slice(&self.nonce.to_le_bytes());
        let (bytes, checksum) = self.base.unwrap_or_default();
        out.push(u8::from(self.base.is_some()));
        out.extend_from_slice(&bytes.to_le_bytes());
        out.extend_from_slice(&checksum.to_le_bytes());
        self.origin.encode(&mut out);
        out
    }

    fn parse(bytes: &[u8], at: u64) -> Result<Self, JournalProblem> {
        let mut fields = FieldReader(bytes);
        let foreign = || JournalProblem::Foreign { record: 0, at };
        let version = fields.u32().ok_or_else(foreign)?;
        if version != VERSION {
            return Err(JournalProblem::Version(version));
        }
        let mut rest = || {
            let nonce = fields.u64()?;
            let has_base = fields.u8()? == 1;
            let base = (fields.u64()?, fields.u32()?);
            let origin = ImageOrigin::parse(&mut fields)?;
            Some(Self {
                nonce,
                base: has_base.then_some(base),
                origin,
            })
        };
        rest().ok_or_else(foreign)
    }
}

impl ImageOrigin {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        push_counted(out, self.part.as_bytes());
        out.extend_from_slice(&self.seed.to_le_bytes());
        out.extend_from_slice(&self.age.to_bits().to_le_bytes());
    }

    pub(super) fn parse(fields: &mut FieldReader<'_>) -> Option<Self> {
        Some(Self {
            part: fields.text()?,
            seed: fields.u64()?,
            age: f64::from_bits(fields.u64()?),
        })
    }
}

impl std::fmt::Display for ImageOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { part, seed, age } = self;
        write!(f, "{} with --seed {seed} --age {age}", part.escape_debug())
    }
}

impl Journal {
    /// Replays a journal that was left behind into a memory that holds its image, or begins one. `image` is the content
    /// that the image has now, and the nonce of the journal that it includes.
    pub(super) fn replay(
        path: &Path,
        lock: FileLock,
        origin: &ImageOrigin,
        (found, included): (ContentId, Option<u64>),
        memory: &mut Memory,
    ) -> Result<ReplayedJournal, JournalProblem> {
        let mut journal = Self {
            file: lock.into_file(),
            path: path.to_owned(),
            good: 0,
            number: 0,
            synced: 0,
            pending: Vec::new(),
            nonce: 0,
            broken: None,
        };
        let bytes = journal.file.metadata()?.len();
        let mut from = BufReader::new(journal.file.try_clone()?);
        from.seek(SeekFrom::Start(0))?;
        let mut calls = 0;
        while let Some((head, payload)) = read_frame(&mut from, bytes - journal.good)? {
            let (record, at) = (journal.number, journal.good);
            if head.number != record || (record == 0) != (head.kind == FrameKind::Start) {
                break;
            }
            match head.kind {
                FrameKind::Start => {
                    let start = Start::parse(&payload, at)?;
                    if start.origin != *origin {
                        return Err(JournalProblem::Origin {
                            stored: start.origin.to_string(),
                            asked: origin.to_string(),
                        });
                    }
                    if included == Some(start.nonce) {
                        // Its program was killed between the new image and the removal of the journal.
                        return journal.fresh(origin, found);
                    }
                    if start.base != found {
                        return Err(JournalProblem::OtherImage);
                    }
                    journal.nonce = start.nonce;
                }
                FrameKind::Holder => {}
                FrameKind::Call => {
                    let mut fields = FieldReader(&payload);
                    while !fields.0.is_empty() {
                        let change = MemoryChange::decode(&mut fields);
                        if !change.is_some_and(|change| change.apply(memory)) {
                            return Err(JournalProblem::Foreign { record, at });
                        }
                    }
                    calls += 1;
                }
            }
            journal.good += (HEAD_BYTES + payload.len()) as u64;
            journal.number += 1;
            journal.synced = journal.synced.max(head.synced);
        }
        let dropped_bytes = bytes - journal.good;
        if dropped_bytes > 0 {
            let mut tail = Vec::new();
            from.seek(SeekFrom::Start(journal.good))?;
            from.read_to_end(&mut tail)?;
            if find_later_frame(&tail, journal.number).is_some() {
                return Err(JournalProblem::Damaged {
                    record: journal.number,
                    at: journal.good,
                });
            }
        }
        if journal.number == 0 {
            return journal.fresh(origin, found);
        }
        journal.file.set_len(journal.good)?;
        Ok(ReplayedJournal {
            journal,
            calls,
            dropped_bytes,
            is_continued: true,
        })
    }

    fn fresh(
        mut self,
        origin: &ImageOrigin,
        found: ContentId,
    ) -> Result<ReplayedJournal, JournalProblem> {
        self.start(origin, found)?;
        Ok(ReplayedJournal {
            journal: self,
            calls: 0,
            dropped_bytes: 0,
            is_continued: false,
        })
    }

    /// Empties it, and writes the first record.
    fn start(&mut self, origin: &ImageOrigin, base: ContentId) -> io::Result<()> {
        self.file.set_len(0)?;
        (self.good, self.number, self.synced) = (0, 0, 0);
        self.pending.clear();
        self.nonce = nonce();
        let start = Start {
            nonce: self.nonce,
            base,
            origin: origin.clone(),
        };
        self.append(FrameKind::Start, &start.encode())
    }

    /// Begins anew behind an image that includes all of it.
    pub(super) fn begin_anew(
        &mut self,
        origin: &ImageOrigin,
        base: ContentId,
        dir: &Path,
    ) -> io::Result<()> {
        let begun = self.start(origin, base).and_then(|()| self.hold(dir));
        // An image that was synced makes up for a journal that could not be.
        self.broken = begun.as_ref().err().map(io::Error::kind);
        begun
    }

    /// Says which process has it, for others that ask for the image meanwhile.
    pub(super) fn hold(&mut self, dir: &Path) -> io::Result<()> {
        let mut holder = std::process::id().to_le_bytes().to_vec();
        let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        push_counted(&mut holder, dir.to_string_lossy().as_bytes());
        self.append(FrameKind::Holder, &holder)?;
        self.sync()
    }

    /// Who has a journal, in words, by its last record of a holder.
    pub(super) fn holder(file: &File) -> Option<String> {
        let mut from = BufReader::new(file);
        let mut left = file.metadata().ok()?.len();
        let mut found = None;
        while let Ok(Some((head, payload))) = read_frame(&mut from, left) {
            left -= (HEAD_BYTES + payload.len()) as u64;
            if head.kind == FrameKind::Holder {
                let mut fields = FieldReader(&payload);
                found = fields.u32().zip(fields.text());
            }
        }
        found.map(|(process, dir)| format!("process {process}, mounted at {}", dir.escape_debug()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) const fn nonce(&self) -> u64 {
        self.nonce
    }

    /// Bytes of whole records.
    pub(super) const fn bytes(&self) -> u64 {
        self.good
    }

    /// Takes note of a change, which the next [`commit`](Self::commit) keeps.
    pub(super) fn note(&mut self, change: MemoryChange<'_>) {
        change.encode(&mut self.pending);
    }

    /// Keeps what changed since the last time: from the end of this process, and from that of the host if it is to be
    /// durable.
    ///
    /// # Errors
    /// When the host fails. What changed is kept by the next commit that succeeds.
    pub(super) fn commit(&mut self, durable: bool) -> io::Result<()> {
        if let Some(kind) = self.broken {
            return Err(kind.into());
        }
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            let appended = self.append(FrameKind::Call, &pending);
            if appended.is_err() {
                self.pending = pending;
            }
            appended?;
        }
        if durable { self.sync() } else { Ok(()) }
    }

    fn append(&mut self, kind: FrameKind, payload: &[u8]) -> io::Result<()> {
        let mut frame = Vec::with_capacity(HEAD_BYTES + payload.len());
        if u32::try_from(payload.len()).is_err() || self.number == u32::MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        FrameHead::push(&mut frame, self.number, self.synced, kind, payload);
        if let Err(error) = self.file.write_all_at(&frame, self.good) {
            // What was written of it is torn, as after a kill; the next record takes its place in any case.
            let _ = self.file.set_len(self.good);
            return Err(error);
        }
        self.good += frame.len() as u64;
        self.number += 1;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.synced == self.number {
            return Ok(());
        }
        if let Err(error) = self.file.sync_data() {
            // The kernel may have dropped what it could not write, and says so once: a later sync proves nothing.
            self.broken = Some(error.kind());
            return Err(error);
        }
        self.synced = self.number;
        Ok(())
    }

    /// Removes it: the image holds everything.
    pub(super) fn remove(&self) {
        // One that stays is found to be included in the image by the next mount.
        let _ = fs::remove_file(&self.path);
    }
}

/// A number that no other journal of an image has: neither the clock nor a process stands still between two.
fn nonce() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos() as u64);
    nanos ^ (u64::from(std::process::id()) << 40)
}
