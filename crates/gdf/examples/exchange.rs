//! Exports a column to another library, as the struct of Arrow's C device interface, without a copy. An import takes as
//! few lines, but is `unsafe`, because gdf has to trust the pointers of the struct.

use gdf::interop::{InteropError, to_arrow_device, to_arrow_schema};
use gdf::prelude::*;

fn main() -> Result<(), InteropError> {
    let column = Column::from_options(&[Some(1), None, Some(3)])?;
    let (schema, array) = (to_arrow_schema(column.data_type())?, to_arrow_device(column, &Stream::cpu())?);
    let (rows, nulls) = (array.array().length(), array.array().null_count());
    println!("{} rows of {}, {} null, on {:?}", rows, schema.to_field()?.data_type(), nulls, array.device_type());
    Ok(()) // dropping the structs releases them
}
