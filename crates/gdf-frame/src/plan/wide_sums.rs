//! Sums of decimals of 256 bits in groups. A group-by adds numbers of 128 bits, so each decimal is divided into three
//! numbers of few digits.

use gdf_core::{DataType, I256, Literal, Result};
use gdf_expr::{BinaryOperator, Expr, Value, lit};

/// The number of digits of the two lower parts. A sum of 10¹² such numbers has 38 digits.
const DIGITS: u32 = 26;

/// Returns the parts of decimals with the scale `scale`, from the highest digits to the lowest. The lower parts are not
/// negative.
pub(super) fn parts(values: &Expr, scale: i8) -> Result<[Expr; 3]> {
    let unscaled = values.clone() * one(scale.saturating_neg())?;
    let upper = unscaled.clone().floor_div(base()?);
    let low = unscaled.binary(BinaryOperator::PyMod, base()?);
    let middle = upper.clone().binary(BinaryOperator::PyMod, base()?);
    Ok([upper.floor_div(base()?), middle, low].map(|part| part.cast(DataType::Decimal128(38, 0))))
}

/// Returns the sum of decimals from the sums of their parts.
pub(super) fn of_parts([high, middle, low]: [Expr; 3], scale: i8) -> Result<Expr> {
    let upper = high.cast(DataType::Decimal256(76, 0)) * base()? + middle;
    Ok((upper * base()? + low) * one(scale)?)
}

fn number(value: I256, data_type: &DataType) -> Result<Expr> {
    Literal::typed(Some(value), data_type).map(|literal| lit(Value::new(literal)))
}

/// Returns 10 to the power of [`DIGITS`].
fn base() -> Result<Expr> {
    number(I256::from(10_i128.pow(DIGITS)), &DataType::Decimal256(DIGITS as u8 + 1, 0))
}

/// Returns a factor that adds `scale` to the scale of a product, and changes no stored number.
fn one(scale: i8) -> Result<Expr> {
    number(I256::from(1), &DataType::Decimal256(1, scale))
}
