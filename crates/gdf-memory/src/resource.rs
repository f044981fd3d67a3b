//! Memory resources: the trait [`MemoryResource`], the owning form [`Resource`] and the borrowed form [`ResourceRef`].

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{Device, Stream};

use crate::{MemoryError, Result};

/// Who can dereference the memory of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Whether kernels on the device of the resource can access the memory.
    pub device_accessible: bool,
    /// Whether code on the CPU can access the memory.
    pub host_accessible: bool,
}

/// Checks that work on `stream` can access memory of `device`. A CPU stream needs host-accessible memory. A GPU
/// stream needs memory of a GPU.
pub(crate) fn check_reach(device: Device, host_accessible: bool, stream: &Stream) -> Result<()> {
    let found = stream.device();
    match found.is_cpu() {
        true if !host_accessible => Err(MemoryError::NotHostAccessible { device }),
        false if device.is_cpu() => Err(MemoryError::DeviceMismatch { expected: device, found }),
        _ => Ok(()),
    }
}

/// A source of memory, ordered by streams.
///
/// # Safety
/// Implementors uphold these rules:
///
/// * A returned block is disjoint from every block that is not yet deallocated. The block is at least `bytes` long and
///   aligned to `align`.
/// * Work that is enqueued on `stream` after the call can use the block. Work on another stream can use the block after
///   the other stream has waited for `stream`.
/// * New uses of a block freed with `deallocate(.., stream)` run after the work that was enqueued on `stream` before
///   the `deallocate`.
/// * `allocate_zeroed` and `allocate_initialized` return blocks with the documented content.
pub unsafe trait MemoryResource: Send + Sync + Debug {
    /// Allocates `bytes` for use on `stream`. Zero bytes are allowed and give a dangling, aligned pointer.
    ///
    /// # Errors
    /// * [`OutOfMemory`](crate::MemoryError::OutOfMemory) when no memory is left; the call allocated nothing.
    /// * [`BadAlignment`](crate::MemoryError::BadAlignment) for an alignment that is not supported.
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>>;

