//! CRC-32C (Castagnoli) over a few hundred bytes, with tables that the compiler makes: 64 bytes on a microcontroller; where
//! pointers have 64 bits 8 KiB, by which eight bytes are a step.

/// The reflected polynomial.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// The rests that values of four or eight bits leave.
const fn table<const VALUES: usize>() -> [u32; VALUES] {
    let mut table = [0; VALUES];
    let mut value = 0;
    while value < VALUES {
        let mut rest = value as u32;
        let mut bit = 0;
        while bit < VALUES.ilog2() {
            rest = (rest >> 1) ^ if rest & 1 == 0 { 0 } else { POLYNOMIAL };
            bit += 1;
        }
        table[value] = rest;
        value += 1;
    }
    table
}

/// The rests that a byte leaves with so many zeros behind it.
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [table(); 8];
    let mut zeros = 1;
    while zeros < 8 {
        let mut value = 0;
        while value < 256 {
            let rest = tables[zeros - 1][value];
            tables[zeros][value] = (rest >> 8) ^ tables[0][rest as usize & 0xFF];
            value += 1;
        }
        zeros += 1;
    }
    tables
}

static OF_HALF_BYTES: [u32; 16] = table();
static OF_BYTES: [[u32; 256]; 8] = tables();

/// The CRC-32C of bytes that follow each other.
pub(crate) fn crc32(parts: &[&[u8]]) -> u32 {
    let with = match cfg!(target_pointer_width = "64") {
        true => with_eights,
        false => with_half_bytes,
    };
    !parts.iter().fold(u32::MAX, |rest, part| with(rest, part))
}

/// The rest after more bytes.
fn with_half_bytes(rest: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(rest, |rest, byte| {
        let rest = rest ^ u32::from(*byte);
        let rest = (rest >> 4) ^ OF_HALF_BYTES[(rest & 15) as usize];
        (rest >> 4) ^ OF_HALF_BYTES[(rest & 15) as usize]
    })
}

/// The same, eight bytes at a time.
fn with_eights(rest: u32, bytes: &[u8]) -> u32 {
    let (eights, others) = bytes.as_chunks::<8>();
    let rest = eights.iter().fold(rest, |rest, eight| {
        let value = u64::from_le_bytes(*eight) ^ u64::from(rest);
        let of = |at: usize| OF_BYTES[7 - at][(value >> (8 * at)) as usize & 0xFF];
        (0..8).fold(0, |rest, at| rest ^ of(at))
    });
    others.iter().fold(rest, |rest, byte| {
        (rest >> 8) ^ OF_BYTES[0][(rest as usize ^ usize::from(*byte)) & 0xFF]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the catalogue of parametrised CRC algorithms by Greg Cook, entry CRC-32/ISCSI.
    #[test]
    fn the_check_value_is_that_of_the_catalogue() {
        for with in [with_half_bytes, with_eights] {
            assert_eq!(!with(u32::MAX, b"123456789"), 0xE306_9283);
        }
        assert_eq!(crc32(&[b"1234", b"", b"56789"]), 0xE306_9283);
    }
}
