//! Static information about images and their kernels, which is available without a device. The generated modules
//! consist of such information.

use crate::policy::Policy;

/// Static information about a kernel, available without a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// The kernel's symbol in the image.
    pub symbol: &'static str,
    /// The position in the image of the translation unit that contains the kernel.
    pub unit: u16,
    /// The kernel's tuning.
    pub policy: Policy,
}

/// Static information about an image, available without loading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    /// The capability whose kernels the image holds.
    pub capability: &'static str,
    /// A hash of all declarations that the host shares with these kernels. An image contains the hash of the
    /// declarations from which it was compiled, and a hash of its sources.
    pub contract: u64,
    /// The kernels of the image.
    pub kernels: &'static [KernelInfo],
}

/// The hashes of the sources of each capability's units.
static SOURCE_HASHES: &[(&str, &[u64])] = include!(concat!(env!("OUT_DIR"), "/source_hashes.rs"));

impl ImageInfo {
    /// Returns the hashes of the sources of the image's units, in the order of the units. The result is empty without
    /// the features `cuda` and `sources`.
    pub fn sources(&self) -> &'static [u64] {
        SOURCE_HASHES.iter().find(|(capability, _)| *capability == self.capability).map_or(&[], |(_, hashes)| hashes)
    }
}

/// A kernel, given by its position in the tables that are generated from the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId {
    pub(crate) image: u16,
    pub(crate) kernel: u16,
}

impl KernelId {
    pub(crate) const fn new(image: u16, kernel: u16) -> Self {
        Self { image, kernel }
    }
}
