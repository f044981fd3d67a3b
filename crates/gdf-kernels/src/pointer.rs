//! Device addresses as arguments of kernels. An address comes from an access to a buffer. The type of an address states
//! the type of the elements, and whether the kernel writes the memory.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use gdf_driver::{Result, Stream};
use gdf_memory::{Access, AccessMut, Mailbox};

/// Memory that kernels may read. The memory is an access to a buffer, or a mailbox.
pub trait Readable {
    /// Returns the address of the first byte.
    fn first_byte(&self) -> u64;
}

/// Memory that kernels may write.
pub trait Writable: Readable {}

impl Readable for Access<'_> {
    fn first_byte(&self) -> u64 {
        self.address()
    }
}

impl Readable for AccessMut<'_> {
    fn first_byte(&self) -> u64 {
        self.address()
    }
}

impl Readable for Mailbox {
    fn first_byte(&self) -> u64 {
        self.address()
    }
}

impl Writable for AccessMut<'_> {}
impl Writable for Mailbox {}

macro_rules! pointer {
    ($(#[$doc:meta])* $name:ident, $memory:ident; $(#[$of:meta])*) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<'a, T>(u64, PhantomData<(&'a (), fn() -> T)>);

        impl<'a, T> $name<'a, T> {
            /// The null address.
            pub const NULL: Self = Self(0, PhantomData);

            $(#[$of])*
            pub fn of(memory: &'a impl $memory) -> Self {
                Self(memory.first_byte(), PhantomData)
            }

            /// Returns the address of `memory`. If `memory` is `None`, the result is the null address.
            pub fn of_option(memory: Option<&'a impl $memory>) -> Self {
                memory.map_or(Self::NULL, Self::of)
            }

            /// Returns an address that does not come from an access.
            ///
            /// # Safety
            /// Code that launches a kernel with the address must guarantee that the kernel expects the memory at this
            /// address.
            pub const unsafe fn danger_from_address(address: u64) -> Self {
                Self(address, PhantomData)
            }

            /// Returns the address that is `bytes` bytes higher, for elements of type `U`.
            pub fn at<U>(self, bytes: usize) -> $name<'a, U> {
                let address = self.0.wrapping_add(bytes as u64);
                assert!(address.is_multiple_of(align_of::<U>() as u64), "misaligned for a kernel");
                $name(address, PhantomData)
            }

            /// Returns the same address, for elements of type `U`.
            pub fn cast<U>(self) -> $name<'a, U> {
                self.at(0)
            }

            /// Returns the address of the element `index`.
            pub fn element(self, index: usize) -> Self {
                self.at(index * size_of::<T>())
            }

            /// Returns whether the address is null.
            pub fn is_null(self) -> bool {
                self.0 == 0
            }

            /// Returns the address as a number. The number does not borrow the access that keeps the memory valid.
            pub fn address(self) -> u64 {
                self.0
            }
        }

        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<'_, T> {}

        impl<T> Default for $name<'_, T> {
            fn default() -> Self {
                Self::NULL
            }
        }

        impl<T> PartialEq for $name<'_, T> {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl<T> Eq for $name<'_, T> {}

        impl<T> Hash for $name<'_, T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }

        impl<T> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.0)
            }
        }

        // SAFETY: the type is a transparent 64-bit integer beside a zero-sized type.
        unsafe impl<T> Plain for $name<'_, T> {}
    };
}

pointer! {
    /// The address of memory that a kernel reads (`const T*`). The address is valid for the lifetime `'a`, during which
    /// the access is held.
    In, Readable;

    /// Returns the address of the first byte of `memory`. Every value that contains the address, up to the arguments of
    /// a launch, borrows the access:
    ///
    /// ```
    /// # use gdf_driver::{Device, Stream};
    /// # use gdf_memory::{Buffer, current_resource};
    /// use gdf_kernels::generated::null_mask::Count;
    /// use gdf_kernels::{In, Out};
    ///
    /// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
    /// let buffer = Buffer::zeroed(8, &stream, mr.as_ref())?;
    /// let access = buffer.read_on(&stream)?;
    /// let arguments = Count { mask: In::of(&access), begin: 0, end: 64, unset: Out::NULL };
    /// assert_eq!(arguments.mask.address(), access.address());
    /// drop(access);
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// If the access is dropped before its last use, the code does not compile:
    ///
    /// ```compile_fail,E0505
    /// # use gdf_driver::{Device, Stream};
    /// # use gdf_memory::{Buffer, current_resource};
    /// use gdf_kernels::generated::null_mask::Count;
    /// use gdf_kernels::{In, Out};
    ///
    /// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
    /// let buffer = Buffer::zeroed(8, &stream, mr.as_ref())?;
    /// let access = buffer.read_on(&stream)?;
    /// let arguments = Count { mask: In::of(&access), begin: 0, end: 64, unset: Out::NULL };
    /// drop(access);
    /// assert_eq!(arguments.end, 64);
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
}

