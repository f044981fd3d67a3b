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
    &ImageInfo { capability: "binaryop", contract: 0x80ad3288eb3ded2c, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x5c1c61d28e7dca27, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xec7a85fe033aa069, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x65fe0e9bd93f203f, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x5777d1d6718b40f2, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xdc02f243b829d8d0, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x1a7ecd50c6fe6609, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xa6f74c58698fda97, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x8508ead6888b89ef, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0xa1626cdf74d338e2, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x204c61a9716bdf52, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x64defab82a45e578, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x6c7954dcdd38310b, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x2863c8d0545f8db4, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x30604c3f1aa02377, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x7abc1fa06cc7cbb1, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x7b105d231617dfd5, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x32799bcf71cb5d83, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x6827f5d72fda4814, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xd86c1721f2c34469, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xb88aa0fedee30538, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x0119e67afd824bb5, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x59c4479c5ffad1e5, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x85b9278041c79811, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xb2b9b71683185ba3, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x65374b4e12935799, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x0c591d7917b647d8, kernels: validation::KERNELS },
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
