//! Shares an Arrow array with a column and slices it, on the CPU.

use std::error::Error;
use std::sync::Arc;

use gdf::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use gdf::memory::current_resource;
use gdf::prelude::*;

fn round_trip(values: Vec<Option<i64>>, skip: usize) -> Result<Arc<dyn Array>, Box<dyn Error>> {
    let stream = Stream::cpu();
    let resource = current_resource(Device::Cpu)?;
    let column = Column::from_arrow(&Int64Array::from(values), &stream, resource.as_ref())?;
    let rest = column.slice(skip, column.len() - skip)?;
    Ok(rest.to_arrow(&stream)?)
}

/// Runs the examples of the crate's README, which need no dependency except gdf.
fn first_steps() -> Result<(Table, RecordBatch), Box<dyn Error>> {
    let prices =
        Table::try_new(vec![Column::from_strs(["tea", "rice", "wine"])?, Column::from_slice(&[2.5, 4.0, 10.0])?])?;
    let expensive = gdf::binaryop::gt(prices.column(1)?, 3.0)?;
    let kept = gdf::stream_compaction::apply_boolean_mask(&prices, &expensive)?;
    let names: ArrayRef = Arc::new(StringArray::from(vec!["rice", "wine"]));
    let batch = RecordBatch::try_from_iter([("name", names)])?;
    Ok((kept, batch))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", first_steps()?.0.display_with(&["name", "price"]));
    println!("default: {} rows", round_trip(vec![Some(1), None, Some(3)], 1)?.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_steps_work() {
        let (kept, batch) = first_steps().unwrap();
        assert_eq!(kept.select(&[0]).unwrap().to_batch(&batch.schema()).unwrap(), batch);
        assert!(kept.to_string().ends_with("2 rows × 2 columns on cpu"));
    }

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
