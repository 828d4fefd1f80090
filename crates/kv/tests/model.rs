//! The table beside a plain map: random calls, sizes that share slots badly, and tables that are opened again.

#[path = "../examples/firmware.rs"]
mod firmware;

use std::collections::BTreeMap;

use proptest::prelude::*;
use wordline_kv::{
    AnyDirectory, Cursor, Directory, Error, Options, Put, RamDirectory, ResidentDirectory, Table,
    format,
};
use wordline_memory::{OutOfRange, RamMemory};

type Memory = RamMemory<4096>;
type Map = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Clone, Debug)]
enum Call {
    Put(u8, usize, u8),
    Remove(u8),
    Get(u8),
    Open,
}

/// Keys of many lengths, of which the first differ in one bit.
fn key(number: u8) -> Vec<u8> {
    let length = 1 + usize::from(number) * 7 % 40;
    let mut key = vec![0x55; length];
    key[0] = number;
    key
}

fn call() -> impl Strategy<Value = Call> {
    let lengths = prop_oneof![4 => 0..16_usize, 2 => 16..80_usize, 1 => 80..400_usize];
    prop_oneof![
        6 => (0..24u8, lengths, any::<u8>()).prop_map(|(key, length, fill)| Call::Put(key, length, fill)),
        3 => (0..24u8).prop_map(Call::Remove),
        2 => (0..24u8).prop_map(Call::Get),
        1 => Just(Call::Open),
    ]
}

fn value(length: usize, fill: u8) -> Vec<u8> {
    (0..length)
        .map(|place| fill.wrapping_add(place as u8))
        .collect()
}

fn everything<D: Directory<Memory>>(table: &mut Table<Memory, D, Vec<u8>>) -> Map {
    let mut map = Map::new();
    let (mut cursor, mut key, mut value) = (Cursor::default(), [0; 64], [0; 512]);
    while let Some(entry) = table
        .next(&mut cursor, &mut key, &mut value)
        .expect("sound")
    {
        let before = map.insert(key[..entry.key].to_vec(), value[..entry.value].to_vec());
        assert_eq!(before, None, "a key comes once");
    }
    map
}

fn follows<D: Directory<Memory>>(options: &Options, calls: &[Call], directory: impl Fn() -> D) {
    let mut memory = Memory::new();
    let geometry = format(&mut memory, options).expect("room");
    let scratch = || vec![0; geometry.scratch_bytes() + 300];
    let mut table = Table::open(memory, directory(), scratch()).expect("formatted");
    let mut map = Map::new();
    let mut out = [0; 512];
    for call in calls {
        match call {
            Call::Put(number, length, fill) => {
                let (key, value) = (key(*number), value(*length, *fill));
                let slots = geometry.slots_of(key.len(), value.len());
                let free = table.free_slots();
                match table.put(&key, &value) {
                    Ok(put) => {
                        let was = map.insert(key, value).is_some();
                        assert_eq!(put, if was { Put::Updated } else { Put::Inserted });
                    }
                    Err(Error::NoRoom { .. }) => assert!(slots >= free, "{slots} of {free} slots"),
                    Err(error) => panic!("{error}"),
                }
            }
            Call::Remove(number) => {
                let removed = table.remove(&key(*number)).expect("sound");
                assert_eq!(removed, map.remove(&key(*number)).is_some());
            }
            Call::Get(number) => {
                let found = table.get(&key(*number), &mut out).expect("sound");
                assert_eq!(
                    found.map(|length| &out[..length]),
                    map.get(&key(*number)).map(Vec::as_slice)
                );
            }
            Call::Open => {
                let free = table.free_slots();
                table = Table::open(table.into_memory(), directory(), scratch())
                    .expect("closed in order");
                assert_eq!(table.free_slots(), free, "no slot is lost");
                assert!(!table.recovery().torn && !table.recovery().superseded);
            }
        }
        let used: u32 = map
            .iter()
            .map(|(key, value)| geometry.slots_of(key.len(), value.len()))
            .sum();
        assert_eq!(
            table.free_slots(),
            geometry.slots() - used,
            "no slot is lost"
        );
        assert_eq!(table.len() as usize, map.len());
    }
    assert_eq!(everything(&mut table), map);
}

