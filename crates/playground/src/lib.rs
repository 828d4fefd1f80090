//! Wordline in a browser.
//!
//! [`Playground`] takes an experiment as JSON and runs it by the same [`run`](wordline_lab::run) as the command, so that
//! the JSON that it returns is that of `wordline run FILE --format json`, byte for byte. A [`AskedForm`] makes an
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

#[cfg(all(feature = "laboratory", target_family = "wasm"))]
mod browser;
#[cfg(feature = "laboratory")]
mod form;
#[cfg(feature = "laboratory")]
mod note;
pub mod page;
#[cfg(feature = "laboratory")]
mod playground;

#[cfg(feature = "laboratory")]
pub use form::{AskedForm, LogForm, LoggerForm, ModulesForm};
#[cfg(feature = "laboratory")]
pub use note::{ErrorNote, PlaygroundError};
#[cfg(feature = "laboratory")]
pub use playground::{Choices, Playground};
