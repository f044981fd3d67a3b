//! Oracles of `datetime`: years and months are counted, not computed.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, TimeUnit};

use crate::value::{Value, from_values, to_values};

/// Day of the month of each row.
pub fn extract_day(column: &ArrayRef) -> ArrayRef {
    let per_day = match column.data_type() {
        DataType::Date32 => 1,
        DataType::Date64 | DataType::Timestamp(TimeUnit::Millisecond, _) => 86_400_000,
        DataType::Timestamp(TimeUnit::Second, _) => 86_400,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 86_400_000_000,
        _ => 86_400_000_000_000,
    };
    let day = |ticks: i128| Value::Int(i128::from(day_of_month(ticks.div_euclid(per_day))));
    let rows: Vec<_> = to_values(column).iter().map(|row| row.as_ref().and_then(Value::as_i128).map(day)).collect();
    from_values(&DataType::Int16, &rows)
}

/// From days since 1970-01-01. The calendar repeats every 400 years of 146,097 days.
fn day_of_month(days: i128) -> u32 {
    let mut left = days.rem_euclid(146_097) as u32;
    for year in 1970.. {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let lengths = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for length in lengths {
            if left < length {
                return left + 1;
            }
            left -= length;
        }
    }
    unreachable!("years do not end")
}
