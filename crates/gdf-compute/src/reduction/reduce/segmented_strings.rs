//! The smallest or largest string of each segment.
//!
//! The operation is composed of other operations and has no kernel of its own. Each row has a window from the begin of
//! its segment to the row. The result of a segment is the result of the window of its last row.

use gdf_core::{Column, ColumnView, DataType, Literal, Operand, Result, TableView};
use gdf_engine::cast::cast;
use gdf_engine::sequence::sequence;
use gdf_engine::windows::{Aggregate, Operation, Outcome, StoredRows, WindowBound, Windows, aggregate};

use super::segmented_reduce;
use super::{NullPolicy, ReduceAggregation};
use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, binary_operation};
use crate::copying::{OutOfBoundsPolicy, copy_if_else, gather};
use crate::search::upper_bound;
use crate::vouch::gather_column;

/// Computes one row for each segment.
pub(super) fn extremes(
    column: ColumnView<'_>,
    offsets: ColumnView<'_>,
    operation: Operation,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (scratch, long, boolean) = (ctx.scratch(), &DataType::Int64, &DataType::Boolean);
    // `segmented_reduce` also returns an error if `offsets` are not valid offsets.
    let counts = segmented_reduce(column, offsets, ReduceAggregation::CountValid, long, NullPolicy::Exclude, scratch)?;
    if counts.is_empty() || column.is_empty() {
        return Column::nulls_on(column.data_type(), counts.len(), ctx.stream, ctx.mr.output);
    }
    let of = |lhs: &Column, op, rhs: Operand<'_>, to| binary_operation(lhs.into(), rhs, op, to, scratch);
    let at = |rows: &Column, positions: &Column| gather_column(rows.view(), positions.view(), scratch);
    let offsets = cast(offsets, long, scratch)?;
    let rows = sequence(0_i64.into(), 1_i64.into(), column.len(), scratch)?;
    let (haystack, rows) = (TableView::try_new(vec![offsets.view()])?, TableView::try_new(vec![rows.view()])?);
    // Rows before the first segment and after the last segment also have windows, but no result uses them.
    let segment = upper_bound(&haystack, &rows, &[], &[], scratch)?;
    let segment = of(&cast(segment.view(), long, scratch)?, Op::Sub, 1_i64.into(), long)?;
    let first = at(&offsets, &of(&segment, Op::NullMax, 0_i64.into(), long)?)?;
    let windows = Windows::new(column.len(), i64::MAX, 0).within(Some((WindowBound::First, first.view())), None);
    let (stored, outcome) = (StoredRows::Strings, Outcome::Value);
    let best = Aggregate { stored, operation, outcome, ddof: 0, min_periods: 0 };
    let best = aggregate(column, &windows, &best, long, scratch)?;
    let (begins, ends) = (offsets.slice(0, counts.len())?, offsets.slice(1, counts.len())?);
    let last = of(&of(&ends, Op::Sub, 1_i64.into(), long)?, Op::NullMax, 0_i64.into(), long)?;
    let found = if null_policy == NullPolicy::Include {
        let sizes = of(&ends, Op::Sub, (&begins).into(), long)?;
        let whole = of(&counts, Op::Equal, (&sizes).into(), boolean)?;
        of(&whole, Op::LogicalAnd, (&of(&sizes, Op::Greater, 0_i64.into(), boolean)?).into(), boolean)?
    } else {
        of(&counts, Op::Greater, 0_i64.into(), boolean)?
    };
    let best = copy_if_else((&at(&best, &last)?).into(), Literal::null(long).into(), found.view(), scratch)?;
    let result = gather(TableView::try_new(vec![column])?, best.view(), OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(result.column(0)?.clone())
}
