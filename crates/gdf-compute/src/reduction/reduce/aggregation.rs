//! What a column can be reduced by.

use gdf_engine::decoded::Reads;
use gdf_engine::policy::{Interpolation, NullPolicy};

/// How rows become one value. Null rows do not take part.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReduceAggregation {
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The sum divided by the number of rows that are not null.
    Mean,
    /// The sum of the squares.
    SumOfSquares,
    /// The number of rows that are not null.
    CountValid,
    /// The number of rows.
    CountAll,
    /// Whether any row is not zero.
    Any,
    /// Whether no row is zero.
    All,
    /// The value in the middle, or the mean of the two that are.
    Median,
    /// The row of the smallest value, the first of several.
    ArgMin,
    /// The row of the largest value, the first of several.
    ArgMax,
    /// The bits that all rows have.
    BitwiseAnd,
    /// The bits that any row has.
    BitwiseOr,
    /// The bits that an odd number of rows has.
    BitwiseXor,
    /// The squared distances to the mean, divided by the number of rows less `ddof`; null where there are not more than `ddof`.
    Variance {
        /// What is taken from the number of rows to divide by: 1 for a sample, 0 for a population.
        ddof: u32,
    },
    /// The standard deviation: the square root of the variance.
    Std {
        /// As of [`Variance`](Self::Variance).
        ddof: u32,
    },
    /// The value that a share `q` of the rows is below.
    Quantile {
        /// From 0 for the smallest to 1 for the largest value; what is beyond stands for these.
        q: f64,
        /// What stands for a position between two rows.
        interpolation: Interpolation,
    },
    /// The number of distinct values; null is one of them with [`NullPolicy::Include`].
    Nunique(NullPolicy),
    /// The value of a row by its number; without the null rows with [`NullPolicy::Exclude`].
    NthElement {
        /// Which row, from 0 on; a negative number counts from the end.
        n: i64,
        /// Whether null rows are counted.
        nulls: NullPolicy,
    },
}

impl ReduceAggregation {
    pub(super) fn reads(self) -> Reads {
        match self {
            Self::CountAll | Self::NthElement { .. } => Reads::Rows,
            Self::CountValid => Reads::Nulls,
            Self::Sum | Self::Product | Self::Min | Self::Max | Self::Mean | Self::SumOfSquares => Reads::Values,
            Self::Any | Self::All | Self::BitwiseAnd | Self::BitwiseOr | Self::BitwiseXor => Reads::Values,
            Self::Variance { .. } | Self::Std { .. } | Self::Median | Self::Quantile { .. } => Reads::Values,
            Self::ArgMin | Self::ArgMax | Self::Nunique(_) => Reads::Values,
        }
    }

    /// Its name in errors.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Product => "Product",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::Mean => "Mean",
            Self::SumOfSquares => "SumOfSquares",
            Self::CountValid => "CountValid",
            Self::CountAll => "CountAll",
            Self::Any => "Any",
            Self::All => "All",
            Self::Median => "Median",
            Self::ArgMin => "ArgMin",
            Self::ArgMax => "ArgMax",
            Self::BitwiseAnd => "BitwiseAnd",
            Self::BitwiseOr => "BitwiseOr",
            Self::BitwiseXor => "BitwiseXor",
            Self::Variance { .. } => "Variance",
            Self::Std { .. } => "Std",
            Self::Quantile { .. } => "Quantile",
            Self::Nunique(_) => "Nunique",
            Self::NthElement { .. } => "NthElement",
        }
    }

    /// Every aggregation that takes no argument.
    pub const ALL: &'static [Self] = &[
        Self::Sum,
        Self::Product,
        Self::Min,
        Self::Max,
        Self::Mean,
        Self::SumOfSquares,
        Self::CountValid,
        Self::CountAll,
        Self::Any,
        Self::All,
        Self::Median,
        Self::ArgMin,
        Self::ArgMax,
        Self::BitwiseAnd,
        Self::BitwiseOr,
        Self::BitwiseXor,
    ];
}
