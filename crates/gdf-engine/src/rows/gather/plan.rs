//! The treatment of map elements that are not rows of the table.

/// The treatment of map elements that are not rows of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutOfBoundsPolicy {
    /// The elements are treated like null elements: `gather` returns a null row, and `scatter` writes no row.
    Nullify,
    /// The operation returns an error.
    Error,
}

/// The [`OutOfBoundsPolicy`] of a map, or [`Bounds::Trust`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    Trust,
    Nullify,
    Report,
}

impl From<OutOfBoundsPolicy> for Bounds {
    fn from(policy: OutOfBoundsPolicy) -> Self {
        match policy {
            OutOfBoundsPolicy::Nullify => Bounds::Nullify,
            OutOfBoundsPolicy::Error => Bounds::Report,
        }
    }
}
