//! Aggregations that are computed by other operations: quantiles, the rows of the smallest and largest value, the row
//! with a given number, and the number of distinct rows.

use gdf_core::{
    Column, ColumnView, DataType, Error, ExpectedType, ListsView, Result, Scalar, TableView, dispatch_integer,
    is_floating, is_integral, physical_type, same_type,
};
use gdf_engine::cast::cast;
use gdf_engine::decoded::Reads;
use gdf_engine::mask::{null_unless_true, valid_and_true};
use gdf_engine::policy::{Interpolation, NullPolicy};
use gdf_engine::rows::{AffineRows, join_columns};
use gdf_engine::sequence::row_numbers;

use super::{ReduceAggregation, default_output_type, segmented_reduce};
use crate::Ctx;
use crate::collect::ListedRows;
use crate::keys::{Purpose, is_replaced, prepare};
use crate::lists::{
    Lists, as_lists, copy_affine_column, gather_column, gather_trusted, make_lists, rows_of_ranges, rows_of_runs,
};
use crate::quantiles::{QuantileOrder, quantile};
use crate::reduction::{HistogramRows, histograms};
use crate::sorting::{Order, top_k_order};
use crate::stream_compaction::{
    DuplicateKeepOption, NanEquality, NullEquality, apply_boolean_mask, distinct_indices, distinct_rows,
};
use crate::unary::is_valid;

/// Returns the result of an aggregation that this file computes.
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
        A::CollectList { nulls } => checked.and_then(|()| column.list(nulls)),
        A::CollectSet { nulls, null_equality, nan_equality } => {
            checked.and_then(|()| column.set(nulls, null_equality, nan_equality))
        }
        A::MergeLists => checked.and_then(|()| column.merged(None)),
        A::MergeSets { null_equality, nan_equality } => {
            checked.and_then(|()| column.merged(Some((null_equality, nan_equality))))
        }
        A::MergeHistogram => checked.and_then(|()| column.merged_histogram()),
        _ => return None,
    })
}

pub(super) fn distinct_in_segments(
    column: ColumnView<'_>,
    offsets: ColumnView<'_>,
    nulls: NullPolicy,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    Rows { column, output_type, ctx }.check(ReduceAggregation::Nunique(nulls))?;
    let (rows, scratch, long) = (column.len(), ctx.scratch(), &DataType::Int64);
    let counts = |flags: &Column, output_type: &DataType, ctx: Ctx<'_>| {
        segmented_reduce(flags.view(), offsets, ReduceAggregation::CountValid, output_type, NullPolicy::Exclude, ctx)
    };
    let numbers = row_numbers(rows, scratch)?;
    if rows == 0 {
        return counts(&numbers, output_type, ctx);
    }
    counts(&numbers, long, scratch)?;
    // The first run has the rows before the first segment, and the last run has the rows after the last segment.
    let end = Column::from_slice_on(&[rows as i64], ctx.stream, ctx.mr.temporary)?;
    let ends = join_columns(&[cast(offsets, long, scratch)?.view(), end.view()], scratch)?;
    let owners = rows_of_runs(ends.view(), rows, scratch)?;
    let keys = TableView::try_new(vec![owners.view(), column])?;
    let any = DuplicateKeepOption::Any;
    let mut counted = distinct_rows(keys, any, NullEquality::Equal, NanEquality::AllEqual, scratch)?;
    if nulls == NullPolicy::Exclude {
        let decoded = Reads::Nulls.decode(column, scratch)?;
        counted = valid_and_true(decoded.view(), counted.view(), scratch)?.to_column()?;
    }
    counts(&null_unless_true(counted.view(), scratch)?, output_type, ctx)
}

