//! Joins by a condition in random programs, and their naive versions.

use gdf::frame::{Join, JoinKind};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

use super::naive::{Kind, Node, Rows, Value};
use super::{Program, frame_of, node};

/// Joins the rows with `other` by a condition, with or without equal keys.
pub(super) fn apply(program: &mut Program, rng: &mut SmallRng, other: &Rows) {
    use JoinKind::{Anti, Full, Inner, Left, Right, Semi};
    let rows = program.naive.clone();
    let kind = *[Inner, Left, Right, Full, Semi, Anti].choose(rng).expect("the list of kinds is not empty");
    let has_key = rows.columns.iter().any(|column| *column == ("a".to_owned(), Kind::Int)) && rng.random();
    let key = has_key.then_some("a");
    let pairs = visible(&rows, other);
    let names: std::collections::HashSet<_> = pairs.columns.iter().map(|(name, _)| name).collect();
    if names.len() < pairs.columns.len() || names.len() > 12 {
        return;
    }
    let mut condition = node(rng, &pairs, Kind::Bool, 2);
    if rng.random() {
        let number = |rng: &mut SmallRng| Box::new(node(rng, &pairs, Kind::Int, 1));
        condition = Node::And(Box::new(Node::Less(number(rng), number(rng))), Box::new(condition));
    }
    let naive = join(&rows, other, key, kind, &condition, &pairs);
    if naive.rows.len() > 500 {
        return;
    }
    let right = frame_of(other);
    let verb = format!("{kind:?} join on {key:?} where {}", condition.expr());
    program.apply(verb, naive, |lazy| lazy.join(right.lazy(), Join::new(kind, key).condition(condition.expr())));
}

/// Returns the columns of both sides without rows, under the names that the condition has for them.
fn visible(left: &Rows, right: &Rows) -> Rows {
    let mut columns = left.columns.clone();
    for (name, kind) in &right.columns {
        let is_taken = left.columns.iter().any(|(of, _)| of == name);
        columns.push((if is_taken { format!("{name}_right") } else { name.clone() }, *kind));
    }
    Rows { columns, rows: Vec::new(), is_ordered: false }
}

fn join(left: &Rows, right: &Rows, key: Option<&str>, kind: JoinKind, condition: &Node, pairs: &Rows) -> Rows {
    use JoinKind::{Anti, Full, Inner, Left, Right, Semi};
    let keys = key.map(|key| (left.position(key), right.position(key)));
    let matches = |row: &[Value], other: &[Value]| {
        let equal = keys.is_none_or(|(a, b)| row[a] != Value::Null && row[a] == other[b]);
        equal && condition.value(pairs, &[row, other].concat()) == Value::Bool(true)
    };
    let is_payload = |at: usize| keys.is_none_or(|(_, key)| at != key);
    let payload = |row: Option<&Vec<Value>>| -> Vec<Value> {
        let of = |at: usize| row.map_or(Value::Null, |row| row[at].clone());
        (0..right.columns.len()).filter(|at| is_payload(*at)).map(of).collect()
    };
    let mut rows = Vec::new();
    for row in &left.rows {
        let found: Vec<_> = right.rows.iter().filter(|other| matches(row, other)).collect();
        match kind {
            Semi | Anti if (kind == Semi) != found.is_empty() => rows.push(row.clone()),
            Semi | Anti => {}
            Left | Full if found.is_empty() => rows.push([row.clone(), payload(None)].concat()),
            Inner | Left | Right | Full => {
                rows.extend(found.into_iter().map(|other| [row.clone(), payload(Some(other))].concat()));
            }
        }
    }
    if matches!(kind, Right | Full) {
        for other in right.rows.iter().filter(|other| !left.rows.iter().any(|row| matches(row, other))) {
            let mut row = vec![Value::Null; left.columns.len()];
            if let Some((own, key)) = keys {
                row[own] = other[key].clone();
            }
            rows.push([row, payload(Some(other))].concat());
        }
    }
    let columns = match kind {
        Semi | Anti => left.columns.clone(),
        _ => {
            let of_right = pairs.columns[left.columns.len()..].iter().enumerate();
            let of_right = of_right.filter(|(at, _)| is_payload(*at)).map(|(_, column)| column.clone());
            left.columns.iter().cloned().chain(of_right).collect()
        }
    };
    Rows { columns, rows, is_ordered: false }
}
