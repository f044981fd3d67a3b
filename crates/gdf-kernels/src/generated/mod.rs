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
    &ImageInfo { capability: "binaryop", contract: 0x84e766f07937780c, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x0740ad8bbf0ff6d1, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x65e5c8c7474725fa, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x3ce6dfc78669f832, kernels: datetime::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x7919a99270e6f4e8, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x7d7cd38765936546, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xeef5ac09e6923a6f, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x47d589ff210acd02, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xf1a0df665731dcf2, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x950207d0f8c1435f, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xb7527b5c71920abf, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xb6dd560c6e392ff9, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x45fd95076231b135, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x0ff5a78bbe5570d8, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xe5f12567ee87b530, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xdc8883fd063aab75, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xc12c16aea81cd73f, kernels: validation::KERNELS },
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
    pub(super) const REDUCTION: u16 = 9;
    pub(super) const SCAN: u16 = 10;
    pub(super) const SORTING: u16 = 11;
    pub(super) const STREAM_COMPACTION: u16 = 12;
    pub(super) const STRINGS: u16 = 13;
    pub(super) const TESTING: u16 = 14;
    pub(super) const UNARY: u16 = 15;
    pub(super) const VALIDATION: u16 = 16;
}
