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
pub const SURFACES: &[ShippedSurface] = &[
    ShippedSurface {
        target: "rdimm-6400-2rx4-128g@xeon6-1s",
        key: "30054df836ea4eb78d69a495abac9d4cca6ca1637d300dd65ea2a7a8683e7539",
        json: include_str!("../surfaces/rdimm-6400-2rx4-128g.json"),
    },
    ShippedSurface {
        target: "mrdimm-8800-2rx4-128g@xeon6-1s",
        key: "55545159f46e996c7cd3259ae2e95111c6effcb29038a38198d0b67e091ae8ae",
        json: include_str!("../surfaces/mrdimm-8800-2rx4-128g.json"),
    },
    ShippedSurface {
        target: "mrdimm-8800-4rx4-128g@xeon6-1s",
        key: "06f1e57d7c0a7fd7510e50cad4b80930e6feebc37bd3c697bcec1b62373ad612",
        json: include_str!("../surfaces/mrdimm-8800-4rx4-128g.json"),
    },
];
