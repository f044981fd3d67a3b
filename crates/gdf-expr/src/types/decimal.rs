//! Rules for decimals: the precision and the scale of results, and the powers of ten that align the scales. The rules
//! are the rules of arrow-rs.

use gdf_core::{DataType, Error, Result, decimal_parts, is_integral, width};

use crate::BinaryOperator;

/// A decimal operand. An integer operand next to a decimal operand counts as a decimal of scale 0.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    /// The number of bytes of a value. An integer has width 0, because an integer operand does not widen the result.
    pub width: usize,
    /// The number of decimal digits.
    pub precision: i32,
    /// The number of digits after the point. If the scale is negative, the last digits before the point are not
    /// stored.
    pub scale: i32,
}

/// Returns the largest precision of a decimal of `width` bytes, which is also the largest scale.
const fn max_precision(width: usize) -> i32 {
    match width {
        4 => 9,
        8 => 18,
        16 => 38,
        _ => 76,
    }
}

impl Decimal {
    /// Returns the decimal for a column of decimals or integers, and `None` for other types.
    pub fn of(data_type: &DataType) -> Option<Decimal> {
        if let Some((width, precision, scale)) = decimal_parts(data_type) {
            return Some(Decimal { width, precision: i32::from(precision), scale: i32::from(scale) });
        }
        if !is_integral(data_type) {
            return None;
        }
        let precision = match width(data_type) {
            Some(1) => 3,
            Some(2) => 5,
            Some(4) => 10,
            _ if *data_type == DataType::UInt64 => 20,
            _ => 19,
        };
        Some(Decimal { width: 0, precision, scale: 0 })
    }

    /// Returns both operands if they are decimals, or a decimal and an integer.
    pub fn pair(lhs: &DataType, rhs: &DataType) -> Option<(Decimal, Decimal)> {
        let pair = (Decimal::of(lhs)?, Decimal::of(rhs)?);
        (pair.0.width.max(pair.1.width) > 0).then_some(pair)
    }

    fn data_type(self) -> DataType {
        let most = max_precision(self.width);
        let precision = self.precision.clamp(1, most).max(self.scale.min(most)) as u8;
        let scale = self.scale as i8;
        match self.width {
            4 => DataType::Decimal32(precision, scale),
            8 => DataType::Decimal64(precision, scale),
            16 => DataType::Decimal128(precision, scale),
            _ => DataType::Decimal256(precision, scale),
        }
    }
}

/// Returns the default type of the result.
pub fn output_type(op: BinaryOperator, lhs: Decimal, rhs: Decimal) -> Result<DataType> {
    use BinaryOperator::*;
    let width = lhs.width.max(rhs.width);
    let most = max_precision(width);
    let larger = lhs.scale.max(rhs.scale);
    let (left, right) = (lhs.precision - lhs.scale, rhs.precision - rhs.scale);
    let (precision, scale) = match op {
        Add | Sub => (left.max(right) + larger + 1, larger),
        NullMax | NullMin => (left.max(right) + larger, larger),
        Mul => (lhs.precision + rhs.precision + 1, lhs.scale + rhs.scale),
        Div => {
            let scale = (lhs.scale + 4).min(most);
            (lhs.precision + scale - lhs.scale + rhs.scale, scale)
        }
        Mod | PMod | PyMod => (left.min(right) + larger, larger),
        FloorDiv => (left + rhs.scale + 1, 0),
        _ => return Err(Error::unsupported("binary_operation", &Decimal { width, ..lhs }.data_type())),
    };
    let min = i32::from(i8::MIN);
    if scale > most || scale < min {
        let (limit, remedy) = match scale > most {
            true => (most, "cast the operands to smaller scales"),
            false => (min, "cast the operands to larger scales"),
        };
        let error = Error::beyond_limit("the scale of the result", i128::from(scale), i128::from(limit));
        return Err(error.with_remedy(remedy));
    }
    Ok(Decimal { width, precision, scale }.data_type())
}

