//! Memory resources: the trait [`MemoryResource`], the owning form [`Resource`] and the borrowed form [`ResourceRef`].

use std::any::Any;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{Device, Stream};

use crate::{MemoryError, Result};

/// The properties of the memory of a resource: whether kernels and the CPU can access the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Whether kernels on the device of the resource can access the memory.
    pub device_accessible: bool,
    /// Whether code on the CPU can access the memory.
    pub host_accessible: bool,
}

/// Checks that work on `stream` can access memory of `device`. For a CPU stream, the CPU must be able to access the
/// memory. For a GPU stream, the memory must belong to a GPU.
pub(crate) fn check_reach(device: Device, host_accessible: bool, stream: &Stream) -> Result<()> {
    let found = stream.device();
    match found.is_cpu() {
        true if !host_accessible => Err(MemoryError::NotHostAccessible { device }),
        false if device.is_cpu() => Err(MemoryError::DeviceMismatch { expected: device, found }),
        _ => Ok(()),
    }
}

/// A source of memory that is allocated and freed in the order of streams.
///
/// # Safety
/// Implementors uphold these rules:
///
/// * A returned block is disjoint from every block that is not yet deallocated. The block is at least `bytes` long and
///   aligned to `align`.
/// * Work that is enqueued on `stream` after the call can use the block. Work on another stream can use the block after
///   the other stream has waited for `stream`.
/// * A block that was freed with `deallocate(.., stream)` may be handed out again. New uses of the block run after the
///   work that was enqueued on `stream` before the call of `deallocate`.
/// * `allocate_zeroed` and `allocate_initialized` return blocks with the documented content.
pub unsafe trait MemoryResource: Send + Sync + Debug {
    /// Allocates `bytes` bytes for use on `stream`. If `bytes` is 0, the result is an aligned pointer that must not be
    /// dereferenced.
    ///
    /// # Errors
    /// * [`OutOfMemory`](crate::MemoryError::OutOfMemory) when no memory is left; the call allocated nothing.
    /// * [`BadAlignment`](crate::MemoryError::BadAlignment) for an alignment that is not supported.
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>>;

    /// Allocates a block; see [`allocate`](Self::allocate). For work that is enqueued on `stream` after the call, every
    /// byte is zero.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate) and of enqueueing the fill;
    /// [`NotHostAccessible`](crate::MemoryError::NotHostAccessible) if `stream` is a stream of the CPU and the CPU
    /// cannot access the memory.
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

    /// Allocates a block; see [`allocate`](Self::allocate). For work that is enqueued on `stream` after the call, every
    /// byte is initialized to an unspecified value. Safe code may therefore read the block. The default implementation
    /// zeroes the block.
    ///
    /// # Errors
    /// The errors of [`allocate_zeroed`](Self::allocate_zeroed).
    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate_zeroed(bytes, align, stream)
    }

    /// Frees a block in the order of `stream`. The call never blocks and never panics.
    ///
    /// # Safety
    /// * `ptr` came from `allocate` of an equal resource with the same `bytes` and `align`, and was not freed.
    /// * Work that uses the block is enqueued on `stream`, or on streams that `stream` waits for.
    /// * The caller has not made initialized bytes uninitialized. For example, writing a type with padding makes the
    ///   bytes of the padding uninitialized.
    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream);

    /// Allocates memory that every stream can use when the call returns. The calling thread waits for the earlier uses
    /// of the memory, and for no other work. The default implementation allocates on a new stream, and waits for that
    /// stream.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate).
    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        // The wait must not include the work of the caller's default stream. Therefore a new stream is used.
        let stream = Stream::new(self.device())?;
        let ptr = self.allocate(bytes, align, &stream)?;
        if let Err(error) = stream.synchronize() {
            // SAFETY: `allocate` returned the block above with the same size and alignment, and nothing used the block.
            unsafe { self.deallocate(ptr, bytes, align, &stream) };
            return Err(error.into());
        }
        Ok(ptr)
    }

    /// Frees a block that no work uses any more. When the call returns, the block can be allocated on every stream.
    ///
    /// # Safety
    /// The rules of [`deallocate`](Self::deallocate) hold, and all work that uses the block has completed.
    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        // On the caller's default stream, the free would wait for the work of that stream. Therefore a new stream is
        // used.
        match Stream::new(self.device()) {
            // SAFETY: the caller upholds the rules of `deallocate`. All work that uses the block has completed, so
            // the work precedes every operation on the new stream.
            Ok(stream) => unsafe { self.deallocate(ptr, bytes, align, &stream) },
            Err(error) => {
                tracing::warn!(%error, bytes, "a block is leaked, because no stream can be made on its device")
            }
        }
    }

    /// Gives memory that the resource keeps for later requests back to the upstream. Memory that work still uses is
    /// kept. The result is the number of freed bytes. If memory passes through several nested resources, it counts
    /// once. When the call returns, the freed memory is available in the upstream.
    fn trim(&self) -> usize {
        0
    }

    /// Allocates a block. If the CPU can access the memory, the function does the same as
    /// [`allocate_initialized`](Self::allocate_initialized). Otherwise the function does the same as
    /// [`allocate`](Self::allocate).
    ///
    /// A pool may set `keeper` to a handle. The caller then keeps the handle alive instead of this resource, and frees
    /// the block through the handle.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate).
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

    /// Frees a block; see [`deallocate`](Self::deallocate). Also drops the handle that
    /// [`allocate_kept`](Self::allocate_kept) set.
    ///
    /// # Safety
    /// The conditions of [`deallocate`](Self::deallocate).
    #[doc(hidden)]
    unsafe fn deallocate_kept(self: Arc<Self>, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        // SAFETY: the caller upholds the rules of `deallocate`.
        unsafe { self.deallocate(ptr, bytes, align, stream) }
    }

    /// Returns the resource of a spill manager if this resource is one, or is an adaptor over one. Otherwise returns
    /// `None`.
    #[doc(hidden)]
    fn spilling(self: Arc<Self>) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    /// Returns who can access the memory. The value never changes.
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

