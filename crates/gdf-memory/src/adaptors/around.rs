//! What adaptors have in common: an upstream, and something to do before and after it is called.

use std::fmt::Debug;
use std::ptr::NonNull;

use gdf_driver::Stream;

use crate::{Resource, Result};

/// What new memory has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Anything,
    Zeros,
    Initialized,
}

/// A request for memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) bytes: usize,
    pub(super) align: usize,
    pub(super) content: Content,
    /// `None` for memory that every stream can use at once.
    pub(super) stream: Option<&'a Stream>,
}

impl Request<'_> {
    pub(super) fn ask(&self, upstream: &Resource) -> Result<NonNull<u8>> {
        let Some(stream) = self.stream else { return upstream.allocate_sync(self.bytes, self.align) };
        match self.content {
            Content::Anything => upstream.allocate(self.bytes, self.align, stream),
            Content::Zeros => upstream.allocate_zeroed(self.bytes, self.align, stream),
            Content::Initialized => upstream.allocate_initialized(self.bytes, self.align, stream),
        }
    }
}

/// An adaptor that passes blocks on as they are.
pub(super) trait Around: Send + Sync + Debug {
    const NAME: &'static str;

    fn upstream(&self) -> &Resource;

    /// Answers a request with a block of the upstream.
    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>>;

    /// A block is about to go back to the upstream, in the order of a stream or at once.
    fn on_deallocate(&self, ptr: NonNull<u8>, bytes: usize, stream: Option<&Stream>);
}

/// Makes a type with [`Around`] a resource, and says where its memory comes from.
macro_rules! adaptor {
    ($name:ident) => {
        impl $name {
            /// Where the memory comes from.
            pub fn upstream(&self) -> &$crate::Resource {
                $crate::adaptors::around::Around::upstream(self)
            }
        }

        // SAFETY: every block is the upstream's, asked for and given back with the same size, alignment and stream.
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
                self.on_deallocate(ptr, bytes, Some(stream));
                // SAFETY: passed on unchanged; the block is the upstream's.
                unsafe { self.upstream().deallocate(ptr, bytes, align, stream) }
            }

            fn allocate_sync(&self, bytes: usize, align: usize) -> $crate::Result<std::ptr::NonNull<u8>> {
                let content = $crate::adaptors::around::Content::Anything;
                self.on_allocate($crate::adaptors::around::Request { bytes, align, content, stream: None })
            }

            unsafe fn deallocate_sync(&self, ptr: std::ptr::NonNull<u8>, bytes: usize, align: usize) {
                self.on_deallocate(ptr, bytes, None);
                // SAFETY: passed on unchanged; the block is the upstream's.
                unsafe { self.upstream().deallocate_sync(ptr, bytes, align) }
            }

            $crate::delegate!(upstream: trim, properties, device);

            fn name(&self) -> &'static str {
                <Self as $crate::adaptors::around::Around>::NAME
            }
        }
    };
}

pub(super) use adaptor;
