//! Sets of the keys of one side of a join, which filter rows below the other side before these rows reach other nodes.
//!
//! The side that a join computes first may have few of its rows left. Rows of the other side whose keys it does not
//! have are dropped where their columns are read: below projections, filters, sorts, unions, joins that keep the rows,
//! and aggregates that group by the keys. The join finds the same pairs without them. The values of rows that are
//! dropped cause no error in nodes above. The literature calls this sideways information passing, and DataFusion
//! dynamic filters.
//!
//! A set is passed on if the first side has at most a quarter of the rows of the table that its keys come from, and at
//! most a quarter of the rows that the set would filter. Both numbers are known when the join runs.

use std::sync::atomic::Ordering;

use arrow_array::RecordBatch;
use gdf_api::join::HashJoin;
use gdf_core::{Column, Table};
use gdf_expr::{Expr, ExprKind};

use super::join::Side;
use super::rows::Ready;
use super::run::KeyFilter;
use super::{Finish, Join, Kind, Node, Plan, Rows, Run, Source};
use crate::error::Result;

/// The minimum ratio between the rows before and after the filters of the first side, and between the rows that a set
/// filters and the rows that the set has.
const RATIO: usize = 4;

/// The minimum number of rows that a set filters. With fewer rows, the set costs more than it saves.
const MIN_ROWS: usize = 1 << 14;

/// Rows that a set of keys can filter, and the keys as expressions over the input of the rows.
struct Site<'p> {
    rows: &'p Rows,
    keys: Vec<Expr>,
}

impl Plan {
    /// Returns the number of joins that may pass on a set of keys.
    pub(crate) fn key_filters(&self) -> usize {
        fn count(node: &Node) -> usize {
            let own = match node {
                Node::Join(join) => usize::from(!join.sites(join.first()).is_empty()),
                _ => 0,
            };
            own + node.children().into_iter().map(count).sum::<usize>()
        }
        count(&self.root)
    }
}

impl Join {
    /// Returns the side that is computed first, from which keys are passed on. That is the only side with conditions,
    /// unless a value of the other side could then cause an error that DataFusion does not have.
    pub(super) fn first(&self) -> Side {
        let first = self.first_of_datafusion();
        let (has_keys, other) = match first {
            Side::Left => (&self.left, Side::Right),
            Side::Right => (&self.right, Side::Left),
        };
        let rows = match other {
            Side::Left => &self.left,
            Side::Right => &self.right,
        };
        let is_better = !drops_rows(has_keys) && drops_rows(rows) && !self.sites(other).is_empty();
        if is_better && (self.decisive.is_none() || !may_fail(rows)) { other } else { first }
    }

    /// Returns the side that is computed first if no keys are passed on.
    pub(super) fn first_of_datafusion(&self) -> Side {
        match &self.decisive {
            Some(decisive) if decisive.is_left => Side::Left,
            // The right side is usually smaller.
            _ => Side::Right,
        }
    }

    /// Returns the rows that the keys of `first` can filter.
    fn sites(&self, first: Side) -> Vec<Site<'_>> {
        let are_dropped = match first {
            // Without a match, left rows of other kinds are in the result.
            Side::Right => matches!(self.kind, Kind::Inner | Kind::Semi),
            Side::Left => !matches!(self.kind, Kind::Full | Kind::NullAwareAnti),
        };
        if !are_dropped || self.on.0.is_empty() {
            return Vec::new();
        }
        let (other, on) = match first {
            Side::Left => (&self.right, &self.on.1),
            Side::Right => (&self.left, &self.on.0),
        };
        let mut sites = sites(other, on);
        // The lookup of left rows drops them as well as a set, and semi joins themselves drop right rows first.
        let is_done = self.condition.is_none()
            && (first == Side::Right || matches!(self.kind, Kind::Semi | Kind::Anti | Kind::Mark));
        if is_done {
            sites.retain(|site| !std::ptr::eq(site.rows, other));
        }
        sites
    }

    /// Returns the filters of rows below the other side, by the keys of the side that was computed first. `before` is
    /// the number of its rows before its own conditions were tested.
    pub(super) fn key_filters(
        &self,
        first: Side,
        found: &mut Ready,
        before: usize,
        run: &Run<'_>,
    ) -> Result<Vec<KeyFilter>> {
        let count = found.input.num_rows();
        let (rows, on) = match first {
            Side::Left => (&self.left, &self.on.0),
            Side::Right => (&self.right, &self.on.1),
        };
        let all = on.first().and_then(|key| origin(rows, *key, run)).unwrap_or(before);
        if !is_few(count, all) {
            return Ok(Vec::new());
        }
        let mut sites = self.sites(first);
        sites.retain(|site| {
            let rows = match &site.rows.input {
                Node::Input(number) => run.input_count(*number),
                other => other.most_rows(),
            };
            rows.is_none_or(|rows| rows >= MIN_ROWS && is_few(count, rows))
        });
        if sites.is_empty() {
            return Ok(Vec::new());
        }
        let set = found.columns(on)?;
        let filter = |site: Site<'_>| KeyFilter {
            address: std::ptr::from_ref(site.rows).addr(),
            keys: site.keys,
            set: set.clone(),
            nulls: self.nulls,
        };
        Ok(sites.into_iter().map(filter).collect())
    }
}

