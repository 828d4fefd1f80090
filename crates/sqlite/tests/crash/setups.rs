//! File systems on memories that a power cut falls upon, and databases on them.

use wordline_crash::harness::{Again, Harness, Verdict};
use wordline_crash::{ByteTearing, Content, FlashContent, FlashTearing, Mode};
use wordline_engines::{
    Contract, FILE_SYSTEMS, FileSystemEngine, FlashBox, FsOptions, SpareFlash, named,
};
use wordline_memory::Geometry;
use wordline_rtfs::PacedGround;
use wordline_sqlite::crash::{DatabaseOptions, JournalMode, SqlSubject, Synchronous, files_of};
use wordline_sqlite::{DeviceTraits, SqliteSettings, VfsFault};

use super::workload::{after, before, workload};

/// A journal and how much is synced.
pub(crate) type JournalSync = (JournalMode, Synchronous);

/// Each that promises something.
pub(crate) const JOURNALS: [JournalSync; 6] = [
    (JournalMode::Delete, Synchronous::Full),
    (JournalMode::Delete, Synchronous::Normal),
    (JournalMode::Truncate, Synchronous::Full),
    (JournalMode::Persist, Synchronous::Full),
    (JournalMode::Wal, Synchronous::Full),
    (JournalMode::Wal, Synchronous::Normal),
];

/// What SQLite may be told of a file system that survives power cuts.
pub(crate) const PROMISED: DeviceTraits = DeviceTraits {
    safe_append: true,
    ..DeviceTraits::USUAL
};

/// What it is told of such a file system here. In one case it is told less: its journal then begins with zeros, and has its
/// head written by a sync of its own.
fn told(journal: JournalSync) -> DeviceTraits {
    match journal {
        (JournalMode::Delete, Synchronous::Full) => DeviceTraits::USUAL,
        _ => database(journal).may_be_told(PROMISED),
    }
}

/// What it is told of one that promises nothing.
pub(crate) const NOTHING: DeviceTraits = DeviceTraits {
    powersafe_overwrite: false,
    ..DeviceTraits::USUAL
};

/// A memory that is written byte by byte, and which of its images are opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteClass {
    pub(crate) name: &'static str,
    pub(crate) atom: usize,
    pub(crate) tearing: ByteTearing,
    pub(crate) mode: Mode,
    pub(crate) again: Option<Again>,
}

/// MRAM that stores what arrives, in order: a cut between any two writes.
pub(crate) const BETWEEN: ByteClass = ByteClass {
    name: "MRAM on a 16-bit bus, between writes",
    atom: 2,
    tearing: ByteTearing::bus(2),
    mode: Mode::Linear,
    again: Some(Again {
        every: 12,
        mode: Mode::Sample(3),
    }),
};

/// Such a memory with writes torn, at places that are drawn.
pub(crate) const WITHIN: ByteClass = ByteClass {
    name: "the same, within writes",
    mode: Mode::Sample(60),
    ..BETWEEN
};

/// Memories that keep writes back until a persist, and land them in any order.
pub(crate) const ANY_ORDER: ByteClass = ByteClass {
    name: "any order until a persist, atom 8 B",
    atom: 8,
    tearing: ByteTearing {
        samples: 60,
        ..ByteTearing::contract()
    },
    mode: Mode::Sample(200),
    again: BETWEEN.again,
};

/// A database on a file system on a memory of bytes.
#[derive(Clone)]
pub(crate) struct ByteCase {
    pub(crate) engine: &'static dyn FileSystemEngine,
    pub(crate) options: FsOptions,
    pub(crate) class: ByteClass,
    pub(crate) traits: DeviceTraits,
    pub(crate) fault: Option<VfsFault>,
    pub(crate) journal: JournalSync,
}

pub(crate) fn engine(name: &str) -> &'static dyn FileSystemEngine {
    named(FILE_SYSTEMS, name).expect("it is in the list")
}

