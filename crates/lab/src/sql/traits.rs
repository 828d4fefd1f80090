//! What SQLite is told of a file system.

use wordline_engines::Promise;
use wordline_sqlite::DeviceTraits;

/// What a file system that keeps such a promise guarantees of writes. Where it survives power cuts, what a cut leaves of
/// a write lies within it, and the length of a file follows its bytes.
pub(super) fn of(promise: Promise) -> DeviceTraits {
    DeviceTraits {
        powersafe_overwrite: promise.survives_power_cuts,
        safe_append: promise.survives_power_cuts,
        ..DeviceTraits::USUAL
    }
}
