//! Files that are written as ext4 writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::alloc::{Ext4Space, ROOT_INODE};
use super::journal::Ext4Journal;
use super::pages::Ext4File;
use super::pattern::{FileChange, MetadataKind, SyncStep, TrafficPattern};
use super::table::{self, Ext4Tree};
use super::volume::{BLOCK, Ext4Device, Ext4Layout};
use crate::open_files::{OpenFiles, not_open};
use crate::{
    Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamUse, SectorBox, Space, check_path,
};

/// Bytes of a file at most: a file has less than 2^32 blocks.
const FILE_MAX: u64 = ((1 << 32) - 1) * BLOCK as u64;

/// How the traffic of ext4 is emulated.
#[derive(Clone, Debug)]
pub struct Ext4Options {
    /// What a sync writes.
    pub pattern: Arc<TrafficPattern>,
    /// Bytes of dirty pages beyond which they are written without a sync: `vm.dirty_background_bytes`. The write that exceeds
    /// them waits for that here; on Linux a flusher writes them in the background.
    pub dirty_bytes: u64,
    /// Bytes of pages in RAM beyond which a call is refused: Linux would drop clean pages, and they stay here.
    pub held_bytes: u64,
}

impl Default for Ext4Options {
    /// The recorded pattern, pages of 1 GiB at most (assumed), and a tenth of the 900 MiB that 1 GiB of RAM leaves
    /// (`vm.dirty_background_ratio`, assumed).
    fn default() -> Self {
        Self {
            pattern: Arc::new(TrafficPattern::recorded()),
            dirty_bytes: 90 << 20,
            held_bytes: 1 << 30,
        }
    }
}

/// A file or a directory.
pub(super) enum Ext4Node {
    Directory { inode: u64, block: u64 },
    File { inode: u64, file: Ext4File },
}

impl Ext4Node {
    const fn inode(&self) -> u64 {
        match self {
            Self::Directory { inode, .. } | Self::File { inode, .. } => *inode,
        }
    }
}

/// What a change is of.
struct ChangedPlace<'a> {
    inode: u64,
    /// The block of a directory's names.
    directory: Option<u64>,
    /// The directory above.
    parent: &'a str,
    /// Blocks that were taken or given back.
    blocks: &'a [u64],
}

/// What is mounted.
struct Ext4Volume {
    device: Ext4Device,
    layout: Ext4Layout,
    space: Ext4Space,
    journal: Ext4Journal,
    tree: Ext4Tree,
    pattern: Arc<TrafficPattern>,
    dirty_pages_max: u64,
    dirty_pages: u64,
    held_pages_max: u64,
    /// Pages in RAM, of all files.
    held_pages: u64,
    /// Dirty pages without a block.
    reserved: u64,
    /// Number of the running transaction.
    running: u64,
    /// Directories whose names it changes; the root is `""`.
    renamed: BTreeSet<String>,
}

/// The traffic of ext4: files that are written as ext4 writes them. An emulation: see the engine `ext4`.
pub struct Ext4 {
    volume: Option<Ext4Volume>,
    open: OpenFiles,
    paths: BTreeMap<Handle, String>,
}

impl fmt::Debug for Ext4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ext4")
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl Ext4 {
    /// Writes an empty file system.
    ///
    /// # Errors
    /// When the memory is too small or its sectors do not suit it, or it fails.
    pub fn format(memory: SectorBox) -> Result<(), FsError> {
        let mut device = Ext4Device::new(memory)?;
        let layout = Ext4Layout::of(device.blocks)?;
        table::store(&Ext4Tree::new(), &mut device, &layout)
    }

    /// Mounts what was unmounted.
    ///
    /// # Errors
    /// When the memory holds no such file system, or one that was not unmounted, or it fails.
    pub fn mount(memory: SectorBox, options: Ext4Options) -> Result<Self, FsError> {
        let mut device = Ext4Device::new(memory)?;
        let layout = Ext4Layout::of(device.blocks)?;
        let mut space = Ext4Space::new(&layout);
        let tree = table::load(&mut device, &layout, &mut space)?;
        table::mark_mounted(&mut device, &layout)?;
        let volume = Ext4Volume {
            device,
            layout,
            space,
            journal: Ext4Journal::new(&layout, options.pattern.has_barriers()),
            tree,
            pattern: options.pattern,
            dirty_pages_max: options.dirty_bytes / BLOCK as u64,
            dirty_pages: 0,
            held_pages_max: options.held_bytes / BLOCK as u64,
            held_pages: 0,
            reserved: 0,
            running: 1,
            renamed: BTreeSet::new(),
        };
        Ok(Self {
            volume: Some(volume),
            open: OpenFiles::default(),
            paths: BTreeMap::new(),
        })
    }

    fn mounted(&mut self) -> Result<&mut Ext4Volume, FsError> {
        self.volume.as_mut().ok_or_else(not_mounted)
    }

    /// The volume and the path of an open file.
    fn file(&mut self, file: Handle) -> Result<(&mut Ext4Volume, &str), FsError> {
        let volume = self.volume.as_mut().ok_or_else(not_mounted)?;
        let path = self.paths.get(&file).ok_or_else(not_open)?;
        Ok((volume, path))
    }
}

