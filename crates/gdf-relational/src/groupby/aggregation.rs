//! What can be computed per group, and the types of the results.

use gdf_core::{Abilities, DataType, Error, Result, can_have_validity, is_floating, is_integral, is_unsigned_integral};
use gdf_engine::decoded::{Reads, decoded_type};
use gdf_engine::keys::row_indices;
use gdf_engine::policy::{Interpolation, NullPolicy};

use crate::quantiles::{check_max_centroids, digest_type, is_digest};

/// What is computed of the values of a group. Null values are skipped; where a group has no others, the result is null,
/// except for counts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GroupByAggregation {
    /// Sum. Integers and booleans: `Int64`, wrapping. Floats: the same type, added in `f64`. Decimals of up to 128
    /// bits: `Decimal128(38, scale)`, exact while it fits 128 bits, wrapping beyond. Durations: the same type, wrapping.
    Sum,
    /// Number of valid values, `Int64`, of all types that can have nulls.
    CountValid,
    /// Number of rows, `Int64`.
    CountAll,
    /// Smallest value; −0.0 comes before 0.0 and NaN after everything else. The same type: all that keys can have but
    /// intervals with days.
    Min,
    /// Largest value, in the order of [`Min`](Self::Min). The same type.
    Max,
    /// Sum divided by number. Integers, booleans and floats: `Float64`. Decimals and durations: the same type,
    /// truncated. Where the sum wraps, at 64 bits or for decimals at 128, so does the mean.
    Mean,
    /// Variance with `ddof` degrees of freedom less, `Float64`; null where there are not more than `ddof` values.
    ///
    /// Worked out from the sums of values and squares. Where these have lost more than 12 bits of it, because the values
    /// of a group are near each other and far from zero, the rows are read once more for the differences from the group's
    /// mean and their squares (Chan, Golub, LeVeque: Algorithms for computing the sample variance, 1983: the corrected
    /// two-pass algorithm).
    Variance {
        /// What is taken from the number of values to divide by: 1 for a sample, 0 for a population.
        ddof: u32,
    },
    /// Square root of the variance.
    Std {
        /// As of [`Variance`](Self::Variance).
        ddof: u32,
    },
    /// Sum of the squared differences from the mean, `Float64`, 0.0 of no values: what variances are made of, and with
    /// number and mean what those of several batches are made of (see `PartialGroups`).
    M2,
    /// Sum of squares. Integers and booleans: `Int64`, wrapping. Floats: the same type.
    SumOfSquares,
    /// Product. Integers: `Int64`, wrapping. Floats: the same type.
    Product,
    /// Row of the smallest value, the first of several: `UInt32`, or `UInt64` from 2³²−1 rows on. Types as of
    /// [`Min`](Self::Min).
    ArgMin,
    /// Row of the largest value, the first of several: `UInt32`, or `UInt64` from 2³²−1 rows on.
    ArgMax,
    /// Number of distinct values, `Int64`, of all types that keys can have; null is one of them with
    /// [`NullPolicy::Include`].
    Nunique(NullPolicy),
    /// The value in the middle, or the mean of the two that are, `Float64`, of integers, booleans and floats.
    Median,
    /// The value at a share `q`, from 0 to 1, of the valid values in order, `Float64`; types as of
    /// [`Median`](Self::Median). Beyond these bounds it is the first or the last.
    Quantile {
        /// Which share; not NaN.
        q: f64,
        /// What stands for a position between two values.
        interpolation: Interpolation,
    },
    /// The value of the row of this number within the group, in the order of the input; from the end where negative, and
    /// null where there is no such row. The same type, of all that keys can have.
    NthElement {
        /// Which row, from 0 on.
        n: i64,
        /// Whether null rows are numbered, too.
        nulls: NullPolicy,
    },
    /// A t-digest of the valid values, as `quantiles::tdigest` makes of a column: of integers, booleans, floats and decimals of up
    /// to 128 bits. Never null; without centroids where there are no values.
    TDigest {
        /// How many centroids it has at most.
        max_centroids: u32,
    },
    /// One t-digest of all that a group has, as `quantiles::merge_tdigests` makes of a column. Never null.
    MergeTDigest {
        /// How many centroids it has at most.
        max_centroids: u32,
    },
}

/// The name of the operation in errors.
const OPERATION: &str = "groupby";

