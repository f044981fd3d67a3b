//! Kernels of kernels/labeling.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Edges {
    LeftInclusive = 1,
    RightInclusive = 2,
}

pub(super) const KERNELS: &[KernelInfo] =
    &[KernelInfo { symbol: "label_bins_kernel", unit: 0, policy: Policy::new(256, 4, 4) }];

/// Writes the number of the bin of each row, as 32-bit integers. A row that is in no bin becomes null. `left` and
/// `right` have the edges of each bin, in ascending order and of the type of `in`.
#[derive(Clone, Copy, Debug)]
pub struct LabelBins<'a> {
    pub input: ColumnIn<'a>,
    pub left: ColumnIn<'a>,
    pub right: ColumnIn<'a>,
    pub edges: i32,
    pub out: ColumnOut<'a>,
}

arguments!(LabelBins { input, left, right, edges, out } scratch {});

impl OneKernel for LabelBins<'static> {
    const ID: KernelId = KernelId::new(image::LABELING, 0);
}
