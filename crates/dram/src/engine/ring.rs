//! A first-in-first-out queue whose indices are masked: a third of the instructions of a general deque.

/// What came first goes first. The number of slots is a power of two, or 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring<T> {
    slots: Vec<T>,
    /// Its low bits are the place of the first one.
    head: usize,
    len: usize,
}

impl<T: Copy + Default> Ring<T> {
    pub(super) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            head: 0,
            len: 0,
        }
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn place(&self, index: usize) -> usize {
        self.head.wrapping_add(index) & self.slots.len().wrapping_sub(1)
    }

    #[inline]
    pub(super) fn front(&self) -> Option<&T> {
        if self.len == 0 {
            return None;
        }
        self.slots.get(self.place(0))
    }

    /// The one after the first.
    #[inline]
    pub(super) fn second(&self) -> Option<&T> {
        if self.len < 2 {
            return None;
        }
        self.slots.get(self.place(1))
    }

    #[inline]
    pub(super) fn push_back(&mut self, value: T) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let place = self.place(self.len);
        self.slots[place] = value;
        self.len += 1;
    }

    /// One that goes before the first.
    pub(super) fn push_front(&mut self, value: T) {
        if self.len == self.slots.len() {
            self.grow();
        }
        self.head = self.head.wrapping_sub(1);
        self.len += 1;
        let place = self.place(0);
        self.slots[place] = value;
    }

    /// Takes out the first one, where there is one.
    #[inline]
    pub(super) fn drop_front(&mut self) {
        let some = usize::from(self.len > 0);
        self.head = self.head.wrapping_add(some);
        self.len -= some;
    }

    /// The same, and puts it in a place.
    #[inline]
    pub(super) fn move_front(&mut self, place: &mut T) {
        if let Some(front) = self.front() {
            *place = *front;
        }
        self.drop_front();
    }

    /// First in, first out.
    fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).map(|index| &self.slots[self.place(index)])
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut slots: Vec<T> = self.iter().copied().collect();
        slots.resize((self.len * 2).max(16), T::default());
        (self.slots, self.head) = (slots, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::Ring;

    #[test]
    fn it_does_what_a_deque_does() {
        let (mut ring, mut deque) = (Ring::new(), VecDeque::new());
        for step in 0_u64..20_000 {
            // Grows and shrinks by turns, so that the ring wraps at every length.
            if step * step % 7 < 3 + step / 4000 % 2 {
                ring.push_back(step);
                deque.push_back(step);
            } else if step % 11 == 0 {
                ring.push_front(step);
                deque.push_front(step);
            } else if step % 2 == 0 {
                ring.drop_front();
                deque.pop_front();
            } else {
                let mut moved = u64::MAX;
                ring.move_front(&mut moved);
                assert_eq!(moved, deque.pop_front().unwrap_or(u64::MAX));
            }
            assert_eq!(ring.front(), deque.front());
            assert_eq!(ring.second(), deque.get(1));
            assert_eq!(ring.is_empty(), deque.is_empty());
            if step % 64 == 0 {
                assert!(ring.iter().eq(deque.iter()));
            }
        }
    }
}
