//! Oracle of `labeling`.

use std::cmp::Ordering;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_detail::labeling::Edge;

use super::replace::compare;
use gdf_test::value::{Value, from_values, to_values};

/// Labels each value.
pub fn label_bins(input: &ArrayRef, left: (&ArrayRef, Edge), right: (&ArrayRef, Edge)) -> ArrayRef {
    let bins: Vec<_> = to_values(left.0).into_iter().zip(to_values(right.0)).collect();
    let is = |order: Option<Ordering>, wanted: Ordering, edge: Edge| {
        order == Some(wanted) || edge == Edge::Inclusive && order == Some(Ordering::Equal)
    };
    let label = |value: Value| {
        let has = |(from, to): &(Option<Value>, Option<Value>)| {
            let order = |edge: &Option<Value>| compare(&value, edge.as_ref()?);
            is(order(from), Ordering::Greater, left.1) && is(order(to), Ordering::Less, right.1)
        };
        bins.iter().rposition(has).map(|bin| Value::Int(bin as i128))
    };
    let labels: Vec<_> = to_values(input).into_iter().map(|value| value.and_then(label)).collect();
    from_values(&DataType::Int32, &labels)
}
