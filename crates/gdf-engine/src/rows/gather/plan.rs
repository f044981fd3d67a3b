//! What becomes of elements of a map that are no rows.

/// What becomes of elements of a map that are not rows of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutOfBoundsPolicy {
    /// In `gather` the row is null; in `scatter` it goes nowhere. That is what null elements do.
    Nullify,
    /// The operation fails.
    Error,
}

/// [`OutOfBoundsPolicy`], or no check.
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
