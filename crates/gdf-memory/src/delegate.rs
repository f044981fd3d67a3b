//! A macro for resources that delegate functions to another resource.

/// Implements the named functions of [`MemoryResource`](crate::MemoryResource) by calls of the same functions on a
/// field of `self`. The field is a [`Resource`](crate::Resource).
///
/// A resource that delegates `deallocate` and `deallocate_sync` must hand out only blocks that the field allocated,
/// with unchanged pointer, size and alignment.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate {
    ($to:tt: $($function:ident),* $(,)?) => { $($crate::delegate!(@ $function $to);)* };
    (@ deallocate $to:tt) => {
        unsafe fn deallocate(
            &self,
            ptr: std::ptr::NonNull<u8>,
            bytes: usize,
            align: usize,
            stream: &$crate::__driver::Stream,
        ) {
            // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller upholds
            // the other preconditions.
            unsafe { self.$to.deallocate(ptr, bytes, align, stream) }
        }
    };
    (@ deallocate_sync $to:tt) => {
        unsafe fn deallocate_sync(&self, ptr: std::ptr::NonNull<u8>, bytes: usize, align: usize) {
            // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller upholds
            // the other preconditions.
            unsafe { self.$to.deallocate_sync(ptr, bytes, align) }
        }
    };
    (@ trim $to:tt) => {
        fn trim(&self) -> usize {
            self.$to.trim()
        }
    };
    (@ properties $to:tt) => {
        fn properties(&self) -> $crate::Properties {
            self.$to.properties()
        }
    };
    (@ device $to:tt) => {
        fn device(&self) -> $crate::__driver::Device {
            self.$to.device()
        }
    };
}
