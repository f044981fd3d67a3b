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
pub mod labeling;
pub mod null_mask;
pub mod partitioning;
pub mod quantiles;
pub mod reduction;
pub mod replace;
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
    &ImageInfo { capability: "binaryop", contract: 0x74cae275afe239e2, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x43a6ee6e5a310cbb, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x10caf4d4bf447d1f, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x4c002d9125d35cdb, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x06f1d7c1fea047ce, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x03c4ca7824a101e4, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x1677e62d66c789fe, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x90708aa21f92581b, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x0add7061cb70fc5b, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xfbe7d733965864ae, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x362e6569419cdb14, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xf332811c543961ff, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xf71a19874cd67d7b, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xaec53afcf2f5da7d, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xf905c2f8e91ba019, kernels: replace::KERNELS },
    &ImageInfo { capability: "round", contract: 0xf02bf3119e9428fd, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x6d40e6af0b5410f1, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x079ab8aaa4df0131, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xce41e7938c048071, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x109b697c9b5d932b, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x9f8d33b7d14a295f, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x2a47f83fd418d34f, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xf715760f9973271c, kernels: validation::KERNELS },
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
    pub(super) const LABELING: u16 = 9;
    pub(super) const NULL_MASK: u16 = 10;
    pub(super) const PARTITIONING: u16 = 11;
    pub(super) const QUANTILES: u16 = 12;
    pub(super) const REDUCTION: u16 = 13;
    pub(super) const REPLACE: u16 = 14;
    pub(super) const ROUND: u16 = 15;
    pub(super) const SCAN: u16 = 16;
    pub(super) const SORTING: u16 = 17;
    pub(super) const STREAM_COMPACTION: u16 = 18;
    pub(super) const STRINGS: u16 = 19;
    pub(super) const TESTING: u16 = 20;
    pub(super) const UNARY: u16 = 21;
    pub(super) const VALIDATION: u16 = 22;
}