/// The owning form of a memory resource. Clones share the ownership, and cloning is cheap.
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

    /// Returns the device that the memory belongs to.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns who can access the memory.
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

    /// Borrows the resource as a reference that promises the access `A`. Returns `None` if the memory does not have
    /// that access.
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
    /// Whether work on the device must have access, and whether the CPU must have access.
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
    /// Memory that work on the resource's own device can access. For a CPU resource, that device is the CPU.
    DeviceAccessible: AccessKind { (true, false) };
    /// Memory that the CPU can access.
    HostAccessible: AccessKind { (false, true) };
    /// Memory that the resource's own device and the CPU can access.
    HostDeviceAccessible: AccessKind { (true, true) };
    /// Allocation and deallocation are ordered by a stream.
    StreamOrdered: OrderKind;
    /// Allocated memory can be used at once on every stream. When memory is freed, no work uses the memory any more.
    Synchronous: OrderKind;
}

/// The borrowed form of a memory resource. The type parameters state which access and which order the resource
/// supports. A reference converts only to a type that promises less.
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

/// A resource whose memory its device can access. Every stream can use new memory at once (RMM's
/// `device_resource_ref`).
pub type DeviceResourceRef<'r> = ResourceRef<'r, DeviceAccessible, Synchronous>;
/// A resource whose memory its device can access. A stream orders allocation and deallocation (RMM's
/// `device_async_resource_ref`). Operations take a reference of this type.
pub type DeviceAsyncResourceRef<'r> = ResourceRef<'r, DeviceAccessible, StreamOrdered>;
/// A resource whose memory the CPU can access. Every stream can use new memory at once (RMM's `host_resource_ref`).
pub type HostResourceRef<'r> = ResourceRef<'r, HostAccessible, Synchronous>;
/// A resource whose memory the CPU can access. A stream orders allocation and deallocation (RMM's
/// `host_async_resource_ref`).
pub type HostAsyncResourceRef<'r> = ResourceRef<'r, HostAccessible, StreamOrdered>;
/// A resource whose memory its device and the CPU can access. Every stream can use new memory at once (RMM's
/// `host_device_resource_ref`).
pub type HostDeviceResourceRef<'r> = ResourceRef<'r, HostDeviceAccessible, Synchronous>;
/// A resource whose memory its device and the CPU can access. A stream orders allocation and deallocation (RMM's
/// `host_device_async_resource_ref`).
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

    /// Returns the borrowed resource.
    pub fn resource(self) -> &'r Resource {
        self.resource
    }

    /// Returns the device that the memory belongs to.
    pub fn device(self) -> Device {
        self.resource.device()
    }

    /// Allocates memory that every stream can use when the call returns; see [`MemoryResource::allocate_sync`].
    ///
    /// # Errors
    /// The errors of [`MemoryResource::allocate`].
    pub fn allocate_sync(self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        self.resource.allocate_sync(bytes, align)
    }
}

impl<A> ResourceRef<'_, A, StreamOrdered> {
    /// Allocates in the order of `stream`; see [`MemoryResource::allocate`].
    ///
    /// # Errors
    /// The errors of [`MemoryResource::allocate`].
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
    /// The resource for scratch memory. The operation frees scratch memory before the operation returns, or in the
    /// order of the stream directly after the operation's work.
    pub temporary: ResourceRef<'r>,
}

impl<'r> Resources<'r> {
    /// Makes a pair that allocates results from `output` and scratch memory from `temporary`.
    pub fn new(output: impl Into<ResourceRef<'r>>, temporary: impl Into<ResourceRef<'r>>) -> Self {
        Self { output: output.into(), temporary: temporary.into() }
    }

    /// Returns the resources for a step whose result is only scratch memory. Both resources of the result are
    /// `temporary`.
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
