//! A memory that fails once, at each access in turn: the call tells it, and the table goes on without a panic. Opened
//! again it holds what it held before or after that call.

use std::collections::BTreeMap;

use wordline_kv::{
    AnyDirectory, Cursor, Error, Geometry, Options, RamDirectory, ResidentDirectory, Table, format,
};
use wordline_memory::{ByteMemory, OutOfRange, RamMemory};

type Map = BTreeMap<Vec<u8>, Vec<u8>>;

/// Fails at one access. A write that fails is done or not done.
struct Failing {
    memory: RamMemory<1024>,
    accesses: u64,
    fails_at: u64,
    lands: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Failed;

impl From<OutOfRange> for Failed {
    fn from(_: OutOfRange) -> Self {
        unreachable!("the table stays inside")
    }
}

impl Failing {
    fn fails(&mut self) -> bool {
        self.accesses += 1;
        self.accesses - 1 == self.fails_at
    }
}

impl ByteMemory for Failing {
    type Error = Failed;

    fn len(&self) -> u64 {
        self.memory.len()
    }

    fn atom(&self) -> usize {
        2
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), Failed> {
        if self.fails() {
            return Err(Failed);
        }
        Ok(self.memory.read(at, out)?)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), Failed> {
        let fails = self.fails();
        if !fails || self.lands {
            self.memory.write(at, data)?;
        }
        if fails { Err(Failed) } else { Ok(()) }
    }

    fn persist(&mut self) -> Result<(), Failed> {
        if self.fails() { Err(Failed) } else { Ok(()) }
    }
}

#[derive(Clone, Debug)]
enum Call {
    Put(Vec<u8>, Vec<u8>),
    Remove(Vec<u8>),
}

/// Short records, one that needs several slots, updates of each by each, and removes.
fn calls() -> Vec<Call> {
    let put = |key: &[u8], length: usize| Call::Put(key.to_vec(), vec![length as u8; length]);
    let remove = |key: &[u8]| Call::Remove(key.to_vec());
    vec![
        put(b"a", 4),
        put(b"a", 5),
        put(b"b", 40),
        put(b"b", 3),
        put(b"a", 30),
        put(b"c", 8),
        put(b"c", 8),
        remove(b"a"),
        put(b"c", 7),
        // Twice: a call that failed may have left two versions.
        remove(b"a"),
        remove(b"b"),
        remove(b"c"),
        remove(b"b"),
        remove(b"c"),
    ]
}

fn done(map: &Map, call: &Call) -> Map {
    let mut map = map.clone();
    match call {
        Call::Put(key, value) => map.insert(key.clone(), value.clone()),
        Call::Remove(key) => map.remove(key),
    };
    map
}

type Tested = Table<Failing, AnyDirectory<Vec<u64>>, Vec<u8>>;

fn open(memory: Failing, is_resident: bool, geometry: &Geometry) -> Result<Tested, Error<Failed>> {
    let directory = if is_resident {
        AnyDirectory::Resident(ResidentDirectory::new())
    } else {
        AnyDirectory::Ram(RamDirectory::new(vec![0; geometry.directory_words()]))
    };
    Table::open(memory, directory, vec![0; geometry.scratch_bytes()])
}

fn call(table: &mut Tested, call: &Call) -> Result<(), Error<Failed>> {
    match call {
        Call::Put(key, value) => table.put(key, value).map(drop),
        Call::Remove(key) => table.remove(key).map(drop),
    }
}

fn everything(table: &mut Tested) -> Map {
    let mut map = Map::new();
    let (mut cursor, mut key, mut value) = (Cursor::default(), [0; 64], [0; 64]);
    while let Some(entry) = table
        .next(&mut cursor, &mut key, &mut value)
        .expect("sound")
    {
        map.insert(key[..entry.key].to_vec(), value[..entry.value].to_vec());
    }
    map
}

/// Runs the calls with a failure at one access. Returns whether it came to that.
fn fail_at(fails_at: u64, lands: bool, is_resident: bool, goes_on: bool) -> bool {
    let options = Options {
        slot_bytes: 24,
        resident_directory: is_resident,
        seed: 1,
    };
    let mut memory = Failing {
        memory: RamMemory::new(),
        accesses: 0,
        fails_at: u64::MAX,
        lands,
    };
    let geometry = format(&mut memory, &options).expect("room");
    let mut table = open(memory, is_resident, &geometry).expect("formatted");
    let memory = table.memory();
    (memory.accesses, memory.fails_at) = (0, fails_at);

    let (mut before, mut after) = (Map::new(), Map::new());
    let mut failed = false;
    for one in calls() {
        after = done(&before, &one);
        match call(&mut table, &one) {
            Ok(()) => before = after.clone(),
            Err(error) if !failed => {
                assert_eq!(error, Error::Memory(Failed));
                failed = true;
                if !goes_on {
                    break;
                }
            }
            // What a table says after a failure may be wrong until it is opened again.
            Err(_) => {}
        }
        assert!(table.free_slots() <= geometry.slots() && table.len() <= geometry.slots());
    }
    if failed && !goes_on {
        let memory = table.into_memory();
        let mut table = open(memory, is_resident, &geometry).expect("it opens");
        let found = everything(&mut table);
        assert!(found == before || found == after, "{fails_at}: {found:?}");
    }
    failed
}

#[test]
fn a_failure_is_told_and_opening_again_tells_what_became_of_the_call() {
    for (lands, is_resident) in [(false, false), (false, true), (true, false), (true, true)] {
        let failures = (0..).take_while(|at| fail_at(*at, lands, is_resident, false));
        // Each call reads, writes or persists several times.
        assert!(failures.count() > 4 * calls().len());
    }
}

#[test]
fn a_table_goes_on_after_a_failure_without_a_panic() {
    for (lands, is_resident) in [(false, false), (false, true), (true, false), (true, true)] {
        let failures = (0..).take_while(|at| fail_at(*at, lands, is_resident, true));
        assert!(failures.count() > 4 * calls().len());
    }
}
