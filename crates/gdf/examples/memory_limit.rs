//! Sets a limit on memory, reads statistics, and repeats an operation that ran out of memory on the two halves of its
//! input.

use gdf::memory::{HostResource, LimitingResource, PoolResource, SplitBounds, StatisticsResource, split};
use gdf::prelude::*;
use gdf::unary::cast;

fn main() -> gdf::Result<()> {
    let pool = Resource::new(PoolResource::new(Resource::new(HostResource::new())));
    let statistics = StatisticsResource::new(Resource::new(LimitingResource::new(pool, 16 << 20)));
    let resource = Resource::new(statistics.clone());
    let numbers = Column::full(1.5, 4_000_000)?;

    let to_integers = |numbers: &Column| scope::with_resource(&resource, || cast(numbers, &DataType::Int64));
    println!("{}", to_integers(&numbers).expect_err("more than the limit"));
    let sizes = split(&resource, numbers.len(), SplitBounds::default(), |rows| {
        Ok::<_, gdf::Error>(to_integers(&numbers.slice(rows.start, rows.len())?)?.len())
    })?;
    println!("{} pieces; {:?}", sizes.len(), statistics.statistics());
    Ok(())
}
