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
    &ImageInfo { capability: "binaryop", contract: 0x8df19388c915362b, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x02039eb5946ee5f6, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xdab55f72d06b0db8, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xcd504bd6e552ec72, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x8f60d5199b85d7ff, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x3e1979b0150d8977, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x97c4207d401e1066, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x9b38c691d74ff256, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x59068c80e61cbdfe, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x4b1c15865165124e, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xd8455a9c1738d653, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xdb4dfe72fe162ab7, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x1594084f6b35536c, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xfb88ee430737f1c8, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xa07f379fce839bdc, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x3e3e434e32008490, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x7505656ce31d1601, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x573dc9915a579bb0, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xce3ce91f5cf017d3, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xaf148f2fdee51fec, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xb4fd580219fe8a6b, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x6b36234cba22fbee, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x1ba4c87dd91d1cbe, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x50ed9b2d2506b185, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xa643016aae0df3e2, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xe4548d8ba42612ed, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x00083f9c5d429357, kernels: validation::KERNELS },
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
