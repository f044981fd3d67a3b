//! The common code of adaptors that pass blocks of an upstream through, and that act before or after a call of the
//! upstream.

use std::any::Any;
use std::fmt::Debug;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::Stream;

use crate::{Resource, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Anything,
    Zeros,
    Initialized,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) bytes: usize,
    pub(crate) align: usize,
    pub(crate) content: Content,
    /// The stream of the request. `None` means that every stream must be able to use the block when the call returns.
    pub(crate) stream: Option<&'a Stream>,
}

impl Request<'_> {
    pub(crate) fn ask(&self, upstream: &Resource) -> Result<NonNull<u8>> {
        let Some(stream) = self.stream else { return upstream.allocate_sync(self.bytes, self.align) };
        match self.content {
            Content::Anything => upstream.allocate(self.bytes, self.align, stream),
            Content::Zeros => upstream.allocate_zeroed(self.bytes, self.align, stream),
            Content::Initialized => upstream.allocate_initialized(self.bytes, self.align, stream),
        }
    }
}

pub(crate) trait Around: Send + Sync + Debug {
    const NAME: &'static str;

    fn upstream(&self) -> &Resource;

    fn on_spilling(self: Arc<Self>) -> Option<Arc<dyn Any + Send + Sync>> {
        self.upstream().to_arc().spilling()
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>>;

    /// The function is called before a block is freed to the upstream. Afterwards, another thread may get a block at
    /// the same address.
    fn before_deallocate(&self, _ptr: NonNull<u8>, _bytes: usize, _stream: Option<&Stream>) {}

    /// The function is called after a block was freed to the upstream, which then has room for `bytes` more bytes.
    fn after_deallocate(&self, _bytes: usize) {}
}

/// Implements `MemoryResource` and the accessor `upstream` for a type that implements [`Around`].
macro_rules! adaptor {
    ($vis:vis $name:ident) => {
        impl $name {
            /// Returns the resource that the adaptor allocates from.
            $vis fn upstream(&self) -> &$crate::Resource {
                $crate::adaptors::around::Around::upstream(self)
            }
        }

        // SAFETY: the upstream allocates and frees every block, with unchanged size, alignment and stream, and
        // upholds the rules.
        unsafe impl $crate::MemoryResource for $name {
            fn allocate(
                &self,
                bytes: usize,
                align: usize,
                stream: &gdf_driver::Stream,
            ) -> $crate::Result<std::ptr::NonNull<u8>> {
                let content = $crate::adaptors::around::Content::Anything;
                self.on_allocate($crate::adaptors::around::Request { bytes, align, content, stream: Some(stream) })
            }

            fn allocate_zeroed(
                &self,
                bytes: usize,
                align: usize,
                stream: &gdf_driver::Stream,
            ) -> $crate::Result<std::ptr::NonNull<u8>> {
                let content = $crate::adaptors::around::Content::Zeros;
                self.on_allocate($crate::adaptors::around::Request { bytes, align, content, stream: Some(stream) })
            }

            fn allocate_initialized(
                &self,
                bytes: usize,
                align: usize,
                stream: &gdf_driver::Stream,
            ) -> $crate::Result<std::ptr::NonNull<u8>> {
                let content = $crate::adaptors::around::Content::Initialized;
                self.on_allocate($crate::adaptors::around::Request { bytes, align, content, stream: Some(stream) })
            }

            unsafe fn deallocate(
                &self,
                ptr: std::ptr::NonNull<u8>,
                bytes: usize,
                align: usize,
                stream: &gdf_driver::Stream,
            ) {
                self.before_deallocate(ptr, bytes, Some(stream));
                // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller
                // upholds the other preconditions.
                unsafe { self.upstream().deallocate(ptr, bytes, align, stream) }
                self.after_deallocate(bytes);
            }

            fn allocate_sync(&self, bytes: usize, align: usize) -> $crate::Result<std::ptr::NonNull<u8>> {
                let content = $crate::adaptors::around::Content::Anything;
                self.on_allocate($crate::adaptors::around::Request { bytes, align, content, stream: None })
            }

            unsafe fn deallocate_sync(&self, ptr: std::ptr::NonNull<u8>, bytes: usize, align: usize) {
                self.before_deallocate(ptr, bytes, None);
                // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller
                // upholds the other preconditions.
                unsafe { self.upstream().deallocate_sync(ptr, bytes, align) }
                self.after_deallocate(bytes);
            }

            $crate::delegate!(upstream: trim, properties, device);

            fn spilling(self: std::sync::Arc<Self>) -> Option<std::sync::Arc<dyn std::any::Any + Send + Sync>> {
                $crate::adaptors::around::Around::on_spilling(self)
            }

            fn name(&self) -> &'static str {
                <Self as $crate::adaptors::around::Around>::NAME
            }
        }
    };
}

pub(crate) use adaptor;
