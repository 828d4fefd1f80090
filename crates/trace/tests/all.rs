//! Tests of readers of logs: real excerpts, the corpus, the recorder for firmware.

mod formats;
mod real;
mod recorder;
