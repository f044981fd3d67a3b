//! Converts positions within lists to row numbers of the column of elements.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::copy_if_else;
use gdf_compute::reduction::{ReduceAggregation, reduce};
use gdf_compute::unary::signed;
use gdf_core::{Column, ColumnView, DataType, Error, Literal, Result, is_integral};
use gdf_engine::check;

use crate::Ctx;

/// Positions within lists, as row numbers of the elements, with a check whether each position is in its list.
pub(super) struct Positions {
    /// The row number of each position, `begin + position`.
    pub(super) rows: Column,
    /// Whether each position is in its list.
    pub(super) inside: Column,
}

impl Positions {
    /// Finds each position of `map` in the list of the same row.
    pub(super) fn of(map: ColumnView<'_>, begins: &Column, sizes: &Column, ctx: Ctx<'_>) -> Result<Self> {
        let (long, boolean) = (&DataType::Int64, &DataType::Boolean);
        let map = signed(map, ctx)?;
        let from_end = of(&map, Op::Add, sizes.into(), long, ctx)?;
        let is_negative = of(&map, Op::Less, 0_i64.into(), boolean, ctx)?;
        let position = copy_if_else((&from_end).into(), (&map).into(), is_negative.view(), ctx)?;
        let not_before = of(&position, Op::GreaterEqual, 0_i64.into(), boolean, ctx)?;
        let not_after = of(&position, Op::Less, sizes.into(), boolean, ctx)?;
        let inside = of(&not_before, Op::LogicalAnd, (&not_after).into(), boolean, ctx)?;
        Ok(Self { rows: of(&position, Op::Add, begins.into(), long, ctx)?, inside })
    }

    pub(super) fn at(index: i64, begins: &Column, sizes: &Column, ctx: Ctx<'_>) -> Result<Self> {
        let (long, boolean) = (&DataType::Int64, &DataType::Boolean);
        if index >= 0 {
            let inside = of(sizes, Op::Greater, index.into(), boolean, ctx)?;
            return Ok(Self { rows: of(begins, Op::Add, index.into(), long, ctx)?, inside });
        }
        let from_end = of(sizes, Op::Add, index.into(), long, ctx)?;
        let inside = of(&from_end, Op::GreaterEqual, 0_i64.into(), boolean, ctx)?;
        Ok(Self { rows: of(&from_end, Op::Add, begins.into(), long, ctx)?, inside })
    }

    /// Checks that all positions that are not null are in their lists.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument).
    pub(super) fn check(&self, ctx: Ctx<'_>) -> Result<()> {
        let inside = reduce(self.inside.view(), ReduceAggregation::All, &DataType::Boolean, ctx.scratch())?;
        match inside.value_on::<bool>(ctx.stream)? {
            Some(false) => Err(Error::invalid_argument(
                "a position is outside of the list in the same row; use `OutOfBoundsPolicy::Nullify` to get null for \
                 such positions",
            )),
            _ => Ok(()),
        }
    }

    /// Returns the row numbers, with null for each position that is outside of its list.
    pub(super) fn or_null(&self, ctx: Ctx<'_>) -> Result<Column> {
        copy_if_else((&self.rows).into(), Literal::null(&DataType::Int64).into(), self.inside.view(), ctx)
    }
}

pub(super) fn check_positions(map: ColumnView<'_>, rows: usize, ctx: Ctx<'_>) -> Result<()> {
    if !is_integral(map.data_type()) {
        return Err(Error::type_mismatch("an integer type", map.data_type()));
    }
    check::length(rows, map.len())?;
    check::column(map, ctx)
}
