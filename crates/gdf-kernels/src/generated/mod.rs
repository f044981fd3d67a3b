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
    &ImageInfo { capability: "binaryop", contract: 0x691ef22670ae3e46, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x0676f63401020b6d, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x767ba6c2d868cd0b, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x8bea1445334e746b, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x64bffb2c6462d940, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x9d708af3c393bb2e, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x0305e26806f6044b, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x7f1e1e2f68e8dfa9, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x7b62d25b53c2435d, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x9b275ae565ecb004, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xa75d54b919d54b2c, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x953d97bdee7363c6, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xc9255cc5885295f5, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0x6bc152d13bf86c1e, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x78b0d4386bd84179, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xe1e219e571701d8f, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xe47ca56c14086c47, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xc3bc64008522a2f5, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x402c202137515f6f, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xbf8c9acce742a1a7, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x2bdbbe9f5cefead4, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x6bcc9f827321e2bf, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x5f3776be6d0b2ca7, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x896566a9384f3241, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x2d2fa92b28986e79, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x1897e769d3552ef8, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xf0732e615d95ed3a, kernels: validation::KERNELS },
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
