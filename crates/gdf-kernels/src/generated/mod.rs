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
    &ImageInfo { capability: "binaryop", contract: 0xe90220a753a25ee3, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x41840701122036a0, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xead53f41c375b4ee, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xaa4628e8ed3e47ca, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x226a5508ae8ab941, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x13e5d1175864a2d1, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x7af29e32a256b65c, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xa3386ec1bb78840c, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x9f1f888662d5d772, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x01cd07360dd32839, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x320668af54f41a19, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xfe3abfd27ee5e919, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x5c158eb79bebc252, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xef7d8cb67b8d6b21, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xeb6afeb7f5fb9af2, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x101aa44dd60aca12, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xbd6057c3a1666792, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x584e3e1069594276, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x61ea47bee81b72e0, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x3b3b8cbbf920e93e, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x1a5e66da50e7b5fd, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xa98c74a0103390b4, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xa2a1bb063f7ddb04, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x23b86bb256328703, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x2f764f677c3f829c, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x871affa5e92cca5b, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x35e3401e398f97a5, kernels: validation::KERNELS },
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
