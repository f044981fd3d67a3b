//! Memory resources: the trait, its owning and its borrowed form.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{Device, Stream};

use crate::{MemoryError, Result};

/// Who can dereference the memory of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Kernels on the resource's device can.
    pub device_accessible: bool,
    /// Code on the CPU can.
    pub host_accessible: bool,
}

/// Whether work on `stream` reaches memory of `device`: the CPU what it can access, a GPU what is not the CPU's own.
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
/// Implementors return blocks that are disjoint from every block not yet deallocated, at least `bytes` long, aligned
/// to `align`, and usable by work that is enqueued on `stream` after the call; on other streams once they have waited
/// for `stream`. A block given back with `deallocate(.., stream)` is not handed out for use before the work that was
/// enqueued on `stream` until then. `allocate_zeroed` and `allocate_initialized` keep what they say about content.
pub unsafe trait MemoryResource: Send + Sync + Debug {
    /// Allocates `bytes` for use on `stream`. Zero bytes are allowed and give a dangling, aligned pointer.
    ///
    /// # Errors
    /// * [`OutOfMemory`](crate::MemoryError::OutOfMemory) when there is none; nothing was allocated.
    /// * [`BadAlignment`](crate::MemoryError::BadAlignment) for an alignment that is not supported.
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>>;

    /// As [`allocate`](Self::allocate), with every byte zero for work that is enqueued on `stream` after the call.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate), and those of enqueueing the fill;
    /// [`NotHostAccessible`](crate::MemoryError::NotHostAccessible) for a stream of the CPU, which cannot fill the memory.
    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        if bytes > 0 {
            check_reach(self.device(), self.properties().host_accessible, stream)?;
        }
        let ptr = self.allocate(bytes, align, stream)?;
        if bytes > 0 {
            // SAFETY: the block is `bytes` long and usable on `stream`, whose work reaches it (checked).
            let filled = unsafe { stream.fill(ptr.as_ptr().expose_provenance() as u64, 0, bytes) };
            if let Err(error) = filled {
                // SAFETY: allocated just above with the same size and alignment; nothing uses it.
                unsafe { self.deallocate(ptr, bytes, align, stream) };
                return Err(error.into());
            }
        }
        Ok(ptr)
    }

    /// As [`allocate`](Self::allocate), with every byte initialized for work that is enqueued on `stream` after the
    /// call, to whatever: code that is safe may look. Zeros, unless the resource knows better.
    ///
    /// # Errors
    /// As [`allocate_zeroed`](Self::allocate_zeroed).
    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate_zeroed(bytes, align, stream)
    }

    /// Gives a block back in the order of `stream`. Never blocks and never panics.
    ///
    /// # Safety
    /// * `ptr` came from `allocate` of an equal resource with the same `bytes` and `align`, and was not given back.
    /// * Work that uses the block is enqueued on `stream`, or on streams that `stream` waits for.
    /// * No byte that was initialized has been made uninitialized, as by writing a type with padding there.
    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream);

    /// Allocates memory that is usable on every stream at once. The calling thread waits for what used the memory before, and
    /// for no other work: unless the resource knows better, it allocates on a stream that nobody has, and waits for that.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        // Not the caller's default stream, whose work is not to be waited for.
        let stream = Stream::new(self.device())?;
        let ptr = self.allocate(bytes, align, &stream)?;
        if let Err(error) = stream.synchronize() {
            // SAFETY: allocated just above with the same size and alignment; nothing used it.
            unsafe { self.deallocate(ptr, bytes, align, &stream) };
            return Err(error.into());
        }
        Ok(ptr)
    }

    /// Gives a block back that no stream uses any more. It is free for everyone when the call returns.
    ///
    /// # Safety
    /// As [`deallocate`](Self::deallocate); all work that uses the block has completed.
    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        // Not the caller's default stream, after whose work the block would be free.
        match Stream::new(self.device()) {
            // SAFETY: the caller's promise; completed work precedes anything on any stream.
            Ok(stream) => unsafe { self.deallocate(ptr, bytes, align, &stream) },
            Err(error) => tracing::warn!(%error, bytes, "leaked a block: its device is gone"),
        }
    }

    /// Gives what is kept for later requests back to where it came from, as far as no stream uses it; returns how many
    /// bytes that were. Bytes that pass through several resources on their way count once. They are free there when the
    /// call returns.
    fn trim(&self) -> usize {
        0
    }

    /// As [`allocate_initialized`](Self::allocate_initialized) where the CPU can access the memory, else as
    /// [`allocate`](Self::allocate). `keeper` is set to what the block goes back to and keeps alive instead of this resource.
    /// For pools: such a handle is one that only the users of the same stream count, so threads do not meet in it.
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

    /// As [`deallocate`](Self::deallocate), and lets go of the handle that [`allocate_kept`](Self::allocate_kept) gave.
    ///
    /// # Safety
    /// As [`deallocate`](Self::deallocate).
    #[doc(hidden)]
    unsafe fn deallocate_kept(self: Arc<Self>, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        // SAFETY: the caller's promise.
        unsafe { self.deallocate(ptr, bytes, align, stream) }
    }

    /// Who can dereference the memory. Always the same answer.
    fn properties(&self) -> Properties;

    /// The device that the memory belongs to. Always the same answer.
    fn device(&self) -> Device;

    /// Whether memory of one can be given back to the other.
    fn is_equal(&self, other: &dyn MemoryResource) -> bool {
        std::ptr::addr_eq(std::ptr::from_ref(self), std::ptr::from_ref(other))
    }

    /// A short name for messages.
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

    /// Borrows it, for use on its own device.
    pub fn as_ref(&self) -> ResourceRef<'_> {
        ResourceRef { resource: self, marker: PhantomData }
    }

    /// Borrows it as a reference that promises `A`, if the resource keeps that promise.
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

/// What a [`ResourceRef`] promises about access: [`DeviceAccessible`], [`HostAccessible`], [`HostDeviceAccessible`].
pub trait AccessKind: sealed::Sealed {
    /// Whether (device, host) access is needed.
    #[doc(hidden)]
    const NEEDS: (bool, bool);
}

/// What a [`ResourceRef`] promises about order: [`StreamOrdered`] or [`Synchronous`].
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
    /// Memory that both can access.
    HostDeviceAccessible: AccessKind { (true, true) };
    /// Allocation and deallocation are ordered by a stream.
    StreamOrdered: OrderKind;
    /// Allocated memory is usable at once, given back memory is unused.
    Synchronous: OrderKind;
}

/// The borrowed form of a memory resource: what it promises is in its type, and only legal conversions exist.
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
/// RMM's `device_async_resource_ref`; what operations take.
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

/// Where an operation takes its memory from: results from `output`, scratch from `temporary`.
#[derive(Clone, Copy, Debug)]
pub struct Resources<'r> {
    /// Memory of what is returned.
    pub output: ResourceRef<'r>,
    /// Memory that is given back before the operation returns, or in the stream's order right after.
    pub temporary: ResourceRef<'r>,
}

impl<'r> Resources<'r> {
    /// Results from `output`, scratch from `temporary`.
    pub fn new(output: impl Into<ResourceRef<'r>>, temporary: impl Into<ResourceRef<'r>>) -> Self {
        Self { output: output.into(), temporary: temporary.into() }
    }

    /// The same pair for a step whose result is scratch: both from `temporary`.
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
