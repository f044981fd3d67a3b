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
pub mod labeling;
pub mod null_mask;
pub mod partitioning;
pub mod reduction;
pub mod replace;
pub mod round;
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
    &ImageInfo { capability: "binaryop", contract: 0x8f62a5f62db7fc81, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x8cfd15a05396dd46, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x3bb41d41d7355323, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xd8a015d0b15cb429, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xe012be277a9b1ea7, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xb1bb52ac04d6d1c0, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xc1f804aac0860354, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x15e5891f97d4ff63, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xf44b695b223982e7, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xac3de7dfe7e641bc, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x271afede1f1d49ba, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x4515e69e8820958e, kernels: replace::KERNELS },
    &ImageInfo { capability: "round", contract: 0xbcca35aa4e35653c, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x52000632812f7320, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x00e0ba2968e35a7e, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x109be94c7356356e, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x8bfb9c89ab1004a2, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x4ede81bf812372d2, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x7d5380e4504bc427, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x4b0949278db421a7, kernels: validation::KERNELS },
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
    pub(super) const LABELING: u16 = 7;
    pub(super) const NULL_MASK: u16 = 8;
    pub(super) const PARTITIONING: u16 = 9;
    pub(super) const REDUCTION: u16 = 10;
    pub(super) const REPLACE: u16 = 11;
    pub(super) const ROUND: u16 = 12;
    pub(super) const SCAN: u16 = 13;
    pub(super) const SORTING: u16 = 14;
    pub(super) const STREAM_COMPACTION: u16 = 15;
    pub(super) const STRINGS: u16 = 16;
    pub(super) const TESTING: u16 = 17;
    pub(super) const UNARY: u16 = 18;
    pub(super) const VALIDATION: u16 = 19;
}
