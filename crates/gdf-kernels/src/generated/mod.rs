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
    &ImageInfo { capability: "binaryop", contract: 0xb3e7b92e567bdb94, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xfc1b22ec803c2a03, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x98402ab0b6a1e659, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x53543dbc61b5b4cb, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xfbd6d701225fd5be, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x42094274ccb5b276, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xf91b94f66c8fd924, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xe369e7083807e2ee, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x96286956050be6e2, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x3cc16da09b3ba02e, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xe29f1b67fc78199d, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x09441315ecc6c3ec, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x83ef41240ac77cda, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xe7f24e5017694e4f, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x1afc7e04bdc6214c, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xc33e9cc6c3c01199, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x974c3f8e824290f3, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x8d27984f0718a6b4, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x83951398f62f76b7, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x3f260c91f9890d8c, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x141ab7ba805ab723, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x8ee9a6edf8e3ebd5, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x321af66a5603fcbc, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xe3ac6e96d404368c, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x29c4f5971f4f7ae1, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x2cd626fbfd908a4f, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x015b7173396f2c8d, kernels: validation::KERNELS },
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
