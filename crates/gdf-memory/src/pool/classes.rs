//! Size classes of free blocks, with one list for each class.
//!
//! Sizes are counted in units. Each of the first 32 classes contains a single size. From 32 units on, the sizes from
//! one power of two to the next are divided into 32 classes. The method is two-level segregated fit (TLSF).

const STEPS: usize = 32;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// The number of levels.
const LEVELS: usize = 40;
/// The index that means "no block".
pub(super) const NONE: u32 = u32::MAX;

/// The first block of each list of free blocks.
#[derive(Debug)]
pub(super) struct Classes {
    heads: Box<[u32]>,
    /// One bit per class, for each level. The bit is set if the list of the class is not empty.
    steps: [u32; LEVELS],
    /// One bit per level. The bit is set if at least one list of the level is not empty.
    levels: u64,
}

pub(super) fn class_of(units: usize) -> usize {
    let level = (usize::BITS - 1 - (units | 1).leading_zeros()).saturating_sub(STEP_BITS - 1);
    if units < STEPS { units } else { level as usize * STEPS + ((units >> (level - 1)) & (STEPS - 1)) }
}

impl Classes {
    pub(super) fn new() -> Self {
        Self { heads: vec![NONE; LEVELS * STEPS].into(), steps: [0; LEVELS], levels: 0 }
    }

    pub(super) fn head(&self, class: usize) -> u32 {
        self.heads[class]
    }

    pub(super) fn set_head(&mut self, class: usize, head: u32) {
        self.heads[class] = head;
        let (level, bit) = (class / STEPS, 1 << (class % STEPS));
        if head == NONE {
            self.steps[level] &= !bit;
            if self.steps[level] == 0 {
                self.levels &= !(1 << level);
            }
        } else {
            self.steps[level] |= bit;
            self.levels |= 1 << level;
        }
    }

    /// Returns the smallest class above `class` whose list is not empty.
    pub(super) fn next_above(&self, class: usize) -> Option<usize> {
        let (level, step) = (class / STEPS, class % STEPS);
        let rest = self.steps[level] & (u32::MAX << step) & !(1 << step);
        if rest != 0 {
            return Some(level * STEPS + rest.trailing_zeros() as usize);
        }
        let levels = self.levels & (u64::MAX << level) & !(1 << level);
        let level = (levels != 0).then(|| levels.trailing_zeros() as usize)?;
        Some(level * STEPS + self.steps[level].trailing_zeros() as usize)
    }

    /// Returns the largest class whose list is not empty.
    pub(super) fn last(&self) -> Option<usize> {
        let level = (self.levels != 0).then(|| 63 - self.levels.leading_zeros() as usize)?;
        Some(level * STEPS + 31 - self.steps[level].leading_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_in_order_and_narrow() {
        let mut before = 0;
        for units in 0..5000 {
            let class = class_of(units);
            assert!(class == before || class == before + 1, "{units}");
            before = class;
        }
        for bit in 0..37 {
            let units = 32_usize << bit;
            assert_eq!(class_of(units), class_of(units - 1) + 1);
            assert!(class_of(units + units - 1) < LEVELS * STEPS);
        }
        assert_ne!(class_of(1 << 20), class_of((1 << 20) + (1 << 15)));
        assert_eq!(class_of(1 << 20), class_of((1 << 20) + (1 << 15) - 1));
    }

    #[test]
    fn the_next_list_is_found() {
        let mut classes = Classes::new();
        assert_eq!((classes.next_above(0), classes.last()), (None, None));
        for class in [3, 31, 32, 63, 64, 700, LEVELS * STEPS - 1] {
            classes.set_head(class, 1);
        }
        assert_eq!(classes.next_above(0), Some(3));
        assert_eq!(classes.next_above(3), Some(31));
        assert_eq!(classes.next_above(31), Some(32));
        assert_eq!(classes.next_above(32), Some(63));
        assert_eq!(classes.next_above(64), Some(700));
        assert_eq!(classes.next_above(LEVELS * STEPS - 1), None);
        assert_eq!(classes.last(), Some(LEVELS * STEPS - 1));
        classes.set_head(LEVELS * STEPS - 1, NONE);
        assert_eq!((classes.next_above(700), classes.last()), (None, Some(700)));
    }
}
