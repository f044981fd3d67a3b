//! What the caller of a run decides.

/// The options of a run of a plan. By default, the nodes work on all rows at once, and joins pass on no sets of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether a join passes on the set of the keys of the side that it computes first, to filter rows below the other
    /// side. A run in batches passes on no sets.
    pub passes_keys: bool,
    /// The largest number of rows of a batch, or `None` if the nodes work on all rows at once. Some nodes need all rows
    /// in any case.
    pub batch_rows: Option<usize>,
}
