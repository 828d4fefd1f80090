//! Tests of the laboratory: one module for each workload, published figures, verdicts and fits.

mod app;
mod bound;
mod buffer;
mod calibration;
mod cards;
mod certainty;
mod compare;
mod dram;
mod during;
mod explore;
mod fit;
#[cfg(all(feature = "fat", feature = "littlefs"))]
mod fs;
#[cfg(target_os = "linux")]
mod host_storage;
mod imported;
#[cfg(all(feature = "fat", feature = "littlefs"))]
mod io;
mod kv;
mod life;
mod mapped;
mod measured;
mod measured_cards;
mod published;
mod run;
#[cfg(feature = "sqlite")]
mod scripts;
#[cfg(all(feature = "fat", feature = "littlefs", feature = "sqlite"))]
mod sql;
#[cfg(all(feature = "fat", feature = "littlefs", feature = "sqlite"))]
mod sql_processor;
mod verdicts;
