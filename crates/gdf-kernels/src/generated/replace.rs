//! Kernels of kernels/replace.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "clamp_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "find_and_replace_all_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "normalize_nans_and_zeros_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "replace_nans_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
];

/// Replaces rows that are less than `low` by `low_replacement`, and rows that are greater than `high` by
/// `high_replacement`. Bounds and replacements have one row and the type of `in`.
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

/// Replaces each row that equals row k of `old` by row k of `replacement`. `old` has no nulls. `old` and `replacement`
/// have the type of `in`, which has at most 128 bits.
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

/// Normalizes floats of any width.
#[derive(Clone, Copy, Debug)]
pub struct NormalizeNansAndZeros<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(NormalizeNansAndZeros { input, out } scratch {});

impl OneKernel for NormalizeNansAndZeros<'static> {
    const ID: KernelId = KernelId::new(image::REPLACE, 2);
}

/// Replaces each NaN of `in` by the same row of `replacement`. `replacement` has the type of `in`, and either has the
/// same length or is one broadcast row. Nulls stay null.
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
