//! Files and directories on the layer.

mod costs;
mod misuse;
mod model;
pub(crate) mod power_cuts;
pub(crate) mod tree;
