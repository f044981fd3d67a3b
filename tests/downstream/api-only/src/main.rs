//! Concatenates columns on a stream that the program creates. The program uses gdf-api, but not gdf.

use gdf_api::{concatenate, scope};
use gdf_core::{Column, Error};
use gdf_driver::{Device, Stream};
use gdf_memory::current_resource;

fn twice(values: &[i32]) -> Result<usize, Error> {
    let (stream, resource) = (Stream::new(Device::Cpu)?, current_resource(Device::Cpu)?);
    let column = Column::from_slice_on(values, &stream, resource.as_ref())?;
    let both = [column.view(), column.view()];
    Ok(scope::with_stream(&stream, || concatenate::concatenate_columns(&both))?.len())
}

fn main() -> Result<(), Error> {
    println!("api-only: {} rows", twice(&[1, 2, 3])?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_doubled() {
        assert_eq!(twice(&[1, 2, 3]).unwrap(), 6);
    }

    #[test]
    fn nothing_but_what_it_needs_is_built() {
        let lock = include_str!("../Cargo.lock");
        for absent in ["gdf", "gdf-interop", "tracing-subscriber"] {
            assert!(!lock.contains(&format!("name = \"{absent}\"")), "{absent}");
        }
    }
}
