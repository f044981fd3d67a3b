//! Upper bounds of the bytes that a step needs, computed before the step starts.
//!
//! A bound includes the inputs of the step, because they cannot be spilled while the step uses them. Expressions that
//! compute text or lists have no bound, since their results can have any length.

use gdf_core::Result;
use gdf_external::JoinKind as Kind;
use gdf_external::bounds::{self, Shape, Values};

use super::conditional::Conditional;
use super::needed::Needed;
use super::{Plan, Rows, Step, key_types};
use crate::columns::Columns;
use crate::expr::{Aggregation, Expr, Leaf, distinct_leaves};
use crate::join::JoinKind;
use crate::selector::Selector;

/// Bytes, or `None` if there is no bound.
type Bound = Option<usize>;

fn sum(parts: impl IntoIterator<Item = usize>) -> usize {
    parts.into_iter().fold(0, usize::saturating_add)
}

impl Rows {
    fn shape(&self, values: &[gdf_expr::Expr]) -> Option<Values> {
        let (mut graph, table) = (self.graph(), self.source().table());
        let roots = values.iter().map(|value| graph.bind(value).ok()).collect::<Option<Vec<_>>>()?;
        Values::of_nodes(&graph, &roots, table.num_rows(), |column| table.column(column).ok().map(Shape::of_column))
    }

