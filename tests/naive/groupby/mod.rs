//! Oracles of `groupby`.

pub mod scan;

use std::collections::BTreeMap;

use arrow_array::ArrayRef;
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_api::stream_compaction::{NanEquality, NullEquality};
use gdf_detail::groupby::{GroupByAggregation as A, NullPolicy};
use gdf_detail::quantiles::Interpolation;
use gdf_detail::sorting::Order;
use gdf_detail::stream_compaction::DuplicateKeepOption;

use half::f16;

use super::reduction::{NESTED, extreme, ordering};
use super::sorting::compare;
use super::unary::cast::nearest_half;
use crate::documented_types::group_type;
use gdf_test::value::{Value, from_values, to_values};

pub(super) type Row = Vec<Option<Value>>;

/// Returns the canonical form of a key, in which every negative zero is 0.0, at any depth.
pub(super) fn canonical(value: Value) -> Value {
    match value {
        Value::F16(v) if v == f16::ZERO => Value::F16(f16::ZERO),
        Value::F32(0.0) => Value::F32(0.0),
        Value::F64(0.0) => Value::F64(0.0),
        Value::List(of) => Value::List(of.into_iter().map(|of| of.map(canonical)).collect()),
        Value::Struct(of) => Value::Struct(of.into_iter().map(|of| of.map(canonical)).collect()),
        value => value,
    }
}

/// Returns whether a key is null, or has a null at any depth.
pub(super) fn has_null(value: &Option<Value>) -> bool {
    match value {
        None => true,
        Some(Value::List(of) | Value::Struct(of)) => of.iter().any(has_null),
        Some(_) => false,
    }
}

/// Returns whether a value is NaN, or has a NaN at any depth.
pub(super) fn has_nan(value: &Value) -> bool {
    match value {
        Value::List(of) | Value::Struct(of) => of.iter().flatten().any(has_nan),
        value => value.as_f64().is_some_and(f64::is_nan),
    }
}

/// Returns the distinct rows of `keys`, ordered by value, each with the numbers of its rows. With
/// `NullPolicy::Exclude`, rows with a null key are left out.
pub(super) fn groups(keys: &[ArrayRef], policy: NullPolicy) -> BTreeMap<Row, Vec<usize>> {
    let columns: Vec<_> = keys.iter().map(|key| to_values(key)).collect();
    let mut groups = BTreeMap::<Row, Vec<usize>>::new();
    for row in 0..keys.first().map_or(0, |key| key.len()) {
        let key: Row = columns.iter().map(|column| column[row].clone().map(canonical)).collect();
        if policy == NullPolicy::Include || key.iter().all(Option::is_some) {
            groups.entry(key).or_default().push(row);
        }
    }
    groups
}

/// Returns the keys of all groups and the result of each request.
///
/// # Errors
/// * The type of the values does not support an aggregation.
pub fn aggregate(
    keys: &[ArrayRef],
    values: &[ArrayRef],
    policy: NullPolicy,
    requests: &[(usize, A)],
) -> Result<Vec<ArrayRef>, String> {
    with_types(keys, values, policy, requests, result_type)
}

/// Returns the keys and results that [`aggregate`] returns, except that variances are computed in two passes: first the
/// mean, and then the squares of the differences from the mean. The sum of the differences corrects the rounding of the
/// mean.
///
/// # Errors
/// * The errors of [`aggregate`].
pub fn aggregate_in_two_passes(
    keys: &[ArrayRef],
    values: &[ArrayRef],
    policy: NullPolicy,
    requests: &[(usize, A)],
) -> Result<Vec<ArrayRef>, String> {
    let mut results = aggregate(keys, values, policy, requests)?;
    let groups = groups(keys, policy);
    for ((column, aggregation), result) in requests.iter().zip(&mut results[keys.len()..]) {
        let all = to_values(&values[*column]);
        let spread = |rows: &Vec<usize>| {
            let numbers: Vec<f64> = rows.iter().filter_map(|row| all[*row].as_ref()).map(number).collect();
            let count = numbers.len() as f64;
            let mean = numbers.iter().sum::<f64>() / count;
            let sum = |of: fn(f64) -> f64| numbers.iter().map(|value| of(value - mean)).sum::<f64>();
            let squares = sum(|difference| difference * difference) - sum(|difference| difference).powi(2) / count;
            let over = |ddof: u32| (count > f64::from(ddof)).then(|| squares / (count - f64::from(ddof)));
            match aggregation {
                A::Variance { ddof } => over(*ddof),
                A::Std { ddof } => over(*ddof).map(f64::sqrt),
                _ => Some(if numbers.is_empty() { 0.0 } else { squares }),
            }
        };
        if matches!(aggregation, A::Variance { .. } | A::Std { .. } | A::M2) {
            let rows: Vec<_> = groups.values().map(|rows| spread(rows).map(Value::F64)).collect();
            *result = from_values(&DataType::Float64, &rows);
        }
    }
    Ok(results)
}

