//! What the recorder for firmware sends (`firmware/wordline_recorder.h`): a stream of frames that a noisy
//! line may cut anywhere, and whose format is `docs/reference/recorder-format.md`.
//!
//! `frame` finds frames between delimiters and says what one holds; `reader` joins them into accesses. After
//! a gap the ends of accesses are unknown until the next header, from which they are counted back.

mod frame;
mod reader;

use frame::LONGEST_FRAME;
pub use reader::RecorderReader;

/// Whether bytes are of a capture, which may begin in the midst of a frame: somewhere a header's magic stands
/// where a frame has it, behind a delimiter and one byte of stuffing, or at the start of a capture with a
/// delimiter further on. A text that mentions the magic has neither.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let is_header = |chunk: &[u8]| matches!(chunk, [1..=LONGEST_CODE, b'W', b'L', b'R', b'1', ..]);
    bytes.contains(&0) && bytes.split(|&byte| byte == 0).any(is_header)
}

/// The longest distance to a zero that a frame can have.
const LONGEST_CODE: u8 = LONGEST_FRAME as u8;
