//! The rules on the data of columns beyond the sizes of buffers, and the text for the place of a fault.

use std::fmt;

/// A rule on the data of a column, as [`Error::BrokenData`](crate::Error::BrokenData) names it.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataRule {
    /// A known null count is equal to the number of zeros in the validity mask.
    NullCount,
    /// Offsets do not descend, begin at zero or above, and end within the bytes or the child.
    Offsets,
    /// Offsets and sizes of list views are not negative and lie within the child.
    ListViews,
    /// Views name a buffer that there is and lie within it, have its first four bytes, and zeros behind bytes of their
    /// own.
    Views,
    /// Keys of rows that are not null are within the dictionary.
    Keys,
    /// Type numbers are those of the union's fields.
    TypeIds,
    /// Offsets of a dense union are within the child that the type number names.
    UnionOffsets,
    /// Ends of runs ascend from one on, and the last one is not before the end of the rows.
    RunEnds,
    /// Text is UTF-8, row by row.
    Text,
    /// A field of a struct, list or map that is declared without nulls has nulls only in rows in which its parent is
    /// null.
    NonNullable,
}

impl fmt::Display for DataRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataRule::NullCount => "null count and validity mask differ",
            DataRule::Offsets => "offsets descend or leave the data",
            DataRule::ListViews => "an offset or size leaves the child",
            DataRule::Views => "a view leaves its buffer or contradicts it",
            DataRule::Keys => "a key is outside of the dictionary",
            DataRule::TypeIds => "a type number that no field has",
            DataRule::UnionOffsets => "an offset leaves the child of its type",
            DataRule::RunEnds => "run ends do not ascend to the end of the rows",
            DataRule::Text => "text is not UTF-8",
            DataRule::NonNullable => "a null in a field that is declared without nulls",
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
