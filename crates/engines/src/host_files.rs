//! A directory of the host as a file system.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use crate::open_files::{OpenFiles, is_within, not_open};
use crate::{Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamUse, Space, check_path};

/// A directory of the host as a file system, to run what runs on simulated memories on real files.
///
/// Its paths never leave the directory: a link is refused wherever a path leads through one.
#[derive(Debug)]
pub struct HostFiles {
    /// `None` once it is unmounted.
    root: Option<PathBuf>,
    open: OpenFiles,
    files: BTreeMap<Handle, HostFile>,
}

#[derive(Debug)]
struct HostFile {
    file: File,
    /// The directory that has to be synced with it, until it was.
    made_in: Option<PathBuf>,
}

impl HostFiles {
    /// The file system in a directory, which is there.
    ///
    /// # Errors
    /// [`FsErrorKind::NotFound`] or [`FsErrorKind::NotDir`] where it is none.
    pub fn new(directory: &Path) -> Result<Self, FsError> {
        let root = fs::canonicalize(directory).map_err(failed)?;
        if !root.is_dir() {
            return Err(FsErrorKind::NotDir.into());
        }
        Ok(Self {
            root: Some(root),
            open: OpenFiles::default(),
            files: BTreeMap::new(),
        })
    }

    /// Where a path of the file system is on the host.
    fn place(&self, path: &str) -> Result<PathBuf, FsError> {
        check_path(path)?;
        let root = self.root.as_ref().ok_or_else(not_mounted)?;
        let mut place = root.clone();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let mut parts = Path::new(part).components();
            let first = parts.next();
            if !matches!(first, Some(Component::Normal(_))) || parts.next().is_some() {
                let why = format_args!("`{}`", path.escape_debug());
                return Err(FsError::new(FsErrorKind::Name, why));
            }
            place.push(part);
            let is_link = place
                .symlink_metadata()
                .is_ok_and(|found| found.is_symlink());
            if is_link {
                let why = format_args!("`{}` leads through a link", path.escape_debug());
                return Err(FsError::new(FsErrorKind::Name, why));
            }
        }
        Ok(place)
    }

    fn file(&mut self, file: Handle) -> Result<&mut HostFile, FsError> {
        self.files.get_mut(&file).ok_or_else(not_open)
    }
}

/// Lets the names in a directory last.
fn sync_directory(directory: &Path) -> Result<(), FsError> {
    // Where a directory cannot be opened as a file, the host lets its names last of itself.
    match cfg!(unix) {
        true => File::open(directory)
            .and_then(|directory| directory.sync_all())
            .map_err(failed),
        false => Ok(()),
    }
}

/// The directory that a place is in.
fn above(place: &Path) -> Result<&Path, FsError> {
    let why = "it is the root";
    place
        .parent()
        .ok_or_else(|| FsError::new(FsErrorKind::Invalid, why))
}

