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
    &ImageInfo { capability: "binaryop", contract: 0x0ee716d493e27144, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x43f99dde76773825, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x1914277bf0d46523, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x0c91135b471ab2c5, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xf9b0eebb725d9f20, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xe15858609f946296, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x71f4b753019a1efc, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x8e55bc90976b1a01, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xaa20282f3ea30131, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x6711e5dbfadb4cb4, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xa91f24344f9029ae, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x281dc1e8538d444d, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x826839f24ed7bc01, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xc1ffad4fa24ed9e7, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xc74e89fc408a5b86, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x25cb2eda1f3b3c8d, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xbbd352f01497c2bc, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xf0ac50824c6f3e13, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xf69a1dc7c1f0e164, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xb7cdd1458c1b1567, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xd18d21da86e07eaf, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x46af5600c4024653, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x78e9c6eb82c64e71, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x9c1afdec4505e7ea, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x120b3ade452f39f2, kernels: validation::KERNELS },
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
    pub(super) const RESHAPE: u16 = 15;
    pub(super) const ROLLING: u16 = 16;
    pub(super) const ROUND: u16 = 17;
    pub(super) const SCAN: u16 = 18;
    pub(super) const SORTING: u16 = 19;
    pub(super) const STREAM_COMPACTION: u16 = 20;
    pub(super) const STRINGS: u16 = 21;
    pub(super) const TESTING: u16 = 22;
    pub(super) const UNARY: u16 = 23;
    pub(super) const VALIDATION: u16 = 24;
}
