//! Makes a column and reads it back. The program does not use the crates that contain algorithms.

use gdf_core::{Column, Error, Table};
use gdf_driver::{Device, Stream};
use gdf_memory::current_resource;

fn nulls(values: &[Option<i64>]) -> Result<usize, Error> {
    let (stream, resource) = (Stream::cpu(), current_resource(Device::Cpu)?);
    let table = Table::try_new(vec![Column::from_options_on(values, &stream, resource.as_ref())?])?;
    table.column(0)?.null_count_on(&stream)
}

fn main() -> Result<(), Error> {
    println!("core-only: {} nulls", nulls(&[Some(1), None])?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_are_counted() {
        assert_eq!(nulls(&[Some(1), None, None]).unwrap(), 2);
    }

    #[test]
    fn nothing_but_what_it_needs_is_built() {
        let lock = include_str!("../Cargo.lock");
        for absent in ["gdf-kernels", "gdf-detail", "gdf-interop"] {
            assert!(!lock.contains(&format!("name = \"{absent}\"")), "{absent}");
        }
    }
}