fn result_type(aggregation: A, data_type: &DataType) -> Result<DataType, String> {
    group_type(aggregation, data_type).ok_or_else(|| format!("{aggregation:?} of {data_type} is not documented"))
}

/// Requests. A request is the position of a column of values, and an aggregation.
pub type Requests = Vec<(usize, A)>;

fn has_wide_sum(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => has_wide_sum(values),
        DataType::Int64 | DataType::UInt64 | DataType::Duration(_) => true,
        _ => false,
    }
}

/// Returns the partial aggregations that the operation keeps for each group of a batch.
pub fn partials(aggregation: A, data_type: &DataType) -> Vec<A> {
    match aggregation {
        A::Mean if has_wide_sum(data_type) => vec![A::SumOverflow, A::CountValid],
        A::Mean => vec![A::Sum, A::CountValid],
        A::Variance { .. } | A::Std { .. } | A::M2 => vec![A::CountValid, A::Mean, A::M2],
        A::Nunique(nulls) => {
            let (null_equality, nan_equality) = (NullEquality::Equal, NanEquality::AllEqual);
            vec![A::CollectSet { nulls, null_equality, nan_equality }]
        }
        A::ArgMin => vec![A::Min, A::ArgMin],
        A::ArgMax => vec![A::Max, A::ArgMax],
        other => vec![other],
    }
}

/// Returns the keys of all groups and the partial results of each request.
///
/// # Errors
/// * The type of the values does not support an aggregation.
pub fn partial(
    keys: &[ArrayRef],
    values: &[ArrayRef],
    policy: NullPolicy,
    requests: &[(usize, A)],
) -> Result<Vec<ArrayRef>, String> {
    let kept = |(column, aggregation): &(usize, A)| {
        let column = *column;
        partials(*aggregation, values[column].data_type()).into_iter().map(move |kept| (column, kept))
    };
    let requests: Vec<_> = requests.iter().flat_map(kept).collect();
    with_types(keys, values, policy, &requests, |aggregation, data_type| {
        if aggregation == A::SumOverflow {
            return Ok(DataType::Decimal128(38, 0));
        }
        let result = result_type(aggregation, data_type)?;
        if matches!(aggregation, A::ArgMin | A::ArgMax) {
            return Ok(DataType::UInt64);
        }
        let wide = matches!(aggregation, A::Sum | A::SumOfSquares | A::Product) && is_float(&result);
        Ok(if wide { DataType::Float64 } else { result })
    })
}

fn with_types(
    keys: &[ArrayRef],
    values: &[ArrayRef],
    policy: NullPolicy,
    requests: &[(usize, A)],
    type_of: impl Fn(A, &DataType) -> Result<DataType, String>,
) -> Result<Vec<ArrayRef>, String> {
    let groups = groups(keys, policy);
    let mut results = Vec::new();
    for (column, key) in keys.iter().enumerate() {
        let values: Vec<_> = groups.keys().map(|row| row[column].clone()).collect();
        results.push(from_values(key.data_type(), &values));
    }
    for (column, aggregation) in requests {
        let values = values.get(*column).ok_or("the request names no column")?;
        let data_type = type_of(*aggregation, values.data_type())?;
        let all = to_values(values);
        let result: Vec<_> =
            groups.values().map(|rows| one(*aggregation, values.data_type(), &data_type, &all, rows)).collect();
        results.push(from_values(&data_type, &result));
    }
    Ok(results)
}