    /// Allocates as [`allocate`](Self::allocate) does. Work that is enqueued on `stream` after the call reads every
    /// byte as zero.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate) and of enqueueing the fill;
    /// [`NotHostAccessible`](crate::MemoryError::NotHostAccessible) for a stream of the CPU, which cannot fill the
    /// memory.
    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        if bytes > 0 {
            check_reach(self.device(), self.properties().host_accessible, stream)?;
        }
        let ptr = self.allocate(bytes, align, stream)?;
        if bytes > 0 {
            // SAFETY: the block is `bytes` long and usable on `stream`. `check_reach` has checked that work on
            // `stream` can access the block.
            let filled = unsafe { stream.fill(ptr.as_ptr().expose_provenance() as u64, 0, bytes) };
            if let Err(error) = filled {
                // SAFETY: `allocate` returned the block above with the same size and alignment, and nothing uses the
                // block.
                unsafe { self.deallocate(ptr, bytes, align, stream) };
                return Err(error.into());
            }
        }
        Ok(ptr)
    }

    /// Allocates as [`allocate`](Self::allocate) does. Every byte is initialized, to an unspecified value, for work
    /// that is enqueued on `stream` after the call, so safe code may read the block. The default implementation
    /// zeroes the block.
    ///
    /// # Errors
    /// As [`allocate_zeroed`](Self::allocate_zeroed).
    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate_zeroed(bytes, align, stream)
    }

    /// Frees a block in the order of `stream`. The call never blocks and never panics.
    ///
    /// # Safety
    /// * `ptr` came from `allocate` of an equal resource with the same `bytes` and `align`, and was not freed.
    /// * Work that uses the block is enqueued on `stream`, or on streams that `stream` waits for.
    /// * No byte that was initialized has been made uninitialized, as by writing a type with padding there.
    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream);

    /// Allocates memory that every stream can use as soon as the call returns. The calling thread waits for the
    /// earlier uses of the memory and for no other work. The default implementation allocates on a new stream and
    /// waits for the new stream.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        // A new stream is used because the wait must not include the work of the caller's default stream.
        let stream = Stream::new(self.device())?;
        let ptr = self.allocate(bytes, align, &stream)?;
        if let Err(error) = stream.synchronize() {
            // SAFETY: `allocate` returned the block above with the same size and alignment, and nothing used the block.
            unsafe { self.deallocate(ptr, bytes, align, &stream) };
            return Err(error.into());
        }
        Ok(ptr)
    }

    /// Frees a block that no stream uses any more. Every stream can get the block as soon as the call returns.
    ///
    /// # Safety
    /// The rules of [`deallocate`](Self::deallocate) hold, and all work that uses the block has completed.
    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        // A new stream is used because the caller's default stream would delay the free until its own work is done.
        match Stream::new(self.device()) {
            // SAFETY: the caller upholds the rules of `deallocate`. All work that uses the block has completed, so
            // the work precedes every operation on the new stream.
            Ok(stream) => unsafe { self.deallocate(ptr, bytes, align, &stream) },
            Err(error) => tracing::warn!(%error, bytes, "leaked a block: its device is gone"),
        }
    }

    /// Returns the memory that the resource keeps for later requests to the upstream, except memory that a stream
    /// still uses. The result is the number of returned bytes. Bytes that pass through several resources count once.
    /// The returned memory is free in the upstream when the call returns.
    fn trim(&self) -> usize {
        0
    }

    /// Allocates as [`allocate_initialized`](Self::allocate_initialized) does if the CPU can access the memory, and
    /// as [`allocate`](Self::allocate) does otherwise. A pool may set `keeper` to a handle. The caller then frees the
    /// block through the handle, and keeps the handle alive instead of this resource. Only the users of one stream
    /// share the reference count of such a handle, so threads do not contend for the count.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    #[doc(hidden)]
    fn allocate_kept(
        &self,
        bytes: usize,
        align: usize,
        stream: &Stream,
        _keeper: &mut Option<Arc<dyn MemoryResource>>,
    ) -> Result<NonNull<u8>> {
        if self.properties().host_accessible {
            self.allocate_initialized(bytes, align, stream)
        } else {
            self.allocate(bytes, align, stream)
        }
    }

    /// Frees a block as [`deallocate`](Self::deallocate) does, and drops the handle that
    /// [`allocate_kept`](Self::allocate_kept) set.
    ///
    /// # Safety
    /// As [`deallocate`](Self::deallocate).
    #[doc(hidden)]
    unsafe fn deallocate_kept(self: Arc<Self>, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        // SAFETY: the caller upholds the rules of `deallocate`.
        unsafe { self.deallocate(ptr, bytes, align, stream) }
    }

    /// Returns who can dereference the memory. The value never changes.
    fn properties(&self) -> Properties;

    /// Returns the device that the memory belongs to. The value never changes.
    fn device(&self) -> Device;

    /// Returns whether each of the two resources can free the memory of the other.
    fn is_equal(&self, other: &dyn MemoryResource) -> bool {
        std::ptr::addr_eq(std::ptr::from_ref(self), std::ptr::from_ref(other))
    }

    /// Returns a short name for messages.
    fn name(&self) -> &'static str;
}

/// The owning form of a memory resource: shared ownership, cheap to clone.
#[derive(Clone)]
pub struct Resource {
    resource: Arc<dyn MemoryResource>,
    device: Device,
    properties: Properties,
}

impl Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.resource.fmt(f)
    }
}

impl Resource {
    /// Takes a resource into shared ownership.
    pub fn new(resource: impl MemoryResource + 'static) -> Self {
        Self::from(Arc::new(resource) as Arc<dyn MemoryResource>)
    }

    /// The device that the memory belongs to.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Who can dereference the memory.
    pub fn properties(&self) -> Properties {
        self.properties
    }

    pub(crate) fn to_arc(&self) -> Arc<dyn MemoryResource> {
        Arc::clone(&self.resource)
    }

    pub(crate) fn host_accessible(&self) -> bool {
        self.properties.host_accessible
    }

