//! Two threads on shared data: each has a stream of its own, and nothing to synchronize.

use gdf::prelude::*;
use gdf::reduction::{max, sum};

fn main() -> gdf::Result<()> {
    let numbers = Column::sequence(0_i64, 1, 1_000_000)?;
    let on_own_stream = |reduce: fn(&Column) -> gdf::Result<Scalar>| {
        scope::with_stream(&Stream::new(Device::Cpu)?, || reduce(&numbers)?.value::<i64>())
    };
    let (sum, max) = std::thread::scope(|threads| {
        let sum = threads.spawn(|| on_own_stream(|column| sum(column)));
        let max = threads.spawn(|| on_own_stream(|column| max(column)));
        (sum.join(), max.join())
    });
    println!("sum {:?}, largest {:?}", sum.expect("no panic")?, max.expect("no panic")?);
    Ok(())
}