/// Returns whether conditions or limits drop rows at or below `rows`.
fn drops_rows(rows: &Rows) -> bool {
    fn of_node(node: &Node) -> bool {
        let own = match node {
            Node::Limit { .. } => true,
            Node::Sort(sort) => sort.fetch.is_some(),
            _ => false,
        };
        own || node.rows().into_iter().any(|rows| !rows.conditions.is_empty())
            || node.children().into_iter().any(of_node)
    }
    !rows.conditions.is_empty() || of_node(&rows.input)
}

/// Returns whether a value at or below `rows` can cause an error.
pub(super) fn may_fail(rows: &Rows) -> bool {
    fn of_node(node: &Node) -> bool {
        let own = match node {
            Node::Computed(_) | Node::Scalars { .. } | Node::Window(_) | Node::Unnest(_) => true,
            Node::Aggregate(of) => of.calls.iter().any(|call| matches!(call.finish, Finish::DecimalMean { .. })),
            _ => false,
        };
        own || node.rows().into_iter().any(|rows| !rows.checks.is_empty()) || node.children().into_iter().any(of_node)
    }
    !rows.checks.is_empty() || of_node(&rows.input)
}

fn is_few(rows: usize, of: usize) -> bool {
    rows <= of / RATIO
}

/// Returns the rows at or below `rows` that keys, the outputs with the given numbers, can filter. Below an aggregate,
/// the filter drops whole groups.
fn sites<'p>(rows: &'p Rows, outputs: &[usize]) -> Vec<Site<'p>> {
    let keys: Option<Vec<Expr>> = outputs.iter().map(|output| rows.outputs.get(*output).cloned()).collect();
    let Some(keys) = keys else { return Vec::new() };
    let position = |key: &Expr| match key.kind() {
        ExprKind::Column(position) => Some(*position),
        _ => None,
    };
    let positions: Option<Vec<usize>> = keys.iter().map(position).collect();
    let below = positions.map(|positions| sites_of_node(&rows.input, &positions)).unwrap_or_default();
    if below.is_empty() { vec![Site { rows, keys }] } else { below }
}

fn sites_of_node<'p>(node: &'p Node, columns: &[usize]) -> Vec<Site<'p>> {
    match node {
        Node::Rows(rows) => sites(rows, columns),
        Node::Computed(of) => match columns.iter().all(|column| *column < of.rows.outputs.len()) {
            true => sites(&of.rows, columns),
            false => Vec::new(),
        },
        Node::Aggregate(of) => match of.groupings.is_empty() && columns.iter().all(|column| *column < of.keys.len()) {
            true => sites(&of.rows, columns),
            false => Vec::new(),
        },
        Node::Sort(of) if of.fetch.is_none() => sites(&of.rows, columns),
        Node::Union(nodes) => nodes.iter().flat_map(|node| sites_of_node(node, columns)).collect(),
        Node::Scalars { input, .. } => sites_of_node(input, columns),
        Node::Join(join) => {
            let of_left = join.outputs_of(columns, Side::Left).map(|outputs| sites(&join.left, &outputs));
            let of_right = join.outputs_of(columns, Side::Right).map(|outputs| sites(&join.right, &outputs));
            of_left.into_iter().chain(of_right).flatten().collect()
        }
        // Other occurrences of the step need all of its rows.
        Node::Shared(_)
        | Node::Input(_)
        | Node::Resident(_)
        | Node::Files(_)
        | Node::NullRow(_)
        | Node::Empty(_)
        | Node::Sort(_)
        | Node::Window(_)
        | Node::Unnest(_)
        | Node::Limit { .. } => Vec::new(),
    }
}

