//! Paths and names.

use wordline_memory::Flash;

use super::form::{EntryHead, EntryKind, ROOT_DIRECTORY};
use super::{PacedFiles, Result};
use crate::error::PacedError;
use crate::record::name_hash;

/// Where a path leads: a directory, and a name in it. The directory `/` has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathEnd<'p> {
    pub(super) directory: u32,
    pub(super) name: &'p [u8],
}

/// A directory that is gone through.
#[derive(Clone, Copy, Debug)]
pub struct PacedDirectory {
    pub(super) directory: u32,
    pub(super) after: Option<(u32, u64)>,
}

/// What a name of a directory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedEntry {
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Bytes of a file.
    pub bytes: u64,
}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedFiles<F, M> {
    pub(super) fn hash(&self, name: &[u8]) -> u32 {
        name_hash(self.seed, name)
    }

    fn check_name(&self, name: &[u8]) -> Result<(), F::Error> {
        let most = self.form.name_max();
        if name.is_empty()
            || name.len() > most
            || name == b"."
            || name == b".."
            || name.contains(&0)
        {
            return Err(PacedError::BadName { most });
        }
        Ok(())
    }

    /// Goes along a path up to its last name. No directory on the way may be `but`.
    pub(super) fn follow<'p>(&mut self, path: &'p str, but: u32) -> Result<PathEnd<'p>, F::Error> {
        let mut end = PathEnd {
            directory: ROOT_DIRECTORY,
            name: &[],
        };
        for name in path.split('/').filter(|name| !name.is_empty()) {
            if !end.name.is_empty() {
                let head = self.find_entry(end.directory, end.name)?;
                let (_, head) = head.ok_or(PacedError::NotFound)?;
                if head.kind != EntryKind::Directory {
                    return Err(PacedError::NotADirectory);
                }
                if head.page == but {
                    return Err(PacedError::IntoItself);
                }
                end.directory = head.page;
            }
            end.name = name.as_bytes();
            self.check_name(end.name)?;
        }
        Ok(end)
    }

    /// The directory of a path.
    fn directory(&mut self, path: &str) -> Result<u32, F::Error> {
        let end = self.follow(path, super::NONE)?;
        if end.name.is_empty() {
            return Ok(end.directory);
        }
        let head = self.find_entry(end.directory, end.name)?;
        match head {
            Some((_, head)) if head.kind == EntryKind::Directory => Ok(head.page),
            Some(_) => Err(PacedError::NotADirectory),
            None => Err(PacedError::NotFound),
        }
    }

    /// What is at a path.
    ///
    /// # Errors
    /// [`PacedError::NotFound`], or the layer fails.
    pub fn entry(&mut self, path: &str) -> Result<PacedEntry, F::Error> {
        let end = self.follow(path, super::NONE)?;
        if end.name.is_empty() {
            return Ok(PacedEntry {
                is_directory: true,
                bytes: 0,
            });
        }
        let head = self.find_entry(end.directory, end.name)?;
        let (_, head) = head.ok_or(PacedError::NotFound)?;
        self.entry_of(&head)
    }

    fn entry_of(&mut self, head: &EntryHead) -> Result<PacedEntry, F::Error> {
        Ok(PacedEntry {
            is_directory: head.kind == EntryKind::Directory,
            bytes: match head.kind {
                EntryKind::Short => head.inline_bytes as u64,
                EntryKind::Paged => self.length_of_pages(head.page, head.id)?,
                EntryKind::Directory => 0,
            },
        })
    }

    /// Begins to go through a directory.
    ///
    /// # Errors
    /// [`PacedError::NotFound`], [`PacedError::NotADirectory`], or the layer fails.
    pub fn open_directory(&mut self, path: &str) -> Result<PacedDirectory, F::Error> {
        let directory = self.directory(path)?;
        Ok(PacedDirectory {
            directory,
            after: None,
        })
    }

    /// The next entry of a directory; its name is put into `name`. The order is that of hashes. An entry that is there all
    /// the time is given once, whatever else changes.
    ///
    /// # Errors
    /// When the layer fails, or the directory was removed meanwhile.
    pub fn next_entry<'n>(
        &mut self,
        directory: &mut PacedDirectory,
        name: &'n mut [u8; 255],
    ) -> Result<Option<(&'n str, PacedEntry)>, F::Error> {
        let Some(head) = self.entry_after(directory.directory, directory.after, name)? else {
            return Ok(None);
        };
        directory.after = Some((head.hash, head.id));
        let entry = self.entry_of(&head)?;
        let text = core::str::from_utf8(&name[..head.name_bytes]);
        let page = directory.directory;
        let text = text.map_err(|_| PacedError::Damaged { page })?;
        Ok(Some((text, entry)))
    }
}
