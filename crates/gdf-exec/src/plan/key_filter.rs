//! Sets of keys that one side of a join passes on to the other side. A set filters rows below the other side before
//! these rows reach other nodes.
//!
//! After its own filters, the side that a join computes first may have few rows left. A row of the other side cannot
//! match if its key is not among the keys of these rows. Such rows are dropped at the lowest node to which the keys can
//! be traced: below projections, filters, sorts without a limit, unions, other joins, and aggregates that group by the
//! keys. The join finds the same pairs without the dropped rows, and the dropped rows cause no error in the nodes
//! above. The literature calls this sideways information passing, and DataFusion dynamic filters.
//!
//! A set is passed on if two conditions are met when the join runs. The first side has at most a quarter of the rows of
//! the table that its keys come from. It also has at most a quarter of the rows of the largest table below the rows
//! that the set would filter. The second condition does not apply if that number of rows is unknown, as for files.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gdf_api::join::HashJoin;
use gdf_core::{Column, Table};
use gdf_expr::{Expr, ExprKind};

use super::join::Side;
use super::lock::locked;
use super::rows::{KeyTest, Ready, key_condition};
use super::run::KeyFilter;
use super::{Finish, Join, JoinKind, Node, Plan, Rows, Run, Source};
use crate::error::Result;

/// The minimum ratio that makes a filter worthwhile. It applies to three pairs of numbers: the rows of a table and the
/// rows of it that the first side has left; the rows that a set filters and the rows of the set; and the range of a key
/// and the rows of the set.
const RATIO: usize = 4;

/// The minimum number of rows that a set filters. With fewer rows, the set costs more than it saves.
const MIN_ROWS: usize = 1 << 14;

/// Rows that a set of keys can filter. `keys` are expressions over the input of the rows.
struct Site<'p> {
    rows: &'p Rows,
    keys: Vec<Expr>,
}

