//! Surfaces of memory modules that come along: latency over lines outstanding, as `wordline dram surface` simulated it.

/// A surface that comes along. `crates/catalog/surfaces/README.md` has the command that made it.
#[derive(Clone, Copy, Debug)]
pub struct ShippedSurface {
    /// The memory, as `MODULE@SYSTEM`.
    pub target: &'static str,
    /// SHA-256 of what it depends on, in hexadecimal digits: where sheets or simulation change, so does the key.
    pub key: &'static str,
    /// The surface, as JSON.
    pub json: &'static str,
}

/// All that come along.
pub const SURFACES: &[ShippedSurface] = &[];
