//! What the recorder for firmware sends (`firmware/wordline_recorder.h`): a stream of frames that a noisy
//! line may cut anywhere, and whose format is `docs/reference/recorder-format.md`.
//!
//! `frame` finds frames between delimiters and says what one holds; `reader` joins them into accesses. After
//! a gap the ends of accesses are unknown until the next header, from which they are counted back.

mod frame;
mod reader;

pub use reader::RecorderReader;

/// Whether bytes are of a capture, which may begin in the midst of a frame: somewhere between two delimiters
/// stands a header. A text may mention the magic, but not in the form of a frame.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    bytes.contains(&0) && bytes.split(|&byte| byte == 0).any(frame::is_header)
}
