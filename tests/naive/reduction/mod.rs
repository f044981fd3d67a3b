//! Oracle of `reduction.reduce`.

pub mod describe;

use std::cmp::Ordering;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_core::{decimal_parts, is_floating};
use gdf_detail::quantiles::Interpolation;
use gdf_detail::reduction::{NullPolicy, ReduceAggregation as Aggregation};
use gdf_detail::stream_compaction::DuplicateKeepOption;

use super::groupby::{canonical, merged_histogram, with_overflow};
use super::hashing::{Function, row_hashes};
use super::quantiles::{quantile, sorted};
use super::sorting::{Direction, compare, order};
use super::unary::cast::{cast, exact, float, integer};
use gdf_test::value::{Value, to_values, try_from_values};

/// The order of nested values.
pub(super) const NESTED: Direction = Direction { descending: false, nulls_smallest: true };

fn is_nested(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Struct(_))
}

pub(super) fn ordering(a: &Value, b: &Value) -> Ordering {
    if is_nested(a) { compare(&Some(a.clone()), &Some(b.clone()), NESTED) } else { a.cmp(b) }
}

pub(super) fn extreme(rows: Vec<Value>, largest: bool) -> Option<Value> {
    let rows = rows.into_iter();
    if largest { rows.max_by(ordering) } else { rows.min_by(ordering) }
}

fn elements(lists: &[Value]) -> Vec<Option<Value>> {
    let of = |list: &Value| if let Value::List(of) = list { of.clone() } else { Vec::new() };
    lists.iter().flat_map(of).collect()
}

/// A list of these elements, or null if there is none.
fn collected(elements: Vec<Option<Value>>) -> Option<Value> {
    (!elements.is_empty()).then_some(Value::List(elements))
}

