//! Lowers joins.

use gdf_api::dictionary::decode;
use gdf_core::{DataType, Error, Result, Table};
use gdf_exec::{Join as JoinNode, JoinKind as Kind, Needs, Node, Source};
use gdf_expr::types::decoded_type;

use super::functions::of_pieces;
use super::{Lowered, Runner, mapped, without_rows};
use crate::columns::Columns;
use crate::join::{Join, JoinKind};
use crate::plan::conditional::{Conditional, filled};
use crate::plan::join::{LEFT_NOT_DISTINCT, RIGHT_NOT_DISTINCT, Sides, check_distinct, check_keys};
use crate::plan::key_types::Unified;
use crate::plan::needed::Needed;
use crate::plan::{Rows, Step};

impl Lowered {
    /// Joins the rows with the rows of the right side. `step` is the verb.
    pub(super) fn join(
        &mut self,
        mut right: Lowered,
        step: &Step,
        join: &Join,
        after: &Needed,
        run: &Runner<'_>,
    ) -> Result<()> {
        check_keys(join)?;
        // The rows of a side whose keys are checked are read twice.
        for (side, is_checked) in [(&mut *self, join.validate.left()), (&mut right, join.validate.right())] {
            if is_checked && !side.is_source {
                side.materialize(run)?;
            }
        }
        let mut bound = Rows::new(self.columns()?);
        step.run_with(&mut bound, &[right.columns()?], after)?;
        let found = without_rows(&bound.into_columns()?)?;

        let unified = Unified::new(&self.rows, &right.rows, join)?;
        unified.left.apply(&mut self.rows)?;
        unified.right.apply(&mut right.rows)?;
        let join = &*unified.join;
        let is_prepared = self.prepare(join.keys.iter().map(|(left, _)| left), run)?
            && right.prepare(join.keys.iter().map(|(_, right)| right), run)?;
        if !is_prepared {
            return self.verb(step, Needs::All, vec![right.collect(run)?], after);
        }
        let left_keys = self.rows.resolve_all(join.keys.iter().map(|(left, _)| left))?;
        let right_keys = right.rows.resolve_all(join.keys.iter().map(|(_, right)| right))?;
        if join.validate.right() {
            check_distinct(&right.values(&right_keys, run)?, RIGHT_NOT_DISTINCT)?;
        }
        if join.validate.left() {
            check_distinct(&self.values(&left_keys, run)?, LEFT_NOT_DISTINCT)?;
        }
        let keys = [&*left_keys, &*right_keys];
        let node = match &join.condition {
            None => self.join_by_keys(&right, keys, join, &found, after)?,
            Some(condition) => {
                let of = Conditional::new(&self.rows, &right.rows, keys, (join, condition), after)?;
                of.check(&self.rows, &right.rows, condition)?;
                if of.has_digits() {
                    // The ranges of all rows tell whether the decimals of the condition fit.
                    return self.verb(step, Needs::All, vec![right.collect(run)?], after);
                }
                self.join_where(&right, of, join)?
            }
        };
        self.set_node(node, found);
        Ok(())
    }

    fn values(&self, values: &[gdf_expr::Expr], run: &Runner<'_>) -> Result<Table> {
        run.whole(Node::Rows(Box::new(self.rows_with(values)?)))
    }

    /// Returns a join by equal keys, whose columns are those of `found`. Keys of dictionaries are decoded.
    fn join_by_keys(
        &self,
        right: &Lowered,
        keys: [&[gdf_expr::Expr]; 2],
        join: &Join,
        found: &Columns,
        after: &Needed,
    ) -> Result<Node> {
        let sides = Sides::new(&self.rows, &right.rows, keys, join, after)?;
        let left_rows = self.decoded(&sides.left, &sides.left_on)?;
        let right_rows = right.decoded(&sides.right, &sides.right_on)?;
        let further = sides.right_on.len()..sides.right.len();
        let key_of = |position: usize| sides.left_on.iter().position(|on| *on == position);
        let of_left = |position: usize| match key_of(position) {
            Some(key) if join.kind == JoinKind::Right => Source::Left(key),
            _ if join.kind == JoinKind::Right => Source::Right(position),
            _ => Source::Left(position),
        };
        let of_right = |position: usize| match join.kind {
            JoinKind::Right => Source::Left(position),
            _ => Source::Right(position),
        };
        let mut outputs: Vec<Source> = (0..sides.width).map(of_left).collect();
        if !matches!(join.kind, JoinKind::Semi | JoinKind::Anti) {
            outputs.extend(further.map(of_right));
        }
        let width = outputs.len();
        let mut fills = Vec::new();
        if join.kind == JoinKind::Full {
            for position in 0..sides.width {
                if let Some(key) = key_of(position) {
                    fills.push((position, outputs.len()));
                    outputs.push(Source::Right(key));
                }
            }
        }
        let on = (sides.left_on.clone(), sides.right_on.clone());
        let node = node((left_rows, right_rows), on, join, None, outputs);
        if found.len() != width {
            return Err(Error::internal("a join has other columns than the join without rows"));
        }
        if fills.is_empty() {
            return Ok(node);
        }
        Ok(mapped(node, of_pieces("keys of a full join", move |rows| with_keys(rows, &fills, width))))
    }

