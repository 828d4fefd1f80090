//! Files and directories on the paced layer.

mod audit;
mod bound;
mod directory;
mod entries;
mod file;
mod form;
mod index;
mod names;
mod reap;
mod together;

use core::fmt;

use wordline_memory::{Flash, Geometry};

use crate::error::{PacedError, PacedSetupError, PacedUnsuitable};
use crate::layer::{EditedPage, PacedLayer, PageEdit};
use crate::record::RECORD_BYTES;
use crate::shape::{GROUP_PAGES, PacedConfig};
use entries::KnownPlace;
use form::{FileShape, NONE, ROOT_DIRECTORY, SUPER_PAGE, kind};

pub use bound::{PacedCall, PacedFilesBound};
pub use file::{PacedFile, PacedOpen};
pub use names::{PacedDirectory, PacedEntry};
pub use together::PacedTogether;

/// The version of the format of files and directories.
pub const FILES_VERSION: u8 = 1;

/// Free pages below which calls free what waits for it.
const LOW_PAGES: u32 = 64;

/// Free pages that data leaves to directories and removals.
const RESERVED_PAGES: u32 = 8;

/// Free pages that are known by number.
const KNOWN_PAGES: usize = 8;

/// The fewest logical pages that take files.
const PAGES_MIN: u32 = 32;

type Result<T, E> = core::result::Result<T, PacedError<E>>;
type SetupResult<T, E> = core::result::Result<T, PacedSetupError<E>>;

/// Files and directories on raw flash, where every call has a bound.
///
/// Each call that changes something is a group of pages or several, each of which is there as a whole or not at all after a
/// power cut; what returned is there. A write within pages that a file has costs those pages alone.
///
/// ```
/// use wordline_memory::{Geometry, RamFlash};
/// use wordline_rtfs::{PacedConfig, PacedFiles, PacedOpen};
///
/// let geometry = Geometry {
///     page_bytes: 256,
///     spare_bytes: 16,
///     pages_per_block: 32,
///     blocks: 24,
///     program_bytes: 1,
///     programs_per_page: Some(1),
///     once_bytes: None,
///     in_order: true,
/// };
/// # type Ram = RamFlash<272, 32, 24>;
/// let mut flash = Ram::new(geometry).expect("the sizes fit");
/// let config = PacedConfig { logical_pages: 128, bad_blocks: 1, log_entries: 32 };
/// let columns = core::array::from_fn(|byte| 1 + byte as u32);
/// let mut ram = [0; 1024];
/// let mut files = PacedFiles::format(&mut flash, columns, config, 7, &mut ram[..])?;
/// files.make_directory("/log")?;
/// let mut file = files.open("/log/today", PacedOpen::CREATE)?;
/// files.append(&mut file, b"12:00 22.5 C\n")?;
///
/// // The power goes; everything that returned is there.
/// drop(files);
/// let mut files = PacedFiles::mount(&mut flash, columns, config, &mut ram[..])?;
/// let mut file = files.open("/log/today", PacedOpen::READ)?;
/// let mut text = [0; 32];
/// let bytes = files.read(&mut file, 0, &mut text)?;
/// assert_eq!(&text[..bytes], b"12:00 22.5 C\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PacedFiles<F, M> {
    layer: PacedLayer<F, M>,
    form: FileShape,
    /// What names are hashed with.
    seed: u32,
    /// The first page of pointers that wait to be freed.
    chain: u32,
    /// Single pages that wait to be freed.
    waiting: u32,
    changes: FileChanges,
    /// The page of the map in which free pages were found last.
    hint: u32,
    known: KnownPages,
    known_place: Option<KnownPlace>,
    work: PacedFilesWork,
}

/// Free pages by number: first those that the group takes which is put together.
#[derive(Clone, Copy, Debug, Default)]
struct KnownPages {
    pages: [u32; KNOWN_PAGES],
    taken: usize,
    len: usize,
}

impl KnownPages {
    /// The group is written.
    fn drop_taken(&mut self) {
        self.pages.copy_within(self.taken..self.len, 0);
        self.len -= self.taken;
        self.taken = 0;
    }
}

/// Changes of files that are remembered.
const REMEMBERED: u32 = 8;

/// The files that changed last: what a handle knows holds as long as its file is none of those that changed since.
#[derive(Clone, Copy, Debug, Default)]
struct FileChanges {
    count: u32,
    /// The lower half of their numbers.
    last: [u32; REMEMBERED as usize],
}

