//! The functions of a resource that does nothing else in them than to ask another one.

/// Writes the named functions of [`MemoryResource`](crate::MemoryResource) so that they are passed on to a field of `self`,
/// a [`Resource`](crate::Resource): `pass_on!(upstream: deallocate, deallocate_sync, trim, properties, device)`.
///
/// Whoever passes on `deallocate` and `deallocate_sync` sees to it that all blocks are the field's, and unchanged.
#[doc(hidden)]
#[macro_export]
macro_rules! pass_on {
    ($to:tt: $($function:ident),* $(,)?) => { $($crate::pass_on!(@ $function $to);)* };
    (@ deallocate $to:tt) => {
        unsafe fn deallocate(
            &self,
            ptr: std::ptr::NonNull<u8>,
            bytes: usize,
            align: usize,
            stream: &$crate::__driver::Stream,
        ) {
            // SAFETY: passed on unchanged; the block is the upstream's.
            unsafe { self.$to.deallocate(ptr, bytes, align, stream) }
        }
    };
    (@ deallocate_sync $to:tt) => {
        unsafe fn deallocate_sync(&self, ptr: std::ptr::NonNull<u8>, bytes: usize, align: usize) {
            // SAFETY: passed on unchanged; the block is the upstream's.
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
