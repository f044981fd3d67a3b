//! Policies that several operations have as a parameter.

use gdf_kernels::generated::quantiles::Interpolation as Code;

/// The treatment of nulls by an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NullPolicy {
    /// Nulls are ignored. A group-by excludes rows whose key has a null, and ignores null values. A scan returns null
    /// for null rows, and computes the other rows as if the null rows did not exist.
    #[default]
    Exclude,
    /// Nulls are treated like all other keys and values. A group-by puts all nulls in one group. A scan returns null
    /// for all rows from the first null on.
    Include,
}

/// The treatment of a row whose result does not fit in its type. The result of an operation on integers or dates may
/// have more bits than the type, and the result of an operation on decimals may have more digits. The policy does not
/// affect floats: a float that is too large becomes infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OverflowPolicy {
    /// The result wraps around. A result that is converted from a float saturates.
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
    /// Floats become infinite or NaN, as IEEE 754 requires. Rows of other types become null.
    #[default]
    Ieee,
    /// The row becomes null.
    Null,
    /// The operation returns an error.
    Error,
}

/// The treatment of rows for which an arithmetic operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ArithmeticPolicy {
    /// The policy for results that do not fit in their type.
    pub overflow: OverflowPolicy,
    /// The policy for divisors that are zero.
    pub zero_division: ZeroDivisionPolicy,
}

/// The value of a quantile whose position is between two rows of the sorted column.
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
    /// The value of the nearer row. If both rows are equally near, the result is the value of the row with the even
    /// number.
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
