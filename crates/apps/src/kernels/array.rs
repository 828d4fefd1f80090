//! Arrays whose accesses a tracer sees.

use super::AccessTracer;

/// Where the arrays of a run lie: one after the other, each on a page of its own, with an empty page between them.
#[derive(Clone, Debug)]
pub struct AddressSpace {
    next: u64,
}

/// Bytes of a page.
const PAGE: u64 = 4096;

impl Default for AddressSpace {
    fn default() -> Self {
        Self { next: PAGE }
    }
}

impl AddressSpace {
    /// An array with these elements.
    pub fn array<T: Copy>(&mut self, data: Vec<T>) -> TracedArray<T> {
        let base = self.next;
        let bytes = (data.len() * size_of::<T>()) as u64;
        self.next = (base + bytes).next_multiple_of(PAGE) + PAGE;
        TracedArray { base, data }
    }

    /// An array of so many equal elements.
    pub fn filled<T: Copy>(&mut self, count: usize, value: T) -> TracedArray<T> {
        self.array(vec![value; count])
    }

    /// Bytes from the first array's beginning to the last one's end, in whole pages.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.next - PAGE
    }
}

/// An array in an [`AddressSpace`].
#[derive(Clone, Debug)]
pub struct TracedArray<T> {
    base: u64,
    data: Vec<T>,
}

impl<T: Copy> TracedArray<T> {
    const BYTES: u64 = size_of::<T>() as u64;

    /// Elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// All elements, past the tracer.
    #[must_use]
    pub fn untraced(&self) -> &[T] {
        &self.data
    }

    /// All elements, past the tracer.
    pub fn untraced_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    #[inline(always)]
    const fn address(&self, at: usize) -> u64 {
        self.base + at as u64 * Self::BYTES
    }

    /// Loads an element whose index was known.
    #[inline(always)]
    pub fn get<R: AccessTracer>(&self, tracer: &mut R, at: usize) -> T {
        self.load(tracer, at, R::Loaded::default()).0
    }

    /// Loads an element whose index was computed from a loaded value.
    #[inline(always)]
    pub fn load<R: AccessTracer>(
        &self,
        tracer: &mut R,
        at: usize,
        from: R::Loaded,
    ) -> (T, R::Loaded) {
        let loaded = tracer.read(self.address(at), Self::BYTES, from);
        (self.data[at], loaded)
    }

    /// Loads elements in a row, as vector instructions do.
    #[inline(always)]
    pub fn span<R: AccessTracer>(
        &self,
        tracer: &mut R,
        at: usize,
        count: usize,
        from: R::Loaded,
    ) -> (&[T], R::Loaded) {
        let loaded = match count {
            0 => from,
            _ => tracer.read(self.address(at), count as u64 * Self::BYTES, from),
        };
        (&self.data[at..at + count], loaded)
    }

    /// Stores an element whose index was known.
    #[inline(always)]
    pub fn set<R: AccessTracer>(&mut self, tracer: &mut R, at: usize, value: T) {
        self.store(tracer, at, R::Loaded::default(), value);
    }

    /// Stores an element whose index was computed from a loaded value.
    #[inline(always)]
    pub fn store<R: AccessTracer>(&mut self, tracer: &mut R, at: usize, from: R::Loaded, value: T) {
        tracer.write(self.address(at), Self::BYTES, from);
        self.data[at] = value;
    }

    /// Elements in a row, to be stored by vector instructions.
    #[inline(always)]
    pub fn span_mut<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        at: usize,
        count: usize,
        from: R::Loaded,
    ) -> &mut [T] {
        if count > 0 {
            tracer.write(self.address(at), count as u64 * Self::BYTES, from);
        }
        &mut self.data[at..at + count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::NoTracer;

    #[test]
    fn arrays_lie_apart_on_pages() {
        let mut space = AddressSpace::default();
        let bytes = space.filled(4096, 0u8);
        let words = space.array(vec![1u64, 2, 3]);
        assert_eq!((bytes.address(0), words.address(2)), (4096, 3 * 4096 + 16));
        assert_eq!(space.bytes(), 4 * 4096);
        assert_eq!(words.get(&mut NoTracer, 1), 2);
    }
}