pub(super) fn one(
    aggregation: A,
    input: &DataType,
    output: &DataType,
    all: &[Option<Value>],
    rows: &[usize],
) -> Option<Value> {
    let valid: Vec<&Value> = rows.iter().filter_map(|row| all[*row].as_ref()).collect();
    let integers = || valid.iter().map(|value| integer(value));
    let numbers = || valid.iter().map(|value| number(value));
    let some = |value: Value| (!valid.is_empty()).then_some(value);
    let count = valid.len();
    match aggregation {
        A::CountAll => Some(Value::Int(rows.len() as i128)),
        A::CountValid => Some(Value::Int(count as i128)),
        A::Nunique(policy) => {
            let mut distinct: Vec<_> = valid.iter().map(|value| canonical((*value).clone())).collect();
            distinct.sort();
            distinct.dedup();
            let null = policy == NullPolicy::Include && count < rows.len();
            Some(Value::Int((distinct.len() + usize::from(null)) as i128))
        }
        A::Min | A::Max => extreme(valid.into_iter().cloned().collect(), aggregation == A::Max),
        A::ArgMin | A::ArgMax => {
            let mut best: Option<usize> = None;
            for row in rows.iter().copied().filter(|row| all[*row].is_some()) {
                let better = best.is_none_or(|best| match (&all[row], &all[best]) {
                    (Some(row), Some(best)) if aggregation == A::ArgMin => ordering(row, best).is_lt(),
                    (Some(row), Some(best)) => ordering(row, best).is_gt(),
                    _ => false,
                });
                best = if better { Some(row) } else { best };
            }
            best.map(|row| Value::UInt(row as u64))
        }
        A::Sum => some(match output {
            DataType::Decimal128(..) => Value::Decimal(i256::from_i128(integers().fold(0, i128::wrapping_add))),
            // Sums begin at 0.0.
            output if is_float(output) => float(output, numbers().fold(0.0, |sum, value| sum + value)),
            _ => Value::Int(i128::from(integers().fold(0_i64, |sum, value| sum.wrapping_add(value as i64)))),
        }),
        A::SumOverflow => some(match integers().sum::<i128>() {
            exact if matches!(output, DataType::Decimal128(..)) => Value::Decimal(i256::from_i128(exact)),
            exact => with_overflow(exact),
        }),
        A::NthElement { n, nulls } => {
            let rows: Vec<_> = rows.iter().filter(|row| nulls == NullPolicy::Include || all[**row].is_some()).collect();
            let at = if n < 0 { rows.len() as i128 + i128::from(n) } else { n.into() };
            usize::try_from(at).ok().and_then(|at| rows.get(at)).and_then(|row| all[**row].clone())
        }
        A::CollectList { nulls } => {
            let kept = rows.iter().map(|row| all[*row].clone());
            Some(Value::List(kept.filter(|value| nulls == NullPolicy::Include || value.is_some()).collect()))
        }
        A::CollectSet { nulls, null_equality, nan_equality } => {
            let kept = rows.iter().map(|row| all[*row].clone());
            let kept = kept.filter(|value| nulls == NullPolicy::Include || value.is_some()).collect();
            let first = DuplicateKeepOption::First;
            Some(Value::List(super::lists::distinct_of(&kept, first, null_equality, nan_equality)))
        }
        A::MergeLists => Some(Value::List(elements(&valid))),
        A::MergeSets { null_equality, nan_equality } => {
            let first = DuplicateKeepOption::First;
            Some(Value::List(super::lists::distinct_of(&elements(&valid), first, null_equality, nan_equality)))
        }
        A::TopK { k, order } => {
            let mut sorted: Row = rows.iter().map(|row| all[*row].clone()).collect();
            sorted.sort_by(|a, b| match (a, b) {
                (Some(_), Some(_)) if order == Order::Descending => compare(b, a, NESTED),
                (Some(_), Some(_)) => compare(a, b, NESTED),
                // Nulls come last.
                (a, b) => a.is_none().cmp(&b.is_none()),
            });
            sorted.truncate(k);
            Some(Value::List(sorted))
        }
        A::Histogram => Some(histogram(rows.iter().map(|row| (all[*row].clone(), 1)).collect())),
        A::MergeHistogram => Some(merged_histogram(&valid)),
        A::Median | A::Quantile { .. } => {
            let (q, interpolation) = match aggregation {
                A::Quantile { q, interpolation } => (q, interpolation),
                _ => (0.5, Interpolation::Linear),
            };
            let mut sorted = valid.clone();
            // The sort is stable, and zeros of both signs are equal.
            sorted.sort_by_key(|value| canonical((*value).clone()));
            let values: Vec<f64> = sorted.into_iter().map(number).collect();
            super::quantiles::of_numbers(&values, q, interpolation).map(Value::F64)
        }
        A::TDigest { max_centroids } => {
            Some(super::quantiles::tdigest::of_numbers(&numbers().collect::<Vec<_>>(), max_centroids))
        }
        A::MergeTDigest { max_centroids } => {
            Some(super::quantiles::tdigest::merged(valid.iter().copied(), max_centroids))
        }
        A::SumOfSquares => some(match output {
            DataType::Decimal128(..) => {
                let squares = integers().map(|value| value.wrapping_mul(value));
                Value::Decimal(i256::from_i128(squares.fold(0, i128::wrapping_add)))
            }
            output if is_float(output) => float(output, numbers().map(|value| value * value).sum()),
            _ => Value::Int(i128::from(
                integers().fold(0_i64, |sum, value| sum.wrapping_add((value as i64).wrapping_mul(value as i64))),
            )),
        }),
        A::Product => some(match output {
            DataType::Decimal128(..) => Value::Decimal(i256::from_i128(integers().fold(1, i128::wrapping_mul))),
            output if is_float(output) => float(output, numbers().product()),
            _ => Value::Int(i128::from(integers().fold(1_i64, |all, value| all.wrapping_mul(value as i64)))),
        }),
        A::Mean => {
            let n = count.max(1);
            some(match output {
                DataType::Float64 if is_float(input) => {
                    // The sum begins at 0.0, as for `Sum`. `Iterator::sum` would begin at −0.0.
                    Value::F64(numbers().fold(0.0, |sum, value| sum + value) / n as f64)
                }
                DataType::Float64 => Value::F64(integers().sum::<i128>() as f64 / n as f64),
                DataType::Duration(_) => Value::Int(integers().sum::<i128>() / n as i128),
                _ => Value::Decimal(i256::from_i128(integers().sum::<i128>() / n as i128)),
            })
        }
        A::Variance { .. } | A::Std { .. } | A::M2 => {
            let ddof = match aggregation {
                A::Variance { ddof } | A::Std { ddof } => ddof,
                _ => 0,
            };
            if count == 0 && aggregation == A::M2 {
                return Some(Value::F64(0.0));
            }
            if count <= ddof as usize {
                return None;
            }
            let sums = |mean: f64| {
                let differences = || numbers().map(|value| value - mean);
                (differences().sum::<f64>(), differences().map(|value| value * value).sum::<f64>())
            };
            let spread = |(sum, squares): (f64, f64)| squares - sum * sum / count as f64;
            // The direct formula may lose digits.
            let (sum, squares) = sums(0.0);
            let kept = !sum.is_finite() || spread((sum, squares)) >= squares / 4096.0;
            let spread = spread(if kept { (sum, squares) } else { sums(sum / count as f64) });
            let spread = if spread < 0.0 { 0.0 } else { spread };
            if aggregation == A::M2 {
                return Some(Value::F64(spread));
            }
            let variance = spread / (count as f64 - f64::from(ddof));
            Some(Value::F64(if matches!(aggregation, A::Std { .. }) { variance.sqrt() } else { variance }))
        }
        _ => None,
    }
}

