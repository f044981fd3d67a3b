//! Aggregations that select rows of a group by their position in an order: quantiles, nth elements, t-digests.

use gdf_compute::binaryop::{BinaryOperator as Op, binary_operation, of};
use gdf_compute::collect::ListedRows;
use gdf_compute::copying::copy_if_else;
use gdf_compute::keys::{Purpose, prepare};
use gdf_compute::lists::rows_of_ranges;
use gdf_compute::reduction::{ReduceAggregation, segmented_reduce};
use gdf_compute::scan::{ScanAggregation, ScanType, scan};
use gdf_compute::sorting::{NullOrder, Order, sorted_order};
use gdf_compute::unary::{UnaryOperator, is_null, unary_operation};
use gdf_core::{Column, ColumnView, DataType, Error, Literal, Position, Result, Table, TableView, can_have_validity};
use gdf_engine::cast::cast;
use gdf_engine::decoded::Reads;
use gdf_engine::mask::bitmask_and;
use gdf_engine::policy::Interpolation;

use super::aggregate::passes::{Groups, Pass};
use super::empty::empty_column;
use super::request::{AGGREGATE, AggregationRequest};
use super::{GroupByAggregation as Aggregation, NullPolicy, lists};
use crate::Ctx;
use crate::quantiles::{digest_groups, merge_groups};
use crate::vouch::{gather_column, gather_trusted};

/// The pass for requests with at least one aggregation by order. Other passes compute the other aggregations, and the
/// numbers of rows of the groups.
pub(super) struct ByOrder<'r, 'a> {
    keys: &'r TableView<'a>,
    null_policy: NullPolicy,
    requests: &'r [AggregationRequest<'a>],
    others: Vec<AggregationRequest<'a>>,
}

impl<'r, 'a> ByOrder<'r, 'a> {
    pub(super) fn prepare(
        keys: &'r TableView<'a>,
        null_policy: NullPolicy,
        requests: &'r [AggregationRequest<'a>],
    ) -> Result<Self> {
        for (i, request) in requests.iter().enumerate() {
            let typed = |of: &Aggregation| of.result_type(request.values.data_type(), keys.num_rows());
            let types = request.aggregations.iter().try_for_each(|of| typed(of).map(drop));
            types.map_err(|error| error.at(Position::Request(i)))?;
        }
        let others = requests.iter().map(without_order).collect();
        Ok(Self { keys, null_policy, requests, others })
    }

    /// Returns the requests without aggregations by order. Each request that had such aggregations ends with two counts
    /// per group: the number of all rows, and the number of rows whose value is not null.
    pub(super) fn requests(&self) -> &[AggregationRequest<'a>] {
        &self.others
    }
}

fn without_order<'a>(request: &AggregationRequest<'a>) -> AggregationRequest<'a> {
    let data_type = request.values.data_type();
    let mut kept: Vec<_> = request.aggregations.iter().copied().filter(|of| !of.is_of_order(data_type)).collect();
    if kept.len() < request.aggregations.len() {
        let has_mask = can_have_validity(data_type);
        kept.extend([Aggregation::CountAll, if has_mask { Aggregation::CountValid } else { Aggregation::CountAll }]);
    }
    AggregationRequest::new(request.values, kept)
}

