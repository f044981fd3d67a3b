//! The names that all generated modules import.

// Written by `cargo xtask codegen` from kernels/.

#![allow(unused_imports)] // not every module has all

pub(super) use super::common::*;
pub(super) use super::image;
pub(super) use crate::arguments::{Family, OneKernel, arguments};
pub(super) use crate::count::{Bytes, Bytes32, Rows, Rows32, Tiles, Tiles32};
pub(super) use crate::info::{KernelId, KernelInfo};
pub(super) use crate::pointer::{In, Out, plain};
pub(super) use crate::policy::Policy;
pub(super) use bytemuck::{Pod, Zeroable};