impl Plan {
    /// Returns the number of joins that may pass on a set of keys.
    pub fn key_filters(&self) -> usize {
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

impl Node {
    /// Returns the number of rows of the largest table at or below the node, or `None` if a number is unknown.
    pub(super) fn most_rows(&self) -> Option<usize> {
        match self {
            Node::Input(_) => None,
            Node::Files(scan) => scan.num_rows(),
            Node::Resident(table) => Some(table.num_rows()),
            other => other.children().into_iter().try_fold(0, |most, child| Some(most.max(child.most_rows()?))),
        }
    }
}

impl Join {
    /// Returns the side that is computed first, from which keys are passed on. By default, this is the side that is
    /// computed first without keys. It is the other side if three conditions are met. Conditions or limits drop rows of
    /// the other side only. The keys of the other side can filter rows. No value of the other side can cause an error
    /// that is avoided by not reading that side.
    pub(super) fn first(&self) -> Side {
        let first = self.first_without_keys();
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
    pub(super) fn first_without_keys(&self) -> Side {
        match &self.decisive {
            Some(decisive) if decisive.is_left => Side::Left,
            // The right side is usually smaller.
            _ => Side::Right,
        }
    }

    /// Returns the rows that the keys of `first` can filter.
    fn sites(&self, first: Side) -> Vec<Site<'_>> {
        let are_dropped = match first {
            // Joins of the other kinds return left rows without a match.
            Side::Right => matches!(self.kind, JoinKind::Inner | JoinKind::Semi),
            Side::Left => !matches!(self.kind, JoinKind::Full | JoinKind::NullAwareAnti),
        };
        if !are_dropped || self.on.0.is_empty() {
            return Vec::new();
        }
        let (other, on) = match first {
            Side::Left => (&self.right, &self.on.1),
            Side::Right => (&self.left, &self.on.0),
        };
        let mut sites = sites(other, on);
        // A set saves nothing on the rows that the join itself reads in two cases. The lookup of left rows drops these
        // rows as early as a set. Semi, anti and mark joins drop right rows without a match themselves.
        let is_done = self.condition.is_none()
            && (first == Side::Right || matches!(self.kind, JoinKind::Semi | JoinKind::Anti | JoinKind::Mark));
        if is_done {
            sites.retain(|site| !std::ptr::eq(site.rows, other));
        }
        sites
    }

    /// Returns the filters of rows below the other side, by the keys of the side `first`, which has been computed.
    /// `before` is the number of rows of that side before its own conditions were tested.
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
            Node::Computed(_) | Node::Scalars { .. } | Node::Window(_) | Node::Unnest(_) | Node::Mapped(_) => true,
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

/// Returns the lowest rows at or below `rows` that a set of keys can filter. The keys are the outputs with the numbers
/// `outputs`. Below an aggregate, the filter drops whole groups.
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
        | Node::Distinct(_)
        | Node::Sort(_)
        | Node::Window(_)
        | Node::Unnest(_)
        | Node::Mapped(_)
        | Node::Limit { .. } => Vec::new(),
    }
}

impl Join {
    /// Returns the outputs of one side that have the same values as these columns of the join. Returns `None` if rows
    /// of that side must not be dropped, or if a column has no such output. In an inner join, a key of one side has the
    /// same values as the key of the other side.
    fn outputs_of(&self, columns: &[usize], side: Side) -> Option<Vec<usize>> {
        let are_kept = match side {
            Side::Left => self.kind == JoinKind::Full,
            Side::Right => self.kind != JoinKind::Inner,
        };
        if are_kept {
            return None;
        }
        let other = |at: &usize, from: &[usize], to: &[usize]| {
            let key = from.iter().position(|key| key == at).filter(|_| self.kind == JoinKind::Inner)?;
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

/// Returns the number of rows of the table that the output with the number `output` comes from, if that number of rows
/// is known.
fn origin(rows: &Rows, output: usize, run: &Run<'_>) -> Option<usize> {
    match rows.outputs.get(output)?.kind() {
        ExprKind::Column(position) => origin_of_node(&rows.input, *position, run),
        _ => None,
    }
}

fn origin_of_node(node: &Node, column: usize, run: &Run<'_>) -> Option<usize> {
    match node {
        Node::Resident(table) => Some(table.num_rows()),
        Node::Files(scan) => scan.num_rows(),
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

/// Returns the number of the key with the largest range of values. Returns `None` if the set has one key, or if the
/// number of rows of the set is not small beside that range. A condition on this key drops most rows before the rows
/// are looked up by all keys.
fn selective_key(set: &Table) -> Option<usize> {
    let range = |column: &Column| column.view().outer_bounds().flatten().map_or(0, |(low, high)| high - low);
    let ranges = set.columns().iter().map(range).enumerate();
    let (at, range) = ranges.max_by_key(|(_, range)| *range)?;
    (set.num_columns() > 1 && range / RATIO as u64 > set.num_rows() as u64).then_some(at)
}

impl Run<'_> {
    fn input_count(&self, number: usize) -> Option<usize> {
        self.input(number).ok()?.num_rows()
    }

    /// Runs `work` while the filters apply.
    pub(super) fn with_key_filters<T>(&self, filters: Vec<KeyFilter>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let kept = locked(&self.key_filters).len();
        self.add_key_filters(filters);
        let result = work();
        locked(&self.key_filters).truncate(kept);
        result
    }

    /// Applies the filters until the run ends.
    pub(super) fn add_key_filters(&self, filters: Vec<KeyFilter>) {
        self.applied_key_filters.fetch_add(filters.len(), Ordering::Relaxed);
        self.progress().add_key_filters(filters.len());
        locked(&self.key_filters).extend(filters.into_iter().map(Arc::new));
    }

    /// Returns the sets that filter `rows` at present.
    pub(super) fn key_filters_of(&self, rows: &Rows) -> Vec<Arc<KeyFilter>> {
        let address = std::ptr::from_ref(rows).addr();
        locked(&self.key_filters).iter().filter(|filter| filter.address == address).cloned().collect()
    }

    /// Prepares the tests of sets for `count` rows.
    pub(super) fn key_tests<'f>(&self, filters: &'f [Arc<KeyFilter>], count: usize) -> Result<Vec<KeyTest<'f>>> {
        let test = |filter: &'f Arc<KeyFilter>| {
            let keys = self.all_known(&filter.keys)?;
            if let Some(condition) = key_condition(&keys, &filter.set, filter.nulls, count)? {
                return Ok(KeyTest::Condition(condition));
            }
            let selective = match selective_key(&filter.set) {
                Some(at) => key_condition(&keys[at..=at], &filter.set.select(&[at])?, filter.nulls, count)?,
                None => None,
            };
            let table = HashJoin::for_rows(&filter.set, filter.nulls, count)?;
            Ok(KeyTest::Lookup { keys, selective, table: Box::new(table) })
        };
        filters.iter().map(test).collect()
    }
}
