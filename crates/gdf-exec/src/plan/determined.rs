//! Keys of a group-by that other keys determine.
//!
//! A row of a table is determined by its value in a column with distinct values. If a join looks up a row of such a
//! table by a determined value, that row is determined, too. Rows that agree in a key then also agree in all columns of
//! the determined rows, so a group-by need not compare those columns. The literature calls this functional
//! dependencies.

use std::borrow::Cow;
use std::collections::HashSet;

use gdf_api::join::NullEquality;
use gdf_expr::{Expr, ExprKind};

use super::distinct_keys::is_distinct;
use super::profile::address;
use super::{Aggregate, Join, JoinKind, Node, Rows, Run, Source};

/// A column of a node without children. The first number is the address of the node.
type Origin = (usize, usize);

/// Returns the numbers of the keys that one other key determines. If several keys determine others, this is the key
/// that determines the most. The keys are the first `keys` outputs of `rows`.
pub fn determined_keys(rows: &Rows, keys: usize) -> Vec<usize> {
    let origins: Vec<Option<Origin>> = rows.outputs.iter().take(keys).map(|key| origin(rows, key)).collect();
    let mut lookups = Vec::new();
    collect_lookups(&rows.input, &mut lookups);
    let by = |key: &Option<Origin>| match key {
        Some(key) => determined_by(*key, &lookups),
        None => HashSet::new(),
    };
    let others = |number: usize, known: &HashSet<usize>| {
        let is_known = |origin: &Option<Origin>| origin.is_some_and(|(node, _)| known.contains(&node));
        let others = origins.iter().enumerate().filter(|(other, origin)| *other != number && is_known(origin));
        others.map(|(other, _)| other).collect::<Vec<usize>>()
    };
    let by_key = origins.iter().enumerate().map(|(number, key)| others(number, &by(key)));
    by_key.max_by_key(Vec::len).unwrap_or_default()
}

impl Aggregate {
    /// Returns the numbers of keys that the other keys determine. If the plan does not tell, the joins of the stream
    /// below do: a left row that finds one right row at most determines the columns of that row.
    pub(super) fn determined_in(&self, run: &Run<'_>) -> Cow<'_, [usize]> {
        if !self.determined.is_empty() || !self.groupings.is_empty() {
            return Cow::Borrowed(&self.determined);
        }
        let column = |output: Option<&Expr>| match output?.kind() {
            ExprKind::Column(position) => Some(*position),
            _ => None,
        };
        let mut determined = Vec::new();
        // For each key, the position of its column among the columns of the node.
        let mut keys: Vec<Option<usize>> = (0..self.keys.len()).map(|key| column(self.rows.outputs.get(key))).collect();
        let mut node = &self.rows.input;
        loop {
            match node {
                Node::Rows(rows) => {
                    keys = keys.into_iter().map(|key| column(rows.outputs.get(key?))).collect();
                    node = &rows.input;
                }
                Node::Scalars { input, .. } => node = input,
                Node::Join(join) => {
                    let sources: Vec<Option<Source>> =
                        keys.iter().map(|key| join.outputs.get((*key)?).copied()).collect();
                    if run.has_distinct_side(join.address()) {
                        determined.extend(join.determined_of_right(&sources));
                    }
                    let left = |source: Option<Source>| match source? {
                        Source::Left(at) => column(join.left.outputs.get(at)),
                        Source::Right(_) | Source::Mark => None,
                    };
                    keys = sources.into_iter().map(left).collect();
                    node = &join.left.input;
                }
                _ => return Cow::Owned(determined),
            }
        }
    }
}

/// A lookup of a row by a value of the column `key`: the row whose column `distinct` has the same value. The values of
/// `distinct` are distinct. There may be no such row.
struct Lookup {
    key: Origin,
    distinct: Origin,
}

/// Returns the addresses of the nodes whose rows a value of the column `key` determines.
fn determined_by(key: Origin, lookups: &[Lookup]) -> HashSet<usize> {
    let mut known = HashSet::new();
    loop {
        let is_known = |of: Origin| of == key || known.contains(&of.0);
        let found = lookups.iter().filter(|lookup| is_known(lookup.key) && !known.contains(&lookup.distinct.0));
        let found: Vec<usize> = found.map(|lookup| lookup.distinct.0).collect();
        if found.is_empty() {
            return known;
        }
        known.extend(found);
    }
}

/// Adds the lookups of all tables and joins at or below a node.
fn collect_lookups(node: &Node, lookups: &mut Vec<Lookup>) {
    if let Node::Resident(table) = node {
        // A column of distinct values determines the row that it is in.
        let distinct = (0..table.num_columns()).filter(|column| is_distinct(table, *column));
        let at = distinct.map(|column| (address(node), column));
        lookups.extend(at.map(|column| Lookup { key: column, distinct: column }));
    }
    if let Node::Join(join) = node {
        lookups.extend(join.lookups());
    }
    for child in node.children() {
        collect_lookups(child, lookups);
    }
}

impl Join {
    /// Returns the numbers of the keys from the right side that other keys determine. `keys` has the column of the join
    /// of each key. No two right rows have equal join keys.
    fn determined_of_right(&self, keys: &[Option<Source>]) -> Vec<usize> {
        let place = |source: Source| keys.iter().position(|key| *key == Some(source));
        let determining = |(left, right): (&usize, &usize)| {
            let of_left = place(Source::Left(*left));
            match (self.kind, self.nulls) {
                (JoinKind::Inner, _) | (JoinKind::Left, NullEquality::Unequal) => {
                    of_left.or_else(|| place(Source::Right(*right)))
                }
                // A null in the key of the right side is that of a missing row or of the row with the key null.
                (JoinKind::Left, NullEquality::Equal) => of_left,
                (JoinKind::Full | JoinKind::Semi | JoinKind::Anti | JoinKind::NullAwareAnti | JoinKind::Mark, _) => {
                    None
                }
            }
        };
        let determining: Option<Vec<usize>> = self.on.0.iter().zip(&self.on.1).map(determining).collect();
        let Some(determining) = determining else { return Vec::new() };
        let is_of_right = |at: &usize| matches!(keys[*at], Some(Source::Right(_))) && !determining.contains(at);
        (0..keys.len()).filter(is_of_right).collect()
    }

