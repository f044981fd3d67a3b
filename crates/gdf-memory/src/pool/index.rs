//! A hash table with open addressing.

use super::classes::NONE;

/// A table that finds the index of a block by the address of the block.
#[derive(Debug)]
pub(super) struct Index {
    slots: Box<[u32]>,
    len: usize,
}

impl Index {
    pub(super) fn new() -> Self {
        Self { slots: vec![NONE; 64].into(), len: 0 }
    }

    fn home(&self, address: usize) -> usize {
        let hash = ((address >> 8) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    pub(super) fn insert(&mut self, number: u32, address: impl Fn(u32) -> usize) {
        if (self.len + 1) * 2 > self.slots.len() {
            let larger = vec![NONE; self.slots.len() * 2].into();
            for old in std::mem::replace(&mut self.slots, larger).into_iter().filter(|&old| old != NONE) {
                self.place(old, address(old));
            }
        }
        self.place(number, address(number));
        self.len += 1;
    }

    fn place(&mut self, number: u32, address: usize) {
        let (mask, mut at) = (self.slots.len() - 1, self.home(address));
        while self.slots[at] != NONE {
            at = (at + 1) & mask;
        }
        self.slots[at] = number;
    }

    fn find(&self, requested: usize, address: &impl Fn(u32) -> usize) -> Option<usize> {
        let (mask, mut at) = (self.slots.len() - 1, self.home(requested));
        loop {
            match self.slots[at] {
                NONE => return None,
                number if address(number) == requested => return Some(at),
                _ => at = (at + 1) & mask,
            }
        }
    }

    pub(super) fn get(&self, requested: usize, address: impl Fn(u32) -> usize) -> Option<u32> {
        self.find(requested, &address).map(|at| self.slots[at])
    }

    pub(super) fn remove(&mut self, requested: usize, address: impl Fn(u32) -> usize) -> Option<u32> {
        let mut hole = self.find(requested, &address)?;
        let number = self.slots[hole];
        let (mask, mut at) = (self.slots.len() - 1, hole);
        // A search ends at the first empty slot. If the search for a later entry passes this slot, the entry is moved
        // into the slot, so that the search still finds the entry.
        loop {
            at = (at + 1) & mask;
            let other = self.slots[at];
            if other == NONE {
                break;
            }
            let from_home = at.wrapping_sub(self.home(address(other))) & mask;
            if from_home >= (at.wrapping_sub(hole) & mask) {
                self.slots[hole] = other;
                hole = at;
            }
        }
        self.slots[hole] = NONE;
        self.len -= 1;
        Some(number)
    }
}
