//! What the host knows of kernels.

// Written by `cargo xtask codegen` from kernels/.

pub mod binaryop;
pub mod common;
pub mod concatenate;
pub mod copying;
pub mod datetime;
pub mod groupby;
pub mod hashing;
pub mod join;
pub mod null_mask;
pub mod partitioning;
pub mod reduction;
pub mod scan;
pub mod sorting;
pub mod stream_compaction;
pub mod testing;
pub mod unary;
pub mod validation;

mod prelude;

use crate::registry::ImageInfo;

/// The images, in the order that [`KernelId`](crate::KernelId) counts them.
pub(crate) static IMAGES: &[&ImageInfo] = &[
    &ImageInfo { capability: "binaryop", contract: 0x77ee64dd429ed75d, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x3cb26d0e7d1ffd37, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x8727e19449366c67, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x9a193afb38453f19, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x9545979a6887544f, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x773d637ec781a901, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xddada284fe264ff6, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x82c1111c4a636345, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xf98972f91bf8dc5f, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x49e7bdea9d660444, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xf294cec0c6e1fc52, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xf11a64e57510aca8, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x1c064f8fd0eb6182, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x7db28f99fb3b1e07, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xf38d92934590fa30, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x3651404362db43be, kernels: validation::KERNELS },
];

/// Positions in [`IMAGES`].
mod image {
    pub(super) const BINARYOP: u16 = 0;
    pub(super) const CONCATENATE: u16 = 1;
    pub(super) const COPYING: u16 = 2;
    pub(super) const DATETIME: u16 = 3;
    pub(super) const GROUPBY: u16 = 4;
    pub(super) const HASHING: u16 = 5;
    pub(super) const JOIN: u16 = 6;
    pub(super) const NULL_MASK: u16 = 7;
    pub(super) const PARTITIONING: u16 = 8;
    pub(super) const REDUCTION: u16 = 9;
    pub(super) const SCAN: u16 = 10;
    pub(super) const SORTING: u16 = 11;
    pub(super) const STREAM_COMPACTION: u16 = 12;
    pub(super) const TESTING: u16 = 13;
    pub(super) const UNARY: u16 = 14;
    pub(super) const VALIDATION: u16 = 15;
}
