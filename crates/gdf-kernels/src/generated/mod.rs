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
    &ImageInfo { capability: "binaryop", contract: 0xaa37d2e76b99ca58, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x0c32453e41e58371, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xc4c5e4650b301aed, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x4bf5f1a4b3b23ea9, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xdfc4218cdac682ac, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x1ecdec6ccedd7402, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x5c1c431b99dd2670, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xa119ee4b0c56e53d, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xa818fb4f07b7dd95, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x025dfa4e06369d68, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x92535e471a3bb182, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x00f547fa1128ccb9, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x7a3735944818e76d, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x63dbf31123aa85eb, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x86acd1b7920aeee3, kernels: replace::KERNELS },
    &ImageInfo { capability: "round", contract: 0xa915e7191166dc07, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x606b71a4e921b4bb, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x947646069c01547b, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xa2c96d0f62d38f23, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x30318891140a0355, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x9ac2f2664b3a6845, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x632d8b3bea995a6d, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x1be3dde619734d5e, kernels: validation::KERNELS },
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
