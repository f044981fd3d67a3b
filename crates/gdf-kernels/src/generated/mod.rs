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
    &ImageInfo { capability: "binaryop", contract: 0x0031205b1f3c01a5, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x69fe0d058d2ddbce, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x6dcda170bec7dd30, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xf61334a52825403c, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xa2c1288c2d5a083f, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xfcc14da4f82594bd, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x668f115b35913d41, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xa142490d9ae6d4d5, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x361660bf4ba8a5bb, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x2cd24ddd409fcffc, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x085876a9b14f8470, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x45f47effa251e4cf, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xb721c61edb1bbe9b, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xdd3fc52b1900ae0c, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x6a6d86d8e6d06e1f, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x7a444e8cedfaa0e8, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xa4a2c54fdddc583a, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x77b9fd5a6331c013, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x03830b47bf006698, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x27064fa971bd5c8d, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x17756f501b0503de, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x412f65b0a1137ff6, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x472782ddf89ee32f, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xb8dda5c0a49f55f1, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x9586985da16b6e68, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x7a92a27ef21ec39c, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x6c4616a46daadb30, kernels: validation::KERNELS },
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
