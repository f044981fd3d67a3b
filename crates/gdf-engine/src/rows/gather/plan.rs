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
    /// The elements are not checked. [`vouched::trusted`](crate::vouched::trusted) makes this value.
    Trust(Trusted),
    Nullify,
    Report,
}

/// The statement that each element of a map is a row of the table or null. Only unsafe code outside of this crate makes
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trusted(());

impl Bounds {
    /// Returns the bounds of maps that operations of this crate have made.
    pub(crate) fn trusted() -> Bounds {
        Bounds::Trust(Trusted(()))
    }
}

impl From<OutOfBoundsPolicy> for Bounds {
    fn from(policy: OutOfBoundsPolicy) -> Self {
        match policy {
            OutOfBoundsPolicy::Nullify => Bounds::Nullify,
            OutOfBoundsPolicy::Error => Bounds::Report,
        }
    }
}
