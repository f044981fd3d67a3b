//! Delegation: functions of a resource that only call those of another one.

/// Writes the named functions of [`MemoryResource`](crate::MemoryResource) so that they delegate to a field of `self`,
/// a [`Resource`](crate::Resource): `delegate!(upstream: deallocate, deallocate_sync, trim, properties, device)`.
///
/// Whoever delegates `deallocate` and `deallocate_sync` sees to it that all blocks are the field's, and unchanged.
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