/// Reduces all rows of `column` to one row.
///
/// # Errors
/// - the type of the values does not support the aggregation, or the result cannot be built.
pub fn reduce(column: &ArrayRef, aggregation: Aggregation, output: &DataType) -> Result<Vec<ArrayRef>, String> {
    let all = to_values(column);
    let rows: Vec<Value> = all.iter().flatten().cloned().collect();
    let result = match aggregation {
        Aggregation::Nunique(nulls) => {
            let mut distinct: Vec<Value> = rows.iter().cloned().map(canonical).collect();
            distinct.sort();
            distinct.dedup();
            let null = nulls == NullPolicy::Include && rows.len() < all.len();
            Some(integer(i256::from_i128(distinct.len() as i128 + i128::from(null)), output))
        }
        Aggregation::NthElement { n, nulls } => {
            let kept: Vec<_> = all.iter().filter(|row| nulls == NullPolicy::Include || row.is_some()).collect();
            let row = if n < 0 { kept.len() as i64 + n } else { n };
            let row = usize::try_from(row).ok().and_then(|row| kept.get(row)).ok_or("the row does not exist")?;
            (*row).clone()
        }
        Aggregation::CollectList { nulls } => {
            collected(all.into_iter().filter(|row| nulls == NullPolicy::Include || row.is_some()).collect())
        }
        Aggregation::CollectSet { nulls, null_equality, nan_equality } => {
            let kept = all.into_iter().filter(|row| nulls == NullPolicy::Include || row.is_some()).collect();
            let first = DuplicateKeepOption::First;
            collected(super::lists::distinct_of(&kept, first, null_equality, nan_equality))
        }
        Aggregation::MergeLists => Some(Value::List(elements(&rows))),
        Aggregation::MergeSets { null_equality, nan_equality } => {
            let first = DuplicateKeepOption::First;
            Some(Value::List(super::lists::distinct_of(&elements(&rows), first, null_equality, nan_equality)))
        }
        Aggregation::MergeHistogram => Some(merged_histogram(&rows.iter().collect::<Vec<_>>())),
        Aggregation::CountAll => Some(integer(i256::from_i128(column.len() as i128), output)),
        Aggregation::CountValid => Some(integer(i256::from_i128(rows.len() as i128), output)),
        Aggregation::Any => Some(Value::Bool(rows.iter().any(is_set))),
        Aggregation::All => Some(Value::Bool(rows.iter().all(is_set))),
        _ if rows.is_empty() => None,
        Aggregation::Median => return by_share(column, 0.5, Interpolation::Linear, output),
        Aggregation::Quantile { q, interpolation } => return by_share(column, q, interpolation, output),
        Aggregation::ArgMin | Aggregation::ArgMax => {
            let descending = aggregation == Aggregation::ArgMax;
            if rows.iter().any(is_nested) {
                let valid = (0..all.len()).filter(|row| all[*row].is_some());
                let better = |a: usize, b: usize| {
                    let order = compare(&all[b], &all[a], NESTED);
                    if descending { order.is_gt() } else { order.is_lt() }
                };
                let best = valid.reduce(|best, row| if better(best, row) { row } else { best });
                let best = best.map(|row| integer(i256::from_i128(row as i128), output));
                return Ok(vec![try_from_values(output, &[best])?]);
            }
            let first = Direction { descending, nulls_smallest: descending };
            let rows = order(std::slice::from_ref(column), &[first]);
            rows.first().map(|row| integer(i256::from_i128(*row as i128), output))
        }
        Aggregation::BitwiseAnd | Aggregation::BitwiseOr | Aggregation::BitwiseXor => {
            let bits: Vec<i256> = rows.iter().map(exact).collect::<Result<_, _>>()?;
            let all = bits.into_iter().reduce(|a, b| match aggregation {
                Aggregation::BitwiseAnd => a & b,
                Aggregation::BitwiseOr => a | b,
                _ => a ^ b,
            });
            all.map(
                |all| if *output == DataType::Boolean { Value::Bool(all != i256::ZERO) } else { integer(all, output) },
            )
        }
        Aggregation::Variance { ddof } | Aggregation::Std { ddof } => {
            let (numbers, root) = (floats(&rows)?, matches!(aggregation, Aggregation::Std { .. }));
            let count = numbers.len() as f64;
            let total = sum(&numbers);
            let shares = || numbers.iter().map(|row| row / count).sum();
            let mean = if total.is_finite() { total / count } else { shares() };
            let squares = sum(&numbers.iter().map(|row| (row - mean) * (row - mean)).collect::<Vec<_>>());
            let degrees = numbers.len() as f64 - f64::from(ddof);
            let variance = squares / degrees;
            (degrees > 0.0).then(|| float(if root { variance.sqrt() } else { variance }, output))
        }
        Aggregation::Min => extreme(rows, false),
        Aggregation::Max => extreme(rows, true),
        Aggregation::Sum => Some(total(&rows, column.data_type(), output, |row| row)?),
        Aggregation::SumOverflow => {
            let rows: Vec<i256> = rows.iter().map(exact).collect::<Result<_, _>>()?;
            let exact = rows.into_iter().fold(i256::ZERO, i256::wrapping_add).to_i128();
            Some(with_overflow(exact.ok_or("the sum has more than 128 bits")?))
        }
        Aggregation::SumOfSquares if is_float(&rows, output) => {
            Some(float(sum(&floats(&rows)?.iter().map(|row| row * row).collect::<Vec<_>>()), output))
        }
        Aggregation::SumOfSquares => Some(total(&rows, column.data_type(), output, |row| row.wrapping_mul(row))?),
        Aggregation::Product if is_float(&rows, output) => Some(float(floats(&rows)?.iter().product(), output)),
        Aggregation::Product => {
            let rows: Vec<i256> = rows.iter().map(exact).collect::<Result<_, _>>()?;
            Some(integer(rows.into_iter().fold(i256::ONE, i256::wrapping_mul), output))
        }
        Aggregation::Mean => {
            let Value::F64(sum) = total(&rows, column.data_type(), &DataType::Float64, |row| row)? else {
                return Err("the sum is not a double".into());
            };
            Some(float(sum / rows.len() as f64, output))
        }
        other => return Err(format!("no oracle for {other:?}")),
    };
    Ok(vec![try_from_values(output, &[result])?])
}

