//! Oracle of `rolling`. Each window is a slice, and the oracle reduces each slice separately.

use std::cmp::Ordering;
use std::ops::Range;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_core::is_floating;
use gdf_detail::reduction::ReduceAggregation as Reduce;
use gdf_detail::rolling::RollingAggregation as Aggregation;
use gdf_detail::scan::NullPolicy;
use gdf_detail::stream_compaction::DuplicateKeepOption;

use super::groupby::{Row, canonical};
use super::reduction::{NESTED, reduce};
use super::sorting::compare;
use super::unary::cast::{exact, integer};
use gdf_test::value::{Value, to_values, try_from_values};

/// Returns the window of each row, cut to the group of the row.
pub fn by_rows(groups: &[Range<usize>], bounds: impl Fn(usize) -> Option<(i64, i64)>) -> Vec<Range<usize>> {
    let window = |(row, group): (usize, &Range<usize>)| {
        let Some((before, after)) = bounds(row) else { return 0..0 };
        let row = row as i128;
        let within = |bound: i128| bound.clamp(group.start as i128, group.end as i128) as usize;
        let (begin, end) = (within(row - i128::from(before) + 1), within(row + i128::from(after) + 1));
        begin..end.max(begin)
    };
    groups.iter().enumerate().map(window).collect()
}

/// For each row, returns the run of equal rows that contains the row.
pub fn groups(keys: &[ArrayRef], rows: usize) -> Vec<Range<usize>> {
    let columns: Vec<_> = keys.iter().map(|column| to_values(column)).collect();
    let row = |row: usize| -> Row { columns.iter().map(|column| column[row].clone().map(canonical)).collect() };
    let all: Vec<Row> = (0..rows).map(row).collect();
    let (mut groups, mut begin) = (Vec::new(), 0);
    for run in all.chunk_by(|a, b| a == b) {
        groups.extend(vec![begin..begin + run.len(); run.len()]);
        begin += run.len();
    }
    groups
}

/// One bound of a range window.
#[derive(Clone, Copy, Debug)]
pub enum Reach<'a> {
    /// The window reaches to the first or the last row of the group.
    Group,
    /// On this side, the window ends with the rows that are equal to the current row.
    Peers,
    /// The window reaches up to a distance from the value of the current row.
    Delta(&'a ArrayRef, bool),
}

#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    fn of(value: &Value) -> Result<Number, String> {
        match value {
            Value::F16(_) | Value::F32(_) | Value::F64(_) => {
                Ok(Number::Float(value.as_f64().ok_or("the value is not a float")?))
            }
            value => Ok(Number::Int(exact(value)?.as_i128())),
        }
    }

    fn moved(self, delta: Number, up: bool) -> Number {
        match (self, delta) {
            (Number::Int(a), Number::Int(b)) => Number::Int(if up { a.saturating_add(b) } else { a.saturating_sub(b) }),
            (Number::Float(a), Number::Float(b)) if a.is_finite() => Number::Float(if up { a + b } else { a - b }),
            (other, _) => other,
        }
    }

    fn order(self, other: Number) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (Number::Float(a), Number::Float(b)) if a.is_nan() || b.is_nan() => a.is_nan().cmp(&b.is_nan()),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        }
    }
}

/// Returns the windows of a range.
///
/// # Errors
/// - the values are not numbers.
pub fn by_range(
    keys: &[ArrayRef],
    orderby: &ArrayRef,
    descending: bool,
    [preceding, following]: [Reach<'_>; 2],
) -> Result<Vec<Range<usize>>, String> {
    let rows = orderby.len();
    let own = groups(keys, rows);
    let peers = groups(&[keys, std::slice::from_ref(orderby)].concat(), rows);
    let values = to_values(orderby);
    let numbers = values.iter().map(|value| value.as_ref().map(Number::of).transpose()).collect::<Result<Vec<_>, _>>();
    let bound = |row: usize, reach: Reach<'_>, behind: bool| -> Result<usize, String> {
        let (delta, open) = match reach {
            Reach::Group => return Ok(if behind { own[row].end } else { own[row].start }),
            Reach::Peers => return Ok(if behind { peers[row].end } else { peers[row].start }),
            Reach::Delta(delta, open) => (delta, open),
        };
        let numbers = numbers.as_ref().map_err(String::clone)?;
        let Some(delta) = to_values(delta).remove(0) else {
            return Ok(if behind { own[row].start } else { own[row].end });
        };
        let Some(value) = numbers[row] else {
            return Ok(if behind { peers[row].end } else { peers[row].start });
        };
        let target = value.moved(Number::of(&delta)?, behind != descending);
        // All nulls of a group are neighbors.
        let near = |other: usize| match numbers[other] {
            None => (other > row) != behind,
            Some(number) => {
                let order = if descending { target.order(number) } else { number.order(target) };
                let order = if behind { order.reverse() } else { order };
                order.is_gt() || (order.is_eq() && !open)
            }
        };
        let group = own[row].clone();
        Ok(if behind {
            group.start + group.filter(|&other| near(other)).count()
        } else {
            group.clone().find(|&other| near(other)).unwrap_or(group.end)
        })
    };
    (0..rows)
        .map(|row| {
            let (begin, end) = (bound(row, preceding, false)?, bound(row, following, true)?);
            Ok(begin..end.max(begin))
        })
        .collect()
}

