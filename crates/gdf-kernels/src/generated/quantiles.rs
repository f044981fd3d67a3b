//! Kernels of kernels/quantiles.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// What stands for a position between two rows.
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
    /// of decimals: they are multiplied, or if `divides` divided, by it to give a double
    pub power: f64,
    /// rows that take part: the first ones of the order
    pub count: i64,
    pub divides: i32,
    pub interpolation: i32,
    /// the order is the column `order`, not that of the rows
    pub ordered: i32,
    /// results are doubles, not of the column's type
    pub as_double: i32,
}

const _: () = assert!(size_of::<Request>() == 32 && align_of::<Request>() == 8);

pub(super) const KERNELS: &[KernelInfo] =
    &[KernelInfo { symbol: "quantile_kernel", unit: 0, policy: Policy::new(128, 1, 8) }];

/// For each of `q`, which has no nulls, a row of `out`: of the type of `in`, not boolean then, or double. Null where a row
/// that it is of is null, or there is none. Nothing is broadcast.
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