/// Returns the lower 64 bits of a sum, and whether the sum exceeds the range of 64-bit integers.
pub(super) fn with_overflow(exact: i128) -> Value {
    let fits = (i128::from(i64::MIN)..=i128::from(i64::MAX)).contains(&exact);
    Value::Struct(vec![Some(Value::Int(i128::from(exact as i64))), Some(Value::Bool(!fits))])
}

fn elements(lists: &[&Value]) -> Row {
    let of = |list: &&Value| if let Value::List(of) = list { of.clone() } else { Row::new() };
    lists.iter().flat_map(of).collect()
}

/// Merges histograms. The elements of each list are values with their counts.
pub(super) fn merged_histogram(lists: &[&Value]) -> Value {
    let entries = elements(lists).into_iter().flatten();
    let entries = entries.filter_map(|entry| match entry {
        Value::Struct(of) => Some((of[0].clone(), of[1].as_ref().map_or(0, integer) as i64)),
        _ => None,
    });
    histogram(entries.collect())
}

/// Returns a list of the distinct values, each with the sum of its counts.
fn histogram(mut entries: Vec<(Option<Value>, i64)>) -> Value {
    entries.sort_by(|(a, _), (b, _)| compare(a, b, NESTED));
    let of_equal = entries.chunk_by(|(a, _), (b, _)| compare(a, b, NESTED).is_eq());
    let entry = |equal: &[(Option<Value>, i64)]| {
        let count = equal.iter().fold(0_i64, |sum, (_, count)| sum.wrapping_add(*count));
        Some(Value::Struct(vec![equal[0].0.clone(), Some(Value::Int(count.into()))]))
    };
    Value::List(of_equal.map(entry).collect())
}

