//! Static information about images and their kernels. The information is available without a device. Most of it is in
//! the generated modules.

use crate::policy::Policy;

/// Static information about a kernel. The information is available without a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// The kernel's symbol in the image.
    pub symbol: &'static str,
    /// The translation unit that contains the kernel, given by its position in the image.
    pub unit: u16,
    /// The kernel's tuning.
    pub policy: Policy,
}

/// Static information about an image. The information is available before the image is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    /// The capability whose kernels the image holds.
    pub capability: &'static str,
    /// A hash of all declarations that the host shares with the kernels of the image. An image contains the hash of the
    /// declarations with which it was compiled.
    pub contract: u64,
    /// The kernels of the image.
    pub kernels: &'static [KernelInfo],
}

/// The hashes of the sources of each capability's units.
static SOURCE_HASHES: &[(&str, &[u64])] = include!(concat!(env!("OUT_DIR"), "/source_hashes.rs"));

impl ImageInfo {
    /// Returns the hashes of the sources of the image's units, in the order of the units. The result is empty if
    /// neither the feature `cuda` nor the feature `sources` is enabled.
    pub fn sources(&self) -> &'static [u64] {
        SOURCE_HASHES.iter().find(|(capability, _)| *capability == self.capability).map_or(&[], |(_, hashes)| hashes)
    }
}

/// A kernel. A kernel is given by its position in the tables that are generated from the sources.
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
