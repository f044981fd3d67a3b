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
    &ImageInfo { capability: "binaryop", contract: 0x63705bb914eb566e, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x83c92a16668a9e45, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xee2f5e9221a64883, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xb4ae2d5db4a46b25, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xa55a075af0427fc8, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x4e08cbef4d1f5ee6, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x61f5b538da9894e7, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x693db602263c6be1, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xd70735035b91e3c5, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x3ae1f28b72638f2c, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xc3bc93541c806894, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x8a42fb44154626ce, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x701f115d6462b4ed, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x268b3bf30973e7b6, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x2cc6960267205921, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x98ce7894a701a407, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x89f643998d7df8ef, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x2052380a2382746d, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xda2cb7f601f61d56, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x1c99da35c9dcd5f3, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x9414385989c7a772, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x956138d3c9430287, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xc216fd142279a20f, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x5f306539ed4cf55b, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xbe652fc04f7ef491, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xd450f72dec27398f, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xca90c5f57f792152, kernels: validation::KERNELS },
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