impl GroupByAggregation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
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
            Self::TDigest { .. } => "TDigest",
            Self::MergeTDigest { .. } => "MergeTDigest",
        }
    }

    /// What of the values [`aggregate`](super::aggregate()) reads.
    pub(super) fn reads(self) -> Reads {
        match self {
            Self::CountAll | Self::NthElement { .. } => Reads::Rows,
            Self::CountValid => Reads::Nulls,
            Self::Sum | Self::SumOfSquares | Self::Product | Self::Mean | Self::Min | Self::Max => Reads::Values,
            Self::Variance { .. } | Self::Std { .. } | Self::M2 => Reads::Values,
            Self::ArgMin | Self::ArgMax | Self::Nunique(_) | Self::Median | Self::Quantile { .. } => Reads::Values,
            Self::TDigest { .. } | Self::MergeTDigest { .. } => Reads::Values,
        }
    }

    /// The type of the result for values of `data_type` in a table of `rows` rows.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) where there is none.
    pub fn result_type(self, data_type: &DataType, rows: usize) -> Result<DataType> {
        let data_type = if self.reads() == Reads::Rows { data_type } else { decoded_type(data_type) };
        let (class, abilities) = (Class::of(data_type), Abilities::of(data_type));
        let found = match self {
            Self::CountAll => Some(DataType::Int64),
            Self::CountValid => can_have_validity(data_type).then_some(DataType::Int64),
            Self::Nunique(_) => abilities.equality.then_some(DataType::Int64),
            Self::NthElement { .. } => abilities.equality.then(|| data_type.clone()),
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
            Self::Min | Self::Max => abilities.order.is_some().then(|| data_type.clone()),
            Self::ArgMin | Self::ArgMax => abilities.order.is_some().then(|| row_indices(rows)),
            Self::Sum => match class {
                Class::Boolean | Class::Signed | Class::Unsigned => Some(DataType::Int64),
                Class::Float | Class::Duration => Some(data_type.clone()),
                Class::Decimal { scale } => Some(DataType::Decimal128(38, scale)),
                Class::Other => None,
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
                _ => None,
            },
            Self::Product => match class {
                Class::Signed | Class::Unsigned => Some(DataType::Int64),
                Class::Float => Some(data_type.clone()),
                _ => None,
            },
        };
        found.ok_or_else(|| Error::unsupported(OPERATION, data_type).in_variant(self.name()))
    }
}

impl GroupByAggregation {
    /// Whether it is of rows in order: see `by_order`.
    pub(super) fn is_of_order(self) -> bool {
        let digests = matches!(self, Self::TDigest { .. } | Self::MergeTDigest { .. });
        digests || matches!(self, Self::Median | Self::Quantile { .. } | Self::NthElement { .. })
    }

    /// Whether a group without valid values has a result, too.
    pub(super) fn is_never_null(self) -> bool {
        matches!(self, Self::CountAll | Self::CountValid | Self::Nunique(_) | Self::M2)
    }

    /// What is kept of a batch's groups so that batches can be merged; none where that is not known.
    pub(super) fn partials(self) -> Option<&'static [Self]> {
        Some(match self {
            Self::Sum => &[Self::Sum],
            Self::CountValid => &[Self::CountValid],
            Self::CountAll => &[Self::CountAll],
            Self::Min => &[Self::Min],
            Self::Max => &[Self::Max],
            Self::Mean => &[Self::Sum, Self::CountValid],
            Self::Variance { .. } | Self::Std { .. } | Self::M2 => &[Self::CountValid, Self::Mean, Self::M2],
            Self::SumOfSquares => &[Self::SumOfSquares],
            Self::Product => &[Self::Product],
            Self::ArgMin | Self::ArgMax | Self::Nunique(_) => return None,
            Self::Median | Self::Quantile { .. } | Self::NthElement { .. } => return None,
            Self::TDigest { .. } | Self::MergeTDigest { .. } => return None,
        })
    }

    /// The type of a column of [`partials`](Self::partials): what would be rounded to a narrower float is not.
    pub(super) fn partial_type(self, data_type: &DataType) -> Result<DataType> {
        let result = self.result_type(data_type, 0)?;
        let sums = matches!(self, Self::Sum | Self::SumOfSquares | Self::Product);
        Ok(if sums && is_floating(&result) { DataType::Float64 } else { result })
    }
}

/// How values add up.
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
