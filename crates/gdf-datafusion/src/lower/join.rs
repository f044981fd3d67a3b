//! Lowers joins.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::{JoinSide, JoinType, NullEquality};
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use gdf_core::same_type;
use gdf_exec::{Decisive, Join, JoinKind, Node, Rows, Source, plain_types};
use gdf_expr::Expr;

use super::Lowering;
use super::expressions::Scope;
use super::rows::{computed, parts, rows_of, too_deep};
use crate::error::Refusal;

pub(super) fn hash(lowering: &mut Lowering, of: &HashJoinExec) -> Result<Node, Refusal> {
    if of.null_aware && of.filter().is_some() {
        return Err(Refusal::variant("HashJoinExec", "a filter on a null-aware anti join (NOT IN)"));
    }
    let spec = Spec {
        node: "HashJoinExec",
        sides: [of.left(), of.right()],
        on: of.on(),
        join_type: *of.join_type(),
        is_null_aware: of.null_aware,
        nulls: of.null_equality(),
        filter: of.filter(),
        kept: of.projection.as_deref(),
    };
    let (_, is_left) = spec.kind();
    let mut join = spec.lower(lowering)?;
    if of.join_type().empty_build_side_produces_empty_result() {
        join.decisive = Some(Decisive { is_left, types: plain_types(&of.schema())? });
    }
    Ok(Node::Join(Box::new(join.without_unused_side())))
}

/// Lowers a join of sorted rows to a join by a hash table. A caller that relies on the order sorts the result.
pub(super) fn sort_merge(lowering: &mut Lowering, of: &SortMergeJoinExec) -> Result<Node, Refusal> {
    let spec = Spec {
        node: "SortMergeJoinExec",
        sides: [of.left(), of.right()],
        on: of.on(),
        join_type: of.join_type(),
        is_null_aware: false,
        nulls: of.null_equality(),
        filter: of.filter().as_ref(),
        kept: None,
    };
    Ok(Node::Join(Box::new(spec.lower(lowering)?.without_unused_side())))
}

pub(super) fn nested_loop(lowering: &mut Lowering, of: &NestedLoopJoinExec) -> Result<Node, Refusal> {
    let spec = Spec {
        node: "NestedLoopJoinExec",
        sides: [of.left(), of.right()],
        on: &[],
        join_type: *of.join_type(),
        is_null_aware: false,
        nulls: NullEquality::NullEqualsNothing,
        filter: of.filter(),
        kept: of.projection().as_deref(),
    };
    Ok(Node::Join(Box::new(spec.lower(lowering)?)))
}

pub(super) fn cross(lowering: &mut Lowering, of: &CrossJoinExec) -> Result<Node, Refusal> {
    let spec = Spec {
        node: "CrossJoinExec",
        sides: [of.left(), of.right()],
        on: &[],
        join_type: JoinType::Inner,
        is_null_aware: false,
        nulls: NullEquality::NullEqualsNothing,
        filter: None,
        kept: None,
    };
    Ok(Node::Join(Box::new(spec.lower(lowering)?)))
}

/// A join of DataFusion. DataFusion builds the hash table from the left side.
struct Spec<'a> {
    node: &'static str,
    sides: [&'a Arc<dyn ExecutionPlan>; 2],
    on: &'a [(PhysicalExprRef, PhysicalExprRef)],
    join_type: JoinType,
    is_null_aware: bool,
    nulls: NullEquality,
    filter: Option<&'a JoinFilter>,
    kept: Option<&'a [usize]>,
}

