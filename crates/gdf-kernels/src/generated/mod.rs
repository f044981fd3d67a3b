//! What the host knows of kernels.

// Written by `cargo xtask codegen` from kernels/.

pub mod binaryop;
pub mod common;
pub mod concatenate;
pub mod copying;
pub mod datetime;
pub mod groupby;
pub mod hashing;
pub mod join;
pub mod null_mask;
pub mod partitioning;
pub mod quantiles;
pub mod reduction;
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
    &ImageInfo { capability: "binaryop", contract: 0x98bdd4f74bd814e0, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xa0f87f2d1d39c25b, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x09ed60632c7102a9, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x670583c75824231b, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x5ac9dd3e6fe0466d, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xd27313156223c484, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x18af6acf15bf09ca, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xaacd85358a644071, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xb84b595e05af7bea, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x6f7ab96cbd25fa7a, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x04a28c8f9801772a, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x9983b1e0f26a25ed, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x5ccec63b31656839, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xc763dd487e58e8cc, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xca09432cf0e3eb88, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x40d32e14a24c8c94, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x260894961fafd27c, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x15c0dded9a211e1d, kernels: validation::KERNELS },
];

/// Positions in [`IMAGES`].
mod image {
    pub(super) const BINARYOP: u16 = 0;
    pub(super) const CONCATENATE: u16 = 1;
    pub(super) const COPYING: u16 = 2;
    pub(super) const DATETIME: u16 = 3;
    pub(super) const GROUPBY: u16 = 4;
    pub(super) const HASHING: u16 = 5;
    pub(super) const JOIN: u16 = 6;
    pub(super) const NULL_MASK: u16 = 7;
    pub(super) const PARTITIONING: u16 = 8;
    pub(super) const QUANTILES: u16 = 9;
    pub(super) const REDUCTION: u16 = 10;
    pub(super) const SCAN: u16 = 11;
    pub(super) const SORTING: u16 = 12;
    pub(super) const STREAM_COMPACTION: u16 = 13;
    pub(super) const STRINGS: u16 = 14;
    pub(super) const TESTING: u16 = 15;
    pub(super) const UNARY: u16 = 16;
    pub(super) const VALIDATION: u16 = 17;
}