impl FileSystem for HostFiles {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        let place = self.place(path)?;
        self.open.check_file(path)?;
        if place.is_dir() {
            return Err(FsErrorKind::IsDir.into());
        }
        let is_made = matches!(how, Open::Create | Open::Replace);
        let made_in = match is_made && !place.exists() {
            true => Some(above(&place)?.to_owned()),
            false => None,
        };
        let file = OpenOptions::new()
            .read(true)
            .write(how != Open::Read)
            .create(is_made)
            .truncate(how == Open::Replace)
            .open(&place)
            .map_err(failed)?;
        let handle = self.open.add(path.to_owned(), how != Open::Read);
        self.files.insert(handle, HostFile { file, made_in });
        Ok(handle)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let file = &mut self.file(file)?.file;
        file.seek(SeekFrom::Start(at)).map_err(failed)?;
        let mut read = 0;
        while read < out.len() {
            match file.read(&mut out[read..]) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(read)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let file = &mut self.file(file)?.file;
        let bytes = file.metadata().map_err(failed)?.len();
        if at > bytes {
            let why = format_args!("byte {at} of a file of {bytes} bytes");
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        let written = file
            .seek(SeekFrom::Start(at))
            .and_then(|_| file.write_all(data));
        written.map_err(failed)
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        self.file(file)?.file.set_len(bytes).map_err(failed)
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        let file = self.file(file)?;
        file.file.sync_all().map_err(failed)?;
        match file.made_in.take() {
            Some(directory) => sync_directory(&directory),
            None => Ok(()),
        }
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        self.open.remove(file)?;
        self.files.remove(&file).map(drop).ok_or_else(not_open)
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        let place = self.place(path)?;
        fs::create_dir(&place).map_err(failed)?;
        sync_directory(above(&place)?)
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        let place = self.place(path)?;
        if path == "/" {
            return Err(FsError::new(FsErrorKind::Invalid, "it is the root"));
        }
        self.open.check_closed(path)?;
        match place.is_dir() {
            true => fs::remove_dir(&place),
            false => fs::remove_file(&place),
        }
        .map_err(failed)?;
        sync_directory(above(&place)?)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        let (old, new) = (self.place(from)?, self.place(to)?);
        if from == "/" || to == "/" || (from != to && is_within(to, from)) {
            let why = "a directory cannot be moved into itself";
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        self.open.check_closed(from)?;
        self.open.check_closed(to)?;
        fs::rename(&old, &new).map_err(failed)?;
        sync_directory(above(&old)?)?;
        sync_directory(above(&new)?)
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        let found = self.place(path)?.symlink_metadata().map_err(failed)?;
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        Ok(entry(name.to_owned(), &found))
    }

    /// Names that are no text, and links, are left out.
    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        let mut entries = Vec::new();
        for found in fs::read_dir(self.place(path)?).map_err(failed)? {
            let found = found.map_err(failed)?;
            let metadata = found.metadata().map_err(failed)?;
            if let (Ok(name), false) = (found.file_name().into_string(), metadata.is_symlink()) {
                entries.push(entry(name, &metadata));
            }
        }
        Ok(entries)
    }

    /// The standard library does not say it.
    fn space(&mut self) -> Result<Space, FsError> {
        let why = "the room of a directory of the host is not known";
        Err(FsError::new(FsErrorKind::Unsuitable, why))
    }

    /// None of its own: the host has the buffers.
    fn ram(&self) -> RamUse {
        RamUse::default()
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        self.root.take().ok_or_else(not_mounted)?;
        self.open = OpenFiles::default();
        let files = std::mem::take(&mut self.files);
        let mut files = files.into_values();
        files
            .try_for_each(|file| file.file.sync_all())
            .map_err(failed)
    }
}

fn entry(name: String, found: &Metadata) -> Entry {
    Entry {
        name,
        is_dir: found.is_dir(),
        bytes: if found.is_dir() { 0 } else { found.len() },
    }
}

fn not_mounted() -> FsError {
    FsError::new(FsErrorKind::Invalid, "it is not mounted")
}

#[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failed(error: io::Error) -> FsError {
    let kind = match error.kind() {
        ErrorKind::NotFound => FsErrorKind::NotFound,
        ErrorKind::AlreadyExists => FsErrorKind::Exists,
        ErrorKind::IsADirectory => FsErrorKind::IsDir,
        ErrorKind::NotADirectory => FsErrorKind::NotDir,
        ErrorKind::DirectoryNotEmpty => FsErrorKind::NotEmpty,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            FsErrorKind::Full
        }
        ErrorKind::InvalidFilename => FsErrorKind::Name,
        _ => FsErrorKind::Device,
    };
    FsError::new(kind, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> tempfile::TempDir {
        tempfile::tempdir().expect("a directory")
    }

    #[test]
    fn files_are_those_of_the_host() {
        let root = root();
        let mut fs = HostFiles::new(root.path()).expect("a directory");
        fs.create_dir("/a").expect("a new name");
        let file = fs.open("/a/b", Open::Create).expect("a new name");
        fs.write(file, 0, b"abc").expect("room");
        assert!(fs.write(file, 4, b"x").is_err(), "past the end");
        fs.truncate(file, 5).expect("room");
        fs.sync(file).expect("a disk");
        let mut out = [9; 8];
        assert_eq!(fs.read(file, 1, &mut out), Ok(4));
        assert_eq!(out[..4], *b"bc\0\0");
        let busy = fs.remove("/a/b").expect_err("open");
        assert_eq!(busy.kind, FsErrorKind::Busy);
        fs.close(file).expect("open");
        assert_eq!(
            fs::read(root.path().join("a/b")).expect("there"),
            b"abc\0\0"
        );
        fs.rename("/a/b", "/c").expect("a new name");
        let names = fs.list("/").expect("a directory").into_iter();
        let mut names: Vec<_> = names.map(|entry| (entry.name, entry.bytes)).collect();
        names.sort();
        assert_eq!(names, [("a".into(), 0), ("c".into(), 5)]);
        fs.remove("/a").expect("empty");
        fs.unmount().expect("a disk");
        assert_eq!(fs.entry("/c").expect_err("gone").kind, FsErrorKind::Invalid);
    }

    #[cfg(unix)]
    #[test]
    fn no_path_leaves_the_directory() {
        let (root, outside) = (root(), root());
        fs::write(outside.path().join("secret"), b"s").expect("a disk");
        std::os::unix::fs::symlink(outside.path(), root.path().join("out")).expect("a disk");
        let secret = outside.path().join("secret");
        std::os::unix::fs::symlink(secret, root.path().join("link")).expect("a disk");
        let mut fs = HostFiles::new(root.path()).expect("a directory");
        for path in ["/out/secret", "/link", "/../etc/passwd", "/out"] {
            let opened = fs.open(path, Open::Read).expect_err(path);
            assert_eq!(opened.kind, FsErrorKind::Name, "{path}");
            assert_eq!(fs.entry(path).expect_err(path).kind, FsErrorKind::Name);
            assert!(fs.remove(path).is_err(), "{path}");
        }
        assert_eq!(fs.list("/"), Ok(Vec::new()), "links are not shown");
    }
}
