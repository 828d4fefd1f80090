//! Who follows a kernel's accesses.

/// Sees what a kernel does to its memory, access by access and in program order. Addresses are those of an
/// [`AddressSpace`](super::AddressSpace): they begin anew with each run, so that a run repeats bit for bit.
///
/// A kernel says of each access which loaded value its address was computed from. So two misses are known to follow each
/// other, or not to, whatever a window of instructions would suggest.
pub trait AccessTracer {
    /// Stands for a loaded value. The default is a value that was known before, such as a loop's counter.
    type Loaded: Copy + Default;

    /// What follows belongs to another phase of the kernel.
    fn phase(&mut self, name: &'static str);

    /// Loads bytes at an address that was computed from a loaded value: one instruction for each 64 bytes begun.
    fn read(&mut self, address: u64, bytes: u64, from: Self::Loaded) -> Self::Loaded;

    /// Stores bytes at an address that was computed from a loaded value: one instruction for each 64 bytes begun.
    fn write(&mut self, address: u64, bytes: u64, from: Self::Loaded);

    /// Instructions that neither load nor store.
    fn compute(&mut self, instructions: u64);

    /// A conditional branch, one instruction, whose condition was computed from a loaded value. `site` names its place in
    /// the kernel.
    fn branch(&mut self, site: u32, taken: bool, on: Self::Loaded);

    /// A value that was computed from two others: it is there when the later of them is.
    fn both(&self, one: Self::Loaded, other: Self::Loaded) -> Self::Loaded;
}

/// Follows nothing, and costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTracer;

impl AccessTracer for NoTracer {
    type Loaded = ();

    #[inline(always)]
    fn phase(&mut self, _: &'static str) {}

    #[inline(always)]
    fn read(&mut self, _: u64, _: u64, (): ()) {}

    #[inline(always)]
    fn write(&mut self, _: u64, _: u64, (): ()) {}

    #[inline(always)]
    fn compute(&mut self, _: u64) {}

    #[inline(always)]
    fn branch(&mut self, _: u32, _: bool, (): ()) {}

    #[inline(always)]
    fn both(&self, (): (), (): ()) {}
}
