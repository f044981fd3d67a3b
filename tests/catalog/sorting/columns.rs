//! Columns for which sorting has special strategies.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use gdf_test::value::{Value, from_values};

/// Returns texts with long common prefixes: equal texts, texts that end within the prefix, and texts with zero bytes.
pub(crate) fn common_text(rows: usize) -> ArrayRef {
    const ENDS: [&str; 9] =
        ["", "1", "a tail that is long enough for some rounds", "a tail", "a\0", "a", "2", "\0", "zz"];
    let text = |row: usize| {
        let beginning = &"one beginning of many"[..row % 5 * 5];
        (row % 11 != 3).then(|| Value::Str(format!("{beginning}{}", ENDS[row * 7 % 9])))
    };
    from_values(&DataType::Utf8, &(0..rows).map(text).collect::<Vec<_>>())
}

/// Returns integers of 32 or 64 bits. Most of them lie in a small range. Two of them are the ends of the type's range.
pub(crate) fn dense(bits: u32, nulls: bool) -> ArrayRef {
    let value = |row: usize| match row {
        10 => (1_i128 << (bits - 1)) - 1,
        20 => -1 << (bits - 1),
        _ => (row * 7919 % 4001) as i128,
    };
    let data_type = if bits == 32 { DataType::Int32 } else { DataType::Int64 };
    let values = (0..11_000).map(|row| (!nulls || row % 9 != 4).then(|| Value::Int(value(row))));
    from_values(&data_type, &values.collect::<Vec<_>>())
}

/// Returns integers that are evenly distributed over a wide range.
pub(crate) fn spread(rows: usize, nulls: bool) -> ArrayRef {
    let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed() >> 20;
    let value = |row: usize| mixed(row / 2) * 2 - (row % 2) as i64;
    let values = (0..rows).map(|row| (!nulls || row % 10 != 7).then(|| Value::Int(value(row).into())));
    from_values(&DataType::Int64, &values.collect::<Vec<_>>())
}

/// Returns 64-bit integers that are evenly distributed over the whole range.
pub(crate) fn spread_64(rows: usize) -> ArrayRef {
    let value = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed();
    let values = (0..rows).map(|row| (row % 10 != 7).then(|| Value::Int(value(row).into())));
    from_values(&DataType::Int64, &values.collect::<Vec<_>>())
}

/// Returns 32-bit integers in a range of 16 bits.
pub(crate) fn short(rows: usize, nulls: bool) -> ArrayRef {
    let value = |row: usize| (row / 2 * 7919 % 65_536) as i128 - 32_768;
    let values = (0..rows).map(|row| (!nulls || row / 2 % 10 != 3).then(|| Value::Int(value(row))));
    from_values(&DataType::Int32, &values.collect::<Vec<_>>())
}

/// Returns booleans, a tenth of which is null.
pub(crate) fn flags(rows: usize) -> ArrayRef {
    let values = (0..rows).map(|row| (row / 2 % 10 != 4).then_some(Value::Bool(row / 2 % 3 == 0)));
    from_values(&DataType::Boolean, &values.collect::<Vec<_>>())
}
