//! Tests of the files from outside.

mod costs;
mod limits;
mod model;
