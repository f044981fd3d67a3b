//! A limit on memory, statistics, and an operation that ran out of memory and runs again in halves.

use gdf::memory::{HostResource, LimitingResource, PoolResource, SplitBounds, StatisticsResource, split};
use gdf::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pool = Resource::new(PoolResource::new(Resource::new(HostResource::new())));
    let statistics = StatisticsResource::new(Resource::new(LimitingResource::new(pool, 16 << 20)));
    let resource = Resource::new(statistics.clone());
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let numbers = gdf::fixed_width_from_slice(&vec![1.5; 4_000_000], &stream, mr.as_ref())?;

    let error = scope::with_resource(&resource, || gdf::unary::cast(&numbers, &DataType::Int64))?.unwrap_err();
    println!("{error}");
    assert!(error.is_out_of_memory());
    let sizes = split(&resource, numbers.len(), SplitBounds::default(), |rows| {
        let part = numbers.slice(rows.start, rows.len())?;
        Ok::<_, gdf::Error>(scope::with_resource(&resource, || gdf::unary::cast(&part, &DataType::Int64))??.len())
    })?;
    println!("{} pieces; {:?}", sizes.len(), statistics.statistics());
    Ok(())
}
