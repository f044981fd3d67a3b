//! Types in which running sums and windows are computed, so that a sum has more digits than its values.

use gdf_api::binaryop::{ArithmeticPolicy, BinaryOperator, OverflowPolicy, binary_operation_checked};
use gdf_api::pipeline::{Pipeline, Reduction};
use gdf_api::reduction::ReduceAggregation;
use gdf_api::unary::cast;
use gdf_core::{Column, DataType, Error, Result, Table, decimal_parts, is_decimal, is_integral};

use crate::expr::{Aggregation, Scan};

/// Returns the values in the type of their running sums or products: integers become `Int64`, `UInt64` stays, and sums of
/// decimals get all digits of 128 bits (of 256 bits for `Decimal256`). Smallest and largest values keep their type.
pub(super) fn of_scan(scan: Scan, values: &Column) -> Result<Column> {
    match (scan, values.data_type()) {
        (Scan::Sum | Scan::Product, DataType::UInt64) => Ok(values.clone()),
        (Scan::Sum | Scan::Product, of) if is_integral(of) => cast(values, &DataType::Int64),
        (Scan::Sum, of) if is_decimal(of) => with_all_digits(values),
        (Scan::Sum | Scan::Product | Scan::Min | Scan::Max, _) => Ok(values.clone()),
    }
}

/// Returns the values in the type in which a window aggregates them: means of decimals are floats, as the means of
/// groups are, and sums of decimals get all digits of their width.
pub(super) fn of_windows(aggregation: Aggregation, values: &Column) -> Result<Column> {
    match aggregation {
        Aggregation::Mean if is_decimal(values.data_type()) => cast(values, &DataType::Float64),
        Aggregation::Sum if is_decimal(values.data_type()) => with_all_digits(values),
        _ => Ok(values.clone()),
    }
}

fn with_all_digits(values: &Column) -> Result<Column> {
    let Some((width, _, scale)) = decimal_parts(values.data_type()) else { return Ok(values.clone()) };
    let wide = match width {
        32 => DataType::Decimal256(76, scale),
        _ => DataType::Decimal128(38, scale),
    };
    cast(values, &wide)
}

/// Computes running sums or sums of windows. Returns an error if a sum of decimals has more digits than its type.
/// `given` is the type before [`of_scan`] or [`of_windows`], and `sums` computes the sums of a column.
pub(super) fn checked(
    is_sum: bool,
    given: &DataType,
    values: &Column,
    sums: impl Fn(&Column) -> Result<Column>,
) -> Result<Column> {
    let found = sums(values)?;
    if is_sum && may_exceed(given, Some(values.len())) {
        check_sums(&found, &sums(&cast(values, &DataType::Float64)?)?)?;
    }
    if is_sum { as_given(given, found) } else { Ok(found) }
}

/// Returns running sums or products of `UInt64` with that type.
pub(super) fn as_given(given: &DataType, found: Column) -> Result<Column> {
    match is_unsigned(given, found.data_type()) {
        true => cast(&found, &DataType::UInt64),
        false => Ok(found),
    }
}

/// Returns whether results of the type `found` are sums or products of unsigned integers, whose 64 bits are those of
/// the right result.
pub(super) fn is_unsigned(given: &DataType, found: &DataType) -> bool {
    (given, found) == (&DataType::UInt64, &DataType::Int64)
}

/// Returns whether a sum of `rows` values of the type may have more digits than its own type. `None` stands for an
/// unknown number of rows.
pub(super) fn may_exceed(values: &DataType, rows: Option<usize>) -> bool {
    let Some((width, digits, _)) = decimal_parts(values) else { return false };
    let rows = rows.unwrap_or(usize::MAX);
    let most = if width == 32 { 76 } else { 38 };
    // The sum of n numbers has at most the digits of n more than the numbers have.
    u32::from(digits) + rows.checked_ilog10().unwrap_or(0) + 1 > most
}

/// Returns the error of a sum that does not fit. `pairs` has the positions of columns of sums, which wrap, and of the
/// same sums as floats.
pub(super) fn check(table: &Table, pairs: &[(usize, usize)]) -> Result<()> {
    pairs.iter().try_for_each(|(sums, rough)| check_sums(table.column(*sums)?, table.column(*rough)?))
}

/// Returns a difference between sums and the same sums as floats that shows that the sums have wrapped: a fourth of the
/// numbers that the type stores. The rounding of the floats makes a much smaller difference.
pub(super) fn wrap_limit(values: &DataType) -> f64 {
    let (width, _, scale) = decimal_parts(values).unwrap_or((16, 0, 0));
    2_f64.powi(if width == 32 { 254 } else { 126 }) / 10_f64.powi(i32::from(scale))
}

fn check_sums(sums: &Column, rough: &Column) -> Result<()> {
    let too_large = || {
        let error = Error::invalid_data("a sum has more digits than its type").in_type(sums.data_type());
        error.with_remedy("cast the values to `Decimal256` or to `Float64`")
    };
    // The sum with 0 has the check of the digits.
    let policy = ArithmeticPolicy { overflow: OverflowPolicy::Error, ..ArithmeticPolicy::default() };
    match binary_operation_checked(sums, 0, BinaryOperator::Add, sums.data_type(), policy) {
        Err(Error::InvalidData { .. }) => return Err(too_large()),
        result => result.map(drop)?,
    }
    let both = Table::try_new(vec![sums.clone(), rough.clone()])?;
    let difference = (gdf_expr::col(0).cast(DataType::Float64) - gdf_expr::col(1)).abs();
    let largest = Pipeline::new(&both).reduce(&[Reduction::new(difference, ReduceAggregation::Max)])?;
    match largest.column(0)?.get::<f64>(0)? {
        Some(largest) if largest >= wrap_limit(sums.data_type()) => Err(too_large()),
        _ => Ok(()),
    }
}