    /// Returns the lookups of a join: the key of one side finds a row of the other side if the key of that side has
    /// distinct values.
    fn lookups(&self) -> Vec<Lookup> {
        let ([left], [right]) = (self.on.0.as_slice(), self.on.1.as_slice()) else { return Vec::new() };
        let of = |rows: &Rows, output: usize| rows.outputs.get(output).and_then(|key| origin(rows, key));
        let (Some(left), Some(right)) = (of(&self.left, *left), of(&self.right, *right)) else { return Vec::new() };
        let lookup =
            |rows: &Rows, key, distinct| has_distinct(&rows.input, distinct).then_some(Lookup { key, distinct });
        match self.kind {
            JoinKind::Inner => {
                lookup(&self.right, left, right).into_iter().chain(lookup(&self.left, right, left)).collect()
            }
            // With a condition, rows of one key can be with and without a match.
            JoinKind::Left if self.condition.is_none() => lookup(&self.right, left, right).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Returns whether a column of a table in or below `node` is known to have distinct values.
fn has_distinct(node: &Node, (at, column): Origin) -> bool {
    match node {
        Node::Resident(table) if address(node) == at => is_distinct(table, column),
        _ => node.children().into_iter().any(|child| has_distinct(child, (at, column))),
    }
}

/// Returns the column of a table that an expression over the input of `rows` names.
fn origin(rows: &Rows, expression: &Expr) -> Option<Origin> {
    match expression.kind() {
        ExprKind::Column(position) => origin_of_node(&rows.input, *position),
        _ => None,
    }
}

fn origin_of_node(node: &Node, column: usize) -> Option<Origin> {
    let output = |rows: &Rows, output: usize| origin(rows, rows.outputs.get(output)?);
    match node {
        Node::Resident(_) => Some((address(node), column)),
        Node::Rows(rows) => output(rows, column),
        Node::Sort(of) => output(&of.rows, column),
        Node::Limit { input, .. } | Node::Scalars { input, .. } => origin_of_node(input, column),
        Node::Aggregate(of) if of.groupings.is_empty() && column < of.keys.len() => output(&of.rows, column),
        Node::Join(join) => match *join.outputs.get(column)? {
            Source::Left(at) => output(&join.left, at),
            Source::Right(at) => output(&join.right, at),
            Source::Mark => None,
        },
        _ => None,
    }
}
