//! What is refused, and what happens when something runs out.

use wordline_flat::{FlatError, FlatFiles, FlatOpen, FlatShape, FlatUse, VERSION, format};
use wordline_memory::{ByteMemory, OutOfRange, RamMemory};

const BYTES: usize = 16 << 10;
type LimitedFiles = FlatFiles<RamMemory<BYTES>, Vec<u32>>;
type FlatRefusal = FlatError<OutOfRange>;

const SHAPE: FlatShape = FlatShape {
    bytes: BYTES as u64,
    unit_bytes: 64,
    records: 16,
    extents: 2,
};

const USE: FlatUse = FlatUse {
    open_files: 2,
    reserve_bytes: 1024,
};

fn formatted(shape: &FlatShape) -> RamMemory<BYTES> {
    let mut memory = RamMemory::new();
    format(&mut memory, shape).expect("it suits");
    memory
}

fn mounted(memory: RamMemory<BYTES>) -> Result<LimitedFiles, FlatRefusal> {
    let ram = vec![0; SHAPE.ram_words(&USE) as usize];
    FlatFiles::mount(memory, &USE, ram)
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let mut memory = RamMemory::<BYTES>::new();
    let usual = FlatShape::usual(BYTES as u64);
    assert_eq!(format(&mut memory, &usual), Ok(()));
    for (unit_bytes, records, extents) in [
        (100, 16, 8),
        (32, 16, 8),
        (64, 15, 8),
        (64, 16, 0),
        (64, 16, 49),
    ] {
        let shape = FlatShape {
            bytes: BYTES as u64,
            unit_bytes,
            records,
            extents,
        };
        let refused = FlatError::Shape {
            unit_bytes,
            records,
            extents,
        };
        assert_eq!(format(&mut memory, &shape), Err(refused));
    }
    let many = FlatShape {
        records: 1000,
        ..SHAPE
    };
    let refused = format(&mut memory, &many);
    assert!(
        matches!(
            refused,
            Err(FlatError::Capacity {
                needed: 128_128,
                ..
            })
        ),
        "{refused:?}"
    );
    let long = FlatShape {
        bytes: 1 << 20,
        ..SHAPE
    };
    let refused = format(&mut memory, &long);
    assert!(
        matches!(refused, Err(FlatError::Truncated { .. })),
        "{refused:?}"
    );
}

#[test]
fn usual_shapes_hold_from_4_mb_to_1_gb() {
    for (bytes, unit, units, words) in [
        (512 << 10, 256, 1919, 60 + 256 + 8 * 72),
        (8 << 20, 256, 32_255, 1008 + 1024 + 8 * 72),
        (128 << 20, 4096, 32_735, 1023 + 1024 + 8 * 72),
    ] {
        let shape = FlatShape::usual(bytes);
        assert_eq!((shape.unit_bytes, shape.units()), (unit, units));
        assert_eq!(shape.ram_words(&FlatUse::default()), words);
    }
}

#[test]
fn memories_without_files_and_of_other_versions_are_told_apart() {
    assert_eq!(mounted(RamMemory::new()).err(), Some(FlatError::Foreign));
    let mut other = formatted(&SHAPE);
    other.write(9, &[7]).expect("inside");
    assert_eq!(mounted(other).err(), Some(FlatError::DamagedHeader));
    assert_eq!(VERSION, 1);
    let memory = formatted(&SHAPE);
    let needed = SHAPE.ram_words(&USE);
    let short = FlatFiles::mount(memory, &USE, vec![0; needed as usize - 1]).err();
    let words = needed - 1;
    assert_eq!(short, Some(FlatError::Ram { needed, words }));
}

#[test]
fn no_more_files_are_open_than_there_is_ram_for() {
    let mut files = mounted(formatted(&SHAPE)).expect("formatted");
    let a = files.open("/a", FlatOpen::Create).expect("room");
    let b = files.open("/b", FlatOpen::Create).expect("room");
    let refused = files.open("/c", FlatOpen::Create).err();
    assert_eq!(refused, Some(FlatError::TooManyOpen { open_files: 2 }));
    assert_eq!(files.entry("/c"), Err(FlatError::NotFound));
    files.close(a).expect("open");
    let c = files.open("/c", FlatOpen::Create).expect("room");
    // A handle that was closed is not that of the file which is open in its place.
    assert_eq!(files.length(a), Err(FlatError::NotOpen));
    assert_eq!(files.remove("/b"), Err(FlatError::Busy));
    let past = FlatError::PastEnd { at: 1, bytes: 0 };
    assert_eq!(files.write(c, 1, b"x"), Err(past));
    assert_eq!(files.truncate(b, 1 << 32), Err(FlatError::TooLong));
    files.close(c).expect("open");
    assert_eq!(files.open("/b", FlatOpen::Existing), Err(FlatError::Busy));
}

