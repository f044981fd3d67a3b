//! The options of `distinct`, which determine the rows that are kept.

pub(super) const DISTINCT: &str = "distinct keys";

/// The row that is kept of all rows with equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DuplicateKeepOption {
    /// Any one of the rows. The choice may vary on CUDA. This option is the fastest.
    #[default]
    Any,
    /// The first of the rows.
    First,
    /// The last of the rows.
    Last,
    /// None of the rows. A row is kept only if no other row has the same key.
    None,
}