proptest! {
    #[test]
    fn a_table_does_what_a_map_does(
        calls in prop::collection::vec(call(), 1..120),
        slot_bytes in prop::sample::select(vec![16, 18, 24, 44, 64, 200]),
    ) {
        let options = Options { slot_bytes, ..Options::for_records(4, 4, 1) };
        follows(&options, &calls, || RamDirectory::new(vec![0; 200]));
        follows(&options.resident(), &calls, ResidentDirectory::new);
        follows(&options, &calls, || AnyDirectory::Ram(RamDirectory::new(vec![0; 200])));
        let resident = || AnyDirectory::<Vec<u64>>::Resident(ResidentDirectory::new());
        follows(&options.resident(), &calls, resident);
    }

    #[test]
    fn whatever_the_memory_holds_opening_it_ends(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        at in 0..4096_u64,
    ) {
        use wordline_memory::ByteMemory;
        let mut memory = Memory::new();
        format(&mut memory, &Options { slot_bytes: 24, ..Options::for_records(4, 4, 1) }).expect("room");
        let mut table = Table::open(memory, RamDirectory::new([0; 200]), vec![0; 96]).expect("formatted");
        for number in 0..20 {
            table.put(&key(number), &value(usize::from(number) * 5, number)).expect("room");
        }
        let mut memory = table.into_memory();
        let room = (4096 - at) as usize;
        memory.write(at, &bytes[..bytes.len().min(room)]).expect("inside");
        if let Ok(mut table) = Table::open(memory, RamDirectory::new([0; 200]), vec![0; 96]) {
            for number in 0..24 {
                let mut out = [0; 512];
                // Whatever is found is right: most of it is lost, and damage is told.
                if let Ok(Some(length)) = table.get(&key(number), &mut out) {
                    assert_eq!(&out[..length], value(usize::from(number) * 5, number));
                }
                let _ = table.put(&key(number), b"new");
                let _ = table.remove(&key(number));
            }
        }
    }
}

#[test]
fn a_table_fills_to_the_last_slot_but_one_and_can_still_be_updated() {
    for options in [
        Options::for_records(4, 4, 2),
        Options::for_records(4, 4, 2).resident(),
    ] {
        if options.resident_directory {
            fills(&options, ResidentDirectory::new());
        } else {
            fills(&options, RamDirectory::new([0; 200]));
        }
    }
}

fn fills<D: Directory<Memory>>(options: &Options, directory: D) {
    let mut memory = Memory::new();
    let geometry = format(&mut memory, options).expect("room");
    let mut table = Table::open(memory, directory, vec![0; 64]).expect("formatted");
    let last = geometry.slots() - 1;
    for number in 0..last {
        table
            .put(&number.to_le_bytes(), &number.to_le_bytes())
            .expect("room");
    }
    let full = Error::NoRoom { needed: 1, free: 0 };
    assert_eq!(table.put(&last.to_le_bytes(), &[0; 4]), Err(full));
    for round in 1..4 {
        for number in 0..last {
            let value = (number + round).to_le_bytes();
            assert_eq!(table.put(&number.to_le_bytes(), &value), Ok(Put::Updated));
        }
    }
    for number in 0..last {
        let mut out = [0; 4];
        assert_eq!(table.get(&number.to_le_bytes(), &mut out), Ok(Some(4)));
        assert_eq!(out, (number + 3).to_le_bytes());
        assert_eq!(table.remove(&number.to_le_bytes()), Ok(true));
    }
    assert_eq!(table.free_slots(), geometry.slots());
}

