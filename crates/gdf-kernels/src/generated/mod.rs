//! The declarations of kernels that the host uses.

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
    &ImageInfo { capability: "binaryop", contract: 0x5f05b13853dece19, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x7d137eb4fe5d8d86, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x68835423b9b39eae, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x2199d78002d1e36f, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x9919a7d7ff61db1d, kernels: datetime::KERNELS },
    &ImageInfo { capability: "expression", contract: 0x92534c09564f0b25, kernels: expression::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xdacbe183fd51724f, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xa01f9f20762a4089, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xac3d26ac11b4c1c5, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x60b5d74de305777b, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x1437c07ad9dcd794, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x1e030180f11272ea, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x33386610b4dcd92d, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x8d91cc1579088fd5, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x14689793b7146171, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x3794ee76ebe4a241, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x39805412de55f3e6, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x62a6bed9448e86a4, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x34cc97072e5775ad, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x95ecc65c710fb8ea, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xd81b88512530c44f, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x5ebadedf3bcb678c, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xc8bb81c1ae538f74, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x69eed6419fb15ea1, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x61fe805747c30a92, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x51258ee169b0000e, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xcf5a1a17a07bad3b, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x3a0e014da12772fa, kernels: validation::KERNELS },
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
