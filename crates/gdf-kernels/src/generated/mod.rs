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
    &ImageInfo { capability: "binaryop", contract: 0x72ecfac8c9ab29bd, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x471e5a9a14bbbc30, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x42aaef184bbe6fde, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x6bf94e6a9765ae5c, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x37f71da21016639b, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x0e2f93cb8326d2c9, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x7eabefc32a5c3910, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xcbf11e9359e5699c, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x128241f94172dcb2, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x5461300bfa362334, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xed22e955d8fef829, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xf36ff8d2f7dfc3c9, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xf15627fd5f011922, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x962e7c2a54c45c82, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x325135cf407a2c22, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xface491062ea9db7, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x2724ebf085e6cf66, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xb746d693b4327131, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x17579f663de0dbba, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xadab1fa1ae672759, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xae01645e5e14a1c4, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x0e9987525142bab4, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xdfb69890683fef32, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x099e8ff08852550c, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x9043d4c746aeb2b3, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x2d1e56f388a60fb5, kernels: validation::KERNELS },
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
    pub(super) const QUANTILES: u16 = 13;
    pub(super) const REDUCTION: u16 = 14;
    pub(super) const REPLACE: u16 = 15;
    pub(super) const RESHAPE: u16 = 16;
    pub(super) const ROLLING: u16 = 17;
    pub(super) const ROUND: u16 = 18;
    pub(super) const SCAN: u16 = 19;
    pub(super) const SORTING: u16 = 20;
    pub(super) const STREAM_COMPACTION: u16 = 21;
    pub(super) const STRINGS: u16 = 22;
    pub(super) const TESTING: u16 = 23;
    pub(super) const UNARY: u16 = 24;
    pub(super) const VALIDATION: u16 = 25;
}
