//! Oracle of `join.asof_join`.

use std::cmp::Ordering;

use arrow_array::ArrayRef;
use gdf_detail::join::{AsofDirection, NullEquality};

use crate::naive::groupby::canonical;
use crate::naive::sorting::{Direction, compare};
use gdf_test::value::{Value, to_values};

/// One side of the join.
pub struct Side<'a> {
    /// All columns.
    pub columns: &'a [ArrayRef],
    /// The positions of the columns that must be equal.
    pub by: &'a [usize],
    /// The position of the ordered key.
    pub on: usize,
}

/// Returns the number of the matching right row for each left row.
pub fn rows(
    left: &Side<'_>,
    right: &Side<'_>,
    direction: AsofDirection,
    nulls: NullEquality,
    tolerance: Option<f64>,
) -> Vec<Option<usize>> {
    let (left_by, left_on) = keys(left);
    let (right_by, right_on) = keys(right);
    let up = Direction { descending: false, nulls_smallest: true };
    let is_nan = |a: &Value| a.as_f64().is_some_and(f64::is_nan);
    // Of all rows, the nearest row is at a distance that is no NaN.
    let limit = tolerance.or((direction == AsofDirection::Nearest).then_some(f64::INFINITY));
    let near = |a: &Value, b: &Value| {
        limit.is_none_or(|limit| (a == b && !is_nan(a)) || distance(a, b).is_some_and(|d| d.0 as f64 + d.1 <= limit))
    };
    let of_row = |row: usize| {
        let on = left_on[row].clone()?;
        let takes_part = |by: &[Option<Value>]| nulls == NullEquality::Equal || by.iter().all(Option::is_some);
        let (mut before, mut after): (Option<usize>, Option<usize>) = (None, None);
        for other in 0..right_on.len() {
            let Some(key) = &right_on[other] else { continue };
            if left_by[row] != right_by[other] || !takes_part(&left_by[row]) {
                continue;
            }
            let order = |a: &Value, b: &Value| compare(&Some(a.clone()), &Some(b.clone()), up);
            let best = |best: Option<usize>| best.and_then(|best| right_on[best].clone());
            if order(key, &on).is_le() && best(before).is_none_or(|best| order(key, &best).is_ge()) {
                before = Some(other);
            }
            if order(key, &on).is_ge() && best(after).is_none_or(|best| order(key, &best) == Ordering::Less) {
                after = Some(other);
            }
        }
        let value = |row: usize| right_on[row].clone().unwrap_or(Value::Bool(false));
        before = before.filter(|&row| near(&on, &value(row)));
        after = after.filter(|&row| near(&on, &value(row)));
        match (direction, before, after) {
            (AsofDirection::Backward, before, _) => before,
            (AsofDirection::Forward, _, after) => after,
            (AsofDirection::Nearest, Some(before), Some(after)) => {
                let is_nearer = distance(&on, &value(after)) < distance(&on, &value(before));
                Some(if is_nearer { after } else { before })
            }
            (AsofDirection::Nearest, before, after) => before.or(after),
        }
    };
    (0..left_on.len()).map(of_row).collect()
}

type Keys = (Vec<Vec<Option<Value>>>, Vec<Option<Value>>);

fn keys(side: &Side<'_>) -> Keys {
    let on: Vec<_> = to_values(&side.columns[side.on]).into_iter().map(|value| value.map(canonical)).collect();
    let by: Vec<_> = side.by.iter().map(|&column| to_values(&side.columns[column])).collect();
    let row = |row: usize| by.iter().map(|column| column[row].clone().map(canonical)).collect();
    ((0..on.len()).map(row).collect(), on)
}

/// Returns the distance of two numbers or times.
fn distance(a: &Value, b: &Value) -> Option<(u128, f64)> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(((a - b).unsigned_abs(), 0.0)),
        _ => Some((0, (a.as_f64()? - b.as_f64()?).abs())),
    }
}
