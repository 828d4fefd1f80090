//! A plain encoder of one frame of the recorder's format, which the checks of fuzzing use as well.

/// Payload, CRC, stuffing, delimiters.
pub(crate) fn framed(payload: &[u8]) -> Vec<u8> {
    let mut crc = 0xFFFF_u16;
    for bit in (0..payload.len() * 8).map(|at| payload[at / 8] >> (7 - at % 8) & 1) {
        let feedback = u16::from(bit) ^ (crc >> 15);
        crc = (crc << 1) ^ (feedback * 0x1021);
    }
    let mut plain = payload.to_vec();
    plain.extend(crc.to_le_bytes());
    let mut frame = vec![0];
    for block in plain.split(|&byte| byte == 0) {
        frame.push(u8::try_from(block.len() + 1).expect("frames are short"));
        frame.extend(block);
    }
    frame.push(0);
    frame
}