/// The exponents of the powers of ten that align the scales of the operands and of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Powers {
    /// The exponent of the power of ten that `lhs` is multiplied by.
    pub lhs: u32,
    /// The exponent of the power of ten that `rhs` is multiplied by.
    pub rhs: u32,
    /// The exponent of the power of ten that the result is multiplied by.
    pub up: u32,
    /// The exponent of the power of ten that the result is divided by. The quotient is truncated towards zero.
    pub down: u32,
}

/// Returns the powers of ten with which operands of the scales `lhs` and `rhs` give a result of scale `output`.
pub fn powers(op: BinaryOperator, lhs: i32, rhs: i32, output: i32) -> Powers {
    let larger = lhs.max(rhs);
    let up_to = |to: i32, from: i32| u32::try_from(to - from).unwrap_or(0);
    let natural = match op {
        BinaryOperator::Mul => lhs + rhs,
        BinaryOperator::FloorDiv => 0,
        BinaryOperator::Div => {
            let shift = output + rhs - lhs;
            return Powers { lhs: up_to(shift, 0), rhs: up_to(0, shift), ..Powers::default() };
        }
        _ => larger,
    };
    let common = if op == BinaryOperator::Mul { (lhs, rhs) } else { (larger, larger) };
    Powers {
        lhs: up_to(common.0, lhs),
        rhs: up_to(common.1, rhs),
        up: up_to(output, natural),
        down: up_to(natural, output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOperator::*;

    fn of(op: BinaryOperator, lhs: &DataType, rhs: &DataType) -> DataType {
        let (lhs, rhs) = Decimal::pair(lhs, rhs).unwrap();
        output_type(op, lhs, rhs).unwrap()
    }

    #[test]
    fn types_of_results() {
        let money = DataType::Decimal128(15, 2);
        assert_eq!(of(Add, &money, &money), DataType::Decimal128(16, 2));
        assert_eq!(of(Mul, &money, &money), DataType::Decimal128(31, 4));
        assert_eq!(of(Div, &money, &money), DataType::Decimal128(21, 6));
        assert_eq!(of(Sub, &DataType::Int64, &money), DataType::Decimal128(22, 2));
        assert_eq!(of(Add, &DataType::Decimal32(9, 2), &DataType::Decimal64(10, 4)), DataType::Decimal64(12, 4));
        assert_eq!(of(Mod, &money, &DataType::Decimal128(10, 5)), DataType::Decimal128(10, 5));
        assert_eq!(of(FloorDiv, &money, &money), DataType::Decimal128(16, 0));
        assert_eq!(of(NullMax, &money, &money), money);
        let small = DataType::Decimal32(9, 8);
        let (lhs, rhs) = Decimal::pair(&small, &small).unwrap();
        assert!(matches!(output_type(Mul, lhs, rhs), Err(Error::InvalidArgument { .. })));
        assert!(matches!(output_type(TrueDiv, lhs, rhs), Err(Error::Unsupported { .. })));
        assert!(Decimal::pair(&DataType::Int32, &DataType::Int32).is_none());
        assert!(Decimal::pair(&small, &DataType::Float32).is_none());
    }

    #[test]
    fn scales_are_brought_together() {
        let none = Powers::default();
        assert_eq!(powers(Add, 2, 2, 2), none);
        assert_eq!(powers(Add, 2, 5, 4), Powers { lhs: 3, down: 1, ..none });
        assert_eq!(powers(Mul, 2, 2, 4), none);
        assert_eq!(powers(Mul, 2, 2, 6), Powers { up: 2, ..none });
        assert_eq!(powers(Div, 2, 2, 6), Powers { lhs: 6, ..none });
        assert_eq!(powers(Div, 5, 1, 2), Powers { rhs: 2, ..none });
        assert_eq!(powers(FloorDiv, 2, -3, 1), Powers { rhs: 5, up: 1, ..none });
    }
}
