//! Orders the work of two CPU streams by an event, with gdf-driver as the only crate of gdf.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use gdf_driver::{Device, DriverError, Stream};

fn in_order() -> Result<u32, DriverError> {
    let (first, second) = (Stream::new(Device::Cpu)?, Stream::new(Device::Cpu)?);
    let value = Arc::new(AtomicU32::new(0));
    let (write, double) = (Arc::clone(&value), Arc::clone(&value));
    first.enqueue(move || write.store(21, Ordering::Relaxed))?;
    second.wait(&first.record()?)?;
    second.enqueue(move || double.store(2 * double.load(Ordering::Relaxed), Ordering::Relaxed))?;
    second.synchronize()?;
    Ok(value.load(Ordering::Relaxed))
}

fn main() -> Result<(), DriverError> {
    println!("driver-only: {}", in_order()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_stream_sees_what_the_first_wrote() {
        assert_eq!(in_order().unwrap(), 42);
    }

    #[test]
    fn nothing_but_what_it_needs_is_built() {
        let lock = include_str!("../Cargo.lock");
        for absent in ["gdf-memory", "gdf-core", "arrow-schema", "rayon"] {
            assert!(!lock.contains(&format!("name = \"{absent}\"")), "{absent}");
        }
    }
}
