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
pub mod testing;
pub mod unary;
pub mod validation;

mod prelude;

use crate::registry::ImageInfo;

/// The images, in the order that [`KernelId`](crate::KernelId) counts them.
pub(crate) static IMAGES: &[&ImageInfo] = &[
    &ImageInfo { capability: "binaryop", contract: 0x9713904649bc772c, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xd02bd7adadfc045a, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x241bbcf8bc3bee6e, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xe9a7eb2e5fc2e712, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xac844b43a94f0cf6, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x8f5620109eacd626, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x65d967aa12ebd4f6, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x21993f85860ea0e2, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x33ae245a084482b6, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x545e07680c95edff, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x10f7e9d942cf4173, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x172d3fadb7d60ff1, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x9cdfe0448fdfcd4d, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xb5dc6a6a984e2310, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xb2a3da27a725d295, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xa8055a245fe4fddf, kernels: validation::KERNELS },
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
    pub(super) const TESTING: u16 = 13;
    pub(super) const UNARY: u16 = 14;
    pub(super) const VALIDATION: u16 = 15;
}
