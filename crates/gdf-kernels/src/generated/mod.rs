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
    &ImageInfo { capability: "binaryop", contract: 0x14d6c19a35de125e, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xda05be5e640254ff, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x2c14989040f45a01, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x3d17add472168937, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x773b7703dbfdd4c1, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xa6cfc67569885028, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xdfddc7c88abe158a, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x1a201a9bbf5eb54f, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xe4f9cdf20ff32187, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xf2bf67b44a6a43da, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x0707abf586cc14a0, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x073e2de03e7ed6a3, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xf64e64e32de6b3bf, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xe0576c9f0ca8b789, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xea6cb5c45330a24c, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xc50316998cae553b, kernels: reshape::KERNELS },
    &ImageInfo { capability: "round", contract: 0x5c3b8ece644f9799, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x4789093cbd4de4bd, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x83ef5661e858b75d, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xf850b8eec3fe68ed, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xa0a964ec30bb8eaa, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xb4a0a65bd7668d1b, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x785b1a440b0e798a, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x7ef8b1b8525b99d0, kernels: validation::KERNELS },
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
    pub(super) const ROUND: u16 = 16;
    pub(super) const SCAN: u16 = 17;
    pub(super) const SORTING: u16 = 18;
    pub(super) const STREAM_COMPACTION: u16 = 19;
    pub(super) const STRINGS: u16 = 20;
    pub(super) const TESTING: u16 = 21;
    pub(super) const UNARY: u16 = 22;
    pub(super) const VALIDATION: u16 = 23;
}
