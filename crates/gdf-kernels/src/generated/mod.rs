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
    &ImageInfo { capability: "binaryop", contract: 0x2c266b1f48d05763, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xf736ebaa2509af20, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x3ac40247f929d96e, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x34ef9e7afc27a84a, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x7a6c2bc1687a79c1, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x4b9bef879b956c51, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x7035aa9b793f4fdc, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x226879b896d2448c, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x1e7da6e87813a8f2, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x1895880a2f62b4b9, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xaff1412ebfcb6a99, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x161d55284bbf7299, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x2b0accc5a97fcbd2, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x6bce21425aea2ca1, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x162ee3960338b872, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xb4e0b97f83f5b292, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xa5dd76d3c2ee5012, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xbfa7cdd6e95ea3f6, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xc3f6abae6f36cc60, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x7f3a64103c183dbe, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xf6996011dbe50e7d, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xd0e383d11e014e34, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x46bd2d34c884a484, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xab30c1bf8ca73e46, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x16ea75417b788b1c, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x2f37d45806bf37db, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x029c5ae220aeb525, kernels: validation::KERNELS },
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
