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
    &ImageInfo { capability: "binaryop", contract: 0xc456943e4c9182a7, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x2364847c0495e266, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x204c6c7f9cf92e23, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x30ff22b6c393a36f, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xbd508c0e893407f2, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0x9a02795e4790b8c0, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x86f60cc94b530d92, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x8c2238989597fb99, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x6afbe536e157d5ef, kernels: join::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x21d7e2c9e824184a, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0xb5b00ff84553e05b, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xd3698d90a61d2ab9, kernels: reduction::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x3db3ae0c9f61f1a6, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xf273be482a76b3f4, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x8aceca716a937dd5, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x3dc2c0531c9caf53, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0xd15c39160acb8753, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0x76098252c33fa68d, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0xec8c30abea978368, kernels: validation::KERNELS },
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
    pub(super) const NULL_MASK: u16 = 9;
    pub(super) const PARTITIONING: u16 = 10;
    pub(super) const REDUCTION: u16 = 11;
    pub(super) const SCAN: u16 = 12;
    pub(super) const SORTING: u16 = 13;
    pub(super) const STREAM_COMPACTION: u16 = 14;
    pub(super) const STRINGS: u16 = 15;
    pub(super) const TESTING: u16 = 16;
    pub(super) const UNARY: u16 = 17;
    pub(super) const VALIDATION: u16 = 18;
}