impl FileChanges {
    fn note(&mut self, id: u64) {
        self.last[(self.count % REMEMBERED) as usize] = id as u32;
        self.count = self.count.wrapping_add(1);
    }

    /// Whether a file is as it was at a count.
    fn is_since(&self, count: u32, id: u64) -> bool {
        let changes = self.count.wrapping_sub(count);
        changes <= REMEMBERED
            && (1..=changes).all(|back| {
                self.last[(self.count.wrapping_sub(back) % REMEMBERED) as usize] != id as u32
            })
    }
}

/// Groups that calls wrote beyond the ones that their [bound](PacedFilesBound) counts, since the mount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacedFilesWork {
    /// Pieces of freeing what was removed, those in [`PacedFiles::work_ahead`] included.
    pub freeings: u64,
    /// Buckets that were cut before an entry had room.
    pub cuts: u64,
    /// Empty buckets of directories that were removed or replaced.
    pub empties: u64,
}

/// Room on a flash, in logical pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedRoom {
    /// Pages that there are.
    pub pages: u32,
    /// Pages that are free.
    pub free: u32,
    /// Whether further ones wait to be freed.
    pub more: bool,
}

/// The pages of a group that is put together.
#[derive(Clone, Copy, Default)]
pub(crate) struct PageGroup<'a> {
    pages: [EditedPage<'a>; GROUP_PAGES],
    len: usize,
}

impl<'a> PageGroup<'a> {
    fn push(&mut self, page: EditedPage<'a>) {
        self.pages[self.len] = page;
        self.len += 1;
    }

    fn pages(&self) -> &[EditedPage<'a>] {
        &self.pages[..self.len]
    }
}

/// A page that is changed from what it holds.
fn changed<'a>(logical: u32, edit: &'a dyn Fn(&mut [u8])) -> EditedPage<'a> {
    EditedPage {
        logical,
        from: Some(logical),
        edit: PageEdit::With(edit),
        ..EditedPage::default()
    }
}

/// A page that held nothing, and starts from another.
fn fresh<'a>(logical: u32, from: Option<u32>, edit: &'a dyn Fn(&mut [u8])) -> EditedPage<'a> {
    EditedPage {
        logical,
        from,
        edit: PageEdit::With(edit),
        fresh: true,
        ..EditedPage::default()
    }
}

/// What changes in the super page.
#[derive(Clone, Copy, Debug, Default)]
struct SuperChange {
    /// Pages that wait to be freed from now on.
    pushed: [u32; directory::LEFT_MAX],
    pushes: usize,
    /// The first page of pointers that wait to be freed.
    chain: Option<u32>,
    /// That page is the root of a file, and is linked to those that wait.
    link: Option<RootLink>,
}

/// How the root of a file is linked to those that wait to be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RootLink {
    /// With the pages that it names.
    Whole,
    /// It cannot be read, and names none any more.
    Lost,
}

impl SuperChange {
    fn push(&mut self, page: u32) {
        self.pushed[self.pushes] = page;
        self.pushes += 1;
    }

    const fn is_some(&self) -> bool {
        self.pushes > 0 || self.chain.is_some()
    }

