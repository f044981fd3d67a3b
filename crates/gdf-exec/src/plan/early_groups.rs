//! Aggregates over a left join whose right rows are grouped before the join.
//!
//! If the keys of an aggregate come from the left rows and its values from the right rows, the right rows with the same
//! join key are aggregated first. The join then returns one row in place of all of them, and the aggregate combines the
//! results. This is done if the range of the right join key has at most half as many values as the right table has
//! rows. Source: W. Yan and P.-Å. Larson, *Eager Aggregation and Lazy Aggregation*, VLDB 1995.

use arrow_schema::DataType;
use gdf_core::numbers_of_order;
use gdf_expr::{Expr, ExprKind, col, lit};

use super::key_filter::may_fail;
use super::{Aggregate, Call, Finish, JoinKind, Measure, Node, Request, Rows, Source};

/// The minimum number of right rows per value in the range of the join key.
const MIN_ROWS_PER_KEY: u128 = 2;

/// Returns the aggregate with the right rows grouped below the join, if that is less work.
pub fn grouped_early(mut of: Aggregate) -> Aggregate {
    let Some(values) = values_of_right(&of) else { return of };
    let Node::Join(join) = &mut of.rows.input else { return of };
    let [key] = join.on.1.as_slice() else { return of };
    let Some((key, data_type)) = repeated_key(&join.right, *key) else { return of };
    if may_fail(&join.right) {
        return of;
    }
    // The join returns its left columns in their order, followed by the results.
    let left: Vec<Source> = join.outputs.iter().copied().filter(|source| is_left(*source)).collect();
    let place = |column: usize| join.outputs[..column].iter().filter(|source| is_left(**source)).count();
    let keys = of.rows.outputs.iter().take(of.keys.len());
    let keys = keys.map(|key| key.substitute(|column| Ok::<_, gdf_core::Error>(col(place(column)))));
    let Ok(keys) = keys.collect::<Result<Vec<Expr>, _>>() else { return of };

    // The groups of the right rows: the key, followed by a result for each request.
    let mut right = std::mem::replace(&mut join.right, Rows::empty());
    let outputs = values.iter().map(|(value, _)| right.outputs[*value].clone());
    right.outputs = std::iter::once(key).chain(outputs).collect();
    let partial = |(at, request): (usize, &Request)| Request { values: Some(at + 1), ..request.clone() };
    let requests: Vec<Request> = of.requests.iter().enumerate().map(partial).collect();
    let call =
        |(at, request): (usize, &Request)| Call { finish: Finish::Request(at), data_type: request.data_type.clone() };
    let calls = requests.iter().enumerate().map(call).collect();
    let width = 1 + requests.len();
    let groups = Aggregate {
        rows: right,
        keys: vec![data_type],
        requests,
        calls,
        groupings: Vec::new(),
        determined: Vec::new(),
    };
    join.right = Rows::all(Node::Aggregate(Box::new(groups)), width);
    join.on.1 = vec![0];
    // Without a decisive side, the right rows are grouped even if there are no left rows. This cannot cause an error.
    join.decisive = None;
    let start = left.len();
    join.outputs = left.into_iter().chain((1..width).map(Source::Right)).collect();

    let results = values.iter().enumerate().map(|(at, (_, measure))| match measure {
        Measure::Count => col(start + at).fill_null(lit(0_i64)),
        _ => col(start + at),
    });
    let count = keys.len();
    of.rows.outputs = keys.into_iter().chain(results).collect();
    for (at, request) in of.requests.iter_mut().enumerate() {
        request.values = Some(count + at);
        request.measure = match request.measure {
            Measure::Count => Measure::Sum,
            other => other,
        };
    }
    of
}

fn is_left(source: Source) -> bool {
    matches!(source, Source::Left(_))
}

/// Returns for each request the output of the right rows that it aggregates, and the measure. Returns `None` unless the
/// keys of the aggregate come from the left rows only, and each value is a column of the right rows.
fn values_of_right(of: &Aggregate) -> Option<Vec<(usize, Measure)>> {
    let Node::Join(join) = &of.rows.input else { return None };
    let is_plain = join.kind == JoinKind::Left
        && join.condition.is_none()
        && of.rows.conditions.is_empty()
        && of.rows.checks.is_empty()
        && of.groupings.is_empty()
        && !of.keys.is_empty()
        && !of.requests.is_empty()
        && of.calls.iter().all(|call| matches!(call.finish, Finish::Request(_)));
    let is_of_left = |column: &usize| join.outputs.get(*column).copied().is_some_and(is_left);
    let keys = of.rows.outputs.get(..of.keys.len())?;
    if !is_plain || !keys.iter().all(|key| key.columns().iter().all(is_of_left)) {
        return None;
    }
    let value = |request: &Request| {
        let is_added = matches!(request.measure, Measure::Count | Measure::Sum | Measure::Min | Measure::Max);
        let ExprKind::Column(column) = of.rows.outputs.get(request.values?)?.kind() else { return None };
        match join.outputs.get(*column)? {
            Source::Right(at) if is_added => Some((*at, request.measure)),
            _ => None,
        }
    };
    of.requests.iter().map(value).collect()
}

/// Returns the join key of the right rows and its type. Returns `None` unless the key is a column of a table, and the
/// range of the column has at most half as many values as the table has rows.
fn repeated_key(right: &Rows, key: usize) -> Option<(Expr, DataType)> {
    let key = right.outputs.get(key)?;
    let (ExprKind::Column(column), Node::Resident(table)) = (key.kind(), &right.input) else { return None };
    let column = table.column(*column).ok()?;
    let bounds = column.view().outer_bounds()??;
    let (low, high) = numbers_of_order(bounds, column.data_type())?;
    let range = high.abs_diff(low) + 1;
    (range * MIN_ROWS_PER_KEY <= table.num_rows() as u128).then(|| (key.clone(), column.data_type().clone()))
}