/// The options of a file system here: small blocks for littlefs, and what is usual for the others.
pub(crate) fn options(name: &str) -> FsOptions {
    match name {
        "littlefs" => FsOptions::from([
            ("block", 2048),
            ("prog", 64),
            ("read", 256),
            ("cache", 2048),
        ]),
        "rtfs" => FsOptions::from([("spare", 60)]),
        _ => FsOptions::new(),
    }
}

pub(crate) fn database((journal, synchronous): JournalSync) -> DatabaseOptions {
    DatabaseOptions {
        log_limit_bytes: None,
        journal,
        synchronous,
        page_bytes: 512,
        checkpoint_pages: 12,
    }
}

impl ByteCase {
    pub(crate) fn new(
        engine: &'static dyn FileSystemEngine,
        class: ByteClass,
        journal: JournalSync,
    ) -> Self {
        let survives = engine.promise().survives_power_cuts;
        Self {
            engine,
            options: options(engine.name()),
            class,
            traits: if survives { told(journal) } else { NOTHING },
            fault: None,
            journal,
        }
    }

    pub(crate) fn harness(&self) -> Harness<ByteTearing> {
        let class = &self.class;
        let mut harness = Harness::new(
            Content::zeros(bytes(self.engine.name()), class.atom),
            class.tearing,
        );
        (harness.mode, harness.again) = (class.mode, class.again);
        harness
    }

    pub(crate) fn subject(&self) -> SqlSubject<'static, ByteTearing> {
        let (engine, options) = (self.engine, self.options.clone());
        let contract = move |memory, _: bool| engine.on_bytes(memory, &options);
        set_up(
            SqlSubject::new(
                files_of(engine, self.options.clone(), contract),
                database(self.journal),
            ),
            self.traits,
            self.fault,
        )
    }

    pub(crate) fn check(&self) -> Verdict {
        self.harness().check(&self.subject(), &workload())
    }
}

/// Bytes of the memory: littlefs has copies of what it writes.
fn bytes(name: &str) -> u64 {
    match name {
        "littlefs" => 128 << 10,
        _ => 64 << 10,
    }
}

/// Fewer pages than the rollback of the workload changes.
const CACHE_PAGES: u32 = 6;

fn set_up<T: wordline_engines::crash::CutMemory>(
    subject: SqlSubject<'_, T>,
    traits: DeviceTraits,
    fault: Option<VfsFault>,
) -> SqlSubject<'_, T> {
    SqlSubject {
        settings: SqliteSettings {
            traits,
            fault,
            ..SqliteSettings::default()
        },
        cache_pages: CACHE_PAGES,
        before: before(),
        after: after(),
        ..subject
    }
}

/// A NAND flash whose pages are programmed once, in order.
const NAND: Geometry = Geometry {
    page_bytes: 512,
    spare_bytes: 16,
    pages_per_block: 32,
    blocks: 40,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

/// rtfs on it, whose writes may become valid together.
pub(crate) fn rtfs_subject(
    journal: JournalSync,
    together: bool,
    fault: Option<VfsFault>,
) -> SqlSubject<'static, FlashTearing> {
    let contract = |memory, _: bool| {
        Ok(Contract::SpareFlash(SpareFlash {
            flash: FlashBox::new(memory),
            columns: std::array::from_fn(|byte| 1 + byte as u32),
            ground: PacedGround {
                geometry: NAND,
                bad_blocks: 2,
            },
        }))
    };
    let traits = DeviceTraits {
        batch_atomic: together,
        ..told(journal)
    };
    let rtfs = SqlSubject::new(
        files_of(engine("rtfs"), options("rtfs"), contract),
        database(journal),
    );
    set_up(rtfs, traits, fault)
}

/// So many of its power cuts.
pub(crate) fn on_nand(mode: Mode, again: Option<Again>) -> Harness<FlashTearing> {
    let mut harness = Harness::new(FlashContent::erased(NAND), FlashTearing::raw());
    (harness.mode, harness.again) = (mode, again);
    harness
}
