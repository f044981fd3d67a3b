//! Order numbers: unsigned integers that have the same order as the values of a column.

use arrow_schema::DataType;

use crate::types::physical_type;

/// The smallest and the largest order number of valid rows. Order numbers are unsigned integers that have the same
/// order as the values. The value is `None` if no row is valid.
pub type OrderBounds = Option<(u64, u64)>;

/// Converts order numbers to the values that have these order numbers. Returns `None` if the type is not stored as
/// integers of at most 64 bits.
#[doc(hidden)]
pub fn numbers_of_order((low, high): (u64, u64), data_type: &DataType) -> Option<(i128, i128)> {
    let zero = order_of_zero(data_type)?;
    Some((i128::from(low) - zero, i128::from(high) - zero))
}

/// Converts values to their order numbers. This is the opposite of [`numbers_of_order`]. Also returns `None` if a value
/// exceeds the range of the type.
#[doc(hidden)]
pub fn order_of_numbers((low, high): (i128, i128), data_type: &DataType) -> Option<(u64, u64)> {
    let zero = order_of_zero(data_type)?;
    Some((u64::try_from(low + zero).ok()?, u64::try_from(high + zero).ok()?))
}

fn order_of_zero(data_type: &DataType) -> Option<i128> {
    let physical = physical_type(data_type);
    let width = physical.width().filter(|width| physical.is_integral() && *width <= 8)?;
    Some(if physical.is_signed() { 1_i128 << (8 * width - 1) } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_numbers_are_those_of_numbers() {
        let numbers = |low, high, data_type| numbers_of_order((low, high), &data_type);
        assert_eq!(numbers(0, u64::MAX, DataType::Int64), Some((i64::MIN.into(), i64::MAX.into())));
        assert_eq!(numbers(127, 130, DataType::Int8), Some((-1, 2)));
        assert_eq!(numbers(1 << 31, (1 << 31) + 5, DataType::Date32), Some((0, 5)));
        assert_eq!(numbers((1 << 63) - 1, 1 << 63, DataType::Decimal64(9, 2)), Some((-1, 0)));
        assert_eq!(numbers(3, u64::MAX, DataType::UInt64), Some((3, u64::MAX.into())));
        assert_eq!(numbers(0, 1, DataType::Float64), None);
        let order = |low, high, data_type| order_of_numbers((low, high), &data_type);
        assert_eq!(order(-1, 2, DataType::Int8), Some((127, 130)));
        assert_eq!(order(i64::MIN.into(), i64::MAX.into(), DataType::Int64), Some((0, u64::MAX)));
        assert_eq!(order(3, u64::MAX.into(), DataType::UInt64), Some((3, u64::MAX)));
        assert_eq!((order(-1, 2, DataType::UInt8), order(0, 1, DataType::Utf8)), (None, None));
    }
}
