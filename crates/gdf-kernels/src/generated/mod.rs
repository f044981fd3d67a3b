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
pub mod labeling;
pub mod null_mask;
pub mod partitioning;
pub mod quantiles;
pub mod reduction;
pub mod replace;
pub mod reshape;
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
    &ImageInfo { capability: "binaryop", contract: 0x7801a3b68026dd40, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xef22989b62895e49, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xcbc9214dc75538ff, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0xb598563450c0eda1, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x622f771a28fc3c4f, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xd744b98064927aba, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x318e6caa124bd738, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x60af6a30058b4bb5, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xb0789955ac5f68fd, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x6774e2e625b866b0, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xf425eabc8c73bfea, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xb70210bae8188651, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x2e4e83096cc2f595, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xc46e377675252d03, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0xcdf0dfda7c135532, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x1144f4d91c947ff1, kernels: reshape::KERNELS },
    &ImageInfo { capability: "round", contract: 0xa3314ca5f384502f, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x3e02d616cc3770e3, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xb98294961263d803, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xe8c9938fd56872ab, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x70cbd02599e5a0a3, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xbc45add2caab109d, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x542191c525ccc1e0, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x8386560100d9ce76, kernels: validation::KERNELS },
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
    pub(super) const LABELING: u16 = 9;
    pub(super) const NULL_MASK: u16 = 10;
    pub(super) const PARTITIONING: u16 = 11;
    pub(super) const QUANTILES: u16 = 12;
    pub(super) const REDUCTION: u16 = 13;
    pub(super) const REPLACE: u16 = 14;
    pub(super) const RESHAPE: u16 = 15;
    pub(super) const ROUND: u16 = 16;
    pub(super) const SCAN: u16 = 17;
    pub(super) const SORTING: u16 = 18;
    pub(super) const STREAM_COMPACTION: u16 = 19;
    pub(super) const STRINGS: u16 = 20;
    pub(super) const TESTING: u16 = 21;
    pub(super) const UNARY: u16 = 22;
    pub(super) const VALIDATION: u16 = 23;
}
