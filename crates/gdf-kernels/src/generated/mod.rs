//! What the host knows of kernels.

// Written by `cargo xtask codegen` from kernels/.

pub mod binaryop;
pub mod common;
pub mod concatenate;
pub mod contiguous_split;
pub mod copying;
pub mod datetime;
pub mod expression;
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
    &ImageInfo { capability: "binaryop", contract: 0xead79ec86c267ddf, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x4a2d5bfd490af2b8, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x65ab2080e5419700, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x241a85843cdbe56c, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xfd0fb623e08f640f, kernels: datetime::KERNELS },
    &ImageInfo { capability: "expression", contract: 0x166a8de790b03da1, kernels: expression::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x1255018998b36001, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x4d11766aac12ce14, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x39f8ff05d339879f, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x89c3ee57bd0a1fbf, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x77e0bd4f84921f0c, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x45cb2cef6bdbf8e0, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x781389e176fe7fbf, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x7d28ad8f898db3cb, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x7cb90855f6af58d7, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xfcfa7caf9e4200cf, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xe14cb356dbaab238, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xc4d2aa5cea08ae0a, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x0180fb8b5c6dc8e3, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x383dcfbb0ccb5148, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x180c521fcabb165d, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x7e3c689a719debee, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x8a1ce140ddddd250, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x185b055843e8313f, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x4f3284179099ce18, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x711657188d8ac618, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x364ad6f3db5eaba9, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x31bf265c0b6f3c20, kernels: validation::KERNELS },
];

/// Positions in [`IMAGES`].
mod image {
    pub(super) const BINARYOP: u16 = 0;
    pub(super) const CONCATENATE: u16 = 1;
    pub(super) const CONTIGUOUS_SPLIT: u16 = 2;
    pub(super) const COPYING: u16 = 3;
    pub(super) const DATETIME: u16 = 4;
    pub(super) const EXPRESSION: u16 = 5;
    pub(super) const FILLING: u16 = 6;
    pub(super) const GROUPBY: u16 = 7;
    pub(super) const HASHING: u16 = 8;
    pub(super) const JOIN: u16 = 9;
    pub(super) const KEYS: u16 = 10;
    pub(super) const LABELING: u16 = 11;
    pub(super) const NULL_MASK: u16 = 12;
    pub(super) const PARTITIONING: u16 = 13;
    pub(super) const PREDICATE: u16 = 14;
    pub(super) const QUANTILES: u16 = 15;
    pub(super) const REDUCTION: u16 = 16;
    pub(super) const REPLACE: u16 = 17;
    pub(super) const RESHAPE: u16 = 18;
    pub(super) const ROLLING: u16 = 19;
    pub(super) const ROUND: u16 = 20;
    pub(super) const SCAN: u16 = 21;
    pub(super) const SORTING: u16 = 22;
    pub(super) const STREAM_COMPACTION: u16 = 23;
    pub(super) const STRINGS: u16 = 24;
    pub(super) const TESTING: u16 = 25;
    pub(super) const UNARY: u16 = 26;
    pub(super) const VALIDATION: u16 = 27;
}