fn by_share(
    column: &ArrayRef,
    q: f64,
    interpolation: Interpolation,
    output: &DataType,
) -> Result<Vec<ArrayRef>, String> {
    let double = quantile(column, &[q], interpolation, &sorted(column), &DataType::Float64)?.remove(0);
    cast(&double, output)
}

/// Reduces the rows between each pair of neighboring `offsets` to one row.
///
/// # Errors
/// - The errors of [`reduce`], or the offsets do not ascend, or an offset lies beyond the rows.
pub fn segmented_reduce(
    column: &ArrayRef,
    offsets: &ArrayRef,
    aggregation: Aggregation,
    output: &DataType,
    include: bool,
) -> Result<Vec<ArrayRef>, String> {
    let offsets: Vec<usize> = to_values(offsets)
        .iter()
        .map(|offset| offset.as_ref().and_then(|offset| exact(offset).ok()?.to_string().parse().ok()))
        .collect::<Option<_>>()
        .ok_or("an offset is not a position")?;
    let counts = matches!(aggregation, Aggregation::CountAll | Aggregation::CountValid | Aggregation::Nunique(_));
    let mut rows = Vec::new();
    for pair in offsets.windows(2) {
        let len =
            pair[1].checked_sub(pair[0]).filter(|_| pair[1] <= column.len()).ok_or("the offsets do not ascend")?;
        let segment = column.slice(pair[0], len);
        if include && !counts && segment.logical_null_count() > 0 {
            rows.push(None);
        } else {
            rows.extend(to_values(&reduce(&segment, aggregation, output)?[0]));
        }
    }
    Ok(vec![try_from_values(output, &rows)?])
}

fn is_set(value: &Value) -> bool {
    match value.as_f64() {
        Some(number) => number != 0.0,
        None => exact(value).is_ok_and(|integer| integer != i256::ZERO),
    }
}

fn is_float(rows: &[Value], output: &DataType) -> bool {
    is_floating(output) || rows.iter().any(|row| row.as_f64().is_some())
}

fn floats(rows: &[Value]) -> Result<Vec<f64>, String> {
    rows.iter().map(|row| row.as_f64().map_or_else(|| integer_as_float(exact(row)?), Ok)).collect()
}

fn integer_as_float(value: i256) -> Result<f64, String> {
    value.to_string().parse().map_err(|_| format!("{value} is not a number"))
}

/// Returns the sum of the rows.
fn total(rows: &[Value], input: &DataType, output: &DataType, each: impl Fn(i256) -> i256) -> Result<Value, String> {
    if rows.iter().any(|row| row.as_f64().is_some()) {
        return Ok(float(sum(&floats(rows)?), output));
    }
    let integers: Vec<i256> = rows.iter().map(exact).collect::<Result<_, _>>()?;
    let sum = integers.into_iter().map(each).fold(i256::ZERO, i256::wrapping_add);
    if !is_floating(output) {
        return Ok(integer(sum, output));
    }
    let scale = decimal_parts(input).map_or(0, |(_, _, scale)| i32::from(scale));
    let power: f64 = format!("1e{}", scale.abs()).parse().map_err(|_| "the scale has no power of ten")?;
    let number = integer_as_float(sum)?;
    Ok(float(if scale > 0 { number / power } else { number * power }, output))
}

/// Returns the sum by Neumaier's method.
fn sum(rows: &[f64]) -> f64 {
    let (mut sum, mut errors) = (0.0_f64, 0.0_f64);
    for row in rows {
        let next = sum + row;
        errors += if sum.abs() >= row.abs() { (sum - next) + row } else { (row - next) + sum };
        sum = next;
    }
    if sum.is_finite() { sum + errors } else { sum }
}

