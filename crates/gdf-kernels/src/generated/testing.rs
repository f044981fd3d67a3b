//! Kernels of kernels/testing.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "pattern_check_kernel", unit: 0, policy: Policy::new(128, 1, 1) },
    KernelInfo { symbol: "pattern_fault_kernel", unit: 0, policy: Policy::new(128, 1, 1) },
    KernelInfo { symbol: "pattern_write_kernel", unit: 0, policy: Policy::new(128, 1, 1) },
];

/// Arguments of `pattern_check_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct PatternCheck<'a> {
    pub bytes: In<'a, u8>,
    pub length: i64,
    pub value: i32,
    pub nanoseconds: i64,
    pub violations: Out<'a, u64>,
}

arguments!(PatternCheck { bytes, length, value, nanoseconds, violations });

impl OneKernel for PatternCheck<'static> {
    const ID: KernelId = KernelId::new(image::TESTING, 0);
}

/// Arguments of `pattern_fault_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct PatternFault<'a> {
    pub sink: Out<'a, u64>,
}

arguments!(PatternFault { sink });

impl OneKernel for PatternFault<'static> {
    const ID: KernelId = KernelId::new(image::TESTING, 1);
}

/// Arguments of `pattern_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct PatternWrite<'a> {
    pub bytes: Out<'a, u8>,
    pub length: i64,
    pub value: i32,
    pub nanoseconds: i64,
}

arguments!(PatternWrite { bytes, length, value, nanoseconds });

impl OneKernel for PatternWrite<'static> {
    const ID: KernelId = KernelId::new(image::TESTING, 2);
}
