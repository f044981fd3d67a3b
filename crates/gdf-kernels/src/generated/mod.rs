//! What the host knows of kernels.

// Written by `cargo xtask codegen` from kernels/.

pub mod binaryop;
pub mod common;
pub mod concatenate;
pub mod contiguous_split;
pub mod copying;
pub mod datetime;
pub mod expression;
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

use crate::info::ImageInfo;

/// The images, in the order that [`KernelId`](crate::KernelId) counts them.
pub(crate) static IMAGES: &[&ImageInfo] = &[
    &ImageInfo { capability: "binaryop", contract: 0x024bc4c9d84ae781, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xc97340d8637d6c6c, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x6e8005af399e5716, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xa4ae3f3fe164768e, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x8384cb4f2a3454c5, kernels: datetime::KERNELS },
    &ImageInfo { capability: "expression", contract: 0x32d6a17252a08d77, kernels: expression::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xadab6ced96d428f7, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x1d80fa53684367ff, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xb447d75a4d5d6d5b, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xf1c7eecb6da557b1, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x0e6fc256a07dcaea, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x8a8b2c5561f34962, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xbdfc5f1cd27f77e5, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x9d4a0c1c6e228d8d, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xcec5f7174234d656, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x15424d61650eb799, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xfe4ce315a8619b2e, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xa0a2ed1425078e5c, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x13736674678fed15, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xb1026fef81e3a732, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x54f03c687f574507, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xb7a74549f318ac04, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xdfc9172d23f78e9c, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xc899f5ac6bb422d9, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x0cded6de5dfb6bca, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x3dc8d5ff9b1bbb76, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x07b21118e7377223, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x46eba2fdc7ed8762, kernels: validation::KERNELS },
];

/// Positions in [`IMAGES`].
mod image {
    pub(super) const BINARYOP: u16 = 0;
    pub(super) const CONCATENATE: u16 = 1;
    pub(super) const CONTIGUOUS_SPLIT: u16 = 2;
    pub(super) const COPYING: u16 = 3;
    pub(super) const DATETIME: u16 = 4;
    pub(super) const EXPRESSION: u16 = 5;
    pub(super) const FILLING: u16 = 6;
    pub(super) const GROUPBY: u16 = 7;
    pub(super) const HASHING: u16 = 8;
    pub(super) const JOIN: u16 = 9;
    pub(super) const KEYS: u16 = 10;
    pub(super) const LABELING: u16 = 11;
    pub(super) const NULL_MASK: u16 = 12;
    pub(super) const PARTITIONING: u16 = 13;
    pub(super) const PREDICATE: u16 = 14;
    pub(super) const QUANTILES: u16 = 15;
    pub(super) const REDUCTION: u16 = 16;
    pub(super) const REPLACE: u16 = 17;
    pub(super) const RESHAPE: u16 = 18;
    pub(super) const ROLLING: u16 = 19;
    pub(super) const ROUND: u16 = 20;
    pub(super) const SCAN: u16 = 21;
    pub(super) const SORTING: u16 = 22;
    pub(super) const STREAM_COMPACTION: u16 = 23;
    pub(super) const STRINGS: u16 = 24;
    pub(super) const TESTING: u16 = 25;
    pub(super) const UNARY: u16 = 26;
    pub(super) const VALIDATION: u16 = 27;
}
