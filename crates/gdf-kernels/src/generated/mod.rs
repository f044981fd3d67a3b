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
    &ImageInfo { capability: "binaryop", contract: 0x8fbb6b976472d661, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x714411a6304fbdda, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x39045e40920f25c4, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x90f6219dfdc26bd0, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x274032dec98c388b, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xa01e5a561229dfef, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x559cb8069ad96a12, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x323c52d1712a7525, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xb433e71b0c66ba88, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x66251308f377e437, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x55aca7233343b9ef, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xcd55bf0c47c7d743, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x4354c85b1949b750, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x762b58138809f6c7, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x0db71111bede8ab0, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x8ae7cdb2b7ac64cc, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x8f77c35b12934850, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x6f948558c85ada84, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x6d2dff6bd868c2de, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x3b6860536c2c204c, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xd0ea661b909a2eb7, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x3786150e84ed8cc6, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x338b0129c33d472a, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xe36f5422bf93e6e8, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x48814c8be5a614ae, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x26d69c02b1609979, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xb08dcf79762a639b, kernels: validation::KERNELS },
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
