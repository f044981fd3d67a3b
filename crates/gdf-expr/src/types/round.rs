//! The types of the results of rounding.

use gdf_core::{DataType, Error, Result, decimal_parts, is_floating, is_integral};

const OPERATION: &str = "round";

/// Returns the type of the result of rounding `data_type` to `places` decimal places; see `gdf_api::round::round`.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported): the type is not a number type.
/// * [`InvalidArgument`](Error::InvalidArgument): a decimal of this width cannot have the new scale.
pub fn round_output_type(data_type: &DataType, places: i32) -> Result<DataType> {
    let Some((width, precision, scale)) = decimal_parts(data_type) else {
        let is_number = is_floating(data_type) || is_integral(data_type);
        return is_number.then(|| data_type.clone()).ok_or_else(|| Error::unsupported(OPERATION, data_type));
    };
    let most = match width {
        4 => 9,
        8 => 18,
        16 => 38,
        _ => 76,
    };
    let new = i8::try_from(places).ok().filter(|&scale| scale <= most);
    let new = new.ok_or_else(|| {
        let limit = if places < 0 { i8::MIN } else { most };
        Error::beyond_limit("the number of decimal places", i128::from(places), i128::from(limit)).in_argument("places")
    })?;
    if new == scale {
        return Ok(data_type.clone());
    }
    // Rounding up may add one digit.
    let digits = i32::from(precision) + i32::from(new) - i32::from(scale) + i32::from(new < scale);
    let digits = digits.clamp(i32::from(new).max(1), i32::from(most)) as u8;
    Ok(match width {
        4 => DataType::Decimal32(digits, new),
        8 => DataType::Decimal64(digits, new),
        16 => DataType::Decimal128(digits, new),
        _ => DataType::Decimal256(digits, new),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_limit_that_is_exceeded() {
        let limit = |places| match round_output_type(&DataType::Decimal64(18, 2), places) {
            Err(Error::InvalidArgument { limit, .. }) => limit,
            other => panic!("{places}: {other:?}"),
        };
        assert_eq!((limit(19), limit(-129)), (Some(18), Some(-128)));
    }
}