    /// Returns a join by a condition.
    fn join_where(&self, right: &Lowered, of: Conditional, join: &Join) -> Result<Node> {
        let (left_rows, right_rows) = (self.rows_with(&of.sides.left)?, right.rows_with(&of.sides.right)?);
        let mut outputs: Vec<Source> = match join.kind {
            JoinKind::Right => (0..of.sides.right.len()).map(Source::Left).collect(),
            _ => (0..of.sides.left.len()).map(Source::Left).collect(),
        };
        match join.kind {
            JoinKind::Right => outputs.extend((0..of.sides.left.len()).map(Source::Right)),
            JoinKind::Semi | JoinKind::Anti => {}
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => {
                outputs.extend((0..of.sides.right.len()).map(Source::Right));
            }
        }
        let on = (of.sides.left_on.clone(), of.sides.right_on.clone());
        let condition = Some(of.condition.clone());
        let node = node((left_rows, right_rows), on, join, condition, outputs);
        Ok(mapped(node, of_pieces("columns of a join", move |rows| of.columns_of_result(rows))))
    }

    /// Returns values, of which those at `positions` are decoded.
    fn decoded(&self, values: &[gdf_expr::Expr], positions: &[usize]) -> Result<gdf_exec::Rows> {
        let rows = self.rows_with(values)?;
        let types = positions.iter().map(|at| self.rows.type_of(&values[*at])).collect::<Result<Vec<_>>>()?;
        if types.iter().all(|data_type| decoded_type(data_type) == data_type) {
            return Ok(rows);
        }
        let positions = positions.to_vec();
        let function = of_pieces("decoded keys", move |rows| decoded(rows, &positions));
        let node = mapped(Node::Rows(Box::new(rows)), function);
        Ok(gdf_exec::Rows::all(node, values.len()))
    }
}

/// Returns the node of a join. A right join is a left join with exchanged sides.
fn node(
    (left, right): (gdf_exec::Rows, gdf_exec::Rows),
    on: (Vec<usize>, Vec<usize>),
    join: &Join,
    condition: Option<gdf_expr::Expr>,
    outputs: Vec<Source>,
) -> Node {
    let kind = match join.kind {
        JoinKind::Inner => Kind::Inner,
        JoinKind::Left | JoinKind::Right => Kind::Left,
        JoinKind::Full => Kind::Full,
        JoinKind::Semi => Kind::Semi,
        JoinKind::Anti => Kind::Anti,
    };
    let (left, right, on) = match join.kind {
        JoinKind::Right => (right, left, (on.1, on.0)),
        _ => (left, right, on),
    };
    let nulls = join.nulls();
    Node::Join(Box::new(JoinNode { left, right, kind, on, nulls, condition, outputs, decisive: None }))
}

/// Fills the keys of rows of the right side without a match into the key columns, and returns the first `width` columns.
/// `fills` has the positions of the key columns, and of the keys of the right side.
fn with_keys(rows: Table, fills: &[(usize, usize)], width: usize) -> Result<Table> {
    let count = rows.num_rows();
    let mut columns = rows.into_columns();
    for (own, key) in fills {
        columns[*own] = filled(&columns[*own], &columns[*key])?;
    }
    columns.truncate(width);
    Table::try_with_rows(columns, count)
}

/// Decodes the columns at these positions.
fn decoded(rows: Table, positions: &[usize]) -> Result<Table> {
    let count = rows.num_rows();
    let mut columns = rows.into_columns();
    for position in positions {
        if matches!(columns[*position].data_type(), DataType::Dictionary(..)) {
            columns[*position] = decode(&columns[*position])?;
        }
    }
    Table::try_with_rows(columns, count)
}
