//! A plugin of QEMU's user mode that records what a program asks of its memory: `wordline app record` runs it.
//!
//! QEMU executes the program and calls the plugin for blocks of instructions and for accesses. The plugin writes them into
//! batches, which [`wordline_apps::record`] takes through the caches of the target system. Instructions of x86-64 are decoded
//! once, when QEMU translates them ([`decode`]). The interface is QEMU's public one for plugins, version 1 and later; its
//! functions are looked up when the plugin is loaded, so that this crate builds without QEMU. `abi` and `plugin` have all
//! unsafe code.

#[cfg(target_os = "linux")]
mod abi;
pub mod decode;
#[cfg(target_os = "linux")]
mod plugin;
mod settings;

pub use settings::{PluginSettings, PluginSettingsError};
