//! A naive interpreter of programs of verbs, which loops over rows of values.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use gdf::frame::{Expr, col, lit, when};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Text,
}

/// Columns with names and kinds, and rows.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) columns: Vec<(String, Kind)>,
    pub(super) rows: Vec<Vec<Value>>,
    /// Whether the order of the rows is specified.
    pub(super) is_ordered: bool,
}

/// An expression that can be converted to an expression of gdf, and that the naive interpreter can evaluate.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Column(String),
    Int(i64),
    Text(&'static str),
    Add(Box<Node>, Box<Node>),
    Mul(Box<Node>, Box<Node>),
    Less(Box<Node>, Box<Node>),
    Equal(Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
    IsNull(Box<Node>),
    Coalesce(Box<Node>, Box<Node>),
    When(Box<Node>, Box<Node>, Box<Node>),
    Length(Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Sum,
    Min,
    Max,
    Count,
    Len,
    NUnique,
}

impl Node {
    pub(super) fn expr(&self) -> Expr {
        match self {
            Node::Column(name) => col(name.as_str()),
            Node::Int(value) => lit(*value),
            Node::Text(value) => lit(*value),
            Node::Add(a, b) => a.expr() + b.expr(),
            Node::Mul(a, b) => a.expr() * b.expr(),
            Node::Less(a, b) => a.expr().lt(b.expr()),
            Node::Equal(a, b) => a.expr().eq(b.expr()),
            Node::And(a, b) => a.expr() & b.expr(),
            Node::Or(a, b) => a.expr() | b.expr(),
            Node::Not(a) => !a.expr(),
            Node::IsNull(a) => a.expr().is_null(),
            Node::Coalesce(a, b) => a.expr().fill_null(b.expr()),
            Node::When(condition, value, other) => when(condition.expr()).then(value.expr()).otherwise(other.expr()),
            Node::Length(a) => a.expr().str().count_characters().cast(gdf::DataType::Int64),
        }
    }

    pub(super) fn value(&self, of: &Rows, row: &[Value]) -> Value {
        use Value::{Bool, Int, Null};
        let two = |a: &Node, b: &Node| (a.value(of, row), b.value(of, row));
        match self {
            Node::Column(name) => row[of.position(name)].clone(),
            Node::Int(value) => Int(*value),
            Node::Text(value) => Value::Text((*value).to_owned()),
            Node::Add(a, b) => match two(a, b) {
                (Int(a), Int(b)) => Int(a.wrapping_add(b)),
                _ => Null,
            },
            Node::Mul(a, b) => match two(a, b) {
                (Int(a), Int(b)) => Int(a.wrapping_mul(b)),
                _ => Null,
            },
            Node::Less(a, b) => match two(a, b) {
                (Null, _) | (_, Null) => Null,
                (a, b) => Bool(a < b),
            },
            Node::Equal(a, b) => match two(a, b) {
                (Null, _) | (_, Null) => Null,
                (a, b) => Bool(a == b),
            },
            Node::And(a, b) => match two(a, b) {
                (Bool(false), _) | (_, Bool(false)) => Bool(false),
                (Bool(true), Bool(true)) => Bool(true),
                _ => Null,
            },
            Node::Or(a, b) => match two(a, b) {
                (Bool(true), _) | (_, Bool(true)) => Bool(true),
                (Bool(false), Bool(false)) => Bool(false),
                _ => Null,
            },
            Node::Not(a) => match a.value(of, row) {
                Bool(value) => Bool(!value),
                _ => Null,
            },
            Node::IsNull(a) => Bool(a.value(of, row) == Null),
            Node::Coalesce(a, b) => match a.value(of, row) {
                Null => b.value(of, row),
                value => value,
            },
            Node::When(condition, value, other) => match condition.value(of, row) {
                Bool(true) => value.value(of, row),
                _ => other.value(of, row),
            },
            Node::Length(a) => match a.value(of, row) {
                Value::Text(text) => Int(text.chars().count() as i64),
                _ => Null,
            },
        }
    }
}

impl Aggregate {
    pub(super) fn of(self, values: &[Value]) -> Value {
        let valid = || values.iter().filter(|value| **value != Value::Null);
        match self {
            Aggregate::Sum => {
                let numbers = valid().map(|value| match value {
                    Value::Int(number) => *number,
                    other => panic!("{other:?} is not a number"),
                });
                numbers.reduce(i64::wrapping_add).map_or(Value::Null, Value::Int)
            }
            Aggregate::Min => valid().min().cloned().unwrap_or(Value::Null),
            Aggregate::Max => valid().max().cloned().unwrap_or(Value::Null),
            Aggregate::Count => Value::Int(valid().count() as i64),
            Aggregate::Len => Value::Int(values.len() as i64),
            Aggregate::NUnique => Value::Int(valid().collect::<std::collections::BTreeSet<_>>().len() as i64),
        }
    }

    pub(super) fn kind(self, values: Kind) -> Kind {
        match self {
            Aggregate::Min | Aggregate::Max => values,
            Aggregate::Sum | Aggregate::Count | Aggregate::Len | Aggregate::NUnique => Kind::Int,
        }
    }
}

impl Rows {
    pub(super) fn position(&self, name: &str) -> usize {
        self.columns.iter().position(|(of, _)| of == name).expect("the table has the column")
    }

    pub(super) fn filter(&self, condition: &Node) -> Rows {
        let rows = self.rows.iter().filter(|row| condition.value(self, row) == Value::Bool(true));
        Rows { rows: rows.cloned().collect(), ..self.clone() }
    }

    pub(super) fn select(&self, outputs: &[(String, Kind, Node)]) -> Rows {
        let row = |row: &Vec<Value>| outputs.iter().map(|(_, _, node)| node.value(self, row)).collect();
        Rows {
            columns: outputs.iter().map(|(name, kind, _)| (name.clone(), *kind)).collect(),
            rows: self.rows.iter().map(row).collect(),
            is_ordered: self.is_ordered,
        }
    }

    pub(super) fn with(&self, name: &str, kind: Kind, values: Vec<Value>) -> Rows {
        let mut result = self.clone();
        match self.columns.iter().position(|(of, _)| of == name) {
            Some(position) => {
                result.columns[position].1 = kind;
                result.rows.iter_mut().zip(values).for_each(|(row, value)| row[position] = value);
            }
            None => {
                result.columns.push((name.to_owned(), kind));
                result.rows.iter_mut().zip(values).for_each(|(row, value)| row.push(value));
            }
        }
        result
    }

    pub(super) fn values(&self, node: &Node) -> Vec<Value> {
        self.rows.iter().map(|row| node.value(self, row)).collect()
    }

    fn groups(&self, keys: &[String]) -> BTreeMap<Vec<Value>, Vec<usize>> {
        let positions: Vec<usize> = keys.iter().map(|key| self.position(key)).collect();
        let mut groups: BTreeMap<Vec<Value>, Vec<usize>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            groups.entry(positions.iter().map(|position| row[*position].clone()).collect()).or_default().push(at);
        }
        groups
    }

    pub(super) fn group(&self, keys: &[String], outputs: &[(String, Kind, Aggregate, Node)]) -> Rows {
        let mut columns: Vec<_> = keys.iter().map(|key| self.columns[self.position(key)].clone()).collect();
        columns.extend(outputs.iter().map(|(name, kind, aggregate, _)| (name.clone(), aggregate.kind(*kind))));
        let rows = self.groups(keys).into_iter().map(|(key, members)| {
            let of = |(_, _, aggregate, node): &(String, Kind, Aggregate, Node)| {
                let values: Vec<Value> = members.iter().map(|at| node.value(self, &self.rows[*at])).collect();
                aggregate.of(&values)
            };
            key.into_iter().chain(outputs.iter().map(of)).collect()
        });
        Rows { columns, rows: rows.collect(), is_ordered: false }
    }

    /// Applies a function to the values of each partition. Returns the values in the order of all rows.
    pub(super) fn by_partition(&self, keys: &[String], node: &Node, of: impl Fn(&[Value]) -> Vec<Value>) -> Vec<Value> {
        let mut values = vec![Value::Null; self.rows.len()];
        for members in self.groups(keys).values() {
            let found: Vec<Value> = members.iter().map(|at| node.value(self, &self.rows[*at])).collect();
            members.iter().zip(of(&found)).for_each(|(at, value)| values[*at] = value);
        }
        values
    }

    pub(super) fn over(&self, keys: &[String], aggregate: Aggregate, node: &Node) -> Vec<Value> {
        self.by_partition(keys, node, |values| vec![aggregate.of(values); values.len()])
    }

    /// Sorts the rows by all columns. Nulls come last.
    pub(super) fn sort(&self, descending: &[bool]) -> Rows {
        let mut result = Rows { is_ordered: true, ..self.clone() };
        result.rows.sort_by(|a, b| {
            let order = a.iter().zip(b).zip(descending).map(|((a, b), descending)| match (a, b) {
                (Value::Null, Value::Null) => Ordering::Equal,
                (Value::Null, _) => Ordering::Greater,
                (_, Value::Null) => Ordering::Less,
                (a, b) if *descending => b.cmp(a),
                (a, b) => a.cmp(b),
            });
            order.fold(Ordering::Equal, Ordering::then)
        });
        result
    }

    pub(super) fn distinct(&self) -> Rows {
        let mut rows = self.rows.clone();
        rows.sort();
        rows.dedup();
        Rows { rows, is_ordered: false, ..self.clone() }
    }

    pub(super) fn join(&self, right: &Rows, key: &str, kind: gdf::frame::JoinKind) -> Rows {
        use gdf::frame::JoinKind::{Anti, Full, Inner, Left, Right, Semi};
        let (left_key, right_key) = (self.position(key), right.position(key));
        let matches = |a: &[Value], b: &[Value]| a[left_key] != Value::Null && a[left_key] == b[right_key];
        if matches!(kind, Semi | Anti) {
            let has = |row: &&Vec<Value>| right.rows.iter().any(|other| matches(row, other)) == (kind == Semi);
            return Rows { rows: self.rows.iter().filter(has).cloned().collect(), is_ordered: false, ..self.clone() };
        }
        let payload: Vec<usize> = (0..right.columns.len()).filter(|at| *at != right_key).collect();
        let mut columns = self.columns.clone();
        for at in &payload {
            let (name, kind) = &right.columns[*at];
            let is_taken = self.columns.iter().any(|(of, _)| of == name);
            columns.push((if is_taken { format!("{name}_right") } else { name.clone() }, *kind));
        }
        let of_right = |row: Option<&Vec<Value>>| -> Vec<Value> {
            payload.iter().map(|at| row.map_or(Value::Null, |row| row[*at].clone())).collect()
        };
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for row in &self.rows {
            let found: Vec<_> = right.rows.iter().filter(|other| matches(row, other)).collect();
            if found.is_empty() && matches!(kind, Left | Full) {
                rows.push(row.iter().cloned().chain(of_right(None)).collect());
            }
            rows.extend(found.into_iter().map(|other| row.iter().cloned().chain(of_right(Some(other))).collect()));
        }
        if matches!(kind, Right | Full) {
            for other in right.rows.iter().filter(|other| !self.rows.iter().any(|row| matches(row, other))) {
                let mut row = vec![Value::Null; self.columns.len()];
                row[left_key] = other[right_key].clone();
                rows.push(row.into_iter().chain(of_right(Some(other))).collect());
            }
        }
        assert!(matches!(kind, Inner | Left | Right | Full));
        Rows { columns, rows, is_ordered: false }
    }
}

/// Returns the sum of the values up to each value. Nulls stay null, and the sum ignores them.
pub(super) fn cum_sum(values: &[Value]) -> Vec<Value> {
    let mut sum = 0_i64;
    let of = |value: &Value| match value {
        Value::Int(number) => {
            sum = sum.wrapping_add(*number);
            Value::Int(sum)
        }
        _ => Value::Null,
    };
    values.iter().map(of).collect()
}

pub(super) fn shift(values: &[Value], offset: i64) -> Vec<Value> {
    let of = |at: i64| usize::try_from(at - offset).ok().and_then(|at| values.get(at)).cloned().unwrap_or(Value::Null);
    (0..values.len() as i64).map(of).collect()
}
