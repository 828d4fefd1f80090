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
    ShippedSurface {
        target: "rdimm-6400-2rx4-64g@xeon6-1s",
        key: "82a31b38b07c273537b9a2aee3f49c872ba5a097bf1bacd95fcf9d2becc3c0dc",
        json: include_str!("../surfaces/rdimm-6400-2rx4-64g.json"),
    },
    ShippedSurface {
        target: "mrdimm-8800-4rx8-64g@xeon6-1s",
        key: "dec877ea5ccc2369ad9aaf9e659d143ab5ec8598dd407d996e6a2be243d7e884",
        json: include_str!("../surfaces/mrdimm-8800-4rx8-64g.json"),
    },
    ShippedSurface {
        target: "mrdimm-8800-4rx4-256g@xeon6-1s",
        key: "2160b804c8d97e1c721f42b8fe1f7d646dc1a63a801ec877d02cd43154bc853b",
        json: include_str!("../surfaces/mrdimm-8800-4rx4-256g.json"),
    },
];
