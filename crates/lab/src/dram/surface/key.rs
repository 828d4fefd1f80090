//! What a surface depends on, as one name.

use sha2::{Digest as _, Sha256};
use wordline_core::{DramWorkload, SurfaceTest};

use super::super::ModuleMemory;

/// The version of the simulation. Whoever changes what a run measures raises it, so that no surface of before is taken for
/// one of now.
const MODEL: u32 = 1;

/// SHA-256 of the connected configuration, the currents, the settings of the test and the version of the simulation, in
/// hexadecimal digits.
pub(super) fn of(
    workload: &DramWorkload,
    seed: u64,
    of: &SurfaceTest,
    memory: &ModuleMemory<'_>,
) -> String {
    let connected = &memory.connected;
    // The derived forms of these types name every field and its value.
    let text = format!(
        "model {MODEL}\n{}\n{:?}\n{:?}\n{of:?}\n{} {} {seed}",
        memory.name,
        connected.config,
        connected.currents.first(),
        workload.warm_up_ps,
        workload.measure_ps,
    );
    let digest = Sha256::digest(text);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
