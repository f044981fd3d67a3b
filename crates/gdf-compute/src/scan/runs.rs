//! Runs of equal rows among sorted rows.

use gdf_core::{Column, DataType, Operand, Result, Scalar, TableView};
use gdf_engine::binary::{BinaryOperator as Op, binary};
use gdf_engine::cast::cast;
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::select;

use super::{ScanAggregation, ScanType, scan};
use crate::Ctx;
use crate::copying::{copy_if_else, shift};
use crate::vouch::gather_column;

/// The position and the run of each row. Positions are of type `Int64` and count from 1.
pub struct Runs<'a> {
    /// The position of each row among all rows.
    pub position: Column,
    /// Whether a row is the first of its run.
    pub begins: Column,
    ctx: Ctx<'a>,
}

fn all(column: &Column, aggregation: ScanAggregation, ctx: Ctx<'_>) -> Result<Column> {
    scan(column.view(), aggregation, ScanType::Inclusive, NullPolicy::Exclude, ctx)
}

impl<'a> Runs<'a> {
    /// Makes the runs of rows. `begins` states whether each row is the first row of a run.
    pub fn new(begins: Column, ctx: Ctx<'a>) -> Result<Self> {
        Ok(Self { position: all(&begins, ScanAggregation::CountAll, ctx)?, begins, ctx })
    }

    /// Returns for each row the number of its run. The first run has number 1.
    pub fn group(&self) -> Result<Column> {
        let ones = cast(self.begins.view(), &DataType::Int64, self.ctx)?;
        all(&ones, ScanAggregation::Sum, self.ctx)
    }

    /// Returns for each row the position of the first row of its run.
    pub fn first(&self) -> Result<Column> {
        let (position, mask) = (Operand::from(&self.position), self.begins.view());
        let starts = copy_if_else(position, Operand::from(0_i64), mask, self.ctx)?;
        all(&starts, ScanAggregation::Max, self.ctx)
    }

    /// Returns the positions of the first rows of all runs, one for each run.
    pub fn starts(&self) -> Result<Column> {
        let positions = TableView::try_new(vec![self.position.view()])?;
        Ok(select(&positions, self.begins.view(), self.ctx)?.column(0)?.clone())
    }

    /// Returns for each row the position of the last row of its run.
    pub fn last(&self) -> Result<Column> {
        let minus_one = |column: &Column| binary(column.into(), 1_i64.into(), Op::Sub, &DataType::Int64, self.ctx);
        let end = Scalar::new_on(self.position.len() as i64 + 1, self.ctx.stream, self.ctx.mr.output)?;
        let ends = shift(self.starts()?.view(), -1, Operand::from(&end), self.ctx)?;
        let map = minus_one(&self.group()?)?;
        minus_one(&gather_column(ends.view(), map.view(), self.ctx)?)
    }
}