impl Pass for ByOrder<'_, '_> {
    fn inner<'c>(&self, ctx: Ctx<'c>) -> Ctx<'c> {
        ctx.scratch()
    }

    /// Sorts the groups by their keys, and adds the results by order.
    fn finish(&self, (groups, found): Groups, ctx: Ctx<'_>) -> Result<Groups> {
        let scratch = ctx.scratch();
        let order = sorted_order(groups.view(), &[], &[], scratch)?;
        let [ranked] = prepare(AGGREGATE, [self.keys], Purpose::order(&[]), scratch)?;
        let keys = ranked.view()?;
        let sorted = |columns: &[Column], ctx: Ctx<'_>| {
            let table = TableView::try_with_rows(columns.iter().map(Column::view).collect(), order.len())?;
            Ok::<_, Error>(gather_trusted(&table, order.view(), ctx)?.into_columns())
        };
        let mut results = Vec::new();
        for (request, found) in self.requests.iter().zip(found) {
            let is_of_order = |of: &Aggregation| of.is_of_order(request.values.data_type());
            if !request.aggregations.iter().any(is_of_order) {
                results.push(sorted(&found, ctx)?);
                continue;
            }
            let (plain, counts) = found.split_at(found.len() - 2);
            let counts = sorted(counts, scratch)?;
            let first =
                scan(counts[0].view(), ScanAggregation::Sum, ScanType::Exclusive, NullPolicy::Exclude, scratch)?;
            let decoded = reads_of(request).decode(request.values, scratch)?;
            let (values, null_policy) = (request.values, self.null_policy);
            let ordered = Ordered { keys: &keys, null_policy, values, decoded: decoded.view(), first, counts, ctx };
            let mut plain = sorted(plain, ctx)?.into_iter();
            let result =
                |of: &Aggregation| if is_of_order(of) { Some(ordered.result(*of)) } else { plain.next().map(Ok) };
            results.push(request.aggregations.iter().filter_map(result).collect::<Result<_>>()?);
        }
        let keys = Table::try_with_rows(sorted(groups.columns(), ctx)?, order.len())?;
        Ok((keys, results))
    }
}

/// Returns what the aggregations by order read of the values.
fn reads_of(request: &AggregationRequest<'_>) -> Reads {
    let is_of_rows = |of: &Aggregation| !of.is_of_order(request.values.data_type()) || of.is_of_rows();
    if request.aggregations.iter().all(is_of_rows) { Reads::Nulls } else { Reads::Values }
}

/// The values of a request.
struct Ordered<'a, 'v> {
    keys: &'a TableView<'v>,
    null_policy: NullPolicy,
    values: ColumnView<'v>,
    decoded: ColumnView<'a>,
    first: Column,
    /// Two counts per group: the number of all rows, and the number of rows whose value is not null.
    counts: Vec<Column>,
    ctx: Ctx<'a>,
}

impl Ordered<'_, '_> {
    fn result(&self, aggregation: Aggregation) -> Result<Column> {
        if self.first.is_empty() {
            let output = aggregation.result_type(self.values.data_type(), 0)?;
            return empty_column(&output, self.ctx);
        }
        match aggregation {
            Aggregation::NthElement { n, nulls } => self.nth(n, nulls),
            Aggregation::Quantile { q, interpolation } => self.quantile(q, interpolation),
            Aggregation::CollectList { nulls } => self.collected(nulls)?.of(self.values, &[], self.ctx),
            Aggregation::CollectSet { nulls, null_equality, nan_equality } => {
                let rows = self.collected(nulls)?;
                let rows = rows.distinct(self.values, null_equality, nan_equality, self.ctx.scratch())?;
                rows.of(self.values, &[], self.ctx)
            }
            Aggregation::MergeLists
            | Aggregation::MergeSets { .. }
            | Aggregation::Histogram
            | Aggregation::MergeHistogram => {
                let rows = self.collected(NullPolicy::Include)?;
                lists::result(aggregation, rows, self.values, self.ctx)
            }
            Aggregation::TopK { k, order } => {
                let rows = self.rows(Some((self.ranked_values()?.view(), order)))?;
                let k = i64::try_from(k).unwrap_or(i64::MAX);
                let counts = of(&self.counts[0], Op::NullMin, k.into(), &DataType::Int64, self.ctx.scratch())?;
                let (rows, offsets) = self.grouped(&rows, &counts)?;
                ListedRows { rows, offsets }.of(self.values, &[], self.ctx)
            }
            Aggregation::TDigest { max_centroids } => {
                let (rows, offsets) = self.grouped(&self.rows(Some(ascending(self.decoded)))?, &self.counts[1])?;
                let values = gather_trusted(&TableView::from(self.decoded), rows.view(), self.ctx.scratch())?;
                let values = cast(values.column(0)?.view(), &DataType::Float64, self.ctx.scratch())?;
                digest_groups(values, offsets, max_centroids, self.ctx)
            }
            Aggregation::MergeTDigest { max_centroids } => {
                let (rows, offsets) = self.grouped(&self.rows(None)?, &self.counts[0])?;
                merge_groups(self.decoded, &rows, offsets, max_centroids, self.ctx)
            }
            Aggregation::Product => self.product(),
            Aggregation::Median => self.quantile(0.5, Interpolation::Linear),
            _ => Err(Error::internal("an aggregation without ordered rows was passed to `by_order`")),
        }
    }