#[test]
fn bad_input_has_its_name() {
    use wordline_memory::ByteMemory;
    let directory = || RamDirectory::new([0; 200]);
    let open = |memory: Memory| {
        Table::open(memory, directory(), [0; 128])
            .map(|_| ())
            .expect_err("bad")
    };
    assert_eq!(open(Memory::new()), Error::Foreign);
    assert!(matches!(
        Table::open(RamMemory::<8>::new(), directory(), [0; 128]).map(|_| ()),
        Err(Error::Foreign)
    ));
    for slot_bytes in [0, 14, 17, 40000] {
        let options = Options {
            slot_bytes,
            ..Options::for_records(4, 4, 1)
        };
        assert_eq!(
            format(&mut Memory::new(), &options),
            Err(Error::SlotSize { slot_bytes })
        );
    }
    let small = format(&mut RamMemory::<128>::new(), &Options::for_records(4, 4, 1));
    assert_eq!(
        small,
        Err(Error::TooSmall {
            needed: 176,
            bytes: 128
        })
    );

    let mut memory = Memory::new();
    let geometry = format(&mut memory, &Options::for_records(8, 8, 2)).expect("room");
    let short = Table::open(memory.clone(), RamDirectory::new([0; 4]), [0; 128]).map(|_| ());
    assert_eq!(
        short,
        Err(Error::Directory {
            needed: geometry.directory_words() as u64,
            words: 4
        })
    );
    let short = Table::open(memory.clone(), directory(), [0; 39]).map(|_| ());
    assert_eq!(
        short,
        Err(Error::Scratch {
            needed: 48,
            bytes: 39
        })
    );
    let none = Table::open(memory.clone(), ResidentDirectory::new(), [0; 128]).map(|_| ());
    assert_eq!(none, Err(Error::NoDirectory));

    let mut table = Table::open(memory.clone(), directory(), [0; 128]).expect("formatted");
    assert_eq!(table.put(b"", b"value"), Err(Error::EmptyKey));
    assert_eq!(table.get(b"", &mut []), Err(Error::EmptyKey));
    assert_eq!(
        table.put(&[1; 65536], b""),
        Err(Error::KeyTooLong { bytes: 65536 })
    );
    assert_eq!(
        table.put(b"key", &[1; 65536]),
        Err(Error::ValueTooLong { bytes: 65536 })
    );
    assert!(matches!(
        table.put(b"key", &[1; 65535]),
        Err(Error::NoRoom { .. })
    ));
    table.put(b"key", b"value").expect("room");
    assert_eq!(
        table.get(b"key", &mut [0; 4]),
        Err(Error::Buffer {
            needed: 5,
            bytes: 4
        })
    );
    assert_eq!(table.get(b"other", &mut [0; 4]), Ok(None));

    // The first bytes of the same table on a smaller memory, and a table of a later version.
    let mut memory = table.into_memory();
    let mut head = [0; 1024];
    memory.read(0, &mut head).expect("inside");
    let mut truncated = RamMemory::<1024>::new();
    truncated.write(0, &head).expect("inside");
    let found = Table::open(truncated, directory(), [0; 128]).map(|_| ());
    assert_eq!(
        found,
        Err(Error::Truncated {
            needed: geometry.bytes(),
            bytes: 1024
        })
    );
    memory.write(12, &[0xFF; 8]).expect("inside");
    assert_eq!(open(memory), Error::BadHeader);
}

#[test]
fn one_wrong_bit_of_the_header_is_mended_and_the_rest_of_the_error_is_told() {
    use std::error::Error as _;
    use wordline_memory::ByteMemory;
    let mut memory = Memory::new();
    let geometry = format(&mut memory, &Options::for_records(8, 8, 2)).expect("room");
    for bit in 0..36 * 8 {
        let mut memory = memory.clone();
        let mut byte = [0];
        memory.read(bit / 8, &mut byte).expect("inside");
        memory
            .write(bit / 8, &[byte[0] ^ 1 << (bit % 8)])
            .expect("inside");
        let table = Table::open(memory, RamDirectory::new([0; 200]), [0; 128]).expect("mended");
        assert_eq!(*table.geometry(), geometry);
    }
    let outside = OutOfRange {
        at: 0,
        bytes: 1,
        capacity: 0,
    };
    assert!(Error::Memory(outside).source().is_some());
}

#[test]
fn every_single_bit_of_an_image_is_harmless() {
    use wordline_memory::ByteMemory;
    type Small = RamMemory<1200>;
    let mut memory = Small::new();
    format(
        &mut memory,
        &Options {
            slot_bytes: 24,
            ..Options::for_records(4, 4, 2)
        },
    )
    .expect("room");
    let open = |memory| Table::open(memory, RamDirectory::new([0; 20]), [0; 96]);
    let mut table = open(memory).expect("formatted");
    let stored = |number: u8| value(usize::from(number) * 6, number);
    for round in 0..2 {
        for number in 0..10 {
            let value = if round == 0 {
                vec![7; 5]
            } else {
                stored(number)
            };
            table.put(&key(number), &value).expect("room");
        }
    }
    table.remove(&key(3)).expect("sound");
    let mut memory = table.into_memory();
    let (mut right, mut told) = (0, 0);
    for bit in 0..1200 * 8 {
        let mut byte = [0];
        memory.read(bit / 8, &mut byte).expect("inside");
        memory
            .write(bit / 8, &[byte[0] ^ 1 << (bit % 8)])
            .expect("inside");
        let Ok(mut table) = open(memory.clone()) else {
            told += 1;
            memory.write(bit / 8, &byte).expect("inside");
            continue;
        };
        for number in 0..12 {
            let mut out = [0; 64];
            match table.get(&key(number), &mut out) {
                Ok(Some(length)) if number < 10 && number != 3 => {
                    assert_eq!(&out[..length], stored(number))
                }
                Ok(None) => assert!(
                    number >= 10 || number == 3,
                    "bit {bit}: key {number} is lost"
                ),
                Ok(Some(_)) => panic!("bit {bit}: key {number} is back"),
                Err(Error::Corrupt { .. }) => told += 1,
                Err(error) => panic!("bit {bit}: {error}"),
            }
            right += 1;
        }
        memory.write(bit / 8, &byte).expect("inside");
    }
    // Most bits are mended; those of continuations are told: when the table is opened, where a key goes on in one.
    assert!(
        right > 70_000 && told > 100 && told < 4800,
        "{right} {told}"
    );
}

