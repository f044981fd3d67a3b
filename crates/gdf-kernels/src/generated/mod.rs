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
    &ImageInfo { capability: "binaryop", contract: 0xfbd41cf07e23dd60, kernels: binaryop::KERNELS },
    &ImageInfo { capability: "concatenate", contract: 0xe431b507caff416b, kernels: concatenate::KERNELS },
    &ImageInfo { capability: "contiguous_split", contract: 0xf9469adaa58ebe95, kernels: contiguous_split::KERNELS },
    &ImageInfo { capability: "copying", contract: 0x85a0103f31804eab, kernels: copying::KERNELS },
    &ImageInfo { capability: "datetime", contract: 0x7608a96e2f59ce1e, kernels: datetime::KERNELS },
    &ImageInfo { capability: "filling", contract: 0xc85e3194532e6134, kernels: filling::KERNELS },
    &ImageInfo { capability: "groupby", contract: 0x73c207dce5ee8c25, kernels: groupby::KERNELS },
    &ImageInfo { capability: "hashing", contract: 0xe46c07d47a7315cb, kernels: hashing::KERNELS },
    &ImageInfo { capability: "join", contract: 0x7484e2ed1b9db51b, kernels: join::KERNELS },
    &ImageInfo { capability: "keys", contract: 0x274a0faa446f0486, kernels: keys::KERNELS },
    &ImageInfo { capability: "labeling", contract: 0x904f48bec84ceb5e, kernels: labeling::KERNELS },
    &ImageInfo { capability: "null_mask", contract: 0x48ce50e4c0097f24, kernels: null_mask::KERNELS },
    &ImageInfo { capability: "partitioning", contract: 0x5c41b8390cef33af, kernels: partitioning::KERNELS },
    &ImageInfo { capability: "predicate", contract: 0xd51cd0b5c8739270, kernels: predicate::KERNELS },
    &ImageInfo { capability: "quantiles", contract: 0x79458cd5ea44732b, kernels: quantiles::KERNELS },
    &ImageInfo { capability: "reduction", contract: 0x4de54dcd5f7e79ed, kernels: reduction::KERNELS },
    &ImageInfo { capability: "replace", contract: 0x5ac9d8dc5dc40751, kernels: replace::KERNELS },
    &ImageInfo { capability: "reshape", contract: 0x9ff3b562e4f8ea07, kernels: reshape::KERNELS },
    &ImageInfo { capability: "rolling", contract: 0x676a591ca15ad530, kernels: rolling::KERNELS },
    &ImageInfo { capability: "round", contract: 0xc634f82ae7082505, kernels: round::KERNELS },
    &ImageInfo { capability: "scan", contract: 0xcc17aebdbbd2c1f4, kernels: scan::KERNELS },
    &ImageInfo { capability: "sorting", contract: 0x56569c4109462021, kernels: sorting::KERNELS },
    &ImageInfo { capability: "stream_compaction", contract: 0x17b7782698d840c1, kernels: stream_compaction::KERNELS },
    &ImageInfo { capability: "strings", contract: 0xd52815994dd5797b, kernels: strings::KERNELS },
    &ImageInfo { capability: "testing", contract: 0x5a41b2393822942f, kernels: testing::KERNELS },
    &ImageInfo { capability: "unary", contract: 0xbb9bff3404e550ed, kernels: unary::KERNELS },
    &ImageInfo { capability: "validation", contract: 0x1853a374926b7ccc, kernels: validation::KERNELS },
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
