//! The aggregations of a group-by, and the types of their results.

use gdf_compute::lists::{list_of, merged_list_type};
use gdf_compute::reduction::{EXACT_SUM, histogram_entry, is_histogram, sum_overflow_type};
use gdf_compute::sorting::Order;
use gdf_compute::stream_compaction::NanEquality;
use gdf_core::layout::child_types;
use gdf_core::{Abilities, DataType, Error, Result, can_have_validity, is_floating, is_integral, is_unsigned_integral};
use gdf_engine::decoded::{Reads, decoded_type};
use gdf_engine::keys::{NullEquality, row_indices};
use gdf_engine::policy::{Interpolation, NullPolicy};

use crate::quantiles::{check_max_centroids, digest_type, is_digest};

/// An aggregation of the values of a group. Null values are skipped. If a group has no valid value, the result is null
/// unless the aggregation states otherwise. Counts are never null.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GroupByAggregation {
    /// The sum. For integers and booleans the result is `Int64` and wraps. For floats the result has the type of the
    /// values, and the values are added in `f64`.
    Sum,
    /// The sum of integers or booleans, and whether it does not fit 64 bits: a struct of the fields `sum`, an `Int64`
    /// that wraps, and `overflow`, a boolean. The sum is computed exactly, so that `overflow` does not depend on the
    /// order of the rows. The struct is null if a group has no valid value.
    SumOverflow,
    /// The number of valid values, as `Int64`. Every type that can have nulls is supported.
    CountValid,
    /// The number of rows, as `Int64`.
    CountAll,
    /// The smallest value. −0.0 comes before 0.0, and NaN comes after every other value. The result has the type of the
    /// values. Every type that keys can have is supported, except intervals with days.
    Min,
    /// The largest value, in the order of [`Min`](Self::Min). The supported types and the type of the result are the
    /// same.
    Max,
    /// The sum divided by the number of valid values. For integers, booleans and floats the result is `Float64`; the
    /// sum of integers is exact. For decimals and durations the result has the type of the values and is truncated.
    ///
    /// The sum of integers of at most 32 bits wraps at 64 bits, which needs more than 2³² valid values in a group. For
    /// such groups, cast the values to `Int64`, whose sum has 128 bits.
    Mean,
    /// The variance with the divisor `n − ddof`, as `Float64`. The result is null if a group has at most `ddof` valid
    /// values.
    ///
    /// The variance is computed from the sum and the sum of squares.
    Variance {
        /// The number subtracted from the number of values to get the divisor: 1 for a sample, 0 for a population.
        ddof: u32,
    },
    /// The square root of the variance.
    Std {
        /// The number subtracted from the number of values, as for [`Variance`](Self::Variance).
        ddof: u32,
    },
    /// The sum of the squared differences from the mean, as `Float64`. The result is 0.0 for a group without valid
    /// values. Together with counts and means, these sums allow merging the variances of several batches (see
    /// `PartialGroups`).
    M2,
    /// The sum of squares. For integers and booleans the result is `Int64` and wraps. For floats the result has the
    /// type of the values. For decimals of up to 128 bits the result is `Decimal128` of twice the scale, whose
    /// unscaled numbers wrap at 128 bits.
    SumOfSquares,
    /// The product. For integers the result is `Int64` and wraps. For floats the result has the type of the values. For
    /// decimals of up to 128 bits with the scale 0 the result is `Decimal128(38, 0)` and wraps at 128 bits. The scale
    /// of a product of other decimals would depend on the number of factors, which groups differ in.
    Product,
    /// The number of the row with the smallest value. If several rows have the smallest value, the result is the first
    /// of these rows. The result is `UInt32`, or `UInt64` for tables of 2³²−1 rows or more. The supported types are
    /// the types of [`Min`](Self::Min).
    ArgMin,
    /// The number of the row with the largest value. If several rows have the largest value, the result is the first
    /// of these rows. The result is `UInt32`, or `UInt64` for tables of 2³²−1 rows or more. The supported types are
    /// the types of [`Min`](Self::Min).
    ArgMax,
    /// The number of distinct values, as `Int64`. Every type that keys can have is supported. With
    /// [`NullPolicy::Include`], null counts as one of the distinct values.
    Nunique(NullPolicy),
    /// The median, as `Float64`: the middle value, or the mean of the two middle values.
    Median,
    /// The `q`-quantile of the valid values, as `Float64`. The supported types are the types of
    /// [`Median`](Self::Median). If `q` is below 0, the result is the smallest value. If `q` is above 1, the result
    /// is the largest value.
    Quantile {
        /// The quantile, from 0 to 1. The number must not be NaN.
        q: f64,
        /// The computation of the result if its position lies between two values.
        interpolation: Interpolation,
    },
    /// The value of the `n`th row of a group, in the order of the input. A negative `n` counts from the end of the
    /// group. The result is null if the group has no such row. The result has the type of the values. Every type is
    /// supported; unions, run-end encoded values and values of type null only with [`NullPolicy::Include`].
    NthElement {
        /// The row within the group, counted from 0.
        n: i64,
        /// Whether rows with null values are counted.
        nulls: NullPolicy,
    },
    /// The values of a group as a list, in the order of the input. The result is never null. The supported types are
    /// the types of [`NthElement`](Self::NthElement).
    CollectList {
        /// Whether null values are elements of the list.
        nulls: NullPolicy,
    },
    /// The distinct values of a group as a list, in the order of their first rows. The result is never null. Every
    /// type that keys can have is supported.
    CollectSet {
        /// Whether a null value is an element of the list.
        nulls: NullPolicy,
        /// Whether null values are equal to each other. Otherwise each null value is an element.
        null_equality: NullEquality,
        /// Whether NaNs are equal to each other. Otherwise each NaN is an element.
        nan_equality: NanEquality,
    },
    /// The lists of a group, concatenated to one list in the order of the input. The values must be lists; null lists
    /// are skipped. The result is never null. The results of [`CollectList`](Self::CollectList) for several tables can
    /// be merged in this way.
    MergeLists,
    /// The distinct elements of the lists of a group as one list, in the order of their first occurrence. The values
    /// must be lists of a type that keys can have; null lists are skipped. The result is never null. The results of
    /// [`CollectSet`](Self::CollectSet) for several tables can be merged in this way.
    MergeSets {
        /// Whether null elements are equal to each other. Otherwise each null element stays.
        null_equality: NullEquality,
        /// Whether NaNs are equal to each other. Otherwise each NaN stays.
        nan_equality: NanEquality,
    },
    /// The first `k` values of a group in the given order as a list. The list has that order, and equal values have the
    /// order of the input. Null values come last in either order: they are elements only if a group has fewer than `k`
    /// valid values. The result is never null. The supported types are the types of [`Min`](Self::Min).
    TopK {
        /// The largest number of elements of a list.
        k: usize,
        /// The order of the values: [`Order::Descending`] for the largest values.
        order: Order,
    },
    /// The distinct values of a group and the number of rows that have each value, as a list of structs with the fields
    /// `value` and `count`, in the order of the values, null first. Nulls are counted, NaNs are equal to each other,
    /// and −0.0 equals 0.0. The result is never null. The supported types are the types of [`Min`](Self::Min).
    Histogram,
    /// The histograms of a group, merged to one: for each value, the sum of its counts, which wraps. The values must
    /// have the type of the results of [`Histogram`](Self::Histogram), with any names of the fields. Null histograms,
    /// null entries and null counts are skipped. The result is never null.
    MergeHistogram,
    /// A t-digest of the valid values, as `quantiles::tdigest` computes for a column. Integers, booleans, floats and
    /// decimals of up to 128 bits are supported. The result is never null. A group without valid values has a digest
    /// without centroids.
    TDigest {
        /// The largest number of centroids of a digest.
        max_centroids: u32,
    },
    /// The t-digests of a group, merged into one as `quantiles::merge_tdigests` does for a column. The result is
    /// never null.
    MergeTDigest {
        /// The largest number of centroids of a digest.
        max_centroids: u32,
    },
}

