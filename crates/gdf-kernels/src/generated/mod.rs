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
    &ImageInfo { capability: "binaryop", contract: 0x977d56fc600ad5a7, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x1b5979cb58218a24, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x13b9c9a061c918fa, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xe5a1b3f7521444be, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x3577d0e073e60c7d, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xeb5bb57db424492d, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xedb9864a61e96418, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xa95e932f21ac9380, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xfff0ed09bc1f148e, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x9c2c7c559cc8b87d, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x45a09258c2653f35, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x5d78c69d8464c655, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xbcd5eb41f1862226, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x9792a9cc26f6a10d, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x076e2c8d1d837386, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x6cecf88e28f48e7e, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x1ad928239cc6431e, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x73c50f87e90e704a, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x53d6f43c6861634c, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x99b59d79836ebf7a, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x5fdcc98ff5c44eb1, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xca1fe4f584fcd0e0, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xac09353b12bd2ae0, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x910685d8f4b76066, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x64904a6376ce9298, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x8b694c3bf526fb67, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x46d57e0d45cc88a9, kernels: validation::KERNELS },
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
