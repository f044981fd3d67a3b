//! Operations on dates and times.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail::datetime::Component;

use crate::scope::Scope;

/// Day of the month, 1 to 31, of each row of dates or timestamps, as `Int16`.
///
/// # Types
/// `Date32`, `Date64`, and timestamps of every unit without a time zone or of zone `UTC`, in the proleptic Gregorian calendar.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `extract_datetime_component` (`DAY`),
/// in polars `dt.day`, in arrow-rs `date_part`.
///
/// ```
/// use std::sync::Arc;
/// use gdf::arrow::array::{ArrayRef, Date32Array, Int16Array};
/// use gdf::datetime::extract_day;
/// use gdf::memory::current_resource;
/// use gdf::{Column, Device, Stream};
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// // 1970-01-01, a null, 1969-12-31, 2024-02-29
/// let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(0), None, Some(-1), Some(19_782)]));
/// let column = Column::from_arrow(&days, &stream, mr.as_ref())?;
/// let expected: ArrayRef = Arc::new(Int16Array::from(vec![Some(1), None, Some(31), Some(29)]));
/// assert_eq!(&extract_day(&column)?.to_arrow(&stream)?, &expected);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("day", "dt.day", "date_part", "extract", "dayofmonth"))]
pub fn extract_day<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("extract_day", &[&column])?
        .run(|ctx| gdf_detail::datetime::extract_component(column, Component::Day, ctx))
}
