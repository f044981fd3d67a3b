//! `GroupBy` and its `aggregate`: checks, and the choice of backend.

pub(super) mod cuda;
pub(super) mod host;
mod limits;
#[cfg(test)]
mod many_groups_tests;
pub(super) mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{Column, ColumnView, DataType, Error, NullCount, Result, Table, TableView};
use gdf_driver::Device;

pub use self::limits::GroupByLimits;
use self::plan::Plan;
use super::{GroupByAggregation, NullPolicy};
use crate::check;
use crate::context::Ctx;
use crate::engine::keys::{MOST_KEYS, is_hashable};
use crate::vouch;

/// What errors call the operation.
pub(super) const AGGREGATE: &str = "groupby aggregate";

/// Values, of as many rows as the keys, and what to compute of them per group.
#[derive(Clone, Debug)]
pub struct AggregationRequest<'a> {
    /// The values.
    pub values: ColumnView<'a>,
    /// One result column each.
    pub aggregations: Vec<GroupByAggregation>,
}

impl<'a> AggregationRequest<'a> {
    /// A request.
    pub fn new(values: impl Into<ColumnView<'a>>, aggregations: impl Into<Vec<GroupByAggregation>>) -> Self {
        Self { values: values.into(), aggregations: aggregations.into() }
    }
}

/// Rows grouped by equal keys, for any number of aggregations.
#[derive(Clone, Debug)]
pub struct GroupBy<'a> {
    keys: TableView<'a>,
    null_policy: NullPolicy,
    limits: GroupByLimits,
}

impl<'a> GroupBy<'a> {
    /// Groups by the rows of `keys`. Nothing is done before a method is called, and errors are told by it.
    pub fn new(keys: impl Into<TableView<'a>>, null_policy: NullPolicy) -> Self {
        Self { keys: keys.into(), null_policy, limits: GroupByLimits::default() }
    }

    /// The keys.
    pub fn keys(&self) -> &TableView<'a> {
        &self.keys
    }

    /// What becomes of rows whose key has a null.
    pub fn null_policy(&self) -> NullPolicy {
        self.null_policy
    }

    /// With other limits; no result depends on them.
    #[doc(hidden)]
    #[must_use]
    pub fn with_limits(self, limits: GroupByLimits) -> Self {
        Self { limits, ..self }
    }

    /// The distinct keys, and per request and aggregation a column with a row per group, in the keys' order.
    ///
    /// The order of groups is unspecified; on CUDA it may differ from call to call. NaN is one key and so are both
    /// zeros, whose key is 0.0. Key columns have a mask where the input has one and nulls are included; results where
    /// the values have one, and for variances, but not for counts and `M2`. Sums, means and products of floats, sums of
    /// their squares, and variances are not the same bits from run to run on CUDA, nor on CPUs of different numbers of
    /// threads.
    ///
    /// CUDA: 2 launches and 1 wait up to 262,144 rows; 1 launch up to 1,024 rows, where keys are numbers of up to 64
    /// bits together and neither `Nunique`, spreads nor `Min` and `Max` of strings are asked for, and at most 16
    /// columns result; beyond 4 launches and 2 waits, the first for a sample of the rows that tells about how many
    /// groups there are, and with millions of groups 2 launches more that move the rows next to others of their groups.
    /// One launch more with string or binary columns among keys and results of `Min` and `Max`; one for each 16 columns
    /// of keys and results beyond the first, and for each 16 requests or 32 accumulators; two for each `Nunique`, and
    /// two for all spreads (`Variance`, `Std`, `M2`) of a request; a launch and a wait for each eight keys, beyond
    /// 262,144 rows, where keys are numbers of more than 64 bits together. Where the sample has told too few groups,
    /// the work begins again in more memory, each time with a wait. Nothing for empty keys.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) without key columns, or with more than 32; on CUDA also with more than
    ///   61 columns of strings or binary among keys and results, and from 2³²−1 rows on with `Nunique` or keys of more
    ///   than 64 bits together.
    /// * [`LengthMismatch`](Error::LengthMismatch), [`DeviceMismatch`](Error::DeviceMismatch).
    /// * [`Unsupported`](Error::Unsupported) for keys or values of types that cannot be compared, and for aggregations
    ///   that the values' type does not have.
    /// * [`OffsetOverflow`](Error::OffsetOverflow) when keys have more text than 32-bit offsets reach.
    /// * Driver and memory errors.
    pub fn aggregate(&self, requests: &[AggregationRequest<'a>], ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
        self.check(requests.iter().map(|request| request.values), ctx)?;
        self.run(&Plan::new(requests, self.keys.num_rows())?, ctx)
    }

    pub(super) fn check(&self, values: impl Iterator<Item = ColumnView<'a>>, ctx: Ctx<'_>) -> Result<()> {
        check::table(&self.keys, ctx)?;
        if !(1..=MOST_KEYS).contains(&self.keys.num_columns()) {
            return Err(Error::InvalidArgument { what: "1 to 32 key columns" });
        }
        for key in self.keys.columns() {
            if !is_hashable(key.data_type()) {
                return Err(Error::unsupported("groupby keys", key.data_type()));
            }
        }
        for values in values {
            check::column(values, ctx)?;
            check::length(self.keys.num_rows(), values.len())?;
        }
        Ok(())
    }

    pub(super) fn run(&self, plan: &Plan<'_>, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
        if self.keys.num_rows() == 0 {
            return empty(&self.keys, plan, ctx);
        }
        match ctx.stream.device() {
            Device::Cpu => host::aggregate(&self.keys, self.null_policy, plan, ctx),
            Device::Cuda(_) => cuda::aggregate(&self.keys, self.null_policy, plan, &self.limits, ctx),
        }
    }
}

fn empty(keys: &TableView<'_>, plan: &Plan<'_>, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
    let column = |data_type| empty_column(data_type, ctx);
    let keys = keys.columns().iter().map(|key| column(key.data_type())).collect::<Result<_>>()?;
    let results = plan.results.iter().map(|results| {
        results.iter().map(|result_column| column(&result_column.data_type)).collect::<Result<Vec<_>>>()
    });
    Ok((Table::try_new(keys)?, results.collect::<Result<_>>()?))
}

/// A column without rows.
pub(super) fn empty_column(data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let mut parts = Column::full_null(data_type, 0, ctx.stream, ctx.mr.output)?.into_parts();
    parts.validity = None;
    parts.null_count = NullCount::Known(0);
    vouch::result(parts)
}