    /// Borrows the resource, for use on the device of the resource.
    pub fn as_ref(&self) -> ResourceRef<'_> {
        ResourceRef { resource: self, marker: PhantomData }
    }

    /// Borrows the resource as a reference with the access kind `A`. Returns `None` if the resource lacks that access.
    pub fn try_as<A: AccessKind, O: OrderKind>(&self) -> Option<ResourceRef<'_, A, O>> {
        let has = self.properties();
        let (device, host) = A::NEEDS;
        ((has.device_accessible || !device) && (has.host_accessible || !host))
            .then_some(ResourceRef { resource: self, marker: PhantomData })
    }
}

impl From<Arc<dyn MemoryResource>> for Resource {
    fn from(resource: Arc<dyn MemoryResource>) -> Self {
        let (device, properties) = (resource.device(), resource.properties());
        Self { resource, device, properties }
    }
}

impl std::ops::Deref for Resource {
    type Target = dyn MemoryResource;

    fn deref(&self) -> &Self::Target {
        &*self.resource
    }
}

impl PartialEq for Resource {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.resource, &other.resource) || self.resource.is_equal(&*other.resource)
    }
}

#[allow(unnameable_types, reason = "sealing is the point")]
mod sealed {
    pub trait Sealed {}
}

/// The access that a [`ResourceRef`] promises: [`DeviceAccessible`], [`HostAccessible`], [`HostDeviceAccessible`].
pub trait AccessKind: sealed::Sealed {
    /// Whether the device needs access, and whether the CPU needs access.
    #[doc(hidden)]
    const NEEDS: (bool, bool);
}

/// The order that a [`ResourceRef`] promises: [`StreamOrdered`] or [`Synchronous`].
pub trait OrderKind: sealed::Sealed {}

macro_rules! marker {
    ($($(#[$doc:meta])* $name:ident: $kind:ident $({ $needs:expr })?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl sealed::Sealed for $name {}
        impl $kind for $name { $(const NEEDS: (bool, bool) = $needs;)? }
    )*};
}

marker! {
    /// Memory that work on the resource's own device can access (for a CPU resource: the CPU).
    DeviceAccessible: AccessKind { (true, false) };
    /// Memory that the CPU can access.
    HostAccessible: AccessKind { (false, true) };
    /// Memory that the resource's own device and the CPU can access.
    HostDeviceAccessible: AccessKind { (true, true) };
    /// Allocation and deallocation are ordered by a stream.
    StreamOrdered: OrderKind;
    /// Allocated memory is usable at once on every stream. No work uses memory at the time of its deallocation.
    Synchronous: OrderKind;
}

/// The borrowed form of a memory resource. The type parameters state the access and the order that the resource
/// supports. Conversions exist only to types with weaker requirements.
///
/// ```compile_fail
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::memory::{DeviceAsyncResourceRef, HostAsyncResourceRef};
/// fn host_needs_host(device: DeviceAsyncResourceRef<'_>) -> HostAsyncResourceRef<'_> {
///     device.into()
/// }
/// ```
pub struct ResourceRef<'r, A = DeviceAccessible, O = StreamOrdered> {
    resource: &'r Resource,
    marker: PhantomData<fn() -> (A, O)>,
}

/// RMM's `device_resource_ref`.
pub type DeviceResourceRef<'r> = ResourceRef<'r, DeviceAccessible, Synchronous>;
/// RMM's `device_async_resource_ref`. Operations take a reference of this type.
pub type DeviceAsyncResourceRef<'r> = ResourceRef<'r, DeviceAccessible, StreamOrdered>;
/// RMM's `host_resource_ref`.
pub type HostResourceRef<'r> = ResourceRef<'r, HostAccessible, Synchronous>;
/// RMM's `host_async_resource_ref`.
pub type HostAsyncResourceRef<'r> = ResourceRef<'r, HostAccessible, StreamOrdered>;
/// RMM's `host_device_resource_ref`.
pub type HostDeviceResourceRef<'r> = ResourceRef<'r, HostDeviceAccessible, Synchronous>;
/// RMM's `host_device_async_resource_ref`.
pub type HostDeviceAsyncResourceRef<'r> = ResourceRef<'r, HostDeviceAccessible, StreamOrdered>;

