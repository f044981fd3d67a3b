//! A component of the date of each row.

use gdf_core::{Column, ColumnView, DataType, Error, Result, TimeUnit};
use gdf_kernels::generated::datetime::{ExtractComponent, ExtractComponentKernel, Ticks};

use super::civil;
use crate::Ctx;
use crate::engine::elementwise::{self, Launch, Nulls};

/// What [`extract_component`] extracts.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// The day of the month, 1 to 31.
    Day,
}

/// The component of each row of dates or timestamps, as `Int16`; nulls stay null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for other types and for timestamps of a time zone that is not UTC.
/// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
pub fn extract_component(column: ColumnView<'_>, component: Component, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    let per_day = ticks_per_day(data_type).ok_or_else(|| Error::unsupported("extract_component", data_type))?;
    let (of_days, kernel) = match component {
        Component::Day => (civil::day, ExtractComponentKernel::Day),
    };
    elementwise::map_column(
        column,
        &DataType::Int16,
        Nulls::Keep,
        ctx,
        |rows| rows.convert(|ticks: i64| of_days(ticks.div_euclid(per_day)) as i16),
        |launch| {
            let Launch { inputs: [input], out, scratch, .. } = *launch;
            launch.run(kernel, launch.rows, &ExtractComponent { input, out, p: Ticks { per_day }, scratch })
        },
    )
}

/// How many of the numbers that are stored make a day.
fn ticks_per_day(data_type: &DataType) -> Option<i64> {
    const SECONDS: i64 = 86_400;
    Some(match data_type {
        DataType::Date32 => 1,
        DataType::Date64 => SECONDS * 1000,
        DataType::Timestamp(_, Some(zone)) if !matches!(&**zone, "UTC" | "Z" | "+00:00") => return None,
        DataType::Timestamp(TimeUnit::Second, _) => SECONDS,
        DataType::Timestamp(TimeUnit::Millisecond, _) => SECONDS * 1000,
        DataType::Timestamp(TimeUnit::Microsecond, _) => SECONDS * 1_000_000,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => SECONDS * 1_000_000_000,
        _ => return None,
    })
}
