//! Columns and tables as text tables, for tests and people. Works for either device; **waits** for device memory.
//! Timestamps with a named time zone are shown in UTC.
//!
//! ```
//! # use gdf_core as gdf;
//! use gdf::{Device, Stream, fixed_width_from_slice, pretty};
//!
//! let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
//! let column = fixed_width_from_slice(&[1i32, 20], &stream, mr.as_ref())?;
//! let text = "\
//! +----+
//! | n  |
//! +----+
//! | 1  |
//! | 20 |
//! +----+";
//! assert_eq!(pretty::format_column(column.view(), "n", &stream)?, text);
//! # Ok::<(), gdf::Error>(())
//! ```

use std::sync::Arc;

use arrow_cast::display::FormatOptions;
use arrow_cast::pretty::{pretty_format_batches_with_options, pretty_format_columns_with_options};
use arrow_schema::{DataType, Field, FieldRef};
use gdf_driver::Stream;

use crate::{Column, ColumnView, Result, Table, TableView};

/// The column with named time zones replaced by UTC, which needs no table of time zones: the instants stay the same.
pub(crate) fn displayable(column: &Column) -> Column {
    let data_type = without_named_zones(column.data_type());
    column.with_type(data_type).unwrap_or_else(|_| column.clone())
}

fn without_named_zones(data_type: &DataType) -> DataType {
    let field = |field: &FieldRef| -> FieldRef {
        let plain = without_named_zones(field.data_type());
        Arc::new(Field::clone(field).with_data_type(plain))
    };
    match data_type {
        DataType::Timestamp(unit, Some(zone)) if !zone.starts_with(['+', '-']) => {
            DataType::Timestamp(*unit, Some("+00:00".into()))
        }
        DataType::List(item) => DataType::List(field(item)),
        DataType::LargeList(item) => DataType::LargeList(field(item)),
        DataType::ListView(item) => DataType::ListView(field(item)),
        DataType::LargeListView(item) => DataType::LargeListView(field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(field(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(field(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Union(fields, mode) => DataType::Union(fields.iter().map(|(id, f)| (id, field(f))).collect(), *mode),
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(without_named_zones(values))),
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(ends.clone(), field(values)),
        other => other.clone(),
    }
}

fn options() -> FormatOptions<'static> {
    FormatOptions::new().with_null("null")
}

/// All rows of one column under a name.
///
/// # Errors
/// - As [`Column::to_arrow`](crate::Column::to_arrow); [`Error::Arrow`](crate::Error::Arrow) for values that have no text.
pub fn format_column(column: ColumnView<'_>, name: &str, stream: &Stream) -> Result<String> {
    let array = displayable(&column.to_column()).to_arrow(stream)?;
    Ok(pretty_format_columns_with_options(name, &[array], &options())?.to_string())
}

/// All rows of a table; columns without a name are called by their position.
///
/// # Errors
/// - As [`format_column`].
pub fn format_table(table: &TableView<'_>, names: &[&str], stream: &Stream) -> Result<String> {
    let columns = table.to_table().columns().iter().map(displayable).collect();
    let table = Table::try_with_rows(columns, table.num_rows())?;
    let batch = table.to_arrow(&table.schema(names), stream)?;
    Ok(pretty_format_batches_with_options(&[batch], &options())?.to_string())
}
