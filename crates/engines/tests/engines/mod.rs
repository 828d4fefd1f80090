//! Every file system on every kind of memory: one suite over the trait.

mod calls;
mod cases;
mod damage;
mod faults;
mod memories;
mod model;