impl Join {
    /// Returns the outputs of one side that equal these columns of the join, if rows of that side can be dropped by
    /// them. A key of an inner join equals the key of the other side.
    fn outputs_of(&self, columns: &[usize], side: Side) -> Option<Vec<usize>> {
        let are_kept = match side {
            Side::Left => self.kind == Kind::Full,
            Side::Right => self.kind != Kind::Inner,
        };
        if are_kept {
            return None;
        }
        let other = |at: &usize, from: &[usize], to: &[usize]| {
            let key = from.iter().position(|key| key == at).filter(|_| self.kind == Kind::Inner)?;
            to.get(key).copied()
        };
        let output = |column: &usize| match (self.outputs.get(*column)?, side) {
            (Source::Left(at), Side::Left) | (Source::Right(at), Side::Right) => Some(*at),
            (Source::Left(at), Side::Right) => other(at, &self.on.0, &self.on.1),
            (Source::Right(at), Side::Left) => other(at, &self.on.1, &self.on.0),
            (Source::Mark, _) => None,
        };
        columns.iter().map(output).collect()
    }
}

/// Returns the number of rows of the table that an output of rows comes from, if that number is known.
fn origin(rows: &Rows, output: usize, run: &Run<'_>) -> Option<usize> {
    match rows.outputs.get(output)?.kind() {
        ExprKind::Column(position) => origin_of_node(&rows.input, *position, run),
        _ => None,
    }
}

fn origin_of_node(node: &Node, column: usize, run: &Run<'_>) -> Option<usize> {
    match node {
        Node::Resident(table) => Some(table.num_rows()),
        Node::Input(number) => run.input_count(*number),
        Node::Rows(rows) => origin(rows, column, run),
        Node::Computed(of) => origin(&of.rows, column, run),
        Node::Sort(of) => origin(&of.rows, column, run),
        Node::Limit { input, .. } | Node::Scalars { input, .. } => origin_of_node(input, column, run),
        Node::Shared(step) => origin_of_node(&step.node, column, run),
        Node::Join(join) => match join.outputs.get(column)? {
            Source::Mark => None,
            // The keys of both sides of an inner join are equal.
            _ => {
                let of = |side, rows| Some(origin(rows, *join.outputs_of(&[column], side)?.first()?, run)).flatten();
                of(Side::Left, &join.left).max(of(Side::Right, &join.right))
            }
        },
        _ => None,
    }
}

/// Returns the number of the key whose values in a set of several keys are the smallest part of their range, if they are
/// few of it. A condition on this key drops most rows before the rows are looked up by all keys.
fn selective_key(set: &Table) -> Option<usize> {
    let range = |column: &Column| column.view().outer_bounds().flatten().map_or(0, |(low, high)| high - low);
    let ranges = set.columns().iter().map(range).enumerate();
    let (at, range) = ranges.max_by_key(|(_, range)| *range)?;
    (set.num_columns() > 1 && range / RATIO as u64 > set.num_rows() as u64).then_some(at)
}

impl Run<'_> {
    fn input_count(&self, number: usize) -> Option<usize> {
        let input = self.input_rows(number).ok()?;
        Some(input.batches.iter().map(RecordBatch::num_rows).sum())
    }

    /// Runs `work` while the filters apply.
    pub(super) fn with_key_filters<T>(&self, filters: Vec<KeyFilter>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let kept = self.key_filters.borrow().len();
        self.applied_key_filters.set(self.applied_key_filters.get() + filters.len());
        self.counters.key_filters.fetch_add(filters.len() as u64, Ordering::Relaxed);
        self.key_filters.borrow_mut().extend(filters);
        let result = work();
        self.key_filters.borrow_mut().truncate(kept);
        result
    }

    /// Drops rows whose keys are not in the sets that filter `rows`. Sets that are conditions are tested together with
    /// the conditions of the rows.
    pub(super) fn filter_by_keys(&self, rows: &Rows, ready: &mut Ready) -> Result<()> {
        let address = std::ptr::from_ref(rows).addr();
        let mut are_tested = true;
        for filter in self.key_filters.borrow().iter().filter(|filter| filter.address == address) {
            let keys = self.all_known(&filter.keys)?;
            if let Some(condition) = ready.key_condition(&keys, &filter.set, filter.nulls)? {
                ready.conditions.push(condition);
                are_tested = false;
                continue;
            }
            if let Some(at) = selective_key(&filter.set)
                && let Some(condition) =
                    ready.key_condition(&keys[at..=at], &filter.set.select(&[at])?, filter.nulls)?
            {
                ready.conditions.push(condition);
                ready.filter()?;
            }
            let set = HashJoin::for_rows(&filter.set, filter.nulls, ready.input.num_rows())?;
            let narrow = ready.input.narrow(ready.conditions.iter().chain(&keys))?;
            let probe = narrow.pipeline(&ready.conditions)?.probe(&set, narrow.expressions(&keys)?);
            ready.take(&probe.semi_rows()?)?;
            are_tested = true;
        }
        if are_tested { Ok(()) } else { ready.filter() }
    }
}
