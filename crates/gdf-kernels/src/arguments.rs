//! The arguments of kernels: a struct of each kernel's parameters, and which kernel takes it.

use std::ffi::c_void;

use crate::info::KernelId;
use crate::pointer::Scratch;

/// The arguments of a kernel: a generated struct with a field for each of its parameters but scratch memory, which the launch passes.
///
/// # Safety
/// [`with_pointers`](Self::with_pointers) passes a pointer to a value of each parameter's type, in their order.
pub unsafe trait Arguments: Copy {
    /// The same struct without a bound on how long its addresses are good: what a [`Kernel`](crate::Kernel) is typed by, so that it
    /// launches with arguments of one lifetime after the other.
    type Static: Arguments<Static = Self::Static> + 'static;

    /// Whether the kernel takes the stream's scratch memory.
    const TAKES_SCRATCH: bool;

    /// Calls `launch` with a pointer to each argument, to `scratch` among them where the kernel takes it.
    fn with_pointers<R>(&self, scratch: Scratch, launch: impl FnOnce(&mut [*mut c_void]) -> R) -> R;
}

/// The arguments of one kernel.
pub trait OneKernel: Arguments<Static = Self> {
    /// That kernel.
    const ID: KernelId;
}

/// The arguments of a family of kernels with the same parameters.
pub trait Family: Arguments<Static = Self> {
    /// Which of them.
    type Kernel: Copy + Into<KernelId>;
}

/// The arguments of a [`Family`], of any lifetime.
pub trait FamilyArguments: Arguments<Static: Family<Kernel = <Self as FamilyArguments>::Kernel>> {
    /// Which of its kernels.
    type Kernel: Copy + Into<KernelId>;
}

impl<A: Arguments<Static: Family>> FamilyArguments for A {
    type Kernel = <A::Static as Family>::Kernel;
}

/// Implements [`Arguments`] for a struct whose fields are a kernel's parameters in their order. Scratch memory stands between
/// those before it and those behind it.
macro_rules! arguments {
    ($name:ident { $($field:ident),* }) => {
        // SAFETY: the fields are the kernel's parameters, of their types and in their order: both are generated.
        unsafe impl $crate::arguments::Arguments for $name<'_> {
            type Static = $name<'static>;

            const TAKES_SCRATCH: bool = false;

            fn with_pointers<R>(
                &self,
                _: $crate::pointer::Scratch,
                launch: impl FnOnce(&mut [*mut std::ffi::c_void]) -> R,
            ) -> R {
                launch(&mut [$((&raw const self.$field).cast_mut().cast()),*])
            }
        }
    };
    ($name:ident { $($before:ident),* } scratch { $($behind:ident),* }) => {
        // SAFETY: the fields and scratch memory are the kernel's parameters, of their types and in their order: both are
        // generated.
        unsafe impl $crate::arguments::Arguments for $name<'_> {
            type Static = $name<'static>;

            const TAKES_SCRATCH: bool = true;

            fn with_pointers<R>(
                &self,
                scratch: $crate::pointer::Scratch,
                launch: impl FnOnce(&mut [*mut std::ffi::c_void]) -> R,
            ) -> R {
                launch(&mut [
                    $((&raw const self.$before).cast_mut().cast(),)*
                    (&raw const scratch).cast_mut().cast(),
                    $((&raw const self.$behind).cast_mut().cast(),)*
                ])
            }
        }
    };
}
pub(crate) use arguments;

#[cfg(test)]
mod tests {
    use std::ptr::from_ref;

    use super::*;
    use crate::generated::null_mask::{Count, Set};
    use crate::{In, Out};

    #[test]
    fn scratch_memory_stands_where_the_kernel_takes_it() {
        let count = Count { mask: In::NULL, begin: 1, end: 2, unset: Out::NULL };
        let inside = from_ref(&count).addr()..from_ref(&count).addr() + size_of::<Count>();
        count.with_pointers(Scratch::NONE, |pointers| {
            let addresses: Vec<usize> = pointers.iter().map(|pointer| pointer.addr()).collect();
            let [mask, begin, end, scratch, unset] = addresses[..] else { panic!("{} parameters", addresses.len()) };
            assert_eq!([mask, begin], [from_ref(&count.mask).addr(), from_ref(&count.begin).addr()]);
            assert_eq!([end, unset], [from_ref(&count.end).addr(), from_ref(&count.unset).addr()]);
            assert!(!inside.contains(&scratch));
        });
        assert_eq!((Count::TAKES_SCRATCH, Set::TAKES_SCRATCH), (true, false));
    }
}
