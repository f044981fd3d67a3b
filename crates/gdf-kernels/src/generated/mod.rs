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
    &ImageInfo { capability: "binaryop", contract: 0xfa0e546254873a4c, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0x9c28429725bcdedd, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0x78dec182f346dd1b, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x07824884726b131d, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0xb241d15fdef944eb, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xe6a7fae753b1bf2e, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x4f2a3388a53a8184, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0x69f6b57d6287d599, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0xa706b8971b390ff9, kernels: join::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0xcd93372119f4439c, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0xea40b790ba430296, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x33e5d18b44273125, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x72919f2cd8f3e229, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0xbbd1107d890f487f, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x1c06b846c09f2b8e, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x4d4343fd62e30a05, kernels: reshape::KERNELS },
    &ImageInfo { capability: "round", contract: 0x6ede2fed97e7347b, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0x24bd4ba5fd1e1a9f, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0xd950a169be13752f, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0xc51558d42ee29077, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0x96ae480e2bd7c54d, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x12a6da40a984a649, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xc57aea8498c4ec54, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x1fa506dfe8b135aa, kernels: validation::KERNELS },
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
