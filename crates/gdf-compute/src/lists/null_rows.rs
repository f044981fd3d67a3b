//! The null rows of columns of every type. Unions and run-end encoded columns have no mask of their own: a row is null
//! if its field or the value of its run is null.

use gdf_core::{Column, ColumnView, DataType, Result, RunsView};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::check;
use gdf_engine::choose::replace_null_rows;
use gdf_engine::null_rows::{null_rows, valid_rows};
use gdf_engine::sequence::constant;

use super::composite::runs_of_rows;
use super::copies::gather_column;
use super::unions::union_field;
use crate::Ctx;
use crate::vouch;

/// Returns whether each row is null.
///
/// Implements `gdf_api::unary::is_null` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn is_null(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    states(column, NullState::Null, ctx)
}

/// Returns whether each row is not null.
///
/// Implements `gdf_api::unary::is_valid` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn is_valid(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    states(column, NullState::Valid, ctx)
}

/// The state of a row that is reported as true.
#[derive(Clone, Copy)]
enum NullState {
    Null,
    Valid,
}

/// Returns whether each row has the wanted state.
fn states(column: ColumnView<'_>, wanted: NullState, ctx: Ctx<'_>) -> Result<Column> {
    match column.data_type() {
        DataType::RunEndEncoded(..) => {
            check::column(column, ctx)?;
            let of_values = states(RunsView::try_from(column)?.values(), wanted, ctx.scratch())?;
            let rows = runs_of_rows(&column.to_column(), ctx.scratch())?;
            gather_column(of_values.view(), rows.view(), ctx)
        }
        DataType::Union(fields, mode) => {
            check::column(column, ctx)?;
            let scratch = ctx.scratch();
            let mut parts = column.to_column().into_parts();
            let children = parts.children.iter().map(|child| states(child.view(), wanted, scratch));
            parts.children = children.collect::<Result<_>>()?;
            let flags = fields.iter().map(|(id, field)| {
                (id, field.as_ref().clone().with_data_type(DataType::Boolean).with_nullable(true).into())
            });
            parts.data_type = DataType::Union(flags.collect(), *mode);
            let flags = vouch::result(parts)?;
            let mut any: Option<Column> = None;
            for (at, (id, _)) in fields.iter().enumerate() {
                let own = union_field(flags.view(), id, scratch)?;
                let ctx = if at + 1 == fields.len() { ctx } else { scratch };
                any = Some(match any {
                    None => replace_null_rows(own.view(), false.into(), ctx)?,
                    Some(any) => {
                        let own = replace_null_rows(own.view(), false.into(), scratch)?;
                        of(&any, Op::LogicalOr, (&own).into(), &DataType::Boolean, ctx)?
                    }
                });
            }
            any.map_or_else(|| constant(false.into(), column.len(), ctx), Ok)
        }
        _ => match wanted {
            NullState::Null => null_rows(column, ctx),
            NullState::Valid => valid_rows(column, ctx),
        },
    }
}
