//! A column to another library and back, through Arrow's C device interface, without a copy.

use gdf::interop::{InteropError, from_arrow_device, to_arrow_device, to_arrow_schema};
use gdf::prelude::*;

fn main() -> Result<(), InteropError> {
    let (stream, resource) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
    let column = Column::from_options(&[Some(1), None, Some(3)])?;
    let (schema, array) = (to_arrow_schema(column.data_type())?, to_arrow_device(column, &stream)?);
    // SAFETY: the array is one of ours.
    let again = unsafe { from_arrow_device(array, &schema, &stream, &resource)? };
    println!("{again}");
    Ok(())
}
