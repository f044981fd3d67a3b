//! Shares an Arrow array with a column and slices it, on the CPU.

use std::error::Error;
use std::sync::Arc;

use gdf::arrow::array::{Array, Int64Array};
use gdf::memory::current_resource;
use gdf::{Column, Device, Stream};

fn round_trip(values: Vec<Option<i64>>, skip: usize) -> Result<Arc<dyn Array>, Box<dyn Error>> {
    let stream = Stream::cpu();
    let resource = current_resource(Device::Cpu)?;
    let column = Column::from_arrow(&Int64Array::from(values), &stream, resource.as_ref())?;
    let rest = column.slice(skip, column.len() - skip)?;
    Ok(rest.to_arrow(&stream)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("default: {} rows", round_trip(vec![Some(1), None, Some(3)], 1)?.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_nulls_come_back() {
        let back = round_trip(vec![Some(1), None, Some(3)], 1).unwrap();
        assert_eq!(back.as_ref(), &Int64Array::from(vec![None, Some(3)]) as &dyn Array);
    }

    #[test]
    fn without_the_feature_there_is_no_driver() {
        let device: Device = "cuda:0".parse().unwrap();
        assert!(device.open().is_err());
    }
}
