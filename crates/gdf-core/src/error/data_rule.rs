//! The rules that the data of a column must follow, apart from the sizes of buffers. The module also formats the place
//! of a violation for error messages.

use std::fmt;

/// A rule on the data of a column. [`Error::BrokenData`](crate::Error::BrokenData) names the violated rule.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataRule {
    /// If the null count is given, the null count is equal to the number of zeros in the validity mask.
    NullCount,
    /// Offsets never descend. The first offset is at least 0, and the last offset is at most the number of bytes, or
    /// the number of rows of the child.
    Offsets,
    /// Offsets and sizes of list views are not negative, and refer only to elements that exist in the child.
    ListViews,
    /// A view of more than 12 bytes refers to an existing buffer and to a range within that buffer. The prefix in the
    /// view equals the first four bytes of the range. A view of at most 12 bytes is padded with zeros.
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
    /// A field of a struct, list or map may be declared without nulls. In a struct and in a list of a fixed size, such
    /// a field is null only in rows in which the parent is null. In a list with offsets and in a map, the field is
    /// never null. A row of a dictionary is null if its key or its value is null.
    NonNullable,
}

impl fmt::Display for DataRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataRule::NullCount => "the null count differs from the number of nulls in the validity mask",
            DataRule::Offsets => "offsets descend or point outside of the data",
            DataRule::ListViews => "a list is outside of the child: its offset or its size is negative or too large",
            DataRule::Views => "a view points outside of its data buffer, or its prefix or padding is wrong",
            DataRule::Keys => "a key is negative, or is not less than the number of dictionary values",
            DataRule::TypeIds => "a type id does not belong to any field of the union",
            DataRule::UnionOffsets => "an offset points outside of the child that the type id of the row selects",
            DataRule::RunEnds => "run ends do not ascend, or the last run end is less than the number of rows",
            DataRule::Text => "text is not UTF-8",
            DataRule::NonNullable => "a field that is declared without nulls has a null",
        })
    }
}

/// The row and the path of the violation, formatted for people.
pub(crate) struct Place<'a>(pub(crate) Option<usize>, pub(crate) &'a [usize]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.0 {
            write!(f, ", first in row {row}")?;
        }
        if !self.1.is_empty() {
            write!(f, ", at path {:?} of columns and children", self.1)?;
        }
        Ok(())
    }
}