#[test]
fn an_open_file_can_be_renamed_and_grows_under_its_new_name() {
    let mut files = mounted(formatted(&SHAPE)).expect("formatted");
    let file = files.open("/a", FlatOpen::Create).expect("room");
    files.write(file, 0, &[1; 100]).expect("room");
    files.rename("/a", "/b").expect("there");
    files.write(file, 100, &[2; 2000]).expect("room");
    files.sync(file).expect("open");
    let mut files = mounted(files.into_memory()).expect("formatted");
    assert_eq!(files.entry("/b").map(|entry| entry.bytes), Ok(2100));
    assert_eq!(files.entry("/a"), Err(FlatError::NotFound));
}

#[test]
fn slots_run_out_for_new_names_and_not_for_renames_and_growth() {
    let mut files = mounted(formatted(&SHAPE)).expect("formatted");
    let mut made = 0;
    while files.make_directory(&format!("/{made}")).is_ok() {
        made += 1;
    }
    assert_eq!(made, 16 - 7);
    assert_eq!(files.make_directory("/x"), Err(FlatError::NoRecords));
    files.rename("/0", "/other").expect("slots are kept free");
    files.remove("/other").expect("it is empty");
    let file = files.open("/f", FlatOpen::Create).expect("a slot is free");
    for at in 0..10 {
        files.write(file, at * 1000, &[3; 1000]).expect("room");
    }
}

#[test]
fn what_others_reserve_is_given_up_before_a_file_is_refused() {
    let mut files = mounted(formatted(&SHAPE)).expect("formatted");
    let a = files.open("/a", FlatOpen::Create).expect("room");
    files.write(a, 0, &[1; 64]).expect("room");
    let b = files.open("/b", FlatOpen::Create).expect("room");
    let free = files.room().free;
    files
        .truncate(b, free)
        .expect("all that is free, reserves included");
    assert_eq!(files.room().free, 0);
    assert_eq!(files.write(a, 64, &[1]), Err(FlatError::NoSpace));
    // Within its last unit it has room.
    files.write(a, 10, &[1; 54]).expect("its own");
}

#[test]
fn a_file_whose_extents_are_used_up_says_so_and_keeps_what_it_has() {
    let mut files = mounted(formatted(&SHAPE)).expect("formatted");
    // Free units between those of others: one and one.
    let names: Vec<_> = (0..6).map(|number| format!("/{number}")).collect();
    for name in &names {
        let file = files.open(name, FlatOpen::Create).expect("room");
        files.write(file, 0, &[5; 64]).expect("room");
        files.close(file).expect("open");
    }
    let file = files.open("/all", FlatOpen::Create).expect("room");
    let free = files.room().free;
    files.truncate(file, free).expect("room");
    files.close(file).expect("open");
    for name in names.iter().step_by(2) {
        files.remove(name).expect("closed");
    }
    let file = files.open("/log", FlatOpen::Create).expect("room");
    files.write(file, 0, &[6; 128]).expect("two units");
    let refused = files.write(file, 128, &[7; 64]);
    assert_eq!(refused, Err(FlatError::Fragmented { extents: 2 }));
    assert_eq!(files.length(file), Ok(128));
    let mut bytes = [0; 200];
    assert_eq!(files.read(file, 0, &mut bytes), Ok(128));
    assert_eq!(bytes[..128], [6; 128]);
}

#[test]
fn directories_are_not_moved_into_themselves() {
    let mut files = mounted(formatted(&SHAPE)).expect("formatted");
    files.make_directory("/a").expect("room");
    files.make_directory("/a/b").expect("room");
    assert_eq!(files.rename("/a", "/a/b/c"), Err(FlatError::IntoItself));
    assert_eq!(files.rename("/a/b", "/a"), Err(FlatError::NotEmpty));
    assert_eq!(files.remove("/a"), Err(FlatError::NotEmpty));
    files.rename("/a/b", "/b").expect("there");
    files.rename("/a", "/b/a").expect("there");
    assert_eq!(
        files.entry("/b/a").map(|entry| entry.is_directory),
        Ok(true)
    );
}
