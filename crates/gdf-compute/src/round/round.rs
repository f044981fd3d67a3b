//! Implements `round` with the elementwise engine. Integers and decimals are rounded in their own type. Floats are
//! rounded in double precision.

use arrow_buffer::i256;
use gdf_core::{
    Column, ColumnView, DataType, Error, I256, PhysicalType, Result, decimal_parts, f16, is_floating, physical_type,
};
use gdf_engine::check;
use gdf_engine::cuda::words;
use gdf_engine::elementwise::{self, Launch, Nulls, Rows};
use gdf_engine::host::{FromNumber, NUMBER_BLOCK, vectorized};
use gdf_engine::rounding::power_of_ten;
pub use gdf_expr::types::round_output_type;
use gdf_kernels::generated::round::{Round, RoundKernel, RoundingPlaces};

use crate::Ctx;

const OPERATION: &str = "round";

/// The direction of rounding for a number halfway between two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum RoundingMethod {
    /// The number is rounded away from zero.
    #[default]
    HalfUp,
    /// The number is rounded to the candidate whose last digit is even.
    HalfEven,
}

/// Returns the numbers of the column, rounded to `places` digits after the decimal point. If `places` is negative, the
/// last `-places` digits before the decimal point become zeros. Nulls stay null.
///
/// # Errors
/// * The errors of [`round_output_type`].
/// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
pub fn round(column: ColumnView<'_>, places: i32, method: RoundingMethod, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    let output_type = round_output_type(data_type, places)?;
    let Some(plan) = RoundPlan::new(data_type, places, method) else {
        check::column(column, ctx)?;
        return Ok(column.to_column());
    };
    elementwise::map_column(
        column,
        &output_type,
        Nulls::Keep,
        ctx,
        |rows| on_host(rows, &plan),
        |launch| {
            let Launch { inputs: [input], out, .. } = *launch;
            let RoundPlan { kernel, even, digits, unit, factor, power } = plan;
            let (unit, factor) = (words(unit), words(factor));
            let p = RoundingPlaces { even: i32::from(even), digits, unit, factor, power };
            launch.run(kernel, launch.rows, &Round { input, out, p })
        },
    )
}

#[derive(Clone, Copy, Debug)]
struct RoundPlan {
    kernel: RoundKernel,
    even: bool,
    /// For integers, the exponent of `unit` as a power of ten, which only the 256-bit kernel reads. For floats, the
    /// number of decimal places.
    digits: i32,
    /// The unit of rounding, if integers are rounded.
    unit: i256,
    factor: i256,
    power: f64,
}

impl RoundPlan {
    fn new(data_type: &DataType, places: i32, method: RoundingMethod) -> Option<RoundPlan> {
        let even = method == RoundingMethod::HalfEven;
        let (unit, factor) = (i256::ONE, i256::ONE);
        if is_floating(data_type) {
            let power = power_of_ten(places.unsigned_abs());
            return Some(RoundPlan { kernel: RoundKernel::F64, even, digits: places, unit, factor, power });
        }
        let decimal = decimal_parts(data_type).map(|(_, _, scale)| i64::from(scale));
        let cut = decimal.unwrap_or(0) - i64::from(places);
        let (unit, factor) = match decimal {
            None if cut <= 0 => return None,
            None => (cut, cut),
            Some(_) if cut == 0 => return None,
            Some(_) => (cut.max(0), (-cut).max(0)),
        };
        let (kernel, most) = match physical_type(data_type) {
            PhysicalType::I256 => (RoundKernel::I256, 76),
            PhysicalType::I128 | PhysicalType::U64 => (RoundKernel::I128, 38),
            PhysicalType::I64 if unit > 18 => (RoundKernel::I128, 38),
            _ => (RoundKernel::I64, 18),
        };
        // If rounding removes more digits than the numbers of the type have, every result is 0.
        let ten = |power: i64| i256::from_i128(10).wrapping_pow(power as u32);
        let nothing = unit > most;
        Some(RoundPlan {
            kernel,
            even,
            digits: if nothing { 0 } else { unit as i32 },
            unit: if nothing { i256::ONE } else { ten(unit) },
            factor: if nothing { i256::ZERO } else { ten(factor) },
            power: 1.0,
        })
    }
}