pub(super) const OPERATION: &str = "groupby";

impl GroupByAggregation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::SumOverflow => "SumOverflow",
            Self::CountValid => "CountValid",
            Self::CountAll => "CountAll",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::Mean => "Mean",
            Self::Variance { .. } => "Variance",
            Self::Std { .. } => "Std",
            Self::M2 => "M2",
            Self::SumOfSquares => "SumOfSquares",
            Self::Product => "Product",
            Self::ArgMin => "ArgMin",
            Self::ArgMax => "ArgMax",
            Self::Nunique(_) => "Nunique",
            Self::Median => "Median",
            Self::Quantile { .. } => "Quantile",
            Self::NthElement { .. } => "NthElement",
            Self::CollectList { .. } => "CollectList",
            Self::CollectSet { .. } => "CollectSet",
            Self::MergeLists => "MergeLists",
            Self::MergeSets { .. } => "MergeSets",
            Self::TopK { .. } => "TopK",
            Self::Histogram => "Histogram",
            Self::MergeHistogram => "MergeHistogram",
            Self::TDigest { .. } => "TDigest",
            Self::MergeTDigest { .. } => "MergeTDigest",
        }
    }

    pub(super) fn reads(self) -> Reads {
        match self {
            Self::CountAll | Self::NthElement { .. } | Self::CollectList { .. } | Self::CollectSet { .. } => {
                Reads::Rows
            }
            Self::MergeLists | Self::MergeSets { .. } | Self::TopK { .. } => Reads::Rows,
            Self::Histogram | Self::MergeHistogram => Reads::Rows,
            Self::CountValid => Reads::Nulls,
            Self::Sum | Self::SumOverflow | Self::SumOfSquares | Self::Product => Reads::Values,
            Self::Mean | Self::Min | Self::Max => Reads::Values,
            Self::Variance { .. } | Self::Std { .. } | Self::M2 => Reads::Values,
            Self::ArgMin | Self::ArgMax | Self::Nunique(_) | Self::Median | Self::Quantile { .. } => Reads::Values,
            Self::TDigest { .. } | Self::MergeTDigest { .. } => Reads::Values,
        }
    }

    /// Returns the type of the result for values of `data_type` in a table of `rows` rows.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) if the aggregation does not support `data_type`.
    pub fn result_type(self, data_type: &DataType, rows: usize) -> Result<DataType> {
        let data_type = if self.reads() == Reads::Rows { data_type } else { decoded_type(data_type) };
        let (class, abilities) = (Class::of(data_type), Abilities::of(data_type));
        let found = match self {
            Self::CountAll => Some(DataType::Int64),
            Self::CountValid => can_have_validity(data_type).then_some(DataType::Int64),
            Self::Nunique(_) => abilities.is_key().then_some(DataType::Int64),
            // Without a mask, nulls are not known without the values.
            Self::NthElement { nulls: NullPolicy::Exclude, .. } | Self::CollectList { nulls: NullPolicy::Exclude }
                if !can_have_validity(data_type) =>
            {
                None
            }
            Self::NthElement { .. } => abilities.is_movable().then(|| data_type.clone()),
            Self::CollectList { .. } => abilities.is_movable().then(|| list_of(data_type)),
            Self::CollectSet { .. } => abilities.is_key().then(|| list_of(data_type)),
            Self::MergeLists => merged_list_type(data_type),
            Self::MergeSets { .. } => {
                merged_list_type(data_type).filter(|_| element_abilities(data_type).is_some_and(Abilities::is_key))
            }
            Self::TopK { .. } => abilities.sortable.then(|| list_of(data_type)),
            Self::Histogram => abilities.sortable.then(|| list_of(&histogram_entry(data_type))),
            Self::MergeHistogram => merged_list_type(data_type).filter(is_histogram),
            Self::Quantile { q, .. } if q.is_nan() => {
                return Err(Error::invalid_argument("expected a number from 0 to 1, found NaN")
                    .in_argument("q")
                    .in_variant(self.name()));
            }
            Self::TDigest { max_centroids } | Self::MergeTDigest { max_centroids } => {
                check_max_centroids(max_centroids).map_err(|error| error.in_variant(self.name()))?;
                let numbers = !matches!(class, Class::Duration | Class::Other);
                let merges = matches!(self, Self::MergeTDigest { .. });
                (if merges { is_digest(data_type) } else { numbers }).then(digest_type)
            }
            Self::Median | Self::Quantile { .. } => match class {
                Class::Boolean | Class::Signed | Class::Unsigned | Class::Float => Some(DataType::Float64),
                _ => None,
            },
            Self::Min | Self::Max => abilities.sortable.then(|| data_type.clone()),
            Self::ArgMin | Self::ArgMax => abilities.sortable.then(|| row_indices(rows)),
            Self::Sum => match class {
                Class::Boolean | Class::Signed | Class::Unsigned => Some(DataType::Int64),
                Class::Float | Class::Duration => Some(data_type.clone()),
                Class::Decimal { scale } => Some(DataType::Decimal128(38, scale)),
                Class::Other => None,
            },
            Self::SumOverflow => match class {
                Class::Boolean | Class::Signed | Class::Unsigned => Some(sum_overflow_type()),
                _ => None,
            },
            Self::Mean => match class {
                Class::Boolean | Class::Signed | Class::Unsigned | Class::Float => Some(DataType::Float64),
                Class::Decimal { .. } | Class::Duration => Some(data_type.clone()),
                Class::Other => None,
            },
            Self::Variance { .. } | Self::Std { .. } | Self::M2 => match class {
                Class::Boolean | Class::Signed | Class::Unsigned | Class::Float => Some(DataType::Float64),
                _ => None,
            },
            Self::SumOfSquares => match class {
                Class::Boolean | Class::Signed | Class::Unsigned => Some(DataType::Int64),
                Class::Float => Some(data_type.clone()),
                Class::Decimal { scale } => scale.checked_mul(2).map(|scale| DataType::Decimal128(38, scale)),
                Class::Duration | Class::Other => None,
            },
            Self::Product => match class {
                Class::Signed | Class::Unsigned => Some(DataType::Int64),
                Class::Float => Some(data_type.clone()),
                Class::Decimal { scale: 0 } => Some(DataType::Decimal128(38, 0)),
                Class::Decimal { .. } => {
                    let error = Error::unsupported(OPERATION, data_type).in_variant(self.name());
                    return Err(error.with_remedy("cast the values to Float64, or to a decimal of scale 0"));
                }
                Class::Boolean | Class::Duration | Class::Other => None,
            },
        };
        found.ok_or_else(|| Error::unsupported(OPERATION, data_type).in_variant(self.name()))
    }
}

