//! A list that allocates no memory for a single element, because most lists have one element.

use std::ops::Deref;

/// A vector that stores a single element inline. The type is used instead of `SmallVec`, because views of columns must
/// be covariant in their lifetime and `SmallVec` is not covariant.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum OneOrMany<T> {
    One([T; 1]),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// Appends an element.
    pub fn push(&mut self, element: T) {
        *self = match std::mem::take(self) {
            OneOrMany::Many(elements) if elements.is_empty() => OneOrMany::One([element]),
            OneOrMany::One([first]) => OneOrMany::Many(vec![first, element]),
            OneOrMany::Many(mut elements) => {
                elements.push(element);
                OneOrMany::Many(elements)
            }
        };
    }
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

impl<T> Deref for OneOrMany<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            OneOrMany::One(element) => element,
            OneOrMany::Many(elements) => elements,
        }
    }
}

impl<T> From<Vec<T>> for OneOrMany<T> {
    fn from(elements: Vec<T>) -> Self {
        OneOrMany::Many(elements)
    }
}

impl<T> FromIterator<T> for OneOrMany<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut elements = elements.into_iter();
        match (elements.next(), elements.next()) {
            (None, _) => OneOrMany::default(),
            (Some(first), None) => OneOrMany::One([first]),
            (Some(first), Some(second)) => OneOrMany::Many([first, second].into_iter().chain(elements).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_in_order() {
        for count in 0..4 {
            let expected: Vec<i32> = (0..count).collect();
            let collected: OneOrMany<i32> = (0..count).collect();
            let mut pushed = OneOrMany::default();
            (0..count).for_each(|element| pushed.push(element));
            assert_eq!((&*collected, &*pushed), (&expected[..], &expected[..]));
            assert_eq!(matches!(collected, OneOrMany::One(_)), count == 1);
        }
    }
}