impl Ext4Volume {
    /// A file, with the device that it lies on.
    fn file(&mut self, path: &str) -> Result<(&mut Ext4File, &mut Ext4Device, u64), FsError> {
        match self.tree.get_mut(path) {
            Some(Ext4Node::File { inode, file }) => Ok((file, &mut self.device, *inode)),
            Some(Ext4Node::Directory { .. }) => Err(FsErrorKind::IsDir.into()),
            None => Err(FsErrorKind::NotFound.into()),
        }
    }

    /// The running transaction changes the metadata that a change journals.
    fn journals(&mut self, change: FileChange, place: &ChangedPlace<'_>) {
        let pattern = Arc::clone(&self.pattern);
        for kind in &pattern.rule(change, false).journals {
            for block in self.metadata(*kind, place) {
                self.journal.change(block);
            }
        }
    }

    /// Where metadata of a kind lie.
    fn metadata(&self, kind: MetadataKind, place: &ChangedPlace<'_>) -> Vec<u64> {
        let layout = &self.layout;
        let parent = self.tree.get(place.parent);
        let parent_inode = parent.map_or(ROOT_INODE, Ext4Node::inode);
        match kind {
            MetadataKind::SuperBlock => vec![0],
            MetadataKind::GroupDescriptors => vec![1],
            MetadataKind::BlockBitmap => {
                let bitmaps = place.blocks.iter().map(|block| layout.block_bitmap(*block));
                bitmaps.collect()
            }
            MetadataKind::InodeBitmap => vec![layout.inode_bitmap(place.inode)],
            MetadataKind::Inode => vec![layout.inode(place.inode)],
            MetadataKind::ParentInode => vec![layout.inode(parent_inode)],
            MetadataKind::Directory => place.directory.into_iter().collect(),
            MetadataKind::ParentDirectory => match parent {
                Some(Ext4Node::Directory { block, .. }) => vec![*block],
                // The root's names lie in the last block before the data.
                _ => vec![layout.first - 1],
            },
        }
    }

    /// A change of a file that stays.
    fn changed(&mut self, path: &str, change: FileChange, blocks: &[u64]) -> Result<(), FsError> {
        let running = self.running;
        let (file, _, inode) = self.file(path)?;
        file.note(change, running);
        let place = ChangedPlace {
            inode,
            directory: None,
            parent: above(path),
            blocks,
        };
        self.journals(change, &place);
        Ok(())
    }

    /// Gives blocks to the dirty pages of a file that have none.
    fn allocate(&mut self, path: &str) -> Result<(), FsError> {
        let (file, _, _) = self.file(path)?;
        let mut pages = file.unallocated().collect::<Vec<_>>();
        let mut taken = Vec::new();
        self.reserved -= pages.len() as u64;
        while let Some(&first) = pages.first() {
            let run = (first..)
                .zip(&pages)
                .take_while(|(number, page)| number == *page);
            let wanted = run.count() as u64;
            let (file, _, _) = self.file(path)?;
            let before = file.blocks.range(..first).next_back();
            let goal = before.map_or(0, |(page, block)| block + (first - page));
            let (start, count) = self.space.take(goal, wanted).ok_or(FsErrorKind::Full)?;
            let (file, _, _) = self.file(path)?;
            for (page, block) in pages.drain(..count as usize).zip(start..) {
                file.blocks.insert(page, block);
            }
            taken.push(start);
            taken.push(start + count - 1);
        }
        match taken.is_empty() {
            true => Ok(()),
            false => self.changed(path, FileChange::Allocate, &taken),
        }
    }

