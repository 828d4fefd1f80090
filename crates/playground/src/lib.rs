//! Wordline in a browser.
//!
//! [`Playground`] takes an experiment as JSON and runs it by the same [`run`](wordline_lab::run) as the command, so that
//! the JSON that it returns is that of `wordline run FILE --format json`, byte for byte. A [`Form`] makes an
//! experiment of what a person typed. What is wrong with either comes back as an [`ErrorNote`]: what, where, and what is
//! allowed.
//!
//! `browser` is the border to JavaScript: numbers and bytes, no generated code. [`page`] puts the one HTML file together,
//! in which everything is inline and which may not reach any network.
//!
//! ```
//! use wordline_lab::Control;
//! use wordline_playground::Playground;
//!
//! let mut playground = Playground::new()?;
//! let form = r#"{"demo": "logger", "rate": "500 KB/s", "record": "4 furlongs"}"#;
//! let error = playground.experiment_of_form(form).expect_err("furlongs hold no bytes");
//! assert_eq!(error.note().place.as_deref(), Some("record"));
//! # Ok::<(), wordline_playground::PlaygroundError>(())
//! ```

#[cfg(target_family = "wasm")]
mod browser;
mod form;
mod note;
pub mod page;
mod playground;

pub use form::{Form, LoggerForm, LogForm, ModulesForm};
pub use note::{ErrorNote, PlaygroundError};
pub use playground::{Choices, Playground};