fn is_float(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float16 | DataType::Float32 | DataType::Float64)
}

fn float(data_type: &DataType, value: f64) -> Value {
    match data_type {
        DataType::Float16 => Value::F16(nearest_half(value)),
        DataType::Float32 => Value::F32(value as f32),
        _ => Value::F64(value),
    }
}

fn integer(value: &Value) -> i128 {
    match value {
        Value::Bool(value) => i128::from(*value),
        value => value.as_i128().unwrap_or_default(),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| integer(value) as f64)
}

/// For each row, returns the value of the row that is `offset` rows earlier in the same group, or `fill` if there is no
/// such row.
pub fn shift(keys: &[ArrayRef], values: &ArrayRef, policy: NullPolicy, offset: i64, fill: &Option<Value>) -> ArrayRef {
    let all = to_values(values);
    let mut result = vec![None; all.len()];
    for rows in groups(keys, policy).values() {
        for (at, row) in rows.iter().enumerate() {
            let from = usize::try_from(at as i128 - i128::from(offset)).ok().and_then(|from| rows.get(from));
            result[*row] = from.map_or_else(|| fill.clone(), |from| all[*from].clone());
        }
    }
    from_values(values.data_type(), &result)
}

/// Replaces each null by a valid value of its group: the last valid value before the null if `preceding` is true,
/// otherwise the next valid value.
pub fn replace_nulls(keys: &[ArrayRef], values: &ArrayRef, policy: NullPolicy, preceding: bool) -> ArrayRef {
    let all = to_values(values);
    let mut result = vec![None; all.len()];
    for rows in groups(keys, policy).values() {
        for (at, row) in rows.iter().enumerate() {
            let side: Vec<_> = if preceding { rows[..=at].iter().rev().collect() } else { rows[at..].iter().collect() };
            result[*row] = side.into_iter().find_map(|row| all[*row].clone());
        }
    }
    from_values(values.data_type(), &result)
}

/// Returns the keys of all groups in their order, and the correlation or covariance of each group.
pub fn of_pairs(
    keys: &[ArrayRef],
    [x, y]: [&ArrayRef; 2],
    policy: NullPolicy,
    (ddof, min_periods): (usize, usize),
    correlation: bool,
) -> Vec<ArrayRef> {
    let (x, y, groups) = (to_values(x), to_values(y), groups(keys, policy));
    let result = groups.values().map(|rows| {
        let pairs = rows.iter().filter_map(|row| x[*row].as_ref().map(number).zip(y[*row].as_ref().map(number)));
        let pairs: Vec<(f64, f64)> = pairs.collect();
        let count = pairs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
        let means = (mean(|pair| pair.0), mean(|pair| pair.1));
        let sum = |of: fn((f64, f64)) -> f64| pairs.iter().map(|(x, y)| of((x - means.0, y - means.1))).sum::<f64>();
        let product = sum(|(x, y)| x * y);
        (pairs.len() > ddof && pairs.len() >= min_periods).then(|| match correlation {
            true => Value::F64(product / (sum(|(x, _)| x * x).sqrt() * sum(|(_, y)| y * y).sqrt())),
            false => Value::F64(product / (count - ddof as f64)),
        })
    });
    let result: Vec<_> = result.collect();
    let columns = keys.iter().enumerate();
    let keys = columns.map(|(column, key)| {
        from_values(key.data_type(), &groups.keys().map(|row| row[column].clone()).collect::<Vec<_>>())
    });
    keys.chain([from_values(&DataType::Float64, &result)]).collect()
}

/// Returns the row numbers ordered by group, and the offset at which each group begins.
pub fn rows_and_offsets(keys: &[ArrayRef], policy: NullPolicy) -> Vec<ArrayRef> {
    let groups = groups(keys, policy);
    let rows: Vec<_> = groups.values().flatten().map(|row| Some(Value::UInt(*row as u64))).collect();
    let mut offsets = vec![0];
    for rows in groups.values() {
        offsets.push(offsets[offsets.len() - 1] + rows.len() as i128);
    }
    let offsets: Vec<_> = offsets.into_iter().map(|offset| Some(Value::Int(offset))).collect();
    vec![from_values(&DataType::UInt32, &rows), from_values(&DataType::Int64, &offsets)]
}