    /// Writes the dirty pages of a file.
    fn write_out(&mut self, path: &str) -> Result<(), FsError> {
        let (file, device, _) = self.file(path)?;
        let dirty = file.dirty.len() as u64;
        file.write_out(device)?;
        self.dirty_pages -= dirty;
        Ok(())
    }

    /// Writes all dirty pages.
    fn write_back(&mut self) -> Result<(), FsError> {
        let has_dirty =
            |node: &Ext4Node| matches!(node, Ext4Node::File { file, .. } if !file.dirty.is_empty());
        let dirty = self.tree.iter().filter(|(_, node)| has_dirty(node));
        let paths: Vec<_> = dirty.map(|(path, _)| path.clone()).collect();
        for path in paths {
            self.allocate(&path)?;
            self.write_out(&path)?;
        }
        Ok(())
    }

    /// Makes the requests of a sync.
    fn sync(&mut self, path: &str, data_only: bool) -> Result<(), FsError> {
        let running = self.running;
        let pattern = Arc::clone(&self.pattern);
        let (file, _, _) = self.file(path)?;
        let pending = file.pending(running);
        let rules = pending
            .iter()
            .map(|change| pattern.rule(*change, data_only));
        let rule = rules.max_by_key(|rule| (rule.commits(), rule.steps.len()));
        // Linux writes the data and waits for them before anything else, whichever rule is the longest.
        self.allocate(path)?;
        self.write_out(path)?;
        let mut steps = rule.iter().flat_map(|rule| &rule.steps);
        steps.try_for_each(|step| self.step(*step))
    }

    /// Makes the requests of a sync of a directory.
    fn sync_names(&mut self, path: &str) -> Result<(), FsError> {
        let path = if path == "/" { "" } else { path };
        match self.tree.get(path) {
            None if path.is_empty() => {}
            Some(Ext4Node::Directory { .. }) => {}
            Some(_) => return Err(FsErrorKind::NotDir.into()),
            None => return Err(FsErrorKind::NotFound.into()),
        }
        if !self.renamed.contains(path) {
            return Ok(());
        }
        let pattern = Arc::clone(&self.pattern);
        let steps = pattern.rule(FileChange::Rename, false).steps.iter();
        steps.copied().try_for_each(|step| self.step(step))
    }

    /// Makes a request that is of no file; the data of a file come before all of them.
    fn step(&mut self, step: SyncStep) -> Result<(), FsError> {
        match step {
            SyncStep::Flush => self.device.flush(),
            SyncStep::Journal if self.journal.has_changes() => self.journal.write(&mut self.device),
            SyncStep::Commit if self.journal.has_changes() => self.commit(),
            SyncStep::Data | SyncStep::Journal | SyncStep::Commit => Ok(()),
        }
    }

    fn commit(&mut self) -> Result<(), FsError> {
        self.renamed.clear();
        self.running += 1;
        self.journal.commit(&mut self.device)
    }

    fn read(&mut self, path: &str, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let (held, held_max) = (self.held_pages, self.held_pages_max);
        let (file, device, _) = self.file(path)?;
        let found = file.bytes.saturating_sub(at).min(out.len() as u64);
        if found == 0 {
            return Ok(0);
        }
        let pages = Ext4File::touched(at, found);
        let stored = file.blocks.range(pages.clone());
        let wanted = stored.filter(|(page, _)| !file.pages.contains_key(page));
        check_held(held + wanted.count() as u64, held_max)?;
        let cached = file.pages.len();
        file.load(pages, device)?;
        file.copy_out(at, &mut out[..found as usize]);
        self.held_pages += (file.pages.len() - cached) as u64;
        Ok(found as usize)
    }

