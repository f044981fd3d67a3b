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
    &ImageInfo { capability: "binaryop", contract: 0x585a936590e92b57, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xc24119d34ceccfaa, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x7ce94668c0774b2c, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xe9a92b4c241b11fe, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x9e157211c62cbf55, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x04875fbb2ce05d6b, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xc9bf3519dd2c0d63, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x70be4732304efdca, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x15a36a4193fe91d0, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xa370a5444dd705ff, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x0d4a3a266d16e5b3, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x6be05b6817cbf220, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xf3d82ada80475840, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x7b1f4c7642fcc81c, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xd099a9b544e0e8b2, kernels: replace::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x0bcc808c1d1704d3, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xffd10f074607d8f8, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x6d614e85df904473, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x724b8c0c8a4102ca, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x17e5b127a81e1a5a, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xfa72174f30387846, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xfd774abd60d4a61e, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xc6f4e3e47a1565fe, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x6d31dc882604bcab, kernels: validation::KERNELS },
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
    pub(super) const ROLLING: u16 = 15;
    pub(super) const ROUND: u16 = 16;
    pub(super) const SCAN: u16 = 17;
    pub(super) const SORTING: u16 = 18;
    pub(super) const STREAM_COMPACTION: u16 = 19;
    pub(super) const STRINGS: u16 = 20;
    pub(super) const TESTING: u16 = 21;
    pub(super) const UNARY: u16 = 22;
    pub(super) const VALIDATION: u16 = 23;
}
