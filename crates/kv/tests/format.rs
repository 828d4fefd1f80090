//! The written format, byte for byte, and what comes of images in another one.

use wordline_kv::{Error, Geometry, Options, RamDirectory, Table, VERSION, format};
use wordline_memory::{ByteMemory, OutOfRange, RamMemory};

type Memory = RamMemory<288>;

const RECORDS: [(&[u8], &[u8]); 3] = [
    (b"speed", b"9600"),
    (b"a key of 16 byte", b""),
    (b"name", b"a value that takes two slots"),
];

fn written() -> Memory {
    let mut memory = Memory::new();
    let options = Options {
        slot_bytes: 32,
        resident_directory: false,
        seed: 7,
    };
    format(&mut memory, &options).expect("room");
    let mut table = open(memory).expect("formatted");
    table.put(RECORDS[0].0, b"300").expect("room");
    for (key, value) in RECORDS {
        table.put(key, value).expect("room");
    }
    table.into_memory()
}

type Opened = Table<Memory, RamDirectory<[u64; 2]>, [u8; 64]>;

fn open(memory: Memory) -> Result<Opened, Error<OutOfRange>> {
    Table::open(memory, RamDirectory::new([0; 2]), [0; 64])
}

fn bytes(memory: &mut Memory) -> [u8; 288] {
    let mut bytes = [0; 288];
    memory.read(0, &mut bytes).expect("inside");
    bytes
}

fn hex(bytes: &[u8]) -> String {
    let lines = bytes.chunks(32).map(|line| {
        let digits = line.iter().map(|byte| format!("{byte:02x}"));
        digits.collect::<String>() + "\n"
    });
    lines.collect()
}

/// An image that was written once: a change of it is another version.
#[test]
fn the_image_is_that_of_version_2() {
    let image = bytes(&mut written());
    assert_eq!(
        hex(&image),
        include_str!("golden/version-2.hex"),
        "{}",
        hex(&image)
    );
}

#[test]
fn the_image_is_read_back() {
    let mut table = open(written()).expect("sound");
    let mut out = [0; 64];
    for (key, value) in RECORDS {
        let length = table.get(key, &mut out).expect("sound").expect("there");
        assert_eq!(&out[..length], value);
    }
    assert_eq!(table.len(), 3);
}

/// The example of SPEC.md.
#[test]
fn the_residue_is_what_a_division_leaves() {
    let mut number = 5_u32.to_le_bytes().to_vec();
    number.extend([3, 0, 2, 0, 1, 0, 0, 0]);
    number.extend(b"keyab");
    let left = number
        .iter()
        .rev()
        .fold(0_u64, |left, byte| (left * 256 + u64::from(*byte)) % 65_519);
    assert_eq!(left, 37_374);
}

/// With the CRC of its header, so that nothing but the version is wrong.
#[test]
fn another_version_is_named() {
    for version in [1, VERSION + 1] {
        let mut image = bytes(&mut written());
        image[8..10].copy_from_slice(&version.to_le_bytes());
        let check = crc32(&image[..32]);
        image[32..36].copy_from_slice(&check.to_le_bytes());
        let mut memory = Memory::new();
        memory.write(0, &image).expect("inside");
        let refused = Geometry::read(&mut memory).expect_err("refused");
        assert_eq!(
            refused,
            Error::Version {
                version,
                features: 0
            }
        );
    }
}

/// CRC-32C, a bit at a time.
fn crc32(bytes: &[u8]) -> u32 {
    let left = bytes.iter().fold(u32::MAX, |left, byte| {
        (0..8).fold(left ^ u32::from(*byte), |left, _| {
            left >> 1 ^ if left & 1 == 1 { 0x82F6_3B78 } else { 0 }
        })
    });
    !left
}
