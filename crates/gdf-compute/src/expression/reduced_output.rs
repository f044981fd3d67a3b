//! How the rows of an output of a program become one result. Both backends read it.

use gdf_core::DataType;

/// The computation of a result from the rows of an output of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reduction {
    /// The sum of integers or booleans. If the result is a float, the sum is a decimal of `scale`.
    Sum { scale: i32, mean: bool },
    /// The sum of floats, in double precision.
    FloatSum { mean: bool },
    /// The minimum or maximum of rows of at most 64 bits.
    Extreme { minimum: bool },
    /// The minimum or maximum of rows of 128 bits.
    WideExtreme { minimum: bool },
    /// The number of rows in which a boolean is true.
    Count,
}

/// The reduction of an output of a program.
#[derive(Clone, Debug)]
pub(super) struct ReducedOutput {
    pub(super) reduction: Reduction,
    pub(super) data_type: DataType,
    /// Whether the result is null if there are no valid rows.
    pub(super) nullable: bool,
}
