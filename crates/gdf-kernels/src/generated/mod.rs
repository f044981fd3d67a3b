//! The declarations of kernels that the host uses.

// Written by `cargo xtask codegen` from kernels/.

pub mod binaryop;
pub mod common;
pub mod concatenate;
pub mod contiguous_split;
pub mod copying;
pub mod datetime;
pub mod decode;
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
    &ImageInfo { capability: "binaryop", contract: 0x19db00b7ddcf1e40, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xccf8c0274c8faa5c, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x3a37527f5b5fce97, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x2cc07e39c92b6c52, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x3bbbeec318d30a44, kernels: datetime::KERNELS },
    &ImageInfo { capability: "decode", contract: 0x73c45d757c14132b, kernels: decode::KERNELS },
    &ImageInfo { capability: "expression", contract: 0x0fa453c99cc39288, kernels: expression::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x943349558e275f18, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x3dad4f55c36f354d, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x598499aa8d8aa0e0, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xe1610f77013093f4, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x41a329b9b4960a1d, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xd225955403fc9d87, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x0f1da430752ed70a, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x3e72f463ce4e90fc, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x91ed54b3bf2c6c7f, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x6802eb086a0e04fe, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xc2bb90f1bd490737, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xf456f913e8405125, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x1f8a1f4e318b4c86, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x79904b3da294e099, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x010bdd06f50970d6, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x8b7d8e4fb50fcdd1, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x2e44d09f49d54395, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x58d976ad669c1bcb, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xe0a44719248fc339, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xc15aab2482a5d167, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xe6934130912dbe06, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xe3818bdb932e23ef, kernels: validation::KERNELS },
];

/// Positions in [`IMAGES`].
mod image {
    pub(super) const BINARYOP: u16 = 0;
    pub(super) const CONCATENATE: u16 = 1;
    pub(super) const CONTIGUOUS_SPLIT: u16 = 2;
    pub(super) const COPYING: u16 = 3;
    pub(super) const DATETIME: u16 = 4;
    pub(super) const DECODE: u16 = 5;
    pub(super) const EXPRESSION: u16 = 6;
    pub(super) const FILLING: u16 = 7;
    pub(super) const GROUPBY: u16 = 8;
    pub(super) const HASHING: u16 = 9;
    pub(super) const JOIN: u16 = 10;
    pub(super) const KEYS: u16 = 11;
    pub(super) const LABELING: u16 = 12;
    pub(super) const NULL_MASK: u16 = 13;
    pub(super) const PARTITIONING: u16 = 14;
    pub(super) const PREDICATE: u16 = 15;
    pub(super) const QUANTILES: u16 = 16;
    pub(super) const REDUCTION: u16 = 17;
    pub(super) const REPLACE: u16 = 18;
    pub(super) const RESHAPE: u16 = 19;
    pub(super) const ROLLING: u16 = 20;
    pub(super) const ROUND: u16 = 21;
    pub(super) const SCAN: u16 = 22;
    pub(super) const SORTING: u16 = 23;
    pub(super) const STREAM_COMPACTION: u16 = 24;
    pub(super) const STRINGS: u16 = 25;
    pub(super) const TESTING: u16 = 26;
    pub(super) const UNARY: u16 = 27;
    pub(super) const VALIDATION: u16 = 28;
}
