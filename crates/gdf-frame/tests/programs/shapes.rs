//! Random verbs that change the shape of a frame, rolling windows and bins, each with a naive implementation.

use gdf::copying::Replacement;
use gdf::frame::{AsofJoin, Closed, col};
use gdf::groupby::GroupByAggregation;
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use serde_json::json;

use super::naive::{Aggregate, Kind, Node, Rows, Value};
use super::{Program, aggregated, aggregation, frame_of, node};

const MAX_COLUMNS: usize = 14;
const MAX_ROWS: usize = 2_000;

/// Applies a random verb, unless the columns do not fit the verb or the result would be too large.
pub(super) fn apply(program: &mut Program, rng: &mut SmallRng, other: &Rows) {
    let rows = program.naive.clone();
    let of_kind =
        |kind: Kind| rows.columns.iter().filter(move |(_, found)| *found == kind).map(|(name, _)| name.clone());
    let (numbers, texts): (Vec<_>, Vec<_>) = (of_kind(Kind::Int).collect(), of_kind(Kind::Text).collect());
    let name = |rng: &mut SmallRng| rows.columns.choose(rng).expect("the table has columns").0.clone();
    let is_usable = |found: &Rows| {
        let names: std::collections::HashSet<_> = found.columns.iter().map(|(name, _)| name).collect();
        names.len() == found.columns.len() && (1..=MAX_COLUMNS).contains(&names.len()) && found.rows.len() <= MAX_ROWS
    };
    match rng.random_range(0..9) {
        0 => {
            let (index, on) = (name(rng), [numbers.choose(rng).cloned(), numbers.choose(rng).cloned()]);
            let [Some(a), Some(b)] = on else { return };
            let naive = unpivot(&rows, &index, &[&a, &b]);
            if is_usable(&naive) {
                let on = || [a.as_str(), b.as_str()];
                if a != b && index != *a && index != *b {
                    program.in_polars(json!({ "verb": "unpivot", "index": index, "on": [a, b] }));
                }
                program.apply(format!("unpivot {index} {a} {b}"), naive, |lazy| lazy.unpivot(index.as_str(), on()));
            }
        }
        1 => {
            let (index, Some(on), Some(values)) = (name(rng), texts.choose(rng), numbers.choose(rng)) else { return };
            let of = [
                (GroupByAggregation::Sum, Aggregate::Sum),
                (GroupByAggregation::Max, Aggregate::Max),
                (GroupByAggregation::CountValid, Aggregate::Count),
            ];
            let (aggregation, same) = of.choose(rng).expect("the list of aggregations is not empty");
            let naive = pivot(&rows, &index, on, values, *same);
            if is_usable(&naive) {
                let verb = format!("pivot {index} {on} {aggregation:?}({values})");
                program.apply(verb, naive, |lazy| lazy.pivot(index.as_str(), on, values, *aggregation));
            }
        }
        2 => {
            let name = name(rng);
            let naive = to_dummies(&rows, &name);
            if is_usable(&naive) {
                program.apply(format!("to_dummies {name}"), naive, |lazy| lazy.to_dummies(&name));
            }
        }
        3 => {
            let few = Rows { rows: other.rows[..3].to_vec(), ..other.clone() };
            let naive = cross_join(&rows, &few);
            if is_usable(&naive) {
                let right = frame_of(&few);
                let step = json!({ "verb": "cross_join", "right": few.json() });
                program
                    .in_polars(step)
                    .apply("cross_join".into(), naive, |lazy| lazy.cross_join(right.lazy(), "_right"));
            }
        }
        4 if numbers.iter().any(|name| name == "a") => {
            let naive = asof_join(&rows, other);
            if is_usable(&naive) {
                let right = frame_of(other);
                program.apply("asof_join".into(), naive, |lazy| lazy.asof_join(right.lazy(), AsofJoin::new("a", "a")));
            }
        }
        5 => {
            let naive = Rows { is_ordered: false, ..rows.clone() };
            let count = rows.rows.len();
            program
                .in_polars(json!({ "verb": "same" }))
                .apply(format!("sample {count}"), naive, |lazy| lazy.sample(count, Replacement::Without, 3));
        }
        6 => {
            let value = node(rng, &rows, Kind::Int, 2);
            let naive = rows.with("bin", Kind::Text, rows.values(&value).iter().map(bin).collect());
            let bins = || value.expr().cut([(-1, "low"), (2, "middle")], "high").alias("bin");
            program.apply(format!("with {}", bins()), naive, |lazy| lazy.with([bins()]));
        }
        windows => {
            let (_, aggregate, node) = aggregation(rng, &rows);
            if aggregate == Aggregate::NUnique {
                return;
            }
            let (key, value) = (name(rng), || aggregated(aggregate, &node).alias("rolled"));
            if windows == 7 && rows.is_ordered {
                let count = rng.random_range(1..5);
                let naive = rolling(&rows, &[&key], aggregate, &node, |before, at| before + count > at);
                if is_usable(&naive) {
                    let verb = format!("rolling {count} by {key}: {}", value());
                    program.apply(verb, naive, |lazy| lazy.rolling(count).by([&key]).agg([value()]));
                }
            } else if let Some(on) = numbers.choose(rng)
                && *on != key
            {
                let (period, position) = (rng.random_range(1..4), rows.position(on));
                let number = |at: usize| match &rows.rows[at][position] {
                    Value::Int(number) => Some(i128::from(*number)),
                    _ => None,
                };
                let is_left = rng.random();
                let closed = if is_left { Closed::Left } else { Closed::Right };
                let naive =
                    rolling(&rows, &[&key, on], aggregate, &node, |other, at| match (number(other), number(at)) {
                        (Some(of), Some(end)) if is_left => end - period <= of && of < end,
                        (Some(of), Some(end)) => end - period < of && of <= end,
                        (of, end) => of == end,
                    });
                if is_usable(&naive) {
                    let verb = format!("group_by_rolling {on} {period} {closed:?} by {key}: {}", value());
                    program.apply(verb, naive, |lazy| {
                        let windows = lazy.group_by_rolling(col(on.as_str()), period as i64).by([&key]);
                        windows.closed(closed).agg([value()])
                    });
                }
            }
        }
    }
}

