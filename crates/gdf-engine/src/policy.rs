//! Policies that several operations have as a parameter.

use gdf_kernels::generated::quantiles::Interpolation as Code;

/// The treatment of nulls by an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NullPolicy {
    /// Nulls do not count. A group-by puts a row whose key has a null in no group, and does not count null values. A
    /// scan returns null for null rows, and computes the other rows as if the null rows did not exist.
    #[default]
    Exclude,
    /// Nulls count. A group-by treats nulls as equal to each other and to nothing else. A scan returns null for all
    /// rows from the first null on.
    Include,
}

/// The treatment of a row whose result does not fit its type. The result of an integer or date operation may have
/// more bits than the type. The result of a decimal operation may have more digits than the type. The policy does not
/// affect floats: floats that are too large become infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OverflowPolicy {
    /// The result wraps. A result that is converted from a float saturates.
    #[default]
    Wrap,
    /// The row becomes null.
    Null,
    /// The operation returns an error.
    Error,
}

/// The treatment of a row whose divisor is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ZeroDivisionPolicy {
    /// Floats are infinite or NaN, as IEEE 754 requires. Rows of other types become null.
    #[default]
    Ieee,
    /// The row becomes null.
    Null,
    /// The operation returns an error.
    Error,
}

/// The treatment of rows for which arithmetic has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ArithmeticPolicy {
    /// The policy for results that do not fit their type.
    pub overflow: OverflowPolicy,
    /// The policy for divisors that are zero.
    pub zero_division: ZeroDivisionPolicy,
}

/// The value of a quantile whose position lies between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Interpolation {
    /// The linear interpolation between the values of the two rows.
    #[default]
    Linear,
    /// The value of the lower row.
    Lower,
    /// The value of the higher row.
    Higher,
    /// The mean of the values of the two rows.
    Midpoint,
    /// The value of the nearer row. If both rows are equally near, the row with the even number is taken.
    Nearest,
}

impl Interpolation {
    /// Returns whether the result is computed from the values of two rows.
    pub fn mixes(self) -> bool {
        matches!(self, Self::Linear | Self::Midpoint)
    }

    /// Returns the code of the variant in the kernels.
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
