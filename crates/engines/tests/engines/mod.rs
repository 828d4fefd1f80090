//! Every file system on every kind of memory: one suite over the trait.

#![cfg(any(feature = "fat", feature = "littlefs"))]

mod calls;
mod cases;
mod damage;
mod ext4;
mod faults;
mod memories;
mod model;
