//! Facts about the texts of a column that operations have computed and stored.

use std::sync::{Arc, OnceLock};

use arrow_schema::DataType;

use crate::types::physical_type;

/// Facts about all rows of a column of text or of byte strings with offsets. The facts of each kind are stored as
/// 64-bit words.
///
/// Operations rely on the facts without a check, as on those of [`ValueBounds`](crate::ValueBounds).
///
/// ```compile_fail,E0133
/// # use gdf_core as gdf;
/// let texts = gdf::Column::from_strs(["a"])?;
/// texts.text_facts().unwrap().keep(0, [0; gdf::TextFacts::WORDS]);
/// # Ok::<(), gdf_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct TextFacts([OnceLock<[u64; TextFacts::WORDS]>; TextFacts::KINDS]);

impl TextFacts {
    /// The number of words of each kind.
    pub const WORDS: usize = 10;
    /// The number of kinds of words.
    pub const KINDS: usize = 2;

    pub(crate) fn of(data_type: &DataType) -> Option<Arc<Self>> {
        physical_type(data_type).has_byte_offsets().then(Arc::default)
    }

    /// Returns the words of a kind, or `None` if no words of this kind are stored.
    pub fn get(&self, kind: usize) -> Option<[u64; TextFacts::WORDS]> {
        self.0.get(kind)?.get().copied()
    }

    /// Stores the words of a kind. If words of this kind are already stored, the call has no effect.
    ///
    /// # Safety
    /// * Unless words of this kind are stored, the words must be those that the operations which read this kind compute
    ///   of all rows of the column.
    pub unsafe fn keep(&self, kind: usize, words: [u64; TextFacts::WORDS]) {
        if let Some(cell) = self.0.get(kind) {
            let _ = cell.set(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn clones_and_copies_share_what_slices_do_not() {
        let texts = Column::from_strs(["a", "bc", "d"]).unwrap();
        let clone = texts.clone();
        let all = texts.view().slice(0, 3).unwrap();
        for word in [7, 8] {
            // SAFETY: no operation reads the words of this column, and the second call has no effect.
            unsafe { texts.text_facts().unwrap().keep(1, [word; TextFacts::WORDS]) };
        }
        for view in [clone.view(), all, texts.slice(0, 3).unwrap().view()] {
            let facts = view.text_facts().unwrap();
            assert_eq!((facts.get(0), facts.get(1), facts.get(2)), (None, Some([7; TextFacts::WORDS]), None));
        }
        assert!(texts.slice(0, 2).unwrap().text_facts().unwrap().get(1).is_none());
        assert!(texts.view().slice(1, 2).unwrap().text_facts().is_none());
    }
}
