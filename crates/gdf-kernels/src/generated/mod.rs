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
    &ImageInfo { capability: "binaryop", contract: 0x7be565d8e2851d8b, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x6336c0b512d58dda, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x108b284dc6b19744, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x379207fdd84ec061, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xbb9fc0b21e21a447, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xf7feeeff46c6d415, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xccf5484ff2170bf3, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x0ec7d4adcc42a146, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xdbb88600546382b7, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x5775626484d85cb2, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xb2ffa93659e98fc1, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x908cad4750afbee8, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x7dcc51ff2b64d6f9, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x20215148554d790f, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xd5ad61203d8f2f37, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x4d165f6f667834f9, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xc7950574ae78d9b4, kernels: validation::KERNELS },
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
