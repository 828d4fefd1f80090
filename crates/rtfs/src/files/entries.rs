//! Entries of a directory: found, added, taken out.
//!
//! The root of a directory is a bucket of entries, or a node of pointers to buckets by the first bits of a name's hash; a
//! node's pointers may lead to further nodes. A bucket takes a run of the slots of one node. One that is full is cut in
//! two at a slot; entries of a single slot get a node of their own.

use wordline_memory::Flash;

use super::form::{
    self, BUCKET_HEADER, EntryHead, FileShape, NAME_MAX, NONE, NewEntry, append_entry, bucket_end,
    bucket_entries, init_bucket, kind, name_at, retain_entries,
};
use super::{PacedFiles, PageGroup, Result, SuperChange, changed, fresh};
use crate::error::PacedError;
use crate::layer::EditedPage;

/// Nodes above a bucket, at most.
const LEVELS_MAX: usize = 8;

/// Where the entries of a hash are, or would be.
#[derive(Clone, Copy, Debug)]
pub(super) struct BucketPlace {
    /// Nodes on the way, with the slot in each.
    nodes: [(u32, u32); LEVELS_MAX],
    depth: usize,
    /// The bucket, unless the last slot is empty.
    pub(super) bucket: Option<u32>,
}

impl BucketPlace {
    fn last(&self) -> Option<(u32, u32)> {
        self.depth.checked_sub(1).map(|last| self.nodes[last])
    }
}

/// The place that was gone to last: it holds until a group is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownPlace {
    of: (u32, u32),
    place: BucketPlace,
}

/// How a bucket gets room for an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryRoom {
    place: BucketPlace,
    how: RoomMade,
}

#[derive(Clone, Copy, Debug)]
enum RoomMade {
    /// The bucket has room.
    Fits,
    /// The slots get a bucket.
    Fresh { from: u32, to: u32 },
    /// The bucket is cut at a slot of a level. Its node is there, or the slot gets one, or the directory becomes one.
    Cut {
        level: u32,
        cut: u32,
        with: NodeMade,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeMade {
    /// The node above the bucket, from a slot to another.
    Present { to: u32 },
    /// A node of its own for the slot.
    Slot,
    /// The root of the directory.
    Directory,
}

/// A bucket that is written anew: some entries of it stay, and one is added.
#[derive(Clone, Copy, Debug)]
struct BucketChange<'a> {
    form: FileShape,
    /// The level and the slot at which it is cut, and whether the part from the slot on stays.
    cut: Option<(u32, u32, bool)>,
    removed: [u64; 2],
    added: Option<&'a NewEntry<'a>>,
}

impl BucketChange<'_> {
    fn stays(&self, hash: u32) -> bool {
        self.cut
            .is_none_or(|(level, cut, upper)| (self.form.node_slot(hash, level) >= cut) == upper)
    }

    fn apply(&self, main: &mut [u8]) {
        retain_entries(main, |head| {
            self.stays(head.hash) && !self.removed.contains(&head.id)
        });
        if let Some(added) = self.added
            && self.stays(added.hash)
        {
            append_entry(main, added);
        }
    }
}

