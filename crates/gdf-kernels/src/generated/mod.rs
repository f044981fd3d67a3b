//! What the host knows of kernels.

// Written by `cargo xtask codegen` from kernels/.

pub mod binaryop;
pub mod common;
pub mod concatenate;
pub mod contiguous_split;
pub mod copying;
pub mod datetime;
pub mod filling;
pub mod groupby;
pub mod hashing;
pub mod join;
pub mod labeling;
pub mod null_mask;
pub mod partitioning;
pub mod quantiles;
pub mod reduction;
pub mod replace;
pub mod reshape;
pub mod rolling;
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
    &ImageInfo { capability: "binaryop", contract: 0x877cd77c739f1633, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x08da72c5141d6eae, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x2696996ff8a1fb50, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x5ae8de4146f0598a, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x6c7a42fc8cb04e78, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xf55633547485464f, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xea972906d692fd9f, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x2cbaa029fc14624e, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xad3634c46652e66c, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xcd7e1ea3b8a5e5db, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xd8df1af3ee6083df, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x1279380afaf3b724, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x63d5e0bd71901e24, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x7a208cd45471a368, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x994078f0a9a3d609, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xc893cd3e60b0b4a8, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x7c32c3659cea701f, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x3e2e5c90d6d21354, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x9580ac44af33c83f, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x59f53ea22a464956, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xf9a86e60dd6b51c6, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xbc67e32a4bd81bd2, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xc821ea0aac3298ba, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x05d95c9a8d917719, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x6343cd67cc93a7cf, kernels: validation::KERNELS },
];

/// Positions in [`IMAGES`].
mod image {
    pub(super) const BINARYOP: u16 = 0;
    pub(super) const CONCATENATE: u16 = 1;
    pub(super) const CONTIGUOUS_SPLIT: u16 = 2;
    pub(super) const COPYING: u16 = 3;
    pub(super) const DATETIME: u16 = 4;
    pub(super) const FILLING: u16 = 5;
    pub(super) const GROUPBY: u16 = 6;
    pub(super) const HASHING: u16 = 7;
    pub(super) const JOIN: u16 = 8;
    pub(super) const LABELING: u16 = 9;
    pub(super) const NULL_MASK: u16 = 10;
    pub(super) const PARTITIONING: u16 = 11;
    pub(super) const QUANTILES: u16 = 12;
    pub(super) const REDUCTION: u16 = 13;
    pub(super) const REPLACE: u16 = 14;
    pub(super) const RESHAPE: u16 = 15;
    pub(super) const ROLLING: u16 = 16;
    pub(super) const ROUND: u16 = 17;
    pub(super) const SCAN: u16 = 18;
    pub(super) const SORTING: u16 = 19;
    pub(super) const STREAM_COMPACTION: u16 = 20;
    pub(super) const STRINGS: u16 = 21;
    pub(super) const TESTING: u16 = 22;
    pub(super) const UNARY: u16 = 23;
    pub(super) const VALIDATION: u16 = 24;
}
