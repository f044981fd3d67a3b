//! Kernels of kernels/reshape.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub(super) const KERNELS: &[KernelInfo] =
    &[KernelInfo { symbol: "interleave_columns_kernel", unit: 0, policy: Policy::new(256, 4, 4) }];

/// Interleaves `columns` columns that have the same type (at most 256 bits) and the same length.
#[derive(Clone, Copy, Debug)]
pub struct InterleaveColumns<'a> {
    pub input: TableIn<'a, 32>,
    pub columns: i32,
    pub out: ColumnOut<'a>,
}

arguments!(InterleaveColumns { input, columns, out } scratch {});

impl OneKernel for InterleaveColumns<'static> {
    const ID: KernelId = KernelId::new(image::RESHAPE, 0);
}
