//! What the host knows of kernels.

// Written by `cargo xtask codegen` from kernels/.

pub mod binaryop;
pub mod common;
pub mod concatenate;
pub mod copying;
pub mod datetime;
pub mod groupby;
pub mod hashing;
pub mod join;
pub mod null_mask;
pub mod partitioning;
pub mod reduction;
pub mod scan;
pub mod sorting;
pub mod stream_compaction;
pub mod strings;
pub mod testing;
pub mod unary;
pub mod validation;

mod prelude;

use crate::registry::ImageInfo;

/// The images, in the order that [`KernelId`](crate::KernelId) counts them.
pub(crate) static IMAGES: &[&ImageInfo] = &[
    &ImageInfo { capability: "binaryop", contract: 0x1402ff5fb923f696, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xb3aac1ddaab82914, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xf1d78d055fbba8e4, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x860bee18066e05cc, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x440308ae391ed987, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x9636461c9c134a74, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x661cc2cc1978385c, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x2885b7640fb9567c, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xfdd14180a683b6c4, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x00f2550272f1d567, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xf2c36e91f6e4000d, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x7cad0991f83bfb27, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xde8724d4cba1212f, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x2e337a414ff7f406, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xb46b4852bdbdb3da, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x09891098c405368b, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xc9d666f9b4227555, kernels: validation::KERNELS },
];

/// Positions in [`IMAGES`].
mod image {
    pub(super) const BINARYOP: u16 = 0;
    pub(super) const CONCATENATE: u16 = 1;
    pub(super) const COPYING: u16 = 2;
    pub(super) const DATETIME: u16 = 3;
    pub(super) const GROUPBY: u16 = 4;
    pub(super) const HASHING: u16 = 5;
    pub(super) const JOIN: u16 = 6;
    pub(super) const NULL_MASK: u16 = 7;
    pub(super) const PARTITIONING: u16 = 8;
    pub(super) const REDUCTION: u16 = 9;
    pub(super) const SCAN: u16 = 10;
    pub(super) const SORTING: u16 = 11;
    pub(super) const STREAM_COMPACTION: u16 = 12;
    pub(super) const STRINGS: u16 = 13;
    pub(super) const TESTING: u16 = 14;
    pub(super) const UNARY: u16 = 15;
    pub(super) const VALIDATION: u16 = 16;
}
