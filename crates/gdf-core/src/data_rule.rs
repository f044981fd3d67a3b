//! The rules on the data of columns that go beyond buffer sizes, and the text that describes the place of a
//! violation.

use std::fmt;

/// A rule on the data of a column. [`Error::BrokenData`](crate::Error::BrokenData) names the violated rule.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataRule {
    /// A known null count is equal to the number of zeros in the validity mask.
    NullCount,
    /// Offsets never descend. The first offset is at least 0, and the last offset is at most the length of the bytes
    /// or of the child.
    Offsets,
    /// Offsets and sizes of list views are not negative, and select elements that exist in the child.
    ListViews,
    /// A view of more than 12 bytes names an existing buffer and a range within that buffer, and its prefix equals
    /// the first four bytes of the range. A view of at most 12 bytes is padded with zeros.
    Views,
    /// The keys of all rows that are not null are indices within the dictionary.
    Keys,
    /// Every type id belongs to a field of the union.
    TypeIds,
    /// Offsets of a dense union are within the child that the type id selects.
    UnionOffsets,
    /// Run ends strictly ascend, the first run end is at least 1, and the last run end is at least `offset + len`.
    RunEnds,
    /// Each string is valid UTF-8.
    Text,
    /// If a field of a struct, list or map is declared without nulls, the field is null only in rows in which its
    /// parent is null.
    NonNullable,
}

impl fmt::Display for DataRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataRule::NullCount => "the null count differs from the number of nulls in the validity mask",
            DataRule::Offsets => "offsets descend or point outside of the data",
            DataRule::ListViews => "the offset and the size of a list reach outside of the child",
            DataRule::Views => "a view points outside of its data buffer, or its prefix or padding is wrong",
            DataRule::Keys => "a key is negative, or is not less than the number of dictionary values",
            DataRule::TypeIds => "a type number does not belong to any field of the union",
            DataRule::UnionOffsets => "an offset points outside of the child of the row's type",
            DataRule::RunEnds => "run ends do not ascend, or the last run end is less than the number of rows",
            DataRule::Text => "text is not UTF-8",
            DataRule::NonNullable => "a field that is declared without nulls has a null",
        })
    }
}

/// Row and place of broken data, for people.
pub(crate) struct Place<'a>(pub(crate) Option<usize>, pub(crate) &'a [usize]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.0 {
            write!(f, ", first in row {row}")?;
        }
        if !self.1.is_empty() {
            write!(f, ", at {:?}", self.1)?;
        }
        Ok(())
    }
}