    fn shape_of<'e>(&self, expressions: impl IntoIterator<Item = &'e Expr>) -> Option<Values> {
        let expressions: Vec<Expr> = expressions.into_iter().cloned().collect();
        let expanded = self.expanded(&expressions).ok()?.into_owned();
        let values = expanded.iter().map(|value| self.over_source(value)).collect::<Option<Vec<_>>>()?;
        self.shape(&values)
    }

    fn compute_bound(&self) -> Bound {
        if !self.is_filtered() && self.has_only_columns() {
            return Some(0);
        }
        self.values_bound(&self.shape(&self.values())?)
    }

    fn values_bound(&self, values: &Values) -> Bound {
        let conditions = if self.is_filtered() { Some(self.shape(self.conditions())?) } else { None };
        Some(bounds::pipeline(conditions.as_ref(), values))
    }

    fn leaves_bound(&self, expressions: &[Expr]) -> Bound {
        let expanded = self.expanded(expressions).ok()?.into_owned();
        if !distinct_leaves(&expanded, Leaf::elements).is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        let aggregates = distinct_leaves(&expanded, Leaf::aggregate);
        if !aggregates.is_empty() {
            let values = self.shape_of(aggregates.iter().filter_map(|of| of.values.as_ref()))?;
            parts.push(self.values_bound(&values)?);
            if aggregates.iter().any(|of| is_ordered(of.function)) {
                parts.push(bounds::window(&values.outputs, &values.outputs, aggregates.len()));
            }
        }
        for window in distinct_leaves(&expanded, Leaf::window) {
            let (keys, values) = (self.shape_of(&window.keys)?, self.shape_of(&window.values)?);
            parts.push(bounds::window(&keys.outputs, &values.outputs, 1));
            parts.push(self.compute_bound()?);
            parts.push(sum([self.values_bound(&keys)?, self.values_bound(&values)?]));
        }
        Some(sum(parts))
    }

    fn positions_shape(&self, subset: &Selector) -> Option<Values> {
        let positions = self.positions(subset).ok()?;
        self.shape(&positions.into_iter().map(|position| self.value(position)).collect::<Vec<_>>())
    }

    /// Returns three shapes: those of the left columns and of the right columns that the condition of a join reads, and
    /// that of the values within the condition.
    fn condition_shapes(&self, right: &Rows, join: &crate::join::Join, condition: &Expr) -> Option<[Shape; 3]> {
        let keys = |rows: &Rows, of: &mut dyn Iterator<Item = &Expr>| -> Option<Vec<gdf_expr::Expr>> {
            of.map(|key| rows.over_source(key)).collect()
        };
        let left_keys = keys(self, &mut join.keys.iter().map(|(key, _)| key))?;
        let right_keys = keys(right, &mut join.keys.iter().map(|(_, key)| key))?;
        let of = Conditional::new(self, right, [&left_keys, &right_keys], (join, condition), &Needed::All).ok()?;
        let columns = of.columns();
        let types = columns.iter().map(|(is_left, value)| if *is_left { self } else { right }.type_of(value));
        let mut graph = gdf_expr::Graph::new(types.map(|of| of.map(gdf_expr::Input::new)).collect::<Result<_>>().ok()?);
        let root = graph.bind(&of.condition).ok()?;
        let inner = Values::of_nodes(&graph, &[root], 0, |_| Some(Shape::default()))?.inner;
        let [mut left_read, mut right_read] =
            [self, right].map(|rows| Shape::of_rows(rows.source().table().num_rows()));
        for column in graph.columns(&[root]) {
            let (is_left, value) = columns.get(column)?;
            let (rows, read) = if *is_left { (self, &mut left_read) } else { (right, &mut right_read) };
            *read = read.beside(rows.shape(std::slice::from_ref(value))?.outputs);
        }
        Some([left_read, right_read, inner])
    }

    fn join_bound(&self, right: &Columns, join: &crate::join::Join) -> Bound {
        let right = Rows::new(right.clone());
        // The bound does not count casts of keys.
        if key_types::differ(self, &right, join) {
            return None;
        }
        let (left_keys, right_keys) = (
            self.shape_of(join.keys.iter().map(|(key, _)| key))?,
            right.shape_of(join.keys.iter().map(|(_, key)| key))?,
        );
        let (left, other) = (self.shape(&self.values())?, right.shape(&right.values())?);
        let with_keys = |values: Values, keys: Values| values.outputs.beside(keys.outputs);
        let (left_side, right_side) = (with_keys(left, left_keys), with_keys(other, right_keys));
        let unique = join.validate.right();
        let (kind, is_exchanged) = match join.kind {
            JoinKind::Inner => (Kind::Inner, false),
            JoinKind::Left => (Kind::Left, false),
            JoinKind::Right => (Kind::Left, true),
            JoinKind::Full => (Kind::Full, false),
            JoinKind::Semi => (Kind::Semi, false),
            JoinKind::Anti => (Kind::Anti, false),
        };
        let (sides, is_unique) = match is_exchanged {
            true => ([&right_side, &left_side], join.validate.left()),
            false => ([&left_side, &right_side], unique),
        };
        let found = match &join.condition {
            None => bounds::join(sides[0], sides[1], kind, is_unique),
            Some(condition) => {
                let [left_read, right_read, inner] = self.condition_shapes(&right, join, condition)?;
                let read = if is_exchanged { [&right_read, &left_read] } else { [&left_read, &right_read] };
                // In a full join, the keys of both sides become one column.
                let filled = left_side.beside(right_side);
                let keys = if kind == Kind::Full { filled.bytes().saturating_mul(2) } else { 0 };
                let shapes = [read[0], read[1], &inner];
                bounds::join_where(sides, shapes, kind, (!join.keys.is_empty(), is_unique)).saturating_add(keys)
            }
        };
        let checks = match join.validate.left() || unique {
            true => bounds::distinct(&left_keys.outputs, &left_keys.outputs)
                .saturating_add(bounds::distinct(&right_keys.outputs, &right_keys.outputs)),
            false => 0,
        };
        let values = sum([self.values_bound(&left)?, self.values_bound(&left_keys)?]);
        let others = sum([right.values_bound(&other)?, right.values_bound(&right_keys)?]);
        Some(sum([found, checks, values, others]))
    }

    fn group_bound(&self, keys: &[Expr], values: &[Expr]) -> Bound {
        let outputs = self.expanded(values).ok()?.into_owned();
        let aggregates = distinct_leaves(&outputs, Leaf::aggregate);
        let keys = self.shape_of(keys)?;
        let values = self.shape_of(aggregates.iter().filter_map(|of| of.values.as_ref()))?;
        let groups = bounds::group_by(&keys.outputs, &values.outputs, aggregates.len().max(1));
        let ordered = match aggregates.iter().any(|of| is_ordered(of.function)) {
            true => bounds::window(&keys.outputs, &values.outputs, aggregates.len()),
            false => 0,
        };
        let rows = self.source().table().num_rows();
        let means = bounds::project(&Shape::of_values(rows, 32 * aggregates.len()), &Shape::of_rows(rows));
        Some(sum([groups, ordered, means, self.values_bound(&keys)?, self.values_bound(&values)?]))
    }
}

/// Returns whether an aggregation may order the values of each group.
fn is_ordered(function: Aggregation) -> bool {
    !matches!(
        function,
        Aggregation::Len
            | Aggregation::Sum
            | Aggregation::Min
            | Aggregation::Max
            | Aggregation::Mean
            | Aggregation::Count
    )
}

