//! Kernels of kernels/round.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RoundingPlaces {
    /// whether ties round to even; otherwise, they round away from zero
    /// For 256-bit integers, `unit` is ten to the power of `digits`.
    pub even: i32,
    pub digits: i32,
    /// integers: the divisor; results are counted in multiples of it
    pub unit: [u64; 4],
    /// integers: the factor of the count; the product wraps
    pub factor: [u64; 4],
    /// floats: ten to |digits|, which may be infinite
    pub power: f64,
}

const _: () = assert!(size_of::<RoundingPlaces>() == 80 && align_of::<RoundingPlaces>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "round_f64_kernel", unit: 0, policy: Policy::new(128, 8, 8) },
    KernelInfo { symbol: "round_i128_kernel", unit: 0, policy: Policy::new(256, 1, 2) },
    KernelInfo { symbol: "round_i256_kernel", unit: 0, policy: Policy::new(256, 1, 2) },
    KernelInfo { symbol: "round_i64_kernel", unit: 0, policy: Policy::new(128, 8, 8) },
];

/// Rounds floats of any width.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub p: RoundingPlaces,
}

arguments!(Round { input, out, p } scratch {});

/// The kernels that take [`Round`](struct@Round).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundKernel {
    /// Rounds floats of any width.
    F64,
    I128,
    I256,
    I64,
}

impl From<RoundKernel> for KernelId {
    fn from(kernel: RoundKernel) -> Self {
        KernelId::new(
            image::ROUND,
            match kernel {
                RoundKernel::F64 => 0,
                RoundKernel::I128 => 1,
                RoundKernel::I256 => 2,
                RoundKernel::I64 => 3,
            },
        )
    }
}

impl Family for Round<'static> {
    type Kernel = RoundKernel;
}
