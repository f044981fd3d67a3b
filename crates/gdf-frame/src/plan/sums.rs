//! Types in which running sums and windows are computed, so that a sum has more digits than its values.

use gdf_api::reduction::{ReduceAggregation, reduce};
use gdf_api::unary::cast;
use gdf_core::{Column, DataType, Error, Result, decimal_parts, is_decimal, is_integral};

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
    let (true, Some((_, digits, _)), Some((_, most, scale))) =
        (is_sum, decimal_parts(given), decimal_parts(values.data_type()))
    else {
        return Ok(found);
    };
    // The sum of n numbers has at most the digits of n more than the numbers have.
    let more = values.len().checked_ilog10().unwrap_or(0) + 1;
    if u32::from(digits) + more <= u32::from(most) {
        return Ok(found);
    }
    // The sums wrap, so floats show which of them do not fit.
    let rough = sums(&cast(values, &DataType::Float64)?)?;
    let limit = 10_f64.powi(i32::from(most) - i32::from(scale)) * (1.0 - 1e-9);
    for extreme in [ReduceAggregation::Min, ReduceAggregation::Max] {
        let extreme = reduce(&rough, extreme, &DataType::Float64)?.value::<f64>()?;
        if extreme.is_some_and(|extreme| extreme.abs() >= limit) {
            let error = Error::invalid_data("a sum of decimals has more digits than its type");
            return Err(error.with_remedy("cast the values to `Decimal256` or to `Float64`"));
        }
    }
    Ok(found)
}
