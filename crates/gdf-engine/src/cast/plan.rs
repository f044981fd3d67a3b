//! The plan of a cast, which follows from the two types alone. Both backends use this plan.

use gdf_expr::types::ScaleOperation;
pub use gdf_expr::types::{CastPlan, Scale};
pub(super) use gdf_kernels::generated::unary::CastDecimalMode as DecimalMode;
pub(super) use gdf_kernels::generated::unary::CastOperation as Operation;

use crate::rounding::power_of_ten;

pub(super) const OPERATION: &str = "cast";

pub(super) fn code(operation: ScaleOperation) -> Operation {
    match operation {
        ScaleOperation::Multiply => Operation::Multiply,
        ScaleOperation::Divide => Operation::Divide,
        ScaleOperation::DivideFloor => Operation::DivideFloor,
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DecimalScale {
    pub(super) mode: DecimalMode,
    /// 10^scale, for [`DecimalMode::Exact`].
    pub(super) power: u128,
    /// 10^|scale|, for the other modes.
    pub(super) factor: f64,
}

impl DecimalScale {
    pub(super) fn new(scale: i32) -> DecimalScale {
        let factor = power_of_ten(scale.unsigned_abs());
        match scale {
            0..=22 => DecimalScale { mode: DecimalMode::Exact, power: 10_u128.pow(scale as u32), factor },
            23.. => DecimalScale { mode: DecimalMode::Times, power: 0, factor },
            ..0 => DecimalScale { mode: DecimalMode::DividedBy, power: 0, factor },
        }
    }
}