impl GroupByAggregation {
    /// Returns whether the aggregation of values of `data_type` needs the rows of each group next to each other.
    pub(super) fn is_of_order(self, data_type: &DataType) -> bool {
        let digests = matches!(self, Self::TDigest { .. } | Self::MergeTDigest { .. });
        let quantiles = matches!(self, Self::Median | Self::Quantile { .. });
        digests || quantiles || self.is_of_rows() || self.is_wide_product(data_type)
    }

    /// Returns whether the result is a product of 128 bits, which has no accumulator.
    fn is_wide_product(self, data_type: &DataType) -> bool {
        self == Self::Product && matches!(Class::of(decoded_type(data_type)), Class::Decimal { .. })
    }

    pub(super) fn is_of_rows(self) -> bool {
        matches!(
            self,
            Self::NthElement { .. }
                | Self::CollectList { .. }
                | Self::CollectSet { .. }
                | Self::MergeLists
                | Self::MergeSets { .. }
                | Self::TopK { .. }
                | Self::Histogram
                | Self::MergeHistogram
        )
    }

    pub(super) fn is_never_null(self) -> bool {
        matches!(self, Self::CountAll | Self::CountValid | Self::Nunique(_) | Self::M2)
    }

    /// Returns the aggregations of values of `data_type` whose results are kept for each batch, so that batches can be
    /// merged. Returns `None` if batches cannot be merged.
    pub(super) fn partials(self, data_type: &DataType) -> Option<Vec<Self>> {
        Some(match self {
            Self::Mean if has_wide_sum(decoded_type(data_type)) => vec![Self::SumOverflow, Self::CountValid],
            Self::Mean => vec![Self::Sum, Self::CountValid],
            Self::Variance { .. } | Self::Std { .. } | Self::M2 => vec![Self::CountValid, Self::Mean, Self::M2],
            Self::Nunique(nulls) => {
                let (null_equality, nan_equality) = (NullEquality::Equal, NanEquality::AllEqual);
                vec![Self::CollectSet { nulls, null_equality, nan_equality }]
            }
            Self::ArgMin => vec![Self::Min, self],
            Self::ArgMax => vec![Self::Max, self],
            // The batches keep only the first or the last row of a group.
            Self::NthElement { n: 0 | -1, .. } => vec![self],
            Self::NthElement { .. } | Self::Median | Self::Quantile { .. } => return None,
            _ => vec![self],
        })
    }