impl Plan {
    pub(super) fn input_bytes(rows: &Rows, inputs: &[Columns]) -> usize {
        let others = inputs.iter().map(|columns| columns.table().alloc_size());
        sum(others.chain([rows.source().table().alloc_size()]))
    }
}

impl Step {
    /// Returns the bound of applying the step to all rows at once. The bound includes the source and `inputs`, the
    /// results of the step's other inputs. The bound is 0 if the step computes nothing.
    pub(super) fn bound(&self, rows: &Rows, inputs: &[Columns]) -> Bound {
        let own = match self {
            Step::Rename(_) | Step::Drop(_) => Some(0),
            Step::Filter(condition) => rows.leaves_bound(std::slice::from_ref(condition)),
            Step::Select(outputs) | Step::With(outputs) => rows.leaves_bound(outputs),
            Step::Aggregate(grouping) => rows.group_bound(&grouping.keys, &grouping.values),
            Step::Rolling(rolled) => {
                let aggregates = distinct_leaves(&rolled.grouping.values, Leaf::aggregate);
                let values = rows.shape_of(aggregates.iter().filter_map(|of| of.values.as_ref()))?;
                let keys = rows.shape_of(&rolled.grouping.keys)?;
                let windows = bounds::window(&keys.outputs, &values.outputs, aggregates.len());
                let groups = rows.group_bound(&rolled.grouping.keys, &rolled.grouping.values)?;
                Some(sum([windows, groups]))
            }
            Step::Sort { keys, .. } => {
                let keys_shape = rows.shape_of(keys.iter().map(|key| &key.values))?;
                let values = rows.shape(&rows.values())?;
                let sorted = bounds::sort(&keys_shape.outputs, &values.outputs);
                let windows = rows.leaves_bound(&keys.iter().map(|key| key.values.clone()).collect::<Vec<_>>())?;
                Some(sum([sorted, windows, rows.values_bound(&keys_shape)?, rows.values_bound(&values)?]))
            }
            Step::Slice { .. } | Step::Tail(_) => rows.compute_bound(),
            Step::Distinct { subset, .. } => {
                let (keys, values) = (rows.positions_shape(subset)?, rows.shape(&rows.values())?);
                Some(sum([bounds::distinct(&keys.outputs, &values.outputs), rows.compute_bound()?]))
            }
            Step::DropNulls(_) => {
                let values = rows.shape(&rows.values())?;
                Some(sum([bounds::filter(&values.outputs), rows.compute_bound()?]))
            }
            Step::Reverse => {
                let values = rows.shape(&rows.values())?;
                Some(sum([bounds::filter(&values.outputs), rows.compute_bound()?]))
            }
            Step::Explode(name) => {
                let list = rows.shape(&[rows.value_of(name).ok()?])?;
                // The elements are at most the rows of the child of the list column. Each null or empty list adds one
                // row.
                let elements = rows.elements(name)?;
                let others = rows.shape(&rows.values())?;
                let compute = rows.compute_bound()?;
                Some(sum([bounds::explode(&others.outputs, &elements), list.outputs.bytes(), compute]))
            }
            Step::Join(join) => rows.join_bound(inputs.first()?, &join.1),
            Step::Concat(_) => {
                let own = rows.shape(&rows.values())?.outputs;
                let whole = inputs.iter().map(|columns| Shape::of(columns.table())).fold(own, Shape::above);
                Some(sum([bounds::concatenate(&whole), rows.compute_bound()?]))
            }
            Step::Whole(whole) => {
                let values = rows.shape(&rows.values())?;
                Some(sum([whole.bound(&values.outputs, inputs)?, rows.compute_bound()?]))
            }
        };
        match own? {
            0 => Some(0),
            own => Some(own.saturating_add(Plan::input_bytes(rows, inputs))),
        }
    }
}

impl Rows {
    /// Returns the bound of computing the rows. The bound includes the source, and is 0 if there is nothing to compute.
    pub(super) fn result_bound(&self) -> Bound {
        match self.compute_bound()? {
            0 => Some(0),
            own => Some(own.saturating_add(Plan::input_bytes(self, &[]))),
        }
    }

    fn elements(&self, name: &str) -> Option<Shape> {
        let value = self.value_of(name).ok()?;
        let gdf_expr::ExprKind::Column(position) = value.kind() else { return None };
        self.source().table().column(*position).ok()?.children().first().map(Shape::of_column)
    }
}
