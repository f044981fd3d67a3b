//! Device memory with its size.

use arrow_buffer::i256;
use gdf_core::{Error, Result};
use gdf_kernels::{In, Out};
use gdf_memory::{Access, AccessMut};

/// Returns an internal error with the text `what` if `holds` is false.
pub fn require(holds: bool, what: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::internal(what)) }
}

/// Returns the four 64-bit words of a 256-bit integer, the least significant word first. Kernels expect this order.
pub fn words(of: i256) -> [u64; 4] {
    let (low, high) = of.to_parts();
    [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64]
}

macro_rules! memory {
    ($(#[$doc:meta])* $memory:ident, $access:ident, $pointer:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $memory<'m> {
            first: $pointer<'m, u8>,
            bytes: usize,
        }

        impl<'m> $memory<'m> {
            pub fn of(access: &'m $access<'_>) -> Self {
                Self { first: $pointer::of(access), bytes: access.len() }
            }

            /// Returns the address of `len` elements that begin `offset` bytes after the beginning of the memory. The
            /// function returns an error if the elements are not within the memory, or if the offset is not a
            /// multiple of their alignment.
            pub fn array<T>(self, offset: usize, len: usize) -> Result<$pointer<'m, T>> {
                let end = len.checked_mul(size_of::<T>()).and_then(|length| length.checked_add(offset));
                let fits = end.is_some_and(|end| end <= self.bytes) && offset.is_multiple_of(align_of::<T>());
                require(fits, "the memory of a launch is too small")?;
                Ok(if self.first.is_null() { $pointer::NULL } else { self.first.at(offset) })
            }

            /// Returns the address of `rows` values of `width` bytes. The errors are those of [`array`](Self::array).
            pub fn rows(self, rows: usize, width: usize) -> Result<$pointer<'m, u8>> {
                self.array(0, rows.saturating_mul(width))
            }

            pub fn skip(self, offset: usize) -> Self {
                let offset = offset.min(self.bytes);
                Self { first: self.first.at(offset), bytes: self.bytes - offset }
            }
        }
    };
}

memory! {
    /// Memory that kernels write while its access is held. The default value has no bytes.
    Memory, AccessMut, Out
}

memory! {
    /// Memory that kernels read while its access is held. The default value has no bytes.
    Values, Access, In
}

impl<'m> Memory<'m> {
    pub fn read(self) -> Values<'m> {
        Values { first: self.first.read(), bytes: self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use gdf_driver::{Device, Stream};
    use gdf_memory::{Buffer, current_resource};

    use super::*;

    #[test]
    fn arrays_lie_within_their_memory() {
        let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
        let mut buffer = Buffer::uninitialized(40, &stream, mr.as_ref()).unwrap();
        let access = buffer.write_on(&stream).unwrap();
        let memory = Memory::of(&access);
        assert_eq!(memory.array::<u64>(8, 4).unwrap().address(), access.address() + 8);
        assert_eq!(memory.skip(16).rows(3, 8).unwrap().address(), access.address() + 16);
        assert_eq!(memory.read().rows(5, 8).unwrap().address(), access.address());
        assert!(memory.array::<u64>(8, 5).is_err(), "one too many");
        assert!(memory.array::<u64>(4, 1).is_err(), "misaligned");
        assert!(memory.array::<u64>(0, usize::MAX).is_err() && memory.array::<u8>(usize::MAX, 1).is_err());
        assert!(memory.skip(41).rows(1, 1).is_err() && memory.read().skip(33).rows(1, 8).is_err());
        assert!(Memory::default().rows(0, 8).unwrap().is_null() && Memory::default().rows(1, 1).is_err());
    }
}