    fn write(&mut self, path: &str, at: u64, data: &[u8]) -> Result<(), FsError> {
        let free = self.space.free_blocks - self.reserved;
        let (held, held_max) = (self.held_pages, self.held_pages_max);
        let (file, device, _) = self.file(path)?;
        let length = file.bytes;
        if at > length {
            let why = format_args!("byte {at} of a file of {length} bytes");
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        if data.is_empty() {
            return Ok(());
        }
        let end = at.saturating_add(data.len() as u64);
        check_length(end)?;
        let pages = Ext4File::touched(at, data.len() as u64);
        let lacks_block =
            |page: &u64| !file.blocks.contains_key(page) && !file.dirty.contains(page);
        let wanted = pages.clone().filter(lacks_block).count() as u64;
        if wanted > free {
            return Err(FsErrorKind::Full.into());
        }
        let cached = file.pages.range(pages.clone()).count() as u64;
        check_held(held + (pages.end - pages.start - cached), held_max)?;
        let cached = file.pages.len();
        // The parts of a page that stay.
        if !at.is_multiple_of(BLOCK as u64) {
            file.load(pages.start..pages.start + 1, device)?;
        }
        if !end.is_multiple_of(BLOCK as u64) {
            file.load(pages.end - 1..pages.end, device)?;
        }
        let dirty = file.dirty.len();
        file.copy_in(at, data);
        let dirtied = (file.dirty.len() - dirty) as u64;
        let added = (file.pages.len() - cached) as u64;
        file.bytes = length.max(end);
        self.held_pages += added;
        self.dirty_pages += dirtied;
        self.reserved += wanted;
        let change = match end > length {
            true => FileChange::Grow,
            false => FileChange::Overwrite,
        };
        self.changed(path, change, &[])?;
        match self.dirty_pages > self.dirty_pages_max {
            true => self.write_back(),
            false => Ok(()),
        }
    }

    fn truncate(&mut self, path: &str, bytes: u64) -> Result<(), FsError> {
        let (file, device, _) = self.file(path)?;
        let length = file.bytes;
        if bytes == length {
            return Ok(());
        }
        if bytes > length {
            check_length(bytes)?;
            file.bytes = bytes;
            return self.changed(path, FileChange::Grow, &[]);
        }
        let page = bytes / BLOCK as u64;
        let rest = (bytes % BLOCK as u64) as usize;
        let (dirty, unallocated) = (file.dirty.len(), file.unallocated().count());
        let cached = file.pages.len();
        let freed = file.cut(bytes.div_ceil(BLOCK as u64));
        // The rest of the last page is zeros, should the file grow again.
        let mut zeroed = false;
        if rest > 0 {
            file.load(page..page + 1, device)?;
            if let Some(cached) = file.pages.get_mut(&page) {
                cached[rest..].fill(0);
                zeroed = file.dirty.insert(page);
            }
        }
        file.bytes = bytes;
        let (left, kept) = (file.unallocated().count(), file.pages.len());
        let dropped = dirty + usize::from(zeroed) - file.dirty.len();
        self.dirty_pages = self.dirty_pages + u64::from(zeroed) - dropped as u64;
        self.held_pages = self.held_pages + kept as u64 - cached as u64;
        self.reserved = self.reserved + left as u64 - unallocated as u64;
        self.give_back(&freed);
        self.changed(path, FileChange::Truncate, &freed)
    }

    fn give_back(&mut self, blocks: &[u64]) {
        for &block in blocks {
            self.space.release(block, 1);
        }
    }

    /// Checks that something can be made at a path.
    fn check_vacant(&self, path: &str) -> Result<(), FsError> {
        if path == "/" || self.tree.contains_key(path) {
            return Err(FsErrorKind::Exists.into());
        }
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        if name.len() > 255 {
            let why = format_args!("a name of {} B; ext4 has 255 at most", name.len());
            return Err(FsError::new(FsErrorKind::Name, why));
        }
        match (above(path), self.tree.get(above(path))) {
            ("", _) | (_, Some(Ext4Node::Directory { .. })) => Ok(()),
            (_, Some(_)) => Err(FsErrorKind::NotDir.into()),
            (_, None) => Err(FsErrorKind::NotFound.into()),
        }
    }

    fn create(&mut self, path: &str) -> Result<(), FsError> {
        self.check_vacant(path)?;
        let inode = self.space.take_inode().ok_or(FsErrorKind::Full)?;
        let file = Ext4File::default();
        self.tree
            .insert(path.to_owned(), Ext4Node::File { inode, file });
        self.renamed.insert(above(path).to_owned());
        self.changed(path, FileChange::Create, &[])
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        self.check_vacant(path)?;
        if self.space.free_blocks <= self.reserved {
            return Err(FsErrorKind::Full.into());
        }
        let inode = self.space.take_inode().ok_or(FsErrorKind::Full)?;
        let (block, _) = self.space.take(0, 1).ok_or(FsErrorKind::Full)?;
        let directory = Ext4Node::Directory { inode, block };
        self.tree.insert(path.to_owned(), directory);
        self.renamed.insert(above(path).to_owned());
        let place = ChangedPlace {
            inode,
            directory: Some(block),
            parent: above(path),
            blocks: &[block],
        };
        self.journals(FileChange::MakeDirectory, &place);
        Ok(())
    }

    /// What is in a directory, by path.
    fn within(&self, path: &str) -> impl Iterator<Item = (&String, &Ext4Node)> {
        let prefix = match path {
            "/" => "/".to_owned(),
            _ => format!("{path}/"),
        };
        let below = self.tree.range(prefix.clone()..);
        below.take_while(move |(other, _)| other.starts_with(&prefix))
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        if self.within(path).next().is_some() {
            return Err(FsErrorKind::NotEmpty.into());
        }
        let node = self.tree.remove(path).ok_or(FsErrorKind::NotFound)?;
        let inode = node.inode();
        let blocks = match node {
            Ext4Node::Directory { block, .. } => vec![block],
            Ext4Node::File { mut file, .. } => {
                self.held_pages -= file.pages.len() as u64;
                self.dirty_pages -= file.dirty.len() as u64;
                self.reserved -= file.unallocated().count() as u64;
                file.cut(0)
            }
        };
        self.give_back(&blocks);
        self.space.release_inode(inode);
        self.renamed.insert(above(path).to_owned());
        let change = match blocks.is_empty() {
            true => FileChange::RemoveEmpty,
            false => FileChange::Remove,
        };
        let place = ChangedPlace {
            inode,
            directory: None,
            parent: above(path),
            blocks: &blocks,
        };
        self.journals(change, &place);
        Ok(())
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        let is_directory = |node: &Ext4Node| matches!(node, Ext4Node::Directory { .. });
        let moved = self.tree.get(from).ok_or(FsErrorKind::NotFound)?;
        let moves_directory = is_directory(moved);
        if from == to {
            return Ok(());
        }
        match self.tree.get(to).map(is_directory) {
            None => self.check_vacant(to)?,
            Some(true) if !moves_directory => return Err(FsErrorKind::IsDir.into()),
            Some(false) if moves_directory => return Err(FsErrorKind::NotDir.into()),
            Some(_) => self.remove(to)?,
        }
        let below: Vec<_> = self.within(from).map(|(path, _)| path.clone()).collect();
        for path in below.iter().map(String::as_str).chain([from]) {
            if let Some(node) = self.tree.remove(path) {
                self.tree
                    .insert(format!("{to}{}", &path[from.len()..]), node);
            }
        }
        let running = self.running;
        let Some(node) = self.tree.get_mut(to) else {
            return Ok(());
        };
        let inode = node.inode();
        if let Ext4Node::File { file, .. } = node {
            file.note(FileChange::Rename, running);
        }
        for parent in [above(from), above(to)] {
            self.renamed.insert(parent.to_owned());
            let place = ChangedPlace {
                inode,
                directory: None,
                parent,
                blocks: &[],
            };
            self.journals(FileChange::Rename, &place);
        }
        Ok(())
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        self.write_back()?;
        if self.journal.has_changes() {
            self.journal.write(&mut self.device)?;
            self.journal.barrier(&mut self.device)?;
            self.commit()?;
            self.journal.barrier(&mut self.device)?;
        }
        self.journal.checkpoint(&mut self.device)?;
        table::store(&self.tree, &mut self.device, &self.layout)
    }
}

impl FileSystem for Ext4 {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        check_path(path)?;
        self.open.check_file(path)?;
        let volume = self.mounted()?;
        match volume.tree.get(path) {
            _ if path == "/" => return Err(FsErrorKind::IsDir.into()),
            Some(Ext4Node::Directory { .. }) => return Err(FsErrorKind::IsDir.into()),
            Some(_) if how == Open::Replace => volume.truncate(path, 0)?,
            Some(_) => {}
            None if matches!(how, Open::Create | Open::Replace) => volume.create(path)?,
            None => return Err(FsErrorKind::NotFound.into()),
        }
        let handle = self.open.add(path.into(), how != Open::Read);
        self.paths.insert(handle, path.into());
        Ok(handle)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let (volume, path) = self.file(file)?;
        volume.read(path, at, out)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let (volume, path) = self.file(file)?;
        volume.write(path, at, data)
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let (volume, path) = self.file(file)?;
        volume.truncate(path, bytes)
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        let (volume, path) = self.file(file)?;
        volume.sync(path, false)
    }

