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
    &ImageInfo { capability: "binaryop", contract: 0x42c89d2d7e1ae497, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x25f937e9c5356b54, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xebbf5e64f43f88ca, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x105642f22382ee18, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x41f3d1b085e994ad, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xd7c868e056ac7fdd, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x74ad7c231004c10c, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x44603f8b6ea5ea70, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x2a8ee6c912ff679e, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x5c34f13490c61b6d, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xc026df6cefe0f9a5, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xdf0ff5713a441c25, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x9410547535e27d16, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xf7cb8d2b6321847d, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xcc1a75827a7aef36, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xf0dd01145a6375ae, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xe233c182bce1b9ce, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x3b734e984e223f1a, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xf0111f35093d988d, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xfdb9869a38a1ecd6, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x47b5b98955c6079d, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xd8af1fdc83c50490, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x883e3f9760302ab0, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x81e242817cebbc0d, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x44aca9553376b968, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x11f0aad787529c94, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x0b18838984584059, kernels: validation::KERNELS },
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
