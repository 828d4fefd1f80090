//! File systems under power cuts: every boundary and every torn variant of a fixed workload, and cuts within the mount.

mod broken;
mod evidence;
mod fat;
mod flat;
mod littlefs;
mod rtfs;
mod workload;
