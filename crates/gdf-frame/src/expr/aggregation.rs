//! The aggregations of expressions.

use std::fmt;

use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_api::quantiles::Interpolation;
use gdf_api::reduction::ReduceAggregation;

use super::Expr;

/// Declares the aggregations. A row of the macro's input has the documentation, the method of expressions, the name in
/// SQL, and two aggregations of gdf: one for all rows, and one for groups.
macro_rules! aggregations {
    ($($(#[$doc:meta])* $name:ident$({ $field:ident: $type:ty })? = $method:ident $sql:literal => $reduce:expr, $group:expr;)*) => {
        /// An aggregation of the values of an expression, over all rows or over the rows of each group.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Aggregation {
            /// The number of rows.
            Len,
            $($(#[$doc])* $name$({
                /// The parameter of the method.
                $field: $type
            })?,)*
        }

        impl Aggregation {
            /// Returns the name in SQL.
            pub fn sql_name(self) -> &'static str {
                match self {
                    Aggregation::Len => "COUNT(*)",
                    $(Aggregation::$name { .. } => $sql,)*
                }
            }

            pub(crate) fn of_all_rows(self) -> ReduceAggregation {
                match self {
                    Aggregation::Len => ReduceAggregation::CountAll,
                    $(Aggregation::$name$({ $field })? => $reduce,)*
                }
            }

            pub(crate) fn of_groups(self) -> GroupByAggregation {
                match self {
                    Aggregation::Len => GroupByAggregation::CountAll,
                    $(Aggregation::$name$({ $field })? => $group,)*
                }
            }
        }

        /// # Aggregations
        /// Each method aggregates the values of all rows, or of the rows of each group. Nulls are ignored, unless the
        /// documentation of the method says otherwise.
        impl Expr {
            $(
                $(#[$doc])*
                pub fn $method(self $(, $field: $type)?) -> Expr {
                    self.aggregate(Aggregation::$name$({ $field })?)
                }
            )*
        }
    };
}

/// The rows that `First` and `Last` consider: all rows, including null rows.
const ROWS: NullPolicy = NullPolicy::Include;

aggregations! {
    /// The sum. The type of the sum of integers is the widest type of the same sign. In groups and windows it is
    /// `Int64`, also for unsigned integers of up to 32 bits (of `UInt64`, the same type). A sum of decimals with more
    /// than 38 digits (76 for `Decimal256`) is an error.
    Sum = sum "SUM" => ReduceAggregation::Sum, GroupByAggregation::Sum;
    /// The product.
    Product = product "PRODUCT" => ReduceAggregation::Product, GroupByAggregation::Product;
    /// The smallest value.
    Min = min "MIN" => ReduceAggregation::Min, GroupByAggregation::Min;
    /// The largest value.
    Max = max "MAX" => ReduceAggregation::Max, GroupByAggregation::Max;
    /// The sum divided by the number of values.
    Mean = mean "AVG" => ReduceAggregation::Mean, GroupByAggregation::Mean;
    /// The value in the middle, or the mean of the two values in the middle.
    Median = median "MEDIAN" => ReduceAggregation::Median, GroupByAggregation::Median;
    /// The variance of a sample: the sum of the squared differences from the mean, divided by the number of values
    /// minus 1. The result is null if there are fewer than 2 values.
    Var = var "VAR_SAMP" => ReduceAggregation::Variance { ddof: 1 }, GroupByAggregation::Variance { ddof: 1 };
    /// The standard deviation of a sample: the square root of the variance.
    Std = std "STDDEV_SAMP" => ReduceAggregation::Std { ddof: 1 }, GroupByAggregation::Std { ddof: 1 };
    /// The number of values that are not null.
    Count = count "COUNT" => ReduceAggregation::CountValid, GroupByAggregation::CountValid;
    /// The number of distinct values that are not null.
    NUnique = n_unique "COUNT_DISTINCT"
        => ReduceAggregation::Nunique(NullPolicy::Exclude), GroupByAggregation::Nunique(NullPolicy::Exclude);
    /// The value of the first row. The value is null if the row is null.
    First = first "FIRST"
        => ReduceAggregation::NthElement { n: 0, nulls: ROWS }, GroupByAggregation::NthElement { n: 0, nulls: ROWS };
    /// The value of the last row. The value is null if the row is null.
    Last = last "LAST"
        => ReduceAggregation::NthElement { n: -1, nulls: ROWS }, GroupByAggregation::NthElement { n: -1, nulls: ROWS };
    /// The quantile for the share `q`. This share of the sorted values comes before the quantile: 0 stands for the
    /// smallest value, and 1 for the largest value. If the position is between two values, the result is interpolated.
    Quantile { q: f64 } = quantile "QUANTILE"
        => ReduceAggregation::Quantile { q, interpolation: Interpolation::Linear },
           GroupByAggregation::Quantile { q, interpolation: Interpolation::Linear };
}

impl Aggregation {
    pub(super) fn write(self, f: &mut fmt::Formatter<'_>, values: Option<&Expr>) -> fmt::Result {
        match (self, values) {
            (Aggregation::Quantile { q }, Some(values)) => write!(f, "{}({values}, {q})", self.sql_name()),
            (_, Some(values)) => write!(f, "{}({values})", self.sql_name()),
            (_, None) => f.write_str(self.sql_name()),
        }
    }
}
