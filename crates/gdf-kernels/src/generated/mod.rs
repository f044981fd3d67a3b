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
    &ImageInfo { capability: "binaryop", contract: 0xd94b208c46cf8402, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x9db74d386d6f03b9, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x7eb7428ffb18e8cf, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x9a3ad062dd28e8b1, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x362dc109578cde24, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x0f305d599d444862, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x42d3162ac18ee243, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xc89e20b6209ab7a5, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xf0a614f3d0553801, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0xdec3773b983ac330, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x968ac70fd938a860, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xfaaebf76d4d11dba, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x999a724d9703e0c1, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x189be4fb0e12d272, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x1221fdba066146c5, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x836a61f4a85eddf3, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x1351fbb23c7a723b, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xfb3281b128cf6981, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x60847395355b6813, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xe994ce8af5fdaf9f, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x2927813de6d5da90, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xdda5ffb5ab0cc4f3, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xe87cc830d71e7abb, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x7ddbcdbe544cec8f, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xdaed5402608efb6d, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xf109b4345c457c86, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xfcf715dbdb3e1426, kernels: validation::KERNELS },
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
