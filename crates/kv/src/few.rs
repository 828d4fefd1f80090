//! A few bytes in a register, loaded and stored in whole words: a copy of a length that is known only when it runs is a
//! call, which takes longer than everything else that is done with a short key.

/// Bytes that fit, at most.
pub(crate) const FEW: usize = 16;

/// At most [`FEW`] bytes as a number, the first lowest; those that follow are zero.
#[inline(always)]
pub(crate) fn few(bytes: &[u8]) -> u128 {
    let length = bytes.len();
    // Two words that overlap, and agree where they do.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        return u128::from(first) | u128::from(last) << (8 * (length - 8));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u128::from(u64::from(first) | u64::from(last) << (8 * (length - 4)));
    }
    bytes
        .iter()
        .rev()
        .fold(0, |all, byte| all << 8 | u128::from(*byte))
}

/// Copies at most [`FEW`] bytes to the start of a buffer that has room for as many; what follows them there is zeroed.
#[inline(always)]
pub(crate) fn copy_few(bytes: &[u8], out: &mut [u8; FEW]) {
    *out = few(bytes).to_le_bytes();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_bytes_of_every_length_are_the_number_that_they_spell() {
        let bytes: [u8; FEW] = core::array::from_fn(|place| (place as u8 + 1) * 15);
        for length in 0..=FEW {
            let mut whole = [0; FEW];
            whole[..length].copy_from_slice(&bytes[..length]);
            assert_eq!(few(&bytes[..length]), u128::from_le_bytes(whole));
            let mut out = [0xFF; FEW];
            copy_few(&bytes[..length], &mut out);
            assert_eq!(out, whole);
        }
    }
}
