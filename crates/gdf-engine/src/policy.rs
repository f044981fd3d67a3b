//! Choices that operations share.

use gdf_kernels::generated::quantiles::Interpolation as Code;

/// Whether nulls take part in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NullPolicy {
    /// Nulls do not count. In a group-by, rows whose key has a null are in no group, and null values are not counted.
    /// In a scan, null rows are null in the result, too. The other rows of the result are computed as if the null rows
    /// did not exist.
    #[default]
    Exclude,
    /// Nulls count. In a group-by, nulls are equal to each other and to nothing else. In a scan, all rows of the result
    /// from the first null on are null.
    Include,
}

/// What becomes of a row whose result does not fit its type: of an integer or a date more bits, of a decimal more digits.
/// Floats that are too large are infinite, whatever is said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OverflowPolicy {
    /// The result wraps. A result that is converted from a float saturates.
    #[default]
    Wrap,
    /// The row is null.
    Null,
    /// The operation is an error.
    Error,
}

/// What becomes of a row whose divisor is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ZeroDivisionPolicy {
    /// Floats are infinite or NaN, as IEEE 754 says; other rows are null.
    #[default]
    Ieee,
    /// The row is null.
    Null,
    /// The operation is an error.
    Error,
}

/// What becomes of rows for which arithmetic has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ArithmeticPolicy {
    /// The policy for results that do not fit their type.
    pub overflow: OverflowPolicy,
    /// The policy for divisors that are zero.
    pub zero_division: ZeroDivisionPolicy,
}

/// The value of a position between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Interpolation {
    /// The linear interpolation between the values of the two rows.
    #[default]
    Linear,
    /// The lower row.
    Lower,
    /// The higher row.
    Higher,
    /// The mean of the values of the two rows.
    Midpoint,
    /// The nearer row. If both rows are equally near, it is the row with an even number.
    Nearest,
}

impl Interpolation {
    /// Whether the result is computed from two rows.
    pub fn mixes(self) -> bool {
        matches!(self, Self::Linear | Self::Midpoint)
    }

    /// The code of this variant in kernels.
    pub fn code(self) -> Code {
        match self {
            Self::Linear => Code::Linear,
            Self::Lower => Code::Lower,
            Self::Higher => Code::Higher,
            Self::Midpoint => Code::Midpoint,
            Self::Nearest => Code::Nearest,
        }
    }
}
