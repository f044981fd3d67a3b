//! Kernels of kernels/datetime.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// What a row counts since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Ticks {
    /// above 0
    pub per_day: i64,
}

const _: () = assert!(size_of::<Ticks>() == 8 && align_of::<Ticks>() == 8);

pub(super) const KERNELS: &[KernelInfo] =
    &[KernelInfo { symbol: "extract_component_day_kernel", unit: 0, policy: Policy::new(256, 4, 4) }];

/// The day of the month of dates and timestamps, as i16.
#[derive(Clone, Copy, Debug)]
pub struct ExtractComponent {
    pub input: ColumnIn,
    pub out: ColumnOut,
    pub p: Ticks,
    pub scratch: Scratch,
}

arguments!(ExtractComponent { input, out, p, scratch });

/// The kernels that take [`ExtractComponent`](struct@ExtractComponent).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtractComponentKernel {
    /// The day of the month of dates and timestamps, as i16.
    Day,
}

impl From<ExtractComponentKernel> for KernelId {
    fn from(kernel: ExtractComponentKernel) -> Self {
        KernelId::new(
            image::DATETIME,
            match kernel {
                ExtractComponentKernel::Day => 0,
            },
        )
    }
}

impl Family for ExtractComponent {
    type Kernel = ExtractComponentKernel;
}
