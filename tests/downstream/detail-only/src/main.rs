//! Concatenates columns. The program passes the stream and the resources explicitly, and does not use gdf-api.

use gdf_core::{Column, Error};
use gdf_driver::{Device, Stream};
use gdf_memory::current_resource;

fn twice(values: &[i32]) -> Result<usize, Error> {
    gdf_detail::init();
    let (stream, resource) = (Stream::cpu(), current_resource(Device::Cpu)?);
    let column = Column::from_slice_on(values, &stream, resource.as_ref())?;
    let both = [column.view(), column.view()];
    Ok(gdf_detail::concatenate::concatenate_columns(&both, gdf_detail::Ctx::new(&stream, &resource))?.len())
}

fn main() -> Result<(), Error> {
    println!("detail-only: {} rows", twice(&[1, 2, 3])?);
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
        for absent in ["gdf-api", "gdf-interop", "tracing-subscriber"] {
            assert!(!lock.contains(&format!("name = \"{absent}\"")), "{absent}");
        }
    }
}
