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
pub mod strings;
pub mod testing;
pub mod unary;
pub mod validation;

mod prelude;

use crate::registry::ImageInfo;

/// The images, in the order that [`KernelId`](crate::KernelId) counts them.
pub(crate) static IMAGES: &[&ImageInfo] = &[
    &ImageInfo { capability: "binaryop", contract: 0xcf87fc4177531f62, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x7e6efcd2e5a04dd5, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xbf8c5c457187418c, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xa2b8ff699b93680c, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x8c94f1c871678bf0, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x32f05421c240aa88, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x76a3d90561dff6af, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x413b2445bca81007, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x1d441059d80c86f4, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x5a55ed674097e1cb, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x0e699d6e81b60fde, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xdd3d05cdc442de83, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x71f9b1db30823336, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x3623ceaee818230a, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xb6c95f05b8c1746a, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x52753baa2c96cd1e, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x8d52032724d3a31f, kernels: validation::KERNELS },
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
    pub(super) const STRINGS: u16 = 13;
    pub(super) const TESTING: u16 = 14;
    pub(super) const UNARY: u16 = 15;
    pub(super) const VALIDATION: u16 = 16;
}
