//! Memory for pages and dictionaries, which each thread uses again.
//!
//! The system clears new memory at the first access. Blocks of the size of a page would be new for every page.

use std::cell::RefCell;

/// A thread keeps at most this number of blocks, of at most [`MOST_BYTES`] bytes each.
const MOST_BLOCKS: usize = 4;
const MOST_BYTES: usize = 4 << 20;

thread_local! {
    static BLOCKS: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Bytes in memory that the thread which drops them uses again.
#[derive(Default)]
pub struct Spare {
    /// The memory. Its first `len` bytes are in use.
    block: Vec<u8>,
    len: usize,
}

impl Spare {
    /// Returns `len` bytes with any content.
    pub fn new(len: usize) -> Spare {
        let kept = || {
            let take = |blocks: &RefCell<Vec<Vec<u8>>>| {
                let mut blocks = blocks.borrow_mut();
                let at = blocks.iter().position(|block| block.len() >= len).or(blocks.len().checked_sub(1))?;
                Some(blocks.swap_remove(at))
            };
            BLOCKS.try_with(take).ok().flatten()
        };
        let mut block = if len <= MOST_BYTES { kept().unwrap_or_default() } else { Vec::new() };
        if block.len() < len {
            block.resize(len, 0);
        }
        Spare { block, len }
    }

    /// Returns the bytes for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.block[..self.len]
    }
}

impl AsRef<[u8]> for Spare {
    fn as_ref(&self) -> &[u8] {
        &self.block[..self.len]
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() || block.len() > MOST_BYTES {
            return;
        }
        // After the end of the thread's values, the block is freed.
        let _ = BLOCKS.try_with(|blocks| {
            let mut blocks = blocks.borrow_mut();
            if blocks.len() < MOST_BLOCKS {
                blocks.push(block);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_used_again_and_are_few() {
        let address = |spare: &Spare| spare.as_ref().as_ptr();
        let mut first = Spare::new(1000);
        first.as_mut_slice().fill(7);
        let place = address(&first);
        drop(first);
        let (second, third) = (Spare::new(900), Spare::new(900));
        assert_eq!((address(&second), second.as_ref().len()), (place, 900));
        assert_ne!(address(&third), place);
        drop((0..10).map(|_| Spare::new(10)).collect::<Vec<_>>());
        drop(Spare::new(MOST_BYTES + 1));
        BLOCKS.with(|blocks| assert!(blocks.borrow().len() <= MOST_BLOCKS));
        assert!(Spare::new(0).as_ref().is_empty());
    }
}