    fn apply(&self, form: &FileShape, main: &mut [u8]) {
        let waiting = form::word(main, form::SUPER_WAITING).min(form.waiting);
        for (index, page) in (waiting..form.waiting).zip(&self.pushed[..self.pushes]) {
            form.set_pointer(main, index, *page);
        }
        form::set_word(main, form::SUPER_WAITING, waiting + self.pushes as u32);
        if let Some(chain) = self.chain {
            form::set_word(main, form::SUPER_CHAIN, chain);
        }
    }
}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedFiles<F, M> {
    fn on(layer: PacedLayer<F, M>) -> SetupResult<Self, F::Error> {
        let unsuitable = |what, found, least, most| {
            PacedSetupError::Unsuitable(PacedUnsuitable {
                what,
                found,
                least,
                most,
            })
        };
        let page = u64::from(layer.page_bytes());
        if !(128..=32_768).contains(&page) {
            return Err(unsuitable("bytes of a page of files", page, 128, 32_768));
        }
        let pages = layer.logical_pages();
        if pages < PAGES_MIN {
            let (found, least) = (pages.into(), PAGES_MIN.into());
            return Err(unsuitable("logical pages of files", found, least, u64::MAX));
        }
        let form = FileShape::new(page as usize, layer.shape().width, pages);
        Ok(Self {
            layer,
            form,
            seed: 0,
            chain: NONE,
            waiting: 0,
            changes: FileChanges::default(),
            hint: 0,
            known: KnownPages::default(),
            known_place: None,
            work: PacedFilesWork::default(),
        })
    }

    /// Erases the flash, and makes it hold an empty directory `/`. See [`PacedLayer::format`] for the layer below.
    ///
    /// `seed` is what names are hashed with: another number for each volume, where names come from strangers.
    ///
    /// # Errors
    /// As there, or the pages do not take files.
    pub fn format(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        seed: u32,
        memory: M,
    ) -> SetupResult<Self, F::Error> {
        let mut files = Self::on(PacedLayer::format(flash, columns, config, memory)?)?;
        files.seed = seed;
        let head = |main: &mut [u8]| {
            main[0] = kind::SUPER;
            main[form::SUPER_VERSION] = FILES_VERSION;
            form::set_word(main, form::SUPER_SEED, seed);
        };
        let pages = [
            fresh(SUPER_PAGE, None, &head),
            fresh(ROOT_DIRECTORY, None, &form::init_bucket),
        ];
        files.layer.write_edited(&pages, &[])?;
        Ok(files)
    }

    /// Finds the files that a flash holds, also after a power cut at any time. See [`PacedLayer::mount`].
    ///
    /// # Errors
    /// As there; [`PacedSetupError::NoFiles`] or [`PacedSetupError::FileVersion`].
    pub fn mount(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
    ) -> SetupResult<Self, F::Error> {
        Self::on_layer(PacedLayer::mount(flash, columns, config, memory)?)
    }

    /// Finds the files of a layer that was mounted.
    ///
    /// # Errors
    /// [`PacedSetupError::NoFiles`] or [`PacedSetupError::FileVersion`], or the layer fails.
    pub fn on_layer(layer: PacedLayer<F, M>) -> SetupResult<Self, F::Error> {
        let mut files = Self::on(layer)?;
        files.layer.load(SUPER_PAGE)?;
        let main = files.layer.loaded();
        if main[0] != kind::SUPER {
            return Err(PacedSetupError::NoFiles);
        }
        if main[form::SUPER_VERSION] != FILES_VERSION {
            let found = main[form::SUPER_VERSION];
            return Err(PacedSetupError::FileVersion { found });
        }
        files.seed = form::word(main, form::SUPER_SEED);
        let chain = form::word(main, form::SUPER_CHAIN);
        let waiting = form::word(main, form::SUPER_WAITING);
        if chain >= files.layer.logical_pages() || waiting > files.form.waiting {
            return Err(PacedSetupError::Call(PacedError::Damaged {
                page: SUPER_PAGE,
            }));
        }
        (files.chain, files.waiting) = (chain, waiting);
        // No handle of an earlier mount has seen as many changes.
        files.changes.count = (files.layer.log_end() as u32).wrapping_add(REMEMBERED + 1);
        Ok(files)
    }

    /// The bytes of RAM that files need of their caller: those of the layer.
    ///
    /// # Errors
    /// As [`PacedConfig::bound`].
    pub fn memory_bytes(
        config: &PacedConfig,
        geometry: &Geometry,
    ) -> core::result::Result<usize, PacedUnsuitable> {
        Ok(config.bound(geometry)?.ram_bytes)
    }

    /// The layer below.
    pub const fn layer(&self) -> &PacedLayer<F, M> {
        &self.layer
    }

    /// The layer below, to watch its flash.
    pub const fn layer_mut(&mut self) -> &mut PacedLayer<F, M> {
        &mut self.layer
    }

    /// The layer below, as after a power cut: nothing is written.
    pub fn into_layer(self) -> PacedLayer<F, M> {
        self.layer
    }

    /// Groups that calls wrote beyond their bound since the mount.
    #[must_use]
    pub const fn work(&self) -> &PacedFilesWork {
        &self.work
    }

    /// The bytes that a file may have.
    #[must_use]
    pub const fn longest_file(&self) -> u64 {
        self.form.file_pages() as u64 * self.form.page as u64
    }

    fn too_long(&self) -> PacedError<F::Error> {
        let pages = self.form.file_pages();
        PacedError::TooLong { pages }
    }

    /// The bytes that a name may have.
    #[must_use]
    pub fn longest_name(&self) -> usize {
        self.form.name_max()
    }

    /// Room that there is.
    #[must_use]
    pub fn room(&self) -> PacedRoom {
        PacedRoom {
            pages: self.layer.logical_pages(),
            free: self.layer.unwritten(),
            more: self.has_freeing(),
        }
    }

    /// Does one piece of work ahead while the caller has nothing to write: it frees pages of what was removed, or does a step
    /// of the layer, or an erase where it may take so long. Returns whether there was any to do.
    ///
    /// # Errors
    /// When the layer fails.
    pub fn work_ahead(&mut self, may_erase: bool) -> Result<bool, F::Error> {
        if self.layer.work_ahead(may_erase)? {
            return Ok(true);
        }
        if !may_erase && self.layer.is_erase_due() {
            return Ok(false);
        }
        self.free_some()
    }

    /// Writes a group, which takes the pages that were taken for it.
    fn commit(
        &mut self,
        group: &PageGroup<'_>,
        freed: &[u32],
        change: &SuperChange,
    ) -> Result<(), F::Error> {
        let done = self.write_group(group, freed, change);
        match done {
            Ok(()) => self.known.drop_taken(),
            Err(_) => self.known = KnownPages::default(),
        }
        done
    }

    /// Writes a group that takes no pages.
    fn write_group(
        &mut self,
        group: &PageGroup<'_>,
        freed: &[u32],
        change: &SuperChange,
    ) -> Result<(), F::Error> {
        let form = self.form;
        let in_super = |main: &mut [u8]| change.apply(&form, main);
        let mut group = *group;
        let next = self.chain;
        let orphan = |main: &mut [u8]| directory::orphan_root(main, next);
        if let (Some(page), Some(link)) = (change.chain, change.link) {
            group.push(EditedPage {
                from: (link == RootLink::Whole).then_some(page),
                ..changed(page, &orphan)
            });
        }
        if change.is_some() {
            group.push(changed(SUPER_PAGE, &in_super));
        }
        self.known_place = None;
        self.layer.write_edited(group.pages(), freed)?;
        self.waiting += change.pushes as u32;
        self.chain = change.chain.unwrap_or(self.chain);
        Ok(())
    }

    /// Notes that a file is elsewhere or has another length.
    fn note_changed(&mut self, id: u64) {
        self.changes.note(id);
    }

    /// Numbers of free pages, of which `left` others stay free.
    fn take_pages(&mut self, out: &mut [u32], left: u32) -> Result<(), F::Error> {
        let taken = self.find_pages(out, left);
        if taken.is_err() {
            self.known = KnownPages::default();
        }
        taken
    }

    fn find_pages(&mut self, out: &mut [u32], left: u32) -> Result<(), F::Error> {
        if out.is_empty() {
            return Ok(());
        }
        // Those of the group that is put together are free until it is written.
        let needed = (self.known.taken + out.len()) as u32 + left;
        if self.layer.unwritten() < needed + LOW_PAGES {
            // What cannot be freed keeps no call from the pages that are there.
            match self.free_some() {
                Ok(_) | Err(PacedError::Damaged { .. } | PacedError::Lost { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        while self.layer.unwritten() < needed {
            if !self.free_some()? {
                return Err(PacedError::NoSpace);
            }
        }
        let known = &mut self.known;
        if known.len - known.taken < out.len() {
            let (old, new) = known.pages.split_at_mut(known.len);
            known.len += self.layer.find_unwritten(&mut self.hint, old, new)?;
        }
        let end = known.taken + out.len();
        if known.len < end {
            return Err(PacedError::NoSpace);
        }
        out.copy_from_slice(&known.pages[known.taken..end]);
        known.taken = end;
        Ok(())
    }

    /// Loads a page that is to be of a kind.
    fn load_kind(&mut self, page: u32, kinds: &[u8]) -> Result<u8, F::Error> {
        if page >= self.layer.logical_pages() {
            return Err(PacedError::Damaged { page });
        }
        self.layer.load(page)?;
        let found = self.layer.loaded()[0];
        if kinds.contains(&found) {
            Ok(found)
        } else {
            Err(PacedError::Damaged { page })
        }
    }
}

impl fmt::Debug for PageGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pages = self.pages().iter().map(|page| page.logical);
        f.debug_list().entries(pages).finish()
    }
}
