//! Paths, and the word by which RAM tells names apart.

use crate::FlatError;
use crate::checksum::crc32;
use crate::record::NAME_BYTES_MAX;

/// What the root is called by its entries.
pub(crate) const ROOT: u64 = 0;

/// The parts of a path; none for the root.
pub(crate) fn parts<E>(path: &str) -> Result<impl Iterator<Item = &str> + Clone, FlatError<E>> {
    let rest = path.strip_prefix('/').ok_or(FlatError::BadName)?;
    let parts = rest.split('/');
    let is_good = |part: &str| {
        (1..=NAME_BYTES_MAX).contains(&part.len())
            && part != "."
            && part != ".."
            && !part.contains('\0')
    };
    let count = match rest {
        "" => 0,
        _ => usize::MAX,
    };
    match count == 0 || parts.clone().all(is_good) {
        true => Ok(parts.take(count)),
        false => Err(FlatError::BadName),
    }
}

/// The upper half of the word of every entry of a directory; never 0.
pub(crate) fn directory_half(parent: u64) -> u32 {
    let half = crc32(&[&parent.to_le_bytes()]) & 0xFFFF_0000;
    half.max(0x0001_0000)
}

/// The word of an entry.
pub(crate) fn entry_word(parent: u64, name: &[u8]) -> u32 {
    directory_half(parent) | crc32(&[name]) & 0xFFFF
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn paths_are_absolute_and_plain() {
        let of = |path| parts::<()>(path).map(|parts| parts.count());
        assert_eq!(of("/"), Ok(0));
        assert_eq!(of("/a/b.txt"), Ok(2));
        let long: Vec<u8> = [b'/'].into_iter().chain([b'n'; 256]).collect();
        let long = std::str::from_utf8(&long).expect("plain");
        assert_eq!(of(&long[..256]), Ok(1));
        for bad in ["", "a", "/a/", "//a", "/a/../b", "/./a", "/a\0", long] {
            assert_eq!(of(bad), Err(FlatError::BadName), "{bad}");
        }
    }
}