    fn sync_data(&mut self, file: Handle) -> Result<(), FsError> {
        let (volume, path) = self.file(file)?;
        volume.sync(path, true)
    }

    fn sync_dir(&mut self, path: &str) -> Result<(), FsError> {
        check_path(path)?;
        self.mounted()?.sync_names(path)
    }

    /// Writes nothing: a close is no sync on Linux.
    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        self.mounted()?;
        self.open.remove(file)?;
        self.paths.remove(&file);
        Ok(())
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        check_path(path)?;
        self.mounted()?.create_dir(path)
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        self.open.check_remove(path)?;
        self.mounted()?.remove(path)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        self.open.check_rename(from, to)?;
        self.mounted()?.rename(from, to)
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        check_path(path)?;
        let volume = self.mounted()?;
        match volume.tree.get(path) {
            Some(node) => Ok(entry(path, node)),
            None if path == "/" => Ok(Entry {
                name: String::new(),
                is_dir: true,
                bytes: 0,
            }),
            None => Err(FsErrorKind::NotFound.into()),
        }
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        if !self.entry(path)?.is_dir {
            return Err(FsErrorKind::NotDir.into());
        }
        let volume = self.mounted()?;
        let directory = if path == "/" { "" } else { path };
        let own = volume
            .within(path)
            .filter(|(other, _)| above(other) == directory);
        Ok(own.map(|(path, node)| entry(path, node)).collect())
    }

    fn space(&mut self) -> Result<Space, FsError> {
        let volume = self.mounted()?;
        Ok(Space {
            total: volume.space.total_blocks * BLOCK as u64,
            free: (volume.space.free_blocks - volume.reserved) * BLOCK as u64,
        })
    }

    /// The pages in RAM; what the kernel needs besides was not counted.
    fn ram(&self) -> RamUse {
        let pages = self.volume.as_ref().map_or(0, |volume| volume.held_pages);
        RamUse {
            buffers: pages * BLOCK as u64,
            structures: 0,
        }
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        let mut volume = self.volume.take().ok_or_else(not_mounted)?;
        self.open = OpenFiles::default();
        self.paths.clear();
        volume.unmount()
    }
}

