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
pub mod keys;
pub mod labeling;
pub mod null_mask;
pub mod partitioning;
pub mod predicate;
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
    &ImageInfo { capability: "binaryop", contract: 0x47a99246f3f606d5, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x0c950308898b28fe, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x52339faa89c9b402, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x1ef0c8a1bbc5a4be, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xcb0ad71e7df8cd37, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x67da0c93bfb93bd5, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x3ba9ba4e83983fca, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x85ed220914d7e3a7, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x9e55c9a0e2ce0d28, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0xe6ae6c68812dc99c, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xac1e378b49b7ec00, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x508580c5da4fe6a7, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x593521ca2577cc21, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x3bbe9ac5658ef744, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xa47f8d01f5b1c43f, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x786aa0f04dba7618, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xdb82271f7d94f662, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x0ddee2eba0d5761b, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xd7447ccbd47719e0, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x9fc37430c14f225d, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x0cc00c6bd91d30ee, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xce708e2e5e106c72, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xd5341c1cdaa94741, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x0f2f81f975a18c8f, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x1db5bae13df279e0, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xd6d6ceea691df524, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x331d05f42756325a, kernels: validation::KERNELS },
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
    pub(super) const KEYS: u16 = 9;
    pub(super) const LABELING: u16 = 10;
    pub(super) const NULL_MASK: u16 = 11;
    pub(super) const PARTITIONING: u16 = 12;
    pub(super) const PREDICATE: u16 = 13;
    pub(super) const QUANTILES: u16 = 14;
    pub(super) const REDUCTION: u16 = 15;
    pub(super) const REPLACE: u16 = 16;
    pub(super) const RESHAPE: u16 = 17;
    pub(super) const ROLLING: u16 = 18;
    pub(super) const ROUND: u16 = 19;
    pub(super) const SCAN: u16 = 20;
    pub(super) const SORTING: u16 = 21;
    pub(super) const STREAM_COMPACTION: u16 = 22;
    pub(super) const STRINGS: u16 = 23;
    pub(super) const TESTING: u16 = 24;
    pub(super) const UNARY: u16 = 25;
    pub(super) const VALIDATION: u16 = 26;
}
