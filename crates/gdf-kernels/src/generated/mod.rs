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
    &ImageInfo { capability: "binaryop", contract: 0xabc9791ea7a30cd2, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x2bdd2c4e5a8c2c2b, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x41d70c79fd658155, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x78b3d476ed2378eb, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xcb3b3f19d1b945de, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x9ac290bd5c3cd5f4, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x6c728ac9d29b5565, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x5e250912ec144f8b, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xf06c825e67aece4d, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x333247eaccd76659, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x7faf35673ebba89e, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xe3cb66a111851fe4, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x27e670fe89744e6f, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xc639cbfcc53bc1f3, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xb9f7c4a34ecc8aeb, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x1fdbbe2641fe6bad, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x69ad55b7505eba40, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x84982649f41b4b47, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x9fc594487d4591b2, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x9c5694f4fe198045, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x1d3590ac8ac205b4, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x343441c00f8a89e1, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x4d587f695d465a01, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xaf6df5f43d6ccfbc, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x998dc7a0748e106f, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x8b08bb7c57f07154, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xa39c1b00453ed98c, kernels: validation::KERNELS },
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