/// No entry has this number.
pub(super) const NO_ID: u64 = 0;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedFiles<F, M> {
    /// Goes to the bucket of a hash, which stands in the image then.
    pub(super) fn find_bucket(
        &mut self,
        directory: u32,
        hash: u32,
    ) -> Result<BucketPlace, F::Error> {
        if let Some(known) = self
            .known_place
            .filter(|known| known.of == (directory, hash))
        {
            if let Some(bucket) = known.place.bucket {
                self.load_kind(bucket, &[kind::BUCKET])?;
            }
            return Ok(known.place);
        }
        let place = self.walk_to_bucket(directory, hash)?;
        self.known_place = Some(KnownPlace {
            of: (directory, hash),
            place,
        });
        Ok(place)
    }

    fn walk_to_bucket(&mut self, directory: u32, hash: u32) -> Result<BucketPlace, F::Error> {
        let mut place = BucketPlace {
            nodes: [(NONE, 0); LEVELS_MAX],
            depth: 0,
            bucket: None,
        };
        let mut page = directory;
        loop {
            if self.load_kind(page, &[kind::BUCKET, kind::NODE])? == kind::BUCKET {
                place.bucket = Some(page);
                return Ok(place);
            }
            if place.depth as u32 == self.form.levels {
                return Err(PacedError::Damaged { page });
            }
            let slot = self.form.node_slot(hash, place.depth as u32);
            place.nodes[place.depth] = (page, slot);
            place.depth += 1;
            page = self.form.node_pointer(self.layer.loaded(), slot);
            if page == NONE {
                return Ok(place);
            }
        }
    }

    /// The entry of a name, and where it is. Its bucket stands in the image, and it begins at the byte that is returned.
    pub(super) fn find_entry(
        &mut self,
        directory: u32,
        name: &[u8],
    ) -> Result<Option<(usize, EntryHead)>, F::Error> {
        let hash = self.hash(name);
        let place = self.find_bucket(directory, hash)?;
        let main = self.layer.loaded();
        Ok(place.bucket.and_then(|_| {
            bucket_entries(main)
                .find(|(at, head)| head.hash == hash && name_at(main, *at, head) == name)
        }))
    }

    /// The entry of a number, whose bucket stands in the image then.
    pub(super) fn find_id(
        &mut self,
        directory: u32,
        hash: u32,
        id: u64,
    ) -> Result<Option<(usize, EntryHead)>, F::Error> {
        let place = match self.find_bucket(directory, hash) {
            // What was a directory may be another page now.
            Err(PacedError::Damaged { .. }) => return Ok(None),
            place => place?,
        };
        let main = self.layer.loaded();
        Ok(place.bucket.and_then(|_| {
            bucket_entries(main).find(|(_, head)| (head.hash, head.id) == (hash, id))
        }))
    }

    /// The entry behind another in the order of hashes, whose name is put into `name`.
    pub(super) fn entry_after(
        &mut self,
        directory: u32,
        after: Option<(u32, u64)>,
        name: &mut [u8; NAME_MAX],
    ) -> Result<Option<EntryHead>, F::Error> {
        let mut hash = after.map_or(0, |(hash, _)| hash);
        loop {
            let place = self.find_bucket(directory, hash)?;
            if place.bucket.is_some() {
                let main = self.layer.loaded();
                let next = bucket_entries(main)
                    .filter(|(_, head)| after.is_none_or(|after| (head.hash, head.id) > after))
                    .min_by_key(|(_, head)| (head.hash, head.id));
                if let Some((at, head)) = next {
                    name[..head.name_bytes].copy_from_slice(name_at(main, at, &head));
                    return Ok(Some(head));
                }
            }
            match self.next_run(&place, hash)? {
                Some(next) => hash = next,
                None => return Ok(None),
            }
        }
    }

    /// The first hash behind the run of slots of a place that may have entries.
    fn next_run(&mut self, place: &BucketPlace, hash: u32) -> Result<Option<u32>, F::Error> {
        let form = self.form;
        for level in (0..place.depth).rev() {
            let (node, slot) = place.nodes[level];
            self.load_kind(node, &[kind::NODE])?;
            let main = self.layer.loaded();
            let here = form.node_pointer(main, slot);
            let next = (slot + 1..form.node_slots()).find(|next| {
                let pointer = form.node_pointer(main, *next);
                pointer != NONE && pointer != here
            });
            if let Some(next) = next {
                let shift = 32 - form.node_bits * (level as u32 + 1);
                let above = if level == 0 {
                    0
                } else {
                    hash >> (32 - form.node_bits * level as u32)
                        << (32 - form.node_bits * level as u32)
                };
                return Ok(Some(above | next << shift));
            }
        }
        Ok(None)
    }

    /// Finds how an entry of so many bytes gets into its bucket, from which others are taken out at the same time. What does
    /// not fit with one cut is cut before, in groups of their own.
    pub(super) fn room_for(
        &mut self,
        directory: u32,
        hash: u32,
        bytes: usize,
        removed: [u64; 2],
    ) -> Result<EntryRoom, F::Error> {
        let form = self.form;
        let room = form.page - BUCKET_HEADER;
        loop {
            let place = self.find_bucket(directory, hash)?;
            let Some(bucket) = place.bucket else {
                let (from, to) = self.empty_run(&place)?;
                let how = RoomMade::Fresh { from, to };
                return Ok(EntryRoom { place, how });
            };
            let main = self.layer.loaded();
            let taken: usize = bucket_entries(main)
                .filter(|(_, head)| removed.contains(&head.id))
                .map(|(_, head)| head.bytes())
                .sum();
            if bucket_end(main) - taken + bytes <= form.page {
                let how = RoomMade::Fits;
                return Ok(EntryRoom { place, how });
            }
            let above = place.depth as u32;
            // Entries of several slots of the node above are cut there.
            let here = above.checked_sub(1).and_then(|level| {
                let cut = best_cut(&form, main, level, (hash, bytes), removed)?;
                Some((level, cut))
            });
            let (level, (cut, most)) = match here {
                Some(here) => here,
                None if above < form.levels => {
                    let all = (form.node_slots(), usize::MAX);
                    let cut = best_cut(&form, main, above, (hash, bytes), removed);
                    (above, cut.unwrap_or(all))
                }
                None => return Err(PacedError::DirectoryFull),
            };
            let with = if level < above {
                NodeMade::Present {
                    to: self.run_end(&place, bucket)?,
                }
            } else if above == 0 {
                NodeMade::Directory
            } else {
                NodeMade::Slot
            };
            let how = RoomMade::Cut { level, cut, with };
            let made = EntryRoom { place, how };
            if most <= room {
                return Ok(made);
            }
            self.work.cuts += 1;
            self.put_entry(
                directory,
                &made,
                None,
                [NO_ID; 2],
                &[],
                SuperChange::default(),
            )?;
        }
    }

    /// The empty slots around the last one of a place.
    fn empty_run(&mut self, place: &BucketPlace) -> Result<(u32, u32), F::Error> {
        let (node, slot) = place.nodes[place.depth - 1];
        self.load_kind(node, &[kind::NODE])?;
        let main = self.layer.loaded();
        let is_empty = |slot: &u32| self.form.node_pointer(main, *slot) == NONE;
        let from = (0..slot).rev().take_while(is_empty).last().unwrap_or(slot);
        let behind = (slot + 1..self.form.node_slots()).take_while(is_empty);
        Ok((from, slot + 1 + behind.count() as u32))
    }

    /// The end of a bucket's slots in the node above it.
    fn run_end(&mut self, place: &BucketPlace, bucket: u32) -> Result<u32, F::Error> {
        let (node, slot) = place.nodes[place.depth - 1];
        self.load_kind(node, &[kind::NODE])?;
        let main = self.layer.loaded();
        let run = (slot..self.form.node_slots())
            .take_while(|slot| self.form.node_pointer(main, *slot) == bucket);
        Ok(slot + run.count() as u32)
    }

    /// The bucket that an entry gets into, where it has room.
    pub(super) fn fits_in(room: &EntryRoom) -> Option<u32> {
        match room.how {
            RoomMade::Fresh { .. } => None,
            RoomMade::Fits | RoomMade::Cut { .. } => room.place.bucket,
        }
    }

    /// Puts an entry where [`room_for`](Self::room_for) found room, and takes others out of the bucket, in one group with
    /// other pages.
    pub(super) fn put_entry(
        &mut self,
        directory: u32,
        room: &EntryRoom,
        added: Option<&NewEntry<'_>>,
        removed: [u64; 2],
        others: &[EditedPage<'_>],
        change: SuperChange,
    ) -> Result<(), F::Error> {
        let form = self.form;
        let change_of = |cut| BucketChange {
            form,
            cut,
            removed,
            added,
        };
        let mut group = PageGroup::default();
        for page in others {
            group.push(*page);
        }
        match room.how {
            RoomMade::Fits => {
                let whole = change_of(None);
                let in_bucket = |main: &mut [u8]| whole.apply(main);
                let bucket = room.place.bucket.unwrap_or(directory);
                group.push(changed(bucket, &in_bucket));
                self.commit(&group, &[], &change)
            }
            RoomMade::Fresh { from, to } => {
                let mut numbers = [NONE; 1];
                self.take_pages(&mut numbers, 0)?;
                let [number] = numbers;
                let whole = change_of(None);
                let in_bucket = |main: &mut [u8]| {
                    init_bucket(main);
                    whole.apply(main);
                };
                let in_node = |main: &mut [u8]| {
                    (from..to).for_each(|slot| form.set_node_pointer(main, slot, number));
                };
                let node = room.place.last().map_or(directory, |(node, _)| node);
                group.push(fresh(number, None, &in_bucket));
                group.push(changed(node, &in_node));
                self.commit(&group, &[], &change)
            }
            RoomMade::Cut { level, cut, with } => {
                let bucket = room.place.bucket.unwrap_or(directory);
                let slots = form.node_slots();
                let has_upper = cut < slots;
                let of_directory = with == NodeMade::Directory;
                let mut numbers = [NONE; 2];
                let count =
                    usize::from(has_upper) + usize::from(!matches!(with, NodeMade::Present { .. }));
                self.take_pages(&mut numbers[..count], 0)?;
                let [first, second] = numbers;
                // The upper part gets a page of its own; so does a new node, or the lower part where the root becomes one.
                let (upper, other) = if has_upper {
                    (first, second)
                } else {
                    (NONE, first)
                };
                let lower = if of_directory { other } else { bucket };
                let [below, above] = [
                    change_of(Some((level, cut, false))),
                    change_of(Some((level, cut, true))),
                ];
                let in_lower = |main: &mut [u8]| below.apply(main);
                let in_upper = |main: &mut [u8]| above.apply(main);
                let fill_node = |main: &mut [u8]| {
                    main.fill(0);
                    main[0] = kind::NODE;
                    for slot in 0..slots {
                        let page = if slot < cut { lower } else { upper };
                        form.set_node_pointer(main, slot, page);
                    }
                };
                let (above_node, slot) = room.place.last().unwrap_or((directory, 0));
                let in_above = |main: &mut [u8]| match with {
                    NodeMade::Present { to } => {
                        (cut..to).for_each(|slot| form.set_node_pointer(main, slot, upper));
                    }
                    // All entries are in the slot: the others of the bucket's run are empty.
                    NodeMade::Slot | NodeMade::Directory => {
                        for other in 0..slots {
                            if form.node_pointer(main, other) == bucket {
                                form.set_node_pointer(main, other, NONE);
                            }
                        }
                        form.set_node_pointer(main, slot, other);
                    }
                };
                if has_upper {
                    group.push(fresh(upper, Some(bucket), &in_upper));
                }
                match with {
                    NodeMade::Present { .. } => {
                        group.push(changed(bucket, &in_lower));
                        group.push(changed(above_node, &in_above));
                    }
                    NodeMade::Slot => {
                        group.push(changed(bucket, &in_lower));
                        group.push(fresh(other, None, &fill_node));
                        group.push(changed(above_node, &in_above));
                    }
                    NodeMade::Directory => {
                        group.push(fresh(lower, Some(bucket), &in_lower));
                        group.push(changed(directory, &fill_node));
                    }
                }
                self.commit(&group, &[], &change)
            }
        }
    }

    /// Takes an entry out, which is the only one of its number, in one group with other pages. A bucket that becomes empty
    /// is freed, and with it nodes that lead nowhere.
    pub(super) fn take_entry(
        &mut self,
        directory: u32,
        head: &EntryHead,
        others: &[EditedPage<'_>],
        change: SuperChange,
    ) -> Result<(), F::Error> {
        let place = self.find_bucket(directory, head.hash)?;
        let bucket = place.bucket.ok_or(PacedError::NotFound)?;
        let mut group = PageGroup::default();
        for page in others {
            group.push(*page);
        }
        if place.depth > 0 && form::entries_of(self.layer.loaded()) == 1 {
            return self.take_bucket(&place, &group, change);
        }
        let id = head.id;
        let without = |main: &mut [u8]| retain_entries(main, |head| head.id != id);
        group.push(changed(bucket, &without));
        self.commit(&group, &[], &change)
    }

    /// Frees an empty bucket below a node, and nodes that lead nowhere without it, in one group with other pages.
    fn take_bucket(
        &mut self,
        place: &BucketPlace,
        others: &PageGroup<'_>,
        mut change: SuperChange,
    ) -> Result<(), F::Error> {
        let form = self.form;
        let mut gone = place.bucket.unwrap_or(NONE);
        change.push(gone);
        let mut level = place.depth - 1;
        loop {
            let (node, _) = place.nodes[level];
            self.load_kind(node, &[kind::NODE])?;
            let main = self.layer.loaded();
            let leads = (0..form.node_slots()).any(|slot| {
                let page = form.node_pointer(main, slot);
                page != NONE && page != gone
            });
            if leads || level == 0 {
                break;
            }
            gone = node;
            change.push(gone);
            level -= 1;
        }
        let (node, _) = place.nodes[level];
        let without = |main: &mut [u8]| {
            for slot in 0..form.node_slots() {
                if form.node_pointer(main, slot) == gone {
                    form.set_node_pointer(main, slot, NONE);
                }
            }
        };
        let mut group = *others;
        group.push(changed(node, &without));
        self.commit(&group, &[], &change)
    }

    /// Leaves of a directory without entries its root alone.
    ///
    /// # Errors
    /// [`PacedError::NotEmpty`].
    pub(super) fn clear_directory(&mut self, directory: u32) -> Result<(), F::Error> {
        loop {
            let mut place = BucketPlace {
                nodes: [(NONE, 0); LEVELS_MAX],
                depth: 0,
                bucket: Some(directory),
            };
            let mut page = directory;
            // The first bucket that there is.
            while self.load_kind(page, &[kind::BUCKET, kind::NODE])? == kind::NODE {
                let main = self.layer.loaded();
                let mut slots = 0..self.form.node_slots();
                let slot = slots.find(|slot| self.form.node_pointer(main, *slot) != NONE);
                let Some(slot) = slot else {
                    if place.depth == 0 {
                        return Ok(());
                    }
                    break;
                };
                if place.depth as u32 == self.form.levels {
                    return Err(PacedError::Damaged { page });
                }
                place.nodes[place.depth] = (page, slot);
                place.depth += 1;
                page = self.form.node_pointer(main, slot);
            }
            place.bucket = Some(page);
            let main = self.layer.loaded();
            if main[0] == kind::BUCKET && form::entries_of(main) > 0 {
                return Err(PacedError::NotEmpty);
            }
            if place.depth == 0 {
                return Ok(());
            }
            self.work.empties += 1;
            self.make_waiting_room(LEVELS_MAX)?;
            self.take_bucket(&place, &PageGroup::default(), SuperChange::default())?;
        }
    }
}

/// The slot of a level at which the entries of a bucket and a new one are cut so that the larger part is small, and the
/// bytes of that; `None` where all have one slot.
fn best_cut(
    form: &FileShape,
    main: &[u8],
    level: u32,
    new: (u32, usize),
    removed: [u64; 2],
) -> Option<(u32, usize)> {
    let entries = || {
        bucket_entries(main)
            .filter(move |(_, head)| !removed.contains(&head.id))
            .map(|(_, head)| (head.hash, head.bytes()))
            .chain(core::iter::once(new))
            .map(|(hash, bytes)| (form.node_slot(hash, level), bytes))
    };
    let all: usize = entries().map(|(_, bytes)| bytes).sum();
    let first = entries().map(|(slot, _)| slot).min()?;
    entries()
        .filter(|(slot, _)| *slot > first)
        .map(|(cut, _)| {
            let lower: usize = entries()
                .filter(|(slot, _)| *slot < cut)
                .map(|(_, bytes)| bytes)
                .sum();
            (cut, lower.max(all - lower))
        })
        .min_by_key(|(cut, most)| (*most, *cut))
}
