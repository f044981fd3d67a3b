//! Puts bytes into a buffer and reads a shared slice of the buffer. The program uses only gdf-memory and the driver
//! crate.

use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, MemoryError, current_resource};

fn tail(bytes: &[u8], offset: usize) -> Result<Vec<u8>, MemoryError> {
    let stream = Stream::cpu();
    let resource = current_resource(Device::Cpu)?;
    let buffer = Buffer::from_host(bytes, &stream, resource.as_ref())?;
    let length = buffer.len().saturating_sub(offset);
    buffer.slice(offset, length)?.to_host(&stream)
}

fn main() -> Result<(), MemoryError> {
    println!("memory-only: {:?}", tail(&[1, 2, 3, 4], 2)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_share_what_was_put_in() {
        assert_eq!(tail(&[1, 2, 3, 4], 1).unwrap(), [2, 3, 4]);
        assert_eq!(tail(&[], 0).unwrap(), [] as [u8; 0]);
    }

    #[test]
    fn a_slice_past_the_end_is_an_error() {
        assert!(tail(&[1], 2).is_err());
    }
}
