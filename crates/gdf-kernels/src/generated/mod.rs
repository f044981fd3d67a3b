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
    &ImageInfo { capability: "binaryop", contract: 0xf453c348f13063ff, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xba838e5dae1f46ec, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x52339faa89c9b402, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x5c3450a747838b26, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x1bcf6b787c3ebe15, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x67da0c93bfb93bd5, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x1bc4b3d7f6484e73, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x85ed220914d7e3a7, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x5f10d637efd80df1, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x644fff7c3a9cad55, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xe54f22e89acda9ad, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xd0f7f949e5e203cd, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x58a529ff800174ae, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x09b48d5120700e55, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x812b96cfbfe6117e, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x00aec33b4015d906, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x29723187f1abe4f6, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x1ef516f4da8308b2, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x8dd71768998fa734, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x57f8fb46d1b6f572, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x6302aad072d0e949, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xcad3be939352646a, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xfde5df232d4f59f8, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x3553b1406c7cf11e, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x1db5bae13df279e0, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x1677be3384d9283f, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x41523f2b695e05d1, kernels: validation::KERNELS },
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
