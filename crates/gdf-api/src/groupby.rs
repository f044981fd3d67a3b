//! Rows grouped by equal keys.

use gdf_core::{Column, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::groupby::{AggregationRequest, GroupByAggregation, NullPolicy};

use crate::scope::{Input, Scope};

/// Rows grouped by equal keys, for any number of aggregations.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float64Array, StringArray};
/// use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
/// use gdf_core::{Column, Table};
/// use gdf_driver::{Device, Stream};
/// use gdf_memory::current_resource;
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let column = |array: ArrayRef| Column::from_arrow(&array, &stream, mr.as_ref());
/// let flags = Table::try_new(vec![column(Arc::new(StringArray::from(vec!["A", "N", "A"])))?])?;
/// let prices = column(Arc::new(Float64Array::from(vec![1.5, 4.0, 2.0])))?;
///
/// let grouped = GroupBy::new(&flags, NullPolicy::Exclude);
/// let requests = [AggregationRequest::new(&prices, [GroupByAggregation::Sum, GroupByAggregation::CountAll])];
/// let (keys, results) = grouped.aggregate(&requests)?;
/// assert_eq!(keys.num_rows(), 2);
/// let sums = results[0][0].to_arrow(&stream)?;
/// let mut sums = sums.to_data().buffers()[0].typed_data::<f64>().to_vec();
/// sums.sort_by(f64::total_cmp);
/// assert_eq!(sums, [3.5, 4.0]);
/// # Ok::<(), gdf_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GroupBy<'a>(detail::groupby::GroupBy<'a>);

impl<'a> GroupBy<'a> {
    /// Groups by the rows of `keys`. Nothing is done before a method is called, and errors are told by it.
    pub fn new(keys: impl Into<TableView<'a>>, null_policy: NullPolicy) -> Self {
        Self(detail::groupby::GroupBy::new(keys, null_policy))
    }

    /// The keys.
    pub fn keys(&self) -> &TableView<'a> {
        self.0.keys()
    }

    /// The distinct keys, and per request and aggregation a column with a row per group, in the order of the keys.
    ///
    /// # Shapes
    /// 1 to 32 key columns; the values of each request have as many rows. No rows give no groups.
    ///
    /// # Types
    /// Keys: integers, booleans, floats, decimals, everything temporal, strings and binary with offsets of either
    /// width. Values and results: see [`GroupByAggregation`].
    ///
    /// # Nulls and NaN
    /// Rows whose key has a null are in no group, or with [`NullPolicy::Include`] nulls are equal to each other. NaNs
    /// are one key, and so are 0.0 and −0.0, which becomes 0.0. Null values are skipped; a group without others has a
    /// null result, counts apart. Key columns have a mask where the input has one and nulls are included; results have
    /// one where the values have one, variances always.
    ///
    /// Order: unspecified; on CUDA it may differ from call to call. Sums of floats are not the same bits from run to
    /// run on CUDA, nor on CPUs of different numbers of threads; everything else is. Launches and waits: 3 launches (2
    /// up to 1,024 rows) and 1 wait; a launch more with string or binary columns among keys and results of `Min` and
    /// `Max`, for each 16 columns of keys and results beyond the first, and for each 16 requests or 32 accumulators;
    /// two for each `Nunique`; a launch and a wait for each eight keys, from 8,192 rows on, where keys are numbers of more
    /// than 64 bits together, whose ranges are measured then. Beyond 1,048,576 groups the work may begin again in more memory, each time with a wait.
    /// Nothing for empty keys. In libcudf `groupby::aggregate`, in polars `group_by().agg()`, in pyarrow
    /// `TableGroupBy.aggregate`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without key columns, with more than 32, and for 2³²−1
    ///   rows and more with keys that do not fit 64 bits.
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for keys or values of types that cannot be compared, and for
    ///   aggregations that the values' type does not have.
    /// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when a string column of the result has more text than
    ///   32-bit offsets reach.
    /// * Driver and memory errors.
    pub fn aggregate(&self, requests: &[AggregationRequest<'a>]) -> Result<(Table, Vec<Vec<Column>>)> {
        let mut inputs: Vec<&dyn Input> = vec![self.0.keys()];
        inputs.extend(requests.iter().map(|request| &request.values as &dyn Input));
        let scope = Scope::for_inputs("groupby.aggregate", &inputs)?;
        self.0.aggregate(requests, scope.stream(), scope.resources())
    }
}
