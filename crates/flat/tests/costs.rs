//! What each call moves, to the byte, as DESIGN.md has it.

use wordline_flat::{FlatFiles, FlatOpen, FlatShape, FlatUse, format};
use wordline_memory::{ByteMemory, OutOfRange, RamMemory};

/// A memory that counts.
#[derive(Clone)]
struct CountingMemory {
    memory: RamMemory<65536>,
    atom: usize,
    counts: AccessCounts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct AccessCounts {
    reads: u64,
    read_bytes: u64,
    writes: u64,
    written_bytes: u64,
    persists: u64,
}

impl ByteMemory for CountingMemory {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        self.memory.len()
    }

    fn atom(&self) -> usize {
        self.atom
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        self.counts.reads += 1;
        self.counts.read_bytes += out.len() as u64;
        self.memory.read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        self.counts.writes += 1;
        self.counts.written_bytes += data.len() as u64;
        self.memory.write(at, data)
    }

    fn persist(&mut self) -> Result<(), OutOfRange> {
        self.counts.persists += 1;
        Ok(())
    }
}

type CountedFiles = FlatFiles<CountingMemory, Vec<u32>>;

fn mounted(atom: usize) -> CountedFiles {
    let mut memory = CountingMemory {
        memory: RamMemory::new(),
        atom,
        counts: AccessCounts::default(),
    };
    let shape = FlatShape::usual(memory.len());
    format(&mut memory, &shape).expect("it suits");
    let of_use = FlatUse::default();
    let ram = vec![0; shape.ram_words(&of_use) as usize];
    FlatFiles::mount(memory, &of_use, ram).expect("formatted")
}

/// What a step takes.
fn taken<T>(
    files: &mut CountedFiles,
    step: impl FnOnce(&mut CountedFiles) -> T,
) -> (AccessCounts, T) {
    files.memory().counts = AccessCounts::default();
    let done = step(files);
    (files.memory().counts, done)
}

#[test]
fn each_call_moves_what_the_design_says() {
    let mut files = mounted(2);
    let (create, log) = taken(&mut files, |files| files.open("/log", FlatOpen::Create));
    let log = log.expect("room");
    // Two lengths, 48 bytes of a head, four of a name, an extent in reserve, and the state.
    let expected = AccessCounts {
        writes: 2,
        written_bytes: 16 + 48 + 3 + 8 + 1,
        persists: 2,
        ..AccessCounts::default()
    };
    assert_eq!(create, expected);

    let (append, done) = taken(&mut files, |files| {
        files.write(log, 0, &[1; 256])?;
        files.sync(log)
    });
    done.expect("room");
    let expected = AccessCounts {
        writes: 3,
        written_bytes: 256 + 8 + 1,
        persists: 2,
        ..AccessCounts::default()
    };
    assert_eq!(append, expected);

    let (overwrite, done) = taken(&mut files, |files| {
        files.write(log, 10, &[2; 200])?;
        files.sync(log)
    });
    done.expect("room");
    let expected = AccessCounts {
        writes: 1,
        written_bytes: 200,
        persists: 1,
        ..AccessCounts::default()
    };
    assert_eq!(overwrite, expected);

    let (read, done) = taken(&mut files, |files| files.read(log, 20, &mut [0; 100]));
    assert_eq!(done, Ok(100));
    let expected = AccessCounts {
        reads: 1,
        read_bytes: 100,
        ..AccessCounts::default()
    };
    assert_eq!(read, expected);

    let (cut, done) = taken(&mut files, |files| files.truncate(log, 64));
    done.expect("open");
    let expected = AccessCounts {
        writes: 2,
        written_bytes: 9,
        persists: 2,
        ..AccessCounts::default()
    };
    assert_eq!(cut, expected);

    let (extension, done) = taken(&mut files, |files| files.truncate(log, 64 + 500));
    done.expect("room");
    let expected = AccessCounts {
        writes: 4,
        written_bytes: 500 + 9,
        persists: 1,
        ..AccessCounts::default()
    };
    assert_eq!(extension, expected);
    files.close(log).expect("open");

    let (rename, done) = taken(&mut files, |files| files.rename("/log", "/old"));
    done.expect("there");
    let expected = AccessCounts {
        reads: 1,
        read_bytes: 128,
        writes: 3,
        written_bytes: 16 + 48 + 3 + 8 + 1 + 1,
        persists: 3,
    };
    assert_eq!(rename, expected);

    let (remove, done) = taken(&mut files, |files| files.remove("/old"));
    done.expect("there");
    let expected = AccessCounts {
        reads: 1,
        read_bytes: 128,
        writes: 1,
        written_bytes: 1,
        persists: 1,
    };
    assert_eq!(remove, expected);
}

/// A log of small records commits a record for its extents a few times, not at each append.
#[test]
fn a_log_that_grows_by_little_rarely_needs_a_record() {
    let mut files = mounted(2);
    let log = files.open("/log", FlatOpen::Create).expect("room");
    // An eighth of the free space limits the reserve here, so that a record reserves 2 to 8 KiB.
    let (counts, records) = (40_000 / 500, 10);
    let (taken, ()) = taken(&mut files, |files| {
        for number in 0..counts {
            files.write(log, 500 * number, &[7; 500]).expect("room");
        }
    });
    let metadata = taken.written_bytes - 500 * counts;
    assert!(metadata <= 9 * counts + 78 * records, "{metadata}");
}

/// An atom that holds a length saves the byte that chooses one.
#[test]
fn an_append_is_two_writes_where_an_atom_holds_the_length() {
    let mut files = mounted(8);
    let log = files.open("/log", FlatOpen::Create).expect("room");
    let (append, done) = taken(&mut files, |files| {
        files.write(log, 0, &[1; 256])?;
        files.sync(log)
    });
    done.expect("room");
    let expected = AccessCounts {
        writes: 2,
        written_bytes: 256 + 8,
        persists: 2,
        ..AccessCounts::default()
    };
    assert_eq!(append, expected);
}
