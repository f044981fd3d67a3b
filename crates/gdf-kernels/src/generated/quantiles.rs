//! Kernels of kernels/quantiles.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// The value for a position between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Interpolation {
    Linear = 0,
    Lower = 1,
    Higher = 2,
    Midpoint = 3,
    Nearest = 4,
}

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Request {
    /// decimals: the factor (or the divisor, if `divides`) that converts a value to a double
    pub power: f64,
    /// number of used rows, which are the first rows of the order
    pub count: i64,
    pub divides: i32,
    pub interpolation: i32,
    /// not 0: the order is the column `order`; otherwise, it is the order of the rows
    pub ordered: i32,
    /// not 0: the results are doubles; otherwise, they have the type of the column
    pub as_double: i32,
}

const _: () = assert!(size_of::<Request>() == 32 && align_of::<Request>() == 8);

pub(super) const KERNELS: &[KernelInfo] =
    &[KernelInfo { symbol: "quantile_kernel", unit: 0, policy: Policy::new(128, 1, 8) }];

/// Writes a row of `out` for each row of `q`, which has no nulls. The results are doubles or have the type of `in`. In
/// the second case, `in` must not be boolean.
#[derive(Clone, Copy, Debug)]
pub struct Quantile<'a> {
    pub input: ColumnIn<'a>,
    pub order: ColumnIn<'a>,
    pub q: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub request: Request,
}

arguments!(Quantile { input, order, q, out, request } scratch {});

impl OneKernel for Quantile<'static> {
    const ID: KernelId = KernelId::new(image::QUANTILES, 0);
}
