//! Tests of the files from outside.

mod model;