/// Returns the registers of a HyperLogLog sketch.
///
/// # Errors
/// - a column cannot be hashed.
pub fn distinct_registers(columns: &[ArrayRef], nulls: NullPolicy, precision: u8) -> Result<Vec<u8>, String> {
    let normalized = columns.iter().map(|column| match is_floating(column.data_type()) {
        true => Ok(try_from_values(
            column.data_type(),
            &to_values(column).into_iter().map(|value| value.map(canonical)).collect::<Vec<_>>(),
        )?),
        false => Ok::<_, String>(column.clone()),
    });
    let normalized = normalized.collect::<Result<Vec<_>, _>>()?;
    let values: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let mut registers = vec![0_u8; 1 << precision];
    for (row, (hash, _)) in row_hashes(&normalized, Function::XxHash64, 0)?.into_iter().enumerate() {
        if nulls == NullPolicy::Exclude && values.iter().any(|column| column[row].is_none()) {
            continue;
        }
        let bits: Vec<bool> = (0..64).rev().map(|bit| hash >> bit & 1 == 1).collect();
        let (name, rest) = bits.split_at(precision.into());
        let register = name.iter().fold(0, |number, bit| 2 * number + usize::from(*bit));
        let zeros = rest.iter().take_while(|bit| !**bit).count() as u8;
        registers[register] = registers[register].max(zeros + 1);
    }
    Ok(registers)
}

/// Returns Ertl's estimate for the registers, with all sums written out.
pub fn distinct_estimate(registers: &[u8]) -> f64 {
    let number = registers.len() as f64;
    let largest = 65 - registers.len().ilog2() as usize;
    let count = |value: usize| registers.iter().filter(|of| usize::from(**of) == value).count() as f64;
    let (none, full) = (count(0) / number, 1.0 - count(largest) / number);
    let power = |k: i32| 2_f64.powi(k);
    if none == 1.0 {
        return 0.0;
    }
    let sigma = none + (1..40).map(|k| none.powf(power(k)) * power(k - 1)).sum::<f64>();
    let tau = (1.0 - full - (1..60).map(|k| (1.0 - full.powf(power(-k))).powi(2) * power(-k)).sum::<f64>()) / 3.0;
    let tau = if full == 0.0 || full == 1.0 { 0.0 } else { tau };
    let between = (1..largest).map(|value| count(value) * power(-(value as i32))).sum::<f64>();
    let sum = number * sigma + between + number * tau * power(1 - largest as i32);
    number * number / (2.0 * 2_f64.ln() * sum)
}

/// Returns the hashes of rows.
fn canonical_hashes(columns: &[ArrayRef]) -> Result<Vec<u64>, String> {
    let normalized = columns.iter().map(|column| match is_floating(column.data_type()) {
        true => Ok(try_from_values(
            column.data_type(),
            &to_values(column).into_iter().map(|value| value.map(canonical)).collect::<Vec<_>>(),
        )?),
        false => Ok::<_, String>(column.clone()),
    });
    let normalized = normalized.collect::<Result<Vec<_>, _>>()?;
    Ok(row_hashes(&normalized, Function::XxHash64, 0)?.into_iter().map(|(hash, _)| hash).collect())
}

fn bloom_places(hash: u64, bits: usize, hashes: u8) -> Vec<usize> {
    let (first, step) = (u128::from(hash >> 32), u128::from(hash as u32 | 1));
    (0..u128::from(hashes)).map(|i| ((first + i * step) % bits as u128) as usize).collect()
}

/// Returns the bits of the Bloom filter of the rows.
pub fn bloom_bits(columns: &[ArrayRef], (bits, hashes): (usize, u8)) -> Result<Vec<bool>, String> {
    let mut filter = vec![false; bits];
    for hash in canonical_hashes(columns)? {
        bloom_places(hash, bits, hashes).into_iter().for_each(|place| filter[place] = true);
    }
    Ok(filter)
}

/// Returns for each row whether all its bits are set.
pub fn bloom_contains(columns: &[ArrayRef], filter: &[bool], hashes: u8) -> Result<Vec<bool>, String> {
    let found = |hash| bloom_places(hash, filter.len(), hashes).into_iter().all(|place| filter[place]);
    Ok(canonical_hashes(columns)?.into_iter().map(found).collect())
}
