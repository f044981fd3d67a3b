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
    &ImageInfo { capability: "binaryop", contract: 0xf5fa25032a51d10a, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x4474cfb99504bff3, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x9c36b71e6497dcbd, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x9dff3e074caa1db3, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x7a14ae35f000c6d6, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x3628ead1fbd5b2dc, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x740fc3460dec43cd, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x708fc0c4abb653b3, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x895e79268354e5f5, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x0f61ae1f1846da61, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xe9d6cd78de958116, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xc48d43e6b46d3c5c, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x7aa7be229b747bf7, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xb807b86cb5b82ebb, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0xa46e79724857c723, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xd943c0169c691895, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x99de5b737a7b2678, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0xa6f2aa426895136f, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0xa12ffa6775f1a8fa, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xe85bdd5f68986e7d, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x53a11929c341fa8c, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xc672620ca9c46459, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xdd3147e010e854b9, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x8be81211d1995223, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xa8911ecf8eb06af7, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x554a19fea0b28c4c, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xc9271a2e265ebcf4, kernels: validation::KERNELS },
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