/// Returns for each row the row that is `distance` rows later, or the row of `defaults` if that row is outside of the
/// window.
///
/// # Errors
/// - the result cannot be built.
pub fn moved(
    input: &ArrayRef,
    defaults: &ArrayRef,
    windows: &[Range<usize>],
    distance: i64,
) -> Result<Vec<ArrayRef>, String> {
    let [all, defaults] = [input, defaults].map(|of| to_values(of));
    let row = |(row, window): (usize, &Range<usize>)| {
        let from = usize::try_from(row as i128 + i128::from(distance)).ok().filter(|from| window.contains(from));
        from.map_or_else(|| defaults[row % defaults.len()].clone(), |from| all[from].clone())
    };
    Ok(vec![try_from_values(input.data_type(), &windows.iter().enumerate().map(row).collect::<Vec<_>>())?])
}

/// Returns a row for each window.
///
/// # Errors
/// - the type of the values does not support the aggregation, or the result cannot be built.
pub fn roll(
    input: &ArrayRef,
    windows: &[Range<usize>],
    min_periods: usize,
    aggregation: Aggregation,
    output: &DataType,
) -> Result<Vec<ArrayRef>, String> {
    let all = to_values(input);
    let count = |number: usize| Some(Value::Int(number as i128));
    let mut results = Vec::with_capacity(windows.len());
    for (row, window) in windows.iter().enumerate() {
        let rows = &all[window.clone()];
        let valid: Vec<&Value> = rows.iter().flatten().collect();
        let enough = rows.len() >= min_periods;
        let reduced = |aggregation| -> Result<Option<Value>, String> {
            if valid.len() < min_periods {
                return Ok(None);
            }
            let one = reduce(&input.slice(window.start, window.len()), aggregation, output)?.remove(0);
            Ok(to_values(&one).remove(0))
        };
        let at = |row: Option<usize>| row.filter(|row| window.contains(row)).and_then(|row| all[row].clone());
        results.push(match aggregation {
            Aggregation::CountAll => count(rows.len()).filter(|_| enough),
            Aggregation::CountValid => count(valid.len()).filter(|_| enough),
            Aggregation::RowNumber => Some(Value::Int(row as i128 - window.start as i128 + 1)).filter(|_| enough),
            Aggregation::Lead(rows) => at(row.checked_add(rows)),
            Aggregation::Lag(rows) => at(row.checked_sub(rows)),
            Aggregation::NthElement { n, null_policy } => {
                let kept: Vec<_> =
                    rows.iter().filter(|row| row.is_some() || null_policy == NullPolicy::Include).collect();
                let at = if n < 0 { kept.len() as i64 + n } else { n };
                let found = usize::try_from(at).ok().and_then(|at| kept.get(at));
                found.filter(|_| enough).and_then(|row| (*row).clone())
            }
            Aggregation::CollectList { nulls } => {
                let kept = rows.iter().filter(|row| row.is_some() || nulls == NullPolicy::Include);
                Some(Value::List(kept.cloned().collect())).filter(|_| enough)
            }
            Aggregation::CollectSet { nulls, null_equality, nan_equality } => {
                let kept = rows.iter().filter(|row| row.is_some() || nulls == NullPolicy::Include).cloned().collect();
                let first = DuplicateKeepOption::First;
                let set = super::lists::distinct_of(&kept, first, null_equality, nan_equality);
                Some(Value::List(set)).filter(|_| enough)
            }
            Aggregation::Sum | Aggregation::SumOfSquares if valid.is_empty() && min_periods == 0 => {
                let zero = integer(i256::ZERO, output);
                Some(if is_floating(output) { super::unary::cast::float(0.0, output) } else { zero })
            }
            Aggregation::Sum => reduced(Reduce::Sum)?,
            Aggregation::SumOfSquares => reduced(Reduce::SumOfSquares)?,
            Aggregation::Mean if is_floating(output) => reduced(Reduce::Mean)?,
            Aggregation::Mean => match reduced(Reduce::Sum)? {
                Some(sum) => {
                    let number = i256::from_i128(valid.len() as i128);
                    Some(integer(exact(&sum)?.checked_div(number).ok_or("the number of rows is 0")?, output))
                }
                None => None,
            },
            Aggregation::Min => reduced(Reduce::Min)?,
            Aggregation::Max => reduced(Reduce::Max)?,
            Aggregation::ArgMin | Aggregation::ArgMax if valid.len() < min_periods => None,
            Aggregation::ArgMin | Aggregation::ArgMax => {
                let is_better = |row: &usize, best: &usize| {
                    let order = compare(&all[*row], &all[*best], NESTED);
                    if aggregation == Aggregation::ArgMin { order.is_lt() } else { order.is_gt() }
                };
                let rows = window.clone().filter(|row| all[*row].is_some());
                rows.reduce(|best, row| if is_better(&row, &best) { row } else { best }).and_then(count)
            }
            Aggregation::Variance { ddof } => reduced(Reduce::Variance { ddof })?,
            Aggregation::Std { ddof } => reduced(Reduce::Std { ddof })?,
            other => return Err(format!("no oracle for {other:?}")),
        });
    }
    Ok(vec![try_from_values(output, &results)?])
}
