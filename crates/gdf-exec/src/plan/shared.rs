//! Steps that occur several times in a plan, such as a `WITH` table that a query reads twice, and run once.
//!
//! A planner plans each occurrence for itself. Two joins or aggregates are the same step if they are built in the same
//! way from the same columns of the same tables. The literature calls this common subplan elimination.

use std::sync::{Arc, Mutex};

use gdf_core::{Column, Table};

use super::deferred::Deferred;
use super::lock::locked;
use super::profile::address;
use super::run::Kept;
use super::{Aggregate, Call, Finish, Join, Node, Request, Rows, Run};
use crate::error::Result;

/// A step that occurs several times.
#[derive(Debug)]
pub struct Shared {
    pub(super) node: Node,
    /// The number of the step among the shared steps of the plan.
    number: usize,
    /// The number of its occurrences.
    uses: usize,
}

/// Replaces the occurrences of equal steps by one shared step.
pub fn shared(mut root: Node) -> Node {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    collect(&root, &mut Vec::new(), &mut groups);
    let mut steps: Vec<(Vec<usize>, Option<Arc<Shared>>)> =
        groups.into_iter().filter(|group| group.len() > 1).map(|group| (group, None)).collect();
    if !steps.is_empty() {
        replace(&mut root, &mut steps);
    }
    root
}

/// Adds the address of each join and aggregate to the group of the steps that equal it. `firsts` is the first step of
/// each group. The steps below a repeated step are not looked at, because they are shared with it.
fn collect<'n>(node: &'n Node, firsts: &mut Vec<&'n Node>, groups: &mut Vec<Vec<usize>>) {
    if matches!(node, Node::Join(_) | Node::Aggregate(_)) {
        if let Some(at) = firsts.iter().position(|first| are_same(first, node)) {
            groups[at].push(address(node));
            return;
        }
        firsts.push(node);
        groups.push(vec![address(node)]);
    }
    node.children().into_iter().for_each(|child| collect(child, firsts, groups));
}

fn replace(node: &mut Node, steps: &mut [(Vec<usize>, Option<Arc<Shared>>)]) {
    let at = address(node);
    let Some(number) = steps.iter().position(|(group, _)| group.contains(&at)) else {
        node.children_mut().into_iter().for_each(|child| replace(child, steps));
        return;
    };
    let mut step = std::mem::replace(node, Node::Empty(Vec::new()));
    let found = steps[number].1.clone().unwrap_or_else(|| {
        step.children_mut().into_iter().for_each(|child| replace(child, steps));
        let uses = steps[number].0.len();
        Arc::new(Shared { node: step, number, uses })
    });
    steps[number].1 = Some(Arc::clone(&found));
    *node = Node::Shared(found);
}

impl Run<'_> {
    /// Returns the rows of a shared step, which runs at its first use.
    pub(super) fn shared(&self, step: &Shared) -> Result<Deferred> {
        self.once(step, &self.shared, || self.node(&step.node))
    }

    /// Runs `work` at the first use of a shared step, and keeps the result in `kept` until the last use.
    pub(super) fn once<T: Clone>(
        &self,
        step: &Shared,
        kept: &Mutex<Vec<Option<Kept<T>>>>,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let used = |kept: &mut Option<Kept<T>>| {
            let found = kept.as_mut()?;
            found.uses_left -= 1;
            let rows = found.rows.clone();
            if found.uses_left == 0 {
                *kept = None;
            }
            Some(rows)
        };
        let known = locked(kept).get_mut(step.number).and_then(used);
        if let Some(rows) = known {
            self.pipelines_have_ended(step.node.pipelines());
            return Ok(rows);
        }
        let rows = work()?;
        let mut all = locked(kept);
        let count = all.len().max(step.number + 1);
        all.resize_with(count, || None);
        all[step.number] = Some(Kept { rows: rows.clone(), uses_left: step.uses - 1 });
        Ok(rows)
    }
}

/// Returns whether two steps are known to have the same rows. Nodes of the other kinds count as different.
fn are_same(one: &Node, other: &Node) -> bool {
    match (one, other) {
        (Node::Input(one), Node::Input(other)) => one == other,
        (Node::Resident(one), Node::Resident(other)) => same_table(one, other),
        (Node::Files(one), Node::Files(other)) => one.is_same(other.as_ref()),
        (Node::Rows(one), Node::Rows(other)) => same_rows(one, other),
        (Node::Join(one), Node::Join(other)) => same_join(one, other),
        (Node::Aggregate(one), Node::Aggregate(other)) => same_aggregate(one, other),
        _ => false,
    }
}

fn same_rows(one: &Rows, other: &Rows) -> bool {
    let same = |one: &[gdf_expr::Expr], other: &[gdf_expr::Expr]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.same(other))
    };
    one.checks.is_empty()
        && other.checks.is_empty()
        && same(&one.conditions, &other.conditions)
        && same(&one.outputs, &other.outputs)
        && are_same(&one.input, &other.input)
}

fn same_join(one: &Join, other: &Join) -> bool {
    let decisive = |join: &Join| join.decisive.as_ref().map(|of| of.is_left);
    let same_condition = match (&one.condition, &other.condition) {
        (None, None) => true,
        (Some(one), Some(other)) => one.same(other),
        _ => false,
    };
    one.kind == other.kind
        && one.on == other.on
        && one.nulls == other.nulls
        && same_condition
        && one.outputs == other.outputs
        && decisive(one) == decisive(other)
        && same_rows(&one.left, &other.left)
        && same_rows(&one.right, &other.right)
}

fn same_aggregate(one: &Aggregate, other: &Aggregate) -> bool {
    let request = |of: &Request| (of.values, of.measure, of.data_type.clone());
    let call = |of: &Call| match of.finish {
        Finish::Request(request) => (request, None, of.data_type.clone()),
        Finish::DecimalMean { sum, count, bounds } => (sum, Some((count, bounds)), of.data_type.clone()),
        Finish::CheckedSum { sum, count, bounds } => (sum, Some((count, Some(bounds))), of.data_type.clone()),
    };
    let is_plain = one.groupings.is_empty() && other.groupings.is_empty();
    is_plain
        && one.keys == other.keys
        && one.determined == other.determined
        && one.requests.iter().map(request).eq(other.requests.iter().map(request))
        && one.calls.iter().map(call).eq(other.calls.iter().map(call))
        && same_rows(&one.rows, &other.rows)
}

fn same_table(one: &Table, other: &Table) -> bool {
    one.num_rows() == other.num_rows()
        && one.num_columns() == other.num_columns()
        && one.columns().iter().zip(other.columns()).all(|(one, other)| same_column(one, other))
}

/// Returns whether two columns are the same rows of the same memory.
fn same_column(one: &Column, other: &Column) -> bool {
    let same_buffers = one.buffers().len() == other.buffers().len()
        && one.buffers().iter().zip(other.buffers()).all(|(one, other)| {
            one.same_allocation(other) && (one.offset(), one.len()) == (other.offset(), other.len())
        });
    let validity = |column: &Column| column.validity().map(|mask| (mask.offset(), mask.len()));
    let same_validity = match (one.validity(), other.validity()) {
        (Some(one), Some(other)) => one.same_allocation(other),
        (None, None) => true,
        _ => false,
    };
    one.data_type() == other.data_type()
        && (one.len(), one.offset()) == (other.len(), other.offset())
        && !one.buffers().is_empty()
        && same_buffers
        && same_validity
        && validity(one) == validity(other)
        && one.children().len() == other.children().len()
        && one.children().iter().zip(other.children()).all(|(one, other)| same_column(one, other))
}