    /// Returns the aggregation that merges the results of this aggregation of values of `data_type`, or `None` if the
    /// results are merged as numbers, and for `ArgMin` and `ArgMax`.
    pub(super) fn merging(self, data_type: &DataType) -> Option<Self> {
        Some(match self {
            Self::Product if self.is_wide_product(data_type) => self,
            Self::NthElement { .. } | Self::MergeLists | Self::MergeSets { .. } => self,
            Self::MergeHistogram | Self::MergeTDigest { .. } => self,
            // The lists of the batches are concatenated first.
            Self::CollectList { .. } | Self::TopK { .. } => Self::MergeLists,
            Self::CollectSet { null_equality, nan_equality, .. } => Self::MergeSets { null_equality, nan_equality },
            Self::Nunique(_) => {
                Self::MergeSets { null_equality: NullEquality::Equal, nan_equality: NanEquality::AllEqual }
            }
            Self::Histogram => Self::MergeHistogram,
            Self::TDigest { max_centroids } => Self::MergeTDigest { max_centroids },
            _ => return None,
        })
    }

    /// Returns whether the states of this aggregation of values of `data_type` are merged as rows, not as numbers.
    pub(super) fn merges_rows(self, data_type: &DataType) -> bool {
        matches!(self, Self::ArgMin | Self::ArgMax) || self.merging(data_type).is_some()
    }

