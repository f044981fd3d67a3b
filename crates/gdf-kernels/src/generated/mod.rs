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
    &ImageInfo { capability: "binaryop", contract: 0x06c9551829afa0ad, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x7cc40c30283a6926, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xb509a8b2db559918, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x8a368b0e1ad75ee4, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xe4f873392328cae7, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x4bfc9a3c953e6345, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x64431a321f9975da, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x7bb5ee13d8a54d0d, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x4a989196e1025f6c, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x2b00b78dc6fa2944, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xdf9f6f6c5b2ea468, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xf0684bb24a897767, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x3910596f3815a373, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x477d5f42b3f6bfb4, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x21d0b8ff2c323b37, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xb11e5e6fe91c6150, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x38f74b8ed7e03bf2, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x7a1283257e49e85b, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xa6a2236722fca0c0, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x151be319edc4a1e5, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x86a4c00df7265156, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x184f8a080edf3e40, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x74fa104a72e57147, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xf76b696bcfc036e9, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x3bd7164d4d64a150, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xfe3593768b084674, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x00246222541f1e58, kernels: validation::KERNELS },
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