/// Returns the bin of a value for the breaks -1 and 2.
fn bin(value: &Value) -> Value {
    match value {
        Value::Int(number) => {
            Value::Text(["low", "middle", "high"][usize::from(*number > -1) + usize::from(*number > 2)].into())
        }
        _ => Value::Null,
    }
}

fn unpivot(of: &Rows, index: &str, on: &[&str]) -> Rows {
    let at = of.position(index);
    let mut rows = Vec::new();
    for name in on {
        let position = of.position(name);
        let row = |row: &Vec<Value>| vec![row[at].clone(), Value::Text((*name).to_owned()), row[position].clone()];
        rows.extend(of.rows.iter().map(row));
    }
    let columns = vec![of.columns[at].clone(), ("variable".into(), Kind::Text), ("value".into(), Kind::Int)];
    Rows { columns, rows, is_ordered: of.is_ordered }
}

/// Returns the distinct values of a column without null, in ascending order.
fn categories(of: &Rows, position: usize) -> Vec<Value> {
    let values: std::collections::BTreeSet<_> = of.rows.iter().map(|row| row[position].clone()).collect();
    values.into_iter().filter(|value| *value != Value::Null).collect()
}

fn name_of(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Int(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".to_owned(),
    }
}

fn pivot(of: &Rows, index: &str, on: &str, values: &str, aggregate: Aggregate) -> Rows {
    let [index, on, values] = [index, on, values].map(|name| of.position(name));
    let mut kept = categories(of, on);
    kept.extend(of.rows.iter().any(|row| row[on] == Value::Null).then_some(Value::Null));
    let mut columns = vec![of.columns[index].clone()];
    columns.extend(kept.iter().map(|value| (name_of(value), Kind::Int)));
    let indices: std::collections::BTreeSet<_> = of.rows.iter().map(|row| row[index].clone()).collect();
    let row = |key: Value| {
        let element = |value: &Value| {
            let found = of.rows.iter().filter(|row| row[index] == key && row[on] == *value);
            aggregate.of(&found.map(|row| row[values].clone()).collect::<Vec<_>>())
        };
        let elements: Vec<Value> = kept.iter().map(element).collect();
        std::iter::once(key).chain(elements).collect()
    };
    Rows { columns, rows: indices.into_iter().map(row).collect(), is_ordered: false }
}

