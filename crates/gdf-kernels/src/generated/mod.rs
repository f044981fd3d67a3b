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
    &ImageInfo { capability: "binaryop", contract: 0x29e626ab1943e6ce, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x7392a6eea5bc540b, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x9ba0459a8761b431, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x2fee940b71186fe3, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xa5b9294a6efa8436, kernels: datetime::KERNELS },
    &ImageInfo { capability: "expression", contract: 0xf43ec9be5c5c866b, kernels: expression::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x0ac5cec48d67d76e, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xb0580dd0af0accdc, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xd2b14c2607720456, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xc847d30fe65eeaaa, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0xd719db4efd96305b, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x3c171b223e5e0da5, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x632f5ddd80ef66f4, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x2bc42a8b20f8dfe2, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x683f4ddf6739fa27, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xec6655a8e4bb50d4, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x21425e77a4b2fbf1, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xca9522642202fd5b, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x41f4ef2d6a0d718c, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x7493680bbe20bfaf, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x64ffc22946188054, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xcea29160b7e7226b, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x70c8987245f191c5, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xe91a465b8c0f3e04, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x437a30dc100e5d88, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x77ea2ab4f738f2b9, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x539c18a9b051a3fc, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xaa73e79a4e7d6d85, kernels: validation::KERNELS },
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
