//! Tests of the file systems: calls against a model, faults, damage, power cuts, mounts through FUSE.

#[cfg(all(feature = "fat", feature = "littlefs"))]
mod crash;
mod engines;
#[cfg(all(feature = "fat", feature = "fuse"))]
mod fuse;
