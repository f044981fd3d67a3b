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
    &ImageInfo { capability: "binaryop", contract: 0x6e22b5cbc1346832, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xa57f7e3cff7b7ce9, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xa5eebb21ce6f9b5f, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x65e403b8bc54a781, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x1c4a2fedee9a0b54, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x6d5432ecb2ccad9a, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xe3df08afed96b553, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x9ee96b15e6d84d95, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x0e6114327b20fd91, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0xb169f95f10866b20, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x384ce234f04c5a10, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x281546776d8da18a, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x3a93a45d5bb584f1, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x5a3299ab3ce9ca62, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xf79dbff411f10ab5, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xdf445b665ea1a223, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x4443f7827c6c0a6b, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x5e05366c6d59a8d1, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x7a32ee74b68406a2, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xd419f4a48a58e66f, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x7f240482a0f5367e, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x4a6cca126b442da3, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xee6fc7eef5f4aa8b, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x86304bdfc1283242, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x780b58642d7d883d, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x235276e7cd2d2343, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x273b20f9f07073d6, kernels: validation::KERNELS },
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
