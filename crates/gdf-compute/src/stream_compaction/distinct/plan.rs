//! Which rows stay.

/// The name of the operation in errors.
pub(super) const DISTINCT: &str = "distinct keys";

/// Which of the rows with equal keys stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DuplicateKeepOption {
    /// One of them, on CUDA not always the same. The fastest.
    #[default]
    Any,
    /// The first.
    First,
    /// The last.
    Last,
    /// None: only rows whose key no other row has.
    None,
}

/// Whether NaNs in keys are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NanEquality {
    /// All NaNs are equal to each other.
    #[default]
    AllEqual,
    /// A NaN is equal to nothing, not even to a NaN.
    Unequal,
}
