//! Choices that operations share.

/// Whether nulls count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NullPolicy {
    /// They do not. In a group-by, rows whose key has a null are in no group, and null values are not counted. In a scan,
    /// null rows are null in the result, too, and the others are as if those were not there.
    #[default]
    Exclude,
    /// They do. In a group-by, nulls are equal to each other and to nothing else. In a scan, what a null takes part in is
    /// null: everything from there on.
    Include,
}