impl<A, O> Clone for ResourceRef<'_, A, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, O> Copy for ResourceRef<'_, A, O> {}

impl<A, O> Debug for ResourceRef<'_, A, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ResourceRef").field(&self.resource.name()).finish()
    }
}

impl<'r, A, O> ResourceRef<'r, A, O> {
    fn cast<B, P>(self) -> ResourceRef<'r, B, P> {
        ResourceRef { resource: self.resource, marker: PhantomData }
    }

    /// The resource behind the reference.
    pub fn resource(self) -> &'r Resource {
        self.resource
    }

    /// The device that the memory belongs to.
    pub fn device(self) -> Device {
        self.resource.device()
    }

    /// Allocates memory that is usable on every stream at once; see [`MemoryResource::allocate_sync`].
    ///
    /// # Errors
    /// As [`MemoryResource::allocate`].
    pub fn allocate_sync(self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        self.resource.allocate_sync(bytes, align)
    }
}

impl<A> ResourceRef<'_, A, StreamOrdered> {
    /// Allocates in the order of `stream`; see [`MemoryResource::allocate`].
    ///
    /// # Errors
    /// As [`MemoryResource::allocate`].
    pub fn allocate(self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.resource.allocate(bytes, align, stream)
    }
}

macro_rules! convert {
    ($($from:ident, $from_order:ident => $to:ident, $to_order:ident;)*) => {$(
        impl<'r> From<ResourceRef<'r, $from, $from_order>> for ResourceRef<'r, $to, $to_order> {
            fn from(reference: ResourceRef<'r, $from, $from_order>) -> Self {
                reference.cast()
            }
        }
    )*};
}

convert! {
    DeviceAccessible, StreamOrdered => DeviceAccessible, Synchronous;
    HostAccessible, StreamOrdered => HostAccessible, Synchronous;
    HostDeviceAccessible, StreamOrdered => HostDeviceAccessible, Synchronous;
    HostDeviceAccessible, StreamOrdered => DeviceAccessible, StreamOrdered;
    HostDeviceAccessible, StreamOrdered => HostAccessible, StreamOrdered;
    HostDeviceAccessible, StreamOrdered => DeviceAccessible, Synchronous;
    HostDeviceAccessible, StreamOrdered => HostAccessible, Synchronous;
    HostDeviceAccessible, Synchronous => DeviceAccessible, Synchronous;
    HostDeviceAccessible, Synchronous => HostAccessible, Synchronous;
}

impl<'r> From<&'r Resource> for ResourceRef<'r> {
    fn from(resource: &'r Resource) -> Self {
        resource.as_ref()
    }
}

/// The resources from which an operation allocates: `output` for results, `temporary` for scratch memory.
#[derive(Clone, Copy, Debug)]
pub struct Resources<'r> {
    /// The resource for the memory of results.
    pub output: ResourceRef<'r>,
    /// The resource for scratch memory. The operation frees scratch memory before the operation returns, or right
    /// after in the order of the stream.
    pub temporary: ResourceRef<'r>,
}

impl<'r> Resources<'r> {
    /// Makes a pair that allocates results from `output` and scratch memory from `temporary`.
    pub fn new(output: impl Into<ResourceRef<'r>>, temporary: impl Into<ResourceRef<'r>>) -> Self {
        Self { output: output.into(), temporary: temporary.into() }
    }

    /// Returns the pair for a step whose result is scratch memory. Both resources of the pair are `temporary`.
    pub fn scratch(self) -> Self {
        Self { output: self.temporary, temporary: self.temporary }
    }
}

impl<'r> From<ResourceRef<'r>> for Resources<'r> {
    fn from(both: ResourceRef<'r>) -> Self {
        Self { output: both, temporary: both }
    }
}

impl<'r> From<&'r Resource> for Resources<'r> {
    fn from(both: &'r Resource) -> Self {
        both.as_ref().into()
    }
}
