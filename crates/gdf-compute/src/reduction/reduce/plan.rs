//! The plan of a reduction for both backends. The aggregation and the types determine the plan.

use gdf_core::layout::child_types;
use gdf_core::{
    Abilities, ColumnView, DataType, Error, ExpectedType, PhysicalType, Result, ValueOrder, decimal_parts,
    has_known_nulls, is_floating, is_integral, physical_type, same_type,
};
use gdf_engine::decoded::{Reads, decoded_type};
use gdf_expr::types::sum_type;

use crate::lists::{list_of, merged_list_type};

use crate::reduction::{is_histogram, sum_overflow_type};

use super::{NullPolicy, OPERATION, ReduceAggregation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Sum,
    Product,
    Squares,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bitwise {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyWidth {
    Words,
    Wide,
    Widest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReducePlan {
    /// Combines integers with 64-bit wrapping arithmetic.
    Words(Arithmetic),
    /// Combines numbers in double precision.
    Floats {
        arithmetic: Arithmetic,
        mean: bool,
    },
    /// Combines integers of scale `scale` with 128-bit wrapping arithmetic.
    Wide {
        arithmetic: Arithmetic,
        scale: i32,
        mean: bool,
    },
    /// Adds integers of scale `scale` with 256-bit wrapping arithmetic.
    Widest {
        scale: i32,
        mean: bool,
    },
    Extreme {
        minimum: bool,
        width: KeyWidth,
    },
    ExtremeString {
        minimum: bool,
    },
    /// Computes whether any value differs from zero or, if `all` is set, whether all values do.
    AnyAll {
        all: bool,
    },
    /// Counts the valid rows, or all rows if `all` is set.
    Count {
        all: bool,
    },
    Bitwise(Bitwise),
    /// Computes the variance of numbers, or its square root if `root` is set.
    Variance {
        ddof: u32,
        root: bool,
    },
}

impl ReducePlan {
    pub(crate) fn can_be_null(self, null_policy: NullPolicy) -> bool {
        match self {
            ReducePlan::Count { .. } => false,
            ReducePlan::AnyAll { .. } => null_policy == NullPolicy::Include,
            ReducePlan::Words(_)
            | ReducePlan::Floats { .. }
            | ReducePlan::Wide { .. }
            | ReducePlan::Widest { .. }
            | ReducePlan::Extreme { .. }
            | ReducePlan::ExtremeString { .. }
            | ReducePlan::Bitwise(_)
            | ReducePlan::Variance { .. } => true,
        }
    }

    /// Returns the largest number of valid rows for which the result is null, or `None` if the result is never null.
    pub(crate) fn fewest(self) -> Option<u32> {
        match self {
            ReducePlan::Variance { ddof, .. } => Some(ddof),
            plan => plan.can_be_null(NullPolicy::Exclude).then_some(0),
        }
    }

    pub(crate) fn is_masked(self, rows: ColumnView<'_>) -> bool {
        self.fewest().is_some_and(|fewest| rows.has_validity() || rows.len() <= fewest as usize)
    }

    pub(crate) fn new(aggregation: ReduceAggregation, input: &DataType, output: &DataType) -> Result<ReducePlan> {
        if let Some(plan) = Self::product_of_decimals(aggregation, input, output) {
            return Ok(plan);
        }
        let natural = super::default_output_type(aggregation, input)?;
        Self::suiting(aggregation, input, output)
            .ok_or_else(|| Error::type_mismatch(ExpectedType::KindOf(natural), output))
            .map_err(|error| error.in_variant(aggregation.name()).in_argument("output_type"))
    }

    /// Returns the plan of a product of decimals, or `None` for other arguments.
    fn product_of_decimals(aggregation: ReduceAggregation, input: &DataType, output: &DataType) -> Option<ReducePlan> {
        let narrow = |data_type| decimal_parts(data_type).filter(|(width, ..)| *width <= 16);
        let (_, _, scale) =
            narrow(input).filter(|_| aggregation == ReduceAggregation::Product && narrow(output).is_some())?;
        Some(ReducePlan::Wide { arithmetic: Arithmetic::Product, scale: i32::from(scale), mean: false })
    }

    fn suiting(aggregation: ReduceAggregation, input: &DataType, output: &DataType) -> Option<ReducePlan> {
        use ReduceAggregation as A;
        let bitwise = |operator| same_type(input, output).then_some(ReducePlan::Bitwise(operator));
        let arithmetic = match aggregation {
            A::CountValid | A::CountAll => {
                let all = aggregation == A::CountAll;
                return is_integral(output).then_some(ReducePlan::Count { all });
            }
            A::Any | A::All => {
                let all = aggregation == A::All;
                return (*output == DataType::Boolean).then_some(ReducePlan::AnyAll { all });
            }
            A::Min | A::Max => {
                let minimum = aggregation == A::Min;
                return same_type(input, output).then(|| extreme(minimum, input))?;
            }
            A::BitwiseAnd => return bitwise(Bitwise::And),
            A::BitwiseOr => return bitwise(Bitwise::Or),
            A::BitwiseXor => return bitwise(Bitwise::Xor),
            A::Variance { ddof } | A::Std { ddof } => {
                let root = matches!(aggregation, A::Std { .. });
                return is_floating(output).then_some(ReducePlan::Variance { ddof, root });
            }
            A::Sum | A::Mean => Arithmetic::Sum,
            A::Product => Arithmetic::Product,
            A::SumOfSquares => Arithmetic::Squares,
            A::Median | A::Quantile { .. } | A::ArgMin | A::ArgMax | A::Nunique(_) => return None,
            A::NthElement { .. } | A::CollectList { .. } | A::CollectSet { .. } => return None,
            A::MergeLists | A::MergeSets { .. } | A::MergeHistogram => return None,
            // The plan computes the exact sum. The caller makes the struct of the wrapped sum and the overflow from it.
            A::SumOverflow => {
                let exact = ReducePlan::Wide { arithmetic: Arithmetic::Sum, scale: 0, mean: false };
                return same_type(output, &sum_overflow_type()).then_some(exact);
            }
        };
        let mean = aggregation == A::Mean;
        if let Some((width, _, scale)) = decimal_parts(input) {
            let scale = i32::from(scale);
            let out_width = match decimal_parts(output) {
                _ if mean => is_floating(output).then_some(0)?,
                Some((out_width, _, out_scale)) => {
                    let expected = if arithmetic == Arithmetic::Squares { 2 * scale } else { scale };
                    (i32::from(out_scale) == expected).then_some(out_width)?
                }
                None => return None,
            };
            return match width.max(out_width) {
                // A mean adds its values exactly, so that only the division rounds.
                16 if mean => Some(ReducePlan::Widest { scale, mean }),
                32 if arithmetic == Arithmetic::Sum => Some(ReducePlan::Widest { scale, mean }),
                32 => None,
                _ => Some(ReducePlan::Wide { arithmetic, scale, mean }),
            };
        }
        if let DataType::Duration(_) = input {
            return same_type(input, output).then_some(ReducePlan::Words(arithmetic));
        }
        match (is_floating(input), is_floating(output)) {
            (true, true) => Some(ReducePlan::Floats { arithmetic, mean }),
            // A sum of integers is exact, so that only its conversion to a float rounds.
            (false, true) if arithmetic == Arithmetic::Sum => Some(ReducePlan::Wide { arithmetic, scale: 0, mean }),
            (false, true) => Some(ReducePlan::Floats { arithmetic, mean }),
            (false, false) if is_integral(output) && !mean => Some(ReducePlan::Words(arithmetic)),
            _ => None,
        }
    }
}

/// Returns the plan of the smallest or the largest value.
fn extreme(minimum: bool, data_type: &DataType) -> Option<ReducePlan> {
    match physical_type(data_type) {
        PhysicalType::String { .. } | PhysicalType::Binary { .. } => Some(ReducePlan::ExtremeString { minimum }),
        PhysicalType::I128 => Some(ReducePlan::Extreme { minimum, width: KeyWidth::Wide }),
        PhysicalType::I256 => Some(ReducePlan::Extreme { minimum, width: KeyWidth::Widest }),
        _ => {
            let has_words = Abilities::of(data_type).order == Some(ValueOrder::Words);
            has_words.then_some(ReducePlan::Extreme { minimum, width: KeyWidth::Words })
        }
    }
}

/// Returns the default type of the result of an aggregation.
///
/// | aggregation | of | gives |
/// |---|---|---|
/// | `Sum`, `Product`, `SumOfSquares` | booleans, signed integers | `Int64` |
/// | | unsigned integers | `UInt64` |
/// | | floats | the same |
/// | `SumOverflow` | booleans, integers | a struct of the fields `sum`, `Int64`, and `overflow`, `Boolean` |
/// | `Sum` | decimals of up to 128 bits | `Decimal128(38, s)` |
/// | | decimals of 256 bits | `Decimal256(76, s)` |
/// | | durations | the same |
/// | `SumOfSquares` | decimals of up to 128 bits | `Decimal128(38, 2 s)` |
/// | `Min`, `Max` | booleans, numbers, decimals, strings, binary, temporal except intervals with days | the same |
/// | | structs, lists and binary of a fixed size that can be sorted | the same |
/// | `Mean` | booleans, numbers, decimals | `Float64` |
/// | `Any`, `All` | booleans, numbers, decimals | `Boolean` |
/// | `Variance`, `Std` | booleans, numbers | `Float64` |
/// | `Median`, `Quantile` | booleans, numbers, decimals | `Float64` |
/// | `BitwiseAnd`, `BitwiseOr`, `BitwiseXor` | booleans, integers | the same |
/// | `ArgMin`, `ArgMax` | the types of `Min` | `Int64` |
/// | `Nunique` | all types that keys can have | `Int64` |
/// | `NthElement` | anything; unions and run-end encoded columns only with nulls | the same |
/// | `CollectList` | the types of `NthElement` | `List` of the type |
/// | `CollectSet` | the types of `Nunique` | `List` of the type |
/// | `MergeLists` | `List`, `LargeList`, `FixedSizeList` | the same; `List` for `FixedSizeList` |
/// | `MergeSets` | the types of `MergeLists` with elements of the types of `Nunique` | as for `MergeLists` |
/// | `MergeHistogram` | lists of structs of a value that can be sorted and an `Int64` | as for `MergeLists` |
/// | `CountValid` | anything but unions and run-end encoded columns | `Int64` |
/// | `CountAll` | anything | `Int64` |
///
/// Views and dictionaries have the result types of their values, except for `NthElement`, `CollectList`,
/// `CollectSet`, `MergeLists`, `MergeSets` and `MergeHistogram`.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) when the table above has no row for the aggregation and the type.
pub fn default_output_type(aggregation: ReduceAggregation, data_type: &DataType) -> Result<DataType> {
    use ReduceAggregation as A;
    let data_type = if aggregation.reads() == Reads::Values { decoded_type(data_type) } else { data_type };
    let unsupported = || Error::unsupported(OPERATION, data_type).in_variant(aggregation.name());
    let abilities = Abilities::of(data_type);
    let decimal = decimal_parts(data_type);
    let number = is_integral(data_type) || is_floating(data_type) || *data_type == DataType::Boolean;
    Ok(match aggregation {
        A::CountValid
        | A::NthElement { nulls: NullPolicy::Exclude, .. }
        | A::CollectList { nulls: NullPolicy::Exclude }
            if !has_known_nulls(data_type) =>
        {
            return Err(unsupported());
        }
        A::CountValid | A::CountAll => DataType::Int64,
        A::Any | A::All if number || decimal.is_some() => DataType::Boolean,
        A::Mean | A::Median | A::Quantile { .. } if number || decimal.is_some() => DataType::Float64,
        A::Variance { .. } | A::Std { .. } if number => DataType::Float64,
        A::BitwiseAnd | A::BitwiseOr | A::BitwiseXor if number && !is_floating(data_type) => data_type.clone(),
        A::ArgMin | A::ArgMax if abilities.sortable => DataType::Int64,
        A::Nunique(_) if abilities.is_key() => DataType::Int64,
        A::NthElement { .. } if abilities.is_movable() => data_type.clone(),
        A::CollectList { .. } if abilities.is_movable() => list_of(data_type),
        A::CollectSet { .. } if abilities.is_key() => list_of(data_type),
        A::MergeLists => merged_list_type(data_type).ok_or_else(unsupported)?,
        A::MergeSets { .. } if child_types(data_type).iter().all(|of| Abilities::of(of).is_key()) => {
            merged_list_type(data_type).ok_or_else(unsupported)?
        }
        A::MergeHistogram => merged_list_type(data_type).filter(is_histogram).ok_or_else(unsupported)?,
        A::SumOverflow if number && !is_floating(data_type) => sum_overflow_type(),
        A::Min | A::Max if abilities.sortable => data_type.clone(),
        A::Sum => sum_type(data_type).ok_or_else(unsupported)?,
        A::Product | A::SumOfSquares if number => sum_type(data_type).ok_or_else(unsupported)?,
        A::SumOfSquares => match decimal {
            Some((4..=16, _, scale)) => DataType::Decimal128(38, scale.checked_mul(2).ok_or_else(unsupported)?),
            _ => return Err(unsupported()),
        },
        _ => return Err(unsupported()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataType::*;
    use ReduceAggregation as A;

    #[test]
    fn types_of_results() {
        for (aggregation, input, output) in [
            (A::Sum, Int8, Int64),
            (A::Sum, Boolean, Int64),
            (A::SumOfSquares, UInt16, UInt64),
            (A::Product, Float32, Float32),
            (A::Sum, Decimal32(9, 2), Decimal128(38, 2)),
            (A::Sum, Decimal256(76, 2), Decimal256(76, 2)),
            (A::SumOfSquares, Decimal64(18, 3), Decimal128(38, 6)),
            (A::Sum, Duration(gdf_core::TimeUnit::Second), Duration(gdf_core::TimeUnit::Second)),
            (A::Max, LargeUtf8, LargeUtf8),
            (A::Min, Date64, Date64),
            (A::Mean, Decimal64(18, 3), Float64),
            (A::All, Float16, Boolean),
            (A::SumOverflow, UInt64, sum_overflow_type()),
            (A::CountValid, Null, Int64),
        ] {
            assert_eq!(default_output_type(aggregation, &input).unwrap(), output, "{aggregation:?} {input}");
            assert!(ReducePlan::new(aggregation, &input, &output).is_ok());
        }
    }

    #[test]
    fn what_has_no_result() {
        let field = |name: &str, data_type: DataType| gdf_core::Field::new(name, data_type, true);
        for (aggregation, input) in [
            (A::Sum, Utf8),
            (A::Sum, Timestamp(gdf_core::TimeUnit::Second, None)),
            (A::Mean, Date32),
            (A::SumOverflow, Float64),
            (A::SumOverflow, Decimal64(18, 0)),
            (A::MergeHistogram, list_of(&Int64)),
            (A::Any, Duration(gdf_core::TimeUnit::Second)),
            (A::Product, Decimal64(18, 2)),
            (A::SumOfSquares, Decimal256(76, 2)),
            (A::SumOfSquares, Decimal64(18, 100)),
            (A::Min, Interval(gdf_core::IntervalUnit::DayTime)),
            (A::Max, Null),
            (A::CountValid, RunEndEncoded(field("run_ends", Int32).into(), field("values", Int64).into())),
        ] {
            let error = default_output_type(aggregation, &input).unwrap_err();
            assert!(matches!(error, Error::Unsupported { data_type, .. } if data_type == input));
        }
    }

    /// A plan belongs to a kernel that reads the values of rows.
    #[test]
    fn rows_that_no_kernel_reads_have_no_plan() {
        for of in [list_of(&Int32), Struct(gdf_core::Fields::empty()), FixedSizeBinary(4)] {
            assert_eq!(default_output_type(A::Max, &of).unwrap(), of);
            assert!(ReducePlan::new(A::Max, &of, &of).is_err(), "{of}");
        }
    }

    #[test]
    fn outputs_that_suit() {
        let plan = |aggregation, input: DataType, output: DataType| ReducePlan::new(aggregation, &input, &output);
        let sum = Arithmetic::Sum;
        assert_eq!(plan(A::Sum, Int64, Int8).unwrap(), ReducePlan::Words(sum));
        let exact = ReducePlan::Wide { arithmetic: sum, scale: 0, mean: false };
        assert_eq!(plan(A::Sum, Int64, Float32).unwrap(), exact);
        let cents = ReducePlan::Wide { arithmetic: sum, scale: 2, mean: false };
        assert_eq!(plan(A::Sum, Decimal32(9, 2), Decimal32(9, 2)).unwrap(), cents);
        let widest = ReducePlan::Widest { scale: 2, mean: false };
        assert_eq!(plan(A::Sum, Decimal64(18, 2), Decimal256(76, 2)).unwrap(), widest);
        for (aggregation, input, output) in [
            (A::Sum, Decimal64(18, 2), Decimal64(18, 3)),
            (A::Sum, Decimal64(18, 2), Float64),
            (A::Sum, Float64, Int64),
            (A::Sum, Int32, Utf8),
            (A::Min, Int32, Int64),
            (A::Any, Float64, Int32),
            (A::Mean, Int32, Int32),
            (A::CountAll, Int32, Float64),
        ] {
            let error = plan(aggregation, input, output.clone()).unwrap_err();
            assert!(matches!(error, Error::TypeMismatch { found, .. } if found == output), "{aggregation:?}");
        }
    }
}