pointer! {
    /// The address of memory that a kernel writes and may read (`T*`). The address is valid for the lifetime `'a`,
    /// during which the access is held.
    Out, Writable;

    /// Returns the address of the first byte of `memory`. See [`In::of`].
}

impl<'a, T> Out<'a, T> {
    /// Returns the address of the same memory, for a kernel that only reads the memory.
    pub fn read(self) -> In<'a, T> {
        In(self.0, PhantomData)
    }
}

/// A type with a known layout and without padding. The trait differs from [`bytemuck::Pod`] in one point: a plain type
/// may contain addresses with a lifetime.
///
/// # Safety
/// Every byte of a value of the type must be initialized.
pub unsafe trait Plain: Copy {}

/// Implements [`Plain`] for a generated struct. All fields of the struct must be plain.
macro_rules! plain {
    ($name:ident { $($field:ident),* }) => {
        const _: () = assert!(
            size_of::<$name>() == 0 $(+ $crate::pointer::width(|value: &$name<'static>| &value.$field))*,
            "padding"
        );
        // SAFETY: the fields are integers, floats, addresses, or structs of these types, because the generator requires
        // it. The assertion above ensures that there is no padding between the fields.
        unsafe impl $crate::Plain for $name<'_> {}
    };
}
pub(crate) use plain;

pub(crate) const fn width<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

/// Returns the bytes of descriptors, so that code can copy them to device memory. Kernels read memory at the addresses
/// in these descriptors, and the descriptors do not borrow the accesses in device memory. Therefore code that launches
/// such a kernel must hold the accesses until the launch is enqueued.
pub fn bytes_of<T: Plain>(descriptors: &[T]) -> &[u8] {
    // SAFETY: the result covers exactly the bytes of the slice. All bytes are initialized (`Plain`). The result borrows
    // the slice.
    unsafe { std::slice::from_raw_parts(descriptors.as_ptr().cast(), size_of_val(descriptors)) }
}

/// The scratch memory of a stream (`gdf::scratch*`). A launch passes the memory to kernels that number their blocks or
/// exchange sums between blocks. Therefore successive launches of a stream can share the memory, and no launch has to
/// clear it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Scratch(u64);

impl Scratch {
    pub(crate) const NONE: Self = Self(0);

    /// Returns the scratch memory of `stream`.
    ///
    /// # Errors
    /// * Errors of the driver while it allocates the memory. Only the first call for a stream allocates.
    pub(crate) fn of(stream: &Stream) -> Result<Self> {
        stream.scratch().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_move_by_bytes_or_elements() {
        // SAFETY: nothing is launched.
        let base = unsafe { Out::<u8>::danger_from_address(256) };
        assert_eq!(base.at::<u64>(16).element(2).address(), 288);
        assert_eq!(base.read().cast::<u32>().address(), 256);
        assert!(In::<u8>::NULL.is_null() && !base.is_null() && Out::<u8>::default().is_null());
        assert_eq!(size_of::<Option<In<u8>>>(), 16);
        assert_eq!(bytes_of(&[base.at::<u8>(1)]), 257_u64.to_ne_bytes());
    }

    #[test]
    #[should_panic(expected = "misaligned")]
    fn misaligned_addresses_are_seen_in_debug_builds() {
        // SAFETY: nothing is launched.
        let _ = unsafe { Out::<u8>::danger_from_address(256) }.at::<u32>(2);
    }
}
