//! What is known of images and of their kernels without a device: what the generated modules are made of.

use crate::policy::Policy;

/// What is known of a kernel without a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its symbol in the image.
    pub symbol: &'static str,
    /// The translation unit that has it, by its position in the image.
    pub unit: u16,
    /// Its tuning.
    pub policy: Policy,
}

/// What is known of an image without loading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    /// The capability whose kernels it holds.
    pub capability: &'static str,
    /// A hash of all that the host knows of these kernels; the image carries that of the sources that it was made from, and a hash of
    /// these sources.
    pub contract: u64,
    /// Its kernels.
    pub kernels: &'static [KernelInfo],
}

/// The hashes of the sources of each capability's units.
static SOURCE_HASHES: &[(&str, &[u64])] = include!(concat!(env!("OUT_DIR"), "/source_hashes.rs"));

impl ImageInfo {
    /// Hashes of the sources of its units, in their order; none without the features `cuda` and `sources`.
    pub fn sources(&self) -> &'static [u64] {
        SOURCE_HASHES.iter().find(|(capability, _)| *capability == self.capability).map_or(&[], |(_, hashes)| hashes)
    }
}

/// A kernel by its position in the tables that are generated from the sources.
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
