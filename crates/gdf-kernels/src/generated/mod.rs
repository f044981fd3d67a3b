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
    &ImageInfo { capability: "binaryop", contract: 0xdc5f4985e7155672, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x8e74c10658f3bd8b, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xbc9bd0271e0236f5, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x0f75196e4efa2e8b, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xac21c4497484057e, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xfe0f561a17447594, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xa372f3e238024885, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x191b1be10a5023ab, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x5b1a2c0f88688cfb, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x4b05fe4246885372, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x0f260bc2d79ef03e, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x9a31ea5c5a7690c4, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x43075286d5a15a4f, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x2084ef4eea8b1b93, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x86183263706a394b, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x3023a20748e2418d, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x8e173b171132f720, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x8c7fe14f0901fde7, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xd9b5037c2ceedd52, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x65c75baba1680c65, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xd9c093beac02bc54, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xe2368bd732af6041, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xdd4466b0440f5721, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xa234e6746614ab58, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xf0b13e3189187acf, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xd0e3cd79f6814734, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x8abf5935c2355e2c, kernels: validation::KERNELS },
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