/// The directory that something is in; nothing for what is in the root.
fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

fn entry(path: &str, node: &Ext4Node) -> Entry {
    Entry {
        name: path.rsplit_once('/').map_or(path, |(_, name)| name).into(),
        is_dir: matches!(node, Ext4Node::Directory { .. }),
        bytes: match node {
            Ext4Node::File { file, .. } => file.bytes,
            Ext4Node::Directory { .. } => 0,
        },
    }
}

/// Refuses pages in RAM beyond the most.
fn check_held(pages: u64, most: u64) -> Result<(), FsError> {
    if pages <= most {
        return Ok(());
    }
    let (found, most) = (pages * BLOCK as u64, most * BLOCK as u64);
    let why = format_args!(
        "{found} B of files read or written would be in RAM; the emulation of ext4 keeps them all, and {most} B at most"
    );
    Err(FsError::new(FsErrorKind::Unsuitable, why))
}

/// Refuses a file that ext4 cannot have.
fn check_length(bytes: u64) -> Result<(), FsError> {
    if bytes <= FILE_MAX {
        return Ok(());
    }
    let why = format_args!("a file of {bytes} B; ext4 has {FILE_MAX} B at most");
    Err(FsError::new(FsErrorKind::Invalid, why))
}

fn not_mounted() -> FsError {
    FsError::new(FsErrorKind::Invalid, "it is not mounted")
}
