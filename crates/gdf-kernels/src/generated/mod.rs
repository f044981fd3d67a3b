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
    &ImageInfo { capability: "binaryop", contract: 0x8a1f1f176b2e3998, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x7d6c7496732a3dd3, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x87319abf9613cc5d, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x18134d898f413753, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x5cbe2f8f07e09376, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x11426c157b16b5fc, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x2263fc29acf6c8ed, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x2e750b6a7b719bd3, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xe0df822a72b2ff95, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x5b84cbb41e2d5b81, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xa2f23b5eb664ee36, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x79106563ddcd0cbc, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x4536c01ee3cc5a57, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xe701ec0c3e056ddb, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x6cd6ce021ca1a983, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x1db774a1ccb11bf5, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xf51dec7d69ca5749, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xe84a915466a65e8f, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x720616b6106bad78, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x0d6fc743b6eceb1d, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x057d61e722544e2c, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x88afe6ad76da8339, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x733fa74609b460d9, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xed4375bc380061d0, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x08c0e1d37b5cf757, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x7007fd86e0d1cb25, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xda68bdcc9e06ab94, kernels: validation::KERNELS },
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
