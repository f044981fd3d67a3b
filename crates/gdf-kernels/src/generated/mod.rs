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

use crate::info::ImageInfo;

/// The images, in the order that [`KernelId`](crate::KernelId) counts them.
pub(crate) static IMAGES: &[&ImageInfo] = &[
    &ImageInfo { capability: "binaryop", contract: 0x72fc65397dae3052, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x913925bdd959cc0f, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xfb8d9560d290b915, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xe23c3a937b2cfe7f, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x795bdd5dd560be72, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xef18c89ea6891be2, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xc6497fb0669c2638, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x33f9e354fe07246a, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xde7551322ae90236, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x470c32316362e857, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x658f0e264b710fe9, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x48a73aac2bbf2578, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x8bb21eaacd903976, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x0663cbda7f6d1d2b, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xcb835f57969d1f80, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xa5d0811646359275, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xb31a20f63eaa7a0f, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xdf0680cdb5f0ed08, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x3b7779ba334480c3, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x79cd9af9b3e057c8, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x2b355e624b2952c7, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x855f07270b10c499, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x4adcab032e200fd8, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xa8c368b785e9aa90, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xd54f8345bdaef1ed, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xf6ef8dd73fb15040, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x6da72745defba631, kernels: validation::KERNELS },
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
