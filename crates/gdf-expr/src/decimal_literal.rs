//! Literals of floats next to decimals, which are read as the decimals that they were written as.

use gdf_core::{DataType, Literal, Result, decimal_parts, is_floating};

use crate::value::Value;

impl Value {
    /// Returns a float as the decimal with the fewest digits that is read as this float: 0.1 has 1 digit. The decimal
    /// has the width of `other` if its digits fit. Returns `None` if the value is not a finite float, if `other` is not
    /// a decimal, or if the decimal has more than 38 digits.
    pub(crate) fn as_decimal_beside(&self, other: &DataType) -> Option<Value> {
        let (width, _, _) = decimal_parts(other)?;
        if !is_floating(self.data_type()) {
            return None;
        }
        // The shortest text of a float is that of its own width: 0.1 in 32 bits is 0.10000000149 in 64 bits.
        let text = match (self.half_or_single(), self.float()) {
            (Some(float), _) if float.is_finite() => float.to_string(),
            (None, Some(float)) if float.is_finite() => float.to_string(),
            _ => return None,
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let unscaled: i128 = format!("{whole}{fraction}").parse().ok()?;
        let digits = unscaled.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
        let (precision, scale) = (u8::try_from(digits.max(fraction.len())).ok()?, i8::try_from(fraction.len()).ok()?);
        let value = match precision {
            ..=9 if width == 4 => number(unscaled as i32, &DataType::Decimal32(precision, scale)),
            ..=18 if width <= 8 => number(unscaled as i64, &DataType::Decimal64(precision, scale)),
            ..=38 => number(unscaled, &DataType::Decimal128(precision, scale)),
            _ => return None,
        };
        value.ok()
    }

    /// Returns the same decimal with the scale of `to`, or `None` if `to` has no such decimal.
    pub(crate) fn with_scale_of(&self, to: &DataType) -> Option<Value> {
        let ((_, _, from), (width, digits, scale)) = (decimal_parts(self.data_type())?, decimal_parts(to)?);
        let (unscaled, more) = (self.integer()?, i32::from(scale) - i32::from(from));
        let factor = 10_i128.checked_pow(more.unsigned_abs())?;
        let value = match more {
            0.. => unscaled.checked_mul(factor)?,
            _ if unscaled % factor == 0 => unscaled / factor,
            _ => return None,
        };
        if 10_u128.checked_pow(digits.into()).is_some_and(|limit| value.unsigned_abs() >= limit) {
            return None;
        }
        let value = match width {
            4 => number(value as i32, to),
            8 => number(value as i64, to),
            16 => number(value, to),
            _ => number(gdf_core::I256::from(value), to),
        };
        value.ok()
    }
}

fn number<T: gdf_core::NativeValue>(value: T, data_type: &DataType) -> Result<Value> {
    Literal::typed(Some(value), data_type).map(Value::new)
}

#[cfg(test)]
mod tests {
    use gdf_core::DataType::{self, Decimal32, Decimal64, Decimal128, Decimal256, Float64};

    use crate::{Expr, Graph, Input, Value, col, lit, when};

    fn beside(value: impl Into<Value>, other: &DataType) -> Option<(DataType, i128)> {
        let found = value.into().as_decimal_beside(other)?;
        Some((found.data_type().clone(), found.integer().unwrap()))
    }

    #[test]
    fn floats_become_the_decimals_that_were_written() {
        let price = Decimal64(9, 2);
        assert_eq!(beside(1.5, &price), Some((Decimal64(2, 1), 15)));
        assert_eq!(beside(0.1_f32, &price), Some((Decimal64(1, 1), 1)));
        assert_eq!(beside(-0.001, &Decimal32(9, 2)), Some((Decimal32(3, 3), -1)));
        assert_eq!(beside(100.0, &Decimal256(76, 2)), Some((Decimal128(3, 0), 100)));
        assert_eq!(beside(12_345_678_901.5, &Decimal32(9, 2)), Some((Decimal64(12, 1), 123_456_789_015)));
        assert_eq!(beside(0.0, &price), Some((Decimal64(1, 0), 0)));
        for float in [f64::NAN, f64::INFINITY, 1e39, 1e-39] {
            assert_eq!(beside(float, &price), None, "{float}");
        }
        assert_eq!((beside(1, &price), beside(1.5, &Float64)), (None, None));
    }

    #[test]
    fn decimals_and_literals_of_floats_go_together() {
        let of = |expression: &Expr| {
            let mut graph = Graph::new(vec![Input::new(Decimal64(9, 2)), Input::new(Float64)]);
            let id = graph.bind(expression)?;
            Ok::<_, gdf_core::Error>((graph.node(id).data_type.clone(), graph.text(id).to_string()))
        };
        let typed = |expression: &Expr| of(expression).unwrap().0;
        assert_eq!(of(&col(0).gt(1.5)).unwrap(), (DataType::Boolean, "#0 > 1.5".into()));
        assert_eq!(typed(&(col(0) * 0.9)), Decimal64(11, 3));
        assert_eq!(typed(&(lit(1.5) + col(0))), Decimal64(10, 2));
        assert_eq!(typed(&col(0).between(0.5, 1.5)), DataType::Boolean);
        assert_eq!(typed(&when(col(0).lt(0.25), 0.25).otherwise(col(0))), Decimal64(9, 2));
        assert_eq!(of(&col(0).is_in([1.5, 0.005])).unwrap().1, "#0 IN (1.50) OR #0 = 0.005");
        // Only a literal can be exact.
        let text = of(&(col(0) * col(1))).unwrap_err().to_string();
        assert!(text.contains("cast the decimal to `Float64`"), "{text}");
        assert!(of(&col(0).gt(f64::NAN)).is_err());
    }
}
