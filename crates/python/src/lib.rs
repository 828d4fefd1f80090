//! The laboratory for Python: the native module `wordline._wordline`, which the package in `python/wordline/` wraps.
//!
//! Everything here is private to that package. It takes experiments as JSON, gives results as objects that stay in
//! Rust, and hands out their rows as columns of Arrow, so that nothing is copied through JSON or Python objects.
//! Names, types, documentation and defaults for users are in the package.

mod arrow;
mod backlog;
mod catalog;
mod columns;
mod document;
mod failure;
mod run;
mod sweep;

use pyo3::prelude::*;

#[pymodule]
mod _wordline {
    #[pymodule_export]
    use super::backlog::{BufferCurve, CurveBuilder};
    #[pymodule_export]
    use super::catalog::{boards, modules, nearest, parts, systems, targets};
    #[pymodule_export]
    use super::document::{ResultDocument, arrow_stream};
    #[pymodule_export]
    use super::run::{complete, provoke_panic, run, version};
    #[pymodule_export]
    use super::sweep::{SweepPoints, sweep_points};
}