    /// Returns what to do instead of an aggregation of batches that has no [`partials`](Self::partials).
    pub(super) fn partial_remedy(self) -> &'static str {
        match self {
            Self::Median | Self::Quantile { .. } => "use `TDigest`, or concatenate the batches and then aggregate",
            Self::NthElement { .. } => {
                "use n = 0, n = -1 or `CollectList`, or concatenate the batches and then aggregate"
            }
            _ => "concatenate the batches and then aggregate",
        }
    }

    /// Returns the type of the partial result of an aggregation in [`partials`](Self::partials).
    pub(super) fn partial_type(self, data_type: &DataType) -> Result<DataType> {
        if self == Self::SumOverflow && has_wide_sum(decoded_type(data_type)) {
            return Ok(EXACT_SUM);
        }
        let result = self.result_type(data_type, 0)?;
        match self {
            Self::SumOverflow => return Ok(EXACT_SUM),
            // The number of the rows of all batches is not known yet.
            Self::ArgMin | Self::ArgMax => return Ok(DataType::UInt64),
            _ => {}
        }
        let sums = matches!(self, Self::Sum | Self::SumOfSquares | Self::Product);
        Ok(if sums && is_floating(&result) { DataType::Float64 } else { result })
    }
}

fn element_abilities(lists: &DataType) -> Option<Abilities> {
    child_types(lists).into_iter().next().map(Abilities::of)
}

/// Returns whether a sum of integers or durations can have more than 64 bits. A sum of narrower integers has at most 64
/// bits for up to 2³² rows.
pub(super) fn has_wide_sum(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Int64 | DataType::UInt64 | DataType::Duration(_))
}

/// The class of a type, which determines how values are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Boolean,
    Signed,
    Unsigned,
    Float,
    Decimal { scale: i8 },
    Duration,
    Other,
}

impl Class {
    pub(super) fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Boolean => Self::Boolean,
            DataType::Duration(_) => Self::Duration,
            DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale) => {
                Self::Decimal { scale: *scale }
            }
            other if is_floating(other) => Self::Float,
            other if is_unsigned_integral(other) => Self::Unsigned,
            other if is_integral(other) => Self::Signed,
            _ => Self::Other,
        }
    }
}
