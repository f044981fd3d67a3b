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
    &ImageInfo { capability: "binaryop", contract: 0x3aac7fc9cbf4cbcc, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x52326232d63c2c5d, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xc4e619eaa43e8e9b, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xee39aea2a9d4349d, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x8d1baf13ad20c770, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x7c01cce58eead3ae, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x0eb703727625b79f, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xa3eb4474dafc3b19, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x750591fd55748f97, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0xd595119cf94424cf, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x1ef3456c0451d91c, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x11a7274ae4894b16, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xd9132cefa210f9a5, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xf69ac3bd941bffe5, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xefa909e8a1ce86a9, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x7beba47ee8da65ff, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x97d6b80080c3990e, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xcb6429c35e319a85, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x3b497abf1b3108a8, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x6331bbfdca64341b, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xe1952f5d95b5105a, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xfd6a5bd7e48cf9af, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x0a1da4bdb8ea98f7, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x366e714245f872b6, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x161af104417323c9, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xccb38e305e6c4f96, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x6ccaa932eac1da2a, kernels: validation::KERNELS },
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
