//! Oracle of `round`. An integer lies between two multiples, and the oracle takes the nearer multiple, in 256 bits.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_api::round::RoundingMethod;

use super::unary::cast;
use gdf_test::value::{Value, to_values, try_from_values};

/// Rounds each row to `places` digits after the point, as type `output`.
///
/// # Errors
/// - a value is not a number, or the column cannot be built.
pub fn round(input: &dyn Array, places: i32, method: RoundingMethod, output: &DataType) -> Result<ArrayRef, String> {
    let scale = gdf_core::decimal_parts(input.data_type()).map_or(0, |(_, _, scale)| i32::from(scale));
    let number = |row: Value| one(&row, scale, places, method, output);
    let rows: Result<Vec<_>, String> = to_values(input).into_iter().map(|row| row.map(number).transpose()).collect();
    Ok(try_from_values(output, &rows?)?)
}

fn one(row: &Value, old: i32, places: i32, method: RoundingMethod, output: &DataType) -> Result<Value, String> {
    if let Some(number) = row.as_f64() {
        return Ok(cast::float(float(number, places, method), output));
    }
    let number = cast::exact(row)?;
    let ten = |power: i32| (0..power).fold(i256::ONE, |product, _| product.wrapping_mul(i256::from_i128(10)));
    let (cut, decimal) = (old - places, gdf_core::decimal_parts(output).is_some());
    if cut > 76 {
        return Ok(cast::integer(i256::ZERO, output));
    }
    if cut <= 0 {
        return Ok(cast::integer(if decimal { number.wrapping_mul(ten(-cut)) } else { number }, output));
    }
    let unit = ten(cut);
    let rest = number.wrapping_rem(unit);
    let rest = if rest < i256::ZERO { rest.wrapping_add(unit) } else { rest };
    let below = number.wrapping_sub(rest).wrapping_div(unit);
    let above = below.wrapping_add(i256::ONE);
    let tie = match method {
        RoundingMethod::HalfEven if below.wrapping_rem(i256::from_i128(2)) == i256::ZERO => below,
        RoundingMethod::HalfUp if number < i256::ZERO => below,
        _ => above,
    };
    let nearest = match rest.cmp(&unit.wrapping_sub(rest)) {
        std::cmp::Ordering::Less => below,
        std::cmp::Ordering::Equal => tie,
        std::cmp::Ordering::Greater => above,
    };
    Ok(cast::integer(if decimal { nearest } else { nearest.wrapping_mul(unit) }, output))
}

fn float(number: f64, places: i32, method: RoundingMethod) -> f64 {
    let integer = |x: f64| match method {
        RoundingMethod::HalfUp => x.round(),
        RoundingMethod::HalfEven => x.round_ties_even(),
    };
    let power: f64 = format!("1e{}", places.unsigned_abs()).parse().unwrap_or(f64::INFINITY);
    match (number.is_finite(), places) {
        (false, _) => number,
        (_, ..-308) => 0_f64.copysign(number),
        (_, ..0) => integer(number / power) * power,
        (_, 0) => integer(number),
        _ => {
            let tenths = number.fract() * power;
            let has_more_digits = tenths.abs() < 2_f64.powi(52);
            if has_more_digits { number.trunc() + integer(tenths) / power } else { number }
        }
    }
}
