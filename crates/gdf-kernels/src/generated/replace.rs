//! Kernels of kernels/replace.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "clamp_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "find_and_replace_all_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "normalize_nans_and_zeros_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "replace_nans_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
];

/// Replaces rows below `low` by `low_replacement`, and rows above `high` by `high_replacement`. Bounds and replacements
/// have one row and the type of `in`. `in` and `out` have the same length.
#[derive(Clone, Copy, Debug)]
pub struct Clamp<'a> {
    pub input: ColumnIn<'a>,
    pub low: ColumnIn<'a>,
    pub low_replacement: ColumnIn<'a>,
    pub high: ColumnIn<'a>,
    pub high_replacement: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(Clamp { input, low, low_replacement, high, high_replacement, out } scratch {});

impl OneKernel for Clamp<'static> {
    const ID: KernelId = KernelId::new(image::REPLACE, 0);
}

/// Rows that are equal to a row of `old`, without nulls, become the same row of `replacement`; all have the type of `in`,
/// of up to 128 bits, and `out` is as long as `in`.
#[derive(Clone, Copy, Debug)]
pub struct FindAndReplaceAll<'a> {
    pub input: ColumnIn<'a>,
    pub old: ColumnIn<'a>,
    pub replacement: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(FindAndReplaceAll { input, old, replacement, out } scratch {});

impl OneKernel for FindAndReplaceAll<'static> {
    const ID: KernelId = KernelId::new(image::REPLACE, 1);
}

/// Of a float of any width; `out` is as long, with a mask only where the one of `in` is to be copied.
#[derive(Clone, Copy, Debug)]
pub struct NormalizeNansAndZeros<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(NormalizeNansAndZeros { input, out } scratch {});

impl OneKernel for NormalizeNansAndZeros<'static> {
    const ID: KernelId = KernelId::new(image::REPLACE, 2);
}

/// NaNs of `in`, of floats of any width, become the row of `replacement`, of the same type and as long, or one row that is
/// broadcast; nulls stay null. `out` is as long.
#[derive(Clone, Copy, Debug)]
pub struct Nans<'a> {
    pub input: ColumnIn<'a>,
    pub replacement: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(Nans { input, replacement, out } scratch {});

impl OneKernel for Nans<'static> {
    const ID: KernelId = KernelId::new(image::REPLACE, 3);
}
