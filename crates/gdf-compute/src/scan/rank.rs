//! `rank`: the ranks of sorted rows, composed of comparisons of neighboring rows, scans and a gather.

use gdf_core::{Column, DataType, Error, Operand, Result, TableView, is_floating};
use gdf_engine::binary::{BinaryOperator as Op, binary};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::decoded::Decoded;
use gdf_engine::keys::row_indices;
use gdf_engine::nans::is_nan;
use gdf_engine::rows::join_columns;

use super::runs::Runs;
use crate::Ctx;

/// The rank that equal rows get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum RankMethod {
    /// The number of the row in sorted order, counted from 1. Equal rows thus get different ranks.
    First,
    /// The mean of the row numbers of the equal rows.
    Average,
    /// The smallest of the row numbers of the equal rows.
    #[default]
    Min,
    /// The largest of the row numbers of the equal rows.
    Max,
    /// One more than the rank of the next smaller rows. The number of equal rows does not matter.
    Dense,
}

/// Whether ranks become fractions from 0 to 1, and by which formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum RankPercentage {
    /// Ranks are not shares. The first rank is 1.
    #[default]
    None,
    /// Rank `r` becomes `r / n`. The number `n` is the number of ranked rows or, for [`Dense`](RankMethod::Dense), the
    /// number of different rows.
    ZeroNormalized,
    /// Rank `r` becomes `(r − 1) / (n − 1)`, with the `n` of [`ZeroNormalized`](Self::ZeroNormalized). If `n` is 1, the
    /// result is 0.
    OneNormalized,
}

/// Implements `gdf_api::scan::rank` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn rank(table: TableView<'_>, method: RankMethod, percentage: RankPercentage, ctx: Ctx<'_>) -> Result<Column> {
    check::table(&table, ctx)?;
    let rows = table.num_rows();
    if table.num_columns() == 0 {
        return Err(
            Error::invalid_argument("the table has no columns to sort by; pass at least 1 column").in_argument("table")
        );
    }
    let shares = percentage != RankPercentage::None;
    let output_type = if shares || method == RankMethod::Average { DataType::Float64 } else { row_indices(rows) };
    if rows == 0 {
        return Column::empty_on(&output_type, ctx.stream.device());
    }
    let scratch = ctx.scratch();
    let ranks = Runs::new(begins(&table, scratch)?, scratch)?;
    let plain = match method {
        RankMethod::First => ranks.position.clone(),
        RankMethod::Min => ranks.first()?,
        RankMethod::Max => ranks.last()?,
        RankMethod::Dense => ranks.group()?,
        RankMethod::Average => {
            let sum = of(&ranks.first()?, Operand::from(&ranks.last()?), Op::Add, &DataType::Int64, scratch)?;
            if !shares {
                return of(&sum, Operand::from(2.0), Op::TrueDiv, &DataType::Float64, ctx);
            }
            of(&sum, Operand::from(2.0), Op::TrueDiv, &DataType::Float64, scratch)?
        }
    };
    if !shares {
        return cast(plain.view(), &output_type, ctx);
    }
    let count = if method == RankMethod::Dense { ranks.starts()?.len() } else { rows };
    match percentage {
        RankPercentage::OneNormalized => {
            let before = of(&plain, Operand::from(1.0), Op::Sub, &DataType::Float64, scratch)?;
            of(&before, Operand::from((count - 1).max(1) as f64), Op::Div, &DataType::Float64, ctx)
        }
        _ => of(&plain, Operand::from(count as f64), Op::TrueDiv, &DataType::Float64, ctx),
    }
}

fn of(lhs: &Column, rhs: Operand<'_>, op: Op, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    binary(lhs.into(), rhs, op, output_type, ctx)
}

/// Returns for each row whether the row differs from the row before.
fn begins(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let boolean = &DataType::Boolean;
    let mut differs: Option<Column> = None;
    for column in table.columns() {
        let decoded = Decoded::of(*column, ctx)?;
        let column = decoded.view();
        let (next, before) = (column.slice(1, column.len() - 1)?, column.slice(0, column.len() - 1)?);
        let mut own = binary(next.into(), before.into(), Op::NullNotEquals, boolean, ctx)?;
        if is_floating(column.data_type()) {
            let (next, before) = (is_nan(next, ctx)?, is_nan(before, ctx)?);
            let both = of(&next, Operand::from(&before), Op::LogicalAnd, boolean, ctx)?;
            own = of(&own, Operand::from(&both), Op::Greater, boolean, ctx)?;
        }
        differs = Some(match differs {
            None => own,
            Some(differs) => of(&differs, Operand::from(&own), Op::LogicalOr, boolean, ctx)?,
        });
    }
    let first = Column::from_options_on(&[Some(true)], ctx.stream, ctx.mr.output)?;
    let rest = differs.as_ref().map(Column::view);
    let pieces: Vec<_> = std::iter::once(first.view()).chain(rest).collect();
    join_columns(&pieces, ctx)
}
