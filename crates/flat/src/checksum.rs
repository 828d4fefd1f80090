//! CRC-32C (Castagnoli) over a few hundred bytes, with a table of 64 bytes, which the compiler makes.

/// The reflected polynomial.
const POLYNOMIAL: u32 = 0x82F6_3B78;

const TABLE: [u32; 16] = {
    let mut table = [0; 16];
    let mut nibble = 0;
    while nibble < table.len() {
        let mut rest = nibble as u32;
        let mut bit = 0;
        while bit < 4 {
            rest = (rest >> 1) ^ if rest & 1 == 0 { 0 } else { POLYNOMIAL };
            bit += 1;
        }
        table[nibble] = rest;
        nibble += 1;
    }
    table
};

/// The CRC-32C of bytes that follow each other.
pub(crate) fn crc32(parts: &[&[u8]]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    !bytes.fold(u32::MAX, |rest, byte| {
        let rest = rest ^ u32::from(*byte);
        let rest = (rest >> 4) ^ TABLE[(rest & 15) as usize];
        (rest >> 4) ^ TABLE[(rest & 15) as usize]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the catalogue of parametrised CRC algorithms by Greg Cook, entry CRC-32/ISCSI.
    #[test]
    fn the_check_value_is_that_of_the_catalogue() {
        assert_eq!(crc32(&[b"123456789"]), 0xE306_9283);
        assert_eq!(crc32(&[b"1234", b"", b"56789"]), 0xE306_9283);
    }
}
