//! The built command from end to end: what it prints, where, and how it exits.

mod app_demand;
#[cfg(target_os = "linux")]
mod app_refusals;
mod buffer;
mod catalog;
mod compare;
mod counters;
mod diff;
mod dram;
mod explore;
mod export;
mod first_screen;
mod fit;
mod fs;
mod guides;
mod health;
#[cfg(target_os = "linux")]
mod host;
mod import;
mod io;
mod kv;
mod messages;
mod parts;
mod pipes;
mod raw;
mod reference;
mod refusals;
mod report;
mod reproduce;
pub(crate) mod run;
mod settings;
mod sheets;
mod shell;
pub(crate) mod support;
mod sweep;
mod wear;

#[cfg(unix)]
mod hardening;
mod interrupt;
#[cfg(target_os = "linux")]
mod mount;
