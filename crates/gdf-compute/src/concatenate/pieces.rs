//! Concatenates parts of columns and repetitions of values, of any type.

use gdf_core::{Column, ColumnView, Result};
use gdf_engine::rows::{self, Piece, every_row, first_row_repeated};

use super::{concatenate_columns, shares_encoded};
use crate::Ctx;
use crate::lists::{copy_affine_column, has_composite, may_share_values};

/// Concatenates at most 32 pieces, which have the type of `like`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub(crate) fn concatenate_pieces(
    operation: &'static str,
    like: ColumnView<'_>,
    pieces: &[Piece<'_>],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let is_shared = |piece: &Piece<'_>| match piece {
        Piece::Rows(view) => shares_encoded(like.column(), view.column()),
        // A null has no value.
        Piece::Repeated(scalar, _) => {
            scalar.view().known_null_count() == Some(1) || shares_encoded(like.column(), scalar.view().column())
        }
    };
    if !has_composite(like.data_type()) && pieces.iter().all(is_shared) {
        return rows::join_pieces(operation, like, pieces, ctx);
    }
    let copied = |piece: &Piece<'_>, ctx: Ctx<'_>| {
        let (view, rows) = match piece {
            Piece::Rows(view) => (*view, every_row(view.len())?),
            Piece::Repeated(scalar, times) => (scalar.view(), first_row_repeated(*times)?),
        };
        copy_affine_column(operation, view, rows, ctx)
    };
    let has_rows = |piece: &&Piece<'_>| match piece {
        Piece::Rows(view) => !view.is_empty(),
        Piece::Repeated(_, times) => *times > 0,
    };
    match pieces.iter().filter(has_rows).collect::<Vec<_>>()[..] {
        [] => copied(&Piece::Rows(like.slice(0, 0)?), ctx),
        [piece] => copied(piece, ctx),
        ref pieces => {
            let of_values = if may_share_values(like.data_type()) { ctx } else { ctx.scratch() };
            let columns = pieces.iter().map(|piece| match piece {
                Piece::Rows(view) => Ok(view.to_column()),
                Piece::Repeated(..) => copied(piece, of_values),
            });
            let columns = columns.collect::<Result<Vec<_>>>()?;
            concatenate_columns(&columns.iter().map(Column::view).collect::<Vec<_>>(), ctx)
        }
    }
}
