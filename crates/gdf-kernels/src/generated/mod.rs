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
    &ImageInfo { capability: "binaryop", contract: 0xd92f135df5b1c492, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x566862b10ef0d889, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x29318ba0685c6b3f, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x7e85a36d657065e7, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x8f6ca739ce970d34, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xe6e9d592f2567592, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0xae6df3dc22faccdf, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x0f1fa907e70ef1f5, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xaa40115067b4c7f1, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x1950ba3014524040, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xd2eadcf8e3d30270, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x22461e054330b52a, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xffd9c353da85e991, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x8a6a9e2f67ab95c2, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x926938182c1dc6d5, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xa58d38bee9dfe243, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x44427d0899a99c0b, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x53a6c530dd388db1, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x0fb012457b407443, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0x003de7af9d52465b, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x50c7afc5003739c0, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xf3579bc29c7e1c43, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x8987eb4e2ebfd56b, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x9670b5d7df24a659, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x06231fab5a37675d, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x7c64328337f7cf7c, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xd9a8ef0551d914b6, kernels: validation::KERNELS },
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
