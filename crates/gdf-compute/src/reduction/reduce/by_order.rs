//! Aggregations that are computed by other operations: quantiles, the rows of the smallest and largest value, the row
//! with a given number, and the number of distinct rows.

use gdf_core::{
    Column, ColumnView, DataType, Error, ExpectedType, Result, Scalar, TableView, dispatch_integer, is_floating,
    is_integral, physical_type, same_type,
};
use gdf_engine::cast::cast;
use gdf_engine::decoded::Reads;
use gdf_engine::policy::{Interpolation, NullPolicy};

use super::{ReduceAggregation, default_output_type};
use crate::Ctx;
use crate::lists::gather_trusted;
use crate::nested_keys::is_replaced;
use crate::quantiles::{QuantileOrder, quantile};
use crate::sorting::{Order, top_k, top_k_order};
use crate::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, apply_boolean_mask, distinct_indices};
use crate::unary::is_valid;

/// Returns the result of an aggregation that this file computes. Returns `None` for any other aggregation.
pub(super) fn reduce(
    column: ColumnView<'_>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Option<Result<Scalar>> {
    use ReduceAggregation as A;
    let column = Rows { column, output_type, ctx };
    let checked = column.check(aggregation);
    Some(match aggregation {
        A::Median => checked.and_then(|()| column.quantile(0.5, Interpolation::Linear)),
        A::Quantile { q, interpolation } => checked.and_then(|()| column.quantile(q, interpolation)),
        A::Min if is_replaced(column.column.data_type()) => checked.and_then(|()| column.extreme(Order::Ascending)),
        A::Max if is_replaced(column.column.data_type()) => checked.and_then(|()| column.extreme(Order::Descending)),
        A::ArgMin => checked.and_then(|()| column.arg_extreme(Order::Ascending)),
        A::ArgMax => checked.and_then(|()| column.arg_extreme(Order::Descending)),
        A::Nunique(nulls) => checked.and_then(|()| column.distinct(nulls)),
        A::NthElement { n, nulls } => checked.and_then(|()| column.nth(n, nulls)),
        _ => return None,
    })
}

struct Rows<'a> {
    column: ColumnView<'a>,
    output_type: &'a DataType,
    ctx: Ctx<'a>,
}

impl Rows<'_> {
    fn check(&self, aggregation: ReduceAggregation) -> Result<()> {
        use ReduceAggregation as A;
        let natural = default_output_type(aggregation, self.column.data_type())?;
        let suits = match aggregation {
            A::Median | A::Quantile { .. } => is_floating(self.output_type),
            A::NthElement { .. } | A::Min | A::Max => same_type(&natural, self.output_type),
            A::ArgMin | A::ArgMax | A::Nunique(_) => is_integral(self.output_type),
            _ => return Err(Error::internal("the planned aggregation does not depend on the order of rows")),
        };
        if suits {
            return Ok(());
        }
        let mismatch = Error::type_mismatch(ExpectedType::KindOf(natural), self.output_type);
        Err(mismatch.in_variant(aggregation.name()).in_argument("output_type"))
    }

    fn table(&self) -> Result<TableView<'_>> {
        TableView::try_new(vec![self.column])
    }

    fn nulls(&self) -> Result<usize> {
        self.column.to_column().null_count_on(self.ctx.stream)
    }

    fn null(&self) -> Result<Scalar> {
        Scalar::null_on(self.output_type, self.ctx.stream, self.ctx.mr.output)
    }

    fn number(&self, number: usize) -> Result<Scalar> {
        let (stream, mr) = (self.ctx.stream, self.ctx.mr.output);
        dispatch_integer!(physical_type(self.output_type), T => {
            #![allow(clippy::cast_lossless, reason = "the type is one of eight")]
            Scalar::typed_on(Some(number as T), self.output_type, stream, mr)
        }, else => Err(Error::unsupported(super::OPERATION, self.output_type)))
    }

    fn quantile(&self, q: f64, interpolation: Interpolation) -> Result<Scalar> {
        let of = |ctx| quantile(self.column, &[q], interpolation, QuantileOrder::Unsorted, &DataType::Float64, ctx);
        if *self.output_type == DataType::Float64 {
            return Scalar::from_column(of(self.ctx)?);
        }
        self.converted(&of(self.ctx.scratch())?)
    }

    fn arg_extreme(&self, order: Order) -> Result<Scalar> {
        if self.nulls()? == self.column.len() {
            return self.null();
        }
        self.converted(&top_k_order(self.column, 1, order, self.ctx.scratch())?)
    }

    /// Returns the smallest or largest value of a nested type. Null fields and elements are larger than values if the
    /// smallest value is wanted, and otherwise smaller.
    fn extreme(&self, order: Order) -> Result<Scalar> {
        match self.column.is_empty() {
            true => self.null(),
            false => Scalar::from_column(top_k(self.column, 1, order, self.ctx)?),
        }
    }

    /// Converts a row in scratch memory to a scalar of the output type, which does not share the memory of the row.
    fn converted(&self, row: &Column) -> Result<Scalar> {
        let converted = Scalar::from_column(cast(row.view(), self.output_type, self.ctx.scratch())?)?;
        converted.deep_copy(self.ctx.stream, self.ctx.mr.output)
    }

    fn distinct(&self, nulls: NullPolicy) -> Result<Scalar> {
        let (any, scratch) = (DuplicateKeepOption::Any, self.ctx.scratch());
        let rows = distinct_indices(self.table()?, any, NullEquality::Equal, NanEquality::AllEqual, scratch)?.len();
        let null = nulls == NullPolicy::Exclude && self.nulls()? > 0;
        self.number(rows - usize::from(null))
    }

    fn nth(&self, n: i64, nulls: NullPolicy) -> Result<Scalar> {
        let scratch = self.ctx.scratch();
        let decoded = Reads::Nulls.decode(self.column, scratch)?;
        let column = decoded.view();
        if nulls == NullPolicy::Exclude && column.to_column().null_count_on(self.ctx.stream)? > 0 {
            let mask = is_valid(column, scratch)?;
            let valid = apply_boolean_mask(self.table()?, mask.view(), scratch)?;
            return Rows { column: valid.column(0)?.view(), ..*self }.row(n);
        }
        self.row(n)
    }

    /// Returns row `n` as a scalar that does not share the memory of the column.
    fn row(&self, n: i64) -> Result<Scalar> {
        let len = self.column.len();
        let row = if n < 0 { len as i128 + i128::from(n) } else { i128::from(n) };
        if row < 0 || row >= len as i128 {
            return Err(Error::out_of_bounds(i128::from(n), len).in_argument("n"));
        }
        let map = Column::from_slice_on(&[row as u64], self.ctx.stream, self.ctx.mr.temporary)?;
        let gathered = gather_trusted(&self.table()?, map.view(), self.ctx)?;
        Scalar::from_column(gathered.column(0)?.clone())
    }
}