    /// Returns the products of decimals of scale 0.
    fn product(&self) -> Result<Column> {
        let scratch = self.ctx.scratch();
        let (rows, offsets) = self.grouped(&self.rows(None)?, &self.counts[0])?;
        let values = gather_column(self.decoded, rows.view(), scratch)?;
        let output = Aggregation::Product.result_type(self.decoded.data_type(), 0)?;
        let (product, nulls) = (ReduceAggregation::Product, NullPolicy::Exclude);
        segmented_reduce(values.view(), offsets.view(), product, &output, nulls, self.ctx)
    }

    fn ranked_values(&self) -> Result<Column> {
        let (values, scratch) = (TableView::from(self.values), self.ctx.scratch());
        let [ranked] = prepare(AGGREGATE, [&values], Purpose::order(&[]), scratch)?;
        Ok(ranked.view()?.column(0)?.to_column())
    }

    /// Returns the row numbers sorted by key and, within a key, by `by`. Rows in no group come last.
    fn rows(&self, by: Option<(ColumnView<'_>, Order)>) -> Result<Column> {
        let scratch = self.ctx.scratch();
        let mut columns = self.keys.columns().to_vec();
        let ungrouped;
        if self.null_policy == NullPolicy::Exclude && columns.iter().any(|key| key.has_validity()) {
            let valid = bitmask_and(self.keys, scratch)?.to_column()?;
            ungrouped = unary_operation(valid.view(), UnaryOperator::Not, scratch)?;
            columns.insert(0, ungrouped.view());
        }
        let mut orders = vec![(Order::Ascending, NullOrder::Before); columns.len()];
        columns.extend(by.map(|(column, _)| column));
        orders.extend(by.map(|(_, order)| (order, nulls_last(order))));
        let (orders, nulls): (Vec<_>, Vec<_>) = orders.into_iter().unzip();
        sorted_order(TableView::try_new(columns)?, &orders, &nulls, scratch)
    }

    fn grouped(&self, rows: &Column, counts: &Column) -> Result<(Column, Column)> {
        let (positions, offsets) = rows_of_ranges(&self.first, counts, rows.len(), self.ctx.scratch())?;
        Ok((gather_column(rows.view(), positions.view(), self.ctx.scratch())?, offsets))
    }

    /// Gathers rows of the column `of`.
    fn rows_at(&self, of: ColumnView<'_>, rows: &Column, positions: &Column, ctx: Ctx<'_>) -> Result<Column> {
        let rows = gather_column(rows.view(), positions.view(), self.ctx.scratch())?;
        gather_column(of, rows.view(), ctx)
    }

    fn quantile(&self, q: f64, interpolation: Interpolation) -> Result<Column> {
        let (scratch, double, long) = (self.ctx.scratch(), &DataType::Float64, &DataType::Int64);
        let rows = self.rows(Some(ascending(self.decoded)))?;
        // If a group has no valid value, the position is that of the first row of the group.
        let last = of(&self.counts[1], Op::Sub, 1_i64.into(), long, scratch)?;
        let last = of(&last, Op::NullMax, 0_i64.into(), long, scratch)?;
        let at = of(&last, Op::Mul, q.clamp(0.0, 1.0).into(), double, scratch)?;
        let whole = |op: UnaryOperator| unary_operation(at.view(), op, scratch);
        let value = |at: &Column| {
            let position = of(&cast(at.view(), long, scratch)?, Op::Add, (&self.first).into(), long, scratch)?;
            cast(self.rows_at(self.decoded, &rows, &position, scratch)?.view(), double, scratch)
        };
        let low = whole(match interpolation {
            Interpolation::Higher => UnaryOperator::Ceil,
            Interpolation::Nearest => UnaryOperator::Rint,
            Interpolation::Lower | Interpolation::Linear | Interpolation::Midpoint => UnaryOperator::Floor,
        })?;
        if !interpolation.mixes() {
            // The multiplication by 1.0 copies the column.
            return of(&value(&low)?, Op::Mul, 1.0.into(), double, self.ctx);
        }
        let high = whole(UnaryOperator::Ceil)?;
        let same = of(&low, Op::Equal, (&high).into(), &DataType::Boolean, scratch)?;
        let part = match interpolation {
            Interpolation::Midpoint => {
                let half = of(&at, Op::Mul, 0.0.into(), double, scratch)?;
                of(&half, Op::Add, 0.5.into(), double, scratch)?
            }
            Interpolation::Linear | Interpolation::Lower | Interpolation::Higher | Interpolation::Nearest => {
                of(&at, Op::Sub, (&low).into(), double, scratch)?
            }
        };
        let rest = binary_operation(1.0.into(), (&part).into(), Op::Sub, double, scratch)?;
        let (below, above) = (value(&low)?, value(&high)?);
        let lower = of(&below, Op::Mul, (&rest).into(), double, scratch)?;
        let upper = of(&above, Op::Mul, (&part).into(), double, scratch)?;
        let between = of(&lower, Op::Add, (&upper).into(), double, scratch)?;
        copy_if_else((&below).into(), (&between).into(), same.view(), self.ctx)
    }

    /// Returns the row numbers of each group in the order of the input, and the number of rows of each group. If
    /// `nulls` is `Exclude`, rows with a null come last in their group and are not counted.
    fn rows_in_order(&self, nulls: NullPolicy) -> Result<(Column, &Column)> {
        Ok(match nulls {
            NullPolicy::Include => (self.rows(None)?, &self.counts[0]),
            NullPolicy::Exclude => {
                (self.rows(Some(ascending(is_null(self.decoded, self.ctx.scratch())?.view())))?, &self.counts[1])
            }
        })
    }

    /// Returns the rows of each group as lists, in the order of the input.
    fn collected(&self, nulls: NullPolicy) -> Result<ListedRows> {
        let (rows, counts) = self.rows_in_order(nulls)?;
        let (rows, offsets) = self.grouped(&rows, counts)?;
        Ok(ListedRows { rows, offsets })
    }

    fn nth(&self, n: i64, nulls: NullPolicy) -> Result<Column> {
        let (scratch, long) = (self.ctx.scratch(), &DataType::Int64);
        let (rows, count) = self.rows_in_order(nulls)?;
        let (position, inside) = if n < 0 {
            let at = of(count, Op::Add, n.into(), long, scratch)?;
            let inside = of(&at, Op::GreaterEqual, 0_i64.into(), &DataType::Boolean, scratch)?;
            (of(&at, Op::Add, (&self.first).into(), long, scratch)?, inside)
        } else {
            let inside = of(count, Op::Greater, n.into(), &DataType::Boolean, scratch)?;
            (of(&self.first, Op::Add, n.into(), long, scratch)?, inside)
        };
        let null = Literal::null(long);
        let position = copy_if_else((&position).into(), null.into(), inside.view(), scratch)?;
        self.rows_at(self.values, &rows, &position, self.ctx)
    }
}

/// Returns the order of nulls with which nulls come last.
pub(super) fn nulls_last(order: Order) -> NullOrder {
    match order {
        Order::Ascending => NullOrder::After,
        Order::Descending => NullOrder::Before,
    }
}

fn ascending(column: ColumnView<'_>) -> (ColumnView<'_>, Order) {
    (column, Order::Ascending)
}
