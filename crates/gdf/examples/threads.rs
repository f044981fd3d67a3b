//! Two threads work on shared data. Each thread has its own stream, and no explicit synchronization is needed.

use gdf::prelude::*;
use gdf::reduction::{max, sum};

fn main() -> gdf::Result<()> {
    let numbers = Column::sequence(0_i64, 1, 1_000_000)?;
    let (sum, max) = std::thread::scope(|threads| {
        let sum = threads.spawn(|| scope::with_stream(&Stream::new(Device::Cpu)?, || sum(&numbers)?.value::<i64>()));
        let max = threads.spawn(|| scope::with_stream(&Stream::new(Device::Cpu)?, || max(&numbers)?.value::<i64>()));
        (sum.join(), max.join())
    });
    println!("sum {:?}, largest {:?}", sum.expect("no panic")?, max.expect("no panic")?);
    Ok(())
}