fn on_host(rows: &Rows<'_, 1>, plan: &RoundPlan) -> Result<Column> {
    let refused = || Err(Error::unsupported(OPERATION, rows.output_type));
    let (physical, even) = (physical_type(rows.output_type), plan.even);
    let (unit, factor) = (plan.unit.as_i128(), plan.factor.as_i128());
    match plan.kernel {
        RoundKernel::F64 => gdf_core::dispatch_arms!(
            physical,
            O => rows.blocks::<f64, O, NUMBER_BLOCK>(|| rows.mask(), |_, [rows], out| round_floats(rows, plan, out)),
            refused(),
            [F16 f16, F32 f32, F64 f64]
        ),
        RoundKernel::I64 => gdf_core::dispatch_arms!(
            physical,
            O => rows.convert(|x: i64| O::of_i64(integer_64(x, unit as i64, factor as i64, even))),
            refused(),
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32]
        ),
        RoundKernel::I128 => gdf_core::dispatch_arms!(
            physical,
            O => rows.convert(|x: i128| O::of_i128(integer_128(x, unit, factor, even))),
            refused(),
            [I64 i64, U64 u64, I128 i128]
        ),
        RoundKernel::I256 => rows.convert(|x: I256| I256(integer_256(x.0, plan.unit, plan.factor, even))),
    }
}

macro_rules! integers {
    ($($name:ident $native:ty, $zero:expr, $one:expr;)*) => {$(
        /// Rounds an integer. The kernel function `rounding::integer` computes the same result.
        fn $name(x: $native, unit: $native, factor: $native, even: bool) -> $native {
            let (quotient, rest) = (x.wrapping_div(unit), x.wrapping_rem(unit).wrapping_abs());
            let (beyond, one) = (unit.wrapping_sub(rest), if x < $zero { $zero.wrapping_sub($one) } else { $one });
            let is_odd = quotient & $one != $zero;
            let away = rest > beyond || (rest == beyond && (!even || is_odd));
            let quotient = if away { quotient.wrapping_add(one) } else { quotient };
            quotient.wrapping_mul(factor)
        }
    )*};
}

integers! {
    integer_64 i64, 0_i64, 1_i64;
    integer_128 i128, 0_i128, 1_i128;
    integer_256 i256, i256::ZERO, i256::ONE;
}

vectorized! {
    fn round_floats[O: FromNumber](rows: &[f64], plan: &RoundPlan, out: &mut [O]) {
        for (slot, &x) in out.iter_mut().zip(rows) {
            *slot = O::of_f64(floating(x, plan));
        }
    }
}

/// Rounds to the nearest integer. Halves are rounded away from zero.
#[inline(always)]
fn round_away(x: f64) -> f64 {
    let whole = x.trunc();
    if (x - whole).abs() >= 0.5 { whole + 1.0_f64.copysign(x) } else { whole }
}

/// Rounds a float.
#[inline(always)]
fn floating(x: f64, p: &RoundPlan) -> f64 {
    let nearest = |x: f64| if p.even { x.round_ties_even() } else { round_away(x) };
    if p.digits < 0 {
        return match (x.is_infinite(), p.power.is_infinite()) {
            (true, _) => x,
            (_, true) => x * 0.0,
            _ => nearest(x / p.power) * p.power,
        };
    }
    if p.digits == 0 {
        return nearest(x); // the parity of the whole part decides ties
    }
    let whole = x.trunc();
    let scaled = (x - whole) * p.power;
    let rounded = whole + nearest(scaled) / p.power;
    if scaled.abs() < 4_503_599_627_370_496.0 { rounded } else { x }
}