impl Spec<'_> {
    /// Returns the kind, and whether the left side of DataFusion is the left side of gdf.
    ///
    /// For a left or right join, the left side of gdf is the side whose rows are all in the result. For a semi, anti or
    /// mark join, it is the side whose rows the join returns. For other joins, it is DataFusion's right side, because
    /// DataFusion keeps the order of that side.
    fn kind(&self) -> (JoinKind, bool) {
        match self.join_type {
            JoinType::Inner => (JoinKind::Inner, false),
            JoinType::Left => (JoinKind::Left, true),
            JoinType::Right => (JoinKind::Left, false),
            JoinType::Full => (JoinKind::Full, false),
            JoinType::LeftSemi => (JoinKind::Semi, true),
            JoinType::RightSemi => (JoinKind::Semi, false),
            JoinType::LeftAnti if self.is_null_aware => (JoinKind::NullAwareAnti, true),
            JoinType::LeftAnti => (JoinKind::Anti, true),
            JoinType::RightAnti => (JoinKind::Anti, false),
            JoinType::LeftMark => (JoinKind::Mark, true),
            JoinType::RightMark => (JoinKind::Mark, false),
        }
    }

    fn lower(&self, lowering: &mut Lowering) -> Result<Join, Refusal> {
        let (kind, keeps_sides) = self.kind();
        let widths = self.sides.map(|side| side.schema().fields().len());
        // The keys are lowered before an input is added, because a key may be refused.
        let mut keys = Vec::with_capacity(2);
        for side in 0..2 {
            let schema = self.sides[side].schema();
            let mut scope = Scope::new(&schema, &mut lowering.subqueries)?;
            let of_side =
                |(left, right): &(PhysicalExprRef, PhysicalExprRef)| scope.lower(if side == 0 { left } else { right });
            let lowered = self.on.iter().map(of_side).collect::<Result<Vec<_>, _>>()?;
            keys.push((lowered, scope.into_calls()));
        }
        for (left, right) in keys[0].0.iter().zip(&keys[1].0) {
            let (left, right) = (&left.data_type, &right.data_type);
            if !same_type(left, right) {
                return Err(Refusal::variant(self.node, format!("keys of the types {left} and {right}, which differ")));
            }
        }
        let mut rows = Vec::with_capacity(2);
        let mut on = Vec::with_capacity(2);
        for (side, (keys, calls)) in self.sides.iter().zip(keys) {
            let mut of_side = rows_of(lowering, side)?;
            let (keys, checks) = parts(computed(&mut of_side, &calls, keys)?);
            on.push(of_side.append(&keys, &checks).map_err(too_deep)?);
            rows.push(of_side);
        }
        let condition = self.filter.map(|filter| self.condition(lowering, filter, &rows, keeps_sides)).transpose()?;
        lowering.is_worthwhile = true;
        let side = |is_left: bool, at: usize| if is_left == keeps_sides { Source::Left(at) } else { Source::Right(at) };
        let all: Vec<Source> = match kind {
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => {
                (0..widths[0]).map(|at| side(true, at)).chain((0..widths[1]).map(|at| side(false, at))).collect()
            }
            JoinKind::Semi | JoinKind::Anti | JoinKind::NullAwareAnti | JoinKind::Mark => {
                let width = if keeps_sides { widths[0] } else { widths[1] };
                let mark = (kind == JoinKind::Mark).then_some(Source::Mark);
                (0..width).map(Source::Left).chain(mark).collect()
            }
        };
        let outputs = match self.kept {
            None => all,
            Some(kept) => {
                let output = |at: &usize| all.get(*at).copied();
                let outputs: Option<Vec<Source>> = kept.iter().map(output).collect();
                outputs.ok_or_else(|| {
                    Refusal::variant(self.node, "a projection of a column that the join does not have")
                })?
            }
        };
        let mut sides: Vec<(Rows, Vec<usize>)> = rows.into_iter().zip(on).collect();
        if !keeps_sides {
            sides.reverse();
        }
        let mut sides = sides.into_iter();
        let (Some((left, left_on)), Some((right, right_on))) = (sides.next(), sides.next()) else {
            return Err(Refusal::variant(self.node, "fewer than 2 inputs"));
        };
        let nulls = match self.nulls {
            NullEquality::NullEqualsNothing => gdf_api::join::NullEquality::Unequal,
            NullEquality::NullEqualsNull => gdf_api::join::NullEquality::Equal,
        };
        Ok(Join { left, right, kind, on: (left_on, right_on), nulls, condition, outputs, decisive: None })
    }

    /// Lowers a condition over the columns of gdf's left side, followed by the columns of gdf's right side.
    fn condition(
        &self,
        lowering: &mut Lowering,
        filter: &JoinFilter,
        rows: &[Rows],
        keeps_sides: bool,
    ) -> Result<Expr, Refusal> {
        let types_of = |side: usize| {
            let mut types = plain_types(&self.sides[side].schema())?;
            // After the columns of a side, the outputs have the keys. Conditions do not read these outputs, so their
            // type does not matter.
            types.resize(rows[side].outputs.len(), DataType::Boolean);
            Ok::<_, Refusal>(types)
        };
        let (first, second) = if keeps_sides { (0, 1) } else { (1, 0) };
        let (mut types, further) = (types_of(first)?, types_of(second)?);
        let start = types.len();
        types.extend(further);
        let position = |column: &datafusion::physical_plan::joins::utils::ColumnIndex| match column.side {
            JoinSide::Left => Ok(column.index + if keeps_sides { 0 } else { start }),
            JoinSide::Right => Ok(column.index + if keeps_sides { start } else { 0 }),
            JoinSide::None => Err(Refusal::variant(self.node, "a filter that reads the mark column")),
        };
        let positions = filter.column_indices().iter().map(position).collect::<Result<Vec<_>, _>>()?;
        let mut scope = Scope::at(filter.schema(), types, positions, &mut lowering.subqueries);
        let condition = scope.lower(filter.expression())?;
        match (condition.checks.is_empty(), scope.into_calls().is_empty()) {
            (true, true) => Ok(condition.value),
            (false, _) => {
                Err(Refusal::variant(self.node, "a filter that can return an error, such as a division by zero"))
            }
            (true, false) => Err(Refusal::variant(
                self.node,
                "a filter that calls a function that gdf can only compute for whole columns",
            )),
        }
    }
}
