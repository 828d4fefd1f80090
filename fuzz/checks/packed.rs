//! Whatever a file holds, it is read as it is, or expanded to the same bytes whatever the pieces it comes in, or refused in
//! words.

use std::io::{self, BufRead, BufReader, Read};

use wordline_trace::unpacked;

/// More than this is not looked at: whoever reads a log stops at its first bad line.
const BYTES_MAX: u64 = 1 << 20;

/// Panics when a promise is broken. Returns whether the file is a compressed one that is whole.
pub(crate) fn check(data: &[u8]) -> bool {
    let is_packed = data.starts_with(&[0x1F, 0x8B, 8])
        || data.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])
        || matches!(data, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
        || matches!(data, [0x1F, 0x8B] | [0x28, 0xB5, 0x2F]);
    let whole = expanded(Box::new(data));
    let in_pieces = expanded(Box::new(BufReader::with_capacity(7, data)));
    match (whole, in_pieces) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one, other);
            if !is_packed {
                let most = data.len().min(BYTES_MAX as usize);
                assert_eq!(one, data[..most], "it is not compressed");
            }
            is_packed
        }
        (Err(one), Err(_)) => {
            assert!(is_packed, "{one}");
            assert_eq!(one.kind(), io::ErrorKind::InvalidData, "{one}");
            let words = one.to_string();
            assert!(words.len() < 1000 && words.contains(" data "), "{words}");
            false
        }
        // What is behind the last byte that is looked at may be met or not.
        (Ok(one), Err(_)) | (Err(_), Ok(one)) if one.len() as u64 == BYTES_MAX => false,
        (one, other) => panic!("{one:?} in one, {other:?} in pieces"),
    }
}

fn expanded(file: Box<dyn BufRead + '_>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    unpacked(file).take(BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}
