//! The emulation's own table of files, at the end of the device: what lies where, stored when it is unmounted.
//!
//! A header block (magic, whether it was unmounted, length, check) and, from the next block on, the entries: kind, inode,
//! path, and of a file its length and extents, of a directory its block. Integers are little-endian.

use std::collections::BTreeMap;

use super::alloc::Ext4Space;
use super::mounted::Ext4Node;
use super::pages::Ext4File;
use super::volume::{BLOCK, Ext4Device, Ext4Layout};
use crate::{FsError, FsErrorKind, check_path};

const MAGIC: &[u8; 8] = b"WLext4t1";

/// Files and directories by path; the root is not among them.
pub(super) type Ext4Tree = BTreeMap<String, Ext4Node>;

/// Marks the file system as mounted.
pub(super) fn mark_mounted(device: &mut Ext4Device, layout: &Ext4Layout) -> Result<(), FsError> {
    device.write(layout.table, &header(false, &[]))
}

/// Stores the table, and marks the file system as unmounted.
pub(super) fn store(
    tree: &Ext4Tree,
    device: &mut Ext4Device,
    layout: &Ext4Layout,
) -> Result<(), FsError> {
    let entries = encoded(tree);
    let room = (layout.blocks - layout.table - 1) as usize * BLOCK;
    if entries.len() > room {
        let why = format_args!(
            "the table of files takes {} B, and has room for {room} B",
            entries.len()
        );
        return Err(FsError::new(FsErrorKind::Full, why));
    }
    let head = header(true, &entries);
    let mut padded = entries;
    padded.resize(padded.len().next_multiple_of(BLOCK), 0);
    device.write(layout.table + 1, &padded)?;
    device.write(layout.table, &head)?;
    device.flush()
}

/// Reads the table, and takes what it has from the free space.
pub(super) fn load(
    device: &mut Ext4Device,
    layout: &Ext4Layout,
    space: &mut Ext4Space,
) -> Result<Ext4Tree, FsError> {
    let mut head = vec![0; BLOCK];
    device.read(layout.table, &mut head)?;
    if &head[..8] != MAGIC {
        return Err(FsErrorKind::Corrupt.into());
    }
    if head[8] != 1 {
        let why = "it was not unmounted, and an emulation has no recovery";
        return Err(FsError::new(FsErrorKind::Corrupt, why));
    }
    let word = |at: usize| {
        let bytes = head[at..at + 8].try_into();
        bytes.map_or(0, u64::from_le_bytes)
    };
    let (length, check) = (word(16), word(24));
    let room = (layout.blocks - layout.table - 1) * BLOCK as u64;
    if length > room {
        return Err(damaged());
    }
    let mut entries = vec![0; (length as usize).next_multiple_of(BLOCK)];
    device.read(layout.table + 1, &mut entries)?;
    entries.truncate(length as usize);
    if hash(&entries) != check {
        return Err(damaged());
    }
    decoded(&entries, space).ok_or_else(damaged)
}

fn header(unmounted: bool, entries: &[u8]) -> Vec<u8> {
    let mut head = vec![0; BLOCK];
    head[..8].copy_from_slice(MAGIC);
    head[8] = u8::from(unmounted);
    head[16..24].copy_from_slice(&(entries.len() as u64).to_le_bytes());
    head[24..32].copy_from_slice(&hash(entries).to_le_bytes());
    head
}

/// FNV-1a of 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    let next = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, next)
}

fn damaged() -> FsError {
    FsError::new(FsErrorKind::Corrupt, "its table of files is damaged")
}

fn encoded(tree: &Ext4Tree) -> Vec<u8> {
    let mut out = Vec::new();
    for (path, node) in tree {
        let mut put = |word: u64| out.extend_from_slice(&word.to_le_bytes());
        put(path.len() as u64);
        match node {
            Ext4Node::Directory { inode, block } => [1, *inode, *block].into_iter().for_each(put),
            Ext4Node::File { inode, file } => {
                let extents = extents(file);
                [0, *inode, file.bytes, extents.len() as u64]
                    .into_iter()
                    .chain(extents.into_iter().flatten())
                    .for_each(put);
            }
        }
        out.extend_from_slice(path.as_bytes());
    }
    out
}

/// First page, first block and count.
fn extents(file: &Ext4File) -> Vec<[u64; 3]> {
    let mut extents: Vec<[u64; 3]> = Vec::new();
    for (&page, &block) in &file.blocks {
        match extents.last_mut() {
            Some([first, start, count]) if page == *first + *count && block == *start + *count => {
                *count += 1;
            }
            _ => extents.push([page, block, 1]),
        }
    }
    extents
}

/// `None` where the entries are damaged.
fn decoded(mut entries: &[u8], space: &mut Ext4Space) -> Option<Ext4Tree> {
    let mut tree = Ext4Tree::new();
    while !entries.is_empty() {
        let length = usize::try_from(word(&mut entries)?).ok()?;
        let is_directory = word(&mut entries)? == 1;
        let inode = word(&mut entries)?;
        if !space.claim_inode(inode) {
            return None;
        }
        let node = if is_directory {
            let block = word(&mut entries)?;
            space
                .claim(block, 1)
                .then_some(Ext4Node::Directory { inode, block })?
        } else {
            let file = file(&mut entries, space)?;
            Ext4Node::File { inode, file }
        };
        let (path, rest) = entries.split_at_checked(length)?;
        entries = rest;
        let path = std::str::from_utf8(path).ok()?;
        check_path(path).ok()?;
        let (above, name) = path.rsplit_once('/')?;
        let is_in_directory =
            above.is_empty() || matches!(tree.get(above), Some(Ext4Node::Directory { .. }));
        if name.is_empty() || !is_in_directory || tree.insert(path.to_owned(), node).is_some() {
            return None;
        }
    }
    Some(tree)
}

fn file(entries: &mut &[u8], space: &mut Ext4Space) -> Option<Ext4File> {
    let mut file = Ext4File {
        bytes: word(entries)?,
        ..Ext4File::default()
    };
    let pages = file.bytes.div_ceil(BLOCK as u64);
    for _ in 0..word(entries)? {
        let [first, start, count] = [word(entries)?, word(entries)?, word(entries)?];
        if first.checked_add(count)? > pages || !space.claim(start, count) {
            return None;
        }
        for number in 0..count {
            file.blocks.insert(first + number, start + number);
        }
    }
    Some(file)
}

fn word(entries: &mut &[u8]) -> Option<u64> {
    let (word, rest) = entries.split_first_chunk()?;
    *entries = rest;
    Some(u64::from_le_bytes(*word))
}
