//! Two threads on shared data: each has a stream of its own, and nothing to synchronize.

use gdf::prelude::*;
use gdf::reduction::{ReduceAggregation, reduce};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let numbers = gdf::fixed_width_from_slice(&(0..1_000_000_i64).collect::<Vec<_>>(), &stream, mr.as_ref())?;

    let of = |aggregation| {
        let (numbers, stream) = (&numbers, Stream::new(Device::Cpu));
        move || -> gdf::Result<Option<i64>> {
            let stream = stream?;
            let result = scope::with_stream(&stream, || reduce(numbers, aggregation, &DataType::Int64))?;
            result.value(&stream)
        }
    };
    let (sum, max) = std::thread::scope(|threads| {
        let (sum, max) = (threads.spawn(of(ReduceAggregation::Sum)), threads.spawn(of(ReduceAggregation::Max)));
        (sum.join(), max.join())
    });
    println!("sum {:?}, largest {:?}", sum.expect("no panic")?, max.expect("no panic")?);
    Ok(())
}
