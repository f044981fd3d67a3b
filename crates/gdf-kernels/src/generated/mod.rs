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
    &ImageInfo { capability: "binaryop", contract: 0xf68655905ada41fe, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xb2e9be6bb31f16df, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x93340abb90b8b0a1, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x2d5dac243e89b4d7, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x74b8b972048dfee5, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xba9cc0e2b44db5c8, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xacb7787631a36fea, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xfecd73a76c7bacef, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x4ae92e7c2ae51727, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xcda261bc41d1cefa, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x6887a25fae8fa500, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xb177ba5c212b9883, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x6825aa5d1059991f, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x484878d8ddff0e69, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x3dd71a22bb98da2c, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x2474f64eb63f315b, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xb0245a62a618b61c, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x368fed89fd3a9871, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x9258c682dcabe874, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x64f3056c3fb6843d, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xc080bcd478357f8d, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xc967ab2963314fcf, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x78256c3cc350b6fb, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x800cfabe2c79d97c, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x717e8b096ab58df0, kernels: validation::KERNELS },
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
