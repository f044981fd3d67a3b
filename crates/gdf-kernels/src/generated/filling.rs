//! Kernels of kernels/filling.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "run_numbers_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "sequence_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
];

/// Row r of `out`, of unsigned integers of 32 or 64 bits, becomes the number of the run that it is in: run i ends where
/// row i of `ends` says, of i64 without nulls. Ends ascend, and the last one is the length of `out`. Or, if there are
/// `begins`, of i64, what the run has there, and so many more as r is behind the first row of the run.
#[derive(Clone, Copy, Debug)]
pub struct RunNumbers<'a> {
    pub ends: ColumnIn<'a>,
    pub begins: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(RunNumbers { ends, begins, out });

impl OneKernel for RunNumbers<'static> {
    const ID: KernelId = KernelId::new(image::FILLING, 0);
}

/// Row r becomes init + r \* step. Both have a row at least, of the type of `out`: an integer of up to 64 bits, f32 or f64.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    pub init: ColumnIn<'a>,
    pub step: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(Sequence { init, step, out });

impl OneKernel for Sequence<'static> {
    const ID: KernelId = KernelId::new(image::FILLING, 1);
}
