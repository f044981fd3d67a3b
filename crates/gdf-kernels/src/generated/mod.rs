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
    &ImageInfo { capability: "binaryop", contract: 0x1876dc6af7d10340, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xa6d994be8899ed8f, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x6ea92ebdf3119a95, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x7fc4fd26d85d26ff, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x4e3dc7dc0fec17f2, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xe3551cf165100062, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xbfddca3c691cfad3, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xf24f14c003e9c4ea, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x027dce0625c6dd89, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0xc1dbf5274fe58142, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xdfe014136857c969, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x04289d1e4aed89f8, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xa80b046018c26af6, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x7dedca06852ab9ab, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x83a3e1a7f2339000, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x698bc86d7a49e3f5, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xb084a591cb05cb8f, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x123276c12ce26988, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xcb7e949cb2dbf543, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x17a7b6bd7bc55d48, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xc19e6f7ef2458447, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x782db6aa83e598f5, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xc467af23a3b57058, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x14e5c80f9cfa3410, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xd8c33872fa9de36d, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x4fe0bbc520145b4b, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xba55c6bc4e0ecfb1, kernels: validation::KERNELS },
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
