//! Device addresses as kernels take them: made from accesses, typed by what lies there and by whether it is written.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use gdf_driver::{Result, Stream};
use gdf_memory::{Access, AccessMut, Mailbox};

/// Memory that kernels may read: an access to a buffer, or a mailbox.
pub trait Readable {
    /// The address of the first byte.
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
            /// No address.
            pub const NULL: Self = Self(0, PhantomData);

            $(#[$of])*
            pub fn of(memory: &'a impl $memory) -> Self {
                Self(memory.first_byte(), PhantomData)
            }

            /// `of`, or null for no memory.
            pub fn of_option(memory: Option<&'a impl $memory>) -> Self {
                memory.map_or(Self::NULL, Self::of)
            }

            /// An address of any origin.
            ///
            /// # Safety
            /// Whoever launches a kernel with it vouches for what lies there.
            pub const unsafe fn danger_from_address(address: u64) -> Self {
                Self(address, PhantomData)
            }

            /// What lies `bytes` bytes further on, of whatever type.
            pub fn at<U>(self, bytes: usize) -> $name<'a, U> {
                let address = self.0.wrapping_add(bytes as u64);
                assert!(address.is_multiple_of(align_of::<U>() as u64), "misaligned for a kernel");
                $name(address, PhantomData)
            }

            /// The same address, of another type.
            pub fn cast<U>(self) -> $name<'a, U> {
                self.at(0)
            }

            /// The element of that index.
            pub fn element(self, index: usize) -> Self {
                self.at(index * size_of::<T>())
            }

            /// Whether there is no address.
            pub fn is_null(self) -> bool {
                self.0 == 0
            }

            /// The address; it says nothing about who may dereference it.
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

        // SAFETY: a transparent 64-bit integer beside a type of no size.
        unsafe impl<T> Plain for $name<'_, T> {}
    };
}

pointer! {
    /// The address of what a kernel reads (`const T*`), good for `'a`: while its access is held.
    In, Readable;

    /// The first byte of `memory`. Whatever the address is part of, up to the arguments of a launch, borrows the access:
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
    /// An access that ends before does not compile:
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
    /// The address of what a kernel writes, and may read (`T*`), good for `'a`: while its access is held.
    Out, Writable;

    /// The first byte of `memory`; see [`In::of`].
}

impl<'a, T> Out<'a, T> {
    /// The same memory for a kernel that only reads it.
    pub fn read(self) -> In<'a, T> {
        In(self.0, PhantomData)
    }
}

/// A type of a known layout without padding, as [`bytemuck::Pod`] is, which however may hold addresses with a lifetime.
///
/// # Safety
/// Every byte of a value is initialized.
pub unsafe trait Plain: Copy {}

/// Implements [`Plain`] for a generated struct, all of whose fields are plain.
macro_rules! plain {
    ($name:ident { $($field:ident),* }) => {
        const _: () = assert!(
            size_of::<$name>() == 0 $(+ $crate::pointer::width(|value: &$name<'static>| &value.$field))*,
            "padding"
        );
        // SAFETY: fields are integers, floats, addresses, or structs of such (the generator asks for it), and nothing lies
        // between them (the assertion above).
        unsafe impl $crate::Plain for $name<'_> {}
    };
}
pub(crate) use plain;

/// The size of a field.
pub(crate) const fn width<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

/// The bytes of descriptors, to copy them into device memory. Kernels follow the addresses that they find there: whoever
/// launches such a kernel holds the accesses that the descriptors were made of until it is enqueued.
pub fn bytes_of<T: Plain>(descriptors: &[T]) -> &[u8] {
    // SAFETY: the bytes of the slice, all of them initialized (`Plain`), for as long as it is borrowed.
    unsafe { std::slice::from_raw_parts(descriptors.as_ptr().cast(), size_of_val(descriptors)) }
}

/// The scratch memory of a stream (`gdf::scratch*`), which a launch passes to a kernel that takes it: tickets and sums of the
/// kernel's blocks, without an allocation and without a launch that clears it. What a kernel finds zero there it leaves zero, so
/// launches of one stream use it in turn. The driver layer makes it at a stream's first such launch, and hands it on to another
/// stream of the device when that one is dropped: a launch neither sizes, clears nor frees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Scratch(u64);

impl Scratch {
    /// For kernels that take none.
    pub(crate) const NONE: Self = Self(0);

    /// That of `stream`.
    ///
    /// # Errors
    /// * Errors of the driver when it is made, at the first call.
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
