//! What the recorder for firmware sends (`firmware/wordline_recorder.h`): a stream of frames that a noisy
//! line may cut anywhere, and whose format is `docs/reference/recorder-format.md`.
//!
//! `frame` finds frames between delimiters and says what one holds; `reader` joins them into accesses. After
//! a gap the ends of accesses are unknown until the next header, from which they are counted back.

mod frame;
mod reader;

pub use reader::{Counter, RecorderReader};
