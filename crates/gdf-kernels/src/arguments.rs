//! The arguments of kernels. Each kernel or family of kernels has a struct whose fields are the parameters. The type of
//! the struct determines the kernel or the family.

use std::ffi::c_void;

use crate::info::KernelId;
use crate::pointer::Scratch;

/// The arguments of a kernel. A generated struct has a field for each parameter except scratch memory. The launch
/// passes scratch memory.
///
/// # Safety
/// [`with_pointers`](Self::with_pointers) must pass a pointer to a value of the type of each parameter, in the order of
/// the parameters.
pub unsafe trait Arguments: Copy {
    /// The struct with `'static` addresses. [`Kernel`](crate::Kernel) has this type as its parameter, so that a
    /// kernel can be launched with arguments of different lifetimes.
    type Static: Arguments<Static = Self::Static> + 'static;

    /// Whether the kernel takes the stream's scratch memory.
    const TAKES_SCRATCH: bool;

    /// Calls `launch` with a pointer to each argument. If the kernel takes scratch memory, the pointers include a
    /// pointer to `scratch`.
    fn with_pointers<R>(&self, scratch: Scratch, launch: impl FnOnce(&mut [*mut c_void]) -> R) -> R;
}

/// The arguments of one kernel.
pub trait OneKernel: Arguments<Static = Self> {
    /// The kernel that takes the arguments.
    const ID: KernelId;
}

/// The arguments of a family of kernels with the same parameters.
pub trait Family: Arguments<Static = Self> {
    /// The enum of the kernels in the family.
    type Kernel: Copy + Into<KernelId>;
}

/// The arguments of a [`Family`], with any lifetime.
pub trait FamilyArguments: Arguments<Static: Family<Kernel = <Self as FamilyArguments>::Kernel>> {
    /// The enum of the kernels in the family.
    type Kernel: Copy + Into<KernelId>;
}

impl<A: Arguments<Static: Family>> FamilyArguments for A {
    type Kernel = <A::Static as Family>::Kernel;
}

/// Implements [`Arguments`] for a struct whose fields are the parameters of a kernel, in the same order.
macro_rules! arguments {
    ($name:ident { $($field:ident),* }) => {
        // SAFETY: the fields have the types and the order of the kernel's parameters, because both are generated.
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
        // SAFETY: the fields and scratch memory have the types and the order of the kernel's parameters, because both
        // are generated.
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