/// The rows of a column that take part in an aggregation.
enum Kept {
    Nothing,
    All,
    Valid(Box<Column>),
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
            A::NthElement { .. } | A::CollectList { .. } | A::CollectSet { .. } | A::Min | A::Max => {
                same_type(&natural, self.output_type)
            }
            A::MergeLists | A::MergeSets { .. } | A::MergeHistogram => same_type(&natural, self.output_type),
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
        self.converted(&self.first_row(order)?)
    }

    fn extreme(&self, order: Order) -> Result<Scalar> {
        if self.column.is_empty() {
            return self.null();
        }
        let row = self.first_row(order)?;
        Scalar::from_column(gather_trusted(&self.table()?, row.view(), self.ctx)?.column(0)?.clone())
    }

    /// Returns the number of the first row in this order.
    fn first_row(&self, order: Order) -> Result<Column> {
        let scratch = self.ctx.scratch();
        let [keys] = prepare(super::OPERATION, [&self.table()?], Purpose::order(&[]), scratch)?;
        top_k_order(keys.view()?.column(0)?, 1, order, scratch)
    }

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

    /// Returns the rows that take part. A column of valid rows is made in the memory of `ctx`.
    fn kept(&self, nulls: NullPolicy, ctx: Ctx<'_>) -> Result<Kept> {
        let scratch = ctx.scratch();
        let decoded = Reads::Nulls.decode(self.column, scratch)?;
        let column = decoded.view();
        let removed = match nulls {
            NullPolicy::Include => 0,
            NullPolicy::Exclude => column.to_column().null_count_on(ctx.stream)?,
        };
        if removed == self.column.len() {
            return Ok(Kept::Nothing);
        }
        if removed == 0 {
            return Ok(Kept::All);
        }
        let mask = is_valid(column, scratch)?;
        apply_boolean_mask(self.table()?, mask.view(), ctx)?
            .column(0)
            .cloned()
            .map(|valid| Kept::Valid(Box::new(valid)))
    }

    fn nth(&self, n: i64, nulls: NullPolicy) -> Result<Scalar> {
        match self.kept(nulls, self.ctx.scratch())? {
            Kept::Nothing => Rows { column: self.column.slice(0, 0)?, ..*self }.row(n),
            Kept::Valid(valid) => Rows { column: valid.view(), ..*self }.row(n),
            Kept::All => self.row(n),
        }
    }

    fn list(&self, nulls: NullPolicy) -> Result<Scalar> {
        let all =
            AffineRows { length: self.column.len() as i64, divisor: 1, by_quotient: 1, by_remainder: 0, first: 0 };
        match self.kept(nulls, self.ctx)? {
            Kept::Nothing => self.null(),
            Kept::Valid(valid) => self.listed(*valid),
            Kept::All => self.listed(copy_affine_column(super::OPERATION, self.column, all, self.ctx)?),
        }
    }

    fn set(&self, nulls: NullPolicy, null_equality: NullEquality, nans: NanEquality) -> Result<Scalar> {
        let scratch = self.ctx.scratch();
        let valid = match self.kept(nulls, scratch)? {
            Kept::Nothing => return self.null(),
            Kept::Valid(valid) => Some(valid),
            Kept::All => None,
        };
        let rows = TableView::from(valid.as_ref().map_or(self.column, |valid| valid.view()));
        let first = distinct_indices(rows.clone(), DuplicateKeepOption::First, null_equality, nans, scratch)?;
        self.listed(gather_trusted(&rows, first.view(), self.ctx)?.column(0)?.clone())
    }

    /// Returns the elements of all lists as one list.
    fn merged(&self, distinct: Option<(NullEquality, NanEquality)>) -> Result<Scalar> {
        let scratch = self.ctx.scratch();
        let lists = as_lists(super::OPERATION, self.column, scratch)?;
        let lists = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
        let (mut rows, _) = rows_of_ranges(&lists.begins()?, &lists.sizes, lists.elements.len(), scratch)?;
        let elements = lists.elements.view();
        if let Some((nulls, nans)) = distinct {
            let values = gather_column(elements, rows.view(), scratch)?;
            let values = TableView::from(values.view());
            let first = distinct_indices(values, DuplicateKeepOption::First, nulls, nans, scratch)?;
            rows = gather_column(rows.view(), first.view(), scratch)?;
        }
        self.listed(gather_column(elements, rows.view(), self.ctx)?)
    }

    fn merged_histogram(&self) -> Result<Scalar> {
        let (ctx, scratch) = (self.ctx, self.ctx.scratch());
        let lists = as_lists(super::OPERATION, self.column, scratch)?;
        let lists = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
        let (rows, _) = rows_of_ranges(&lists.begins()?, &lists.sizes, lists.elements.len(), scratch)?;
        let offsets = Column::from_slice_on(&[0, rows.len() as i64], ctx.stream, ctx.mr.temporary)?;
        let (rows, entries) = (ListedRows { rows, offsets }, lists.elements.view());
        let of = HistogramRows::Entries;
        Scalar::from_column(histograms(super::OPERATION, self.output_type, of, rows, entries, ctx)?)
    }

    fn listed(&self, values: Column) -> Result<Scalar> {
        let ctx = self.ctx;
        let offsets = Column::from_slice_on(&[0, values.len() as i64], ctx.stream, ctx.mr.temporary)?;
        Scalar::from_column(make_lists(self.output_type, &offsets, values, &[], ctx)?)
    }

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
