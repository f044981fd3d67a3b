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
    &ImageInfo { capability: "binaryop", contract: 0xb585cc8c77d2653d, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xfbce2f518b0b43b0, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xd59d61d6515b4b5e, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x7bbf230884b439dc, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x10422d8099d1bc8e, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x767d2db5ca476549, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x13937254ddaf77f5, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xdd461e4af8d4a91c, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x1317e36c3ec76f32, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xf34d97375490a7a9, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xeef8099b02f13a49, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x899a86c406580fa2, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xbd21c0a20dda3f02, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x222333f31da843a2, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x112b9e47f93ec537, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xdca7b16796fc6de6, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x9fd48e461be86bcd, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xfc09b819779a873a, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x33a6c04b5b023f49, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x5c924752b1d9e444, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x22aedf89aea6f134, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x9bb42c18a5930812, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x9f78f35342724c8c, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x9ce4c2e378c40633, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x98a61d524bd9f235, kernels: validation::KERNELS },
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
