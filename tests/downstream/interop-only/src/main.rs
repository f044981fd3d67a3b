//! Exports and imports columns. The program uses neither the crates that contain algorithms nor the arrays of arrow-rs.

use gdf_core::{Column, make_strings_column};
use gdf_driver::{Device, Stream};
use gdf_interop::{InteropError, from_arrow_device, to_arrow_device, to_arrow_schema};
use gdf_memory::current_resource;

/// Exports and imports the column through Arrow's C interface, and returns the number of null rows.
fn round_trip(column: &Column) -> Result<usize, InteropError> {
    let (stream, resource) = (Stream::cpu(), current_resource(Device::Cpu)?);
    let schema = to_arrow_schema(column.data_type())?;
    let array = to_arrow_device(column, &stream)?;
    // SAFETY: `to_arrow_device` has just made the array, so the array is valid, and its schema describes the array.
    let again = unsafe { from_arrow_device(array, &schema, &stream, resource.as_ref())? };
    Ok(again.null_count_on(&stream)?)
}

fn text(rows: &[Option<&str>]) -> Result<Column, InteropError> {
    let resource = current_resource(Device::Cpu)?;
    Ok(Column::from_strs_on(rows, &Stream::cpu(), resource.as_ref())?)
}

fn with_offsets(column: &Column, offsets: &[i32]) -> Result<Column, InteropError> {
    let (stream, resource) = (Stream::cpu(), current_resource(Device::Cpu)?);
    let offsets = gdf_core::Column::from_slice_on(offsets, &stream, resource.as_ref())?;
    Ok(make_strings_column(&offsets, column.buffers()[1].clone(), None)?)
}

fn main() -> Result<(), InteropError> {
    let column = text(&[Some("a"), None])?;
    println!(
        "interop-only: {} nulls, broken text refused: {}",
        round_trip(&column)?,
        round_trip(&with_offsets(&column, &[0, 9])?).is_err()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_looked_at() {
        let column = text(&[Some("ab"), None, Some("c")]).unwrap();
        assert_eq!(round_trip(&column).unwrap(), 1);
        assert_eq!(round_trip(&with_offsets(&column, &[0, 1, 3]).unwrap()).unwrap(), 0);
        for broken in [[0, 1, 4], [0, 2, 1], [-1, 1, 3]] {
            assert!(round_trip(&with_offsets(&column, &broken).unwrap()).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn nothing_but_what_it_needs_is_built() {
        let lock = include_str!("../Cargo.lock");
        for absent in ["gdf-detail", "gdf-kernels", "gdf-api", "arrow-array", "arrow-cast", "arrow-data"] {
            assert!(!lock.contains(&format!("name = \"{absent}\"")), "{absent}");
        }
    }
}
