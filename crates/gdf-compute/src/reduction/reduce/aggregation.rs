//! The aggregations that reduce a column.

use gdf_engine::decoded::Reads;
use gdf_engine::policy::{Interpolation, NullPolicy};

use crate::stream_compaction::{NanEquality, NullEquality};

/// The aggregation of rows to one value. Null rows are ignored.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReduceAggregation {
    /// The sum.
    Sum,
    /// The sum of integers or booleans, and whether it does not fit 64 bits: a struct of the fields `sum`, an `Int64`
    /// that wraps, and `overflow`, a boolean. The sum is computed exactly, so that `overflow` does not depend on the
    /// order of the rows.
    SumOverflow,
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
    /// The value in the middle of the sorted values. If there are two values in the middle, the result is their mean.
    Median,
    /// The number of the first row that has the smallest value.
    ArgMin,
    /// The number of the first row that has the largest value.
    ArgMax,
    /// The bits that are set in every row.
    BitwiseAnd,
    /// The bits that are set in at least one row.
    BitwiseOr,
    /// The bits that are set in an odd number of rows.
    BitwiseXor,
    /// The sum of the squared differences from the mean, divided by the number of rows minus `ddof`. The result is null
    /// if there are at most `ddof` rows.
    Variance {
        /// The number that is subtracted from the number of rows: 1 for a sample, 0 for a population.
        ddof: u32,
    },
    /// The standard deviation: the square root of the variance.
    Std {
        /// The number that is subtracted from the number of rows, as for [`Variance`](Self::Variance).
        ddof: u32,
    },
    /// The value that divides the sorted rows so that the share `q` of the rows comes before it.
    Quantile {
        /// The share, from 0 for the smallest value to 1 for the largest value. Shares outside of this range count as
        /// 0 or 1.
        q: f64,
        /// The rule for a quantile between two rows.
        interpolation: Interpolation,
    },
    /// The number of distinct values. If the policy is [`NullPolicy::Include`], null is one of the values.
    Nunique(NullPolicy),
    /// The value of row `n`. If the policy is [`NullPolicy::Exclude`], only the rows that are not null are counted.
    /// Unions and run-end encoded columns, whose nulls lie in their children, need [`NullPolicy::Include`].
    NthElement {
        /// The number of the row, from 0 on. A negative number counts from the end.
        n: i64,
        /// Whether null rows are counted.
        nulls: NullPolicy,
    },
    /// The rows as one list, in the order of the column. The result is null if there is no element, as in the
    /// `array_agg` of SQL. The supported types are the types of [`NthElement`](Self::NthElement).
    CollectList {
        /// Whether null rows are elements of the list.
        nulls: NullPolicy,
    },
    /// The distinct rows as one list, in the order of their first rows. The result is null if there is no element.
    CollectSet {
        /// Whether a null row is an element of the list.
        nulls: NullPolicy,
        /// Whether null rows are equal to each other. Otherwise each null row is an element.
        null_equality: NullEquality,
        /// Whether NaNs are equal to each other. Otherwise each NaN is an element.
        nan_equality: NanEquality,
    },
    /// The elements of all lists as one list, in the order of the column. The column must contain lists. The result is
    /// never null.
    MergeLists,
    /// The distinct elements of all lists as one list, in the order of their first occurrence. The column must contain
    /// lists of a type that keys can have. The result is never null.
    MergeSets {
        /// Whether null elements are equal to each other. Otherwise each null element stays.
        null_equality: NullEquality,
        /// Whether NaNs are equal to each other. Otherwise each NaN stays.
        nan_equality: NanEquality,
    },
    /// The histograms of all rows, merged to one: for each value, the sum of its counts, which wraps, in the order of
    /// the values, null first. The column must have the type of the results of a group-by's `Histogram`, with any names
    /// of the fields. Null histograms, null entries and null counts are skipped. The result is never null.
    MergeHistogram,
}

impl ReduceAggregation {
    pub(super) fn reads(self) -> Reads {
        match self {
            Self::CountAll | Self::NthElement { .. } | Self::CollectList { .. } | Self::CollectSet { .. } => {
                Reads::Rows
            }
            Self::MergeLists | Self::MergeSets { .. } | Self::MergeHistogram => Reads::Rows,
            Self::CountValid => Reads::Nulls,
            Self::SumOverflow => Reads::Values,
            Self::Sum | Self::Product | Self::Min | Self::Max | Self::Mean | Self::SumOfSquares => Reads::Values,
            Self::Any | Self::All | Self::BitwiseAnd | Self::BitwiseOr | Self::BitwiseXor => Reads::Values,
            Self::Variance { .. } | Self::Std { .. } | Self::Median | Self::Quantile { .. } => Reads::Values,
            Self::ArgMin | Self::ArgMax | Self::Nunique(_) => Reads::Values,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::SumOverflow => "SumOverflow",
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
            Self::CollectList { .. } => "CollectList",
            Self::CollectSet { .. } => "CollectSet",
            Self::MergeLists => "MergeLists",
            Self::MergeSets { .. } => "MergeSets",
            Self::MergeHistogram => "MergeHistogram",
        }
    }

    /// Every aggregation that takes no argument.
    pub const ALL: &'static [Self] = &[
        Self::Sum,
        Self::SumOverflow,
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
