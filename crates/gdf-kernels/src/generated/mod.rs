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
    &ImageInfo { capability: "binaryop", contract: 0xc053e53406e9321b, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xbf4c3ec5774c9428, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xac5a712579f37b36, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xd0042618b06f29f2, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xfbe4e633864443d9, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x359588843911cef9, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xe8a67ea928b46204, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x3daa9d710b6bc254, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x6ec2ca3f5b7d44aa, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x6371c5ea5c6d08d1, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x64102418dc599731, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x1b8f9171bfb709f1, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xa653314daaaf69fa, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x40c588d3e5cd8429, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x1a09915e22b7fa0a, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x1bc2e87ed0316f7a, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xf31e82fbbb92650a, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x8ee9ac23df9745de, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x2e07aba5d29670c8, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x3eaaf76e11f0e2d6, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x79993e5c4ba0e875, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x54d8bb735e8bcb0c, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xb39656b1da0a47fc, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x4c5a3a2056f71919, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x5059367c67ec0084, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x3f534ec321fd6993, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x5ef73c887da130ad, kernels: validation::KERNELS },
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