/// Flips one bit of the first place that holds these bytes.
fn flip_in(memory: &mut Memory, bytes: &[u8]) {
    use wordline_memory::ByteMemory;
    let mut all = [0; 4096];
    memory.read(0, &mut all).expect("inside");
    let at = all.windows(bytes.len()).position(|found| found == bytes);
    let at = at.expect("it is stored");
    memory.write(at as u64, &[all[at] ^ 4]).expect("inside");
}

#[test]
fn a_record_with_a_damaged_key_or_value_is_told_and_can_be_discarded() {
    let options = Options {
        slot_bytes: 24,
        ..Options::for_records(4, 4, 1)
    };
    for in_key in [true, false] {
        let mut memory = Memory::new();
        format(&mut memory, &options).expect("room");
        let open = |memory| Table::open(memory, RamDirectory::new([0; 200]), vec![0; 96]);
        let mut table = open(memory).expect("formatted");
        // 40 bytes, of which the first eight lie in the head's slot.
        let long = |number: u8| -> Vec<u8> { (0..40).map(|place| place + number * 40).collect() };
        let value = |number: u8| vec![200 + number; 30];
        for number in 0..4 {
            table.put(&long(number), &value(number)).expect("room");
            table.put(&[number], &[number]).expect("room");
        }
        let (records, free) = (table.len(), table.free_slots());
        let mut memory = table.into_memory();
        let (key, after) = (long(2), value(2));
        flip_in(&mut memory, if in_key { &key[30..36] } else { &after[..6] });

        let mut table = open(memory).expect("the others are sound");
        assert_eq!((table.len(), table.free_slots()), (records, free));
        assert_eq!(table.recovery().damaged, 1);
        let mut out = [0; 64];
        let Err(Error::Corrupt { slot }) = table.get(&key, &mut out) else {
            panic!("the damage is not told");
        };
        let corrupt = Error::Corrupt { slot };
        assert_eq!(table.contains(&key), Err(corrupt));
        assert_eq!(table.put(&key, b"new"), Err(corrupt));
        assert_eq!(table.remove(&key), Err(corrupt));
        // A key that begins unlike it is not in the table, and the others are.
        assert_eq!(table.get(&[9; 40], &mut out), Ok(None));
        for number in [0, 1, 3] {
            assert_eq!(table.get(&long(number), &mut out), Ok(Some(30)));
            assert_eq!(out[..30], value(number));
        }
        let (mut cursor, mut seen, mut told) = (Cursor::default(), 0, Vec::new());
        loop {
            match table.next(&mut cursor, &mut [0; 64], &mut [0; 64]) {
                Ok(Some(_)) => seen += 1,
                Ok(None) => break,
                Err(error) => told.push(error),
            }
        }
        assert_eq!((seen, told), (records - 1, vec![corrupt]));

        assert_eq!(table.discard(slot), Ok(true));
        assert_eq!(table.discard(slot), Ok(false));
        assert_eq!(table.discard(u32::MAX), Ok(false));
        assert_eq!(table.get(&key, &mut out), Ok(None));
        assert_eq!(table.put(&key, &value(2)), Ok(Put::Inserted));
        let mut table = open(table.into_memory()).expect("sound again");
        assert_eq!((table.len(), table.free_slots()), (records, free));
        assert_eq!(table.recovery().damaged, 0);
        assert_eq!(table.get(&key, &mut out), Ok(Some(30)));
    }
}

#[test]
fn the_example_for_firmware_runs() {
    firmware::main().expect("settings are kept");
}