fn to_dummies(of: &Rows, name: &str) -> Rows {
    let position = of.position(name);
    let kept = categories(of, position);
    let mut columns = of.columns.clone();
    columns.splice(position..=position, kept.iter().map(|value| (format!("{name}_{}", name_of(value)), Kind::Bool)));
    let row = |row: &Vec<Value>| {
        let mut made = row.clone();
        made.splice(position..=position, kept.iter().map(|value| Value::Bool(row[position] == *value)));
        made
    };
    Rows { columns, rows: of.rows.iter().map(row).collect(), is_ordered: of.is_ordered }
}

/// Returns the columns of both sides. Names that both sides have get a suffix on the right side.
fn both_columns(left: &Rows, right: &Rows) -> Vec<(String, Kind)> {
    let suffixed = |(name, kind): &(String, Kind)| match left.columns.iter().any(|(of, _)| of == name) {
        true => (format!("{name}_right"), *kind),
        false => (name.clone(), *kind),
    };
    left.columns.iter().cloned().chain(right.columns.iter().map(suffixed)).collect()
}

fn cross_join(left: &Rows, right: &Rows) -> Rows {
    let pairs = left.rows.iter().flat_map(|row| right.rows.iter().map(move |other| [&row[..], other].concat()));
    Rows { columns: both_columns(left, right), rows: pairs.collect(), is_ordered: left.is_ordered }
}

/// Joins each left row with a right row. Of the right rows whose `a` is not greater than the `a` of the left row, the
/// row with the greatest `a` is joined. Of several such rows, the last one is joined.
fn asof_join(left: &Rows, right: &Rows) -> Rows {
    let (left_key, right_key) = (left.position("a"), right.position("a"));
    let row = |row: &Vec<Value>| {
        let is_before = |other: &&Vec<Value>| other[right_key] != Value::Null && other[right_key] <= row[left_key];
        // Of several greatest elements, `max_by_key` returns the last one.
        let found = right.rows.iter().filter(is_before).max_by_key(|other| &other[right_key]);
        let found = found.filter(|_| row[left_key] != Value::Null).cloned();
        [row.clone(), found.unwrap_or_else(|| vec![Value::Null; right.columns.len()])].concat()
    };
    let rows = left.rows.iter().map(row).collect();
    Rows { columns: both_columns(left, right), rows, is_ordered: left.is_ordered }
}

/// Aggregates, for each row, the rows with the same first key for which `is_within` is true. With one key, rows after
/// the row itself do not count. The arguments of `is_within` are the positions of a row and of the row at the end of
/// the window.
fn rolling(
    of: &Rows,
    keys: &[&String],
    aggregate: Aggregate,
    node: &Node,
    is_within: impl Fn(usize, usize) -> bool,
) -> Rows {
    let positions: Vec<usize> = keys.iter().map(|key| of.position(key)).collect();
    let (values, by) = (of.values(node), positions[0]);
    // Windows of a number of rows are defined by the position of each row in its partition.
    let place: Vec<usize> = match keys.len() {
        1 => {
            (0..of.rows.len()).map(|at| of.rows[..at].iter().filter(|row| row[by] == of.rows[at][by]).count()).collect()
        }
        _ => (0..of.rows.len()).collect(),
    };
    let row = |at: usize| {
        let is_member = |other: &usize| {
            let is_earlier = keys.len() > 1 || *other <= at;
            of.rows[*other][by] == of.rows[at][by] && is_earlier && is_within(place[*other], place[at])
        };
        let members: Vec<Value> = (0..of.rows.len()).filter(is_member).map(|other| values[other].clone()).collect();
        let found = aggregate.of(&members);
        positions.iter().map(|position| of.rows[at][*position].clone()).chain([found]).collect()
    };
    let mut columns: Vec<_> = positions.iter().map(|position| of.columns[*position].clone()).collect();
    columns.push(("rolled".to_owned(), aggregate.kind(Kind::Int)));
    Rows { columns, rows: (0..of.rows.len()).map(row).collect(), is_ordered: of.is_ordered }
}
