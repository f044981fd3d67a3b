//! Kernels of kernels/filling.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "run_numbers_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "sequence_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
];

/// Sets row r of `out` (unsigned integers of 32 or 64 bits) to the number of the run that contains r. Run i ends before
/// row ends\[i\], where `ends` is an i64 column without nulls. The ends ascend, and the last end is the length of `out`.
/// If `begins` has data, row r instead becomes begins\[i\] plus the position of r within run i.
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

/// Sets row r to init + r \* step. `init` and `step` have the type of `out`, which is an integer of up to 64 bits, f32
/// or f64.
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
