//! Choices that operations share.

use gdf_kernels::generated::quantiles::Interpolation as Code;

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

/// What becomes of a row whose result does not fit its type: of an integer or a date more bits, of a decimal more digits.
/// Floats that are too large are infinite, whatever is said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OverflowPolicy {
    /// The result wraps; what is made of a float saturates.
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
    /// Results that do not fit.
    pub overflow: OverflowPolicy,
    /// Divisors that are zero.
    pub zero_division: ZeroDivisionPolicy,
}

/// What stands for a position between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Interpolation {
    /// The value between those of the two rows, as far from them as the position is.
    #[default]
    Linear,
    /// The lower row.
    Lower,
    /// The higher row.
    Higher,
    /// The mean of the two.
    Midpoint,
    /// The nearer row; of two the one of an even number.
    Nearest,
}

impl Interpolation {
    /// Whether the result is made of two rows.
    pub fn mixes(self) -> bool {
        matches!(self, Self::Linear | Self::Midpoint)
    }

    /// What kernels call it.
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
