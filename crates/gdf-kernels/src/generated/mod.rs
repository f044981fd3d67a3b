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
    &ImageInfo { capability: "binaryop", contract: 0xfb23ca2617b21186, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x0cd2ecb4f085bba4, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xa435b85b4eb50c8c, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x1f814aac6589b2fc, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xc4b42fb5cd460da2, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x099d5ed0f2c642c4, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xdc241f2153e152c9, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x58c12e70ee3871ec, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x69ccdfa19569b068, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x7ed75267c2556661, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x70603f47384008d5, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xee98dc69ff355baf, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x3f5cb5175b1a6c4f, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x96a0bf2343c47eaa, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xefdcb0b48f17f07b, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x8ffbd06d4dea6905, kernels: validation::KERNELS },
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
