//! Checks that operations share. Each turns bad input into a typed error before anything is allocated or launched.

use gdf_core::{ColumnView, DataType, Error, Result, TableView, same_type};
use gdf_driver::{Device, Stream};

/// The input is on the stream's device.
pub(crate) fn on_device(device: Device, stream: &Stream) -> Result<()> {
    if device == stream.device() {
        Ok(())
    } else {
        Err(Error::DeviceMismatch { expected: stream.device(), found: device })
    }
}

/// Every column is on the stream's device.
pub(crate) fn table_on_device(table: &TableView<'_>, stream: &Stream) -> Result<()> {
    table.columns().iter().try_for_each(|column| on_device(column.device(), stream))
}

/// `found` rows where `expected` are needed.
pub(crate) fn length(expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::LengthMismatch { expected, found }) }
}

/// Both types are the same but for names, nullability and metadata.
pub(crate) fn types(expected: &DataType, found: &DataType) -> Result<()> {
    if same_type(expected, found) { Ok(()) } else { Err(Error::type_mismatch(expected, found)) }
}

/// The column is boolean.
pub(crate) fn boolean(column: &ColumnView<'_>) -> Result<()> {
    types(&DataType::Boolean, column.data_type())
}
